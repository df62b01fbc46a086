//! Turns: each player has at most one mutation a tick. They run in the order of the players' ids.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};

use super::{
    GameAnswer, GameRefusal, PlayerId, World,
    act::{self, Mutation, MutationResult, RequiredBerth},
    arguments::CommandArguments,
    command::{self, CommandHandler},
    player::{Berth, PlayerAccount, Voyage, VoyageKind},
    unimplemented,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerId(u64);

#[derive(Clone, Debug, PartialEq)]
pub struct GameOrder {
    pub player: PlayerId,
    pub command: String,
    pub arguments: Map<String, Value>,
    /// The caller's own name for this call, which records keep for comparisons.
    pub call: Option<String>,
}

/// An order that was carried out, as the journal and the ledger keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalRecord {
    pub tick: u64,
    /// The order, without passwords and session ids.
    pub order: GameOrder,
    /// The code of the refusal, if the command failed.
    pub failed: Option<&'static str>,
}

#[derive(Debug, Default)]
pub struct WorldTurn {
    /// Records that have to be kept before the answers leave.
    pub records: Vec<JournalRecord>,
    pub answers: Vec<(AnswerId, GameAnswer)>,
}

#[derive(Debug)]
pub(super) struct PendingMutation {
    answer_id: AnswerId,
    due: u64,
    act: Mutation,
    order: GameOrder,
}

#[derive(Debug)]
pub(super) struct AwaitedArrival {
    answer_id: AnswerId,
    undocked: bool,
}

impl World {
    /// Queues a mutation for the next tick. The answer comes with the [`WorldTurn`] of its
    /// execution; that of `travel` and `jump` comes with the turn of the arrival.
    ///
    /// # Errors
    /// Wrong arguments, a ship under way, or a mutation that is queued already.
    pub fn submit(&mut self, order: GameOrder) -> Result<AnswerId, GameRefusal> {
        let due = self.tick + 1;
        let (player, act) = self.read_order(&order)?;
        if let Some(voyage) = player.voyage() {
            return Err(self.in_transit(voyage));
        }
        if self.pending.contains_key(&player.id) {
            return Err(GameRefusal::new(
                "action_pending",
                "Another action is already in progress for this player",
            ));
        }
        // The server docks or undocks first, which takes a tick of its own.
        let extra = u64::from(self.changes_berth(player, &act));
        Ok(self.queue_mutation(order, act, due + extra))
    }

    /// Queues a mutation for the tick in which a record says it was carried out.
    ///
    /// # Errors
    /// The refusal of a mutation that no record of this galaxy can contain.
    pub fn schedule(&mut self, order: GameOrder, due: u64) -> Result<AnswerId, GameRefusal> {
        let (_, act) = self.read_order(&order)?;
        Ok(self.queue_mutation(order, act, due))
    }

    fn read_order(&self, order: &GameOrder) -> Result<(&PlayerAccount, Mutation), GameRefusal> {
        let player = self.players.get(&order.player);
        let player = player.ok_or_else(GameRefusal::not_logged_in)?;
        let arguments = CommandArguments::new(&order.arguments);
        let act = match command::find_handler(&order.command) {
            Some(CommandHandler::Act(read)) => read(arguments)?,
            Some(
                CommandHandler::Reference(_)
                | CommandHandler::Look(_)
                | CommandHandler::Read(_)
                | CommandHandler::Write(_),
            ) => {
                return Err(GameRefusal::unknown_command(&order.command));
            }
            // It will be refused when its tick comes.
            None => {
                let name = unimplemented::check_required(&order.command, arguments)?;
                Mutation::Unplayed(name)
            }
        };
        Ok((player, act))
    }

    fn queue_mutation(&mut self, order: GameOrder, act: Mutation, due: u64) -> AnswerId {
        self.last_answer_id += 1;
        let answer_id = AnswerId(self.last_answer_id);
        let player = order.player;
        let pending = PendingMutation {
            answer_id,
            due,
            act,
            order,
        };
        self.pending.insert(player, pending);
        answer_id
    }

    fn changes_berth(&self, player: &PlayerAccount, act: &Mutation) -> bool {
        match act.required_berth() {
            RequiredBerth::Docked => {
                player.docked_at().is_none() && self.atlas.poi(player.at).base.is_some()
            }
            RequiredBerth::Space => player.docked_at().is_some(),
            RequiredBerth::Either => false,
        }
    }

    /// The refusal of a ship that is under way, with the seconds that it has left.
    pub(super) fn in_transit(&self, voyage: Voyage) -> GameRefusal {
        let ticks = u32::try_from(voyage.arrives.saturating_sub(self.tick)).unwrap_or(u32::MAX);
        let seconds = (self.rules.tick * ticks).as_secs_f64().ceil();
        let poi = self.atlas.poi(voyage.to);
        let (how, place) = match voyage.kind {
            VoyageKind::Travel => ("mid-travel", &poi.name),
            VoyageKind::Jump => ("mid-jump", &self.atlas.system(poi.system).name),
        };
        GameRefusal::new(
            "in_transit",
            format!(
                "Your ship is {how} to {place} (~{seconds}s until arrival). Resubmit after arrival."
            ),
        )
    }

    /// Lets one tick pass. Ships arrive first, then queued mutations run.
    pub fn tick(&mut self) -> WorldTurn {
        self.tick += 1;
        let mut turn = WorldTurn::default();
        while let Some((due, player)) = self.voyages.first().copied()
            && due <= self.tick
        {
            self.voyages.pop_first();
            let answer = act::end_voyage(self, player);
            if let Some(waiting) = self.waiting.remove(&player) {
                let answer = Ok(mark_berth_change(
                    answer,
                    waiting.undocked.then_some("auto_undocked"),
                ));
                turn.answers.push((waiting.answer_id, answer));
            }
        }
        let now = self.tick;
        let due: Vec<PlayerId> = self
            .pending
            .iter()
            .filter(|(_, pending)| pending.due <= now)
            .map(|(player, _)| *player)
            .collect();
        for player in due {
            if let Some(pending) = self.pending.remove(&player) {
                self.run_mutation(pending, &mut turn);
            }
        }
        turn
    }

    fn run_mutation(&mut self, pending: PendingMutation, turn: &mut WorldTurn) {
        let PendingMutation {
            answer_id,
            act,
            order,
            ..
        } = pending;
        // A bug in one command must not end the world of the others.
        let done = catch_unwind(AssertUnwindSafe(|| {
            self.carry_out(order.player, &act, &order)
        }))
        .unwrap_or_else(|_| (None, Err(GameRefusal::internal_error())));
        let (changed, outcome) = done;
        let failed = outcome.as_ref().err().map(|refusal| refusal.code);
        match outcome {
            Ok(MutationResult::Answer(answer)) => turn
                .answers
                .push((answer_id, Ok(mark_berth_change(answer, changed)))),
            Ok(MutationResult::UnderWay) => {
                let undocked = changed.is_some();
                self.waiting.insert(
                    order.player,
                    AwaitedArrival {
                        answer_id,
                        undocked,
                    },
                );
            }
            Err(refusal) => turn.answers.push((answer_id, Err(refusal))),
        }
        turn.records.push(JournalRecord {
            tick: self.tick,
            order,
            failed,
        });
    }

    /// Docks or undocks if the command needs it, then runs the command. Returns which of the two
    /// was done. A command that fails leaves the ship where it was.
    fn carry_out(
        &mut self,
        player: PlayerId,
        act: &Mutation,
        order: &GameOrder,
    ) -> (Option<&'static str>, Result<MutationResult, GameRefusal>) {
        self.mark_active(player);
        let before = self.player(player).berth;
        let changed = match (act.required_berth(), before) {
            (RequiredBerth::Docked, Berth::Space) => {
                if act::auto_dock(self, player, &order.command).is_err() {
                    return (None, Err(GameRefusal::not_docked()));
                }
                Some("auto_docked")
            }
            (RequiredBerth::Space, Berth::Docked(_)) => {
                act::auto_undock(self, player, &order.command);
                Some("auto_undocked")
            }
            (
                RequiredBerth::Docked | RequiredBerth::Space | RequiredBerth::Either,
                Berth::Docked(_) | Berth::Space | Berth::UnderWay(_),
            ) => None,
        };
        let done = act::execute_mutation(self, player, act);
        if done.is_err() && changed.is_some() {
            let pilot = self.player_mut(player);
            pilot.berth = before;
            pilot.retract_notification();
        }
        (changed, done)
    }
}

/// Adds `auto_docked: true` or `auto_undocked: true` to an answer.
fn mark_berth_change(mut answer: Value, changed: Option<&'static str>) -> Value {
    if let Some(changed) = changed {
        answer[changed] = Value::Bool(true);
    }
    answer
}
