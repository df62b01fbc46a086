//! Frozen homes: what a freeze of one promises, whichever process runs there.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::Timestamp;
use actors::ports::FreezeKeeper;
use futures::FutureExt;
use futures::future::BoxFuture;

/// The file of a home that says since when it is frozen.
pub(super) struct FreezeFile {
    since: Mutex<Option<Timestamp>>,
    /// Whether nothing is kept, as a mistake on purpose.
    is_forgetful: bool,
}

impl FreezeFile {
    pub(super) fn new(is_forgetful: bool) -> FreezeFile {
        FreezeFile {
            since: Mutex::default(),
            is_forgetful,
        }
    }

    /// Since when the home is frozen.
    pub(super) fn since(&self) -> Option<Timestamp> {
        *self.since.lock()
    }
}

impl FreezeKeeper for FreezeFile {
    fn keep(&self, since: Option<Timestamp>) -> BoxFuture<'static, Result<(), String>> {
        if !self.is_forgetful {
            *self.since.lock() = since;
        }
        futures::future::ready(Ok(())).boxed()
    }
}

#[derive(Default)]
pub(super) struct FrozenHomes {
    homes: Mutex<BTreeMap<Arc<str>, FrozenHome>>,
}

#[derive(Default)]
struct FrozenHome {
    /// How often somebody ordered to thaw it. A freeze that is answered after that is none.
    thaws: u64,
    since: Option<Duration>,
    is_known: bool,
}

impl FrozenHomes {
    /// Notes that somebody orders to freeze a home. Returns what to say when it is done.
    pub(super) fn on_freezing(&self, home: &Arc<str>) -> u64 {
        self.homes.lock().entry(home.clone()).or_default().thaws
    }

    pub(super) fn on_frozen(&self, home: &Arc<str>, number: u64, now: Duration) {
        let mut homes = self.homes.lock();
        let home = homes.entry(home.clone()).or_default();
        if home.thaws == number {
            home.since.get_or_insert(now);
        }
    }

    pub(super) fn on_thawing(&self, home: &Arc<str>) {
        let mut homes = self.homes.lock();
        let home = homes.entry(home.clone()).or_default();
        (home.thaws, home.since, home.is_known) = (home.thaws + 1, None, false);
    }

    /// Notes that a process told the database whether it is frozen.
    pub(super) fn on_shared(&self, home: &Arc<str>, is_frozen: bool) {
        if let Some(home) = self.homes.lock().get_mut(home) {
            home.is_known |= is_frozen && home.since.is_some();
        }
    }

    /// What is wrong if something leaves a process of this home now.
    pub(super) fn objection(&self, home: &str) -> Option<String> {
        let homes = self.homes.lock();
        let since = homes.get(home)?.since?.as_secs_f64();
        Some(format!("{home} is frozen since {since:.1} s"))
    }

    /// What is wrong if another home takes a Mysis of this one now.
    pub(super) fn objection_to_taking(&self, home: &str) -> Option<String> {
        let is_known = self
            .homes
            .lock()
            .get(home)
            .is_some_and(|home| home.is_known);
        is_known.then(|| self.objection(home))?
    }

    /// Whether nothing is to leave this home.
    pub(super) fn is_frozen(&self, home: &str) -> bool {
        self.objection(home).is_some()
    }
}
