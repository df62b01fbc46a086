//! Leases, on a server only: the process that runs each Mysis, and the end of its lease unless it
//! renews it.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261122_000005_lease",
    statements: |_| vec![CREATE_LEASE],
    ..Step::EMPTY
};

/// `home` is the home directory of the process, `owner` the process.
const CREATE_LEASE: &str = "CREATE TABLE lease (\
    mysis_id BIGINT PRIMARY KEY REFERENCES mysis (id) ON DELETE CASCADE, \
    home TEXT NOT NULL, owner TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";
