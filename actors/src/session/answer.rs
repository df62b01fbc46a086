//! What a game server's answer means for the runtime.

use crate::domain::life::LifeInput;
use crate::ports::LinkAnswer;

use super::{GameSession, Outlet};

/// The error codes for a game session that is lost or was never opened.
const NOT_LOGGED_IN_CODES: [&str; 6] = [
    "session_required",
    "session_invalid",
    "session_expired",
    "session_replaced",
    "not_authenticated",
    "not_logged_in",
];

/// The error code of a failed command: `Error: <code>: <message>`, or JSON with a `code`.
pub(super) fn error_code(answer: &LinkAnswer) -> Option<&str> {
    if !answer.is_error {
        return None;
    }
    let text = answer.text.trim_start();
    if let Some(rest) = text.strip_prefix("Error: ") {
        return rest.split([':', ' ', '\n']).next();
    }
    let (_, rest) = text.split_once(r#""code""#)?;
    rest.split('"').nth(1)
}

/// Whether the command was refused because of a missing login.
pub(super) fn is_not_logged_in(answer: &LinkAnswer) -> bool {
    error_code(answer).is_some_and(|code| NOT_LOGGED_IN_CODES.contains(&code))
}

impl GameSession {
    pub(super) fn tick_in(&self, text: &str) -> Option<i64> {
        self.tools.game()?.tick(text)
    }

    /// Tells what the answer to a login says of the player. A request that was composed before is out
    /// of date.
    pub(super) fn emit_login(&mut self, answer: &LinkAnswer, outlet: &Outlet) {
        self.has_news = true;
        let text = self.without_secrets(answer.text.clone());
        let account = self.account_name();
        outlet.tell_life(LifeInput::LoggedIn { account, text });
    }

    /// Whether it logged in, or learnt which game its tools are of, since this was asked for last: a
    /// request that was composed before says something else.
    pub fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.has_news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(text: &str) -> LinkAnswer {
        LinkAnswer {
            text: text.to_string(),
            structured: None,
            is_error: true,
        }
    }

    #[test]
    fn codes_are_read_from_both_forms() {
        let text = failed("Error: session_invalid: Session not found or expired.");
        assert!(is_not_logged_in(&text));
        let json = failed(r#"{"code":"session_required","message":"log in"}"#);
        assert!(is_not_logged_in(&json));
        assert_eq!(
            error_code(&failed("Error: cargo_full: full")),
            Some("cargo_full")
        );
        assert_eq!(error_code(&failed("no idea")), None);
    }
}
