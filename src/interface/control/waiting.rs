//! Waiting: until a Mysis is in a state, and until an event is stored. However many clients wait, the
//! swarm and the database are read once for all of them.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::needs::operator_need;
use actors::domain::state::LifeState;
use serde_json::Value;
use tokio::time::Instant;
use zoea_contract::{Conditions, LostJson, WaitedJson, to_value};
use zoea_text::natural::compare_natural;

use crate::interface::swarm::Swarm;

use super::ProgramInfo;
use super::parameters::WaitFor;
use super::status;

const LOOK: Duration = Duration::from_millis(250);
/// The longest wait of a call. Whoever waits longer calls again.
const MAX_WAIT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub enum Until {
    Idle,
    /// It said that the mission is done.
    Done,
    Errored,
    NeedsMe,
    /// It said something with its newest direct message in sight.
    Answered,
    Meets(Conditions),
}

impl Until {
    /// Reads a word, or conditions.
    ///
    /// # Errors
    /// It is neither.
    pub fn parse(text: &str) -> Result<Until, String> {
        match text.trim() {
            "idle" => Ok(Until::Idle),
            "done" => Ok(Until::Done),
            "errored" => Ok(Until::Errored),
            "needs-me" => Ok(Until::NeedsMe),
            "answered" => Ok(Until::Answered),
            conditions => Conditions::parse(conditions).map(Until::Meets).map_err(|why| {
                format!(
                    "wait until idle, done, errored, needs-me, answered, or until conditions are met: {why}"
                )
            }),
        }
    }

    async fn holds(
        &self,
        swarm: &Swarm,
        about: &ProgramInfo,
        status: &Arc<MysisStatus>,
    ) -> Result<bool, String> {
        Ok(match self {
            Until::Idle => status.state == LifeState::Idle,
            Until::Done => status.activity == Activity::Done,
            Until::Errored => status.state == LifeState::Errored,
            Until::NeedsMe => operator_need(status).is_some(),
            Until::Answered => {
                let answered = swarm.ledger().has_answered(status.id).await;
                answered.map_err(unreadable)?.ok_or_else(|| {
                    format!(
                        "{0} got no direct message: `zoea send {0} TEXT`",
                        status.name
                    )
                })?
            }
            Until::Meets(conditions) => {
                conditions.fit(&status::one_status(swarm, about, status).await)
            }
        })
    }

    /// Why it will not hold by itself any more.
    fn hopeless(&self, status: &MysisStatus) -> Option<&'static str> {
        let is_errored = status.state == LifeState::Errored;
        match self {
            Until::Idle | Until::Done | Until::Answered => is_errored.then_some("errored"),
            // These may hold in any state.
            Until::Errored | Until::NeedsMe | Until::Meets(_) => None,
        }
    }
}

#[derive(Default)]
struct WaitProgress {
    met: Vec<Arc<str>>,
    open: Vec<Arc<str>>,
    /// For whom it will not hold by itself, with the reason.
    lost: Vec<(Arc<str>, Arc<str>)>,
}

impl WaitProgress {
    /// What came of it: `met`, `lost`, or nothing yet.
    fn outcome(&self, is_any: bool) -> Option<&'static str> {
        let (met, open, lost) = (self.met.len(), self.open.len(), self.lost.len());
        match is_any {
            true if met > 0 => Some("met"),
            true if open == 0 => Some("lost"),
            false if lost > 0 => Some("lost"),
            false if open == 0 => Some("met"),
            true | false => None,
        }
    }

    fn answer(&self, outcome: &str) -> Value {
        let names = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect();
        let lost = self.lost.iter().map(|(mysis, why)| LostJson {
            mysis: mysis.to_string(),
            why: why.to_string(),
        });
        to_value(&WaitedJson {
            outcome: outcome.to_string(),
            met: names(&self.met),
            open: names(&self.open),
            lost: lost.collect(),
        })
    }
}

/// Answers when it holds, when it will not by itself, or when the time is over.
pub(super) async fn wait_for(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: &WaitFor,
) -> Result<Value, String> {
    let until = Until::parse(&asked.until)?;
    let end = end_of(asked.timeout);
    let names = match &asked.myses {
        Some(names) => names
            .split(',')
            .map(|name| name.trim().to_string())
            .collect(),
        None => {
            let all = swarm.names().await?.into_values();
            let mut all: Vec<String> = all.map(|name| name.to_string()).collect();
            all.sort_by(|a, b| compare_natural(a, b));
            all
        }
    };
    if names.is_empty() {
        return Err("there is no Mysis to wait for".to_string());
    }
    let begun = Instant::now();
    loop {
        // What was read for others before it was asked may not be so any more.
        let statuses = statuses(swarm, begun.elapsed().min(LOOK)).await?;
        let mut progress = WaitProgress::default();
        for name in &names {
            let Some(status) = statuses.iter().find(|status| *status.name == **name) else {
                // While the program closes it knows none, and all are stored.
                match swarm.id_of(name).await {
                    Ok(_) => progress.open.push(name.as_str().into()),
                    Err(why) => progress.lost.push((name.as_str().into(), why.into())),
                }
                continue;
            };
            match until.hopeless(status) {
                _ if until.holds(swarm, about, status).await? => {
                    progress.met.push(status.name.clone())
                }
                Some(why) => progress.lost.push((status.name.clone(), why.into())),
                None => progress.open.push(status.name.clone()),
            }
        }
        let outcome = progress.outcome(asked.any);
        if outcome.is_some() || Instant::now() >= end {
            return Ok(progress.answer(outcome.unwrap_or("timeout")));
        }
        tokio::time::sleep_until((Instant::now() + LOOK).min(end)).await;
    }
}

/// When a wait of so many seconds is over.
pub(super) fn end_of(seconds: Option<f64>) -> Instant {
    let wanted = seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
    let wanted = wanted.map_or(MAX_WAIT, |wanted| wanted.unwrap_or(MAX_WAIT));
    Instant::now() + wanted.min(MAX_WAIT)
}

/// Waits until there is an event after the one of this number, or until the end.
pub(super) async fn until_newer_event(
    swarm: &Swarm,
    from: i64,
    end: Instant,
) -> Result<(), String> {
    while Instant::now() < end {
        tokio::time::sleep_until((Instant::now() + LOOK).min(end)).await;
        let newest = swarm
            .glances()
            .newest_event
            .get(LOOK, swarm.ledger().newest_event());
        if newest.await.map_err(unreadable)? > from {
            return Ok(());
        }
    }
    Ok(())
}

/// The statuses of all Myses, at most so old; an error while the program closes, since then there are none.
async fn statuses(swarm: &Swarm, age: Duration) -> Result<Arc<[Arc<MysisStatus>]>, String> {
    let read = async { Ok(status::current_statuses(swarm).await.into()) };
    swarm.glances().statuses.get(age, read).await
}

fn unreadable(fault: impl Display) -> String {
    format!("the database cannot be read: {fault}")
}
