//! The world: a pure simulation of the game. No clock, no I/O, no async; equal calls at equal ticks
//! give equal answers.

mod accounts;
mod act;
mod arguments;
mod atlas;
mod calendar;
mod catalogue;
mod command;
mod deposits;
mod dice;
mod empire;
mod figures;
mod hold;
mod id;
mod inbox;
mod log;
mod look;
mod market;
mod messages;
mod mission;
mod player;
mod progress;
mod refusal;
mod reserve;
mod saved;
mod ship;
mod turn;
mod unimplemented;
mod view;
mod write;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value};

use self::{
    arguments::CommandArguments,
    atlas::{Atlas, PoiIx, SystemIx},
    command::CommandHandler,
    deposits::Deposits,
    dice::Dice,
    inbox::InboxEvent,
    market::Markets,
    messages::MessageHistory,
    player::PlayerAccount,
    turn::{AwaitedArrival, PendingMutation},
};
pub use self::{
    command::{CommandKind, command_kind},
    id::{Id, PlayerId},
    refusal::{GameAnswer, GameRefusal},
    saved::NotThisWorld,
    turn::{AnswerId, GameOrder, JournalRecord, WorldTurn},
};

pub(crate) use self::atlas::title_case;

pub(crate) const VERSION: &str = "0.188.0";

#[derive(Clone, Debug)]
pub struct WorldRules {
    /// Decides the galaxy, the prices, the yields, the ids.
    pub seed: u64,
    /// The real duration of a tick. It shows only in answers that tell seconds.
    pub tick: Duration,
    /// The one code with which accounts are registered. None: any code of at most 64 characters.
    pub registration_code: Option<String>,
    /// The trades, of all players, after which stations pay a tenth. None: never.
    pub prices_fall_after: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerFunds {
    pub name: String,
    pub earned: u64,
    pub spent: u64,
}

#[derive(Debug)]
pub struct World {
    rules: WorldRules,
    /// The fixed parts. They are shared, because a command reads them while it changes players.
    atlas: Arc<Atlas>,
    dice: Dice,
    tick: u64,
    players: BTreeMap<PlayerId, PlayerAccount>,
    /// Player ids by lower-case name.
    names: BTreeMap<String, PlayerId>,
    deposits: Deposits,
    markets: Markets,
    talk: MessageHistory,
    /// Players who are logged in and not under way, by place.
    present: BTreeMap<PoiIx, BTreeSet<PlayerId>>,
    /// Every ship under way, with the tick of its arrival.
    voyages: BTreeSet<(u64, PlayerId)>,
    pending: BTreeMap<PlayerId, PendingMutation>,
    waiting: BTreeMap<PlayerId, AwaitedArrival>,
    last_answer_id: u64,
}

impl WorldRules {
    /// A world of this seed with ticks of ten seconds.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            tick: Duration::from_secs(calendar::TICK_SECS),
            registration_code: None,
            prices_fall_after: None,
        }
    }
}

impl World {
    pub fn new(rules: WorldRules) -> Self {
        let dice = Dice::new(rules.seed);
        Self {
            atlas: Arc::new(Atlas::new(dice)),
            rules,
            dice,
            tick: calendar::OPENING_TICK,
            players: BTreeMap::new(),
            names: BTreeMap::new(),
            deposits: Deposits::default(),
            markets: Markets::default(),
            talk: MessageHistory::default(),
            present: BTreeMap::new(),
            voyages: BTreeSet::new(),
            pending: BTreeMap::new(),
            waiting: BTreeMap::new(),
            last_answer_id: 0,
        }
    }

    pub fn seed(&self) -> u64 {
        self.rules.seed
    }

    /// Whether stations pay little by now.
    fn has_low_prices(&self) -> bool {
        let trades = |after| {
            let made = self.players.values();
            made.map(|player| player.stats.trades_completed)
                .sum::<u64>()
                >= after
        };
        self.rules.prices_fall_after.is_some_and(trades)
    }

    pub fn now(&self) -> u64 {
        self.tick
    }

    pub fn population(&self) -> usize {
        self.players.len()
    }

    pub fn online(&self) -> usize {
        let visits = self
            .players
            .values()
            .filter(|player| player.visit.is_some());
        visits.count()
    }

    pub fn funds(&self) -> impl Iterator<Item = PlayerFunds> {
        self.players.values().map(|player| PlayerFunds {
            name: player.name.clone(),
            earned: player.stats.credits_earned,
            spent: player.stats.credits_spent,
        })
    }

    pub fn find_player(&self, name: &str) -> Option<PlayerId> {
        self.names.get(&name.to_lowercase()).copied()
    }

    /// Answers a command that needs no login: help, the catalogue, the guides.
    ///
    /// # Errors
    /// The game's refusal, also for every command that needs a login.
    pub fn reference(&self, command: &str, arguments: &Map<String, Value>) -> GameAnswer {
        match command::find_handler(command) {
            Some(CommandHandler::Reference(answer)) => {
                answer(self, CommandArguments::new(arguments))
            }
            Some(
                CommandHandler::Look(_)
                | CommandHandler::Read(_)
                | CommandHandler::Write(_)
                | CommandHandler::Act(_),
            )
            | None => Err(GameRefusal::not_logged_in()),
        }
    }

    /// Answers a command that takes no tick. A [`CommandKind::Write`] changes the world.
    ///
    /// # Errors
    /// The game's refusal.
    pub fn query(
        &mut self,
        player: PlayerId,
        command: &str,
        arguments: &Map<String, Value>,
    ) -> GameAnswer {
        let caller = self
            .players
            .get(&player)
            .ok_or_else(GameRefusal::not_logged_in)?;
        let arguments = CommandArguments::new(arguments);
        match command::find_handler(command) {
            Some(CommandHandler::Reference(answer)) => answer(self, arguments),
            Some(CommandHandler::Look(answer)) => answer(self, caller, arguments),
            Some(CommandHandler::Read(answer)) => answer(self, player, arguments),
            Some(CommandHandler::Write(answer)) => {
                let answer = answer(self, player, arguments)?;
                self.mark_active(player);
                Ok(answer)
            }
            Some(CommandHandler::Act(_)) => Err(GameRefusal::new(
                "mutation",
                format!("'{command}' takes a tick and has to be submitted."),
            )),
            None => Err(unimplemented::refuse_query(
                self, caller, command, arguments,
            )),
        }
    }

    fn player(&self, id: PlayerId) -> &PlayerAccount {
        let player = self.players.get(&id);
        player.expect(
            "every command looks its player up before it runs, and accounts are never deleted",
        )
    }

    fn player_mut(&mut self, id: PlayerId) -> &mut PlayerAccount {
        let player = self.players.get_mut(&id);
        player.expect(
            "every command looks its player up before it runs, and accounts are never deleted",
        )
    }

    /// Notes that this player has just changed something that is recorded.
    fn mark_active(&mut self, id: PlayerId) {
        let now = self.tick;
        self.player_mut(id).last_active = now;
    }

    /// The system that a player is in, or has left while under way.
    fn system_of(&self, player: &PlayerAccount) -> SystemIx {
        self.atlas.poi(player.at).system
    }

    /// Players at a place, in the order of their ids.
    fn players_at(&self, poi: PoiIx) -> impl Iterator<Item = &PlayerAccount> {
        let present = self.present.get(&poi).into_iter().flatten();
        present.map(|id| self.player(*id))
    }

    fn count_at(&self, poi: PoiIx) -> usize {
        self.present.get(&poi).map_or(0, BTreeSet::len)
    }

    fn count_in(&self, system: SystemIx) -> usize {
        let pois = &self.atlas.system(system).pois;
        pois.iter().map(|poi| self.count_at(*poi)).sum()
    }

    /// Tells every player who is logged in that the server will restart in `seconds`.
    pub fn warn_of_restart(&mut self, seconds: u64) {
        let now = self.tick;
        for player in self.players.values_mut() {
            player.notify(InboxEvent::Restart { seconds }, now);
        }
    }
}

#[cfg(test)]
mod tests;
