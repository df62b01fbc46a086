//! Rungs: how far a Mysis is taken that gets nowhere, a step at a time.

/// How far a Mysis was taken that gets nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Nothing was done.
    #[default]
    Ground,
    /// It and the operator were told so.
    Nudged,
    /// Its conversation was begun afresh.
    Afresh,
    /// Another provider is asked.
    Elsewhere,
    /// It was stopped for good.
    Parked,
}

impl Rung {
    /// Every rung, from the ground up.
    pub const ALL: [Rung; 5] = [
        Rung::Ground,
        Rung::Nudged,
        Rung::Afresh,
        Rung::Elsewhere,
        Rung::Parked,
    ];

    /// A word for it, in notices and in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Rung::Ground => "none",
            Rung::Nudged => "nudged",
            Rung::Afresh => "begun afresh",
            Rung::Elsewhere => "asked elsewhere",
            Rung::Parked => "parked",
        }
    }

    /// The next one that can be taken.
    pub(super) fn next(self, means: Means) -> Option<Rung> {
        let may = |rung: &Rung| match rung {
            Rung::Ground | Rung::Nudged | Rung::Afresh => true,
            Rung::Elsewhere => means.has_other_provider,
            Rung::Parked => means.may_park,
        };
        Self::ALL.into_iter().find(|rung| *rung > self && may(rung))
    }

    pub(super) fn below(self) -> Rung {
        let mut lower = Self::ALL.into_iter().rev();
        lower.find(|rung| *rung < self).unwrap_or_default()
    }
}

/// What can be done about one that gets nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Means {
    /// Whether there is another provider to ask.
    pub has_other_provider: bool,
    /// Whether it may be parked.
    pub may_park: bool,
}
