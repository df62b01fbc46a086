//! The game account, and the attempts to get one.

use super::outcome::{GameOutcome, ToolNews};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KnownAccount {
    pub(crate) standing: AccountStanding,
    pub(crate) username: Option<String>,
    pub(crate) empire: Option<String>,
    pub(crate) login_failed: bool,
    pub(crate) names_taken: u32,
    pub(crate) codes_refused: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum AccountStanding {
    /// Nothing is known; a call will show it.
    #[default]
    Unknown,
    /// There is no account yet.
    Missing,
    /// There may be an account, but no session.
    Locked,
    Active,
}

/// Phrases in a system prompt that say there is no account.
const NO_ACCOUNT_PHRASES: [&str; 10] = [
    "no account",
    "no game account",
    "account: none",
    "account name: none",
    "not have an account",
    "not have a game account",
    "without an account",
    "not registered",
    "not yet registered",
    "have not registered",
];

/// Words that make a sentence conditional.
const CONDITION_WORDS: [&str; 5] = ["if", "when", "while", "unless", "until"];

impl KnownAccount {
    /// Reads a system prompt. A conditional sentence is a rule and no fact about the account.
    pub(super) fn on_system_prompt(&mut self, text: &str) {
        let text = text.to_ascii_lowercase();
        let is_missing = text
            .split(['.', '\n', ';', '!'])
            .filter(|sentence| sentence.contains("account") || sentence.contains("registered"))
            .map(|sentence| sentence.replace(['*', '`', '_'], ""))
            .any(|sentence| {
                let mut words = sentence.split(|letter: char| !letter.is_alphanumeric());
                let is_rule = words.any(|word| CONDITION_WORDS.contains(&word));
                !is_rule
                    && NO_ACCOUNT_PHRASES
                        .iter()
                        .any(|phrase| sentence.contains(phrase))
            });
        if is_missing {
            self.standing = AccountStanding::Missing;
        }
    }

    pub(super) fn on_result(&mut self, news: &ToolNews<'_>) {
        match &news.outcome {
            GameOutcome::Done { facts, .. } => {
                if let Some(name) = facts.of_player("username") {
                    self.username = Some(name.to_owned());
                }
                if let Some(empire) = facts.of_player("empire") {
                    self.empire = Some(empire.to_owned());
                }
                if needs_account(news.asked.tool) {
                    self.standing = AccountStanding::Active;
                    self.login_failed = false;
                }
            }
            // A wrong session id is no sign of a missing account.
            GameOutcome::Failed { .. } if news.argument("session_id").is_some() => {}
            GameOutcome::Failed { code, message } => {
                self.on_failure(news.asked.tool, code, message)
            }
            GameOutcome::Words => {}
        }
    }

    fn on_failure(&mut self, tool: &str, code: &str, message: &str) {
        let facts = message.to_lowercase();
        match (tool, code) {
            ("register", _) if facts.contains("already have") => {
                self.standing = if self.login_failed {
                    AccountStanding::Missing
                } else {
                    AccountStanding::Locked
                };
            }
            ("register", "username_taken") => {
                self.names_taken += 1;
                self.standing = AccountStanding::Missing;
            }
            (
                "register",
                "registration_code_required" | "invalid_registration_code" | "already_claimed",
            ) => {
                self.codes_refused += 1;
                self.standing = AccountStanding::Missing;
            }
            (_, "rate_limited") => {}
            ("register", _) => self.standing = AccountStanding::Missing,
            ("login", _) => {
                self.login_failed = true;
                self.standing = AccountStanding::Missing;
            }
            (
                _,
                "session_required" | "session_invalid" | "session_expired" | "not_authenticated",
            ) => {
                self.standing = if self.login_failed {
                    AccountStanding::Missing
                } else {
                    AccountStanding::Locked
                };
            }
            _ => {}
        }
    }
}

/// Whether the tool needs an account. The host's own tools and the game's public ones succeed
/// without one, so they prove nothing.
fn needs_account(tool: &str) -> bool {
    const PUBLIC_TOOLS: [&str; 9] = [
        "session",
        "catalog",
        "forum_list",
        "forum_get_thread",
        "get_commands",
        "get_guide",
        "get_version",
        "help",
        "logout",
    ];
    !tool.starts_with("zoea_") && !PUBLIC_TOOLS.contains(&tool)
}
