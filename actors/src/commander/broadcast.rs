//! Broadcasts: stores a mission, delivers it to every Mysis and notes who has taken it.

use std::sync::Arc;

use ractor::ActorRef;

use crate::domain::event::EventKind;
use crate::domain::ids::MissionId;
use crate::domain::message::Severity;
use crate::domain::order::{CompletedOrder, MysisOrder, OrderResult, check_text};
use crate::domain::record::Mission;
use crate::domain::write::{Author, Batch, Write};
use crate::mysis::MysisMsg;
use crate::ports::LedgerFault;
use crate::reply::OrderReply;

use super::{CommanderMsg, CommanderState, store_refusal};

/// A mission that is being delivered.
pub(super) struct Broadcast {
    reply: OrderReply,
    awaited: usize,
    delivered: Vec<Arc<str>>,
    missed: Vec<Arc<str>>,
}

impl CommanderState {
    /// Stores a mission once, then delivers it.
    pub(super) fn broadcast_mission(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        text: &str,
        reply: OrderReply,
    ) {
        if let Err(refusal) = check_text(text) {
            return reply.answer(Err(refusal));
        }
        let mission = Mission {
            id: MissionId(self.rng.i64(1..)),
            text: self.secrets.clean(text).as_ref().into(),
            at: self.now(),
        };
        let batch = Batch {
            author: Author::Commander,
            writes: vec![Write::Mission(mission.clone())],
        };
        let (store, commander) = (self.store_handle(), myself.clone());
        self.jobs.spawn(async move {
            let stored = store.write(batch).await;
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::MissionStored {
                mission,
                stored,
                reply,
            });
        });
    }

    pub(super) fn mission_stored(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        mission: Mission,
        stored: Result<(), LedgerFault>,
        reply: OrderReply,
    ) {
        if let Err(fault) = stored {
            return reply.answer(Err(store_refusal(&fault)));
        }
        self.mission = Some(mission.clone());
        self.tell_event(EventKind::Mission(Some(mission.text.clone())));
        let members = self.members.values_mut();
        let members: Vec<_> = members.filter(|member| !member.is_deleting).collect();
        let broadcast = Broadcast {
            reply,
            awaited: members.len(),
            delivered: Vec::new(),
            missed: Vec::new(),
        };
        for member in members {
            let (commander, id) = (myself.clone(), mission.id);
            let name = member.standing.name.clone();
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
        self.broadcasts.insert(mission.id, broadcast);
        self.conclude_broadcast(mission.id);
    }

    pub(super) fn on_mission_delivered(
        &mut self,
        mission: MissionId,
        name: Arc<str>,
        answer: OrderResult,
    ) {
        let Some(broadcast) = self.broadcasts.get_mut(&mission) else {
            return;
        };
        broadcast.awaited = broadcast.awaited.saturating_sub(1);
        match answer {
            Ok(_) => broadcast.delivered.push(name),
            Err(_) => broadcast.missed.push(name),
        }
        self.conclude_broadcast(mission);
    }

    /// Answers the order once every Mysis has taken or refused the mission.
    fn conclude_broadcast(&mut self, mission: MissionId) {
        let is_over = self
            .broadcasts
            .get(&mission)
            .is_some_and(|broadcast| broadcast.awaited == 0);
        if !is_over {
            return;
        }
        let Some(mut broadcast) = self.broadcasts.remove(&mission) else {
            return;
        };
        broadcast.delivered.sort();
        broadcast.missed.sort();
        if !broadcast.missed.is_empty() {
            let text = format!(
                "the mission stands, but did not reach {}",
                broadcast.missed.join(", ")
            );
            self.tell_notice(Severity::Warn, "mission_missed", &text);
        }
        broadcast.reply.answer(Ok(CompletedOrder::Broadcast {
            mission,
            delivered: broadcast.delivered,
            missed: broadcast.missed,
        }));
    }

    pub(super) fn clear_mission(&mut self, myself: &ActorRef<CommanderMsg>, reply: OrderReply) {
        let Some(mission) = self.mission.as_ref().map(|mission| mission.id) else {
            return reply.answer(Ok(CompletedOrder::MissionCleared(false)));
        };
        let at = self.now();
        let batch = Batch {
            author: Author::Commander,
            writes: vec![Write::ClearMission { mission, at }],
        };
        let (store, commander) = (self.store_handle(), myself.clone());
        self.jobs.spawn(async move {
            let stored = store.write(batch).await;
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::MissionCleared {
                mission,
                stored,
                reply,
            });
        });
    }

    pub(super) fn mission_cleared(
        &mut self,
        mission: MissionId,
        stored: Result<(), LedgerFault>,
        reply: OrderReply,
    ) {
        if let Err(fault) = stored {
            return reply.answer(Err(store_refusal(&fault)));
        }
        if self
            .mission
            .as_ref()
            .is_some_and(|newer| newer.id != mission)
        {
            // A newer mission is in force already.
            return reply.answer(Ok(CompletedOrder::MissionCleared(true)));
        }
        self.mission = None;
        for member in self.members.values() {
            // A dead actor gets the mission when it is started again.
            let _ = member.actor.cast(MysisMsg::MissionStands(None));
        }
        self.tell_event(EventKind::Mission(None));
        reply.answer(Ok(CompletedOrder::MissionCleared(true)));
    }
}
