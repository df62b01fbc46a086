//! What was learnt of a server beside texts: of what kind a row of `held_text` is.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261127_000019_held_kind",
    statements: |_| vec![ADD_KIND],
    ..Step::EMPTY
};

const ADD_KIND: &str = r#"ALTER TABLE "held_text" ADD COLUMN "kind" text NOT NULL DEFAULT 'text'"#;
