//! The frontend: it identifies the caller, checks the limits, and says which calls have to be
//! recorded.
//!
//! It is as pure as the world: the time is an argument, and nothing is awaited. The server drives
//! one frontend with HTTP requests. A simulation without sockets drives another one by hand.

mod meters;
mod sessions;

use std::time::Duration;

use serde_json::{Map, Value, json};

use self::{
    meters::{MeterKind, Meters},
    sessions::{SessionLookup, Sessions},
};
use super::{
    limits::GalaxyLimits,
    world::{
        AnswerId, CommandKind, GameAnswer, GameOrder, GameRefusal, JournalRecord, PlayerId, World,
        WorldRules, WorldTurn, command_kind,
    },
};

/// The id of a client connection: an MCP session.
pub type ConnectionId = u64;

/// The connection of requests that belong to no MCP session. A login made by one of them is known
/// by its `session_id` alone.
pub const STATELESS: ConnectionId = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionRules {
    /// The idle time after which an MCP session or a login ends.
    pub idle: Duration,
    /// Whether every call of an account has to carry its `session_id`, as it had in February 2026.
    pub needs_argument: bool,
}

#[derive(Debug)]
pub struct GameCall {
    pub tool: String,
    pub arguments: Map<String, Value>,
    pub name: Option<String>,
}

#[derive(Debug)]
pub enum CallReply {
    /// At once.
    Now(GameAnswer),
    /// The turn that carries out the order brings the answer.
    Later(AnswerId),
}

#[derive(Debug)]
pub struct ServedCall {
    /// The answer, or the promise of one.
    pub reply: CallReply,
    /// Records that have to be kept before the answer leaves.
    pub records: Vec<JournalRecord>,
}

#[derive(Debug)]
pub struct Frontend {
    world: World,
    sessions: Sessions,
    meters: Meters,
    session_rules: SessionRules,
}

impl GameCall {
    /// A call without arguments.
    fn plain(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments: Map::new(),
            name: None,
        }
    }
}

impl Default for SessionRules {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(30 * 60),
            needs_argument: false,
        }
    }
}

impl Frontend {
    pub fn new(
        world: World,
        rules: &WorldRules,
        limits: GalaxyLimits,
        session_rules: SessionRules,
    ) -> Self {
        Self {
            world,
            sessions: Sessions::new(session_rules.idle),
            meters: Meters::new(limits, rules.tick),
            session_rules,
        }
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn serve_call(
        &mut self,
        connection: ConnectionId,
        mut call: GameCall,
        now: Duration,
    ) -> ServedCall {
        let given = call.arguments.remove("session_id");
        let mut records = Vec::new();
        let reply = match call.tool.as_str() {
            "register" => CallReply::Now(self.register(connection, call, now, &mut records)),
            "login" => CallReply::Now(self.login(connection, call, now, &mut records)),
            "session" => CallReply::Now(Ok(json!({
                "message": "You have a connection already: MCP made it at initialize. Call \
                            register() or login() to play.",
            }))),
            _ => self
                .serve_account(connection, given, call, now, &mut records)
                .unwrap_or_else(|refusal| CallReply::Now(Err(refusal))),
        };
        ServedCall { reply, records }
    }

    fn register(
        &mut self,
        connection: ConnectionId,
        call: GameCall,
        now: Duration,
        records: &mut Vec<JournalRecord>,
    ) -> GameAnswer {
        let (player, answer) = self.world.register(&call.arguments)?;
        self.opened(connection, (player, call), now, records);
        Ok(answer)
    }

    fn login(
        &mut self,
        connection: ConnectionId,
        mut call: GameCall,
        now: Duration,
        records: &mut Vec<JournalRecord>,
    ) -> GameAnswer {
        let (player, answer) = self.world.login(&call.arguments)?;
        call.arguments = Map::new();
        self.opened(connection, (player, call), now, records);
        Ok(answer)
    }

    /// Logs in the account of this name, which was picked at the page of links.
    pub fn login_linked(
        &mut self,
        connection: ConnectionId,
        name: &str,
        now: Duration,
    ) -> ServedCall {
        let mut records = Vec::new();
        let answer = match self.world.login_as(name) {
            Some((player, answer)) => {
                let login = GameCall::plain("login");
                self.opened(connection, (player, login), now, &mut records);
                Ok(answer)
            }
            None => Err(GameRefusal::new("auth_failed", "No such character.")),
        };
        ServedCall {
            reply: CallReply::Now(answer),
            records,
        }
    }

    fn opened(
        &mut self,
        connection: ConnectionId,
        (player, call): (PlayerId, GameCall),
        now: Duration,
        records: &mut Vec<JournalRecord>,
    ) {
        self.sessions
            .open(self.world.session_id(player), player, connection, now);
        records.push(self.new_record(player, call));
    }

    /// Serves every command but register and login.
    fn serve_account(
        &mut self,
        connection: ConnectionId,
        given: Option<Value>,
        call: GameCall,
        now: Duration,
        records: &mut Vec<JournalRecord>,
    ) -> Result<CallReply, GameRefusal> {
        let nature = match call.tool.as_str() {
            "logout" => CommandKind::Write,
            tool => command_kind(tool).ok_or_else(|| GameRefusal::unknown_command(tool))?,
        };
        if nature == CommandKind::Reference {
            return Ok(CallReply::Now(
                self.world.reference(&call.tool, &call.arguments),
            ));
        }
        let player = self.identify(connection, given, now, records)?;
        self.meters
            .count_call(player, meter_kind(&call.tool, nature), now)?;
        if call.tool == "logout" {
            self.end_visit(player, records);
            let message = "Logged out successfully";
            return Ok(CallReply::Now(Ok(json!({ "message": message }))));
        }
        match nature {
            CommandKind::Reference | CommandKind::Look => Ok(CallReply::Now(self.world.query(
                player,
                &call.tool,
                &call.arguments,
            ))),
            CommandKind::Write => {
                let answer = self.world.query(player, &call.tool, &call.arguments)?;
                records.push(self.new_record(player, call));
                Ok(CallReply::Now(Ok(answer)))
            }
            CommandKind::Act => {
                let order = order_of(player, call);
                self.world.submit(order).map(CallReply::Later)
            }
        }
    }

    /// The player that a call is for: by the call's `session_id`, else by its connection's login.
    fn identify(
        &mut self,
        connection: ConnectionId,
        given: Option<Value>,
        now: Duration,
        records: &mut Vec<JournalRecord>,
    ) -> Result<PlayerId, GameRefusal> {
        let found = match given {
            None | Some(Value::Null) if self.session_rules.needs_argument => SessionLookup::Nothing,
            None | Some(Value::Null) => self.sessions.find_by_connection(connection, now),
            Some(Value::String(id)) => self.sessions.find_by_id(&id, now),
            Some(_) => SessionLookup::Unknown,
        };
        match found {
            SessionLookup::Player(player) => Ok(player),
            SessionLookup::Expired(player) => {
                self.end_visit(player, records);
                Err(session_invalid())
            }
            SessionLookup::Unknown => Err(session_invalid()),
            SessionLookup::Nothing => Err(GameRefusal::new(
                "session_required",
                "You must provide a session_id. Get one by calling login() or register() first.",
            )),
        }
    }

    pub fn tick(&mut self) -> WorldTurn {
        self.world.tick()
    }

    /// Ends a connection and the login that was made on it.
    pub fn disconnect(&mut self, connection: ConnectionId) -> Vec<JournalRecord> {
        let mut records = Vec::new();
        if let Some(player) = self.sessions.forget_connection(connection) {
            self.end_visit(player, &mut records);
        }
        records
    }

    pub fn lose_login(&mut self, connection: ConnectionId, now: Duration) -> Vec<JournalRecord> {
        let mut records = Vec::new();
        if let SessionLookup::Player(player) | SessionLookup::Expired(player) =
            self.sessions.find_by_connection(connection, now)
        {
            self.end_visit(player, &mut records);
        }
        records
    }

    /// Ends every session and login that has been idle for too long.
    pub fn sweep(&mut self, now: Duration) -> Vec<JournalRecord> {
        let mut records = Vec::new();
        for player in self.sessions.expired_players(now) {
            self.end_visit(player, &mut records);
        }
        self.meters.sweep(now);
        records
    }

    /// Tells every player who is logged in that the server will restart.
    pub fn warn_of_restart(&mut self, seconds: u64) {
        self.world.warn_of_restart(seconds);
    }

    fn end_visit(&mut self, player: PlayerId, records: &mut Vec<JournalRecord>) {
        self.sessions.close(player);
        self.world.end_visit(player);
        records.push(self.new_record(player, GameCall::plain("logout")));
    }

    fn new_record(&self, player: PlayerId, call: GameCall) -> JournalRecord {
        JournalRecord {
            tick: self.world.now(),
            order: order_of(player, call),
            failed: None,
        }
    }
}

fn order_of(player: PlayerId, call: GameCall) -> GameOrder {
    GameOrder {
        player,
        command: call.tool,
        arguments: call.arguments,
        call: call.name,
    }
}

fn meter_kind(tool: &str, nature: CommandKind) -> MeterKind {
    match nature {
        CommandKind::Act => MeterKind::Mutation,
        CommandKind::Write if tool == "chat" => MeterKind::Chat,
        CommandKind::Reference | CommandKind::Look | CommandKind::Write => MeterKind::Query,
    }
}

fn session_invalid() -> GameRefusal {
    GameRefusal::new(
        "session_invalid",
        "Session not found or expired. Call login() again to get a new session_id.",
    )
}

#[cfg(test)]
mod tests;
