//! Tests of the log and of its view, through the dashboard.

use actors::domain::event::MysisRef;
use actors::domain::event_record::{
    EventRecord, EventRecordKind, MESSAGE_CODE, OFFER_CODE, OrderSource,
};
use actors::domain::ids::{Now, TurnNumber};
use actors::domain::message::{RowBody, Severity, Utterance};
use actors::domain::reading::EventQuery;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery, UiEffect};
use crossterm::event::KeyCode;

use super::list::LogView;
use super::*;
use crate::dashboard::tests::Desk;

fn record(id: i64, who: &str, text: &str) -> EventRecord {
    let mysis = MysisRef {
        id: MysisId(id % 3 + 1),
        name: who.into(),
    };
    EventRecord {
        id: EventId(id),
        at: Timestamp(id * 1000),
        kind: EventRecordKind::Notice,
        mysis: Some(mysis).filter(|_| !who.is_empty()),
        severity: Severity::Info,
        code: "x".into(),
        text: text.into(),
        source: None,
        row: None,
        answered: None,
    }
}

/// A message to alpha in row 7.
fn order(id: i64) -> EventRecord {
    EventRecord {
        kind: EventRecordKind::Order,
        mysis: Some(MysisRef {
            id: MysisId(1),
            name: "alpha".into(),
        }),
        code: MESSAGE_CODE.into(),
        source: Some(OrderSource::Terminal),
        row: Some(Seq(7)),
        ..record(id, "alpha", "a message: mine")
    }
}

fn reply(seq: i64, seen: i64, text: &str) -> Row {
    Row {
        seq: Seq(seq),
        at: Timestamp(0),
        turn: TurnNumber(1),
        body: RowBody::Reply(Utterance {
            text: text.into(),
            seen_up_to: Seq(seen),
            ..Utterance::default()
        }),
    }
}

pub(crate) fn event(id: i64, who: &str, text: &str) -> LogMessage {
    LogMessage::of(&record(id, who, text))
}

fn texts(log: &MessageLog) -> Vec<&str> {
    let messages = log.messages().iter();
    messages.map(|message| &*message.text).collect()
}

#[test]
fn what_is_stored_stands_where_it_happened_and_only_once() {
    let mut log = MessageLog::default();
    log.add(event(3, "", "both"));
    log.add(event(4, "", "live"));
    log.add_newest(vec![
        event(1, "", "old"),
        event(3, "", "both"),
        event(5, "", "stored"),
    ]);
    log.add(event(5, "", "stored"));
    assert_eq!(texts(&log), ["old", "both", "live", "stored"]);
    assert_eq!(
        log.open_errors().len(),
        0,
        "an error of before does not stay"
    );
    assert!(!log.has_older());
}

#[test]
fn of_several_offers_in_one_line_the_shown_one_says_whose_it_is() {
    let offer = |id: i64, who: &str, text: &str| {
        let record = EventRecord {
            code: OFFER_CODE.into(),
            ..record(id, who, text)
        };
        Arc::new(LogMessage::of(&record))
    };
    let shown = |texts: [&str; 3]| {
        let names = ["alpha", "beta", "ceres"];
        let offers = std::iter::zip(1.., std::iter::zip(names, texts));
        let offers: Vec<_> = offers
            .map(|(id, (who, text))| offer(id, who, text))
            .collect();
        super::rows::lately_row(
            &offers,
            crate::dashboard::text::figures::UtcOffset::default(),
            "",
            120,
        )
        .text()
    };
    let differ = shown(["loop, 3 credits", "loop, 5 credits", "loop, 3 credits"]);
    assert!(
        differ.contains("alpha, beta and 1 more alpha: loop, 3 credits"),
        "{differ}"
    );
    let alike = shown(["loop"; 3]);
    assert!(alike.contains("alpha, beta and 1 more loop"), "{alike}");
}

#[test]
fn a_message_is_followed_until_it_is_answered_here_and_from_the_store() {
    let mut log = MessageLog::default();
    log.add(LogMessage::of(&order(1)));
    let receipt = |log: &MessageLog| log.messages()[0].receipt();
    assert_eq!(receipt(&log), "stored");
    for row in [reply(8, 6, "something else"), reply(9, 8, " ")] {
        log.on_row_stored(MysisId(1), &row);
    }
    log.on_row_stored(MysisId(2), &reply(9, 8, "not me"));
    assert_eq!(receipt(&log), "stored");
    assert!(log.is_answered_by(MysisId(1), &reply(10, 9, "done")));
    log.on_row_stored(MysisId(1), &reply(10, 9, "done"));
    log.on_row_stored(MysisId(1), &reply(12, 11, "done again"));
    assert_eq!(receipt(&log), "stored · answered");
    assert!(!log.is_answered_by(MysisId(1), &reply(12, 11, "done again")));
    // Another terminal, which opened after the answer and before the store was read.
    let mut late = MessageLog::default();
    late.add(LogMessage::of(&order(1)));
    let answered = EventRecord {
        answered: Some(Seq(10)),
        ..order(1)
    };
    late.add_newest(vec![LogMessage::of(&answered)]);
    assert_eq!(late.messages(), log.messages());
}

#[test]
fn errors_stay_until_they_are_dismissed_and_own_ones_a_minute() {
    let mut log = MessageLog::default();
    let later = |seconds: u64| Moment::default().plus(Duration::from_secs(seconds));
    let own = |text| LogMessage::own(Timestamp(0), Tone::Fault, "refused", text);
    log.raise_error(
        Timestamp(0),
        "reload_failed",
        "disk\nfull",
        Moment::default(),
    );
    log.add_own(own("no"), Moment::default());
    log.raise_error(
        Timestamp(0),
        "reload_failed",
        "disk full",
        Moment::default(),
    );
    assert_eq!(log.open_errors().len(), 2);
    assert!(!log.has_old_error(later(59)));
    assert!(log.has_old_error(later(60)));
    log.drop_old_errors(later(60));
    assert_eq!(log.open_errors().len(), 1);
    assert!(log.dismiss());
    assert!(!log.dismiss());
    log.add_own(own("no"), Moment::default());
    assert!(log.dismiss());
    assert_eq!(log.own_messages().len(), 2);
}

#[test]
fn an_error_goes_when_what_it_was_about_works_again() {
    let mut log = MessageLog::default();
    let mut raise = |code, text| log.raise_error(Timestamp(0), code, text, Moment::default());
    raise(
        "out_of_service",
        "provider local serves no requests: HTTP 402",
    );
    raise(
        "out_of_service",
        "provider local2 serves no requests: HTTP 402",
    );
    raise("reload_failed", "the configuration is unchanged: no");
    raise("limits_lapsed", "cannot be renewed");
    let open = |log: &MessageLog| log.open_errors().len();
    log.end_errors("circuit_open", "provider local is down");
    log.end_errors("game_back", "the game server works again and is used again");
    assert_eq!(open(&log), 4, "none of them is over");
    log.end_errors(
        "circuit_closed",
        "provider local works again and is used again",
    );
    log.end_errors("reloaded", "reloaded: nothing changed");
    log.end_errors("limits_renewed", "the limits are shared again");
    let left: Vec<&str> = log.open_errors().map(|message| &*message.text).collect();
    assert_eq!(left, ["provider local2 serves no requests: HTTP 402"]);
    let own = LogMessage::own(Timestamp(0), Tone::Fault, "refused", "no");
    log.add_own(own, Moment::default());
    log.end_own_errors();
    assert_eq!(open(&log), 1);
}

#[test]
fn older_events_are_kept_while_somebody_looks_at_them() {
    let mut log = MessageLog::default();
    let page = |from: i64| (from..from + 500).map(|id| event(id, "", "x")).collect();
    log.add_newest(page(9_501));
    assert!(log.has_older());
    log.keep_older(true);
    for from in (0..19).rev() {
        log.add_older(page(from * 500 + 1));
    }
    assert_eq!(log.messages().len(), MAX_EVENTS);
    assert!(!log.has_older(), "no more are kept anywhere");
    log.keep_older(false);
    assert_eq!(log.messages().len(), MAX_MESSAGES);
    assert!(log.has_older());
    assert_eq!(log.oldest(), Some(EventId(8_001)));
    // A page without news, as after a change of the clock, does not ask for itself for ever.
    log.add_older(page(9_001));
    assert!(!log.has_older());
}

fn log_of(desk: &mut Desk) -> &LogView {
    desk.board.view::<LogView>().expect("the log is open")
}

fn in_hand(desk: &mut Desk) -> String {
    let event = log_of(desk).event_in_hand();
    event
        .map(|event| event.text.to_string())
        .unwrap_or_default()
}

/// The queries for older events among these effects.
fn asked(effects: &[UiEffect]) -> Vec<(ReadId, EventQuery)> {
    let asked = effects.iter().filter_map(|effect| {
        if let UiEffect::Read {
            id,
            query: StoreQuery::Events(query),
        } = effect
        {
            return Some((*id, *query));
        }
        None
    });
    asked.collect()
}

fn page(from: i64) -> Vec<EventRecord> {
    let ids = from..from + 500;
    ids.map(|id| record(id, "alpha", &format!("event {id}")))
        .collect()
}

#[test]
fn the_top_of_the_log_asks_for_older_events_once_and_stays_where_it_is() {
    let mut desk = Desk::new();
    desk.board.on_past_events(Ok(page(1_001)));
    assert_eq!(asked(&desk.types("L")), []);
    assert_eq!(in_hand(&mut desk), "event 1500");
    let asked_now = asked(&desk.key(KeyCode::Home));
    let [(id, query)] = asked_now[..] else {
        panic!("one page is asked for: {asked_now:?}");
    };
    assert_eq!(
        (query.before, query.limit),
        (Some(EventId(1_001)), EVENT_PAGE)
    );
    assert_eq!(in_hand(&mut desk), "event 1001");
    assert_eq!(asked(&desk.key(KeyCode::Up)), [], "it is being read");
    desk.board
        .on_read(ReadId(id.0 + 77), Ok(StoreAnswer::Events(page(1))));
    assert_eq!(desk.board.facts.log.oldest(), Some(EventId(1_001)));
    desk.board.on_read(id, Ok(StoreAnswer::Events(page(501))));
    desk.board.prepare_frame();
    assert_eq!(in_hand(&mut desk), "event 1001");
    desk.key(KeyCode::Up);
    assert_eq!(in_hand(&mut desk), "event 1000");
    let again = asked(&desk.key(KeyCode::Home));
    let short = page(1).split_off(400);
    desk.board
        .on_read(again[0].0, Ok(StoreAnswer::Events(short)));
    desk.board.prepare_frame();
    assert_eq!(
        asked(&desk.key(KeyCode::Home)),
        [],
        "there are no older ones"
    );
    assert_eq!(in_hand(&mut desk), "event 401");
}

#[test]
fn a_store_that_cannot_be_read_is_told_and_asked_again_by_a_key() {
    let mut desk = Desk::new();
    desk.board.on_past_events(Ok(page(1_001)));
    desk.types("L");
    let (id, _) = asked(&desk.key(KeyCode::Home))[0];
    desk.board.on_read(id, Err("disk gone".to_string()));
    desk.board.prepare_frame();
    assert_eq!(asked(&desk.board.take_effects()), []);
    assert_eq!(log_of(&mut desk).complaint.as_deref(), Some("disk gone"));
    assert_eq!(asked(&desk.key(KeyCode::Up)).len(), 1);
}

#[test]
fn a_search_goes_back_from_the_line_in_hand_and_on_into_the_store() {
    let mut desk = Desk::new();
    desk.board.on_past_events(Ok(page(1_001)));
    desk.types("L/event 130");
    desk.key(KeyCode::Enter);
    assert_eq!(in_hand(&mut desk), "event 1309");
    desk.types("N");
    assert_eq!(in_hand(&mut desk), "event 1308");
    desk.types("n");
    assert_eq!(in_hand(&mut desk), "event 1309");
    assert_eq!(log_of(&mut desk).matches(), (10, 10));
    desk.key(KeyCode::Esc);
    desk.types("/event 77");
    let reading = asked(&desk.key(KeyCode::Enter));
    assert_eq!(reading.len(), 1, "none of these is in memory");
    desk.board
        .on_read(reading[0].0, Ok(StoreAnswer::Events(page(501))));
    desk.board.prepare_frame();
    assert_eq!(in_hand(&mut desk), "event 779");
}

#[test]
fn the_line_in_hand_stays_while_events_come_and_the_newest_is_followed() {
    let mut desk = Desk::new();
    for id in 1..=100 {
        desk.board
            .on_recorded(&record(id, "alpha", &format!("event {id}")));
    }
    desk.types("Lkk");
    assert_eq!(in_hand(&mut desk), "event 98");
    let before = log_of(&mut desk).window();
    desk.board.on_recorded(&record(101, "bravo", "event 101"));
    desk.board.prepare_frame();
    assert_eq!(in_hand(&mut desk), "event 98");
    assert_eq!(log_of(&mut desk).window().top, before.top);
    desk.key(KeyCode::End);
    desk.board.on_recorded(&record(102, "bravo", "event 102"));
    desk.board.prepare_frame();
    assert_eq!(in_hand(&mut desk), "event 102");
    let window = log_of(&mut desk).window();
    assert_eq!(window.end, log_of(&mut desk).lines().len());
}

#[test]
fn folds_open_and_close_and_one_mysis_is_shown_alone() {
    let mut desk = Desk::new();
    for (id, who) in (1..).zip(["alpha", "bravo", "ceres"]) {
        desk.board.on_recorded(&record(id, who, "the game is down"));
    }
    desk.types("L");
    let lines = |desk: &mut Desk| log_of(desk).lines().len();
    assert_eq!(lines(&mut desk), 1);
    desk.types(" ");
    assert_eq!(lines(&mut desk), 3);
    desk.types("ko");
    assert_eq!(lines(&mut desk), 1);
    assert_eq!(
        log_of(&mut desk).event_in_hand().map(|event| &*event.who),
        Some("bravo")
    );
    desk.types("o ");
    assert_eq!(lines(&mut desk), 1);
    desk.types("z");
    assert_eq!(lines(&mut desk), 3);
    desk.types("zff");
    assert_eq!(lines(&mut desk), 0, "none of them is an error");
    desk.types("ffff");
    assert_eq!(log_of(&mut desk).rules.filter, lines::LogFilter::Own);
    assert_eq!(lines(&mut desk), 0);
    desk.types("y");
    assert_eq!(
        lines(&mut desk),
        0,
        "nothing is in hand that could be copied"
    );
    desk.types("n");
    assert_eq!(in_hand(&mut desk), "no search is active; / begins one");
    desk.types("f");
    assert_eq!(lines(&mut desk), 1, "everything is shown again");
}

#[test]
fn each_notice_of_this_terminal_is_taken_in_hand_and_shown_whole() {
    let mut desk = Desk::new();
    for text in ["first", "second", "third"] {
        desk.board.facts.notify(Tone::Hint, "said", text);
    }
    desk.types("Lffffff");
    assert_eq!(log_of(&mut desk).rules.filter, lines::LogFilter::Own);
    assert_eq!(in_hand(&mut desk), "third");
    desk.types("k");
    assert_eq!(in_hand(&mut desk), "second");
    desk.key(KeyCode::Enter);
    let whole = log_of(&mut desk).whole.as_ref().map(|whole| whole.text());
    assert_eq!(whole, Some("second"));
}

#[test]
fn a_conversation_of_the_log_opens_over_the_view_below_and_leads_back_to_it() {
    let mut desk = Desk::new();
    desk.board
        .on_recorded(&record(3, "alpha", "the game is down"));
    desk.types("$L");
    assert_eq!(desk.board.overlays().len(), 2);
    desk.key(KeyCode::Enter);
    desk.key(KeyCode::Enter);
    assert!(desk.board.overlays().is_empty());
    let open = desk.board.focus().map(|focus| focus.mysis());
    assert_eq!(open, Some(MysisId(1)));
    desk.key(KeyCode::Esc);
    assert!(desk.board.focus().is_none());
    assert_eq!(desk.board.overlays().len(), 1, "the books");
    assert!(desk.board.view::<LogView>().is_none());
}

#[test]
fn what_comes_after_a_pause_stands_below_a_rule() {
    let mut desk = Desk::new();
    desk.types("j");
    let at = |desk: &mut Desk, minute: i64| {
        desk.board
            .tick(Now::from_timestamp(Timestamp(1_000_000 + minute * 60_000)));
    };
    let text = |desk: &mut Desk, id, minute: i64| {
        let mut event = record(id, "alpha", &format!("event {id}"));
        event.at = Timestamp(1_000_000 + minute * 60_000);
        desk.board.on_recorded(&event);
    };
    text(&mut desk, 1, -1);
    text(&mut desk, 2, 5);
    at(&mut desk, 20);
    desk.types("L");
    let rule = |desk: &mut Desk| {
        let mut lines = log_of(desk).lines().iter();
        lines.position(|line| matches!(line, lines::LogLine::Looked(_)))
    };
    assert_eq!(rule(&mut desk), Some(1));
    desk.types("q");
    text(&mut desk, 3, 21);
    at(&mut desk, 22);
    desk.types("L");
    assert_eq!(rule(&mut desk), Some(2), "the log was looked at");
    desk.types("qL");
    assert_eq!(rule(&mut desk), None);
}

#[test]
fn whole_text_leads_to_the_conversation_at_its_row() {
    let mut desk = Desk::new();
    desk.board.on_recorded(&record(1, "", "the swarm's own"));
    desk.board.on_recorded(&order(2));
    desk.types("L");
    desk.key(KeyCode::Enter);
    let effects = desk.key(KeyCode::Enter);
    assert!(desk.board.overlays().is_empty());
    assert_eq!(
        desk.board.focus().map(|focus| focus.mysis()),
        Some(MysisId(1))
    );
    let asks_for_row = |effect: &UiEffect| {
        matches!(
            effect,
            UiEffect::Read {
                query: StoreQuery::Page(_),
                ..
            }
        )
    };
    assert!(effects.iter().any(asks_for_row), "{effects:?}");
    desk.key(KeyCode::Esc);
    desk.types("Lk");
    desk.key(KeyCode::Enter);
    desk.key(KeyCode::Enter);
    let said = desk
        .board
        .facts
        .log
        .newest_notice()
        .map(|said| said.text.to_string());
    assert!(said.is_some_and(|said| said.contains("no conversation")));
    assert!(log_of(&mut desk).whole.is_some());
}
