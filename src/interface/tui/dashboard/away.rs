//! What happened while the operator was away: one paragraph after an attachment or the first key of a morning.

use actors::domain::ids::Timestamp;
use actors::domain::screen::{AwaySummary, UiEffect};
use zoea_text::clean::one_line;

use super::facts::Facts;
use super::outbox::Outbox;
use super::table::keys::{TABLE_KEYS, TableAction};
use super::text::figures;
use super::views::OPENING_KEYS;

/// From so long without a key on the operator is told what happened.
const AWAY_MS: u64 = 30 * 60 * 1000;

/// What happened while the operator was away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Away {
    /// The last key before the absence that was asked about last.
    asked: Option<Timestamp>,
    /// When the operator left and came back, and what happened. Hidden, it is gone.
    answered: Option<(Timestamp, Timestamp, AwaySummary)>,
}

impl Away {
    /// Asks what happened, if the operator was away for long. `active`: when a key was pressed last before.
    pub(super) fn ask(&mut self, facts: &Facts, active: Option<Timestamp>, outbox: &mut Outbox) {
        let was_away = |active: &Timestamp| facts.now.since(*active) >= AWAY_MS;
        let Some(active) = active.filter(was_away) else {
            return;
        };
        if self.asked != Some(active) {
            self.asked = Some(active);
            outbox.effects.push(UiEffect::SumUp(active));
        }
    }

    /// Takes what happened since a time.
    pub(super) fn take(&mut self, since: Timestamp, summary: AwaySummary, now: Timestamp) {
        if self.asked == Some(since) && summary != AwaySummary::default() {
            self.answered = Some((since, now, summary));
        }
    }

    /// The paragraph, with the key that leads to each part, and the one that hides it; empty where there is none.
    pub(super) fn text(&self, facts: &Facts, back_key: &str) -> String {
        let Some((left, back, summary)) = &self.answered else {
            return String::new();
        };
        let opens = |view| facts.keymap.key_named(&OPENING_KEYS, view);
        let (books, log) = (opens("books"), opens("log"));
        let needs = match facts.need_count() {
            0 => String::new(),
            1 => "1 needs you now".to_string(),
            needs => format!("{needs} need you now"),
        };
        let need_key = facts.keymap.key_of(TABLE_KEYS, TableAction::NextNeed);
        let parts = [
            (&*summary.gains, &books),
            (&*summary.held_up, &log),
            (&*summary.outages, &log),
            (&*needs, &need_key),
        ];
        let parts = parts.into_iter().filter(|(text, _)| !text.is_empty());
        let parts: Vec<String> = parts
            .map(|(text, key)| format!("{} [{key}]", one_line(text)))
            .collect();
        format!(
            "While you were away ({}): {}  [{back_key} hides this]",
            figures::span(back.since(*left)),
            parts.join("; "),
        )
    }

    /// Hides the paragraph. Returns whether there was one.
    pub(super) fn hide(&mut self) -> bool {
        self.answered.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use actors::domain::ids::Now;
    use actors::domain::state::LifeState;

    use super::*;
    use crate::dashboard::tests::{Desk, status};

    fn asked(effects: &[UiEffect]) -> Vec<Timestamp> {
        let asked = effects.iter().filter_map(|effect| {
            if let UiEffect::SumUp(since) = effect {
                return Some(*since);
            }
            None
        });
        asked.collect()
    }

    fn summary() -> AwaySummary {
        AwaySummary {
            gains: "1,200 credits earned for $0.40, 30 calls saved".to_string(),
            held_up: "alpha stuck for 2 h 10 min".to_string(),
            outages: String::new(),
        }
    }

    #[test]
    fn the_first_key_after_a_long_pause_tells_what_happened_once() {
        let mut desk = Desk::with(vec![status(1, "alpha", LifeState::Running)]);
        assert_eq!(
            asked(&desk.key(KeyCode::Down)),
            [],
            "the operator has pressed no key before"
        );
        let left = desk.board.facts.now;
        let later = |ms: i64| Now::from_timestamp(Timestamp(left.0 + ms));
        desk.board.tick(later(29 * 60_000));
        assert_eq!(asked(&desk.key(KeyCode::Down)), [], "a coffee");
        let left = desk.board.facts.now;
        desk.board.tick(later(10 * 3_600_000));
        assert_eq!(asked(&desk.key(KeyCode::Down)), [left]);
        assert_eq!(asked(&desk.key(KeyCode::Down)), []);
        desk.board.on_summed_up(Timestamp(1), summary());
        assert_eq!(desk.board.banner_text(), "", "of another time");
        desk.board.on_summed_up(left, AwaySummary::default());
        assert_eq!(desk.board.banner_text(), "", "nothing happened");
        desk.board.on_summed_up(left, summary());
        let text = desk.board.banner_text();
        assert!(
            text.starts_with("While you were away (9h): 1,200 credits earned"),
            "{text}"
        );
        assert!(
            text.contains("30 calls saved [$]; alpha stuck for 2 h 10 min [L]"),
            "{text}"
        );
        desk.key(KeyCode::Esc);
        assert_eq!(desk.board.banner_text(), "");
    }

    #[test]
    fn words_of_others_are_one_clean_line() {
        let mut desk = Desk::with(vec![status(1, "alpha", LifeState::Running)]);
        desk.key(KeyCode::Down);
        let left = desk.board.facts.now;
        desk.board
            .tick(Now::from_timestamp(Timestamp(left.0 + 3_600_000)));
        desk.key(KeyCode::Down);
        let evil = AwaySummary {
            held_up: "\u{1b}[2Jm1\u{202e} stuck\nfor ever".to_string(),
            ..AwaySummary::default()
        };
        desk.board.on_summed_up(left, evil);
        let text = desk.board.banner_text();
        assert!(text.contains(": m1 stuck for ever [L]"), "{text:?}");
    }
}
