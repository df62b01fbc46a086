//! The time in a few sentences, with which both forms of a report begin.

use zoea_text::names::plural;

use super::figures::{credits, duration, group_thousands, with_sign};
use super::timeline::TimelineSpanKind;
use super::values::ValueLine;
use super::{PeriodReport, ReportLine, ReportTotals};
use zoea_text::figures::group_digits;

/// Systems in which Myses spent less time together are left out, in minutes: a visit is no rate.
const MIN_SYSTEM_MINUTES: i64 = 10;

/// The time in sentences. They hold names as the outside gave them.
pub(super) fn sentences(report: &PeriodReport) -> Vec<String> {
    let total = report.total();
    if total.turns == 0 && total.spent.calls == 0 && report.curves.steps.is_empty() {
        let when = match report.day {
            Some(_) => "on this day",
            None => "in this time",
        };
        return vec![format!("Nothing was done {when}.")];
    }
    let all = [
        Some(result(report, &total)),
        saved(report, &total),
        before(report, &total),
        extremes(report),
        systems(report),
        held_up(report),
        outages(report),
    ];
    all.into_iter().flatten().collect()
}

fn result(report: &PeriodReport, total: &ReportLine) -> String {
    let active = report.myses.iter().filter(|line| line.turns > 0).count();
    let who = match active {
        1 => "1 Mysis".to_string(),
        count => format!("{count} Myses"),
    };
    let cost = &total.spent;
    let costs = match (cost.cost_micros, cost.is_partly_unknown) {
        (0, true) => "at an unknown cost".to_string(),
        (0, false) => "free of charge".to_string(),
        (_, true) => format!("for {} prices", cost.dollars()),
        (_, false) => format!("for {}", cost.dollars()),
    };
    let each = match (cost.cost_micros, cost.is_partly_unknown, total.earned) {
        (0, _, _) | (_, true, _) | (_, _, None) => String::new(),
        _ => {
            let each = cost.credits_per_dollar(total.earned);
            match report.number {
                Some(_) => format!(", {each} for each dollar"),
                None => format!(", {each} credits for each dollar"),
            }
        }
    };
    match (total.gained(), &report.number) {
        (Some(change), Some(name)) => {
            format!(
                "{who} changed {name} by {} {costs}{each}.",
                with_sign(change)
            )
        }
        (Some(earned), None) => format!(
            "{who} earned {} credits {costs}{each}.",
            group_thousands(earned)
        ),
        (None, _) if report.is_of_no_game => {
            format!("{who} took {} turns {costs}.", group_digits(total.turns))
        }
        (None, _) => format!(
            "{who} took {} turns {costs}; no tool result showed credits.",
            group_digits(total.turns)
        ),
    }
}

fn saved(report: &PeriodReport, total: &ReportLine) -> Option<String> {
    let calls = report.saved_calls;
    let worth = total.spent.worth_of(calls);
    (calls > 0).then(|| {
        let counted = group_digits(calls);
        format!(
            "Routines saved {counted} model {}{worth}.",
            plural(calls, "call")
        )
    })
}

/// What the same hours brought before, and by how much more or less it is now.
fn before(report: &PeriodReport, total: &ReportLine) -> Option<String> {
    let before = report.before.as_ref()?;
    let cost = before.spent.dollars();
    let Some(earned) = before.earned else {
        let turns = group_digits(before.turns);
        return Some(format!(
            "The same hours before: {turns} turns, cost {cost}."
        ));
    };
    let change = total.gained().filter(|_| earned > 0).map(|now| {
        let percent = (i128::from(now) - i128::from(earned)) * 100 / i128::from(earned);
        let percent = i64::try_from(percent).unwrap_or(i64::MAX);
        let sign = if percent > 0 { "+" } else { "" };
        format!("; now {sign}{} %", group_thousands(percent))
    });
    let change = change.unwrap_or_default();
    Some(match &report.number {
        Some(name) => format!(
            "The same hours before: {name} {}, cost {cost}{change}.",
            with_sign(earned)
        ),
        None => format!(
            "The same hours before: {} credits, cost {cost}{change}.",
            group_thousands(earned)
        ),
    })
}

/// What the time comes to, figure by figure, beside the same hours before: what it is, now, and before.
pub(super) fn compared(report: &PeriodReport) -> Vec<[String; 3]> {
    let Some(before) = &report.before else {
        return Vec::new();
    };
    let figures = |of: &ReportTotals| {
        [
            credits(of.earned),
            of.spent.dollars(),
            of.spent.credits_per_dollar(of.earned),
            group_digits(of.spent.tokens()),
            group_digits(of.turns),
            group_digits(of.saved_calls),
        ]
    };
    let (now, before) = (figures(&report.totals()), figures(before));
    let whats = [
        report.gain(),
        "cost".to_string(),
        format!("{} per dollar", report.worth()),
        "tokens".to_string(),
        "turns".to_string(),
        "calls saved by routines".to_string(),
    ];
    let rows = whats.into_iter().zip(now).zip(before);
    rows.map(|((what, now), before)| [what, now, before])
        .collect()
}

fn extremes(report: &PeriodReport) -> Option<String> {
    let earners = || report.myses.iter().filter(|line| line.gained().is_some());
    let (best, worst) = (earners().next()?, earners().next_back()?);
    let (most, least) = (best.gained()?, worst.gained()?);
    (most > least).then(|| {
        format!(
            "{} {} the most ({}), {} the least ({}).",
            best.name,
            report.gain_column(),
            group_thousands(most),
            worst.name,
            group_thousands(least)
        )
    })
}

/// Where credits came fastest and slowest.
fn systems(report: &PeriodReport) -> Option<String> {
    let long = |line: &&ValueLine| line.minutes >= Some(MIN_SYSTEM_MINUTES);
    let known = report.systems.iter().filter(long).filter_map(|line| {
        let name = line.name.as_ref()?;
        Some((line.earned_hourly()?, name))
    });
    let known: Vec<(i64, &String)> = known.collect();
    let (fast, slow) = (known.iter().max()?, known.iter().min()?);
    (fast.0 > slow.0).then(|| {
        format!(
            "An hour of a Mysis brought the most in {} ({}) and the least in {} ({}).",
            fast.1,
            group_thousands(fast.0),
            slow.1,
            group_thousands(slow.0)
        )
    })
}

fn held_up(report: &PeriodReport) -> Option<String> {
    let held = || report.held_up.iter().filter(|of| of.whole_held_ms() > 0);
    let longest = held().max_by_key(|of| of.whole_held_ms())?;
    let time = duration(longest.whole_held_ms());
    Some(match held().count() {
        1 => format!("{} was held up, for {time}.", longest.name),
        count => format!(
            "{count} were held up, {} for longest: {time}.",
            longest.name
        ),
    })
}

fn outages(report: &PeriodReport) -> Option<String> {
    let total = report.timeline.totals.get(&TimelineSpanKind::Outage)?;
    let longest = duration(total.longest.first()?.length_ms());
    Some(match total.count {
        1 => format!("A server was away for {longest}."),
        count => format!("Servers were away {count} times, at most for {longest}."),
    })
}
