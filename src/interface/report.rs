//! The report: the acts, gains and costs of the swarm in a day or any other time, for people.

mod away;
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
mod wall_clock;

use std::borrow::Cow;
use std::collections::BTreeMap;

use actors::domain::event_record::EventRecord;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::period::Period;
use serde::{Deserialize, Serialize};

use zoea_ledger::{MysisShare, PeriodRecord, SqlLedger};
use zoea_settings::ReportFormat;
use zoea_settings::prices::PriceBook;

pub use cost::Cost;
pub use curves::{CurveStep, Curves};
pub use holdups::{HoldKind, HoldUp};
pub use timeline::{ReportTimeline, Span, TimelineMark, TimelineSpanKind};
pub use values::ValueLine;
pub use wall_clock::WallClock;

/// What stands for credits that are not known: no result of that time had them.
const NOT_REPORTED: &str = "not reported";

/// Events that tell of a process. Where several share the database, the others go on.
const OF_A_PROCESS: [&str; 3] = ["closing", "up", "not_closed"];

/// From this length on a time of day says too little: longer than the longest day.
const LONG_MS: u64 = 25 * 3_600_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportLine {
    /// Its name, or what is known of a deleted one.
    pub name: String,
    pub turns: u64,
    /// Faults that stopped it.
    pub faults: u64,
    pub credits: Option<(i64, i64)>,
    /// The credits that it earned according to its samples. Without samples it is the change of its
    /// credits.
    #[serde(default)]
    pub earned: Option<i64>,
    pub spent: Cost,
}

#[derive(Clone, Copy, Debug)]
struct OfMoney(bool);

const OF_MONEY: OfMoney = OfMoney(true);
const OF_ANY: OfMoney = OfMoney(false);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportTotals {
    pub turns: u64,
    /// The credits earned; `None` if no result has credits.
    pub earned: Option<i64>,
    pub spent: Cost,
    /// The calls that routines made without asking a model.
    #[serde(rename = "spared_calls")]
    pub saved_calls: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeriodReport {
    /// The date, as `2026-11-22`, if it is of a day.
    pub day: Option<String>,
    #[serde(with = "moment")]
    pub from: Timestamp,
    /// When it ends, or what is told ends.
    #[serde(with = "moment")]
    pub until: Timestamp,
    #[serde(skip)]
    pub clock: WallClock,
    /// The calls that routines made without asking a model.
    #[serde(default, rename = "spared_calls")]
    pub saved_calls: u64,
    /// What the same hours came to a day before, or as many days before as it has; `None` if nothing was done then.
    #[serde(default)]
    pub before: Option<ReportTotals>,
    pub myses: Vec<ReportLine>,
    /// The cost of each day (UTC) up to its end.
    pub days: Vec<(String, Cost)>,
    #[serde(default)]
    pub curves: Curves,
    #[serde(default)]
    pub timeline: ReportTimeline,
    #[serde(default)]
    pub providers: Vec<ValueLine>,
    #[serde(default)]
    pub systems: Vec<ValueLine>,
    /// Who was held up, longest first.
    #[serde(default)]
    pub held_up: Vec<HoldUp>,
    /// Whether events may be missing, because only the newest are stored.
    #[serde(default)]
    pub are_events_cut: bool,
    /// Whether its tools are no game's, so that nothing is said of credits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_no_game: bool,
    /// The name of the number that stands in place of credits (`[mcp] number`), if one was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
}

impl ReportLine {
    /// `is_number`: whether its credits are another number, of which only levels are told.
    fn new((id, of): (MysisId, &MysisShare), spent: Cost, is_number: bool) -> ReportLine {
        // Who has samples and credits, and made no deal, earned nothing.
        let known = of.credits.filter(|_| !is_number).map(|_| 0);
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

impl PeriodReport {
    /// Makes the report of a period. `now`: what happened later is not known yet. `is_free`: whether a provider is
    /// known to be free of charge.
    #[must_use]
    pub fn from_record(
        period: Period,
        record: &PeriodRecord,
        now: Timestamp,
        is_free: impl Fn(&str) -> bool,
    ) -> PeriodReport {
        let times = (period.from, now.clamp(period.from, period.until));
        let spent = cost::sums(&record.spent, |entry| entry.mysis, &is_free);
        let days = cost::sums(&record.books, |entry| entry.day, &is_free);
        let named = record.samples.number.as_ref();
        let number = named.filter(|_| record.has_other_tools);
        let mut myses = Vec::new();
        let mut earned = BTreeMap::new();
        let mut waits = BTreeMap::new();
        for (id, of) in &record.myses {
            // Of a deleted Mysis the rows are gone, and the samples are left.
            let sampled_cost = || of.sampled.filter(|_| of.name.is_none());
            let spent = spent.get(id).copied();
            let of_samples = || sampled_cost().map(|flow| Cost::of_samples(&flow));
            let spent = spent.or_else(of_samples).unwrap_or_default();
            let mut line = ReportLine::new((*id, of), spent, number.is_some());
            let sampled = of.sampled.unwrap_or_default();
            line.spent.is_partly_unknown |= sampled.tokens_unpriced > 0;
            earned.insert(*id, line.gained());
            waits.insert(*id, (line.name.clone(), sampled.waited_ms));
            myses.push(line);
        }
        myses.sort_by(values::compare_value);
        let has_no_credits = earned.values().all(Option::is_none);
        let is_of_no_game = record.has_other_tools && (has_no_credits || number.is_some());
        let systems = match is_of_no_game {
            true => Vec::new(),
            false => values::by_system(record),
        };
        let events = events_of_swarm(record);
        PeriodReport {
            from: times.0,
            until: times.1,
            saved_calls: record.saved_calls,
            days: days
                .into_iter()
                .map(|(day, cost)| (day.to_string(), cost))
                .collect(),
            curves: Curves::of_samples(&record.samples),
            timeline: ReportTimeline::of_events(&events, times, myses.len()),
            providers: values::by_provider(record, &earned, &is_free),
            systems,
            held_up: holdups::read_holdups(&events, times, &waits),
            are_events_cut: record.are_events_cut,
            is_of_no_game,
            number: number.map(ToString::to_string),
            myses,
            ..PeriodReport::default()
        }
    }

    /// Reads the report of a period.
    pub async fn read(
        (ledger, prices): (&SqlLedger, &PriceBook),
        period: Period,
        now: Timestamp,
    ) -> Result<PeriodReport, String> {
        let record = ledger.period(period).await;
        let record = record.map_err(|fault| format!("the database cannot be read: {fault}"))?;
        let is_free = |provider: &str| prices.is_free(provider);
        Ok(PeriodReport::from_record(period, &record, now, is_free))
    }

    /// Adds what the same hours came to before, if anything was done then.
    #[must_use]
    pub fn compared_with(mut self, before: &PeriodReport) -> PeriodReport {
        let total = before.total();
        let was_busy = total.turns > 0 || total.spent.calls > 0 || before.saved_calls > 0;
        self.before = was_busy.then(|| before.totals());
        self
    }

    pub fn totals(&self) -> ReportTotals {
        let total = self.total();
        ReportTotals {
            turns: total.turns,
            earned: total.earned,
            spent: total.spent,
            saved_calls: self.saved_calls,
        }
    }

    /// Its day, or from when until when it is.
    pub fn title(&self) -> String {
        if let Some(day) = &self.day {
            return day.clone();
        }
        let (from, until) = (self.clock.show(self.from), self.clock.show(self.until));
        let until = match from.date_naive() == until.date_naive() {
            true => until.format("%H:%M"),
            false => until.format("%Y-%m-%d %H:%M"),
        };
        format!("{} to {until}", from.format("%Y-%m-%d %H:%M"))
    }

    /// A moment as its clock shows it: the time, with the day where it has more than one.
    fn time(&self, at: Timestamp) -> String {
        let shown = self.clock.show(at);
        match self.until.since(self.from) > LONG_MS {
            true => shown.format("%m-%d %H:%M").to_string(),
            false => shown.format("%H:%M").to_string(),
        }
    }

    /// Those of the columns, tiles or curves that it has: what is of money only where a game told of it.
    fn having<T>(&self, all: impl IntoIterator<Item = (T, OfMoney)>) -> Vec<T> {
        let has = |of: OfMoney| !of.0 || self.has_worth();
        let shown = all.into_iter().filter(|(_, of)| has(*of));
        shown.map(|(one, _)| one).collect()
    }

    /// Whether work is judged by credits, or by the number that the operator named.
    fn has_worth(&self) -> bool {
        !self.is_of_no_game || self.number.is_some()
    }

    /// The column of what was brought.
    fn gain_column(&self) -> &'static str {
        match self.number {
            Some(_) => "gained",
            None => "earned",
        }
    }

    /// What work is judged by. The name of a number is as the operator gave it.
    fn worth(&self) -> &str {
        self.number.as_deref().unwrap_or("credits")
    }

    fn gain(&self) -> String {
        match &self.number {
            Some(name) => format!("change of {name}"),
            None => "credits earned".to_string(),
        }
    }

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

    pub fn render(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Markdown => markdown::render_text(self),
            ReportFormat::Html => html::render_page(self),
        }
    }
}

/// The events that say how the swarm was.
fn events_of_swarm(record: &PeriodRecord) -> Cow<'_, [EventRecord]> {
    if !record.is_shared {
        return Cow::Borrowed(&record.events[..]);
    }
    let is_of_swarm = |event: &&EventRecord| !OF_A_PROCESS.contains(&&*event.code);
    Cow::Owned(record.events.iter().filter(is_of_swarm).cloned().collect())
}

#[cfg(test)]
mod tests;
