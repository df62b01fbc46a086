//! The processes of a fleet as rows for the operator, and draining one.

use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::ids::Timestamp;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use zoea_text::clean::one_line;
use zoea_text::natural::compare_natural;

use super::super::books::counted;
use super::super::leases::LeaseHolder;
use super::super::server::on_server;
use super::LedgerInner;

/// The most processes that are listed, the newest.
const MAX_LISTED: i64 = 500;

// A process of a version that gave itself no name is called by its host, with the reason.
const LIST: &str = "\
    SELECT coalesce(process.name, process.host || ' (older)') AS name, process.host, process.directory, \
        process.version, process.capacity, process.owner = $1 AS is_here, process.is_frozen, \
        process.is_draining, process.expires_at > clock_timestamp() AS is_up, \
        process.left_at IS NOT NULL AS has_left, \
        (extract(epoch FROM process.started_at) * 1000)::bigint AS since, \
        (extract(epoch FROM process.expires_at) * 1000)::bigint AS until, \
        count(lease.mysis_id) AS myses, \
        count(*) FILTER (WHERE mysis.state = 'running') AS running \
    FROM process LEFT JOIN lease ON lease.owner = process.owner \
    LEFT JOIN mysis ON mysis.id = lease.mysis_id \
    GROUP BY process.owner ORDER BY is_up DESC, process.started_at DESC LIMIT $2";

/// Drains a process that runs, or lets it take Myses again. What a frozen process that is gone keeps is
/// given free by it: its home may be gone, too.
const DRAIN: &str = "UPDATE process SET is_draining = $2, \
        is_frozen = is_frozen AND expires_at > clock_timestamp() \
    WHERE coalesce(name, host || ' (older)') = $1 \
        AND (expires_at > clock_timestamp() OR (is_frozen AND $2))";

#[derive(Debug, FromQueryResult)]
struct ProcessRow {
    name: String,
    host: String,
    directory: String,
    version: String,
    capacity: i64,
    is_here: bool,
    is_frozen: bool,
    is_draining: bool,
    is_up: bool,
    has_left: bool,
    since: i64,
    until: i64,
    myses: i64,
    running: i64,
}

impl ProcessRow {
    fn state(&self) -> ProcessState {
        match (self.is_up, self.has_left) {
            (false, true) => ProcessState::Ended,
            (false, false) => ProcessState::Gone,
            (true, _) if self.is_frozen => ProcessState::Frozen,
            (true, _) if self.is_draining => ProcessState::Draining,
            (true, _) => ProcessState::Alive,
        }
    }
}

impl From<ProcessRow> for FleetProcess {
    fn from(row: ProcessRow) -> Self {
        FleetProcess {
            state: row.state(),
            name: one_line(&row.name).into(),
            host: one_line(&row.host).into(),
            directory: one_line(&row.directory).into(),
            version: one_line(&row.version).into(),
            is_here: row.is_here,
            capacity: counted(row.capacity),
            myses: counted(row.myses),
            running: counted(row.running),
            since: Timestamp(row.since),
            until: (!row.is_up).then_some(Timestamp(row.until)),
        }
    }
}

impl LedgerInner {
    /// The processes by name; none where one process has the database for itself.
    pub(crate) async fn processes(&self) -> Result<Vec<FleetProcess>, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(Vec::new());
        };
        let values = [tenant.owner.as_str().into(), MAX_LISTED.into()];
        let rows = ProcessRow::find_by_statement(on_server(LIST, values));
        let rows = rows.all(&self.readers).await?.into_iter();
        let mut processes: Vec<FleetProcess> = rows.map(FleetProcess::from).collect();
        processes.sort_by(|a, b| compare_natural(&a.name, &b.name));
        Ok(processes)
    }
}

impl LeaseHolder {
    /// Drains the process with this name, or ends that. Returns whether there is one.
    pub(crate) async fn drain(&self, name: &str, is_draining: bool) -> Result<bool, DbErr> {
        let values = [name.into(), is_draining.into()];
        let done = self.writer.execute_raw(on_server(DRAIN, values)).await?;
        Ok(done.rows_affected() > 0)
    }
}
