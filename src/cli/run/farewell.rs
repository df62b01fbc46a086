//! What the shell shows after the terminal is closed: what the run came to, and how it goes on.
//!
//! It is made of the stored samples, which are at most ten seconds old: a run of a few seconds has
//! nothing to tell.

use std::time::Duration;

use actors::domain::message::Severity;
use actors::domain::standing::{StandingConditions, StandingKind};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;
use zoea_spacemolt::figures::group_digits;

use crate::cli::shown;
use crate::control::answer_call;
use crate::control::call::ControlCall;
use crate::control::parameters::ReadSamples;
use crate::wiring::RunningSwarm;

/// What a run came to since it began, in a few lines. `None` if nothing was asked of a model.
/// `resume` is the command that starts those again that run now; it is not told where they go on.
pub(super) async fn describe(
    flight: &RunningSwarm,
    began: DateTime<Utc>,
    resume: Option<&str>,
) -> Option<String> {
    let standing = flight.swarm().standing().await;
    // After trouble of the store, its own text names the command that comes first.
    let is_well = standing.get(StandingKind::StoreTrouble).is_none();
    let resume = resume.filter(|_| is_well);
    let standing = describe_standing(&standing);
    let sum = describe_run(flight, began, resume).await;
    let texts: Vec<String> = standing.into_iter().chain(sum).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What is wrong at the end with the store and its disk, a line each.
pub(super) fn describe_standing(standing: &StandingConditions) -> Vec<String> {
    let lasting = standing.iter().filter(|(kind, _)| kind.is_in_band());
    lasting
        .map(|(kind, condition)| match kind.severity() {
            Severity::Error => {
                let text = condition.text.replace(" and tries on", "");
                format!("at the end: {text}")
            }
            Severity::Info | Severity::Warn => format!("warning: {}", condition.text),
        })
        .collect()
}

async fn describe_run(
    flight: &RunningSwarm,
    began: DateTime<Utc>,
    resume: Option<&str>,
) -> Option<String> {
    let about = flight.program_info(String::new());
    let asked = ReadSamples {
        myses: None,
        since: Some(began.to_rfc3339_opts(SecondsFormat::Millis, true)),
        until: None,
        resolution: None,
        sum: true,
    };
    let samples = answer_call(flight.swarm(), &about, ControlCall::ReadSamples(asked));
    let samples = samples.await.ok()?.value;
    let status = answer_call(flight.swarm(), &about, ControlCall::whole_status()).await;
    let running = status.ok()?.value["states"]["running"]
        .as_u64()
        .unwrap_or(0);
    let ran = (Utc::now() - began).to_std().unwrap_or_default();
    describe_sum(&samples["series"][0], ran, (running, resume))
}

fn describe_sum(
    sum: &Value,
    ran: Duration,
    (running, resume): (u64, Option<&str>),
) -> Option<String> {
    let samples = sum["samples"].as_array()?;
    let total = |key: &str| -> u64 { samples.iter().filter_map(|it| it[key].as_u64()).sum() };
    if total("model_calls") == 0 {
        return None;
    }
    let earned: Vec<i64> = samples
        .iter()
        .filter_map(|it| it["earned"].as_i64())
        .collect();
    let earned = match earned.is_empty() {
        true => String::new(),
        false => {
            let sum: i64 = earned.iter().sum();
            format!("{} credits earned, ", shown::figure(&sum.into()))
        }
    };
    let tokens = group_digits(total("tokens_in") + total("tokens_out"));
    let costs: Option<Vec<f64>> = samples.iter().map(|it| it["cost"].as_f64()).collect();
    let cost = match costs {
        Some(costs) => shown::dollars(Some(costs.iter().sum())),
        None => "cost unknown".to_string(),
    };
    // Whole minutes: seconds of a long run tell nobody anything.
    let ran = match ran.as_secs() {
        short @ ..120 => Duration::from_secs(short),
        long => Duration::from_secs(long / 60 * 60),
    };
    let mut text = format!(
        "{}: {earned}{tokens} tokens, {cost}",
        humantime::format_duration(ran)
    );
    if let Some(command) = resume.filter(|_| running > 0) {
        text += &format!("\n{running} ran at the end; `{command}` starts them again");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_summed_up_and_what_is_unknown_is_not_guessed() {
        let minute = |earned: Value, cost: Value| {
            json!({"earned": earned, "cost": cost, "model_calls": 2, "tokens_in": 1_000,
                "tokens_out": 20})
        };
        let sum =
            json!({"samples": [minute(json!(700), json!(0.5)), minute(json!(-50), json!(1))]});
        let ran = Duration::from_secs(7_999);
        assert_eq!(
            describe_sum(&sum, ran, (3, Some("zoea run --resume"))).unwrap(),
            "2h 13m: 650 credits earned, 2,040 tokens, $1.50\n\
             3 ran at the end; `zoea run --resume` starts them again"
        );
        let sum = json!({"samples": [minute(Value::Null, Value::Null)]});
        assert_eq!(
            describe_sum(&sum, Duration::from_secs(59), (2, None)).unwrap(),
            "59s: 1,020 tokens, cost unknown"
        );
        assert_eq!(describe_sum(&json!({"samples": []}), ran, (0, None)), None);
    }
}
