//! `[reports]`: whether the running program writes daily reports.

use super::rule::one_of;
use super::table::section;

section! {
    /// The reports in `HOME/reports`.
    pub struct ReportSettings {
        optional daily: Option<ReportFormat> = "html",
            one_of([("md", ReportFormat::Markdown), ("html", ReportFormat::Html)]),
            "The format of each day's report, written when the day is over by this machine's clock; none: it is not written.";
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// Plain text with tables.
    Markdown,
    /// One HTML page without external parts.
    Html,
}
