//! Accounts of the game that are there before anybody plays.

use anyhow::{Context, anyhow};
use serde_json::{Map, Value, json};
use zoea_galaxy::frontend::{CallReply, GameCall};

use super::SimulatedGame;

impl SimulatedGame {
    /// Opens an account of this name. Returns its password.
    ///
    /// # Errors
    /// The game refuses the name.
    pub fn open_account(&self, name: &str) -> anyhow::Result<String> {
        let given = json!({"username": name, "empire": "solarian", "registration_code": "any"});
        let arguments: Map<String, Value> = given.as_object().cloned().unwrap_or_default();
        let call = GameCall {
            tool: "register".to_string(),
            arguments,
            name: None,
        };
        let connection = self.reconnect(0);
        let served = {
            let mut state = self.0.state.lock();
            let now = self.0.begun.elapsed();
            state.frontend.serve_call(connection, call, now)
        };
        self.reconnect(connection);
        let CallReply::Now(answer) = served.reply else {
            anyhow::bail!("the game answers a registration later");
        };
        let answer = answer.map_err(|refusal| anyhow!("{refusal}"))?;
        let password = answer["password"].as_str();
        Ok(password
            .context("an account without a password")?
            .to_string())
    }
}
