//! What happened while the operator was away, in a few words for the screen.

use std::cmp::Reverse;

use actors::domain::screen::AwaySummary;

use super::PeriodReport;
use super::figures::{duration, group_thousands, with_sign};
use super::holdups::HoldUp;
use super::timeline::{MAX_NAMED, Span};
use zoea_text::figures::group_digits;

impl PeriodReport {
    pub fn away(&self) -> AwaySummary {
        AwaySummary {
            gains: gains(self),
            held_up: held_up(self),
            outages: outages(self),
        }
    }
}

/// What was earned and spent, and the calls that routines saved.
fn gains(report: &PeriodReport) -> String {
    let total = report.totals();
    if total.turns == 0 && total.spent.calls == 0 && report.saved_calls == 0 {
        return String::new();
    }
    let cost = total.spent.dollars();
    let earned = match total.earned {
        Some(earned) => match &report.number {
            Some(name) => format!("{name} {}, cost {cost}", with_sign(earned)),
            None => format!("{} credits earned, cost {cost}", group_thousands(earned)),
        },
        None => format!("{} turns, cost {cost}", group_digits(total.turns)),
    };
    match report.saved_calls {
        0 => earned,
        saved => {
            let worth = total.spent.worth_of(saved);
            format!("{earned}, {} model calls saved{worth}", group_digits(saved))
        }
    }
}

fn held_up(report: &PeriodReport) -> String {
    let named = report.held_up.iter().filter_map(|of: &HoldUp| {
        let (kind, ms) = of.held_ms.iter().max_by_key(|(_, ms)| **ms)?;
        let still = if of.still.is_some() { ", still" } else { "" };
        Some(format!(
            "{} {} {}{still}",
            of.name,
            kind.title(),
            duration(*ms)
        ))
    });
    let named: Vec<String> = named.collect();
    let count = named.len();
    first_ones("held up: ", named, count)
}

fn outages(report: &PeriodReport) -> String {
    let totals = &report.timeline.totals;
    let mut spans: Vec<&Span> = totals.values().flat_map(|total| &total.longest).collect();
    spans.sort_by_key(|span| Reverse(span.length_ms()));
    let named = spans.into_iter().map(|span| {
        let still = if span.is_open { ", still" } else { "" };
        format!("{} {}{still}", span.what(), duration(span.length_ms()))
    });
    let count = totals.values().map(|total| total.count).sum();
    first_ones("", named.collect(), count)
}

/// The first ones, and how many more there are of all.
fn first_ones(before: &str, first: Vec<String>, count: usize) -> String {
    if first.is_empty() {
        return String::new();
    }
    let more = match count.saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown: Vec<String> = first.into_iter().take(MAX_NAMED).collect();
    format!("{before}{}{more}", shown.join(", "))
}
