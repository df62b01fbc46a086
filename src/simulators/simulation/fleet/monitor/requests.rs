//! Requests to the models: those in flight and those of a minute, of all processes together.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::books::Day;

use super::super::super::verdict::Promise;
use super::super::tokens::BeginningRequest;
use super::{FleetMonitor, SeenOfFleet, count_in_minute};

impl SeenOfFleet {
    /// The requests in flight at a provider, by process and whether they are not counted.
    fn count_by_process(&self, provider: &Arc<str>) -> BTreeMap<(Arc<str>, bool), usize> {
        let mut by_process = BTreeMap::new();
        let asked = self.in_flight.values();
        for asked in asked.filter(|asked| asked.provider == *provider) {
            let of = (asked.owner.clone(), asked.is_uncounted);
            *by_process.entry(of).or_default() += 1;
        }
        by_process
    }
}

impl FleetMonitor {
    /// Counts a request that the models work on until the returned value is dropped.
    pub(in super::super) fn on_request(
        self: &Arc<Self>,
        (provider, owner): (&Arc<str>, &Arc<str>),
        (tokens, day): (u64, Day),
        has_part: impl Fn(&Arc<str>) -> bool,
    ) -> InFlight {
        let mut seen = self.seen.lock();
        seen.asked += 1;
        let number = seen.asked;
        let asked = AskedProvider {
            provider: provider.clone(),
            owner: owner.clone(),
            is_uncounted: false,
        };
        seen.in_flight.insert(number, asked);
        let now = seen.now;
        let in_minute = count_in_minute(seen.requests.entry(provider.clone()).or_default(), now);
        let by_process = seen.count_by_process(provider);
        drop(seen);
        // What a process that lost the database had under way exceeds the limit, once.
        let (valid, lapsed): (Vec<_>, Vec<_>) = by_process
            .into_iter()
            .partition(|((process, is_uncounted), _)| !is_uncounted && has_part(process));
        let count =
            |of: &[((Arc<str>, bool), usize)]| of.iter().map(|(_, count)| count).sum::<usize>();
        let in_flight = count(&valid);
        let is_late = !valid.iter().any(|((process, _), _)| process == owner);
        let late = self.count_late(owner, is_late);
        let begins = BeginningRequest {
            number,
            provider,
            owner,
            tokens,
            day,
            is_late,
        };
        for text in self.tokens.on_request(begins, now) {
            self.break_promise(Promise::Limits, text);
        }
        self.figure(|figures| {
            figures.most_in_flight = figures.most_in_flight.max(in_flight + count(&lapsed));
            figures.most_a_minute = figures.most_a_minute.max(in_minute);
            figures.late_requests += u64::from(is_late);
        });
        self.judge(&valid, (in_flight, late, in_minute), owner);
        InFlight {
            monitor: self.clone(),
            number,
        }
    }

    /// Checks what is counted when a request begins.
    fn judge(
        &self,
        valid: &[((Arc<str>, bool), usize)],
        (in_flight, late, in_minute): (usize, usize, usize),
        owner: &Arc<str>,
    ) {
        let at = self.now().as_secs_f64();
        let limit = self.limits.in_flight;
        if in_flight > limit {
            let text = format!("{at:.1} s: {in_flight} requests in flight of {limit}: {valid:?}");
            self.break_promise(Promise::Limits, text);
        }
        // It may begin what its part admitted before it expired.
        if late > limit {
            let text = format!("{at:.1} s: {owner} asks {late} times since its part expired");
            self.break_promise(Promise::Limits, text);
        }
        if let Some(limit) = self
            .limits
            .requests_a_minute
            .filter(|limit| in_minute > *limit)
        {
            let text = format!("{at:.1} s: {in_minute} requests in a minute of {limit}");
            self.break_promise(Promise::Limits, text);
        }
    }

    /// Notes which processes have lost their parts: what they had in flight then exceeds the limit once
    /// (decision 250), also when they have parts again.
    pub(in super::super) fn on_parts_looked_at(
        &self,
        has_part: impl Fn(&Arc<str>, &Arc<str>) -> bool,
    ) {
        self.tokens.on_parts_looked_at(&has_part);
        for asked in self.seen.lock().in_flight.values_mut() {
            asked.is_uncounted |= !has_part(&asked.provider, &asked.owner);
        }
    }

    pub(in super::super) fn on_gate_killed(&self, owner: &Arc<str>) {
        self.tokens.on_gate_killed(owner);
        let mut seen = self.seen.lock();
        for asked in seen.in_flight.values_mut() {
            asked.is_uncounted |= asked.owner == *owner;
        }
    }

    /// Counts the requests that a process began since its part expired.
    fn count_late(&self, owner: &Arc<str>, is_late: bool) -> usize {
        let mut seen = self.seen.lock();
        if !is_late {
            seen.late.remove(owner);
            return 0;
        }
        let late = seen.late.entry(owner.clone()).or_default();
        *late += 1;
        *late
    }
}

pub(in super::super) struct InFlight {
    monitor: Arc<FleetMonitor>,
    number: u64,
}

pub(super) struct AskedProvider {
    provider: Arc<str>,
    owner: Arc<str>,
    /// Whether the gate that admitted it is gone. Its successor counts only what it admits itself.
    is_uncounted: bool,
}

impl InFlight {
    pub(in super::super) fn fail(&self) {
        self.monitor.tokens.on_failed(self.number);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.monitor.seen.lock().in_flight.remove(&self.number);
    }
}
