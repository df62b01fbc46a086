//! Setup: from what an operator answers on the first night to a configuration that plays.
//!
//! Nothing here asks anybody: `src/cli/setup.rs` does, by questions or by flags.

mod answers;
mod configuration;
mod files;
mod servers;

pub use answers::{Answers, DailyCap, GAME_ENTRY, KeyAnswer, ModelAnswer, ServerAnswer};
pub use configuration::render_configuration;
pub use files::{ConfigurationFiles, NewSecrets, WrittenFiles};
pub use servers::{
    LocalServer, Seller, ServerFault, find_local_servers, find_seller, list_models, sellers,
};
