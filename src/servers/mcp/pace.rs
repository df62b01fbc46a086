//! How fast a server may send what nobody has asked it for.

use std::time::Duration;

use tokio::time::Instant;

/// The requests of a server in a row, and a second from then on: many times what any server needs.
pub(super) const REQUESTS: RequestPace = RequestPace::new(200, 20);
pub(super) const TOO_MANY_REQUESTS: &str = "the server asked more than 20 times a second";

/// How much may come at once, and a second from then on.
#[derive(Clone, Copy)]
pub(super) struct RequestPace {
    at_once: u64,
    each_second: u64,
}

pub(super) struct Paced {
    pace: RequestPace,
    left: f64,
    counted_at: Instant,
}

impl RequestPace {
    pub(super) const fn new(at_once: u64, each_second: u64) -> RequestPace {
        RequestPace {
            at_once,
            each_second,
        }
    }

    pub(super) fn begin(self, now: Instant) -> Paced {
        Paced {
            pace: self,
            left: self.at_once as f64,
            counted_at: now,
        }
    }
}

impl Paced {
    /// Counts what has come. Returns how long it should have taken beyond that.
    pub(super) fn count(&mut self, amount: usize, now: Instant) -> Duration {
        let each_second = self.pace.each_second as f64;
        let passed = now.duration_since(self.counted_at).as_secs_f64();
        self.counted_at = now;
        self.left = (self.left + passed * each_second).min(self.pace.at_once as f64);
        self.left -= amount as f64;
        Duration::from_secs_f64((-self.left).max(0.0) / each_second)
    }

    /// Counts one more. Returns whether it may come so soon.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        self.count(1, now).is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_admits_what_comes_at_once_and_then_so_many_a_second() {
        let start = Instant::now();
        let mut paced = RequestPace::new(3, 2).begin(start);
        let admitted = |paced: &mut Paced, at: Instant| (0..9).filter(|_| paced.admits(at)).count();
        assert_eq!(admitted(&mut paced, start), 3);
        // What was too much counts as well: who goes on at once waits longer.
        assert_eq!(admitted(&mut paced, start + Duration::from_secs(3)), 0);
        assert_eq!(admitted(&mut paced, start + Duration::from_secs(60)), 3);
    }

    #[test]
    fn what_came_too_fast_says_how_long_it_should_have_taken() {
        let start = Instant::now();
        let mut paced = RequestPace::new(8, 4).begin(start);
        assert_eq!(paced.count(8, start), Duration::ZERO);
        assert_eq!(paced.count(6, start), Duration::from_millis(1500));
    }
}
