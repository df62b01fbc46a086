//! `[reports]`: whether the running program writes one for each day.

use super::rule::one_of;
use super::table::section;

section! {
    /// The reports in `HOME/reports`.
    pub struct ReportSettings {
        optional daily: Option<DailyReport> = "html",
            one_of([("md", DailyReport::Markdown), ("html", DailyReport::Html)]),
            "How that of each day is written once the day is over (UTC); none: it is not.";
    }
}

/// How a daily report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DailyReport {
    /// As Markdown.
    Markdown,
    /// As a page.
    Html,
}
