//! Processes, on a server only: who runs Myses of this database, and since when. A process that is gone
//! stays for a while, as a row that says so.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
    name: "m20261124_000015_process",
    statements: |_| vec![CREATE_PROCESS, INDEX_LEASES],
    ..Step::EMPTY
};

/// `owner` is the owner of leases. A process lives until `expires_at`; `left_at` is its orderly end.
const CREATE_PROCESS: &str = "CREATE TABLE process (\
    owner TEXT PRIMARY KEY, home TEXT NOT NULL, host TEXT NOT NULL, directory TEXT NOT NULL, \
    version TEXT NOT NULL, capacity BIGINT NOT NULL, is_frozen BOOLEAN NOT NULL, \
    is_draining BOOLEAN NOT NULL DEFAULT FALSE, started_at TIMESTAMPTZ NOT NULL, \
    expires_at TIMESTAMPTZ NOT NULL, left_at TIMESTAMPTZ)";

const INDEX_LEASES: &str = "CREATE INDEX lease_owner ON lease (owner)";
