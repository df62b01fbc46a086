//! The steps of escalation for a stuck Mysis.

use strum::VariantArray;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub enum EscalationStep {
    /// Nothing was done.
    #[default]
    Unescalated,
    Notified,
    ContextReset,
    OtherProvider,
    /// It was stopped until the operator acts.
    Parked,
}

impl EscalationStep {
    pub(super) fn next_step(self, options: EscalationOptions) -> Option<EscalationStep> {
        let may = |step: &EscalationStep| match step {
            EscalationStep::Unescalated
            | EscalationStep::Notified
            | EscalationStep::ContextReset => true,
            EscalationStep::OtherProvider => options.has_other_provider,
            EscalationStep::Parked => options.may_park,
        };
        let mut steps = Self::VARIANTS.iter().copied();
        steps.find(|step| *step > self && may(step))
    }

    pub(super) fn step_below(self) -> EscalationStep {
        let mut lower = Self::VARIANTS.iter().copied().rev();
        lower.find(|step| *step < self).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscalationOptions {
    pub has_other_provider: bool,
    pub may_park: bool,
    /// Whether a call succeeded since its mission began. Who then writes words alone may be done.
    pub has_succeeded: bool,
}
