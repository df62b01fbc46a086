//! The secrets of one session, and texts without them.

use std::borrow::Cow;
use std::sync::Arc;

use zoea_text::redact::{Redactor, hide_passwords};

use super::GameSession;

/// The most secrets of its own that a session remembers: the password, the newest session ids and
/// codes of links.
const MAX_KEPT_SECRETS: usize = 8;

impl GameSession {
    pub(super) fn hide_secrets(&mut self, secrets: impl IntoIterator<Item = Arc<str>>) {
        let new: Vec<Arc<str>> = secrets.into_iter().collect();
        self.secrets.retain(|known| !new.contains(known));
        self.secrets.extend(new);
        // Old session ids are dropped, except for the newest, which an answer may still contain.
        let old = self.secrets.len().saturating_sub(MAX_KEPT_SECRETS);
        self.secrets.drain(..old);
        self.redactor = Redactor::new(self.secrets.iter().cloned());
    }

    /// A text without passwords and without the game's session id.
    pub(super) fn without_secrets(&self, text: String) -> String {
        let text = self.redactor.clean_own(text);
        let text = self.deps.secrets.redactor().clean_own(text);
        match hide_passwords(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(hidden) => hidden,
        }
    }
}
