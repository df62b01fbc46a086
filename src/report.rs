//! The daily report: what the swarm did, earned and spent in a day, for people.

mod html;
mod markdown;

use actors::domain::books::{BudgetUse, Day};
use serde::{Deserialize, Serialize};

use zoea_ledger::DayRecord;

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// Plain text with tables.
    Markdown,
    /// One page that needs nothing else.
    Html,
}

impl ReportFormat {
    /// What a file of it ends in.
    #[must_use]
    pub fn file_extension(self) -> &'static str {
        match self {
            ReportFormat::Markdown => "md",
            ReportFormat::Html => "html",
        }
    }
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Model calls.
    pub calls: u64,
    /// Tokens of requests.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// Of those of requests, the ones that the provider had cached.
    pub tokens_cached: u64,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
}

/// One Mysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportLine {
    /// Its name, or what is left of it.
    pub name: String,
    /// Turns.
    pub turns: u64,
    /// Faults that took it down.
    pub faults: u64,
    /// Credits in the first and in the last look of the day.
    pub credits: Option<(i64, i64)>,
    /// What it spent.
    pub spent: Cost,
}

/// A day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DayReport {
    /// Which, as `2026-11-22`.
    pub day: String,
    /// All Myses, by name.
    pub myses: Vec<ReportLine>,
    /// What was spent in the days up to it.
    pub days: Vec<(String, Cost)>,
}

impl From<&BudgetUse> for Cost {
    fn from(spent: &BudgetUse) -> Cost {
        Cost {
            calls: spent.calls,
            tokens_in: spent.input,
            tokens_out: spent.output,
            tokens_cached: spent.cached,
            cost_micros: spent.cost_micros,
        }
    }
}

impl Cost {
    fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    fn dollars(&self) -> String {
        let cents = self.cost_micros / 100;
        format!("${}.{:04}", cents / 10_000, cents % 10_000)
    }
}

impl ReportLine {
    fn gained(&self) -> Option<i64> {
        self.credits.map(|(first, last)| last.saturating_sub(first))
    }
}

impl DayReport {
    /// The report of a day.
    #[must_use]
    pub fn from_record(day: Day, record: &DayRecord) -> DayReport {
        let named = record.myses.iter().map(|(id, of)| ReportLine {
            name: of.name.clone().unwrap_or_else(|| format!("(deleted) {id}")),
            turns: of.turns,
            faults: of.faults,
            credits: of.credits,
            spent: Cost::from(&of.spent),
        });
        let mut myses: Vec<ReportLine> = named.collect();
        myses.sort_by(|one, other| one.name.cmp(&other.name));
        let days = record.days.iter();
        DayReport {
            day: day.to_string(),
            myses,
            days: days
                .map(|(day, spent)| (day.to_string(), Cost::from(spent)))
                .collect(),
        }
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> ReportLine {
        let mut total = ReportLine {
            name: "all".to_string(),
            turns: 0,
            faults: 0,
            credits: None,
            spent: Cost::default(),
        };
        for line in &self.myses {
            total.turns += line.turns;
            total.faults += line.faults;
            if let Some((first, last)) = line.credits {
                let (before, after) = total.credits.unwrap_or_default();
                let sums = (before.saturating_add(first), after.saturating_add(last));
                total.credits = Some(sums);
            }
            let (sum, spent) = (&mut total.spent, &line.spent);
            sum.calls = sum.calls.saturating_add(spent.calls);
            sum.tokens_in = sum.tokens_in.saturating_add(spent.tokens_in);
            sum.tokens_out = sum.tokens_out.saturating_add(spent.tokens_out);
            sum.tokens_cached = sum.tokens_cached.saturating_add(spent.tokens_cached);
            sum.cost_micros = sum.cost_micros.saturating_add(spent.cost_micros);
        }
        total
    }

    /// Writes it.
    #[must_use]
    pub fn render(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Markdown => markdown::render_text(self),
            ReportFormat::Html => html::render_page(self),
        }
    }
}
