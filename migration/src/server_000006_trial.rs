//! Trials of refusals, on a server only: processes tell each other which text is tried.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261127_000020_trial",
    statements: |_| vec![CREATE_TRIAL],
    ..Step::EMPTY
};

/// `texts` are the hashes of the texts that a trial leaves out, with commas between them.
const CREATE_TRIAL: &str = "CREATE TABLE trial (\
    mysis_id BIGINT NOT NULL, number BIGINT NOT NULL, provider TEXT NOT NULL, texts TEXT NOT NULL, \
    began TIMESTAMPTZ NOT NULL, PRIMARY KEY (mysis_id, number))";
