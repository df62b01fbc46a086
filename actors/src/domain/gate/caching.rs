//! Caching: notices that a provider no longer takes the beginnings of requests from its cache.
//!
//! A request that repeats the one before it costs a tenth where a provider caches. If it stops, or
//! is asked by another route, everything works as before, and costs several times as much.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::ids::{Moment, MysisId};
use crate::model::TokenUsage;

/// The requests that are looked at together.
const REQUESTS: usize = 20;
/// Providers cache no shorter beginnings.
const LEAST_TOKENS: u64 = 2048;
/// A request so long after the one before it may find that the cache has expired.
const EXPIRY: Duration = Duration::from_secs(240);
/// The share of cached tokens from which a provider counts as one that caches, in percent.
const CACHING_PERCENT: u64 = 30;
/// The most Myses whose last request is remembered for a provider.
const MAX_MYSES: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct CacheWatch(BTreeMap<Arc<str>, ProviderCache>);

#[derive(Debug, Default)]
struct ProviderCache {
    /// The newest requests that could have been cached: their tokens, and those from the cache.
    recent: VecDeque<(u64, u64)>,
    last: BTreeMap<MysisId, Moment>,
    /// The largest share that came from the cache, in percent, since it began to cache.
    percent: Option<u64>,
}

impl CacheWatch {
    /// Takes the usage of a request. Returns the percentage of tokens that came from the cache
    /// before, if none do any more.
    pub(super) fn on_usage(
        &mut self,
        provider: &Arc<str>,
        mysis: MysisId,
        usage: TokenUsage,
        now: Moment,
    ) -> Option<u64> {
        let of = self.0.entry(provider.clone()).or_default();
        if of.last.len() >= MAX_MYSES {
            of.last.clear();
        }
        let before = of.last.insert(mysis, now);
        let follows = before.is_some_and(|before| now.since(before) < EXPIRY);
        if !follows || usage.input < LEAST_TOKENS {
            return None;
        }
        of.recent.push_back((usage.input, usage.cached));
        if of.recent.len() <= REQUESTS {
            return None;
        }
        of.recent.pop_front();
        of.judge()
    }
}

impl ProviderCache {
    fn judge(&mut self) -> Option<u64> {
        let sum = |of: fn(&(u64, u64)) -> u64| {
            let parts = self.recent.iter().map(of);
            parts.fold(0, u64::saturating_add)
        };
        let (tokens, cached) = (sum(|(tokens, _)| *tokens), sum(|(_, cached)| *cached));
        if cached == 0 {
            return self.percent.take();
        }
        let percent = (cached.saturating_mul(100) / tokens.max(1)).min(100);
        if percent >= CACHING_PERCENT || self.percent.is_some() {
            self.percent = self.percent.max(Some(percent));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of these requests of one Mysis, ten seconds after one another.
    fn lapses(requests: impl IntoIterator<Item = (u64, u64)>, apart: i64) -> Vec<(usize, u64)> {
        let mut watch = CacheWatch::default();
        let lapses = requests.into_iter().enumerate().filter_map(|(place, of)| {
            let (input, cached) = of;
            let usage = TokenUsage {
                input,
                output: 9,
                cached,
            };
            let now = Moment(i64::try_from(place).unwrap() * apart);
            let lapses = watch.on_usage(&"cloud".into(), MysisId(7), usage, now)?;
            Some((place, lapses))
        });
        lapses.collect()
    }

    fn times(count: usize, request: (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
        std::iter::repeat_n(request, count)
    }

    #[test]
    fn a_provider_that_stops_caching_is_told_once_until_it_caches_again() {
        let stops = || times(60, (10_000, 8000)).chain(times(100, (10_000, 0)));
        assert_eq!(lapses(stops(), 10_000), [(79, 80)]);
        let twice = stops().chain(stops());
        assert_eq!(lapses(twice, 10_000), [(79, 80), (239, 80)]);
    }

    #[test]
    fn one_that_never_cached_and_one_that_caches_now_and_then_are_not_told() {
        assert_eq!(lapses(times(200, (10_000, 0)), 10_000), []);
        let little = (0..200).map(|place| (10_000, if place % 9 == 0 { 9000 } else { 0 }));
        assert_eq!(lapses(little, 10_000), []);
        let short = times(60, (10_000, 8000)).chain(times(100, (900, 0)));
        assert_eq!(lapses(short, 10_000), [], "too short to be cached");
    }

    #[test]
    fn a_cache_that_expired_is_no_fault() {
        let stops = times(60, (10_000, 8000)).chain(times(100, (10_000, 0)));
        assert_eq!(lapses(stops, 300_000), []);
    }
}
