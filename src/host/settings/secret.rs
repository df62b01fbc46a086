//! Secrets: text that is used in one place and never shown.

use std::fmt;

use serde::Deserialize;

/// A key, token or password. It has no `Display`, and its `Debug` prints `[redacted]`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the code that has to send or compare it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_redacted_when_it_is_printed() {
        let secret = Secret::new("sk-very-secret");
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "[redacted] Some([redacted])"
        );
        assert_eq!(secret.expose(), "sk-very-secret");
    }
}
