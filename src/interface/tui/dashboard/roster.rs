//! The roster: the status of every Mysis, as the Myses report it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{ActivityFamily, MysisStatus};
use actors::domain::ids::{MysisId, Seq};
use actors::domain::login_progress::{self, LoginStage};
use actors::domain::state::LifeState;

use super::saving::loop_of;

#[derive(Clone, Debug, Default)]
pub struct Roster {
    members: BTreeMap<MysisId, RosterMember>,
    /// By how much the reported token counts have grown since this roster began.
    flowed: u64,
    /// By how much the reported counts of turns have.
    turned: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RosterMember {
    pub status: Arc<MysisStatus>,
    pub newest_words: Seq,
    /// The row of the newest words that the operator has seen.
    pub read: Seq,
}

impl RosterMember {
    /// Whether it said something that the operator has not seen.
    pub fn is_unread(&self) -> bool {
        self.newest_words > self.read
    }
}

/// The number of Myses in each state and activity, and the sums of their figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub all: usize,
    pub running: usize,
    pub idle: usize,
    pub stopped: usize,
    pub errored: usize,
    pub asking: usize,
    /// Waiting for a tool's result, travel included.
    pub calling: usize,
    /// Waiting for a free slot for a request or a login, or for a retry.
    pub queueing: usize,
    /// Repeating a loop that can be taken.
    pub looping: usize,
    /// Logging in, or waiting for it.
    pub coming: usize,
    /// Logged in.
    pub here: usize,
    pub tick: Option<i64>,
    pub turns: u64,
    /// Tokens used, prompt and reply.
    pub tokens: u64,
    /// Cost in millionths of a dollar.
    pub cost_micros: u64,
}

impl Roster {
    pub fn members(&self) -> &BTreeMap<MysisId, RosterMember> {
        &self.members
    }

    pub fn get(&self, id: MysisId) -> Option<&RosterMember> {
        self.members.get(&id)
    }

    pub fn find_by_name(&self, name: &str) -> Option<&RosterMember> {
        self.members
            .values()
            .find(|member| &*member.status.name == name)
    }

    /// Takes a status. Returns whether it is of a new Mysis.
    pub fn update_member(&mut self, status: &Arc<MysisStatus>) -> bool {
        let Some(member) = self.members.get_mut(&status.id) else {
            let member = RosterMember {
                status: status.clone(),
                newest_words: Seq(0),
                read: Seq(0),
            };
            self.members.insert(status.id, member);
            return true;
        };
        let (totals, before) = (status.totals, member.status.totals);
        let grown = totals.tokens().saturating_sub(before.tokens());
        self.flowed = self.flowed.saturating_add(grown);
        let turns = totals.turns.saturating_sub(before.turns);
        self.turned = self.turned.saturating_add(turns);
        // Of the rows of a Mysis that another process runs nobody tells here, but a turn of it has ended.
        if turns > 0 && status.elsewhere.is_some() && !status.last_words.is_empty() {
            member.newest_words = member.newest_words.next();
        }
        member.status = status.clone();
        false
    }

    /// By how much the reported token counts have grown since this roster began.
    pub fn tokens_used(&self) -> u64 {
        self.flowed
    }

    /// By how much the reported counts of turns have grown since this roster began.
    pub fn turns_made(&self) -> u64 {
        self.turned
    }

    pub fn remove(&mut self, id: MysisId) {
        self.members.remove(&id);
    }

    pub fn replace(&mut self, statuses: &[Arc<MysisStatus>]) {
        let mut before = std::mem::take(&mut self.members);
        for status in statuses {
            if let Some(member) = before.remove(&status.id) {
                self.members.insert(status.id, member);
            }
            self.update_member(status);
        }
    }

    pub fn record_words(&mut self, id: MysisId, seq: Seq) {
        if let Some(member) = self.members.get_mut(&id) {
            member.newest_words = member.newest_words.max(seq);
        }
    }

    /// Notes that the operator has seen what a Mysis said.
    pub fn read(&mut self, id: MysisId) {
        if let Some(member) = self.members.get_mut(&id) {
            member.read = member.newest_words;
        }
    }

    /// Whether the tools of any of them may tell of money and places: not if they are no game's.
    pub fn may_tell_facts(&self) -> bool {
        let mut members = self.members.values();
        self.members.is_empty() || members.any(|member| member.status.may_tell_facts())
    }

    /// The number of Myses that this process runs, and no other one of its fleet.
    pub fn running_here(&self) -> usize {
        let statuses = self.members.values().map(|member| &member.status);
        statuses
            .filter(|status| status.state == LifeState::Running && status.elsewhere.is_none())
            .count()
    }

    pub fn running_among(&self, ids: &[MysisId]) -> usize {
        let runs = |id: &&MysisId| {
            let member = self.members.get(id);
            member.is_some_and(|member| member.status.state == LifeState::Running)
        };
        ids.iter().filter(runs).count()
    }

    pub fn counts(&self) -> Counts {
        Counts::of(self.members.values())
    }
}

impl Counts {
    pub fn of<'a>(members: impl Iterator<Item = &'a RosterMember>) -> Counts {
        let mut counts = Counts::default();
        for RosterMember { status, .. } in members {
            counts.all += 1;
            match status.state {
                LifeState::Running => counts.running += 1,
                LifeState::Idle => counts.idle += 1,
                LifeState::Stopped => counts.stopped += 1,
                LifeState::Errored => counts.errored += 1,
            }
            match login_progress::login_stage(status) {
                LoginStage::Coming => counts.coming += 1,
                LoginStage::Here => counts.here += 1,
                LoginStage::Elsewhere => {}
            }
            match status.activity.family() {
                ActivityFamily::Model => counts.asking += 1,
                ActivityFamily::ToolCall => counts.calling += 1,
                ActivityFamily::Server | ActivityFamily::Connecting => counts.queueing += 1,
                ActivityFamily::Rest | ActivityFamily::OwnWork | ActivityFamily::Held => {}
            }
            counts.looping += usize::from(loop_of(status).is_some());
            counts.tick = counts.tick.max(status.tick);
            counts.turns = counts.turns.saturating_add(status.totals.turns);
            counts.tokens = counts.tokens.saturating_add(status.totals.tokens());
            counts.cost_micros = counts.cost_micros.saturating_add(status.totals.cost_micros);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use crate::dashboard::tests::status;
    use std::sync::Arc;

    use super::{Roster, RosterMember};
    use actors::domain::event::{Activity, Elsewhere, LinkState, MysisStatus};
    use actors::domain::ids::Lane;
    use actors::domain::login_progress::{LoginStage, login_stage};
    use actors::domain::state::LifeState;

    #[test]
    fn words_of_a_mysis_elsewhere_are_unread_once_its_turn_ended() {
        let status_with = |turns: u64, words: &str, is_elsewhere: bool| {
            let place = Elsewhere {
                process: "box-2".into(),
                is_gone: false,
            };
            let mut one = MysisStatus::clone(&status(1, "m", LifeState::Running));
            (one.totals.turns, one.last_words) = (turns, words.into());
            one.elsewhere = is_elsewhere.then(|| Arc::new(place));
            Arc::new(one)
        };
        let mut roster = Roster::default();
        let mut is_unread = |status: Arc<MysisStatus>| {
            roster.update_member(&status);
            let is_unread = roster.get(status.id).is_some_and(RosterMember::is_unread);
            roster.read(status.id);
            is_unread
        };
        let seen = [
            status_with(7, "what it said before this screen began", true),
            status_with(7, "words of a call", true),
            status_with(8, "Done.", true),
            status_with(8, "Done.", true),
            status_with(9, "", true),
            // Of a Mysis here, its rows tell.
            status_with(10, "Done.", false),
        ];
        let seen = seen.map(&mut is_unread);
        assert_eq!(seen, [false, false, true, false, false, false]);
    }

    #[test]
    fn only_who_runs_is_on_the_way() {
        let one = |state, activity, link| {
            let mut one = MysisStatus::clone(&status(1, "m", state));
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
