//! Rungs: how far a Mysis is taken that gets nowhere, a step at a time.

/// How far a Mysis was taken that gets nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EscalationStep {
    /// Nothing was done.
    #[default]
    Unescalated,
    /// It and the operator were told so.
    Notified,
    /// Its conversation was begun afresh.
    ContextReset,
    /// Another provider is asked.
    OtherProvider,
    /// It was stopped for good.
    Parked,
}

impl EscalationStep {
    /// Every rung, from the ground up.
    pub const ALL: [EscalationStep; 5] = [
        EscalationStep::Unescalated,
        EscalationStep::Notified,
        EscalationStep::ContextReset,
        EscalationStep::OtherProvider,
        EscalationStep::Parked,
    ];

    /// A word for it, in notices and in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            EscalationStep::Unescalated => "none",
            EscalationStep::Notified => "nudged",
            EscalationStep::ContextReset => "begun afresh",
            EscalationStep::OtherProvider => "asked elsewhere",
            EscalationStep::Parked => "parked",
        }
    }

    /// The next one that can be taken.
    pub(super) fn next_step(self, means: EscalationOptions) -> Option<EscalationStep> {
        let may = |step: &EscalationStep| match step {
            EscalationStep::Unescalated
            | EscalationStep::Notified
            | EscalationStep::ContextReset => true,
            EscalationStep::OtherProvider => means.has_other_provider,
            EscalationStep::Parked => means.may_park,
        };
        Self::ALL.into_iter().find(|step| *step > self && may(step))
    }

    pub(super) fn step_below(self) -> EscalationStep {
        let mut lower = Self::ALL.into_iter().rev();
        lower.find(|step| *step < self).unwrap_or_default()
    }
}

/// What can be done about one that gets nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscalationOptions {
    /// Whether there is another provider to ask.
    pub has_other_provider: bool,
    /// Whether it may be parked.
    pub may_park: bool,
}
