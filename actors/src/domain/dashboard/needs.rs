//! Needs: who cannot go on without the operator, and the one key that helps.

use std::sync::Arc;

use crate::domain::event::{Activity, LinkState, Standing, State};
use crate::domain::ids::{MysisId, Timestamp};

use super::roster::Roster;
use super::tone::Tone;

/// Somebody who needs the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Who.
    pub mysis: MysisId,
    /// Its name.
    pub name: Arc<str>,
    /// Since when.
    pub since: Timestamp,
    /// What is the matter, in a word.
    pub what: &'static str,
    /// What is the matter, in full.
    pub why: Arc<str>,
    /// How bad it is.
    pub tone: Tone,
    /// The key that helps; empty where only patience or the configuration does.
    pub key: &'static str,
    /// What that key does.
    pub help: &'static str,
}

/// Who needs the operator, the newest first.
#[must_use]
pub fn needs(roster: &Roster) -> Vec<Need> {
    let mut needs: Vec<Need> = roster
        .members()
        .values()
        .filter_map(|member| need(&member.standing))
        .collect();
    needs.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| a.name.cmp(&b.name)));
    needs
}

fn need(standing: &Standing) -> Option<Need> {
    let reason = || standing.reason.clone().unwrap_or_default();
    let need = |what, why, since, tone, key, help| {
        Some(Need {
            mysis: standing.id,
            name: standing.name.clone(),
            since,
            what,
            why,
            tone,
            key,
            help,
        })
    };
    match standing.state {
        State::Errored => {
            let fault = standing.fault.as_ref();
            let why = fault.map_or_else(reason, |fault| fault.text.as_str().into());
            let since = fault.map_or(standing.last_activity_at, |fault| fault.at);
            need("errored", why, since, Tone::Errored, "r", "relaunch")
        }
        State::Idle if standing.reason.is_some() => {
            let since = standing.last_activity_at;
            need("waits", reason(), since, Tone::Warning, "m", "message")
        }
        State::Running => {
            let since = standing.activity_since;
            if let Activity::Paused(why) = &standing.activity {
                return need("paused", why.clone(), since, Tone::Warning, "", "");
            }
            if standing.link == LinkState::Down {
                let why = "the game server cannot be reached; it goes on without tools".into();
                return need("no tools", why, since, Tone::Warning, "", "");
            }
            None
        }
        State::Idle | State::Stopped => None,
    }
}
