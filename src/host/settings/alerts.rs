//! `[alerts]`: who is notified when a Mysis needs the operator.

use std::time::Duration;

use super::rule::{duration_above_zero, list_of, non_empty_text, secret_url, variable_name};
use super::secret::Secret;
use super::table::section;

section! {
    /// The receivers of alerts.
    pub struct AlertSettings {
        optional webhook: Option<Secret> = "https://hooks.example.org/zoea", secret_url(),
            "The URL that each alert is sent to as JSON; it may be a secret itself.";
        /// The variable that holds a bearer token for the webhook, if it wants one.
        optional token_env: Option<String> = "ALERTS_TOKEN", variable_name();
        optional command: Option<Vec<String>> = ["notify-send", "zoea"], list_of(0..=100, non_empty_text()),
            "A program with its arguments; it reads each alert from its standard input and gets no variable that may hold a key.";
        default timeout: Duration = "10s", duration_above_zero(),
            "The most time for one try, or for the program.";
        default cool_down: Duration = "10m", duration_above_zero(),
            "The least time between two alerts of one cause.";
    }
    also {
        /// The token, if the variable is set.
        token: Option<Secret> = None;
        inherited: Vec<(String, String)> = Vec::new();
    }
}

impl AlertSettings {
    /// Whether there is any receiver.
    pub fn has_hook(&self) -> bool {
        self.webhook.is_some()
            || self
                .command
                .as_ref()
                .is_some_and(|command| !command.is_empty())
    }
}
