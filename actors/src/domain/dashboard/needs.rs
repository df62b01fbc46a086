//! Needs: who cannot go on without the operator, and the one key that helps.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::event::{Activity, LinkState, Standing, State};
use crate::domain::ids::{MysisId, Timestamp};
use crate::domain::progress::{Stuck, Way};

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

/// Those with the same trouble, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The place of the newest among all who need the operator.
    pub newest: usize,
    /// Who.
    pub myses: Vec<MysisId>,
}

/// The troubles there are, the newest first.
#[must_use]
pub fn troubles(needs: &[Need]) -> Vec<Trouble> {
    let mut troubles: Vec<Trouble> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (newest, need) in needs.iter().enumerate() {
        let place = *known.entry((need.what, &need.why)).or_insert_with(|| {
            let myses = Vec::new();
            troubles.push(Trouble { newest, myses });
            troubles.len() - 1
        });
        troubles[place].myses.push(need.mysis);
    }
    troubles
}

/// Whether one who stands like this needs the operator, and for what.
#[must_use]
pub fn need(standing: &Standing) -> Option<Need> {
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
        State::Idle if standing.is_interrupted() => {
            let why = "it ran when the program ended".into();
            let since = standing.last_activity_at;
            let what = "interrupted";
            need(what, why, since, Tone::Warning, "R", "resume all of these")
        }
        State::Idle if standing.reason.is_some() => {
            let since = standing.last_activity_at;
            let why = reason();
            let what = if standing.is_parked() {
                "parked"
            } else {
                "waits"
            };
            need(what, why, since, Tone::Warning, "m", "message")
        }
        State::Running => {
            if let Activity::Paused(why) = &standing.activity {
                let since = standing.activity_since;
                return need("paused", why.clone(), since, Tone::Warning, "", "");
            }
            if standing.link == LinkState::Down {
                let why = "the game server cannot be reached; it waits until it can".into();
                let since = standing.link_since;
                return need("no tools", why, since, Tone::Warning, "s", "stop");
            }
            let stuck = standing.stuck.as_ref()?;
            let (what, why) = words_of(stuck);
            need(what, why, stuck.since, Tone::Warning, "m", "message")
        }
        State::Idle | State::Stopped => None,
    }
}

/// What is the matter with one that gets nowhere.
fn words_of(stuck: &Stuck) -> (&'static str, Arc<str>) {
    let turns = stuck.turns;
    let tool = stuck.tool.as_deref().unwrap_or("one call");
    let (what, why) = match stuck.way {
        Way::Repeats => (
            "repeats",
            format!("{tool} failed in each of its last {turns} turns"),
        ),
        Way::Talks => (
            "only talks",
            format!("called no tool in its last {turns} turns"),
        ),
        Way::Fails => (
            "only fails",
            format!("every call of its last {turns} turns failed"),
        ),
        Way::Circles => (
            "circles",
            format!("made the same calls in its last {turns} turns, and gained nothing"),
        ),
        Way::Idles | Way::Ails => (
            "no gain",
            format!("gained nothing in its last {turns} turns"),
        ),
    };
    (what, why.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dashboard::tests::standing;

    #[test]
    fn whoever_gets_nowhere_needs_the_operator_the_newest_first() {
        let stuck = |tool: Option<&str>, since| {
            Some(Stuck {
                since: Timestamp(since),
                turns: 5,
                tool: tool.map(Into::into),
                way: if tool.is_some() {
                    Way::Repeats
                } else {
                    Way::Talks
                },
            })
        };
        let [repeats, talks] = [stuck(Some("mine"), 10), stuck(None, 30)];
        let mut roster = Roster::default();
        for (id, stuck) in [(1, repeats), (2, talks)] {
            let mut one = Standing::clone(&standing(id, &format!("m{id}"), State::Running));
            one.stuck = stuck;
            roster.stands(&Arc::new(one));
        }
        let mut down = Standing::clone(&standing(3, "m3", State::Running));
        down.link = LinkState::Down;
        down.link_since = Timestamp(20);
        roster.stands(&Arc::new(down));
        let needs = needs(&roster);
        let seen: Vec<_> = needs
            .iter()
            .map(|need| (need.what, need.key, &*need.why))
            .collect();
        assert_eq!(
            seen,
            [
                ("only talks", "m", "called no tool in its last 5 turns"),
                (
                    "no tools",
                    "s",
                    "the game server cannot be reached; it waits until it can"
                ),
                ("repeats", "m", "mine failed in each of its last 5 turns"),
            ]
        );
    }
}
