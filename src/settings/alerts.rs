//! `[alerts]`: who is told when somebody needs the operator.

use std::time::Duration;

use super::rule::{ListRule, NonEmptyText, SecretUrl, Time, VariableName};
use super::secret::Secret;
use super::section::Section;

/// What is told to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertSettings {
    /// Where each alert is sent as JSON; it may be a secret itself.
    pub webhook: Option<Secret>,
    /// The variable with the bearer token for it.
    pub token_env: Option<String>,
    /// That token, where the variable is set.
    pub token: Option<Secret>,
    /// A program and its arguments, which gets each alert on its input; none: no program.
    pub command: Vec<String>,
    /// How long one try, or the program, may take.
    pub timeout: Duration,
    /// How long the same cause is not told again.
    pub cool_down: Duration,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self {
            webhook: None,
            token_env: None,
            token: None,
            command: Vec::new(),
            timeout: Duration::from_secs(10),
            cool_down: Duration::from_secs(600),
        }
    }
}

impl AlertSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let default = Self::default();
        let command = ListRule {
            count: 0..=100,
            item: NonEmptyText,
        };
        let time = Time::AboveZero;
        Self {
            webhook: section.read("webhook", &SecretUrl),
            token_env: section.read("token_env", &VariableName),
            token: None,
            command: section.read("command", &command).unwrap_or_default(),
            timeout: section.read("timeout", &time).unwrap_or(default.timeout),
            cool_down: section
                .read("cool_down", &time)
                .unwrap_or(default.cool_down),
        }
    }

    /// Whether anybody is told at all.
    #[must_use]
    pub fn has_hook(&self) -> bool {
        self.webhook.is_some() || !self.command.is_empty()
    }
}
