//! The daily report, which the running program writes once the day is over by this machine's clock.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use actors::domain::ids::Timestamp;
use actors::domain::message::Severity;
use actors::ports::Clock;
use anyhow::Context;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use tokio::task::{JoinHandle, spawn_blocking};
use zoea_settings::ReportFormat;
use zoea_settings::prices::PriceBook;

use crate::host::home::Home;
use crate::interface::report::{PeriodReport, WallClock};
use crate::telemetry::operator::Operator;
use zoea_ledger::SqlLedger;
use zoea_system::clock::MachineClock;

/// The time after midnight at which a day is closed. Calls that were under way have been entered by
/// then.
const DAY_END_GRACE: Duration = Duration::from_secs(300);
/// The number of days for which missing reports are written.
const LOOK_BACK_DAYS: i64 = 7;
/// The longest pause between two checks: a full disk may have room again, and a machine that slept
/// does not know for how long.
const CHECK_INTERVAL: Duration = Duration::from_secs(1800);

/// The parts that a report needs, and the way to tell the operator that one cannot be written.
pub(super) struct DailyReporter {
    pub(super) ledger: SqlLedger,
    pub(super) home: Home,
    pub(super) operator: Operator,
    pub(super) prices: PriceBook,
    pub(super) clock: WallClock,
}

/// Starts the writing of reports: yesterday's, the missing ones of the week before in which
/// anything was spent, and each further one after midnight.
pub(super) fn start_reports(format: ReportFormat, reporter: DailyReporter) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut is_reported = false;
        loop {
            let written = reporter.write_missing(format, MachineClock.now()).await;
            if let Err(error) = &written
                && !is_reported
            {
                let text = format!("{error:#}; zoea tries again until it succeeds");
                reporter
                    .operator
                    .notify(Severity::Warn, "report_failed", &text);
            }
            is_reported = written.is_err();
            let now = MachineClock.now();
            let today = reporter.clock.day(reporter.clock.date(now));
            let next = Duration::from_millis(today.until.plus(DAY_END_GRACE).since(now));
            tokio::time::sleep(next.min(CHECK_INTERVAL)).await;
        }
    })
}

impl DailyReporter {
    async fn write_missing(&self, format: ReportFormat, now: Timestamp) -> anyhow::Result<()> {
        let newest = newest_closed_day(now, self.clock);
        for back in 0..LOOK_BACK_DAYS {
            let day = newest - TimeDelta::days(back);
            let file = match format {
                ReportFormat::Markdown => format!("{day}.md"),
                ReportFormat::Html => format!("{day}.html"),
            };
            let failed = || format!("failed to write the report of {day}");
            let period = self.clock.day(day);
            let is_written = is_written(self.home.reports().join(&file), period.until, now).await;
            if is_written.with_context(failed)? {
                continue;
            }
            let record = self.ledger.period(period).await.with_context(failed)?;
            if back > 0 && record.spent.is_empty() {
                continue;
            }
            let before = self.clock.day(day - TimeDelta::days(1));
            let before_record = self.ledger.period(before).await.with_context(failed)?;
            let is_free = |provider: &str| self.prices.is_free(provider);
            let before = PeriodReport::from_record(before, &before_record, now, is_free);
            let report = PeriodReport {
                day: Some(day.to_string()),
                clock: self.clock,
                ..PeriodReport::from_record(period, &record, now, is_free).compared_with(&before)
            };
            let text = report.render(format);
            let home = self.home.clone();
            let put = spawn_blocking(move || home.put_report(&file, &text)).await;
            put.with_context(failed)?.with_context(failed)?;
        }
        Ok(())
    }
}

/// Whether a report was written after the end of its day. One that was written before, or is of the
/// future, was written while the clock was wrong.
async fn is_written(file: PathBuf, day_end: Timestamp, now: Timestamp) -> io::Result<bool> {
    let about = match tokio::fs::metadata(file).await {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        about => about?,
    };
    let at = DateTime::<Utc>::from(about.modified()?).timestamp_millis();
    Ok((day_end.0..=now.0).contains(&at))
}

fn newest_closed_day(now: Timestamp, clock: WallClock) -> NaiveDate {
    let grace = i64::try_from(DAY_END_GRACE.as_millis()).unwrap_or(i64::MAX);
    let then = Timestamp(now.0.saturating_sub(grace));
    clock.date(then) - TimeDelta::days(1)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::time::SystemTime;

    use actors::domain::books::Day;
    use actors::domain::ids::{Incarnation, MysisId, Seq, TurnNumber};
    use actors::domain::message::{HostMeta, Row, RowBody};
    use actors::domain::model::{Charge, TokenUsage};
    use actors::domain::record::{MysisProfile, NewMysis};
    use actors::domain::write::{Author, Batch, Write};
    use actors::ports::Ledger as _;

    use super::*;

    const ALPHA: MysisId = MysisId(1);

    /// A reporter over a database in which Alpha spent something on these days.
    async fn reporter(directory: &std::path::Path, days: &[Day]) -> DailyReporter {
        let home = Home::open(directory).unwrap();
        let ledger = SqlLedger::open(&home.database()).await.unwrap();
        let create = Write::Create(Box::new(NewMysis {
            id: ALPHA,
            profile: MysisProfile::of("alpha", "local"),
            at: Timestamp(0),
        }));
        let spent = (1..).zip(days).map(|(seq, day)| Write::Append {
            mysis: ALPHA,
            row: Arc::new(billed(seq, *day)),
        });
        let fence = Write::Fence {
            mysis: ALPHA,
            incarnation: Incarnation(1),
        };
        for (author, writes) in [
            (Author::Commander, vec![create]),
            (
                Author::Mysis(ALPHA, Incarnation(1)),
                [fence].into_iter().chain(spent).collect(),
            ),
        ] {
            let stored = ledger.commit(vec![Batch { author, writes }]).await;
            assert_eq!(stored, [Ok(())]);
        }
        DailyReporter {
            ledger,
            home,
            operator: Operator::default(),
            prices: PriceBook::new(Arc::default()),
            clock: WallClock::Utc,
        }
    }

    fn billed(seq: i64, day: Day) -> Row {
        let usage = TokenUsage {
            input: 7,
            output: 1,
            cached: 0,
        };
        Row {
            seq: Seq(seq),
            at: day.start_time(),
            turn: TurnNumber(1),
            body: RowBody::Host {
                text: "late".into(),
                meta: HostMeta {
                    severity: Severity::Info,
                    code: "late_answer".into(),
                    attempt: None,
                    bill: Some(Charge {
                        provider: "local".into(),
                        usage,
                        cost_micros: None,
                    }),
                },
            },
        }
    }

    #[tokio::test]
    async fn days_whose_end_nobody_saw_are_made_up_for() {
        let directory = tempfile::tempdir().unwrap();
        let today = Day(20_000);
        let days = [20_000, 19_996, 19_993, 19_992].map(Day);
        let reporter = reporter(directory.path(), &days).await;
        let now = today.start_time().plus(2 * DAY_END_GRACE);
        let written = || {
            let files = fs::read_dir(reporter.home.reports()).unwrap();
            let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        // The obstacle may be removed again.
        fs::write(reporter.home.reports(), "in the way").unwrap();
        let refused = reporter.write_missing(ReportFormat::Markdown, now).await;
        let why = format!("{:#}", refused.unwrap_err());
        assert!(why.starts_with("failed to write the report of"), "{why}");
        fs::remove_file(reporter.home.reports()).unwrap();
        reporter
            .write_missing(ReportFormat::Markdown, now)
            .await
            .unwrap();
        let names = [19_993, 19_996, 19_999].map(|day| format!("{}.md", Day(day)));
        assert_eq!(
            written(),
            names,
            "yesterday, and what was spent in that week"
        );
        let first = reporter.home.reports().join(&names[0]);
        let text = fs::read_to_string(&first).unwrap();
        assert!(text.contains("| alpha |"), "{text}");
        let after = async |at: Timestamp| {
            fs::write(&first, "mine now").unwrap();
            let at = SystemTime::UNIX_EPOCH + Duration::from_millis(at.0.cast_unsigned());
            let file = fs::File::options().append(true).open(&first).unwrap();
            file.set_modified(at).unwrap();
            let written = reporter.write_missing(ReportFormat::Markdown, now).await;
            written.unwrap();
            fs::read_to_string(&first).unwrap()
        };
        let day_end = Day(19_993).end_time();
        for at in [day_end, now] {
            assert_eq!(after(at).await, "mine now");
        }
        // The clock was wrong then.
        for at in [Timestamp(day_end.0 - 1), now.plus(DAY_END_GRACE)] {
            assert!(after(at).await.contains("| alpha |"), "written at {at}");
        }
    }

    #[test]
    fn a_day_is_over_five_minutes_after_its_midnight() {
        let midnight = Day(20_000).end_time();
        let closed = |ms: i64| {
            let day = newest_closed_day(Timestamp(midnight.0 + ms), WallClock::Utc);
            day.to_string()
        };
        assert_eq!(closed(299_999), Day(19_999).to_string());
        assert_eq!(closed(300_000), Day(20_000).to_string());
    }
}
