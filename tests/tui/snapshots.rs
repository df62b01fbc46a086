//! What every view looks like, at three sizes.

use crossterm::event::Event;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{EventKind, LastToolCall, LinkState, SwarmEvent};
use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::domain::progress::{StallKind, Stuck};
use actors::domain::state::LifeState;
use zoea_tui::dashboard::input_event::Input;
use zoea_tui::theme::Depth;
use zoea_tui::view;

use crate::operator::Operator;
use zoea_scenes::swarm::{START, Swarm};

const SIZES: [(u16, u16); 3] = [(80, 20), (120, 40), (200, 60)];

/// Compares what is on the screen, at every size, with what was there before.
fn check(name: &str, swarm: impl Fn() -> Swarm, play: impl Fn(&mut Operator)) {
    check_at(name, SIZES, swarm, play);
}

/// The same at these sizes.
pub(crate) fn check_at(
    name: &str,
    sizes: impl IntoIterator<Item = (u16, u16)>,
    swarm: impl Fn() -> Swarm,
    play: impl Fn(&mut Operator),
) {
    let mut screens = String::new();
    for size in sizes {
        let mut operator = Operator::at(swarm(), size);
        play(&mut operator);
        let (columns, rows) = size;
        writeln!(screens, "== {columns}x{rows}").unwrap();
        screens.push_str(&operator.text());
    }
    insta::assert_snapshot!(name, screens);
}

/// Twelve Myses in all states, with a mission.
pub(crate) fn normal() -> Swarm {
    let mut swarm = Swarm::new(12, 3, 7);
    let now = Timestamp(START.0 + 3_590_000);
    for (place, id) in swarm.ids().into_iter().enumerate() {
        let name = swarm.statuses[&id].name.to_string();
        if place % 5 != 4 {
            drop(swarm.change(&name, LifeState::Running, now));
            for _ in 0..place {
                drop(swarm.step(id, now));
            }
        }
    }
    drop(swarm.change("halcyon", LifeState::Stopped, now));
    drop(swarm.broadcast("Mine iron in Sol and sell it at Sol Central.", now));
    swarm
}

/// Five hundred of them.
fn crowd() -> Swarm {
    let mut swarm = Swarm::new(500, 0, 3);
    let now = Timestamp(START.0 + 3_590_000);
    for (place, id) in swarm.ids().into_iter().enumerate() {
        let name = swarm.statuses[&id].name.to_string();
        match place % 9 {
            0 => drop(swarm.fail(id, "model server: 503 after 4 tries", now)),
            1 | 2 => {}
            _ => {
                drop(swarm.change(&name, LifeState::Running, now));
                drop(swarm.step(id, now));
            }
        }
    }
    swarm
}

/// Whatever can be the matter with one.
pub(crate) fn troubled() -> Swarm {
    let mut swarm = normal();
    let now = Timestamp(START.0 + 3_580_000);
    let ids = swarm.ids();
    let why = "model server: 401 Unauthorized: the key of provider `openrouter` is not valid";
    drop(swarm.fail(ids[3], why, now));
    let cut_off = swarm.statuses.get_mut(&ids[0]).unwrap();
    cut_off.link = LinkState::Down;
    cut_off.link_since = Timestamp(now.0 - 90_000);
    let ways = [
        (5, Some("mine".into()), StallKind::Repeats),
        (6, None, StallKind::OnlyText),
    ];
    for (place, tool, way) in ways {
        swarm.statuses.get_mut(&ids[place]).unwrap().stuck = Some(Stuck {
            since: Timestamp(now.0 - 300_000),
            turns: 5,
            tool,
            way,
        });
    }
    let silent = swarm.statuses.get_mut(&ids[8]).unwrap();
    silent.last_words = "".into();
    silent.last_tool_call = Some(Arc::new(LastToolCall {
        tool: "sell".into(),
        is_error: false,
        gist: "Sold 12 Iron Ore for 36cr.".into(),
    }));
    let idle = swarm.statuses.get_mut(&ids[4]).unwrap();
    idle.reason = Some("no user message after 3 encouragements".into());
    idle.last_activity_at = now;
    swarm
}

/// Names and words that take two columns, or none.
pub(crate) fn wide() -> Swarm {
    let mut swarm = Swarm::new(0, 0, 1);
    let now = Timestamp(START.0 + 3_590_000);
    for name in [
        "世界",
        "Zoë",
        "アルファ-一号機の長い名前",
        "мышь",
        "e\u{301}cho",
    ] {
        let id = swarm.add(name, now);
        for _ in 0..30 {
            drop(swarm.step(id, now));
        }
    }
    let text = "採掘して売る 👩‍🚀🚀: 価格 ＡＢＣ, e\u{301}te\u{301}, \u{202e}turned\u{202c}, \u{1b}[31mred\u{1b}[0m\ttab";
    drop(swarm.broadcast(text, now));
    swarm
}

#[test]
fn an_empty_swarm() {
    check("empty", || Swarm::new(0, 0, 1), |_| {});
}

#[test]
fn a_swarm_in_all_states() {
    check("table", normal, |_| {});
}

#[test]
fn five_hundred_myses() {
    check("crowd", crowd, |operator| {
        operator.keys("<pgdn><pgdn>");
    });
}

#[test]
fn trouble_is_told_below_the_table_and_stays() {
    check("trouble", troubled, |operator| {
        operator.receives(&[SwarmEvent {
            at: Timestamp(START.0),
            mysis: None,
            what: EventKind::Notice {
                severity: Severity::Error,
                code: "reload_failed",
                text: "the configuration is unchanged: the file cannot be read".into(),
            },
        }]);
    });
}

#[test]
fn wide_letters_and_marks_keep_their_columns() {
    check("wide-table", wide, |_| {});
    check("wide-conversation", wide, |operator| {
        operator.keys("<enter>");
    });
}

#[test]
fn marks_filter_and_sorting_are_seen() {
    check("marks", crowd, |operator| {
        operator.keys("/alpha !errored<enter>    ooo");
    });
    check("filter", crowd, |operator| {
        operator.keys("f/~^(alpha|bravo)-1[0-9]$");
    });
    check("filter-hides-all", normal, |operator| {
        operator.keys("/nobody<enter>");
    });
}

#[test]
fn a_conversation() {
    check("conversation", normal, |operator| {
        operator.keys("<enter>");
    });
    check("conversation-scrolled", normal, |operator| {
        operator.keys("<enter>KKKK <up><up>");
    });
    check("conversation-found", normal, |operator| {
        operator.keys("<enter>/iron<enter>N");
    });
    check("conversation-empty", normal, |operator| {
        operator.keys("nnewcomer<enter><enter>");
    });
}

#[test]
fn an_entry_is_looked_into() {
    check("entry", normal, |operator| {
        operator.keys("<enter>/fuel<enter><enter>/iron<enter>");
    });
}

#[test]
fn the_operator_writes() {
    check("message", normal, |operator| {
        operator.keys("mGo to the belt.<alt-enter>Mine until the hold is full.");
    });
    check("broadcast", normal, |operator| {
        let long = "Mine iron in Sol, sell it at Sol Central, and report prices. ".repeat(6);
        operator.keys("b").keys(&long);
    });
    check("message-sent", normal, |operator| {
        operator.keys("mGo to the belt.<enter>");
    });
    check("message-refused", normal, |operator| {
        operator.keys("/halcyon<enter>mGo!<enter>");
    });
}

#[test]
fn forms() {
    check("form-new", normal, |operator| {
        operator.keys("nzed<tab><right>");
    });
    check("form-refused", normal, |operator| {
        operator.keys("nalpha<enter>");
    });
    check("form-configure", normal, |operator| {
        operator.keys("c<tab>");
    });
}

#[test]
fn questions() {
    check("question-delete", normal, |operator| {
        operator.keys("  d");
    });
    check("question-quit", normal, |operator| {
        operator.keys("q");
    });
    check("closing", normal, |operator| {
        operator.keys("qy").waits(Duration::from_secs(3));
    });
}

#[test]
fn lists() {
    check("help", normal, |operator| {
        operator.keys("?");
    });
    check("log", normal, |operator| {
        operator.keys("sjsjr");
        let now = operator.now;
        let id = operator.swarm.ids()[5];
        let text = operator
            .swarm
            .fail(id, "model server: 404 no such model", now);
        operator.receives(&text).keys("L");
    });
    check("request", normal, |operator| {
        operator.keys("x");
    });
}

#[test]
fn the_palette() {
    check("palette", normal, |operator| {
        operator.keys(":");
    });
    check("palette-names", normal, |operator| {
        operator.keys(":stop a<down>");
    });
    check("palette-wrong", normal, |operator| {
        operator.keys(":theme pink<enter>");
    });
}

#[test]
fn graphs() {
    check("graphs-swarm", normal, |operator| {
        operator.keys("g");
    });
    check("graphs-marked", normal, |operator| {
        operator.keys("   g<right>j");
    });
}

#[test]
fn a_terminal_that_is_too_small_says_so_and_keeps_its_state() {
    let mut operator = Operator::at(normal(), (120, 40));
    operator.keys("<enter>K");
    let before = operator.text();
    operator.input(Input::Event(Event::Resize(39, 9)));
    insta::assert_snapshot!("small", operator.text());
    operator.input(Input::Event(Event::Resize(120, 40)));
    assert_eq!(operator.text(), before);
}

/// The colours of every theme, as runs of cells that look alike.
#[test]
fn every_theme() {
    for theme in ["dark", "light", "contrast", "terminal", "none"] {
        let mut operator = Operator::at(troubled(), (80, 20));
        operator.keys(&format!(":theme {theme}<enter> "));
        insta::assert_snapshot!(format!("theme-{theme}"), styles(&operator, Depth::True));
    }
    let operator = Operator::at(troubled(), (80, 20));
    insta::assert_snapshot!("theme-256-colours", styles(&operator, Depth::Indexed));
    let mut operator = Operator::at(wide(), (80, 20));
    operator.keys(":letters ascii<enter><enter>");
    let text = operator.text();
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("letters-ascii", text);
}

fn styles(operator: &Operator, depth: Depth) -> String {
    let buffer = view::paint(&operator.board, depth).buffer;
    let mut text = String::new();
    for row in buffer.content.chunks(usize::from(buffer.area.width)) {
        let mut last = None;
        for cell in row {
            let style = (cell.fg, cell.bg, cell.modifier);
            if last != Some(style) {
                let (ink, ground, modifier) = style;
                write!(text, "\n  {ink} on {ground} {modifier:?}: ").unwrap();
                last = Some(style);
            }
            text.push_str(cell.symbol());
        }
        text.push_str("\n--");
    }
    text
}
