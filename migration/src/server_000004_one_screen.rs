//! One screen, on a server only: what each process tells the others of its Myses, the orders that one
//! process gives to a Mysis of another, and the names of processes.

use crate::step::Step;

pub(crate) const STEP: Step = Step {
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
};

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
