//! The time limit of a call, which stands still while the operator is asked.

use parking_lot::Mutex;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::Instant;

/// The shortest wait between two looks at the limit.
const MIN_WAIT: Duration = Duration::from_millis(100);

/// The time of a call. It stands still while the operator is asked.
#[derive(Debug)]
pub(super) struct CallClock {
    began: Instant,
    asked: Mutex<AskedSpan>,
}

#[derive(Debug, Default)]
struct AskedSpan {
    /// When the present question was asked.
    since: Option<Instant>,
    before: Duration,
}

/// A question that is open. Its end lets the clock run on.
pub(super) struct OpenSpan<'a>(&'a CallClock);

impl Default for CallClock {
    fn default() -> CallClock {
        CallClock {
            began: Instant::now(),
            asked: Mutex::default(),
        }
    }
}

impl CallClock {
    fn span<T>(&self, access: impl FnOnce(&mut AskedSpan) -> T) -> T {
        access(&mut self.asked.lock())
    }

    /// Holds the clock. One question is asked at a time.
    pub(super) fn hold(&self) -> OpenSpan<'_> {
        self.span(|span| span.since = Some(Instant::now()));
        OpenSpan(self)
    }

    /// The time that the call has taken, without that of the operator.
    fn used(&self) -> Duration {
        let asked = self.span(|span| {
            let now = span.since.map(|since| since.elapsed());
            span.before + now.unwrap_or_default()
        });
        self.began.elapsed().saturating_sub(asked)
    }

    /// Waits for a part of the call; `None` if the call takes longer than the limit with it. The caller
    /// pins it: an argument that is pinned here would be held twice.
    pub(super) async fn within<T>(
        &self,
        limit: Duration,
        mut answer: Pin<&mut impl Future<Output = T>>,
    ) -> Option<T> {
        loop {
            let left = limit
                .checked_sub(self.used())
                .filter(|left| !left.is_zero())?;
            if let Ok(answer) = tokio::time::timeout(left.max(MIN_WAIT), answer.as_mut()).await {
                return Some(answer);
            }
        }
    }
}

impl Drop for OpenSpan<'_> {
    fn drop(&mut self) {
        self.0.span(|span| {
            let since = span.since.take();
            span.before += since.map(|since| since.elapsed()).unwrap_or_default();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_limit_stands_still_while_the_operator_is_asked() {
        let clock = CallClock::default();
        let secs = Duration::from_secs;
        let began = Instant::now();
        let call = async {
            tokio::time::sleep(secs(3)).await;
            for _ in 0..2 {
                let _open = clock.hold();
                tokio::time::sleep(secs(100)).await;
            }
            std::future::pending::<()>().await;
        };
        assert_eq!(clock.within(secs(5), pin!(call)).await, None);
        let took = began.elapsed().as_secs();
        assert_eq!(
            took, 205,
            "3 s of the server's, 200 s of the operator's, 2 s of the server's"
        );
        assert_eq!(clock.within(secs(6), pin!(async { 7 })).await, Some(7));
    }

    #[tokio::test(start_paused = true)]
    async fn all_parts_of_a_call_have_one_limit_together() {
        let clock = CallClock::default();
        let secs = Duration::from_secs;
        let began = Instant::now();
        let first = tokio::time::sleep(secs(3));
        assert_eq!(clock.within(secs(5), pin!(first)).await, Some(()));
        {
            let _open = clock.hold();
            tokio::time::sleep(secs(100)).await;
        }
        let second = std::future::pending::<()>();
        assert_eq!(clock.within(secs(5), pin!(second)).await, None);
        assert_eq!(began.elapsed().as_secs(), 105);
        assert_eq!(
            clock.within(secs(5), pin!(async { 7 })).await,
            None,
            "it is over"
        );
    }
}
