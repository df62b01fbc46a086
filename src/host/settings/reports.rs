//! `[reports]`: whether the running program writes daily reports.

use super::rule::one_of;
use super::table::section;

section! {
    /// The reports in `HOME/reports`.
    pub struct ReportSettings {
        optional daily: Option<DailyReport> = "html",
            one_of([("md", DailyReport::Markdown), ("html", DailyReport::Html)]),
            "The format of each day's report, written when the day is over by this machine's clock; none: it is not written.";
    }
}

/// The format of a daily report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DailyReport {
    Markdown,
    Html,
}
