//! The daily report: the acts, gains and costs of the swarm in a day, for people.

mod cost;
mod curves;
mod figures;
mod holdups;
mod html;
mod markdown;
mod moment;
mod summary;
mod timeline;
mod values;

use std::collections::BTreeMap;

use actors::domain::books::Day;
use actors::domain::ids::{MysisId, Timestamp};
use serde::{Deserialize, Serialize};

use zoea_ledger::{DayRecord, MysisDay};

pub use cost::Cost;
pub use curves::{CurveStep, Curves};
pub use holdups::{HoldKind, HoldUp};
pub use timeline::{Mark, Span, SpanKind, Timeline};
pub use values::ValueLine;

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

/// The figures of one Mysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportLine {
    /// Its name, or what is known of a deleted one.
    pub name: String,
    /// Turns.
    pub turns: u64,
    /// Faults that stopped it.
    pub faults: u64,
    /// Its credits at the beginning and at the end of the day.
    pub credits: Option<(i64, i64)>,
    /// The credits that it earned according to its samples. Without samples it is the change of its
    /// credits.
    #[serde(default)]
    pub earned: Option<i64>,
    /// Its cost.
    pub spent: Cost,
}

/// Whether something is about money.
#[derive(Clone, Copy, Debug)]
struct OfMoney(bool);

const OF_MONEY: OfMoney = OfMoney(true);
const OF_ANY: OfMoney = OfMoney(false);

/// The report of one day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayReport {
    /// The date, as `2026-11-22`.
    pub day: String,
    /// All Myses, by value.
    pub myses: Vec<ReportLine>,
    /// The cost of each day up to this one.
    pub days: Vec<(String, Cost)>,
    /// The curves of the day.
    #[serde(default)]
    pub curves: Curves,
    /// What stands beside the curves.
    #[serde(default)]
    pub timeline: Timeline,
    /// What each provider brought.
    #[serde(default)]
    pub providers: Vec<ValueLine>,
    /// What each system brought.
    #[serde(default)]
    pub systems: Vec<ValueLine>,
    /// Who was held up, longest first.
    #[serde(default)]
    pub held_up: Vec<HoldUp>,
    /// Whether events of the day may be missing, because only the newest are stored.
    #[serde(default)]
    pub are_events_cut: bool,
    /// Whether its tools are no game's, so that nothing is said of credits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_no_game: bool,
}

impl ReportLine {
    fn new(id: MysisId, of: &MysisDay, spent: Cost) -> ReportLine {
        // Who has samples and credits, and made no deal, earned nothing.
        let known = of.credits.map(|_| 0);
        ReportLine {
            name: of.name.clone().unwrap_or_else(|| format!("(deleted) {id}")),
            turns: of.turns,
            faults: of.faults,
            credits: of.credits,
            earned: of.sampled.and_then(|flow| flow.earned.or(known)),
            spent,
        }
    }

    fn gained(&self) -> Option<i64> {
        let change = self.credits.map(|(first, last)| last.saturating_sub(first));
        self.earned.or(change)
    }
}

impl DayReport {
    /// Makes the report of a day. `now`: what happened later is not known yet. `is_free`: whether a
    /// provider is known to be free of charge.
    #[must_use]
    pub fn from_record(
        day: Day,
        record: &DayRecord,
        now: Timestamp,
        is_free: impl Fn(&str) -> bool,
    ) -> DayReport {
        let times = (
            day.start_time(),
            now.clamp(day.start_time(), day.end_time()),
        );
        let mut spent = BTreeMap::<MysisId, Cost>::new();
        let mut days = BTreeMap::<Day, Cost>::new();
        for entry in &record.books {
            let cost = Cost::of_entry(entry, is_free(&entry.provider));
            days.entry(entry.day).or_default().add(&cost);
            if entry.day == day {
                spent.entry(entry.mysis).or_default().add(&cost);
            }
        }
        let mut myses = Vec::new();
        let mut earned = BTreeMap::new();
        let mut waits = BTreeMap::new();
        for (id, of) in &record.myses {
            let spent = spent.get(id).copied().unwrap_or_default();
            let mut line = ReportLine::new(*id, of, spent);
            let sampled = of.sampled.unwrap_or_default();
            line.spent.is_partly_unknown |= sampled.tokens_unpriced > 0;
            earned.insert(*id, line.gained());
            waits.insert(*id, (line.name.clone(), sampled.waited_ms));
            myses.push(line);
        }
        myses.sort_by(values::compare_value);
        let is_of_no_game = record.has_other_tools && earned.values().all(Option::is_none);
        let mut systems = values::by_system(record);
        if is_of_no_game {
            systems.clear();
        }
        DayReport {
            day: day.to_string(),
            days: days
                .into_iter()
                .map(|(day, cost)| (day.to_string(), cost))
                .collect(),
            curves: Curves::of_samples(&record.samples),
            timeline: Timeline::of_events(&record.events, times, myses.len()),
            providers: values::by_provider(day, record, &earned, &is_free),
            systems,
            held_up: holdups::read_holdups(&record.events, times, &waits),
            are_events_cut: record.are_events_cut,
            is_of_no_game,
            myses,
        }
    }

    /// Those of the columns, tiles or curves that it has: what is of money only where a game told of it.
    fn having<T, const N: usize>(&self, all: [(T, OfMoney); N]) -> Vec<T> {
        let has = |of: OfMoney| !(of.0 && self.is_of_no_game);
        let shown = all.into_iter().filter(|(_, of)| has(*of));
        shown.map(|(one, _)| one).collect()
    }

    /// The sum of all Myses.
    #[must_use]
    pub fn total(&self) -> ReportLine {
        let mut total = ReportLine {
            name: "all".to_string(),
            ..ReportLine::default()
        };
        for line in &self.myses {
            total.turns = total.turns.saturating_add(line.turns);
            total.faults = total.faults.saturating_add(line.faults);
            if let Some((first, last)) = line.credits {
                let (before, after) = total.credits.unwrap_or_default();
                let sums = (before.saturating_add(first), after.saturating_add(last));
                total.credits = Some(sums);
            }
            if let Some(gained) = line.gained() {
                total.earned = Some(total.earned.unwrap_or(0).saturating_add(gained));
            }
            total.spent.add(&line.spent);
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

#[cfg(test)]
mod tests;
