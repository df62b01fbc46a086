//! Setup: turns an operator's answers into a configuration that plays.
//!
//! This module asks nothing itself. `src/interface/cli/setup.rs` gets the answers from questions or flags.

mod answers;
mod configuration;
mod files;
mod servers;

pub use answers::{Answers, DailyCap, GAME_ENTRY, KeyAnswer, ModelChoice, ServerChoice};
pub use configuration::render_configuration;
pub use files::{ConfigurationFiles, NewSecrets};
pub use servers::{
    LocalServer, Seller, ServerFault, find_local_servers, find_seller, list_models, seller_at,
    sellers,
};
