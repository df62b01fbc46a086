//! Tokens: how many bytes of a request a model's context can take.
//!
//! Only the provider can count its tokens. Before it has, one token is taken for three bytes, which
//! is less than JSON and English come to, so that the estimate errs on the safe side. Each answer
//! that reports its usage corrects it.

/// Bytes of one token before any answer has told, in thousandths.
const DEFAULT_MILLIBYTES_PER_TOKEN: u64 = 3000;

/// What can be true of a tokenizer, in thousandths of a byte; a report beyond is no measurement.
const MILLIBYTES_PER_TOKEN_RANGE: std::ops::RangeInclusive<u64> = 1000..=8000;

/// The most tokens that are kept free for the answer.
const MAX_ANSWER_TOKENS: u64 = 4096;

/// How many bytes a token of one model comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenGauge {
    /// Thousandths of a byte.
    per_token: u64,
}

impl Default for TokenGauge {
    fn default() -> TokenGauge {
        TokenGauge {
            per_token: DEFAULT_MILLIBYTES_PER_TOKEN,
        }
    }
}

impl TokenGauge {
    /// An answer reported how many tokens a request of so many bytes was. Moves a quarter of the
    /// way, so that one odd request does not decide.
    pub fn observe_request(&mut self, bytes: u64, tokens: u64) {
        let Some(measured) = bytes.saturating_mul(1000).checked_div(tokens) else {
            return;
        };
        if MILLIBYTES_PER_TOKEN_RANGE.contains(&measured) {
            self.per_token = (self.per_token * 3 + measured) / 4;
        }
    }

    /// The tokens of so many bytes, rounded up.
    #[must_use]
    pub fn estimate_tokens(self, bytes: u64) -> u64 {
        bytes.saturating_mul(1000).div_ceil(self.per_token)
    }

    /// The bytes that messages may take of a context of so many tokens, beside tools of so many
    /// bytes and room for the answer: a quarter of the context, at most 4096 tokens.
    #[must_use]
    pub fn message_room(self, context: u64, tools: u64) -> u64 {
        let answer = (context / 4).min(MAX_ANSWER_TOKENS);
        let left = context
            .saturating_sub(answer)
            .saturating_sub(self.estimate_tokens(tools));
        left.saturating_mul(self.per_token) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_what_the_provider_reports_and_nothing_impossible() {
        let mut gauge = TokenGauge::default();
        assert_eq!(gauge.message_room(10_000, 3000), 3 * (10_000 - 2500 - 1000));
        for _ in 0..20 {
            gauge.observe_request(8000, 2000);
        }
        assert!((3980..=4000).contains(&gauge.per_token), "{gauge:?}");
        let before = gauge;
        gauge.observe_request(8000, 0);
        gauge.observe_request(8000, 1);
        gauge.observe_request(10, 2000);
        assert_eq!(gauge, before);
    }

    #[test]
    fn tools_beyond_the_context_leave_no_room() {
        assert_eq!(TokenGauge::default().message_room(4096, 100_000), 0);
    }
}
