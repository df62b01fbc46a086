//! The lists of further tools that requests offer, for all Myses of this process.

use parking_lot::RwLock;
use std::fmt;
use std::sync::Arc;

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
        self.0.read().clone()
    }

    fn change(&self, change: impl FnOnce(&mut RoleLists)) {
        let mut lists = self.0.write();
        change(Arc::make_mut(&mut lists));
    }
}
