//! The lists of further tools that requests offer, for all Myses of this process.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::domain::ids::Moment;
use crate::domain::role_list::{ListKey, ListNews, RoleLists};

/// The lists. Clones share them.
#[derive(Clone, Default)]
pub struct SharedLists(Arc<RwLock<Arc<RoleLists>>>);

impl fmt::Debug for SharedLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.known().fmt(f)
    }
}

impl SharedLists {
    #[must_use]
    pub fn now(&self, now: Moment) -> Arc<RoleLists> {
        let known = self.known();
        if !known.is_due(now) {
            return known;
        }
        self.change(|lists| lists.renew(now));
        self.known()
    }

    pub fn take(&self, key: ListKey, news: ListNews, now: Moment) {
        self.change(|lists| lists.take(key, news, now));
    }

    fn known(&self) -> Arc<RoleLists> {
        // A poisoned lock still holds valid data, because it is replaced in one step.
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn change(&self, change: impl FnOnce(&mut RoleLists)) {
        let mut lists = self.0.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut lists));
    }
}
