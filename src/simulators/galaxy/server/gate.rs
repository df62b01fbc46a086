//! The address gate: how many requests one address may send, and when it is blocked.

use parking_lot::Mutex;
use std::{collections::BTreeMap, net::IpAddr, time::Duration};

use super::super::limits::{GalaxyLimits, MINUTE, RateMeter, game_minute};

/// The longest block, in minutes.
const MAX_BLOCK_MINUTES: u32 = 30;

/// The number of remembered addresses from which on those without a running count are forgotten.
const MIN_SWEPT_ADDRESSES: usize = 1024;

#[derive(Debug)]
pub(super) struct AddressGate {
    limits: GalaxyLimits,
    minute: Duration,
    addresses: Mutex<BTreeMap<IpAddr, AddressMeters>>,
}

#[derive(Debug, Default)]
struct AddressMeters {
    logins: RateMeter,
    failed_logins: RateMeter,
    refusals: RateMeter,
    blocks: u32,
    blocked_until: Duration,
}

/// The refusal of too many requests, with the time to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany(pub(super) Duration);

impl AddressGate {
    pub(super) fn new(limits: GalaxyLimits, tick: Duration) -> Self {
        Self {
            limits,
            minute: game_minute(tick),
            addresses: Mutex::new(BTreeMap::new()),
        }
    }

    /// Lets a request in, unless its address is blocked. A request during a block starts the block
    /// again.
    pub(super) fn admit_request(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        let mut addresses = self.addresses.lock();
        let Some(meters) = addresses.get_mut(&address) else {
            return Ok(());
        };
        if meters.blocked_until <= now {
            return Ok(());
        }
        let block = self.block_length(meters.blocks);
        meters.blocked_until = now + block;
        Err(TooMany(block))
    }

    /// Counts an `initialize`, a register or a login.
    pub(super) fn count_login(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        let mut addresses = self.addresses.lock();
        let meters = addresses.entry(address).or_default();
        let counted = meters.logins.count(self.limits.logins, MINUTE, now);
        counted.map_err(|wait| {
            self.count_refusal(meters, now);
            TooMany(wait)
        })
    }

    pub(super) fn check_failed_logins(
        &self,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), TooMany> {
        let mut addresses = self.addresses.lock();
        let meters = addresses.entry(address).or_default();
        let free = meters
            .failed_logins
            .check(self.limits.failed_logins, MINUTE, now);
        free.map_err(|wait| {
            self.count_refusal(meters, now);
            TooMany(wait)
        })
    }

    pub(super) fn on_wrong_password(&self, address: IpAddr, now: Duration) {
        let mut addresses = self.addresses.lock();
        let meters = addresses.entry(address).or_default();
        // `check_failed_logins` has refused an address that is past its limit.
        let _ = meters
            .failed_logins
            .count(self.limits.failed_logins, MINUTE, now);
    }

    /// Counts a refusal that another part of the server gave.
    pub(super) fn on_refusal(&self, address: IpAddr, now: Duration) {
        let mut addresses = self.addresses.lock();
        self.count_refusal(addresses.entry(address).or_default(), now);
    }

    fn count_refusal(&self, meters: &mut AddressMeters, now: Duration) {
        let counted = meters
            .refusals
            .count(self.limits.refusals, self.minute, now);
        if counted.is_err() {
            meters.blocks += 1;
            meters.blocked_until = now + self.block_length(meters.blocks);
        }
    }

    /// The length of a block: 2 minutes, then 4, 8, 16, and 30 from then on.
    fn block_length(&self, blocks: u32) -> Duration {
        let minutes = 1_u32
            .checked_shl(blocks)
            .unwrap_or(MAX_BLOCK_MINUTES)
            .min(MAX_BLOCK_MINUTES);
        self.minute * minutes
    }

    /// Forgets addresses with no running count and no block, once there are many.
    pub(super) fn sweep(&self, now: Duration) {
        let mut addresses = self.addresses.lock();
        if addresses.len() < MIN_SWEPT_ADDRESSES {
            return;
        }
        let minute = self.minute;
        addresses.retain(|_, meters| {
            let is_counting = !meters.logins.is_over(MINUTE, now)
                || !meters.failed_logins.is_over(MINUTE, now)
                || !meters.refusals.is_over(minute, now);
            is_counting || meters.blocked_until > now
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{super::super::limits::RateAllowance, *};

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const SECOND: Duration = Duration::from_secs(1);

    fn gate(limits: GalaxyLimits) -> AddressGate {
        AddressGate::new(limits, 10 * SECOND)
    }

    #[test]
    fn an_address_logs_in_thirty_times_a_minute() {
        let gate = gate(GalaxyLimits::default());
        for _ in 0..30 {
            assert_eq!(gate.count_login(HOME, SECOND), Ok(()));
        }
        assert_eq!(
            gate.count_login(HOME, 11 * SECOND),
            Err(TooMany(50 * SECOND))
        );
        let elsewhere = IpAddr::from([10, 0, 0, 1]);
        assert_eq!(gate.count_login(elsewhere, 11 * SECOND), Ok(()));
        assert_eq!(gate.count_login(HOME, 61 * SECOND), Ok(()));
    }

    #[test]
    fn five_wrong_passwords_are_enough() {
        let gate = gate(GalaxyLimits::default());
        for _ in 0..5 {
            assert_eq!(gate.check_failed_logins(HOME, SECOND), Ok(()));
            gate.on_wrong_password(HOME, SECOND);
        }
        assert_eq!(gate.check_failed_logins(HOME, SECOND), Err(TooMany(MINUTE)));
        assert_eq!(gate.check_failed_logins(HOME, 61 * SECOND), Ok(()));
    }

    #[test]
    fn who_does_not_slow_down_is_shut_out_for_longer_and_longer() {
        let gate = gate(GalaxyLimits {
            refusals: RateAllowance::PerMinute(2),
            ..GalaxyLimits::default()
        });
        for _ in 0..3 {
            assert_eq!(gate.admit_request(HOME, SECOND), Ok(()));
            gate.on_refusal(HOME, SECOND);
        }
        assert_eq!(gate.admit_request(HOME, SECOND), Err(TooMany(2 * MINUTE)));
        // A request during the block starts the two minutes again.
        assert_eq!(
            gate.admit_request(HOME, 100 * SECOND),
            Err(TooMany(2 * MINUTE))
        );
        assert_eq!(
            gate.admit_request(HOME, 219 * SECOND),
            Err(TooMany(2 * MINUTE))
        );
        assert_eq!(gate.admit_request(HOME, 339 * SECOND), Ok(()));
        for _ in 0..3 {
            gate.on_refusal(HOME, 339 * SECOND);
        }
        assert_eq!(
            gate.admit_request(HOME, 340 * SECOND),
            Err(TooMany(4 * MINUTE))
        );
    }
}
