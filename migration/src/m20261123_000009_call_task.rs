//! The id under which a server works on a call that was sent.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261123_000009_call_task",
    statements: |_| ADD_TASK.to_vec(),
    ..Step::EMPTY
};

/// The index contains only calls without a result, of which there are few.
const ADD_TASK: [&str; 2] = [
    "ALTER TABLE tool_call ADD COLUMN task TEXT",
    "CREATE INDEX tool_call_task ON tool_call (mysis_id) WHERE task IS NOT NULL",
];
