//! The known secrets, for all code that stores, shows or sends text.
//!
//! The program has one list. Code that learns a secret adds it at once. Code that passes text on
//! removes the secrets that are known at that moment.

use parking_lot::RwLock;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use zoea_text::redact::Redactor;

/// The known secrets. Clones share them.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<KnownSecrets>>);

#[derive(Default)]
struct KnownSecrets {
    secrets: BTreeSet<Arc<str>>,
    redactor: Arc<Redactor>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.redactor().fmt(f)
    }
}

impl Secrets {
    pub fn new(secrets: impl IntoIterator<Item = Arc<str>>) -> Secrets {
        let known = Secrets::default();
        known.learn(secrets);
        known
    }

    pub fn learn(&self, secrets: impl IntoIterator<Item = Arc<str>>) -> bool {
        let mut known = self.0.write();
        let secrets = secrets.into_iter();
        let new: Vec<Arc<str>> = secrets
            .filter(|secret| known.secrets.insert(secret.clone()))
            .collect();
        if new.is_empty() {
            return false;
        }
        known.redactor = Arc::new(known.redactor.with(new));
        true
    }

    pub fn redactor(&self) -> Arc<Redactor> {
        let known = self.0.read();
        known.redactor.clone()
    }

    /// The text without the known secrets.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor().clean(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tool::{ToolSpec, Toolset};

    #[test]
    fn tools_are_searched_once_for_all_requests_and_again_when_a_secret_becomes_known() {
        let spec = |name: &str, description: &str| ToolSpec {
            name: name.into(),
            description: description.into(),
            schema: "{}".into(),
            read_only_hint: None,
        };
        let tools = Arc::new(Toolset::new([spec("mine", "say hunter2-hunter2")]));
        let secrets = Secrets::new(["sesame-sesame".into()]);
        assert!(Arc::ptr_eq(
            &tools.without_secrets(&secrets.redactor()),
            &tools
        ));
        assert!(Arc::ptr_eq(
            &tools.without_secrets(&secrets.redactor()),
            &tools
        ));
        assert!(secrets.learn(["hunter2-hunter2".into()]));
        assert!(!secrets.learn(["hunter2-hunter2".into()]));
        let clean = tools.without_secrets(&secrets.redactor());
        assert_eq!(*clean, Toolset::new([spec("mine", "say [redacted]")]));
        assert!(Arc::ptr_eq(
            &tools.without_secrets(&secrets.redactor()),
            &clean
        ));
    }
}
