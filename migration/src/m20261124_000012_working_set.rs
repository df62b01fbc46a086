//! The working set of tools of a Mysis.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261124_000012_working_set",
    statements: |_| vec!["ALTER TABLE mysis ADD COLUMN working_set TEXT"],
    ..Step::EMPTY
};
