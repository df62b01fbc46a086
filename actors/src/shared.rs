//! Values that all Myses of this process share.

use parking_lot::RwLock;
use std::sync::Arc;

use crate::domain::held::HeldTexts;
use crate::domain::ids::Moment;
use crate::domain::role_list::{ListKey, ListNews, RoleLists};

/// A value. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(Arc<RwLock<Arc<T>>>);

/// The texts that are held back from models.
pub type HeldBack = Shared<HeldTexts>;

/// The lists of further tools that requests offer.
pub type SharedLists = Shared<RoleLists>;

impl<T: Clone> Shared<T> {
    pub fn now(&self) -> Arc<T> {
        self.0.read().clone()
    }

    pub fn change(&self, change: impl FnOnce(&mut T)) {
        let mut value = self.0.write();
        change(Arc::make_mut(&mut value));
    }
}

impl SharedLists {
    pub fn renewed(&self, now: Moment) -> Arc<RoleLists> {
        let known = self.now();
        if !known.is_due(now) {
            return known;
        }
        self.change(|lists| lists.renew(now));
        self.now()
    }

    pub fn take(&self, key: ListKey, news: ListNews, now: Moment) {
        self.change(|lists| lists.take(key, news, now));
    }
}
