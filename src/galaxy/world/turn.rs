//! Turns: one mutation a tick and player, carried out in the order of players' ids.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};

use super::{
    Answer, PlayerId, Refusal, World,
    act::{self, Act, Done, Stand},
    arguments::Arguments,
    command::{self, Play},
    player::{Berth, Player, Voyage, VoyageKind},
    unimplemented,
};

/// Names the answer that a submitted command will get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// A mutation as a player gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Who.
    pub player: PlayerId,
    /// The tool's name.
    pub command: String,
    /// What came with it.
    pub arguments: Map<String, Value>,
    /// The caller's own name for this call, kept for whoever compares records.
    pub call: Option<String>,
}

/// A mutation that has been carried out, or was refused while it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// The tick in which it happened.
    pub tick: u64,
    /// What was ordered.
    pub order: Order,
    /// The code of the refusal, if it failed.
    pub failed: Option<&'static str>,
}

/// What one tick brought.
#[derive(Debug, Default)]
pub struct Turn {
    /// In the order in which it happened.
    pub executed: Vec<Executed>,
    /// For everybody who waited for this tick.
    pub answers: Vec<(Ticket, Answer)>,
}

/// A mutation that waits for its tick.
#[derive(Debug)]
pub(super) struct Pending {
    ticket: Ticket,
    due: u64,
    act: Act,
    order: Order,
}

/// An answer that waits for an arrival.
#[derive(Debug)]
pub(super) struct Waiting {
    ticket: Ticket,
    undocked: bool,
}

impl World {
    /// Queues a mutation for the next tick; the answer comes with the [`Turn`] that carries it out,
    /// for `travel` and `jump` with the one in which the ship arrives.
    ///
    /// # Errors
    /// Wrong arguments, a ship under way, or a mutation that is queued already.
    pub fn submit(&mut self, order: Order) -> Result<Ticket, Refusal> {
        let due = self.tick + 1;
        let (player, act) = self.read(&order)?;
        if let Some(voyage) = player.voyage() {
            return Err(self.in_transit(voyage));
        }
        if self.pending.contains_key(&player.id) {
            return Err(Refusal::new(
                "action_pending",
                "Another action is already in progress for this player",
            ));
        }
        // The server docks or undocks first, which costs a tick of its own.
        let extra = u64::from(self.changes_berth(player, &act));
        Ok(self.queue(order, act, due + extra))
    }

    /// Queues a mutation that a record says was carried out in this tick.
    ///
    /// # Errors
    /// The refusal that it would have met at once; a record of it cannot be ours.
    pub fn schedule(&mut self, order: Order, due: u64) -> Result<Ticket, Refusal> {
        let (_, act) = self.read(&order)?;
        Ok(self.queue(order, act, due))
    }

    fn read(&self, order: &Order) -> Result<(&Player, Act), Refusal> {
        let player = self.players.get(&order.player);
        let player = player.ok_or_else(Refusal::not_logged_in)?;
        let arguments = Arguments::new(&order.arguments);
        let act = match command::find(&order.command) {
            Some(Play::Act(read)) => read(arguments)?,
            Some(Play::Reference(_) | Play::Look(_) | Play::Read(_) | Play::Write(_)) => {
                return Err(Refusal::unknown_command(&order.command));
            }
            None => unimplemented::act(&order.command, arguments)?,
        };
        Ok((player, act))
    }

    fn queue(&mut self, order: Order, act: Act, due: u64) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let player = order.player;
        let pending = Pending {
            ticket,
            due,
            act,
            order,
        };
        self.pending.insert(player, pending);
        ticket
    }

    fn changes_berth(&self, player: &Player, act: &Act) -> bool {
        match act.stand() {
            Stand::Docked => {
                player.docked_at().is_none() && self.atlas.poi(player.at).base.is_some()
            }
            Stand::Space => player.docked_at().is_some(),
            Stand::Either => false,
        }
    }

    /// The refusal of a ship that is under way, with the seconds that it has left.
    pub(super) fn in_transit(&self, voyage: Voyage) -> Refusal {
        let ticks = u32::try_from(voyage.arrives.saturating_sub(self.tick)).unwrap_or(u32::MAX);
        let seconds = (self.rules.tick * ticks).as_secs_f64().ceil();
        let poi = self.atlas.poi(voyage.to);
        let (how, place) = match voyage.kind {
            VoyageKind::Travel => ("mid-travel", &poi.name),
            VoyageKind::Jump => ("mid-jump", &self.atlas.system(poi.system).name),
        };
        Refusal::new(
            "in_transit",
            format!(
                "Your ship is {how} to {place} (~{seconds}s until arrival). Resubmit after arrival."
            ),
        )
    }

    /// Lets one tick pass: ships arrive, then queued mutations run.
    pub fn tick(&mut self) -> Turn {
        self.tick += 1;
        let mut turn = Turn::default();
        while let Some((due, player)) = self.voyages.first().copied()
            && due <= self.tick
        {
            self.voyages.pop_first();
            let answer = act::arrive(self, player);
            if let Some(waiting) = self.waiting.remove(&player) {
                let answer = Ok(mark(answer, waiting.undocked.then_some("auto_undocked")));
                turn.answers.push((waiting.ticket, answer));
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
                self.run(pending, &mut turn);
            }
        }
        turn
    }

    fn run(&mut self, pending: Pending, turn: &mut Turn) {
        let Pending {
            ticket, act, order, ..
        } = pending;
        // A bug in one command must not take the world down with it.
        let done = catch_unwind(AssertUnwindSafe(|| {
            self.carry_out(order.player, &act, &order)
        }))
        .unwrap_or_else(|_| (None, Err(Refusal::internal())));
        let (changed, outcome) = done;
        let failed = outcome.as_ref().err().map(|refusal| refusal.code);
        match outcome {
            Ok(Done::Answer(answer)) => turn.answers.push((ticket, Ok(mark(answer, changed)))),
            Ok(Done::UnderWay) => {
                let undocked = changed.is_some();
                self.waiting
                    .insert(order.player, Waiting { ticket, undocked });
            }
            Err(refusal) => turn.answers.push((ticket, Err(refusal))),
        }
        turn.executed.push(Executed {
            tick: self.tick,
            order,
            failed,
        });
    }

    /// Docks or undocks if the command needs it, then runs it. Says which of the two was done; a
    /// command that fails leaves the ship where it was.
    fn carry_out(
        &mut self,
        player: PlayerId,
        act: &Act,
        order: &Order,
    ) -> (Option<&'static str>, Result<Done, Refusal>) {
        self.touch(player);
        let before = self.player(player).berth;
        let changed = match (act.stand(), before) {
            (Stand::Docked, Berth::Space) => {
                if act::auto_dock(self, player, &order.command).is_err() {
                    return (None, Err(Refusal::not_docked()));
                }
                Some("auto_docked")
            }
            (Stand::Space, Berth::Docked(_)) => {
                act::auto_undock(self, player, &order.command);
                Some("auto_undocked")
            }
            (
                Stand::Docked | Stand::Space | Stand::Either,
                Berth::Docked(_) | Berth::Space | Berth::UnderWay(_),
            ) => None,
        };
        let done = act::execute(self, player, act);
        if done.is_err() && changed.is_some() {
            let pilot = self.player_mut(player);
            pilot.berth = before;
            pilot.untell();
        }
        (changed, done)
    }
}

/// Adds `auto_docked: true` or `auto_undocked: true` to an answer.
fn mark(mut answer: Value, changed: Option<&'static str>) -> Value {
    if let Some(changed) = changed {
        answer[changed] = Value::Bool(true);
    }
    answer
}
