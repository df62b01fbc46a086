//! A player: account, position, ship, credits and history.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    atlas::{BaseIx, PoiIx, SystemIx},
    catalogue::Skill,
    dice::Dice,
    empire::Empire,
    hold::Hold,
    id::PlayerId,
    inbox::{Inbox, InboxEvent},
    log::CaptainsLog,
    mission::{ActiveMission, CompletedMission, MissionDeed},
    progress::SkillProgress,
    ship::PlayerShip,
};

const STARTING_CREDITS: u64 = 100;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlayerAccount {
    pub(super) id: PlayerId,
    pub(super) name: String,
    pub(super) empire: Empire,
    pub(super) credits: u64,
    pub(super) created: u64,
    pub(super) last_login: u64,
    /// The tick of this player's last recorded change.
    pub(super) last_active: u64,
    pub(super) logins: u64,
    pub(super) profile: PlayerProfile,
    /// The ship's place. Under way it is the place that the ship left.
    pub(super) at: PoiIx,
    pub(super) berth: Berth,
    pub(super) home: BaseIx,
    pub(super) ship: PlayerShip,
    pub(super) ships: u64,
    pub(super) storage: BTreeMap<BaseIx, Hold>,
    pub(super) progress: SkillProgress,
    pub(super) stats: PlayerStats,
    pub(super) visited: BTreeMap<SystemIx, u64>,
    pub(super) log: CaptainsLog,
    pub(super) missions: Vec<ActiveMission>,
    pub(super) accepted: u64,
    pub(super) completed: Vec<CompletedMission>,
    pub(super) said: u64,
    #[serde(rename = "heard")]
    pub(super) last_message: u64,
    /// The current visit; none while logged out.
    pub(super) visit: Option<PlayerVisit>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlayerProfile {
    pub(super) status_message: String,
    pub(super) clan_tag: String,
    pub(super) primary_color: String,
    pub(super) secondary_color: String,
    pub(super) is_anonymous: bool,
    pub(super) is_claimed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Berth {
    Docked(BaseIx),
    Space,
    UnderWay(Voyage),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Voyage {
    pub(super) kind: VoyageKind,
    pub(super) to: PoiIx,
    pub(super) arrives: u64,
}

/// A flight within a system, or between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum VoyageKind {
    Travel,
    Jump,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlayerStats {
    pub(super) credits_earned: u64,
    pub(super) credits_spent: u64,
    pub(super) distance_traveled: u64,
    pub(super) items_crafted: u64,
    pub(super) ore_mined: u64,
    pub(super) ships_lost: u64,
    pub(super) trades_completed: u64,
    /// Ticks of all visits that have ended.
    pub(super) ticks_played: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PlayerVisit {
    pub(super) since: u64,
    #[serde(skip)]
    pub(super) inbox: Inbox,
    /// The message number up to which each channel's history was read.
    #[serde(skip)]
    pub(super) read: [u64; 4],
}

pub(super) struct Newcomer<'a> {
    pub(super) id: PlayerId,
    pub(super) name: &'a str,
    pub(super) empire: Empire,
    pub(super) home: BaseIx,
    pub(super) at: PoiIx,
    pub(super) system: SystemIx,
}

impl PlayerAccount {
    pub(super) fn new(newcomer: &Newcomer, dice: Dice, now: u64) -> Self {
        Self {
            id: newcomer.id,
            name: newcomer.name.to_owned(),
            empire: newcomer.empire,
            credits: STARTING_CREDITS,
            created: now,
            last_login: now,
            last_active: now,
            logins: 0,
            profile: PlayerProfile::default(),
            at: newcomer.at,
            berth: Berth::Docked(newcomer.home),
            home: newcomer.home,
            ship: PlayerShip::starter(newcomer.empire, dice, newcomer.id, 0, now),
            ships: 1,
            storage: BTreeMap::new(),
            progress: SkillProgress::default(),
            stats: PlayerStats::default(),
            visited: BTreeMap::from([(newcomer.system, now)]),
            log: CaptainsLog::default(),
            missions: Vec::new(),
            accepted: 0,
            completed: Vec::new(),
            said: 0,
            last_message: 0,
            visit: None,
        }
    }

    pub(super) fn docked_at(&self) -> Option<BaseIx> {
        match self.berth {
            Berth::Docked(base) => Some(base),
            Berth::Space | Berth::UnderWay(_) => None,
        }
    }

    pub(super) fn voyage(&self) -> Option<Voyage> {
        match self.berth {
            Berth::UnderWay(voyage) => Some(voyage),
            Berth::Docked(_) | Berth::Space => None,
        }
    }

    pub(super) fn earn_credits(&mut self, credits: u64) {
        self.credits += credits;
        self.stats.credits_earned += credits;
    }

    /// Spends credits. The caller has checked that there are enough.
    pub(super) fn spend_credits(&mut self, credits: u64) {
        self.credits = self.credits.saturating_sub(credits);
        self.stats.credits_spent += credits;
    }

    /// Queues a notification if the player is logged in.
    pub(super) fn notify(&mut self, event: InboxEvent, now: u64) {
        if let Some(visit) = &mut self.visit {
            visit.inbox.push(event, now);
        }
    }

    pub(super) fn retract_notification(&mut self) {
        if let Some(visit) = &mut self.visit {
            visit.inbox.remove_newest();
        }
    }

    /// Adds experience. Returns whether a level was reached, and notifies the player of it.
    pub(super) fn gain_experience(&mut self, skill: Skill, xp: u64, now: u64) -> bool {
        let level = self.progress.gain_xp(skill, xp);
        if let Some(level) = level {
            self.notify(InboxEvent::LevelUp { skill, level, xp }, now);
        }
        level.is_some()
    }

    /// Counts an act for every mission that is still open.
    pub(super) fn count_deed(&mut self, deed: MissionDeed, now: u64) {
        for mission in &mut self.missions {
            if mission.expiry_tick() > now {
                mission.count_deed(deed);
            }
        }
    }

    pub(super) fn seconds_played(&self, now: u64) -> u64 {
        let visit = self.visit.as_ref();
        let current = visit.map_or(0, |visit| now.saturating_sub(visit.since));
        (self.stats.ticks_played + current) * super::calendar::TICK_SECS
    }
}

impl Default for PlayerProfile {
    fn default() -> Self {
        Self {
            status_message: String::new(),
            clan_tag: String::new(),
            primary_color: "#ffffff".to_owned(),
            secondary_color: "#000000".to_owned(),
            is_anonymous: false,
            is_claimed: false,
        }
    }
}
