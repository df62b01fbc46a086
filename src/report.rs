//! The daily report: the acts, gains and costs of the swarm in a day, for people.

mod html;
mod markdown;

use actors::domain::books::{BudgetUse, Day};
use serde::{Deserialize, Serialize};

use zoea_ledger::DayRecord;

/// What stands for credits that are not known: no Mysis asked the game for them on that day.
const NOT_ASKED: &str = "not asked";

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// Plain text with tables.
    Markdown,
    /// One HTML page without external parts.
    Html,
}

impl ReportFormat {
    /// The file extension of the format.
    #[must_use]
    pub fn file_extension(self) -> &'static str {
        match self {
            ReportFormat::Markdown => "md",
            ReportFormat::Html => "html",
        }
    }
}

/// The cost of model calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Model calls.
    pub calls: u64,
    /// Tokens of requests.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// The part of the request tokens that the provider had cached.
    pub tokens_cached: u64,
    /// The cost in millionths of a US dollar, without calls that have no known price.
    pub cost_micros: u64,
    /// Whether some tokens had no known price.
    #[serde(default)]
    pub is_partly_unknown: bool,
}

/// The figures of one Mysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportLine {
    /// Its name, or what is known of a deleted one.
    pub name: String,
    /// Turns.
    pub turns: u64,
    /// Faults that stopped it.
    pub faults: u64,
    /// Its credits at the first and at the last snapshot of the day.
    pub credits: Option<(i64, i64)>,
    /// Its cost.
    pub spent: Cost,
}

/// The report of one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DayReport {
    /// The date, as `2026-11-22`.
    pub day: String,
    /// All Myses, by name.
    pub myses: Vec<ReportLine>,
    /// The cost of each day up to this one.
    pub days: Vec<(String, Cost)>,
}

impl Cost {
    /// Tokens with a cost of 0 had no known price, unless all providers are free of charge.
    fn new(spent: &BudgetUse, is_all_free: bool) -> Cost {
        Cost {
            calls: spent.calls,
            tokens_in: spent.input,
            tokens_out: spent.output,
            tokens_cached: spent.cached,
            cost_micros: spent.cost_micros,
            is_partly_unknown: spent.cost_micros == 0 && spent.tokens() > 0 && !is_all_free,
        }
    }

    fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    fn dollars(&self) -> String {
        let cents = self.cost_micros / 100;
        let known = format!("${}.{:04}", cents / 10_000, cents % 10_000);
        match (self.cost_micros, self.is_partly_unknown) {
            (0, true) => "unknown".to_string(),
            (_, true) => format!("{known} and unknown"),
            (_, false) => known,
        }
    }
}

impl ReportLine {
    fn gained(&self) -> Option<i64> {
        self.credits.map(|(first, last)| last.saturating_sub(first))
    }
}

impl DayReport {
    /// Makes the report of a day. `is_all_free`: all providers are known to be free of charge.
    #[must_use]
    pub fn from_record(day: Day, record: &DayRecord, is_all_free: bool) -> DayReport {
        let named = record.myses.iter().map(|(id, of)| ReportLine {
            name: of.name.clone().unwrap_or_else(|| format!("(deleted) {id}")),
            turns: of.turns,
            faults: of.faults,
            credits: of.credits,
            spent: Cost::new(&of.spent, is_all_free),
        });
        let mut myses: Vec<ReportLine> = named.collect();
        myses.sort_by(|one, other| one.name.cmp(&other.name));
        let days = record.days.iter();
        DayReport {
            day: day.to_string(),
            myses,
            days: days
                .map(|(day, spent)| (day.to_string(), Cost::new(spent, is_all_free)))
                .collect(),
        }
    }

    /// The sum of all Myses.
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
            sum.is_partly_unknown |= spent.is_partly_unknown;
            sum.cost_micros = sum.cost_micros.saturating_add(spent.cost_micros);
        }
        total
    }

    /// Writes the report as text.
    #[must_use]
    pub fn render(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Markdown => markdown::render_text(self),
            ReportFormat::Html => html::render_page(self),
        }
    }
}
