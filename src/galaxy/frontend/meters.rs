//! What accounts have used of their limits.

use std::{collections::BTreeMap, time::Duration};

use super::{
    super::limits::{Limits, Meter, game_minute, whole_seconds},
    PlayerId, Refusal,
};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mutation,
    Query,
    Chat,
}

#[derive(Debug, Default)]
struct Account {
    mutations: Meter,
    queries: Meter,
    chats: Meter,
}

/// The meters of all accounts that called lately.
#[derive(Debug)]
pub(super) struct Meters {
    limits: Limits,
    minute: Duration,
    accounts: BTreeMap<PlayerId, Account>,
}

impl Meters {
    pub(super) fn new(limits: Limits, tick: Duration) -> Self {
        Self {
            limits,
            minute: game_minute(tick),
            accounts: BTreeMap::new(),
        }
    }

    /// Counts a call, or refuses it.
    pub(super) fn count(
        &mut self,
        player: PlayerId,
        kind: Kind,
        now: Duration,
    ) -> Result<(), Refusal> {
        let account = self.accounts.entry(player).or_default();
        let (meter, allowance) = match kind {
            Kind::Mutation => (&mut account.mutations, self.limits.mutations),
            Kind::Query => (&mut account.queries, self.limits.queries),
            Kind::Chat => (&mut account.chats, self.limits.chats),
        };
        meter
            .count(allowance, self.minute, now)
            .map_err(|wait| too_many(whole_seconds(wait)))
    }

    /// Forgets accounts whose minutes are all past.
    pub(super) fn sweep(&mut self, now: Duration) {
        let minute = self.minute;
        self.accounts.retain(|_, account| {
            let meters = [account.mutations, account.queries, account.chats];
            meters.iter().any(|meter| !meter.is_over(minute, now))
        });
    }
}

fn too_many(seconds: u64) -> Refusal {
    let message = format!("Too many requests. Please slow down. Retry in {seconds} seconds.");
    Refusal::new("rate_limited", message)
}
