//! The report of each day, written by the running program once the day is over.

use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use actors::domain::books::Day;
use actors::ports::Clock;
use tokio::task::JoinHandle;

use crate::clock::WallClock;
use crate::ledger::SqlLedger;
use crate::report::{Format, Report};
use crate::settings::DailyReport;

/// How long after midnight a day is over for good: calls under way then have been entered.
const AFTER: Duration = Duration::from_secs(300);

/// Begins to write reports into a directory: that of yesterday at once where there is none, those
/// that follow after each midnight (UTC).
pub(super) fn start(ledger: SqlLedger, directory: PathBuf, daily: DailyReport) -> JoinHandle<()> {
    let format = match daily {
        DailyReport::Markdown => Format::Markdown,
        DailyReport::Html => Format::Html,
    };
    tokio::spawn(async move {
        loop {
            let today = Day::of(WallClock.now());
            let day = Day(today.0 - 1);
            if let Err(error) = write(&ledger, &directory, day, format).await {
                tracing::warn!(%day, error = %format!("{error:#}"), "failed to write the report");
            }
            let next = today.ends().plus(AFTER);
            tokio::time::sleep(Duration::from_millis(next.since(WallClock.now()).max(1000))).await;
        }
    })
}

/// Writes the report of a day, unless there is one.
async fn write(
    ledger: &SqlLedger,
    directory: &Path,
    day: Day,
    format: Format,
) -> anyhow::Result<()> {
    let file = directory.join(format!("{day}.{}", format.ending()));
    if file.exists() {
        return Ok(());
    }
    let text = Report::of(day, &ledger.day(day).await?).written(format);
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(directory)?;
    // A piece of a report must not be taken for one.
    let mut beside = file.clone().into_os_string();
    beside.push(".new");
    let mut made = std::fs::OpenOptions::new();
    made.write(true).create(true).truncate(true).mode(0o600);
    made.open(&beside)?.write_all(text.as_bytes())?;
    match std::fs::rename(&beside, &file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}
