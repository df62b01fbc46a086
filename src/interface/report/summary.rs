//! The day in a few sentences, with which both forms of a report begin.

use super::figures::{duration, group_count, group_thousands};
use super::holdups::HoldUp;
use super::timeline::SpanKind;
use super::values::ValueLine;
use super::{DayReport, ReportLine};

/// Systems in which Myses spent less time together are left out, in minutes: a visit is no rate.
const MIN_SYSTEM_MINUTES: i64 = 10;

/// The day in sentences. They hold names as the outside gave them.
pub(super) fn sentences(report: &DayReport) -> Vec<String> {
    let total = report.total();
    if total.turns == 0 && total.spent.calls == 0 && report.curves.steps.is_empty() {
        return vec!["Nothing was done on this day.".to_string()];
    }
    let all = [
        Some(result(report, &total)),
        extremes(report),
        systems(report),
        held_up(report),
        outages(report),
    ];
    all.into_iter().flatten().collect()
}

fn result(report: &DayReport, total: &ReportLine) -> String {
    let active = report.myses.iter().filter(|line| line.turns > 0).count();
    let who = match active {
        1 => "1 Mysis".to_string(),
        count => format!("{count} Myses"),
    };
    let cost = &total.spent;
    let costs = match (cost.cost_micros, cost.is_partly_unknown) {
        (0, true) => "at a cost that is unknown".to_string(),
        (0, false) => "free of charge".to_string(),
        (_, true) => format!("for {} prices", cost.dollars()),
        (_, false) => format!("for {}", cost.dollars()),
    };
    let each = match (cost.cost_micros, cost.is_partly_unknown, total.earned) {
        (0, _, _) | (_, true, _) | (_, _, None) => String::new(),
        _ => {
            let each = cost.credits_per_dollar(total.earned);
            format!(", {each} credits for each dollar")
        }
    };
    match total.earned {
        Some(earned) => format!(
            "{who} earned {} credits {costs}{each}.",
            group_thousands(earned)
        ),
        None if report.is_of_no_game => {
            format!("{who} took {} turns {costs}.", group_count(total.turns))
        }
        None => format!(
            "{who} took {} turns {costs}; no result told of credits.",
            group_count(total.turns)
        ),
    }
}

/// Who earned the most and the least.
fn extremes(report: &DayReport) -> Option<String> {
    let told = || report.myses.iter().filter(|line| line.gained().is_some());
    let (best, worst) = (told().next()?, told().next_back()?);
    let (most, least) = (best.gained()?, worst.gained()?);
    (most > least).then(|| {
        format!(
            "{} earned the most ({}), {} the least ({}).",
            best.name,
            group_thousands(most),
            worst.name,
            group_thousands(least)
        )
    })
}

/// Where credits came fastest and slowest.
fn systems(report: &DayReport) -> Option<String> {
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

/// Who was held up for longest.
fn held_up(report: &DayReport) -> Option<String> {
    let held_ms = |of: &HoldUp| {
        of.held_ms
            .values()
            .fold(0_u64, |sum, ms| sum.saturating_add(*ms))
    };
    let held = || report.held_up.iter().filter(|of| held_ms(of) > 0);
    let longest = held().max_by_key(|of| held_ms(of))?;
    let time = duration(held_ms(longest));
    Some(match held().count() {
        1 => format!("{} was held up, for {time}.", longest.name),
        count => format!(
            "{count} were held up, {} for longest: {time}.",
            longest.name
        ),
    })
}

fn outages(report: &DayReport) -> Option<String> {
    let spans = report.timeline.spans.iter();
    let outages = spans.filter(|span| span.kind == SpanKind::Outage);
    let lengths: Vec<u64> = outages.map(|span| span.until.since(span.from)).collect();
    let longest = duration(*lengths.iter().max()?);
    Some(match lengths.len() {
        1 => format!("A server was away for {longest}."),
        count => format!("Servers were away {count} times, at most for {longest}."),
    })
}
