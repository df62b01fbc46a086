//! Tests of the world through its public functions.

mod errors;
mod life;
mod random;
mod saved;
mod shared;

use serde_json::{Map, Value, json};

use super::{
    CommandKind, GameAnswer, GameOrder, GameRefusal, PlayerId, World, WorldRules, command_kind,
};

/// A world whose commands are answered before the next one is given.
pub(super) struct Game {
    pub(super) world: World,
}

impl Game {
    pub(super) fn new(seed: u64) -> Self {
        let world = World::new(WorldRules::new(seed));
        Self { world }
    }

    pub(super) fn register(&mut self, name: &str, empire: &str) -> PlayerId {
        self.try_register(name, empire).unwrap().0
    }

    pub(super) fn try_register(
        &mut self,
        name: &str,
        empire: &str,
    ) -> Result<(PlayerId, Value), GameRefusal> {
        let arguments = json!({ "username": name, "empire": empire, "registration_code": "C-1" });
        self.world.register(&map(arguments))
    }

    /// Calls a command and lets ticks pass until it is answered.
    pub(super) fn call(&mut self, player: PlayerId, command: &str, arguments: Value) -> GameAnswer {
        if command_kind(command) != Some(CommandKind::Act) {
            return self.world.query(player, command, &map(arguments));
        }
        let answer_id = self.world.submit(order(player, command, arguments))?;
        for _ in 0..50 {
            let turn = self.world.tick();
            for (answered, answer) in turn.answers {
                if answered == answer_id {
                    return answer;
                }
            }
        }
        panic!("{command} was never answered")
    }

    /// Calls a command that has to succeed.
    pub(super) fn ok(&mut self, player: PlayerId, command: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        self.call(player, command, arguments)
            .unwrap_or_else(|refusal| panic!("{command} {shown}: {refusal}"))
    }

    /// Calls a command that has to fail. Returns the refusal as text.
    pub(super) fn refused(&mut self, player: PlayerId, command: &str, arguments: Value) -> String {
        match self.call(player, command, arguments) {
            Ok(answer) => panic!("{command} succeeded: {answer}"),
            Err(refusal) => refusal.to_string(),
        }
    }

    pub(super) fn pass(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.world.tick();
        }
    }

    pub(super) fn credits(&mut self, player: PlayerId) -> u64 {
        let status = self.ok(player, "get_status", json!({}));
        status["player"]["credits"].as_u64().unwrap()
    }
}

pub(super) fn order(player: PlayerId, command: &str, arguments: Value) -> GameOrder {
    GameOrder {
        player,
        command: command.to_owned(),
        arguments: map(arguments),
        call: None,
    }
}

pub(super) fn map(arguments: Value) -> Map<String, Value> {
    let Value::Object(map) = arguments else {
        panic!("arguments are an object")
    };
    map
}
