//! Secrets: what is secret now, for everybody who stores, shows or sends anything.
//!
//! One list for the whole program: whoever learns a secret says so here, at once, and whoever hands
//! a text on cleans it by what is known in that moment.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::domain::redact::Redactor;

/// The secrets that are known; clones share them.
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
    /// Knows these.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = Arc<str>>) -> Secrets {
        let known = Secrets::default();
        known.learn(secrets);
        known
    }

    /// These are secret, too, and stay so; whether one of them was new.
    pub fn learn(&self, secrets: impl IntoIterator<Item = Arc<str>>) -> bool {
        // A secret is there or not: one who panicked leaves nothing half done.
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.secrets.len();
        known.secrets.extend(secrets);
        let is_new = known.secrets.len() > before;
        if is_new {
            known.redactor = Arc::new(Redactor::new(known.secrets.iter().cloned()));
        }
        is_new
    }

    /// What takes them out of texts.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.redactor.clone()
    }

    /// The text without them.
    #[must_use]
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor().clean(text)
    }
}
