//! `[reports]`: whether the running program writes one for each day.

use super::rule::Keyword;
use super::section::Section;

/// The reports in `HOME/reports`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportSettings {
    /// How that of each day is written once the day is over (UTC); none: it is not.
    pub daily: Option<DailyReport>,
}

/// How a daily report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DailyReport {
    /// As Markdown.
    Markdown,
    /// As a page.
    Html,
}

/// The words for it.
const DAILY_REPORT_WORDS: Keyword<DailyReport> =
    Keyword(&[("md", DailyReport::Markdown), ("html", DailyReport::Html)]);

impl ReportSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            daily: section.read("daily", &DAILY_REPORT_WORDS),
        }
    }
}
