//! What lasts and concerns the whole program stays on the screen until it is over (rows S1, S2 and H1).

use std::sync::Arc;

use actors::domain::event::{EventKind, SwarmCondition, SwarmEvent};
use actors::domain::ids::Timestamp;
use actors::domain::standing::{StandingConditions, StandingKind};
use ratatui::layout::Rect;
use zoea_scenes::swarm::START;

use crate::operator::Operator;
use crate::snapshots::{check_at, normal, troubled};

const SIZES: [(u16, u16); 3] = [(60, 15), (80, 24), (120, 40)];
const REMOVED: &str = "the store does not accept writes: /home/operator/.zoea/zoea.db was removed while it was \
    in use; what was in it is in /home/operator/.zoea/zoea.db.rescued; quit, then `zoea --home \
    /home/operator/.zoea db restore /home/operator/.zoea/zoea.db.rescued`; retrying";
const LITTLE: &str = "the disk of /home/operator/.zoea/zoea.db is almost full: 41.9 MB (41,900,000 bytes) are free, \
    which last 4 min at the rate of the last 10 min; free some space, or nothing can be stored when it is full";
const NO_KEY: &str = "providers.openrouter.api_key_env: OPENROUTER_API_KEY is not set, so requests go out \
    without a key; set what is missing and start zoea again";

fn lasts(conditions: &[(StandingKind, &str)]) -> SwarmEvent {
    let mut standing = StandingConditions::default();
    for (kind, text) in conditions {
        let since = Timestamp(START.0 + 3_500_000);
        standing.set(*kind, since, Some((*text).into()));
    }
    SwarmEvent {
        at: START,
        mysis: None,
        what: EventKind::Condition(SwarmCondition::Standing(Arc::new(standing))),
    }
}

/// The letters in an area, without spaces, so that lines may break anywhere.
fn letters(text: &str, area: Rect) -> String {
    let rows = text.lines().skip(usize::from(area.y));
    let rows = rows.take(usize::from(area.height));
    let letters = rows.flat_map(str::chars);
    letters.filter(|letter| !letter.is_whitespace()).collect()
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn why_nothing_is_stored_is_whole_at_every_size_and_no_key_takes_it_away() {
    for size in SIZES {
        let mut operator = Operator::at(troubled(), size);
        let full = "the store does not take writes: the disk is full; retrying";
        operator.receives(&[lasts(&[
            (StandingKind::StoreTrouble, full),
            (StandingKind::LittleRoom, LITTLE),
        ])]);
        let text = operator.text();
        let banner = letters(&text, operator.board.layout().banner);
        for whole in [full, LITTLE] {
            assert!(banner.contains(&without_spaces(whole)), "{size:?}: {text}");
        }
        operator.receives(&[lasts(&[
            (StandingKind::StoreTrouble, REMOVED),
            (StandingKind::SecretMissing, NO_KEY),
        ])]);
        for keys in [
            "",
            "<esc><esc><esc>",
            "?",
            "<esc>:",
            "<esc><enter>",
            "<esc>g",
            "<esc>L",
            "<esc>d",
        ] {
            operator.keys(keys);
            let text = operator.text();
            let banner = letters(&text, operator.board.layout().banner);
            assert!(
                banner.contains(&without_spaces(REMOVED)),
                "{size:?} {keys}: {text}"
            );
        }
        operator.receives(&[lasts(&[])]);
        operator.keys("<esc><esc>");
        let text = operator.text();
        assert!(
            !text.contains("NO WRITES") && !text.contains("takes no writes"),
            "{text}"
        );
        assert_eq!(operator.board.layout().banner.height, 0, "{text}");
    }
}

#[test]
fn trouble_of_the_store() {
    check_at("store-trouble", SIZES, normal, |operator| {
        operator.receives(&[lasts(&[(StandingKind::StoreTrouble, REMOVED)])]);
    });
}

#[test]
fn little_room_is_told_whole_at_every_size() {
    check_at("little-room", SIZES, normal, |operator| {
        operator.receives(&[lasts(&[(StandingKind::LittleRoom, LITTLE)])]);
        let text = operator.text();
        let banner = letters(&text, operator.board.layout().banner);
        assert!(banner.contains(&without_spaces(LITTLE)), "{text}");
    });
}

#[test]
fn a_missing_secret_is_a_need() {
    check_at("missing-secret", SIZES, normal, |operator| {
        operator.receives(&[lasts(&[(StandingKind::SecretMissing, NO_KEY)])]);
        assert!(
            operator.text().contains("1 need you"),
            "{}",
            operator.text()
        );
    });
}
