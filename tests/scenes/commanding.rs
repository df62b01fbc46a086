//! The arguments of a Commander of a made-up swarm.

use std::sync::Arc;

use actors::commander::{Adapters, CommanderArgs};
use actors::domain::life::Mode;
use actors::domain::rules::SwarmRules;
use actors::ports::SwarmRecord;
use actors::secrets::Secrets;

/// Arguments of a Commander that starts no Mysis and has neither watchers nor a terminal.
pub fn commander_args(
    swarm: SwarmRecord,
    rules: Arc<SwarmRules>,
    outside: Adapters,
) -> CommanderArgs {
    CommanderArgs {
        swarm,
        resume: false,
        start_idle: false,
        mode: Mode::Live,
        rules,
        secrets: Secrets::default(),
        outside,
        watchers: Vec::new(),
        link: None,
        seed: 1,
    }
}
