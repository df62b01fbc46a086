//! Measures how long answers take, and how long until they begin.

use std::time::Duration;

use zoea_contract::ProvenSpeed;

/// Shorter times are not measured.
const MIN_MEASURED: Duration = Duration::from_millis(5);

#[derive(Clone, Debug, Default)]
pub(super) struct SpeedGauge {
    first_tokens: Vec<Duration>,
    generated: u64,
    generating: Duration,
    /// The tokens of a prompt that are read in a second, according to the first measurement.
    reading: Option<f64>,
}

impl SpeedGauge {
    /// Takes the tokens and times of an answer and the tokens of its prompt. `first` is the time
    /// until the first delta, if the answer was streamed.
    pub(super) fn observe(
        &mut self,
        prompt_tokens: u64,
        answer_tokens: u64,
        first: Option<Duration>,
        whole: Duration,
    ) {
        self.first_tokens.extend(first);
        self.generated += answer_tokens;
        self.generating += whole.saturating_sub(first.unwrap_or_default());
        let read_in = first.unwrap_or(whole);
        if self.reading.is_none() && read_in >= MIN_MEASURED {
            self.reading = Some(as_number(prompt_tokens) / read_in.as_secs_f64());
        }
    }

    /// The longest prompt that can be read within a time, in tokens; `None` for any.
    pub(super) fn prompt_within(&self, time: Duration) -> Option<u64> {
        let tokens = self.reading? * time.as_secs_f64();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is too large becomes the largest, and none is below 0"
        )]
        let tokens = tokens as u64;
        Some(tokens)
    }

    pub(super) fn proven(&self) -> ProvenSpeed {
        let mut firsts = self.first_tokens.clone();
        firsts.sort();
        let median = firsts.get(firsts.len() / 2);
        let is_measured = self.generating >= MIN_MEASURED && self.generated > 0;
        let per_second = || as_number(self.generated) / self.generating.as_secs_f64();
        ProvenSpeed {
            first_token_ms: median.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            tokens_per_second: is_measured.then(|| (per_second() * 10.0).round() / 10.0),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a number of tokens far below 2^52"
)]
fn as_number(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_of_what_was_generated_and_the_wait_the_median() {
        let mut gauge = SpeedGauge::default();
        let ms = Duration::from_millis;
        for (first, whole) in [(100, 1100), (900, 1900), (200, 1200)] {
            gauge.observe(500, 30, Some(ms(first)), ms(whole));
        }
        let proven = gauge.proven();
        assert_eq!(proven.first_token_ms, Some(200));
        assert_eq!(proven.tokens_per_second, Some(30.0));
        assert_eq!(gauge.prompt_within(Duration::from_secs(2)), Some(10_000));
        let unknown = SpeedGauge::default();
        assert_eq!(unknown.proven(), ProvenSpeed::default());
        assert_eq!(unknown.prompt_within(ms(1)), None);
    }
}
