//! `[progress]`: how a Mysis is watched that gets nowhere.

use std::time::Duration;

use super::rule::{Keyword, ProviderName, Time, WholeNumber};
use super::section::Section;

/// How a Mysis is watched that gets nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressSettings {
    /// Whether it is watched at all.
    pub watch: bool,
    /// Turns without a better outcome before it is told so, 2 to 100000; half as many before each
    /// further step.
    pub turns: u32,
    /// How long each step lasts at least.
    pub at_least: Duration,
    /// The provider that is asked in place of its own; none: that one's fallback.
    pub provider: Option<String>,
    /// Whether it is stopped in the end.
    pub park: bool,
}

impl Default for ProgressSettings {
    fn default() -> Self {
        Self {
            watch: true,
            turns: 40,
            at_least: Duration::from_secs(600),
            provider: None,
            park: true,
        }
    }
}

impl ProgressSettings {
    /// `providers` are the names that may be asked.
    pub(super) fn read(section: &mut Section<'_, '_>, providers: &[String]) -> Self {
        const SWITCH: Keyword<bool> = Keyword(&[("on", true), ("off", false)]);
        let default = Self::default();
        let known = providers.iter().map(String::as_str).collect();
        let provider = ProviderName {
            known,
            noun: "provider",
        };
        Self {
            watch: section.read("watch", &SWITCH).unwrap_or(default.watch),
            turns: section
                .read("turns", &WholeNumber::between(2, 100_000))
                .unwrap_or(default.turns),
            at_least: section
                .read("at_least", &Time::FromZero)
                .unwrap_or(default.at_least),
            provider: section.read("provider", &provider),
            park: section.read("park", &SWITCH).unwrap_or(default.park),
        }
    }
}
