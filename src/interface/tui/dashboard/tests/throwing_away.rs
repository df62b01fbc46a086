//! Drafts, long notes, the banner and offered routines: what the operator can put away or take with one key.

use std::sync::Arc;

use actors::domain::books::BudgetUse;
use actors::domain::budget::BudgetStatus;
use actors::domain::event::{MysisStatus, SwarmCondition};
use actors::domain::game::GameRef;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::last_request::{
    MessageChange, MessageSum, RequestByteCounts, RequestChange, SentRequest,
};
use actors::domain::order::{CompletedOrder, MAX_ORDER_BYTES, MysisOrder, Order};
use actors::domain::routine::{CircleOffer, RoutineStatus, RunSource};
use actors::domain::screen::UiEffect;
use actors::domain::silence::{SilenceNotice, SilenceScope};
use actors::domain::state::{LifeState, Totals};
use crossterm::event::KeyCode;
use zoea_text::redact::Redactor;

use super::{Desk, orders_of, rules, status};
use crate::dashboard::input_event::{Input, ctrl};
use crate::dashboard::inspector::Inspector;
use crate::dashboard::loops::loops_line;
use crate::dashboard::overlay::composer::ComposeTarget;
use crossterm::event::Event;

#[test]
fn control_c_throws_a_draft_away_and_the_history_brings_it_back() {
    let mut desk = Desk::new();
    desk.types("mgo home");
    assert!(desk.press(ctrl('c')).is_empty());
    assert!(desk.board.overlays().is_empty());
    let target = ComposeTarget::Myses(vec![MysisId(1)]);
    assert_eq!(desk.board.writing.draft(&target), "");
    desk.types("m");
    assert_eq!(desk.composer().field.text(), "");
    desk.key(KeyCode::Up);
    assert_eq!(desk.composer().field.text(), "go home");
}

#[test]
fn what_is_kept_for_later_and_what_is_open_go_into_the_history_at_the_end() {
    let mut desk = Desk::new();
    let redactor = Redactor::new(["hunter2-hunter2".into()]);
    desk.board.take_rules(rules(), Arc::new(redactor));
    desk.types("bmine hunter2-hunter2");
    desk.key(KeyCode::Esc);
    desk.types("mgo home");
    assert_eq!(desk.board.unsent(), ["mine [redacted]", "go home"]);
    desk.press(ctrl('c'));
    assert_eq!(desk.board.unsent(), ["mine [redacted]"]);
}

#[test]
fn a_long_note_asks_first_and_says_what_it_adds_to_each_request() {
    let mut desk = Desk::new();
    desk.types("ashort");
    let notes = orders_of(&desk.key(KeyCode::Enter));
    assert_eq!(notes.len(), 1, "a short one is taken at once");
    desk.types("a");
    let long = "word ".repeat(12_000);
    desk.board
        .on_input(Input::Event(Event::Paste(long.clone())));
    assert_eq!(desk.composer().added_tokens(), Some(20_000));
    assert!(orders_of(&desk.key(KeyCode::Enter)).is_empty());
    assert_eq!(
        desk.question().lines[0],
        "Add about 20,000 tokens to every request?"
    );
    // It is written on, so that the next letters are no orders.
    assert!(orders_of(&desk.types("ns")).is_empty());
    let target = ComposeTarget::Notes(vec![MysisId(1)]);
    let long = format!("{long}s");
    assert_eq!(desk.board.writing.draft(&target), long);
    desk.key(KeyCode::Enter);
    let given = orders_of(&desk.types("y"));
    let [(_, Order::ForMysis { order, .. })] = &given[..] else {
        panic!("{} orders", given.len());
    };
    assert!(matches!(order, MysisOrder::Note(text) if text.len() == long.len()));
    assert_eq!(desk.board.writing.draft(&target), "");
}

#[test]
fn what_is_longer_than_an_order_may_be_is_not_pasted() {
    let mut desk = Desk::new();
    desk.types("mhello");
    let long = "x".repeat(MAX_ORDER_BYTES + 1);
    desk.board.on_input(Input::Event(Event::Paste(long)));
    assert_eq!(desk.composer().field.text(), "hello");
    assert!(
        desk.said().starts_with("nothing was pasted"),
        "{}",
        desk.said()
    );
}

#[test]
fn a_long_note_of_the_palette_is_written_on_in_a_composer() {
    let mut desk = Desk::new();
    desk.types("aearlier");
    desk.key(KeyCode::Esc);
    desk.types(":note alpha ");
    let long = "word ".repeat(12_000);
    desk.board
        .on_input(Input::Event(Event::Paste(long.clone())));
    desk.key(KeyCode::Enter);
    desk.types("n");
    let target = ComposeTarget::Notes(vec![MysisId(1)]);
    assert_eq!(desk.composer().target, target);
    assert_eq!(desk.composer().field.text(), long.trim());
    desk.press(ctrl('_'));
    assert_eq!(desk.composer().field.text(), "earlier");
}

#[test]
fn the_banner_is_hidden_by_a_key_until_its_trouble_is_over() {
    let mut desk = Desk::new();
    let silent = |text: &str| {
        SwarmCondition::Silence(Some(Arc::new(SilenceNotice {
            scope: SilenceScope::Swarm,
            text: text.into(),
        })))
    };
    desk.changes(silent("most calls fail: 4 of 5 Myses"));
    let banner = desk.board.banner_text();
    assert_eq!(banner, "most calls fail: 4 of 5 Myses  [Esc hides this]");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.board.banner_text(), "");
    // Other figures of the same trouble are no news.
    desk.changes(silent("most calls fail: 5 of 5 Myses"));
    assert_eq!(desk.board.banner_text(), "");
    desk.changes(SwarmCondition::Silence(None));
    desk.changes(silent("most calls fail: 3 of 5 Myses"));
    assert!(desk.board.banner_text().starts_with("most calls fail: 3"));
}

/// A Mysis of these totals that repeats a loop.
fn looping(id: i64, name: &str, totals: Totals) -> MysisStatus {
    MysisStatus {
        circle: Some(Arc::new(CircleOffer {
            name: "ore_round".into(),
            earned: 700,
            rounds: 3,
            calls: 30,
            steps: "mine, sell".into(),
        })),
        totals,
        ..MysisStatus::clone(&status(id, name, LifeState::Running))
    }
}

#[test]
fn a_paying_loop_is_taken_by_one_key_and_those_of_all_after_a_question() {
    let paid = Totals {
        tokens_in: 900_000,
        tokens_out: 100_000,
        cost_micros: 2_000_000,
        ..Totals::default()
    };
    let members = [
        looping(1, "alpha", paid),
        looping(2, "beta", Totals::default()),
        MysisStatus {
            // Who does not run repeats nothing.
            state: LifeState::Stopped,
            ..looping(3, "gamma", paid)
        },
    ];
    let mut desk = Desk::with(members.map(Arc::new).to_vec());
    let spending = BudgetStatus {
        swarm: BudgetUse {
            calls: 10,
            input: 9_000,
            output: 1_000,
            ..BudgetUse::default()
        },
        ..BudgetStatus::default()
    };
    desk.changes(SwarmCondition::Budget(Arc::new(spending)));
    desk.board.prepare_frame();
    assert_eq!(
        loops_line(&desk.board.facts, desk.board.table.selected()).text(),
        " 2 of 3 repeat a paying loop; w takes it for this one, W for all"
    );
    let start = MysisOrder::StartRoutine(r#"{"name":"ore_round"}"#.into());
    let given = orders_of(&desk.types("w"));
    assert_eq!(given.len(), 1);
    assert_eq!(given[0].1, start.clone().for_mysis("alpha".to_string()));
    assert!(desk.types("W").is_empty(), "it asks");
    let asked = desk.question().lines.join(" ");
    for part in [
        "Let 2 Myses repeat their loops",
        "earned 1,400 credits",
        "400 model calls, about $0.40 and 200k tokens",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    let whom = ["alpha", "beta"].map(|name| start.clone().for_mysis(name.to_string()));
    let given = |desk: &mut Desk| -> Vec<Order> {
        let given = orders_of(&desk.types("y")).into_iter();
        given.map(|(_, order)| order).collect()
    };
    assert_eq!(given(&mut desk), whom);
    desk.types(":take all");
    desk.key(KeyCode::Enter);
    assert_eq!(given(&mut desk), whom);
    desk.types(":take gamma");
    desk.key(KeyCode::Enter);
    assert!(desk.board.overlays().is_empty(), "gamma repeats none");
}

#[test]
fn without_a_loop_the_keys_say_so_or_show_the_routine() {
    let mut desk = Desk::new();
    desk.board.prepare_frame();
    assert!(desk.types("W").is_empty());
    assert!(desk.board.overlays().is_empty(), "nothing is asked");
    let given = orders_of(&desk.types("w"));
    let show = MysisOrder::EditRoutine("{}".into());
    assert_eq!(given[0].1, show.for_mysis("alpha".to_string()));
}

/// A request with an order, a call and its result, and what others may write into any of them.
fn request_with_a_result(change: Option<RequestChange>) -> CompletedOrder {
    let body = r#"{"model":"m","messages":[{"role":"system","content":"be good"},
        {"role":"user","content":"\u001b[31msell\u202e it"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"sell","arguments":"{\"item_id\":\"iron\",\"quantity\":4}"}}]},
        {"role":"tool","tool_call_id":"c1","content":"{\"item_id\":\"iron\",\"quantity_sold\":4,\"total_earned\":40}"}]}"#;
    CompletedOrder::Request(Box::new(SentRequest {
        at: Timestamp(999_000),
        provider: "local".into(),
        body: body.into(),
        parts: RequestByteCounts::default(),
        change,
    }))
}

#[test]
fn a_request_is_told_in_words_with_its_difference_and_raw_by_one_key() {
    let mut desk = Desk::with(vec![Arc::new(MysisStatus {
        game: Some(GameRef::SpaceMolt),
        ..MysisStatus::clone(&status(1, "alpha", LifeState::Running))
    })]);
    let id = |effects: &[UiEffect]| match effects {
        [UiEffect::Order { id, .. }] => *id,
        other => panic!("{other:?}"),
    };
    let lines = |desk: &Desk| {
        let inspector = desk.board.view::<Inspector>().expect("a request");
        let lines = inspector.visible().map(|(line, _)| line.text());
        let words = lines.collect::<Vec<_>>().join(" ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let given = id(&desk.types("x"));
    let sum = |count| MessageSum {
        count,
        tokens: 900 * count,
    };
    let change = RequestChange {
        messages: vec![
            MessageChange::Kept,
            MessageChange::Changed,
            MessageChange::Added,
            MessageChange::Added,
        ],
        added: sum(2),
        changed: sum(1),
        dropped: sum(3),
        tools: Some("1 tool changed (\u{1b}[31mse\u{202e}ll)".into()),
    };
    desk.answers(given, Ok(request_with_a_result(Some(change))));
    desk.board.prepare_frame();
    let text = lines(&desk);
    for part in [
        "2 messages added (about 1,800 tokens), 1 message changed (about 900 tokens), 3 messages dropped",
        "1 tool changed (sell)",
        "1 system",
        "~2 order",
        "sell it",
        "+3 its words",
        "sell item_id=iron quantity=4",
        "+4 result",
        "sell: sold 4 iron",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    desk.types("v");
    let raw = lines(&desk);
    assert!(raw.contains(r#""quantity_sold\":4"#), "{raw}");
    assert!(!raw.contains("sold 4 iron"), "{raw}");
    desk.types("v");
    assert_eq!(lines(&desk), text);
    desk.key(KeyCode::Esc);
    let given = id(&desk.types("x"));
    desk.answers(given, Ok(request_with_a_result(None)));
    desk.board.prepare_frame();
    assert!(lines(&desk).contains("nothing to compare"));
}

#[test]
fn the_help_has_columns_and_begins_with_what_this_screen_can_do() {
    let titles = |desk: &Desk| {
        let help = desk.board.help();
        help.iter().map(|chapter| chapter.title).collect::<Vec<_>>()
    };
    let mut desk = Desk::new();
    desk.types("?");
    assert_eq!(titles(&desk)[..2], ["The table of Myses", "The signs"]);
    // More columns show more of it at once.
    let shows = |desk: &Desk, size: (u16, u16), text: &str| {
        let mut board = desk.board.clone();
        board.on_input(Input::Event(Event::Resize(size.0, size.1)));
        board.prepare_frame();
        let buffer = crate::view::paint(&board, crate::theme::Depth::True).buffer;
        let cells = buffer.content().iter().map(|cell| cell.symbol());
        cells.collect::<String>().contains(text)
    };
    assert!(shows(&desk, (80, 24), "open the conversation"));
    assert!(shows(&desk, (80, 40), "running, idle, stopped, errored"));
    let last_of_global = "redraw the screen";
    assert!(!shows(&desk, (80, 60), last_of_global));
    assert!(shows(&desk, (120, 60), last_of_global));
    assert!(shows(&desk, (200, 60), "to the next error"));
    desk.key(KeyCode::Esc);
    desk.types("$?");
    assert_eq!(titles(&desk)[0], "The books");
    assert_eq!(
        titles(&desk)
            .iter()
            .filter(|title| **title == "The books")
            .count(),
        1
    );
}

#[test]
fn words_of_others_in_loops_and_routines_are_drawn_clean_at_every_size() {
    let evil = format!(
        "\u{1b}[2J\u{202e}<b>&\n{}👩\u{200d}👩\u{200d}👧漢{}",
        "a".repeat(10_000),
        "漢".repeat(500)
    );
    let offer = CircleOffer {
        name: "ore_round".into(),
        earned: i64::MAX,
        rounds: 0,
        calls: u32::MAX,
        steps: evil.as_str().into(),
    };
    let routine = RoutineStatus {
        name: "mine".into(),
        source: RunSource::Operator,
        round: u32::MAX,
        rounds: 1,
        step: evil.as_str().into(),
        calls: u32::MAX,
        earned: i64::MIN,
        earned_an_hour: Some(i64::MIN),
    };
    let runs = |id, name| MysisStatus::clone(&status(id, name, LifeState::Running));
    let mut desk = Desk::with(vec![
        Arc::new(MysisStatus {
            circle: Some(Arc::new(offer)),
            ..runs(1, "alpha")
        }),
        Arc::new(MysisStatus {
            routine: Some(Arc::new(routine)),
            saved_calls: Some(u64::MAX),
            ..runs(
                2,
                "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
            )
        }),
    ]);
    desk.types("W");
    for size in [(20, 5), (40, 10), (60, 15), (80, 24), (120, 40), (200, 60)] {
        for keys in ["", "nj", "k"] {
            desk.types(keys);
            desk.board
                .on_input(Input::Event(Event::Resize(size.0, size.1)));
            desk.board.prepare_frame();
            let buffer = crate::view::paint(&desk.board, crate::theme::Depth::True).buffer;
            let cells = buffer.content().iter().map(|cell| cell.symbol());
            let drawn: String = cells.collect();
            assert!(!drawn.contains(['\u{1b}', '\u{202e}', '\n']), "{size:?}");
        }
    }
}
