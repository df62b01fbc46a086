//! The front desk: who is calling, whether they may, and what of it has to be recorded.
//!
//! Like the world it is pure: the time is an argument, and nothing is awaited. The server drives one
//! desk with HTTP requests; a simulation without sockets can drive another by hand.

mod meters;
mod sessions;

use std::time::Duration;

use serde_json::{Map, Value, json};

use self::{
    meters::{Kind, Meters},
    sessions::{Found, Sessions},
};
use super::{
    limits::Limits,
    world::{Answer, CommandKind, Order, PlayerId, Refusal, Rules, Ticket, World, nature},
};

/// Names one client connection: an MCP session.
pub type Connection = u64;

/// How sessions behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionRules {
    /// An MCP session or a login that is idle for this long is over.
    pub idle: Duration,
    /// Whether every call of an account has to carry its `session_id`, as it had in February 2026.
    pub needs_argument: bool,
}

/// One tool call.
#[derive(Debug)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// What came with it.
    pub arguments: Map<String, Value>,
    /// The caller's own name for this call.
    pub name: Option<String>,
}

/// When a call is answered.
#[derive(Debug)]
pub enum Reply {
    /// At once.
    Now(Answer),
    /// With the turn that answers this ticket.
    Later(Ticket),
}

/// Something that a restart has to do again to get back where the world was.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The tick in which it happened.
    pub tick: u64,
    /// Who did it.
    pub player: PlayerId,
    /// The tool's name.
    pub command: String,
    /// Without passwords and session ids.
    pub arguments: Map<String, Value>,
    /// The code of the refusal, if it failed.
    pub failed: Option<String>,
    /// The caller's own name for the call.
    pub call: Option<String>,
}

/// What a call came to.
#[derive(Debug)]
pub struct Served {
    /// The answer, or the promise of one.
    pub reply: Reply,
    /// Has to be kept before the answer leaves.
    pub records: Vec<Record>,
}

/// What a tick brought.
#[derive(Debug)]
pub struct Ticked {
    /// Has to be kept before the answers leave.
    pub records: Vec<Record>,
    /// Answers that were promised.
    pub answers: Vec<(Ticket, Answer)>,
}

/// The desk with its world behind it.
#[derive(Debug)]
pub struct Frontend {
    world: World,
    sessions: Sessions,
    meters: Meters,
    session_rules: SessionRules,
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
    /// A desk before this world.
    #[must_use]
    pub fn new(world: World, rules: &Rules, limits: Limits, session_rules: SessionRules) -> Self {
        Self {
            world,
            sessions: Sessions::new(session_rules.idle),
            meters: Meters::new(limits, rules.tick),
            session_rules,
        }
    }

    /// The world behind the desk.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Serves one call.
    pub fn serve(&mut self, connection: Connection, mut call: Call, now: Duration) -> Served {
        let given = call.arguments.remove("session_id");
        let mut records = Vec::new();
        let reply = match call.tool.as_str() {
            "register" => Reply::Now(self.register(connection, call, now, &mut records)),
            "login" => Reply::Now(self.login(connection, call, now, &mut records)),
            "session" => Reply::Now(Ok(json!({
                "message": "You have a connection already: MCP made it at initialize. Call \
                            register() or login() to play.",
            }))),
            _ => self
                .serve_account(connection, given, call, now, &mut records)
                .unwrap_or_else(|refusal| Reply::Now(Err(refusal))),
        };
        Served { reply, records }
    }

    fn register(
        &mut self,
        connection: Connection,
        call: Call,
        now: Duration,
        records: &mut Vec<Record>,
    ) -> Answer {
        let (player, answer) = self.world.register(&call.arguments)?;
        self.sessions
            .open(self.world.session_id(player), player, connection, now);
        records.push(self.record(player, call));
        Ok(answer)
    }

    fn login(
        &mut self,
        connection: Connection,
        mut call: Call,
        now: Duration,
        records: &mut Vec<Record>,
    ) -> Answer {
        let (player, answer) = self.world.login(&call.arguments)?;
        self.sessions
            .open(self.world.session_id(player), player, connection, now);
        call.arguments = Map::new();
        records.push(self.record(player, call));
        Ok(answer)
    }

    /// Everything but register and login.
    fn serve_account(
        &mut self,
        connection: Connection,
        given: Option<Value>,
        call: Call,
        now: Duration,
        records: &mut Vec<Record>,
    ) -> Result<Reply, Refusal> {
        let nature = match call.tool.as_str() {
            "logout" => CommandKind::Write,
            tool => nature(tool).ok_or_else(|| Refusal::unknown_command(tool))?,
        };
        if nature == CommandKind::Reference {
            return Ok(Reply::Now(
                self.world.reference(&call.tool, &call.arguments),
            ));
        }
        let player = self.identify(connection, given, now, records)?;
        self.meters.count(player, kind(&call.tool, nature), now)?;
        if call.tool == "logout" {
            self.end_visit(player, records);
            let message = "Logged out successfully";
            return Ok(Reply::Now(Ok(json!({ "message": message }))));
        }
        match nature {
            CommandKind::Reference | CommandKind::Look => Ok(Reply::Now(self.world.query(
                player,
                &call.tool,
                &call.arguments,
            ))),
            CommandKind::Write => {
                let answer = self.world.query(player, &call.tool, &call.arguments)?;
                records.push(self.record(player, call));
                Ok(Reply::Now(Ok(answer)))
            }
            CommandKind::Act => {
                let order = Order {
                    player,
                    command: call.tool,
                    arguments: call.arguments,
                    call: call.name,
                };
                self.world.submit(order).map(Reply::Later)
            }
        }
    }

    /// The player that a call is for: by its `session_id`, else by its connection's login.
    fn identify(
        &mut self,
        connection: Connection,
        given: Option<Value>,
        now: Duration,
        records: &mut Vec<Record>,
    ) -> Result<PlayerId, Refusal> {
        let found = match given {
            None | Some(Value::Null) if self.session_rules.needs_argument => Found::Nothing,
            None | Some(Value::Null) => self.sessions.by_connection(connection, now),
            Some(Value::String(id)) => self.sessions.by_id(&id, now),
            Some(_) => Found::Unknown,
        };
        match found {
            Found::Player(player) => Ok(player),
            Found::Expired(player) => {
                self.end_visit(player, records);
                Err(session_invalid())
            }
            Found::Unknown => Err(session_invalid()),
            Found::Nothing => Err(Refusal::new(
                "session_required",
                "You must provide a session_id. Get one by calling login() or register() first.",
            )),
        }
    }

    /// Lets a tick pass.
    pub fn tick(&mut self) -> Ticked {
        let turn = self.world.tick();
        let records = turn.executed.into_iter().map(|executed| Record {
            tick: executed.tick,
            player: executed.order.player,
            command: executed.order.command,
            arguments: executed.order.arguments,
            failed: executed.failed.map(str::to_owned),
            call: executed.order.call,
        });
        Ticked {
            records: records.collect(),
            answers: turn.answers,
        }
    }

    /// A connection is over, and with it the login that it made.
    pub fn disconnect(&mut self, connection: Connection) -> Vec<Record> {
        let mut records = Vec::new();
        if let Some(player) = self.sessions.forget_connection(connection) {
            self.end_visit(player, &mut records);
        }
        records
    }

    /// Forgets the login of a connection, as a fault of the server does.
    pub fn lose_login(&mut self, connection: Connection, now: Duration) -> Vec<Record> {
        let mut records = Vec::new();
        if let Found::Player(player) | Found::Expired(player) =
            self.sessions.by_connection(connection, now)
        {
            self.end_visit(player, &mut records);
        }
        records
    }

    /// Ends what has been idle for too long.
    pub fn sweep(&mut self, now: Duration) -> Vec<Record> {
        let mut records = Vec::new();
        for player in self.sessions.expired(now) {
            self.end_visit(player, &mut records);
        }
        self.meters.sweep(now);
        records
    }

    /// Tells everybody that the server will restart.
    pub fn warn_of_restart(&mut self, seconds: u64) {
        self.world.warn_of_restart(seconds);
    }

    fn end_visit(&mut self, player: PlayerId, records: &mut Vec<Record>) {
        self.sessions.close(player);
        self.world.leave(player);
        let logout = Call {
            tool: "logout".to_owned(),
            arguments: Map::new(),
            name: None,
        };
        records.push(self.record(player, logout));
    }

    fn record(&self, player: PlayerId, call: Call) -> Record {
        Record {
            tick: self.world.now(),
            player,
            command: call.tool,
            arguments: call.arguments,
            failed: None,
            call: call.name,
        }
    }
}

fn kind(tool: &str, nature: CommandKind) -> Kind {
    match nature {
        CommandKind::Act => Kind::Mutation,
        CommandKind::Write if tool == "chat" => Kind::Chat,
        CommandKind::Reference | CommandKind::Look | CommandKind::Write => Kind::Query,
    }
}

fn session_invalid() -> Refusal {
    Refusal::new(
        "session_invalid",
        "Session not found or expired. Call login() again to get a new session_id.",
    )
}

#[cfg(test)]
mod tests;
