//! Back-off: a wait that doubles with each failure, up to a maximum.

use std::time::Duration;

/// A wait that doubles each time.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    pub fn new(first: Duration, longest: Duration) -> Backoff {
        Backoff {
            next: first.min(longest),
            longest,
        }
    }

    /// The wait after this failure. The next one is twice as long.
    pub fn next_wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = wait.saturating_mul(2).min(self.longest);
        wait
    }

    /// The wait after this many earlier failures.
    #[must_use]
    pub fn nth_wait(self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures);
        self.next.saturating_mul(factor).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let secs = Duration::from_secs;
        let mut waits = Backoff::new(secs(2), secs(7));
        let taken = [(); 4].map(|()| waits.next_wait());
        assert_eq!(taken, [secs(2), secs(4), secs(7), secs(7)]);
        let waits = Backoff::new(secs(2), secs(7));
        let nth = [0, 1, 2, 40].map(|failures| waits.nth_wait(failures));
        assert_eq!(nth, [secs(2), secs(4), secs(7), secs(7)]);
        assert_eq!(Backoff::new(secs(9), secs(7)).nth_wait(0), secs(7));
    }
}
