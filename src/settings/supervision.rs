//! `[supervision]`: what happens when a Mysis has failed.

use std::time::Duration;

use super::rule::{Keyword, ListRule, Time, WholeNumber};
use super::section::Section;

/// What happens when a Mysis has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisionSettings {
    /// Which faults are answered with a relaunch.
    pub relaunch: RelaunchSetting,
    /// The waits before relaunches.
    pub backoff: Backoff,
    /// Relaunches within `within`, 0 to 1000000; after them it stays errored until the operator
    /// relaunches it.
    pub max_relaunches: u32,
    /// The time in which relaunches are counted, above zero.
    pub within: Duration,
}

/// Which faults are answered with a relaunch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelaunchSetting {
    /// None: the operator relaunches.
    Manual,
    /// Provider, network and crash faults.
    Transient,
    /// Every one.
    Always,
}

/// A wait that doubles, with jitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Above zero.
    pub first: Duration,
    /// At least `first`.
    pub longest: Duration,
}

impl Default for SupervisionSettings {
    fn default() -> Self {
        Self {
            relaunch: RelaunchSetting::Transient,
            backoff: Backoff {
                first: Duration::from_secs(1),
                longest: Duration::from_secs(5 * 60),
            },
            max_relaunches: 5,
            within: Duration::from_secs(10 * 60),
        }
    }
}

impl SupervisionSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        const RELAUNCHES: Keyword<RelaunchSetting> = Keyword(&[
            ("manual", RelaunchSetting::Manual),
            ("transient", RelaunchSetting::Transient),
            ("always", RelaunchSetting::Always),
        ]);
        let default = Self::default();
        Self {
            relaunch: section
                .read("relaunch", &RELAUNCHES)
                .unwrap_or(default.relaunch),
            backoff: read_backoff(section).unwrap_or(default.backoff),
            max_relaunches: section
                .read("max_relaunches", &WholeNumber::between(0, 1_000_000))
                .unwrap_or(default.max_relaunches),
            within: section
                .read("within", &Time::AboveZero)
                .unwrap_or(default.within),
        }
    }
}

fn read_backoff(section: &mut Section<'_, '_>) -> Option<Backoff> {
    let waits = section.read(
        "backoff",
        &ListRule {
            count: 2..=2,
            item: Time::AboveZero,
        },
    )?;
    let [first, longest] = waits.as_slice() else {
        return None;
    };
    if first > longest {
        section.reject(
            "backoff",
            "a list whose first wait is longer than its second",
            "the first wait, then the longest",
        );
        return None;
    }
    Some(Backoff {
        first: *first,
        longest: *longest,
    })
}
