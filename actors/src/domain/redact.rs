//! Redaction: known secrets never get into a row, a request or a notice (DESIGN 6).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Shorter ones would redact ordinary words.
const SHORTEST: usize = 8;

/// The secrets that are known now.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Redactor {
    secrets: Vec<Arc<str>>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

impl Redactor {
    /// Knows these secrets; those too short to tell from ordinary words are left out.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = Arc<str>>) -> Redactor {
        let mut secrets: Vec<Arc<str>> = secrets
            .into_iter()
            .filter(|secret| secret.len() >= SHORTEST)
            .collect();
        // A secret that holds another one must go first, or its rest would stay.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Redactor { secrets }
    }

    /// The text without the secrets.
    #[must_use]
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in &self.secrets {
            if clean.contains(&**secret) {
                clean = Cow::Owned(clean.replace(&**secret, REDACTED));
            }
        }
        clean
    }

    /// As [`Redactor::clean`], for a shared text that most often holds no secret.
    #[must_use]
    pub fn clean_shared(&self, text: Arc<str>) -> Arc<str> {
        match self.clean(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_secret_goes_first_and_short_words_stay() {
        let redactor = Redactor::new(["password".into(), "password-and-more".into(), "ore".into()]);
        assert_eq!(
            redactor.clean("ore password-and-more password"),
            "ore [redacted] [redacted]"
        );
        assert_eq!(format!("{redactor:?}"), "Redactor(2 secrets)");
    }
}
