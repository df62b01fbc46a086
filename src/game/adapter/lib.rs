//! What the swarm asks of a game, and `AnyTools`, which is true of every MCP server.
//!
//! The swarm knows tools by what MCP says of them. What only a game's own tools mean stands behind
//! [`Game`]. What is true where nothing is known is a method's default. What a server says of
//! itself is no proof, so nothing of it reaches an adapter but the names of tools and parameters.
//!
//! No JSON crosses this border: a result is read once ([`Game::read`]), and what it tells comes out as
//! the types of this package.

mod any_tools;
pub mod digest;
pub mod lines;
pub mod reading;
pub mod standing;
pub mod systems;

use std::fmt::Debug;

pub use any_tools::AnyTools;
pub use reading::Reading;

use standing::{Standing, Transfer};

/// What the game says of itself, what calls do, and what results tell. `command` is what a call means
/// ([`Game::only_reads`] and [`Game::transfer`] get the call itself, too).
pub trait Game: Debug + Send + Sync {
    fn key(&self) -> &'static str;

    fn prompt(&self) -> &'static str;

    fn server(&self) -> &'static str {
        "the tool server"
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

    /// The transfer that a call makes if it is executed; `None` if it makes none.
    fn transfer(&self, _command: &str, _tool: &str, _arguments: &str) -> Option<Transfer> {
        None
    }

    /// What follows from a call that may have been carried out and whose result tells nothing.
    fn unread(&self, _command: &str, _read_only: bool) -> Standing {
        Standing::default()
    }

    /// Whether results tell of money, places, levels and ticks, in the forms of this game.
    fn tells_facts(&self) -> bool {
        false
    }

    /// Reads a result. What it tells is taken from the reading, and the text is not read again.
    fn read(&self, _result: &str) -> Box<dyn Reading> {
        Box::new(ByForm)
    }

    /// The tick that a result tells. The text is not parsed, because results can be large.
    fn tick(&self, _result: &str) -> Option<i64> {
        None
    }

    /// The result of a refused call as one line; `None`: by its first words.
    fn refusal(&self, _result: &str) -> Option<String> {
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

/// A result of which nothing is known but its form.
#[derive(Debug)]
struct ByForm;

impl Reading for ByForm {
    fn digest(&self, result: &str, most: usize) -> String {
        digest::digest_text(result, most)
    }
}
