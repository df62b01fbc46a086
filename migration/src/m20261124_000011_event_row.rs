//! The row of a conversation that an event became or that tells it.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261124_000011_event_row",
    statements: |_| vec!["ALTER TABLE event ADD COLUMN seq BIGINT"],
    ..Step::EMPTY
};
