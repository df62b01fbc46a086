//! A day: what each Mysis did and spent in it, for reports. What was spent is what the books say.

use std::collections::BTreeMap;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::ids::MysisId;
use actors::ports::ArchiveFault;
use sea_orm::{ConnectionTrait, DbErr, Statement, TryGetableMany, Value};

use super::{LedgerInner, SqlLedger, error_text};

/// Days before that are looked back at.
const LOOK_BACK_DAYS: i64 = 13;

/// One Mysis in one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MysisDay {
    /// Its name; none once it is deleted.
    pub name: Option<String>,
    /// Turns in which the model spoke.
    pub turns: u64,
    /// How often it was errored.
    pub faults: u64,
    /// Its credits in the first and in the last look at its status.
    pub credits: Option<(i64, i64)>,
    /// What it spent.
    pub spent: BudgetUse,
}

/// A day of the whole swarm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayRecord {
    /// All that did or spent something.
    pub myses: BTreeMap<MysisId, MysisDay>,
    /// What was spent in each of the days up to it in which anything was.
    pub days: BTreeMap<Day, BudgetUse>,
}

impl SqlLedger {
    /// What happened in a day (UTC).
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn day(&self, day: Day) -> Result<DayRecord, ArchiveFault> {
        let read = self.inner.day(day).await;
        read.map_err(|error| ArchiveFault(error_text(&error)))
    }
}

impl LedgerInner {
    async fn day(&self, day: Day) -> Result<DayRecord, DbErr> {
        let mut record = DayRecord::default();
        for entry in self
            .books(Day(day.0.saturating_sub(LOOK_BACK_DAYS)))
            .await?
        {
            if entry.day > day {
                continue;
            }
            record.days.entry(entry.day).or_default().add(&entry.spent);
            if entry.day == day {
                let of = record.myses.entry(entry.mysis).or_default();
                of.spent.add(&entry.spent);
            }
        }
        let turns = "SELECT mysis_id, count(DISTINCT turn) FROM message \
                     WHERE kind IN ('reply', 'call') AND {day} GROUP BY mysis_id";
        for (mysis, turns) in self.rows_of::<(i64, i64)>(turns, day).await? {
            let of = record.myses.entry(MysisId(mysis)).or_default();
            of.turns = u64::try_from(turns).unwrap_or(0);
        }
        let faults = "SELECT mysis_id, count(*) FROM message WHERE kind = 'host' \
                      AND metadata LIKE '%\"code\":\"errored\"%' AND {day} GROUP BY mysis_id";
        for (mysis, faults) in self.rows_of::<(i64, i64)>(faults, day).await? {
            let of = record.myses.entry(MysisId(mysis)).or_default();
            of.faults = u64::try_from(faults).unwrap_or(0);
        }
        let looks = "SELECT mysis_id, content FROM message WHERE id IN \
                     (SELECT min(id) FROM message WHERE kind = 'result' \
                     AND metadata LIKE '%\"tool\":\"get_status\"%' \
                     AND content LIKE '%\"credits\"%' AND {day} GROUP BY mysis_id) \
                     OR id IN (SELECT max(id) FROM message WHERE kind = 'result' \
                     AND metadata LIKE '%\"tool\":\"get_status\"%' \
                     AND content LIKE '%\"credits\"%' AND {day} GROUP BY mysis_id) ORDER BY id";
        for (mysis, content) in self.rows_of::<(i64, String)>(looks, day).await? {
            let Some(credits) = credits_in(&content) else {
                continue;
            };
            let of = record.myses.entry(MysisId(mysis)).or_default();
            let first = of.credits.map_or(credits, |(first, _)| first);
            of.credits = Some((first, credits));
        }
        let names = "SELECT id, name FROM mysis WHERE created_at < {end}";
        for (mysis, name) in self.rows_of::<(i64, String)>(names, day).await? {
            record.myses.entry(MysisId(mysis)).or_default().name = Some(name);
        }
        Ok(record)
    }

    async fn rows_of<T: TryGetableMany>(&self, sql: &str, day: Day) -> Result<Vec<T>, DbErr> {
        let (begin, end) = (day.start_time().0, day.end_time().0);
        let sql = sql
            .replace("{day}", &format!("at >= {begin} AND at < {end}"))
            .replace("{end}", &end.to_string());
        let none: [Value; 0] = [];
        let asked = Statement::from_sql_and_values(self.dialect.backend(), sql, none);
        let rows = self.readers.query_all_raw(asked).await?;
        rows.iter()
            .map(|row| Ok(T::try_get_many_by_index(row)?))
            .collect()
    }
}

/// The credits that a look at the status shows.
fn credits_in(content: &str) -> Option<i64> {
    let seen: serde_json::Value = serde_json::from_str(content).ok()?;
    let player = seen.get("player").unwrap_or(&seen);
    player.get("credits")?.as_i64()
}
