//! What the swarm asks of a game, and `AnyTools`, which is true of every MCP server.
//!
//! The swarm knows tools by what MCP says of them. What only a game's own tools mean stands behind
//! [`Game`]; each method's own text says what is true where nothing is known. What a server says of
//! itself is no proof, so nothing of it reaches an adapter but the names of tools and parameters.

mod any_tools;

use std::fmt::Debug;

pub use any_tools::AnyTools;

/// What a game tells of its tools. `command` is what a call means ([`Game::only_reads`] alone gets
/// the call itself).
pub trait Game: Debug + Send + Sync {
    /// The word by which it is stored.
    fn key(&self) -> &'static str;

    /// The built-in system prompt.
    fn prompt(&self) -> &'static str;

    fn server(&self) -> &'static str {
        "the tool server"
    }

    /// Whether a call changes nothing by what is known of the game, so that it is made again where its
    /// answer is lost; `None` if that is not known.
    fn only_reads(&self, _tool: &str, _arguments: &str) -> Option<bool> {
        None
    }

    /// Whether only the newest of several equal results matters.
    fn is_look(&self, _command: &str) -> bool {
        false
    }

    /// Whether a result holds what strangers wrote.
    fn has_words_of_others(&self, _command: &str) -> bool {
        false
    }

    /// What a Mysis is shown to do while the call is under way; `None`: it calls the tool.
    fn deed(&self, _command: &str) -> Option<Deed> {
        None
    }

    /// The commands that every request offers. Without any, the first tools of the list are offered.
    fn basics(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a Mysis needs an account to play. (The runtime keeps accounts for every server that
    /// has `register` and `login`.)
    fn has_accounts(&self) -> bool {
        false
    }

    /// Whether results tell of money, places, levels and ticks, in the forms of this game.
    fn tells_facts(&self) -> bool {
        false
    }

    /// A good result as one line for a person; `None`: by its form alone.
    fn words(&self, _command: &str, _result: &str) -> Option<String> {
        None
    }
}

/// What a Mysis does in a game while a call is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It is on its way. The call answers at its end.
    Travels,
    Mines,
    Fights,
}
