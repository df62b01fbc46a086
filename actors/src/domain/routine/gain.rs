//! Gain: whether the rounds of a run still bring what they brought.

use serde::Deserialize;

/// The rounds in a row that bring too little, after which a run ends.
pub(super) const MAX_POOR_ROUNDS: u32 = 3;
/// A round brings too little if it earns less than this share, in percent, of what the good ones earned.
const LEAST_SHARE: i64 = 50;
/// The rounds for which what was earned before a run counts.
const EXPECTED_ROUNDS: u32 = 3;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub(super) struct Gain {
    /// The credits of the good rounds.
    sum: i64,
    /// The good rounds.
    rounds: u32,
    /// The newest rounds in a row that brought too little.
    poor: u32,
    /// The credits of the newest rounds, the newest last.
    pub(super) newest: Vec<i64>,
}

zoea_records::stored_as_list!(Gain: sum, rounds, poor, newest);

impl Gain {
    /// The gain of a run whose rounds earned so much before.
    pub(super) fn expecting(earns: Option<i64>) -> Gain {
        let sum = earns.map(|earns| earns.saturating_mul(i64::from(EXPECTED_ROUNDS)));
        Gain {
            sum: sum.unwrap_or_default(),
            rounds: sum.map_or(0, |_| EXPECTED_ROUNDS),
            ..Gain::default()
        }
    }

    /// Takes a round. `has_more_cargo`: whether the hold is fuller than before, which is a gain as well
    /// as long as nothing was earned.
    pub(super) fn take(&mut self, earned: i64, has_more_cargo: bool) {
        if self.newest.len() >= MAX_POOR_ROUNDS as usize {
            self.newest.remove(0);
        }
        self.newest.push(earned);
        let mean = self.mean();
        let is_good = match mean {
            Some(mean) if mean > 0 => {
                earned.saturating_mul(100) >= mean.saturating_mul(LEAST_SHARE)
            }
            Some(_) | None => earned > 0 || earned == 0 && has_more_cargo,
        };
        if is_good {
            self.sum = self.sum.saturating_add(earned);
            self.rounds = self.rounds.saturating_add(1);
            self.poor = 0;
        } else {
            self.poor = self.poor.saturating_add(1);
        }
    }

    /// What a good round earned; `None` before there was one.
    pub(super) fn mean(&self) -> Option<i64> {
        (self.rounds > 0).then(|| self.sum / i64::from(self.rounds))
    }

    /// Whether the newest rounds bring too little.
    pub(super) fn has_fallen(&self) -> bool {
        self.poor >= MAX_POOR_ROUNDS
    }
}
