//! Conditions of the whole program that the operator is told of for as long as they last.

use std::collections::BTreeMap;
use std::sync::Arc;

use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::ids::Timestamp;
use super::message::Severity;

/// What the text of a store's trouble says of a program that runs. At its end it is left out.
pub const WAITING_FOR_STORE: &str = ", so the Myses wait; zoea retries";

/// A condition of the whole program, the most severe one first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum StandingKind {
    StoreTrouble,
    /// No call ends, although some are waited for.
    NothingMoves,
    LittleRoom,
    /// The configuration names a secret that is not there.
    SecretMissing,
}

impl StandingKind {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    #[must_use]
    pub fn code(self) -> &'static str {
        self.into()
    }

    pub fn of_code(code: &str) -> Option<StandingKind> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            StandingKind::StoreTrouble => Severity::Error,
            StandingKind::NothingMoves | StandingKind::LittleRoom | StandingKind::SecretMissing => {
                Severity::Warn
            }
        }
    }

    #[must_use]
    pub fn end(self) -> (&'static str, &'static str) {
        match self {
            StandingKind::StoreTrouble => ("store_healed", "the store works again"),
            StandingKind::NothingMoves => ("moves_again", "calls end again"),
            StandingKind::LittleRoom => ("room_again", "the disk of the database has room again"),
            StandingKind::SecretMissing => ("secrets_there", "no configured secret is missing"),
        }
    }

    /// Whether its whole text stays at the top of the screen. The others are among the needs.
    #[must_use]
    pub fn is_in_band(self) -> bool {
        match self {
            StandingKind::StoreTrouble | StandingKind::LittleRoom => true,
            StandingKind::NothingMoves | StandingKind::SecretMissing => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingCondition {
    pub since: Timestamp,
    pub text: Arc<str>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandingConditions(BTreeMap<StandingKind, StandingCondition>);

impl StandingConditions {
    /// Those that last, the most severe one first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StandingKind, &StandingCondition)> {
        self.0.iter().map(|(kind, condition)| (*kind, condition))
    }

    /// The condition of this kind, if it lasts.
    pub fn get(&self, kind: StandingKind) -> Option<&StandingCondition> {
        self.0.get(&kind)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Takes what is known of a kind now: its text, or `None` if it is over. A condition that goes on keeps
    /// its time.
    pub fn set(&mut self, kind: StandingKind, at: Timestamp, text: Option<Arc<str>>) {
        match text {
            Some(text) => {
                let condition = StandingCondition { since: at, text };
                let known = self.0.entry(kind).or_insert_with(|| condition.clone());
                known.text = condition.text;
            }
            None => drop(self.0.remove(&kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_keeps_its_time_while_its_text_changes_and_the_severe_one_is_first() {
        let mut standing = StandingConditions::default();
        let text = |text: &str| Some(text.into());
        standing.set(StandingKind::LittleRoom, Timestamp(1), text("40 MB"));
        standing.set(StandingKind::LittleRoom, Timestamp(2), text("30 MB"));
        standing.set(StandingKind::StoreTrouble, Timestamp(3), text("full"));
        let listed: Vec<_> = standing
            .iter()
            .map(|(kind, of)| (kind.code(), of.since.0, &*of.text))
            .collect();
        assert_eq!(
            listed,
            [("store_trouble", 3, "full"), ("little_room", 1, "30 MB")]
        );
        standing.set(StandingKind::StoreTrouble, Timestamp(4), None);
        assert_eq!(standing.count(), 1);
    }

    #[test]
    fn a_kind_is_known_by_its_code() {
        for kind in StandingKind::ALL {
            assert_eq!(StandingKind::of_code(kind.code()), Some(kind));
            assert_eq!(StandingKind::of_code(kind.end().0), None);
        }
    }
}
