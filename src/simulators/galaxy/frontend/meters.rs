//! Meters: how much of its limits each account has used.

use std::{collections::BTreeMap, time::Duration};

use super::{
    super::limits::{GalaxyLimits, RateMeter, game_minute, whole_seconds},
    GameRefusal, PlayerId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeterKind {
    Mutation,
    Query,
    Chat,
}

#[derive(Debug, Default)]
struct AccountMeters {
    mutations: RateMeter,
    queries: RateMeter,
    chats: RateMeter,
}

#[derive(Debug)]
pub(super) struct Meters {
    limits: GalaxyLimits,
    minute: Duration,
    accounts: BTreeMap<PlayerId, AccountMeters>,
}

impl Meters {
    pub(super) fn new(limits: GalaxyLimits, tick: Duration) -> Self {
        Self {
            limits,
            minute: game_minute(tick),
            accounts: BTreeMap::new(),
        }
    }

    pub(super) fn count_call(
        &mut self,
        player: PlayerId,
        kind: MeterKind,
        now: Duration,
    ) -> Result<(), GameRefusal> {
        let account = self.accounts.entry(player).or_default();
        let (meter, allowance) = match kind {
            MeterKind::Mutation => (&mut account.mutations, self.limits.mutations),
            MeterKind::Query => (&mut account.queries, self.limits.queries),
            MeterKind::Chat => (&mut account.chats, self.limits.chats),
        };
        meter
            .count(allowance, self.minute, now)
            .map_err(|wait| rate_limited(whole_seconds(wait)))
    }

    /// Forgets the accounts whose minutes are all over.
    pub(super) fn sweep(&mut self, now: Duration) {
        let minute = self.minute;
        self.accounts.retain(|_, account| {
            let meters = [account.mutations, account.queries, account.chats];
            meters.iter().any(|meter| !meter.is_over(minute, now))
        });
    }
}

fn rate_limited(seconds: u64) -> GameRefusal {
    let message = format!("Too many requests. Please slow down. Retry in {seconds} seconds.");
    GameRefusal::new("rate_limited", message)
}
