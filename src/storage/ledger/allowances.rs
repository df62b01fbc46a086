//! Allowances: limits that hold for all processes of one database together.
//!
//! Once a second each process says what it uses and wants of each limit, and divides it among all that
//! live: a pure function of rows that all see alike. It takes its part out of what no other process
//! holds, behind a lock of these rows, so that all parts together never exceed the limit. A part
//! expires by the server's clock. What a process may still use it holds until it has said that it does
//! not any more.

use std::collections::BTreeMap;
use std::time::Duration;

use actors::domain::sharing::{Allowance, LimitPart, grant};
use actors::ports::{ArchiveFault, LimitNews, LimitReport, SharedLimits};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde_json::json;

use super::answer_time::within;
use super::books::counted;
use super::fault::archive_fault;
use super::leases::LeaseHolder;
use super::writer::Tx;
use super::{LedgerInner, SqlLedger, held, outages, trials};

/// How long a process relies on its parts, from the beginning of the step that renewed them. In the
/// database they last two seconds longer: time for what is just leaving.
const SAFE_TIME: Duration = Duration::from_secs(8);

/// How long a step may take. The next one tries again.
const STEP_TIMEOUT: Duration = Duration::from_secs(3);

/// Waits for the lock of allowances. A process that stands still does not keep it, and a second that is
/// lost with the server costs no more than that second's part.
const WAIT_FOR_TURN: &str = "SET LOCAL synchronous_commit = off; \
    SET LOCAL idle_in_transaction_session_timeout = '2s'; \
    SELECT pg_advisory_xact_lock(2053076321, 3)";

/// All rows that count, and the server's clock in seconds.
const LOOK: &str = "\
    SELECT name, owner, part, used, wanted, unit, \
        expires_at > clock_timestamp() AND (home <> $1 OR owner = $2 \
            OR owner NOT IN (SELECT json_array_elements_text($3::json))) AS lives, \
        floor(extract(epoch FROM clock_timestamp()))::bigint AS second \
    FROM allowance WHERE expires_at > clock_timestamp() - interval '1 minute' ORDER BY owner";

/// Stores the parts of this process, ends those of earlier processes of its home that are gone, and forgets
/// what counts no more.
const STORE: &str = "\
    WITH earlier AS (UPDATE allowance SET expires_at = clock_timestamp() \
        WHERE home = $1 AND owner <> $2 AND expires_at > clock_timestamp() \
            AND owner IN (SELECT json_array_elements_text($4::json))), \
    gone AS (DELETE FROM allowance \
        WHERE owner <> $2 AND expires_at < clock_timestamp() - interval '2 minutes') \
    INSERT INTO allowance (home, owner, name, part, used, wanted, unit, expires_at) \
    SELECT $1, $2, name, part, used, wanted, unit, clock_timestamp() + interval '10 seconds' \
    FROM json_to_recordset(CAST($3 AS json)) \
        AS claim (name TEXT, part BIGINT, used BIGINT, wanted BIGINT, unit BIGINT) \
    ON CONFLICT (name, owner) DO UPDATE SET part = excluded.part, used = excluded.used, \
        wanted = excluded.wanted, unit = excluded.unit, expires_at = excluded.expires_at";

const GIVE_BACK: &str = "UPDATE allowance SET expires_at = clock_timestamp() \
    WHERE home = $1 AND owner = $2";

impl SqlLedger {
    /// The limits that this process shares with others; `None` where no other process can have the
    /// database, and for a command.
    pub fn shared_limits(&self) -> Option<impl SharedLimits + use<>> {
        self.inner.resident().map(|_| self.clone())
    }
}

impl SharedLimits for SqlLedger {
    fn renew(&self, report: LimitReport) -> BoxFuture<'static, Result<LimitNews, ArchiveFault>> {
        let inner = self.inner.clone();
        async move {
            let step = within(STEP_TIMEOUT, inner.share_limits(report)).await;
            step.map_err(archive_fault)
        }
        .boxed()
    }

    fn safe_time(&self) -> Duration {
        SAFE_TIME
    }
}

/// What the database says of one process and one limit.
#[derive(Clone, Debug, FromQueryResult)]
struct AllowanceRow {
    name: String,
    owner: String,
    part: i64,
    used: i64,
    wanted: i64,
    unit: i64,
    lives: bool,
    second: i64,
}

impl AllowanceRow {
    fn into_allowance(self) -> Allowance {
        Allowance {
            owner: self.owner.into(),
            part: counted(self.part),
            used: counted(self.used),
            wanted: counted(self.wanted),
            unit: counted(self.unit),
            lives: self.lives,
        }
    }
}

/// What all processes said of each limit, in one second of the server's clock.
#[derive(Debug, Default)]
struct AllowancesSeen {
    by_name: BTreeMap<String, Vec<Allowance>>,
    second: u64,
}

impl LedgerInner {
    async fn share_limits(&self, report: LimitReport) -> Result<LimitNews, DbErr> {
        let mut news = self.renew_allowances(&report).await?;
        if let Some(day) = report.day {
            news.spent = Some(self.spent_together(day).await?);
        }
        if let Some((_, texts)) = &mut news.held {
            *texts = held::read_texts(&self.readers).await?;
        }
        Ok(news)
    }

    async fn renew_allowances(&self, report: &LimitReport) -> Result<LimitNews, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(LimitNews::default());
        };
        let tx = tenant.limits_writer.begin_with(WAIT_FOR_TURN).await?;
        let seen = tenant.look_at_allowances(&tx).await?;
        let granted = report.claims.iter().map(|claim| {
            let name = claim.name();
            let rows = seen.by_name.get(&name).map_or(&[][..], Vec::as_slice);
            (grant(claim, &tenant.owner, rows, seen.second), claim, name)
        });
        let granted: Vec<_> = granted.collect();
        let stored = granted.iter().map(|(granted, claim, name)| {
            json!({
                "name": name,
                "part": storable(granted.held),
                "used": storable(claim.used),
                "wanted": storable(claim.need.wanted),
                "unit": storable(claim.need.unit),
            })
        });
        let stored = serde_json::Value::Array(stored.collect()).to_string();
        tx.execute_raw(tenant.statement(STORE, [stored.into(), tenant.gone()]))
            .await?;
        let outages = outages::share(&tx, &report.outages).await?;
        let (trials, stamp) = trials::share(&tx, &report.trials).await?;
        tx.commit().await?;
        let parts = granted.into_iter().map(|(granted, claim, _)| LimitPart {
            lane: claim.lane.clone(),
            kind: claim.kind,
            part: granted.part,
            is_first: granted.is_first,
        });
        Ok(LimitNews {
            parts: parts.collect(),
            spent: None,
            outages,
            trials,
            // They are read once the others' turn has come.
            held: (stamp != report.held_stamp).then(|| (stamp, Vec::new())),
        })
    }
}

fn storable(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl LeaseHolder {
    async fn look_at_allowances(&self, tx: &Tx) -> Result<AllowancesSeen, DbErr> {
        let mut seen = AllowancesSeen::default();
        let rows = AllowanceRow::find_by_statement(self.statement(LOOK, [self.gone()]));
        for row in rows.all(tx).await? {
            seen.second = counted(row.second);
            let of_limit = seen.by_name.entry(row.name.clone()).or_default();
            of_limit.push(row.into_allowance());
        }
        Ok(seen)
    }

    pub(super) async fn give_back_allowances(&self) -> Result<(), DbErr> {
        let given_back = self.writer.execute_raw(self.statement(GIVE_BACK, []));
        given_back.await.map(drop)
    }
}
