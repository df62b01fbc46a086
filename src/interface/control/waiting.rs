//! Waiting: until a Mysis is in a state, and until an event is stored. However many clients wait, the
//! swarm and the database are read once for all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::needs::operator_need;
use actors::domain::state::LifeState;
use serde_json::Value;
use tokio::time::Instant;
use zoea_contract::{Conditions, LostJson, WaitedJson, to_value};
use zoea_text::natural::compare_natural;

use crate::interface::swarm::{SeenMyses, Swarm, unreadable};

use super::ProgramInfo;
use super::parameters::{MAX_WAIT_SECONDS, WaitFor};
use super::status;

const LOOK: Duration = Duration::from_millis(250);
/// The longest wait of a call. Whoever waits longer calls again.
const MAX_WAIT: Duration = Duration::from_secs(MAX_WAIT_SECONDS);

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

    async fn holds(&self, look: &Look<'_>, status: &Arc<MysisStatus>) -> Result<bool, String> {
        Ok(match self {
            Until::Idle => status.state == LifeState::Idle,
            Until::Done => status.activity == Activity::Done,
            Until::Errored => status.state == LifeState::Errored,
            Until::NeedsMe => operator_need(status).is_some(),
            Until::Answered => {
                let answered = look.swarm.ledger().has_answered(status.id).await;
                answered.map_err(unreadable)?.ok_or_else(|| {
                    format!(
                        "{0} got no direct message: `zoea send {0} TEXT`",
                        status.name
                    )
                })?
            }
            Until::Meets(conditions) => {
                let process = look.process.as_deref();
                conditions.fit(&status::one_status(look.about, process, status))
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

/// How one of those that are waited for was at a look.
#[derive(Clone)]
enum Seen {
    Met,
    Open,
    /// It will not hold by itself, for this reason.
    Lost(Arc<str>),
}

/// One look at all Myses.
struct Look<'a> {
    swarm: &'a Swarm,
    about: &'a ProgramInfo,
    statuses: BTreeMap<&'a str, &'a Arc<MysisStatus>>,
    process: Option<Arc<str>>,
}

impl Look<'_> {
    /// How each of these is, and the place of the first one that is open, from a place on. Unless the look is whole, the
    /// others count as open from there on, other than those that may be lost: no other one ends a wait for all.
    async fn see_all(
        &self,
        until: &Until,
        names: &[String],
        (from, is_whole): (usize, bool),
    ) -> Result<(Vec<Seen>, Option<usize>), String> {
        let mut seen = vec![Seen::Open; names.len()];
        let mut first_open = None;
        for place in (from..names.len()).chain(0..from) {
            let is_settled = !is_whole && first_open.is_some();
            seen[place] = self.see(until, &names[place], is_settled).await?;
            let is_open = matches!(seen[place], Seen::Open);
            first_open = first_open.or(is_open.then_some(place));
        }
        Ok((seen, first_open))
    }

    async fn see(&self, until: &Until, name: &str, is_settled: bool) -> Result<Seen, String> {
        let Some(status) = self.statuses.get(name) else {
            // While the program closes it knows none, and all are stored. A read that fails says of none that it is gone.
            return Ok(match self.swarm.ledger().find_mysis(name).await {
                Ok(Some(_)) | Err(_) => Seen::Open,
                Ok(None) => Seen::Lost(self.swarm.unknown_mysis(name).await.into()),
            });
        };
        let hopeless = until.hopeless(status);
        if is_settled && hopeless.is_none() {
            return Ok(Seen::Open);
        }
        Ok(match hopeless {
            _ if until.holds(self, status).await? => Seen::Met,
            Some(why) => Seen::Lost(why.into()),
            None => Seen::Open,
        })
    }
}

/// What came of it: `met`, `lost`, or nothing yet.
fn outcome_of(seen: &[Seen], is_any: bool) -> Option<&'static str> {
    let mut all = seen.iter();
    match is_any {
        true if all.clone().any(|one| matches!(one, Seen::Met)) => Some("met"),
        true if all.all(|one| matches!(one, Seen::Lost(_))) => Some("lost"),
        false if all.clone().any(|one| matches!(one, Seen::Lost(_))) => Some("lost"),
        false if all.all(|one| matches!(one, Seen::Met)) => Some("met"),
        true | false => None,
    }
}

fn answer(outcome: &str, names: Vec<String>, seen: Vec<Seen>) -> Value {
    let mut waited = WaitedJson {
        outcome: outcome.to_string(),
        ..WaitedJson::default()
    };
    for (mysis, seen) in names.into_iter().zip(seen) {
        match seen {
            Seen::Met => waited.met.push(mysis),
            Seen::Open => waited.open.push(mysis),
            Seen::Lost(why) => waited.lost.push(LostJson {
                mysis,
                why: why.to_string(),
            }),
        }
    }
    to_value(&waited)
}

/// Answers when it holds, when it will not by itself, or when the time is over.
pub(super) async fn wait_for(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: &WaitFor,
) -> Result<Value, String> {
    let until = Until::parse(&asked.until)?;
    let end = end_of(asked.timeout);
    let names = awaited_names(swarm, asked).await?;
    let begun = Instant::now();
    // A look begins where the one before found the first one that is open.
    let mut first_open = None;
    loop {
        let is_last = Instant::now() >= end;
        // What was read for others before it was asked may not be so any more.
        let myses = seen_myses(swarm, begun.elapsed().min(LOOK)).await?;
        let statuses = myses.statuses.iter();
        let look = Look {
            swarm,
            about,
            statuses: statuses.map(|status| (&*status.name, status)).collect(),
            process: myses.process,
        };
        let is_whole = asked.any || is_last || first_open.is_none();
        let from = first_open.unwrap_or(0);
        let (seen, open) = look.see_all(&until, &names, (from, is_whole)).await?;
        let outcome = outcome_of(&seen, asked.any);
        if outcome == Some("lost") && !is_whole {
            // The answer says how each of them is.
            first_open = None;
            continue;
        }
        if outcome.is_some() || is_last {
            return Ok(answer(outcome.unwrap_or("timeout"), names, seen));
        }
        first_open = open;
        tokio::time::sleep_until((Instant::now() + LOOK).min(end)).await;
    }
}

/// The names of those that are waited for: those that were asked for, else all.
async fn awaited_names(swarm: &Swarm, asked: &WaitFor) -> Result<Vec<String>, String> {
    let names: Vec<String> = match &asked.myses {
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
    match names.is_empty() {
        true => Err("there is no Mysis to wait for".to_string()),
        false => Ok(names),
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

/// All Myses, read at most so long ago; none while the program closes.
async fn seen_myses(swarm: &Swarm, age: Duration) -> Result<SeenMyses, String> {
    let read = async {
        Ok(SeenMyses {
            statuses: status::current_statuses(swarm).await.into(),
            process: swarm.process_name().await,
        })
    };
    swarm.glances().myses.get(age, read).await
}
