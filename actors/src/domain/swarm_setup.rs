//! What a swarm uses: its home, its servers, and whether they answer.

use std::sync::Arc;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwarmSetup {
    pub home: Arc<str>,
    /// The model servers, the default one first, then the game, if there is one.
    pub servers: Vec<UsedServer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedServer {
    /// The provider's name; `None` for the game.
    pub provider: Option<Arc<str>>,
    /// Its URL, or the program that it is.
    pub address: Arc<str>,
    /// The model of a Mysis without a model of its own; `None` for the game.
    pub model: Option<Arc<str>>,
    pub answer: ServerAnswer,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServerAnswer {
    #[default]
    Awaited,
    /// It answers. The text says a little more, and may be empty.
    Answers(Arc<str>),
    /// It is a program that starts with each Mysis, so that nobody can be asked yet.
    Starts,
    /// It does not, or refuses. The text says why.
    Fails(Arc<str>),
}

impl SwarmSetup {
    /// Whether a server does not answer, or refuses.
    pub fn has_failure(&self) -> bool {
        let fails = |server: &UsedServer| matches!(server.answer, ServerAnswer::Fails(_));
        self.servers.iter().any(fails)
    }

    pub fn is_being_checked(&self) -> bool {
        let is_awaited = |server: &UsedServer| server.answer == ServerAnswer::Awaited;
        self.servers.iter().any(is_awaited)
    }
}
