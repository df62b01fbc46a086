//! Value: whether a Mysis earns what it costs.
//!
//! It compares what a Mysis earned in the game with what its model calls cost, over a window of
//! time that this process saw whole and that begins after the operator's last order. What it cannot
//! know for certain it does not judge.

use std::collections::VecDeque;
use std::time::Duration;

use zoea_text::figures::{group_digits, group_signed};

use super::ids::Moment;
use super::rules::ValueRules;
use super::samples::ValueSums;

/// The parts of a window at whose ends the sums are kept.
const PARTS: u32 = 60;

#[derive(Debug, Default)]
pub struct ValueWatch {
    /// Sums at earlier times, oldest first, at most about [`PARTS`].
    marks: VecDeque<(Moment, ValueSums)>,
}

impl ValueWatch {
    /// Begins to count anew, because the operator gave an order.
    pub fn begin(&mut self, now: Moment, sums: ValueSums) {
        self.marks.clear();
        self.marks.push_back((now, sums));
    }

    /// Ends a turn. Returns the facts if the Mysis earned less for its cost than the rules demand.
    pub fn turn_ended(
        &mut self,
        rules: &ValueRules,
        now: Moment,
        sums: ValueSums,
    ) -> Option<String> {
        let Some(limit) = rules.park_below else {
            self.marks.clear();
            return None;
        };
        let part = rules.window / PARTS;
        let newest = self.marks.back();
        if newest.is_none_or(|(at, _)| now.since(*at) >= part) {
            self.marks.push_back((now, sums));
        }
        let is_whole = |at: Moment| now.since(at) >= rules.window;
        while self.marks.get(1).is_some_and(|(at, _)| is_whole(*at)) {
            self.marks.pop_front();
        }
        let (_, before) = self.marks.front().filter(|(at, _)| is_whole(*at))?;
        let since = sums.since(*before);
        let credits = since.credits_per_dollar()?;
        if credits >= i64::try_from(limit).unwrap_or(i64::MAX) {
            return None;
        }
        Some(facts(since, credits, limit, rules.window))
    }
}

fn facts(since: ValueSums, credits: i64, limit: u64, window: Duration) -> String {
    let micros = since.cost_micros;
    format!(
        "it earned {} credits for {}.{:02} US dollars in {}: {} credits for a dollar, and [value] \
         park_below is {}",
        group_signed(since.earned),
        micros / 1_000_000,
        micros % 1_000_000 / 10_000,
        spoken_time(window),
        group_signed(credits),
        group_digits(limit),
    )
}

fn spoken_time(window: Duration) -> String {
    let minutes = window.as_secs() / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn rules() -> ValueRules {
        ValueRules {
            park_below: Some(2000),
            ..ValueRules::default()
        }
    }

    /// Lets a Mysis end a turn every ten minutes, with these sums for each hour, and returns the
    /// minute of the first verdict and its text.
    fn judged(
        watch: &mut ValueWatch,
        hours: impl IntoIterator<Item = ValueSums>,
    ) -> Option<(i64, String)> {
        let mut sums = ValueSums::default();
        for (hour, more) in (0_i64..).zip(hours) {
            for tenth in 0_i64..6 {
                let at = hour * HOUR_MS + (tenth + 1) * HOUR_MS / 6;
                sums.earned += more.earned / 6;
                sums.with_gain += more.with_gain / 6;
                sums.cost_micros += more.cost_micros / 6;
                sums.tokens_unpriced += more.tokens_unpriced / 6;
                if let Some(with_gain) = watch.turn_ended(&rules(), Moment(at), sums) {
                    return Some((at / 60_000, with_gain));
                }
            }
        }
        None
    }

    fn hour(earned: i64, cost_micros: u64) -> ValueSums {
        ValueSums {
            earned,
            with_gain: 60,
            cost_micros,
            tokens_unpriced: 0,
        }
    }

    fn running() -> ValueWatch {
        let mut watch = ValueWatch::default();
        watch.begin(Moment(0), ValueSums::default());
        watch
    }

    #[test]
    fn one_that_costs_more_than_it_brings_is_found_when_its_window_is_over() {
        let poor = [hour(600, 600_000); 8];
        let (minute, reason) = judged(&mut running(), poor).unwrap();
        assert_eq!(minute, 360, "not before");
        assert_eq!(
            reason,
            "it earned 3,600 credits for 3.60 US dollars in 6 h: 1,000 credits for a dollar, and \
             [value] park_below is 2,000"
        );
    }

    #[test]
    fn one_that_earns_enough_and_then_nothing_is_found_once_the_window_says_so() {
        let hours = (0..40).map(|hour_of_day| match hour_of_day {
            0..20 => hour(6000, 600_000),
            _ => hour(0, 600_000),
        });
        // 10,000 for a dollar, over six hours 2,000: the window has 1.2 good hours left.
        let (minute, _) = judged(&mut running(), hours).unwrap();
        assert!(
            (20 * 60 + 288..=20 * 60 + 300).contains(&minute),
            "{minute}"
        );
    }

    #[test]
    fn what_is_not_known_is_not_judged() {
        for (unknown, of_hour) in [
            (
                "the price of some calls",
                ValueSums {
                    tokens_unpriced: 600,
                    ..hour(0, 600_000)
                },
            ),
            (
                "credits",
                ValueSums {
                    with_gain: 0,
                    ..hour(0, 600_000)
                },
            ),
            ("nothing is paid", hour(0, 0)),
        ] {
            assert_eq!(judged(&mut running(), [of_hour; 20]), None, "{unknown}");
        }
        let enough = [hour(1200, 600_000); 20];
        assert_eq!(judged(&mut running(), enough), None, "2,000 is not below");
        let loss = judged(&mut running(), [hour(-600, 600_000); 8]).unwrap().1;
        assert!(loss.contains("-1,000 credits for a dollar"), "{loss}");
    }

    #[test]
    fn an_order_begins_the_window_anew() {
        let mut watch = running();
        let sums = |hours: i64| ValueSums {
            cost_micros: hours.unsigned_abs() * 1_000_000,
            with_gain: hours.unsigned_abs(),
            ..ValueSums::default()
        };
        let at = |hours: i64| Moment(hours * HOUR_MS);
        assert_eq!(watch.turn_ended(&rules(), at(5), sums(5)), None);
        watch.begin(at(5), sums(5));
        assert_eq!(watch.turn_ended(&rules(), at(10), sums(10)), None);
        let reason = watch.turn_ended(&rules(), at(11), sums(11)).unwrap();
        assert!(
            reason.starts_with("it earned 0 credits for 6.00 US dollars"),
            "{reason}"
        );
        let off = ValueRules::default();
        assert_eq!(
            watch.turn_ended(&off, at(12), sums(12)),
            None,
            "switched off"
        );
        assert_eq!(watch.turn_ended(&rules(), at(13), sums(13)), None, "anew");
    }

    #[test]
    fn it_keeps_no_more_than_the_parts_of_a_window() {
        let mut watch = running();
        for second in 0..1_000_000 {
            let sums = ValueSums::default();
            watch.turn_ended(&rules(), Moment(second * 1000), sums);
        }
        assert!(
            watch.marks.len() <= PARTS as usize + 2,
            "{}",
            watch.marks.len()
        );
    }
}
