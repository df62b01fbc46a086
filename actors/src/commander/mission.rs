//! The mission: stores it, delivers it to every Mysis, notes who has taken it, and clears it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;
use zoea_text::natural::compare_natural;

use crate::domain::event::EventKind;
use crate::domain::ids::MissionId;
use crate::domain::message::Severity;
use crate::domain::order::{CompletedOrder, MysisOrder, OrderResult, check_text};
use crate::domain::record::Mission;
use crate::mysis::MysisMsg;
use crate::reply::OrderReply;

use super::{CommanderMsg, CommanderState, PendingOrder};

pub(super) struct SwarmMission {
    current: Option<Mission>,
    broadcasts: BTreeMap<MissionId, Broadcast>,
    /// The missions of this process that are being stored or cleared.
    pending: usize,
    changed: Option<Instant>,
}

struct Broadcast {
    reply: OrderReply,
    awaited: usize,
    delivered: Vec<Arc<str>>,
    missed: Vec<Arc<str>>,
}

impl SwarmMission {
    pub(super) fn new(current: Option<Mission>) -> SwarmMission {
        SwarmMission {
            current,
            broadcasts: BTreeMap::new(),
            pending: 0,
            changed: None,
        }
    }

    pub(super) fn current(&self) -> Option<&Mission> {
        self.current.as_ref()
    }

    pub(super) fn text(&self) -> Option<Arc<str>> {
        self.current.as_ref().map(|mission| mission.text.clone())
    }

    /// A change of this process's own is on its way to the store, or was answered.
    pub(super) fn begin_change(&mut self) {
        self.pending += 1;
    }

    pub(super) fn end_change(&mut self) {
        self.pending = self.pending.saturating_sub(1);
        self.changed = Some(Instant::now());
    }

    pub(super) fn is_older_than(&self, read: Instant) -> bool {
        self.pending == 0 && self.changed.is_none_or(|changed| changed < read)
    }

    /// Takes the mission that another process put in force, or cleared.
    pub(super) fn follow(&mut self, mission: Option<Mission>) {
        self.current = mission;
    }

    /// Puts a mission in force and begins to count the answers of its receivers.
    fn begin(&mut self, mission: Mission, awaited: usize, reply: OrderReply) {
        let broadcast = Broadcast {
            reply,
            awaited,
            delivered: Vec::new(),
            missed: Vec::new(),
        };
        self.broadcasts.insert(mission.id, broadcast);
        self.current = Some(mission);
    }

    /// Ends a mission. A newer mission stays in force, and the answer is `false`.
    fn end(&mut self, mission: MissionId) -> bool {
        let is_newer = |current: &Mission| current.id != mission;
        if self.current.as_ref().is_some_and(is_newer) {
            return false;
        }
        self.current = None;
        true
    }

    fn count_answer(&mut self, mission: MissionId, name: Arc<str>, answer: &OrderResult) {
        let Some(broadcast) = self.broadcasts.get_mut(&mission) else {
            return;
        };
        broadcast.awaited = broadcast.awaited.saturating_sub(1);
        match answer {
            Ok(_) => broadcast.delivered.push(name),
            Err(_) => broadcast.missed.push(name),
        }
    }

    /// Removes and returns the broadcast of a mission if every Mysis has answered.
    fn take_complete(&mut self, mission: MissionId) -> Option<Broadcast> {
        let broadcast = self.broadcasts.get(&mission)?;
        if broadcast.awaited > 0 {
            return None;
        }
        self.broadcasts.remove(&mission)
    }
}

impl CommanderState {
    /// Stores a mission once, then delivers it.
    pub(super) fn broadcast_mission(&mut self, text: &str, reply: OrderReply) {
        if let Err(refusal) = check_text(text) {
            return reply.answer(Err(refusal));
        }
        let mission = Mission {
            id: MissionId(self.rng.i64(1..)),
            text: self.rules.secrets.clean(text).as_ref().into(),
            at: self.now(),
        };
        self.store_order(PendingOrder::Broadcast(mission), reply);
    }

    pub(super) fn on_mission_stored(&mut self, mission: Mission, reply: OrderReply) {
        self.emit_event(EventKind::Mission(Some(mission.text.clone())));
        let mut awaited = 0;
        for member in self.members.iter_orderable() {
            awaited += 1;
            let (commander, id) = (self.myself.clone(), mission.id);
            let name = member.status.name.clone();
            let back = OrderReply::new(move |answer| {
                // If the Commander is gone, so is the order that waits for this.
                let _ = commander.cast(CommanderMsg::Delivered {
                    mission: id,
                    name,
                    answer,
                });
            });
            member.send_order(MysisOrder::Mission(mission.clone()), back);
        }
        let id = mission.id;
        self.mission.begin(mission, awaited, reply);
        self.conclude_broadcast(id);
    }

    pub(super) fn on_mission_delivered(
        &mut self,
        mission: MissionId,
        name: Arc<str>,
        answer: &OrderResult,
    ) {
        self.mission.count_answer(mission, name, answer);
        self.conclude_broadcast(mission);
    }

    /// Answers the order once every Mysis has taken or refused the mission.
    fn conclude_broadcast(&mut self, mission: MissionId) {
        let Some(mut broadcast) = self.mission.take_complete(mission) else {
            return;
        };
        broadcast.delivered.sort_by(|a, b| compare_natural(a, b));
        broadcast.missed.sort_by(|a, b| compare_natural(a, b));
        if !broadcast.missed.is_empty() {
            let text = format!(
                "the mission is set, but did not reach {}",
                broadcast.missed.join(", ")
            );
            self.emit_notice(Severity::Warn, "mission_missed", &text);
        }
        broadcast.reply.answer(Ok(CompletedOrder::Broadcast {
            mission,
            delivered: broadcast.delivered,
            missed: broadcast.missed,
            elsewhere: self.neighbours.names(),
        }));
    }

    pub(super) fn clear_mission(&mut self, reply: OrderReply) {
        match self.mission.current() {
            Some(mission) => {
                let order = PendingOrder::ClearMission(mission.id);
                self.store_order(order, reply);
            }
            None => reply.answer(Ok(CompletedOrder::MissionCleared(false))),
        }
    }

    pub(super) fn on_mission_cleared(&mut self, mission: MissionId, reply: OrderReply) {
        if self.mission.end(mission) {
            self.members.send_to_all(|| MysisMsg::MissionStands(None));
            self.emit_event(EventKind::Mission(None));
        }
        reply.answer(Ok(CompletedOrder::MissionCleared(true)));
    }
}
