//! The role of a Mysis, whether its provider goes before the Mysis' own, and the tier of its provider.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261124_000016_role",
    statements: |_| {
        vec![
            "ALTER TABLE mysis ADD COLUMN role TEXT",
            "ALTER TABLE mysis ADD COLUMN follows_role BOOLEAN NOT NULL DEFAULT TRUE",
            "ALTER TABLE mysis ADD COLUMN tier TEXT",
        ]
    },
    ..Step::EMPTY
};
