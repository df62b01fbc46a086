//! Needs: what needs the operator, and the remedy. The screen, `status`, alerts and metrics share this rule.

mod book;
mod lines;
mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use strum::VariantArray;

use super::budget::{OWN_PAUSE, RESUMES, SWARM_PAUSE};
use super::event::{Activity, LinkState, MysisStatus, PARKED_PREFIX};
use super::ids::{MysisId, Timestamp};
use super::message::Severity;
use super::progress::{StallKind, Stuck};
use super::state::LifeState;

pub use book::{AWAY_MS, NeedBook};
pub use lines::{ACCOUNT_WORDS, ListedNeed, NeedHolder, NeedingMysis, SingleNeed};
pub use words::{help_command, over_need, shown_need};

/// The need of one whose first turns brought no successful tool call.
const NO_CALLS: &str = "no calls yet";
/// The need of one that the operator has to log in by a link.
const LOG_IN: &str = "log in";
const NOT_DELIVERED: &str = "not delivered";
/// The need of one whose call asks the operator.
const ASKED: &str = "asked";
/// The need of one most of whose latest calls failed.
const MOST_FAIL: &str = "calls fail";

const NO_TOOLS: &str = "no tools";
const NO_ACCESS_NEED: &str = "no access";

const NO_ACCESS: &str = "the MCP server refuses access: token_env (or token_name) and [mcp.headers] \
                         of the configuration say where its token is; correct it and start again";

const ERRORED: &str = "errored";
/// The need of one that runs and may not go on for now.
const PAUSED: &str = "paused";
const LOGIN_REFUSED: &str = "login refused";

/// How a need says that a budget is spent: the swarm's, and that of one Mysis.
const SWARM_BUDGET_SPENT: &str = "the swarm's budget of today is spent";
const OWN_BUDGET_SPENT: &str = "its budget of today is spent";
const RAISE_BUDGET: &str = "to allow more today: `zoea budget AMOUNT`, in US dollars or as `30M tokens`; for good: \
                            write it under [budget] of the configuration and reload it";

const RAISE_OWN_BUDGET: &str = "to allow more, write the amount under [budget] of the configuration and \
                                reload it (`:reload`, or SIGHUP)";

/// What stands in the advice about a key that a provider refuses.
pub const KEY_WORDS: &str = "api_key_env";

/// What is behind a need, in the order in which needs are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeedCause {
    Store,
    /// The disk of the database is nearly full.
    Disk,
    /// The game's server is away, or refuses access.
    Game,
    /// The game refuses logins.
    Login,
    /// A model server is away.
    Model,
    /// A key is missing or refused.
    Key,
    /// A provider's account has nothing left.
    Account,
    Budget,
    Mysis,
}

impl NeedCause {
    /// The word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            NeedCause::Store => "store",
            NeedCause::Disk => "disk",
            NeedCause::Game => "game",
            NeedCause::Login => "login",
            NeedCause::Model => "model",
            NeedCause::Key => "key",
            NeedCause::Account => "account",
            NeedCause::Budget => "budget",
            NeedCause::Mysis => "mysis",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub cause: NeedCause,
    pub mysis: MysisId,
    pub name: Arc<str>,
    pub since: Timestamp,
    pub what: &'static str,
    pub why: Arc<str>,
    pub severity: Severity,
    pub remedy: NeedRemedy,
}

impl Need {
    /// Whether the operator has to do something for this Mysis alone, so that its reason stands for
    /// no other one.
    pub fn is_its_own(&self) -> bool {
        is_of_one(self.what)
    }

    /// What it has in common with needs into which it turns and back: they are one trouble with one age.
    pub fn family(&self) -> &'static str {
        match self.remedy {
            NeedRemedy::Message | NeedRemedy::Stop => "play",
            NeedRemedy::Relaunch
            | NeedRemedy::ResumeAll
            | NeedRemedy::Answer
            | NeedRemedy::TryNow
            | NeedRemedy::Raise
            | NeedRemedy::Nothing => self.what,
        }
    }
}

/// Whether the operator has to do something for one Mysis alone.
fn is_of_one(what: &str) -> bool {
    [LOG_IN, ASKED].contains(&what)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum NeedRemedy {
    Relaunch,
    /// Start all Myses that ran when the program ended.
    ResumeAll,
    Message,
    Stop,
    Answer,
    /// Have the server tried at once.
    TryNow,
    /// Type how much the swarm may spend today.
    Raise,
    /// Wait, or change the configuration.
    Nothing,
}

impl NeedRemedy {
    /// The name of the remedy; empty if there is none.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            NeedRemedy::Relaunch => "relaunch",
            NeedRemedy::ResumeAll => "resume all of these",
            NeedRemedy::Message => "message",
            NeedRemedy::Stop => "stop",
            NeedRemedy::Answer => "answer",
            NeedRemedy::TryNow => "try now",
            NeedRemedy::Raise => "allow more",
            NeedRemedy::Nothing => "",
        }
    }
}

pub fn operator_need(status: &MysisStatus) -> Option<Need> {
    let need = need_of_state(status);
    let order = status.undelivered.as_ref();
    let order = order.filter(|_| match status.state {
        LifeState::Errored | LifeState::Stopped => false,
        LifeState::Idle => !status.is_interrupted(),
        LifeState::Running => need.as_ref().is_none_or(|need| !need.is_its_own()),
    });
    let Some(order) = order else {
        return need;
    };
    Some(Need {
        cause: NeedCause::Mysis,
        mysis: status.id,
        name: status.name.clone(),
        since: order.since,
        what: NOT_DELIVERED,
        why: order.why.clone(),
        severity: Severity::Error,
        remedy: NeedRemedy::Message,
    })
}

fn need_of_state(status: &MysisStatus) -> Option<Need> {
    let reason = || status.reason.clone().unwrap_or_default();
    let (what, why, since, severity, remedy) = match status.state {
        LifeState::Errored => {
            let fault = status.fault.as_ref();
            let why = fault.map_or_else(reason, |fault| fault.text.clone());
            let why = match why.contains(KEY_WORDS) {
                true => format!("provider {}: {why}", status.profile.provider).into(),
                false => why,
            };
            let since = fault.map_or(status.last_activity_at, |fault| fault.at);
            (ERRORED, why, since, Severity::Error, NeedRemedy::Relaunch)
        }
        LifeState::Idle if status.is_interrupted() => {
            let why = "it ran when the program ended".into();
            let since = status.last_activity_at;
            let remedy = NeedRemedy::ResumeAll;
            ("interrupted", why, since, Severity::Warn, remedy)
        }
        LifeState::Idle if status.reason.is_some() => {
            let since = status.last_activity_at;
            let why = reason();
            let (what, why) = match why.strip_prefix(PARKED_PREFIX) {
                Some(why) => ("parked", format!("zoea made it idle: {why}").into()),
                None => ("waits", why),
            };
            (what, why, since, Severity::Warn, NeedRemedy::Message)
        }
        LifeState::Running => need_of_running(status)?,
        LifeState::Idle | LifeState::Stopped => return None,
    };
    Some(Need {
        cause: cause_of(what, &why),
        mysis: status.id,
        name: status.name.clone(),
        since,
        what,
        why,
        severity,
        remedy,
    })
}

/// What a running Mysis needs: what, why, since when, how bad it is, and what helps.
fn need_of_running(
    status: &MysisStatus,
) -> Option<(&'static str, Arc<str>, Timestamp, Severity, NeedRemedy)> {
    if let LinkState::LoginRefused(words) = &status.link {
        let why = format!(
            "the game refuses the login: {words}; `zoea accounts list` shows the accounts, \
             `zoea accounts import FILE` changes them"
        );
        let (since, remedy) = (status.link_since, NeedRemedy::TryNow);
        return Some((LOGIN_REFUSED, why.into(), since, Severity::Error, remedy));
    }
    if let Some((what, why, remedy)) = what_holds(&status.activity) {
        let since = status.activity_since;
        return Some((what, why, since, Severity::Warn, remedy));
    }
    if let Activity::Asked(question) = &status.activity {
        let (since, why) = (status.activity_since, question.summary().into());
        return Some((ASKED, why, since, Severity::Warn, NeedRemedy::Answer));
    }
    if status.link == LinkState::NoAccess {
        let since = status.link_since;
        let (why, remedy) = (NO_ACCESS.into(), NeedRemedy::Nothing);
        return Some((NO_ACCESS_NEED, why, since, Severity::Error, remedy));
    }
    if status.link == LinkState::Down {
        let server = status.tool_server();
        let mut why = format!("no session with {server}; it waits until one opens");
        if let Some(fault) = &status.link_fault {
            why = format!("{why}: {fault}");
        }
        let why = why.into();
        let since = status.link_since;
        return Some((NO_TOOLS, why, since, Severity::Warn, NeedRemedy::TryNow));
    }
    let (what, why, since, remedy) = trouble_of_calls(status)?;
    Some((what, why, since, Severity::Warn, remedy))
}

fn cause_of(what: &str, why: &str) -> NeedCause {
    match what {
        NO_TOOLS | NO_ACCESS_NEED => NeedCause::Game,
        LOGIN_REFUSED => NeedCause::Login,
        ERRORED if why.contains(KEY_WORDS) => NeedCause::Key,
        PAUSED
            if [SWARM_BUDGET_SPENT, OWN_BUDGET_SPENT]
                .iter()
                .any(|spent| why.starts_with(spent)) =>
        {
            NeedCause::Budget
        }
        _ => NeedCause::Mysis,
    }
}

/// What a running Mysis waits for that is neither a server nor its next turn.
fn what_holds(activity: &Activity) -> Option<(&'static str, Arc<str>, NeedRemedy)> {
    if let Activity::AwaitingLogin(what) = activity {
        return Some((LOG_IN, what.clone(), NeedRemedy::Nothing));
    }
    let Activity::Paused(why) = activity else {
        return None;
    };
    // Other reasons may have the words of a server.
    let (rest, spent, advice, remedy) = if let Some(rest) = why.strip_prefix(SWARM_PAUSE) {
        let spent = format!("{SWARM_BUDGET_SPENT}: all Myses pause");
        (rest, spent, RAISE_BUDGET, NeedRemedy::Raise)
    } else if let Some(rest) = why.strip_prefix(OWN_PAUSE) {
        let spent = format!("{OWN_BUDGET_SPENT}: it pauses");
        (rest, spent, RAISE_OWN_BUDGET, NeedRemedy::Nothing)
    } else {
        return Some((PAUSED, why.clone(), NeedRemedy::Nothing));
    };
    let until = rest.strip_prefix(RESUMES);
    let until = until.map_or_else(String::new, |at| format!(" until {at}"));
    let text = format!("{spent}{until}; {advice}");
    Some((PAUSED, text.into(), remedy))
}

/// What is wrong with the calls of a running Mysis, why, since when, and what helps.
fn trouble_of_calls(
    status: &MysisStatus,
) -> Option<(&'static str, Arc<str>, Timestamp, NeedRemedy)> {
    if let Some(silence) = &status.silence
        && let Some(since) = silence.since()
    {
        return Some((NO_CALLS, silence.why().into(), since, NeedRemedy::Stop));
    }
    if let Some(stuck) = &status.stuck {
        let (what, why) = words_of(stuck);
        return Some((what, why, stuck.since, NeedRemedy::Message));
    }
    let failing = status.failing.as_ref()?;
    Some((
        MOST_FAIL,
        failing.why().into(),
        failing.since,
        NeedRemedy::Message,
    ))
}

fn words_of(stuck: &Stuck) -> (&'static str, Arc<str>) {
    let turns = stuck.turns;
    let tool = stuck.tool.as_deref().unwrap_or("one call");
    let (what, why) = match stuck.way {
        StallKind::Repeats => (
            "repeats",
            format!("{tool} failed in each of its last {turns} turns"),
        ),
        StallKind::OnlyText => (
            "only talks",
            format!("it called no tool in its last {turns} turns"),
        ),
        StallKind::AllCallsFail => (
            "only fails",
            format!("every call of its last {turns} turns failed"),
        ),
        StallKind::Looping => (
            "circles",
            format!("it made the same calls in its last {turns} turns and gained nothing"),
        ),
        StallKind::Inactive => (
            "no gain",
            format!("it gained nothing in its last {turns} turns"),
        ),
    };
    (what, why.into())
}
