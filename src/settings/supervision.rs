//! `[supervision]`: what happens when a Mysis has failed.

use std::time::Duration;

use super::rule::{Choice, ListOf, Time, Whole};
use super::section::Section;

/// What happens when a Mysis has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supervision {
    /// Which faults are answered with a relaunch.
    pub relaunch: Relaunch,
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
pub enum Relaunch {
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

impl Default for Supervision {
    fn default() -> Self {
        Self {
            relaunch: Relaunch::Transient,
            backoff: Backoff {
                first: Duration::from_secs(1),
                longest: Duration::from_secs(5 * 60),
            },
            max_relaunches: 5,
            within: Duration::from_secs(10 * 60),
        }
    }
}

impl Supervision {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        const RELAUNCHES: Choice<Relaunch> = Choice(&[
            ("manual", Relaunch::Manual),
            ("transient", Relaunch::Transient),
            ("always", Relaunch::Always),
        ]);
        let default = Self::default();
        Self {
            relaunch: section
                .read("relaunch", &RELAUNCHES)
                .unwrap_or(default.relaunch),
            backoff: read_backoff(section).unwrap_or(default.backoff),
            max_relaunches: section
                .read("max_relaunches", &Whole::between(0, 1_000_000))
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
        &ListOf {
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
