//! The search across the swarm on the screen: from the text to the row, and back.

use actors::domain::ids::Timestamp;
use zoea_scenes::swarm::{START, Swarm};

use crate::operator::Operator;
use crate::snapshots::{check_at, normal};

const SIZES: [(u16, u16); 3] = [(60, 15), (80, 24), (120, 40)];

/// Two of many rows have a word that stands nowhere else.
fn telling() -> Swarm {
    let mut swarm = normal();
    let ids = swarm.ids();
    let now = Timestamp(START.0 + 3_000_000);
    let long = "x".repeat(300);
    for (place, text) in [
        (1, "The wormhole is west of Sol."),
        (4, &*format!("{long} beyond a WORMHOLE {long}")),
    ] {
        for _ in 0..30 {
            drop(swarm.step(ids[place], now));
        }
        drop(swarm.says(ids[place], text, now));
        for _ in 0..300 {
            drop(swarm.step(ids[place], now));
        }
    }
    swarm
}

#[test]
fn places_of_a_text() {
    check_at("search-text", SIZES, telling, |operator| {
        operator.keys("Swormhole");
    });
    check_at("search", SIZES, telling, |operator| {
        operator.keys("Swormhole<enter>");
    });
    check_at("search-many", SIZES, telling, |operator| {
        operator.keys(":search ore<enter>j");
    });
    check_at("search-nothing", SIZES, telling, |operator| {
        operator.keys("Sno such words<enter>");
    });
    check_at("search-row", SIZES, telling, |operator| {
        operator.keys("Swormhole<enter><enter>");
    });
}

#[test]
fn a_place_opens_at_its_row_and_esc_goes_back_to_the_list_as_it_was() {
    for size in [(40, 10), (60, 15), (120, 40)] {
        let mut operator = Operator::at(telling(), size);
        operator.keys("Swormhole<enter>j");
        // The line of messages tells later how many places there are.
        let page = |operator: &Operator| {
            let rows = operator.board.layout().page();
            let text = operator.text();
            let lines = text.lines().skip(usize::from(rows.y));
            let lines = lines.take(usize::from(rows.height));
            lines.map(str::to_string).collect::<Vec<_>>()
        };
        let list = page(&operator);
        operator.keys("<enter>");
        let focus = operator.board.focus().expect("a conversation");
        let selected = focus.transcript.selected().expect("the row found");
        let row = focus.transcript.pages().row(selected).expect("it was read");
        assert!(row.text().to_lowercase().contains("wormhole"), "{row:?}");
        let shown = focus.transcript.visible_lines();
        assert!(shown.iter().any(|line| line.entry.seq == selected));
        assert!(!focus.transcript.is_following());
        operator.keys("<esc>");
        assert!(operator.board.focus().is_none());
        assert_eq!(page(&operator), list);
        operator.keys("<esc>");
        assert!(operator.board.overlays().is_empty());
    }
}

#[test]
fn esc_leads_back_to_the_conversation_that_was_open_before() {
    let mut operator = Operator::at(telling(), (120, 40));
    operator.keys("<enter>");
    let before = operator.board.focus().expect("a conversation").mysis();
    operator.keys("Swormhole<enter><enter>");
    let found = operator.board.focus().expect("a conversation").mysis();
    assert_ne!(found, before);
    operator.keys("<esc><esc>");
    let focus = operator.board.focus().expect("a conversation").mysis();
    assert_eq!(focus, before);
    assert!(operator.board.overlays().is_empty());
}

#[test]
fn a_conversation_that_is_deleted_leads_back_to_the_list() {
    let mut operator = Operator::at(telling(), (120, 40));
    operator.keys("Swormhole<enter><enter>d1<enter>");
    assert!(operator.board.focus().is_none());
    assert!(operator.text().contains(" SEARCH "), "{}", operator.text());
    assert!(operator.text().contains("(deleted)"), "{}", operator.text());
    operator.keys("<enter>");
    assert!(operator.board.focus().is_none());
    assert!(
        operator
            .text()
            .contains("the Mysis was deleted with its conversation")
    );
}

#[test]
fn another_text_takes_the_place_of_the_first_one() {
    let mut operator = Operator::at(telling(), (120, 40));
    operator.keys("Swormhole<enter>/");
    assert!(
        operator.text().contains("SEARCH ALL wormhole"),
        "{}",
        operator.text()
    );
    operator.keys("s of doom<enter>");
    assert!(operator.text().contains("No matches."));
    assert_eq!(operator.board.overlays().len(), 1);
    operator.keys("S<esc>");
    assert_eq!(operator.board.overlays().len(), 1, "the line alone goes");
    operator.keys("<esc>S <enter>");
    assert!(operator.board.overlays().is_empty(), "blanks are no text");
}

#[test]
fn results_are_found_in_words_and_shown_raw_by_one_key() {
    let mut operator = Operator::at(telling(), (120, 40));
    operator.keys("Sitem_id<enter>");
    let words = operator.text();
    assert!(words.contains(" SEARCH  item_id"), "{words}");
    operator.keys("v");
    let raw = operator.text();
    assert_ne!(words, raw);
    assert!(raw.contains("\"item_id\":"), "{raw}");
    operator.keys("v");
    assert_eq!(operator.text(), words);
}
