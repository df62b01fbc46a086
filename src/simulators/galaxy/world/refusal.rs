//! Refusals: the reasons for not carrying a command out, in the codes and words of the real server.

use std::fmt;

/// A refused command. On the wire it reads `Error: <code>: <message>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRefusal {
    pub code: &'static str,
    /// The words, which say what would help.
    pub message: String,
}

pub type GameAnswer = Result<serde_json::Value, GameRefusal>;

impl GameRefusal {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(super) fn invalid_payload(message: impl Into<String>) -> Self {
        Self::new("invalid_payload", message)
    }

    pub(super) fn not_docked() -> Self {
        Self::new(
            "not_docked",
            "You must be docked at a base to perform this action. Use 'dock' at a POI with a base, \
             or use 'get_poi' to check if your current location has a base.",
        )
    }

    pub(super) fn cargo_full() -> Self {
        Self::new("cargo_full", "Cargo hold is full")
    }

    pub(super) fn unknown_item(text: &str) -> Self {
        Self::new(
            "invalid_item",
            format!(
                "invalid_item: Unknown item '{text}'. Use exact item ID (e.g. 'iron_ore') or full \
                 name (e.g. 'Iron Ore')."
            ),
        )
    }

    pub(super) fn no_such_system() -> Self {
        Self::new("invalid_system", "Target system not found")
    }

    pub(super) fn no_such_target() -> Self {
        Self::new("invalid_target", "Target not found at your location.")
    }

    pub(super) fn not_logged_in() -> Self {
        Self::new("not_authenticated", "You must login first.")
    }

    pub fn unknown_command(name: &str) -> Self {
        Self::new(
            "unknown_command",
            format!("Unknown command: {name}. Use the 'help' command to see available commands."),
        )
    }

    /// The refusal after a bug on the server's side.
    pub fn internal_error() -> Self {
        Self::new(
            "internal_error",
            "The command failed inside the server. Use 'get_status' before you repeat it.",
        )
    }
}

impl fmt::Display for GameRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for GameRefusal {}
