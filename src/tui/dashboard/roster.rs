//! The roster: how every Mysis stands, as the Myses say themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::{MysisId, Seq};
use actors::domain::login_progress::{self, LoginStage};
use actors::domain::state::LifeState;

/// All Myses.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    members: BTreeMap<MysisId, RosterMember>,
    /// By how much the Myses' own figures of tokens have grown since this was begun.
    flowed: u64,
}

/// One Mysis.
#[derive(Clone, Debug, PartialEq)]
pub struct RosterMember {
    /// How it stands.
    pub standing: Arc<MysisStatus>,
    /// Its newest words that were heard of.
    pub newest_words: Seq,
    /// The newest words that the operator has had in sight.
    pub read: Seq,
}

impl RosterMember {
    /// Whether it said something that the operator has not seen.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.newest_words > self.read
    }
}

/// How many Myses are in which state, and what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub all: usize,
    /// Running.
    pub running: usize,
    /// Idle.
    pub idle: usize,
    /// Stopped.
    pub stopped: usize,
    /// Errored.
    pub errored: usize,
    /// Waiting for a model.
    pub asking: usize,
    /// Waiting for a tool, travel included.
    pub calling: usize,
    /// Waiting for their turn to ask or to log in, or to try again.
    pub queueing: usize,
    /// Logging in, or waiting to.
    pub coming: usize,
    /// Logged in.
    pub here: usize,
    /// The newest tick that anyone has heard of.
    pub tick: Option<i64>,
    /// Tokens used, both ways.
    pub tokens: u64,
    /// Cost in millionths of a dollar.
    pub cost_micros: u64,
}

impl Roster {
    /// Everybody, by id.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<MysisId, RosterMember> {
        &self.members
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: MysisId) -> Option<&RosterMember> {
        self.members.get(&id)
    }

    /// The one of that name.
    #[must_use]
    pub fn find_by_name(&self, name: &str) -> Option<&RosterMember> {
        self.members
            .values()
            .find(|member| &*member.standing.name == name)
    }

    /// Takes notice of how one stands.
    ///
    /// Whether that one was not known before.
    pub fn update_member(&mut self, standing: &Arc<MysisStatus>) -> bool {
        match self.members.get_mut(&standing.id) {
            Some(member) => {
                let grown = tokens(standing).saturating_sub(tokens(&member.standing));
                self.flowed = self.flowed.saturating_add(grown);
                member.standing = standing.clone();
                false
            }
            None => {
                let member = RosterMember {
                    standing: standing.clone(),
                    newest_words: Seq(0),
                    read: Seq(0),
                };
                self.members.insert(standing.id, member);
                true
            }
        }
    }

    /// By how much the Myses' own figures of tokens have grown since this was begun.
    #[must_use]
    pub fn tokens_used(&self) -> u64 {
        self.flowed
    }

    /// One is gone.
    pub fn remove(&mut self, id: MysisId) {
        self.members.remove(&id);
    }

    /// Only these exist.
    pub fn replace(&mut self, statuses: &[Arc<MysisStatus>]) {
        let mut before = std::mem::take(&mut self.members);
        for standing in statuses {
            if let Some(member) = before.remove(&standing.id) {
                self.members.insert(standing.id, member);
            }
            self.update_member(standing);
        }
    }

    /// One said something.
    pub fn record_words(&mut self, id: MysisId, seq: Seq) {
        if let Some(member) = self.members.get_mut(&id) {
            member.newest_words = member.newest_words.max(seq);
        }
    }

    /// The operator has seen what one said.
    pub fn read(&mut self, id: MysisId) {
        if let Some(member) = self.members.get_mut(&id) {
            member.read = member.newest_words;
        }
    }

    /// Counts them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for RosterMember { standing, .. } in self.members.values() {
            counts.all += 1;
            match standing.state {
                LifeState::Running => counts.running += 1,
                LifeState::Idle => counts.idle += 1,
                LifeState::Stopped => counts.stopped += 1,
                LifeState::Errored => counts.errored += 1,
            }
            match login_progress::login_stage(standing) {
                LoginStage::Coming => counts.coming += 1,
                LoginStage::Here => counts.here += 1,
                LoginStage::Elsewhere => {}
            }
            match &standing.activity {
                Activity::CallingModel | Activity::Answering(_) => counts.asking += 1,
                Activity::CallingTool(_)
                | Activity::Travelling
                | Activity::Mining
                | Activity::Fighting => counts.calling += 1,
                Activity::Queueing(_) | Activity::CoolingDown(_) | Activity::Connecting => {
                    counts.queueing += 1;
                }
                Activity::Resting
                | Activity::Rebuilding
                | Activity::Pausing
                | Activity::InTransit
                | Activity::OnCooldown
                | Activity::Recording
                | Activity::Paused(_) => {}
            }
            counts.tick = counts.tick.max(standing.tick);
            counts.tokens = counts.tokens.saturating_add(tokens(standing));
            counts.cost_micros = counts
                .cost_micros
                .saturating_add(standing.totals.cost_micros);
        }
        counts
    }
}

fn tokens(standing: &MysisStatus) -> u64 {
    let totals = standing.totals;
    totals.tokens_in.saturating_add(totals.tokens_out)
}

#[cfg(test)]
mod tests {
    use crate::dashboard::tests::standing;
    use actors::domain::event::{Activity, LinkState, MysisStatus};
    use actors::domain::ids::Lane;
    use actors::domain::login_progress::{LoginStage, login_stage};
    use actors::domain::state::LifeState;

    #[test]
    fn only_who_runs_is_on_the_way() {
        let one = |state, activity, link| {
            let mut one = MysisStatus::clone(&standing(1, "m", state));
            (one.activity, one.link) = (activity, link);
            login_stage(&one)
        };
        let (running, local) = (LifeState::Running, Lane::Provider("local".into()));
        assert_eq!(
            one(running, Activity::Queueing(Lane::Logins), LinkState::None),
            LoginStage::Coming
        );
        assert_eq!(
            one(running, Activity::Connecting, LinkState::Down),
            LoginStage::Coming
        );
        assert_eq!(
            one(running, Activity::Queueing(local), LinkState::Ok),
            LoginStage::Here
        );
        assert_eq!(
            one(running, Activity::Pausing, LinkState::None),
            LoginStage::Elsewhere
        );
        assert_eq!(
            one(LifeState::Stopped, Activity::Resting, LinkState::Ok),
            LoginStage::Elsewhere
        );
    }
}
