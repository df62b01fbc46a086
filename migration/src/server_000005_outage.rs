//! Outages, on a server only: what processes tell each other about model servers that are away.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261124_000020_outage",
    statements: |_| vec![CREATE_OUTAGE],
    ..Step::EMPTY
};

/// `version` changes whenever anything of it does. Nobody is left who knows of it after `expires_at`.
const CREATE_OUTAGE: &str = "CREATE TABLE outage (\
    provider TEXT PRIMARY KEY, version BIGINT NOT NULL, text TEXT NOT NULL, ends_by TEXT, \
    since TIMESTAMPTZ NOT NULL, next_try TIMESTAMPTZ NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";
