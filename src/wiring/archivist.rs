//! What screens ask for of the stored: files, and what happened in a time.

use std::sync::Arc;

use actors::domain::ids::Timestamp;
use actors::domain::period::Period;
use actors::domain::screen::{AwaySummary, FileOrder};
use actors::ports::{Archivist, Clock};
use actors::secrets::Secrets;
use futures::FutureExt;
use futures::future::BoxFuture;
use zoea_ledger::SqlLedger;
use zoea_ledger::export::FileExporter;
use zoea_settings::ReportFormat;
use zoea_settings::prices::PriceBook;
use zoea_system::clock::MachineClock;

use crate::host::home::Home;
use crate::interface::control::parameters::AskReport;
use crate::interface::control::period::{AskedPeriod, MAX_DAYS};
use crate::interface::report::{PeriodReport, WallClock};

/// The longest time that is summed up: a wall clock that was wrong once must not make it years.
const MAX_AWAY_MS: i64 = (MAX_DAYS * 86_400_000).cast_signed();

#[derive(Clone)]
pub(super) struct HomeArchivist {
    ledger: SqlLedger,
    home: Home,
    prices: PriceBook,
    conversations: FileExporter,
}

impl HomeArchivist {
    pub(super) fn new(
        ledger: &SqlLedger,
        home: &Home,
        prices: &PriceBook,
        secrets: &Secrets,
    ) -> HomeArchivist {
        HomeArchivist {
            ledger: ledger.clone(),
            home: home.clone(),
            prices: prices.clone(),
            conversations: FileExporter::new(ledger.clone(), home.exports(), secrets.clone()),
        }
    }

    async fn write_file(self, order: FileOrder) -> Result<String, String> {
        match order {
            FileOrder::Conversation {
                mysis,
                name,
                format,
            } => self.conversations.export(mysis, &name, format).await,
            FileOrder::Report(since) => self.write_report(since).await,
            FileOrder::Backup => self.back_up().await,
        }
    }

    async fn write_report(self, since: Option<Arc<str>>) -> Result<String, String> {
        let asked = AskReport {
            since: since.map(|since| since.to_string()),
            ..AskReport::default()
        };
        let now = MachineClock.now();
        let asked = AskedPeriod::read(&asked, now, WallClock::Local)?;
        let report = PeriodReport {
            clock: WallClock::Local,
            ..asked.report((&self.ledger, &self.prices), now).await?
        };
        let text = report.render(ReportFormat::Html);
        let name = format!("report-{}.html", file_moment(now));
        let file = self.home.reports().join(&name);
        let put = tokio::task::spawn_blocking(move || self.home.put_report(&name, &text)).await;
        let put = put.map_err(|error| error.to_string())?;
        put.map_err(|error| format!("write {}: {error}", file.display()))?;
        Ok(format!("the report is in {}", file.display()))
    }

    async fn back_up(self) -> Result<String, String> {
        let file = self
            .home
            .exports()
            .join(format!("zoea-{}.db", file_moment(MachineClock.now())));
        self.home
            .make_exports()
            .map_err(|error| error.to_string())?;
        let written = self.ledger.back_up(&file).await;
        written.map_err(|error| error.to_string())?;
        Ok(format!(
            "the copy is in {}; it holds the passwords of the game accounts",
            file.display()
        ))
    }

    async fn sum_up_since(self, since: Timestamp) -> Result<AwaySummary, String> {
        let now = MachineClock.now();
        let period = time_away(since, now);
        if period.from >= period.until {
            return Ok(AwaySummary::default());
        }
        let report = PeriodReport::read((&self.ledger, &self.prices), period, now);
        Ok(report.await?.away())
    }
}

impl Archivist for HomeArchivist {
    fn write(&self, order: FileOrder) -> BoxFuture<'static, Result<String, String>> {
        self.clone().write_file(order).boxed()
    }

    fn sum_up(&self, since: Timestamp) -> BoxFuture<'static, Result<AwaySummary, String>> {
        self.clone().sum_up_since(since).boxed()
    }
}

fn time_away(since: Timestamp, now: Timestamp) -> Period {
    let earliest = Timestamp(now.0.saturating_sub(MAX_AWAY_MS));
    Period {
        from: since.clamp(earliest, now),
        until: now,
    }
}

fn file_moment(at: Timestamp) -> String {
    let shown = WallClock::Local.show(at);
    shown.format("%Y-%m-%d-%H%M%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_summed_up_is_never_longer_than_a_report() {
        let now = Timestamp(1_790_000_000_000);
        let days = |days: i64| Timestamp(now.0 - days * 86_400_000);
        for (since, from) in [
            (Timestamp(0), days(31)),
            (Timestamp(i64::MIN), days(31)),
            (days(2), days(2)),
            (days(-2), now),
        ] {
            assert_eq!(time_away(since, now), Period { from, until: now });
        }
    }
}
