//! The freeze switch: while the swarm is frozen, nothing new leaves the program (docs/design/gate.md).
//!
//! Shared by all that let something leave: the gate admits nothing, and each model call, tool call
//! and login takes a [`Departure`] before its record says that it was sent. Freezing is complete
//! once every departure of before has left, so no call is marked as sent and held back.
//!
//! Where other processes may take this process's Myses, nothing leaves either once its leases are not
//! safe. That is judged at the last moment before a request begins, because the process may have been
//! stopped for long, and by the monotonic clock, without asking anybody.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::domain::ids::{Moment, Timestamp};
use crate::in_order::InOrder;
use crate::ports::FreezeKeeper;

pub const FROZEN: &str = "frozen";

/// Whether the swarm is frozen. Clones share it.
#[derive(Clone)]
pub struct FreezeSwitch {
    state: InOrder<SwitchState>,
    keeper: Arc<dyn FreezeKeeper>,
}

#[derive(Debug, Default)]
struct SwitchState {
    /// Since when the swarm is frozen.
    since: Option<Timestamp>,
    /// The departures that have not left yet.
    departing: usize,
    thaws: u64,
    /// When the present freeze began, by the monotonic clock.
    began: Option<Moment>,
    /// How long all earlier freezes of this process lasted, in milliseconds.
    earlier_ms: u64,
    /// Until when the leases of this process are safe; `None` where it needs none.
    safe_until: Option<Instant>,
}

impl SwitchState {
    fn is_settled(&self) -> bool {
        self.since.is_none() || self.departing == 0
    }

    /// Whether the leases of this process are not safe any more.
    fn has_lapsed(&self) -> bool {
        self.safe_until.is_some_and(|until| Instant::now() >= until)
    }

    fn is_open(&self) -> bool {
        self.since.is_none() && !self.has_lapsed()
    }
}

impl Default for FreezeSwitch {
    /// A swarm that is not frozen, and whose freeze is not kept over a restart.
    fn default() -> FreezeSwitch {
        FreezeSwitch::new(None, Arc::new(NoKeeper))
    }
}

struct NoKeeper;

impl FreezeKeeper for NoKeeper {
    fn keep(&self, _since: Option<Timestamp>) -> BoxFuture<'static, Result<(), String>> {
        futures::future::ready(Ok(())).boxed()
    }
}

impl FreezeSwitch {
    /// The switch of a swarm that was frozen at this time and not thawed since, or of one that is
    /// not frozen.
    pub fn new(since: Option<Timestamp>, keeper: Arc<dyn FreezeKeeper>) -> FreezeSwitch {
        let state = SwitchState {
            since,
            // It is frozen since the start of the process.
            began: since.map(|_| Moment::default()),
            ..SwitchState::default()
        };
        FreezeSwitch {
            state: InOrder::new(state),
            keeper,
        }
    }

    /// Since when the swarm is frozen; `None` if it is not.
    pub fn frozen_since(&self) -> Option<Timestamp> {
        self.state.read(|state| state.since)
    }

    pub fn thaws(&self) -> u64 {
        self.state.read(|state| state.thaws)
    }

    /// How long the swarm has been frozen since the start of the process, in milliseconds.
    pub fn frozen_ms(&self, now: Moment) -> u64 {
        self.state.read(|state| {
            let present = state.began.map_or(0, |began| now.millis_since(began));
            state.earlier_ms.saturating_add(present)
        })
    }

    /// The same as a duration. What counts time leaves it out.
    pub(crate) fn frozen_time(&self, now: Moment) -> Duration {
        Duration::from_millis(self.frozen_ms(now))
    }

    /// Lets everything leave until then, as far as leases are concerned.
    pub(crate) fn leave_until(&self, until: Instant) {
        self.state.change(|state| {
            // Who waits is told; otherwise nothing changes for anybody.
            let had_lapsed = state.has_lapsed();
            state.safe_until = Some(until);
            had_lapsed
        });
    }

    /// Whether the leases of this process are not safe any more.
    pub fn has_lapsed(&self) -> bool {
        self.state.read(SwitchState::has_lapsed)
    }

    /// Lets nothing new leave from now on.
    pub(crate) fn close(&self, since: Timestamp, now: Moment) {
        self.state.change(|state| {
            state.since = Some(since);
            state.began.get_or_insert(now);
            true
        });
    }

    /// Lets everything leave again.
    pub(crate) fn open(&self, now: Moment) {
        self.state.change(|state| {
            state.since = None;
            state.thaws += 1;
            let lasted = state
                .began
                .take()
                .map_or(0, |began| now.millis_since(began));
            state.earlier_ms = state.earlier_ms.saturating_add(lasted);
            true
        });
    }

    /// Stores since when the swarm is frozen.
    ///
    /// # Errors
    /// It could not be stored.
    pub(crate) async fn keep(&self, since: Option<Timestamp>) -> Result<(), String> {
        self.keeper.keep(since).await
    }

    /// Whether all departures of before the freeze have left, or the swarm is not frozen any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.state.read(SwitchState::is_settled)
    }

    /// Waits until that is so. A departure waits for the store, which may be away for long.
    pub(crate) async fn settled(&self) {
        self.state.until(SwitchState::is_settled).await;
    }

    /// Waits until the swarm is frozen, or was frozen since it had been thawed so often. A freeze may
    /// last for days: what was composed before it is out of date after it.
    pub(crate) async fn frozen(&self, thaws: u64) {
        self.state
            .until(|state| state.since.is_some() || state.thaws != thaws)
            .await;
    }

    /// Waits until the swarm is not frozen, and its leases are safe.
    pub(crate) async fn thawed(&self) {
        self.state.until(SwitchState::is_open).await;
    }

    /// Waits for something within a limit that stands still while the swarm is frozen; `None` if it
    /// runs out.
    pub(crate) async fn within<T>(
        &self,
        limit: Duration,
        waited_for: impl Future<Output = T>,
    ) -> Option<T> {
        let mut waited_for = std::pin::pin!(waited_for);
        let mut left = limit;
        loop {
            // Cancel-safe: what is waited for stays pinned, and the others only wait.
            tokio::select! {
                biased;
                done = &mut waited_for => return Some(done),
                () = self.thawed() => {}
            }
            let (began, thaws) = (Instant::now(), self.thaws());
            tokio::select! {
                biased;
                done = &mut waited_for => return Some(done),
                () = self.frozen(thaws) => left = left.saturating_sub(began.elapsed()),
                () = tokio::time::sleep(left) => return None,
            }
        }
    }

    /// A departure, unless the swarm is frozen or its leases are not safe.
    pub fn try_depart(&self) -> Option<Departure> {
        let mut departure = None;
        self.state.change(|state| {
            if state.is_open() {
                state.departing += 1;
                departure = Some(Departure(self.state.clone()));
            }
            // Only a freeze waits for the number of departures.
            false
        });
        departure
    }

    /// A departure, as soon as nothing forbids it.
    pub async fn depart(&self) -> Departure {
        loop {
            if let Some(departure) = self.try_depart() {
                return departure;
            }
            self.thawed().await;
        }
    }
}

/// The right to let one call leave. A freeze waits until it is used or dropped.
#[derive(Debug)]
pub struct Departure(InOrder<SwitchState>);

impl Departure {
    /// Begins a request. The departure is over once the request has been handed to its adapter; its
    /// answer is heard out.
    pub async fn begin<T>(self, request: impl Future<Output = T>) -> T {
        // If the leases of this process are lost, the caller is ended meanwhile.
        self.0.until(|state| !state.has_lapsed()).await;
        let mut request = std::pin::pin!(request);
        let at_once = futures::poll!(&mut request);
        drop(self);
        match at_once {
            std::task::Poll::Ready(answer) => answer,
            std::task::Poll::Pending => request.await,
        }
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.departing = state.departing.saturating_sub(1);
            state.since.is_some() && state.departing == 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_freeze_waits_for_what_is_leaving_and_lets_nothing_else_leave() {
        let switch = FreezeSwitch::default();
        let departure = switch.try_depart().expect("it is not frozen");
        switch.close(Timestamp(7), Moment(50));
        assert!(switch.try_depart().is_none());
        let mut settled = std::pin::pin!(switch.settled());
        assert!(futures::poll!(&mut settled).is_pending());
        let (answer, wait) = tokio::sync::oneshot::channel::<u8>();
        let mut request = std::pin::pin!(departure.begin(wait));
        assert!(futures::poll!(&mut request).is_pending());
        // The request has left, and its answer is still to come.
        assert!(futures::poll!(&mut settled).is_ready());
        answer.send(3).expect("somebody waits");
        assert_eq!(request.await, Ok(3));
        assert_eq!(switch.frozen_since(), Some(Timestamp(7)));
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_leaves_once_the_leases_are_not_safe() {
        let switch = FreezeSwitch::default();
        let later = |seconds| Instant::now() + Duration::from_secs(seconds);
        switch.leave_until(later(25));
        let departure = switch.try_depart().expect("the leases are safe");
        tokio::time::advance(Duration::from_secs(25)).await;
        assert!(switch.has_lapsed() && switch.try_depart().is_none());
        // What had its turn does not begin either, and what waits goes on with the renewal.
        let mut request = std::pin::pin!(departure.begin(std::future::ready(3)));
        let mut waiting = std::pin::pin!(switch.depart());
        assert!(futures::poll!(&mut request).is_pending());
        assert!(futures::poll!(&mut waiting).is_pending());
        switch.leave_until(later(25));
        assert_eq!(request.await, 3);
        drop(waiting.await);
    }

    #[tokio::test]
    async fn a_thaw_lets_all_leave_that_wait() {
        let switch = FreezeSwitch::new(Some(Timestamp(1)), Arc::new(NoKeeper));
        let mut waiting = std::pin::pin!(switch.depart());
        assert!(futures::poll!(&mut waiting).is_pending());
        switch.open(Moment(5));
        waiting.await;
        assert_eq!((switch.frozen_since(), switch.thaws()), (None, 1));
    }

    #[tokio::test]
    async fn a_thaw_ends_the_wait_for_what_does_not_leave() {
        let switch = FreezeSwitch::default();
        let _departure = switch.try_depart().expect("it is not frozen");
        switch.close(Timestamp(7), Moment(7));
        let mut settled = std::pin::pin!(switch.settled());
        assert!(futures::poll!(&mut settled).is_pending());
        switch.open(Moment(9));
        assert!(futures::poll!(&mut settled).is_ready());
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_stands_still_while_frozen() {
        let switch = FreezeSwitch::default();
        let limit = Duration::from_secs(100);
        let mut limited = std::pin::pin!(switch.within(limit, std::future::pending::<()>()));
        let minute = Duration::from_secs(60);
        assert!(tokio::time::timeout(minute, &mut limited).await.is_err());
        switch.close(Timestamp(7), Moment(7));
        let day = Duration::from_secs(86_400);
        assert!(tokio::time::timeout(day, &mut limited).await.is_err());
        switch.open(Moment(9));
        let begun = Instant::now();
        assert_eq!(limited.await, None);
        assert_eq!(begun.elapsed(), Duration::from_secs(40));
        assert_eq!(switch.within(limit, std::future::ready(3)).await, Some(3));
    }

    #[test]
    fn the_time_of_all_freezes_is_added_up_by_the_monotonic_clock() {
        let switch = FreezeSwitch::new(Some(Timestamp(1)), Arc::new(NoKeeper));
        assert_eq!(switch.frozen_ms(Moment(300)), 300);
        switch.open(Moment(400));
        assert_eq!(switch.frozen_ms(Moment(1000)), 400);
        switch.close(Timestamp(9), Moment(1000));
        // A second order to freeze changes nothing.
        switch.close(Timestamp(9), Moment(1500));
        assert_eq!(switch.frozen_ms(Moment(2000)), 1400);
        switch.open(Moment(2000));
        switch.open(Moment(2500));
        assert_eq!(switch.frozen_ms(Moment(9000)), 1400);
    }
}
