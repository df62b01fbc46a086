//! Tools of tests and benchmarks: the real program in a home of its own, under a terminal,
//! databases made by hand, and a Postgres server.
//!
//! It knows the program only by its path, and uses no package that is tested with it.

pub mod answering;
mod asking_game;
pub mod odd_model;
mod pictures;
mod pooler;
pub mod postgres;
mod process;
pub mod process_figures;
pub mod revealed;
mod scripted;
pub mod sqlite;
pub mod terminal_program;

use std::path::PathBuf;

pub use asking_game::AskingGame;
pub use pooler::Pooler;
pub use process::{
    Home, Process, Server, ending_signals, http, lines, texts, try_http, until, written, zoea,
};
pub use process_figures::ProcessFigures;
pub use scripted::{ScriptedReply, ScriptedRequest, ScriptedServer};

/// The program under test: `ZOEA_BIN`, else the one that Cargo builds before the tests, next to the folder of their
/// binaries.
///
/// # Panics
///
/// The program is not built.
#[expect(
    clippy::disallowed_methods,
    reason = "which program is tried is no setting of the program"
)]
pub fn program() -> PathBuf {
    if let Ok(chosen) = std::env::var("ZOEA_BIN") {
        // A relative path would be looked up in the search path.
        return std::path::absolute(chosen).expect("a path");
    }
    let own = std::env::current_exe().expect("a test binary has a path");
    let found = own
        .ancestors()
        .skip(1)
        .take(3)
        .map(|folder| folder.join("zoea"))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("there is no zoea near {}: cargo build", own.display()))
}
