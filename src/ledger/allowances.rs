//! Allowances: limits that hold for all processes of one database together.
//!
//! Once a second each process says what it uses and wants of each limit, and divides it among all that
//! live: a pure function of rows that all see alike. It takes its part out of what no other process
//! holds, behind a lock of these rows, so that all parts together never exceed the limit. A part
//! expires by the server's clock. What a process may still use it holds until it has said that it does
//! not any more.

use std::collections::BTreeMap;
use std::time::Duration;

use actors::domain::sharing::{LimitClaim, LimitPart, Need, ToldOutage, divide};
use actors::ports::{ArchiveFault, LimitNews, LimitReport, SharedLimits};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde_json::json;
use std::sync::Arc;

use super::leases::{LeaseHolder, ProcessKind};
use super::writer::{DatabaseWriter, Tx};
use super::{LedgerInner, SqlLedger, error_text, outages, server};

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
        expires_at > clock_timestamp() AND (home <> $1 OR owner = $2) AS lives, \
        floor(extract(epoch FROM clock_timestamp()))::bigint AS second \
    FROM allowance WHERE expires_at > clock_timestamp() - interval '1 minute' ORDER BY owner";

/// Stores the parts of this process, ends those of earlier processes of its home, and forgets what
/// counts no more.
const STORE: &str = "\
    WITH earlier AS (UPDATE allowance SET expires_at = clock_timestamp() \
        WHERE home = $1 AND owner <> $2 AND expires_at > clock_timestamp()), \
    gone AS (DELETE FROM allowance \
        WHERE owner <> $2 AND expires_at < clock_timestamp() - interval '2 minutes') \
    INSERT INTO allowance (home, owner, name, part, used, wanted, unit, expires_at) \
    SELECT $1, $2, name, part, used, wanted, unit, clock_timestamp() + interval '10 seconds' \
    FROM json_to_recordset(CAST($3 AS json)) \
        AS claim (name TEXT, part BIGINT, used BIGINT, wanted BIGINT, unit BIGINT) \
    ON CONFLICT (name, owner) DO UPDATE SET part = excluded.part, used = excluded.used, \
        wanted = excluded.wanted, unit = excluded.unit, expires_at = excluded.expires_at";

/// Gives the parts back at an orderly end.
const GIVE_BACK: &str = "UPDATE allowance SET expires_at = clock_timestamp() \
    WHERE home = $1 AND owner = $2";

/// The limits that this process shares with all others of its database.
#[derive(Clone)]
pub struct LedgerLimits {
    inner: Arc<LedgerInner>,
}

impl SqlLedger {
    /// The limits that this process shares with others; `None` where no other process can have the
    /// database, and for a command.
    #[must_use]
    pub fn shared_limits(&self) -> Option<LedgerLimits> {
        let tenant = self.inner.tenant.as_ref()?;
        (tenant.process_kind == ProcessKind::Resident).then(|| LedgerLimits {
            inner: self.inner.clone(),
        })
    }
}

impl SharedLimits for LedgerLimits {
    fn renew(&self, report: LimitReport) -> BoxFuture<'static, Result<LimitNews, ArchiveFault>> {
        let inner = self.inner.clone();
        async move {
            let step = tokio::time::timeout(STEP_TIMEOUT, inner.share_limits(report)).await;
            let step = step.unwrap_or_else(|_| Err(server::no_answer_within(STEP_TIMEOUT)));
            step.map_err(|error| ArchiveFault(error_text(&error)))
        }
        .boxed()
    }

    fn safe_time(&self) -> Duration {
        SAFE_TIME
    }
}

/// What the database says of one process and one limit.
#[derive(Clone, Debug, FromQueryResult)]
struct Allowance {
    name: String,
    owner: String,
    part: i64,
    used: i64,
    wanted: i64,
    unit: i64,
    lives: bool,
    second: i64,
}

/// What a process gets of a limit, and what it holds from now on.
#[derive(Debug, PartialEq, Eq)]
struct Granted {
    part: u64,
    held: u64,
    is_first: bool,
}

fn counted(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// The part of the process with this owner, in view of all rows of the limit, by owner.
fn grant(claim: &LimitClaim, owner: &str, rows: &[Allowance]) -> Granted {
    let (own, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.owner == owner);
    let others_live = || others.iter().filter(|row| row.lives);
    let gone = others
        .iter()
        .filter(|row| !row.lives && claim.kind.lingers());
    let of_gone: u64 = gone.map(|row| counted(row.used)).sum();
    let limit = claim.limit.saturating_sub(of_gone);

    let need = |row: &&&Allowance| Need {
        wanted: counted(row.wanted),
        unit: counted(row.unit),
    };
    let before = others_live().filter(|row| row.owner.as_str() < owner);
    let after = others_live().filter(|row| row.owner.as_str() > owner);
    let mut needs: Vec<Need> = before.map(|row| need(&row)).collect();
    let place = needs.len();
    needs.push(claim.need);
    needs.extend(after.map(|row| need(&row)));
    let second = rows.first().map_or(0, |row| counted(row.second));
    let target = divide(limit, &needs, second / claim.kind.turn_seconds())[place];

    // A part that has expired may be another's by now.
    let held = match own.first().is_some_and(|row| row.lives) {
        true => claim.held,
        false => 0,
    };
    let of_others: u64 = others_live().map(|row| counted(row.part)).sum();
    let free = limit.saturating_sub(of_others);
    let part = target.min(free.max(held));
    Granted {
        part,
        held: part.max(held).max(claim.used),
        is_first: rows.is_empty(),
    }
}

impl LedgerInner {
    async fn share_limits(&self, report: LimitReport) -> Result<LimitNews, DbErr> {
        let (parts, outages) = self.renew_allowances(&report).await?;
        let spent = match report.day {
            Some(day) => Some(self.spent_together(day).await?),
            None => None,
        };
        Ok(LimitNews {
            parts,
            spent,
            outages,
        })
    }

    async fn renew_allowances(
        &self,
        report: &LimitReport,
    ) -> Result<(Vec<LimitPart>, Vec<ToldOutage>), DbErr> {
        let (Some(tenant), Some(writer)) = (&self.tenant, &self.limits_writer) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let tx = writer.begin_with(WAIT_FOR_TURN).await?;
        let rows = tenant.look_at_allowances(&tx).await?;
        let granted = report.claims.iter().map(|claim| {
            let name = claim.name();
            let rows = rows.get(&name).map_or(&[][..], Vec::as_slice);
            (grant(claim, &tenant.owner, rows), claim, name)
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
        tx.execute_raw(tenant.statement(STORE, [stored.into()]))
            .await?;
        let outages = outages::tell(&tx, &report.outages).await?;
        tx.commit().await?;
        let parts = granted.into_iter().map(|(granted, claim, _)| LimitPart {
            lane: claim.lane.clone(),
            kind: claim.kind,
            part: granted.part,
            is_first: granted.is_first,
        });
        Ok((parts.collect(), outages))
    }
}

fn storable(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl LeaseHolder {
    async fn look_at_allowances(&self, tx: &Tx) -> Result<BTreeMap<String, Vec<Allowance>>, DbErr> {
        let mut by_name: BTreeMap<String, Vec<Allowance>> = BTreeMap::new();
        for row in &tx.query_all_raw(self.statement(LOOK, [])).await? {
            let row = Allowance::from_query_result(row, "")?;
            by_name.entry(row.name.clone()).or_default().push(row);
        }
        Ok(by_name)
    }

    /// Gives the parts back at an orderly end.
    pub(super) async fn give_back_allowances(&self, writer: &DatabaseWriter) -> Result<(), DbErr> {
        writer.execute_raw(self.statement(GIVE_BACK, [])).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::Lane;
    use actors::domain::sharing::LimitKind;
    use proptest::prelude::*;

    fn claim(kind: LimitKind, held: u64, used: u64, wanted: u64) -> LimitClaim {
        LimitClaim {
            lane: Lane::Provider("p".into()),
            kind,
            group: None,
            limit: 6,
            held,
            used,
            need: Need { wanted, unit: 1 },
        }
    }

    fn row(owner: &str, part: i64, used: i64, wanted: i64) -> Allowance {
        Allowance {
            name: "p".to_string(),
            owner: owner.to_string(),
            part,
            used,
            wanted,
            unit: 1,
            lives: true,
            second: 0,
        }
    }

    fn granted(claim: &LimitClaim, rows: &[Allowance]) -> (u64, u64) {
        let granted = grant(claim, "b", rows);
        (granted.part, granted.held)
    }

    #[test]
    fn a_part_grows_only_out_of_what_no_process_holds() {
        let wants = claim(LimitKind::InFlight, 0, 0, 9);
        assert_eq!(granted(&wants, &[]), (6, 6));
        assert!(grant(&wants, "b", &[]).is_first);
        assert_eq!(granted(&wants, &[row("a", 6, 6, 9)]), (0, 0));
        assert_eq!(granted(&wants, &[row("a", 4, 4, 9)]), (2, 2));
        assert_eq!(granted(&wants, &[row("a", 1, 1, 1)]), (5, 5));
        assert!(!grant(&wants, "b", &[row("a", 4, 4, 9)]).is_first);
    }

    #[test]
    fn what_may_still_be_used_is_held_until_it_is_not() {
        let both = [row("a", 0, 0, 9), row("b", 6, 6, 9)];
        let told = claim(LimitKind::InFlight, 6, 6, 9);
        assert_eq!(granted(&told, &both), (3, 6), "it is not told yet");
        let told = claim(LimitKind::InFlight, 3, 5, 9);
        assert_eq!(granted(&told, &both), (3, 5), "two calls are not over");
        let told = claim(LimitKind::InFlight, 3, 2, 9);
        assert_eq!(granted(&told, &both), (3, 3));
    }

    #[test]
    fn a_part_that_has_expired_is_not_held_any_more() {
        let expired = Allowance {
            lives: false,
            ..row("b", 6, 6, 9)
        };
        let others = row("a", 6, 6, 9);
        let told = claim(LimitKind::InFlight, 6, 2, 9);
        assert_eq!(granted(&told, &[others, expired.clone()]), (0, 2));
        assert_eq!(granted(&told, &[expired]), (6, 6));
    }

    #[test]
    fn what_a_dead_process_used_counts_for_a_minute_where_a_minute_is_limited() {
        let dead = Allowance {
            lives: false,
            ..row("a", 6, 4, 9)
        };
        for (kind, part) in [(LimitKind::Tokens, 2), (LimitKind::InFlight, 6)] {
            let wants = claim(kind, 0, 0, 9);
            assert_eq!(
                granted(&wants, std::slice::from_ref(&dead)),
                (part, part),
                "{kind:?}"
            );
        }
    }

    proptest! {
        /// Processes whose steps come in any order, of which some die.
        #[test]
        fn whatever_happens_all_together_never_use_more_than_the_limit(
            limit in 1..20_u64,
            steps in proptest::collection::vec((0..4_usize, 0..12_u64, any::<bool>()), 1..80),
        ) {
            let owners = ["a", "b", "c", "d"];
            let mut rows: BTreeMap<usize, Allowance> = BTreeMap::new();
            // What each may use, and uses.
            let mut parts = [0_u64; 4];
            let mut used = [0_u64; 4];
            for (second, (who, wanted, dies)) in steps.into_iter().enumerate() {
                if dies && second % 7 == 0 {
                    rows.remove(&who);
                    parts[who] = 0;
                    used[who] = 0;
                    continue;
                }
                let told = LimitClaim {
                    limit,
                    ..claim(LimitKind::InFlight, parts[who], used[who], wanted)
                };
                // It goes on with what it has while it asks.
                used[who] = used[who].max(parts[who].min(wanted));
                let seen: Vec<Allowance> = rows.values().cloned().collect();
                let granted = grant(&told, owners[who], &seen);
                let second = i64::try_from(second).unwrap();
                rows.insert(who, Allowance {
                    second,
                    ..row(owners[who], storable(granted.held), storable(told.used), storable(wanted))
                });
                parts[who] = granted.part;
                // Calls end, and others begin.
                used[who] = if wanted % 3 == 0 { parts[who].min(wanted) } else { used[who].min(wanted.max(parts[who])) };
                let all: u64 = (0..4).map(|who| used[who].max(parts[who])).sum();
                prop_assert!(all <= limit, "{parts:?} {used:?}");
            }
        }
    }
}
