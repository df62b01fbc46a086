//! Lapses: one who is stuck, gets on for a moment, and is stuck again has one trouble with its whole age.

use crate::ids::Timestamp;

/// After so many lapses in a row a gain is no way out any more, unless it is money.
const MAX_LAPSES: u32 = 3;

/// A Mysis that was stuck and is not at the moment, or is again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lapse {
    /// Since when it was stuck first.
    pub(super) since: Timestamp,
    /// The credits that it had when it was stuck last.
    credits: Option<i64>,
    /// The turn in which it got on last.
    pub(super) ended: u32,
    /// How often it was stuck again.
    times: u32,
}

impl Lapse {
    /// It is stuck now, in this turn. One that was lately, too, has the same trouble still; it is lately within
    /// this many turns.
    pub(super) fn begin(
        before: Option<Lapse>,
        now: Timestamp,
        (turn, lately): (u32, u32),
        credits: Option<i64>,
    ) -> Lapse {
        match before.filter(|lapse| turn.saturating_sub(lapse.ended) <= lately) {
            Some(lapse) => Lapse {
                times: lapse.times.saturating_add(1),
                credits: credits.or(lapse.credits),
                ..lapse
            },
            None => Lapse {
                since: now,
                credits,
                ended: turn,
                times: 0,
            },
        }
    }

    /// Whether a gain leads out of it. Who was stuck again and again has to earn something.
    pub(super) fn ends_by_gain(&self, credits: Option<i64>) -> bool {
        let earned = credits.zip(self.credits);
        self.times < MAX_LAPSES || earned.is_some_and(|(now, then)| now > then)
    }
}
