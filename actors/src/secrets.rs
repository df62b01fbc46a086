//! The known secrets, for all code that stores, shows or sends text.
//!
//! The program has one list. Code that learns a secret adds it at once. Code that passes text on
//! removes the secrets that are known at that moment.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use zoea_text::redact::Redactor;

use crate::domain::tool::Toolset;

/// The most sets of tools whose clean form is remembered. Myses share sets, and there are as many as the
/// operator has filters for tools.
const MAX_CLEAN_TOOLSETS: usize = 64;

/// The known secrets. Clones share them.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<KnownSecrets>>);

#[derive(Default)]
struct KnownSecrets {
    secrets: BTreeSet<Arc<str>>,
    redactor: Arc<Redactor>,
    /// Sets of tools, and the same without these secrets.
    toolsets: VecDeque<(Weak<Toolset>, Arc<Toolset>)>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.redactor().fmt(f)
    }
}

impl Secrets {
    /// Starts with these secrets.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = Arc<str>>) -> Secrets {
        let known = Secrets::default();
        known.learn(secrets);
        known
    }

    /// Adds secrets. Returns whether one of them was new.
    pub fn learn(&self, secrets: impl IntoIterator<Item = Arc<str>>) -> bool {
        // A poisoned lock still holds valid data, because adding a secret is a single step.
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let secrets = secrets.into_iter();
        let new: Vec<Arc<str>> = secrets
            .filter(|secret| known.secrets.insert(secret.clone()))
            .collect();
        if new.is_empty() {
            return false;
        }
        known.redactor = Arc::new(known.redactor.with(new));
        known.toolsets.clear();
        true
    }

    /// Removes the known secrets from texts.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.redactor.clone()
    }

    /// The tools without the known secrets. Each request to a model has all of them, and they are most
    /// of it, so they are not searched each time.
    #[must_use]
    pub fn clean_tools(&self, tools: &Arc<Toolset>) -> Arc<Toolset> {
        let redactor = {
            let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let mut toolsets = known.toolsets.iter();
            let found = toolsets.find(|(of, _)| std::ptr::eq(of.as_ptr(), &raw const **tools));
            if let Some((_, clean)) = found {
                return clean.clone();
            }
            known.redactor.clone()
        };
        let clean = tools.without_secrets(&redactor);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&known.redactor, &redactor) {
            if known.toolsets.len() == MAX_CLEAN_TOOLSETS {
                known.toolsets.pop_front();
            }
            known
                .toolsets
                .push_back((Arc::downgrade(tools), clean.clone()));
        }
        clean
    }

    /// The text without the known secrets.
    #[must_use]
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor().clean(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tool::ToolSpec;

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
        assert!(Arc::ptr_eq(&secrets.clean_tools(&tools), &tools));
        assert!(Arc::ptr_eq(&secrets.clean_tools(&tools), &tools));
        assert!(secrets.learn(["hunter2-hunter2".into()]));
        assert!(!secrets.learn(["hunter2-hunter2".into()]));
        let clean = secrets.clean_tools(&tools);
        assert_eq!(*clean, Toolset::new([spec("mine", "say [redacted]")]));
        assert!(Arc::ptr_eq(&secrets.clean_tools(&tools), &clean));
        for number in 0..2 * MAX_CLEAN_TOOLSETS {
            let other = Arc::new(Toolset::new([spec(&format!("t{number}"), "")]));
            assert!(Arc::ptr_eq(&secrets.clean_tools(&other), &other));
        }
        assert_eq!(secrets.clean_tools(&tools), clean);
    }
}
