//! The texts that are held back, for all Myses of this process.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::domain::held::HeldTexts;

/// The texts that are held back. Clones share them.
#[derive(Clone, Default)]
pub struct HeldBack(Arc<RwLock<Arc<HeldTexts>>>);

impl fmt::Debug for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.now().fmt(f)
    }
}

impl HeldBack {
    #[must_use]
    pub fn now(&self) -> Arc<HeldTexts> {
        // A poisoned lock still holds valid data, because it is replaced in one step.
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn change(&self, change: impl FnOnce(&mut HeldTexts)) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut held));
    }
}
