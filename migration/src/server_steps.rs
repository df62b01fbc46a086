//! The steps that only a server needs, for many processes on one database. They have numbers of their own.

use crate::step::Step;

pub(crate) const SERVER_STEPS: [Step; 6] = [
    // Leases: the process that runs each Mysis, and the end of its lease unless it renews it.
    Step {
        name: "m20261122_000005_lease",
        statements: |_| vec![CREATE_LEASE],
        ..Step::EMPTY
    },
    // Processes: who runs Myses of this database, and since when. A process that is gone stays for a while,
    // as a row that says so.
    Step {
        name: "m20261124_000015_process",
        statements: |_| vec![CREATE_PROCESS, INDEX_LEASES],
        ..Step::EMPTY
    },
    // Allowances: what each process may use of the limits that hold for all together.
    Step {
        name: "m20261124_000018_allowance",
        statements: |_| vec![CREATE_ALLOWANCE],
        ..Step::EMPTY
    },
    // One screen: what each process tells the others of its Myses, the orders that one process gives to a
    // Mysis of another, and the names of processes.
    Step {
        name: "m20261124_000016_one_screen",
        statements: |_| {
            vec![
                NAME_PROCESSES,
                INDEX_NAMES,
                CREATE_PLACES,
                CREATE_STATUS,
                INDEX_STATUSES,
                CREATE_ORDER,
                INDEX_ORDERS,
            ]
        },
        ..Step::EMPTY
    },
    // Outages: what processes tell each other about model servers that are away.
    Step {
        name: "m20261124_000020_outage",
        statements: |_| vec![CREATE_OUTAGE],
        ..Step::EMPTY
    },
    // Trials of refusals: processes tell each other which text is tried.
    Step {
        name: "m20261127_000020_trial",
        statements: |_| vec![CREATE_TRIAL],
        ..Step::EMPTY
    },
];

/// `home` is the home directory of the process, `owner` the process.
const CREATE_LEASE: &str = "CREATE TABLE lease (\
    mysis_id BIGINT PRIMARY KEY REFERENCES mysis (id) ON DELETE CASCADE, \
    home TEXT NOT NULL, owner TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";

/// `owner` is the owner of leases. A process lives until `expires_at`; `left_at` is its orderly end.
const CREATE_PROCESS: &str = "CREATE TABLE process (\
    owner TEXT PRIMARY KEY, home TEXT NOT NULL, host TEXT NOT NULL, directory TEXT NOT NULL, \
    version TEXT NOT NULL, capacity BIGINT NOT NULL, is_frozen BOOLEAN NOT NULL, \
    is_draining BOOLEAN NOT NULL DEFAULT FALSE, started_at TIMESTAMPTZ NOT NULL, \
    expires_at TIMESTAMPTZ NOT NULL, left_at TIMESTAMPTZ)";

const INDEX_LEASES: &str = "CREATE INDEX lease_owner ON lease (owner)";

/// `owner` is the owner of leases. Until `expires_at` the process may use `part` of the limit of this
/// name; a minute after it, what it used of a limit on tokens still counts.
const CREATE_ALLOWANCE: &str = "CREATE TABLE allowance (\
    name TEXT NOT NULL, owner TEXT NOT NULL, home TEXT NOT NULL, part BIGINT NOT NULL, \
    used BIGINT NOT NULL, wanted BIGINT NOT NULL, unit BIGINT NOT NULL, \
    expires_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (name, owner))";

/// A process of the version before has no name.
const NAME_PROCESSES: &str = "ALTER TABLE process ADD COLUMN name TEXT";

const INDEX_NAMES: &str = "CREATE UNIQUE INDEX process_name ON process (name)";

/// Places are given in the order of commits, because who writes statuses waits for the others.
const CREATE_PLACES: &str = "CREATE SEQUENCE mysis_status_place";

/// `status` is JSON, `owner` the process that wrote it.
const CREATE_STATUS: &str = "CREATE TABLE mysis_status (\
    mysis_id BIGINT PRIMARY KEY REFERENCES mysis (id) ON DELETE CASCADE, owner TEXT NOT NULL, \
    place BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, status TEXT NOT NULL)";

const INDEX_STATUSES: &str = "CREATE INDEX mysis_status_by_place ON mysis_status (place)";

/// `giver` and `doer` are processes. The order is done once `done_at` is set, in the transaction of what
/// it did; `answer` follows.
const CREATE_ORDER: &str = "CREATE TABLE fleet_order (\
    id BIGINT PRIMARY KEY, place BIGSERIAL, \
    mysis_id BIGINT NOT NULL REFERENCES mysis (id) ON DELETE CASCADE, giver TEXT NOT NULL, \
    source TEXT NOT NULL, content TEXT NOT NULL, given_at TIMESTAMPTZ NOT NULL, \
    done_at TIMESTAMPTZ, doer TEXT, answer TEXT)";

const INDEX_ORDERS: &str = "CREATE INDEX fleet_order_by_mysis ON fleet_order (mysis_id)";

/// `version` changes whenever anything of it does. Nobody is left who knows of it after `expires_at`.
const CREATE_OUTAGE: &str = "CREATE TABLE outage (\
    provider TEXT PRIMARY KEY, version BIGINT NOT NULL, text TEXT NOT NULL, ends_by TEXT, \
    since TIMESTAMPTZ NOT NULL, next_try TIMESTAMPTZ NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";

/// `texts` are the hashes of the texts that a trial leaves out, with commas between them.
const CREATE_TRIAL: &str = "CREATE TABLE trial (\
    mysis_id BIGINT NOT NULL, number BIGINT NOT NULL, provider TEXT NOT NULL, texts TEXT NOT NULL, \
    began TIMESTAMPTZ NOT NULL, PRIMARY KEY (mysis_id, number))";
