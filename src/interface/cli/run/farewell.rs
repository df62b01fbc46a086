//! What the shell shows after the terminal is closed: what the run came to, and how it goes on.
//!
//! What was used is the difference of the Myses' totals. What was earned is of the stored samples, which are of
//! whole minutes: the minute in which a run goes on where another one ended is not counted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::message::Severity;
use actors::domain::standing::{StandingConditions, StandingKind, WAITING_FOR_STORE};
use actors::domain::state::{LifeState, Totals};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use serde::Deserialize;
use zoea_contract::{SampleJson, SamplesJson, to_dollars};
use zoea_text::figures::group_digits;

use crate::interface::cli::shown;
use crate::interface::control::answer_call;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ReadSamples;
use crate::wiring::RunningSwarm;

/// How long the end waits for the last words, if no signal comes: those of a thousand Myses take a while. The
/// terminal is not given back before.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The same without a terminal, where the last words are of one look.
pub(super) const MAX_SHORT_WAIT: Duration = Duration::from_secs(1);

/// When a run began, and what its Myses had used by then.
pub(super) struct RunBeginning {
    at: DateTime<Utc>,
    totals: BTreeMap<MysisId, Totals>,
}

impl RunBeginning {
    /// The beginning of a run whose Myses were not started yet.
    pub(super) async fn of(flight: &RunningSwarm) -> RunBeginning {
        let statuses = flight.swarm().statuses().await;
        RunBeginning {
            at: Utc::now(),
            totals: statuses.iter().map(|of| (of.id, of.totals)).collect(),
        }
    }

    /// The tokens that those that run here used since, and what these cost in millionths of a US dollar.
    fn used(&self, now: &[Arc<MysisStatus>]) -> (u64, u64) {
        let (mut used, mut cost) = (0_u64, 0_u64);
        for of in now.iter().filter(|of| of.elsewhere.is_none()) {
            let before = self.totals.get(&of.id).copied().unwrap_or_default();
            let since = of.totals.tokens().saturating_sub(before.tokens());
            used = used.saturating_add(since);
            let since = of.totals.cost_micros.saturating_sub(before.cost_micros);
            cost = cost.saturating_add(since);
        }
        (used, cost)
    }

    /// From when on samples tell of this run alone.
    fn first_sample(&self) -> DateTime<Utc> {
        let is_first = self.totals.values().all(|of| of.turns == 0);
        let minute = self.at.duration_trunc(TimeDelta::minutes(1));
        match minute {
            Ok(minute) if !is_first => minute + TimeDelta::minutes(1),
            Ok(_) | Err(_) => self.at,
        }
    }
}

/// What a run came to since it began, in a few lines. `None` if nothing was asked of a model.
/// `resume` is the command that starts those again that run now; it is not told where they go on.
pub(super) async fn describe(
    flight: &RunningSwarm,
    began: &RunBeginning,
    resume: Option<&str>,
    stop: impl Future<Output = ()>,
) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    let collecting = async {
        let standing = flight.swarm().standing().await;
        // After trouble of the store, its own text names the command that comes first.
        let is_well = standing.get(StandingKind::StoreTrouble).is_none();
        texts.extend(describe_standing(&standing));
        texts.extend(describe_run(flight, began, resume.filter(|_| is_well)).await);
    };
    in_time(MAX_WAIT, collecting, stop).await;
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Collects last words until the time is over or the program shall stop: a store may give no answer.
pub(super) async fn in_time(
    most: Duration,
    collecting: impl Future<Output = ()>,
    stop: impl Future<Output = ()>,
) {
    // Cancel-safe: what is not there by then is left out.
    tokio::select! {
        _ = tokio::time::timeout(most, collecting) => {}
        () = stop => {}
    }
}

/// What is wrong at the end with the store and its disk, a line each.
pub(super) fn describe_standing(standing: &StandingConditions) -> Vec<String> {
    let lasting = standing.iter().filter(|(kind, _)| kind.is_in_band());
    lasting
        .map(|(kind, condition)| match kind.severity() {
            Severity::Error => {
                let text = condition.text.replace(WAITING_FOR_STORE, "");
                format!("at the end: {text}")
            }
            Severity::Info | Severity::Warn => format!("warning: {}", condition.text),
        })
        .collect()
}

async fn describe_run(
    flight: &RunningSwarm,
    began: &RunBeginning,
    resume: Option<&str>,
) -> Option<String> {
    let about = flight.program_info(String::new());
    let asked = ReadSamples {
        since: Some(began.first_sample().to_rfc3339()),
        sum: true,
        ..ReadSamples::default()
    };
    let samples = answer_call(flight.swarm(), &about, ControlCall::ReadSamples(asked));
    let samples = samples.await.ok()?.value;
    let samples = SamplesJson::deserialize(samples).ok()?;
    let ran = (Utc::now() - began.at).to_std().unwrap_or_default();
    let statuses = flight.swarm().statuses().await;
    let used = began.used(&statuses);
    let here = statuses.iter().filter(|of| of.elsewhere.is_none());
    let running = here.filter(|of| of.state == LifeState::Running).count();
    let sum = samples.series.first()?;
    describe_sum(&sum.samples, (ran, used), (running, resume))
}

fn describe_sum(
    samples: &[SampleJson],
    (ran, (tokens, cost_micros)): (Duration, (u64, u64)),
    (running, resume): (usize, Option<&str>),
) -> Option<String> {
    if tokens == 0 {
        return None;
    }
    let earned = samples.iter().filter_map(|it| it.earned);
    let earned = match earned.reduce(i64::saturating_add) {
        None => String::new(),
        Some(sum) => format!("{} credits earned, ", shown::number_or_hyphen(Some(sum))),
    };
    let tokens = group_digits(tokens);
    let is_known = samples.iter().all(|it| it.cost.is_some());
    let cost = match (is_known, samples.is_empty() && cost_micros == 0) {
        (true, true) => String::new(),
        (true, false) => format!(", {}", shown::dollars(Some(to_dollars(cost_micros)))),
        (false, _) => ", cost unknown".to_string(),
    };
    // Whole minutes: seconds of a long run do not matter.
    let ran = match ran.as_secs() {
        short @ ..120 => Duration::from_secs(short),
        long => Duration::from_secs(long / 60 * 60),
    };
    let mut text = format!(
        "ran for {}: {earned}{tokens} tokens{cost}",
        humantime::format_duration(ran)
    );
    if let Some(command) = resume.filter(|_| running > 0) {
        text += &format!("\n{running} of the Myses were running; `{command}` starts them again");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_store_that_gives_no_answer_holds_the_end_up_for_a_moment_and_not_after_a_signal() {
        use std::future::{pending, ready};
        let began = tokio::time::Instant::now();
        in_time(MAX_WAIT, pending(), ready(())).await;
        assert_eq!(began.elapsed(), Duration::ZERO);
        let mut texts = Vec::new();
        let collecting = async {
            texts.push("known");
            pending().await
        };
        in_time(MAX_SHORT_WAIT, collecting, pending()).await;
        assert!((MAX_SHORT_WAIT..MAX_WAIT).contains(&began.elapsed()));
        assert_eq!(texts, ["known"]);
    }

    #[test]
    fn a_run_is_summed_up_and_what_is_unknown_is_not_guessed() {
        let minute = |earned: Option<i64>, cost: Option<f64>| SampleJson {
            earned,
            cost,
            model_calls: 2,
            tokens_in: 1_000,
            tokens_out: 20,
            ..SampleJson::default()
        };
        let sum = [minute(Some(700), Some(0.5)), minute(Some(-50), Some(1.0))];
        let ran = Duration::from_secs(7_999);
        assert_eq!(
            describe_sum(
                &sum,
                (ran, (2_040, 1_500_000)),
                (3, Some("zoea run --resume"))
            )
            .unwrap(),
            "ran for 2h 13m: 650 credits earned, 2,040 tokens, $1.50\n\
             3 of the Myses were running; `zoea run --resume` starts them again"
        );
        let sum = [minute(None, None)];
        assert_eq!(
            describe_sum(&sum, (Duration::from_secs(59), (1_020, 0)), (2, None)).unwrap(),
            "ran for 59s: 1,020 tokens, cost unknown"
        );
        assert_eq!(describe_sum(&[], (ran, (0, 0)), (0, None)), None);
        assert_eq!(
            describe_sum(&[], (Duration::from_secs(3), (7, 0)), (0, None)),
            Some("ran for 3s: 7 tokens".to_string())
        );
    }
}
