//! The texts that are held back, for all Myses of this process.

use parking_lot::RwLock;
use std::fmt;
use std::sync::Arc;

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
        self.0.read().clone()
    }

    pub fn change(&self, change: impl FnOnce(&mut HeldTexts)) {
        let mut held = self.0.write();
        change(Arc::make_mut(&mut held));
    }
}
