//! Allowances, on a server only: what each process may use of the limits that hold for all together.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261124_000018_allowance",
    statements: |_| vec![CREATE_ALLOWANCE],
    ..Step::EMPTY
};

/// `owner` is the owner of leases. Until `expires_at` the process may use `part` of the limit of this
/// name; a minute after it, what it used of a limit on tokens still counts.
const CREATE_ALLOWANCE: &str = "CREATE TABLE allowance (\
    name TEXT NOT NULL, owner TEXT NOT NULL, home TEXT NOT NULL, part BIGINT NOT NULL, \
    used BIGINT NOT NULL, wanted BIGINT NOT NULL, unit BIGINT NOT NULL, \
    expires_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (name, owner))";
