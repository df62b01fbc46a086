//! The allowance: the tokens that a proof has used and may still use.

use actors::domain::model::TokenUsage;

use super::MAX_PROOF_TOKENS;

/// The assumed bytes of a token before one was measured, in thousandths. JSON and English have
/// more, so the estimate is on the safe side.
const ASSUMED_MILLIBYTES_PER_TOKEN: u64 = 3000;
/// The possible range for a tokenizer. A report outside of it is ignored.
const MILLIBYTES_PER_TOKEN_RANGE: std::ops::RangeInclusive<u64> = 1000..=8000;

/// The tokens that a proof has used and may still use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckBudget {
    pub(super) requests: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// The fewest measured bytes of a token, in thousandths.
    measured: Option<u64>,
}

impl CheckBudget {
    pub(super) fn spent(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    pub(super) fn left(&self) -> u64 {
        MAX_PROOF_TOKENS.saturating_sub(self.spent())
    }

    /// Whether a request with this many bytes and an answer of this many tokens fits into the
    /// allowance.
    pub(super) fn admits(&self, bytes: u64, answer_tokens: u64) -> bool {
        self.most_tokens(bytes).saturating_add(answer_tokens) <= self.left()
    }

    /// The most tokens to be expected for this many bytes.
    pub(super) fn most_tokens(&self, bytes: u64) -> u64 {
        let per_token = match self.measured {
            Some(measured) => measured * 9 / 10,
            None => ASSUMED_MILLIBYTES_PER_TOKEN,
        };
        bytes.saturating_mul(1000).div_ceil(per_token.max(1))
    }

    /// The tokens for this many bytes according to the measurement; `None` before one.
    pub(super) fn measured_tokens(&self, bytes: u64) -> Option<u64> {
        Some(bytes.saturating_mul(1000).div_ceil(self.measured?))
    }

    /// Adds what an answer used, or an estimate if the server does not report it.
    pub(super) fn book(
        &mut self,
        sent_bytes: u64,
        answer_bytes: u64,
        reported: Option<TokenUsage>,
    ) {
        match reported {
            Some(usage) => {
                self.tokens_in = self.tokens_in.saturating_add(usage.input);
                self.tokens_out = self.tokens_out.saturating_add(usage.output);
            }
            None => {
                self.tokens_in += self.most_tokens(sent_bytes);
                self.tokens_out += self.most_tokens(answer_bytes);
            }
        }
    }

    /// Takes a request as a measurement of the model's tokens.
    pub(super) fn measure(&mut self, sent_bytes: u64, tokens: u64) {
        let Some(found) = sent_bytes.saturating_mul(1000).checked_div(tokens) else {
            return;
        };
        if MILLIBYTES_PER_TOKEN_RANGE.contains(&found) {
            self.measured = Some(self.measured.map_or(found, |known| known.min(found)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_is_taken_for_more_than_it_can_be() {
        let mut allowance = CheckBudget::default();
        assert!(allowance.admits(57_000, 1000) && !allowance.admits(57_003, 1000));
        allowance.book(3000, 300, None);
        assert_eq!(allowance.spent(), 1100);
        allowance.measure(4000, 1000);
        assert_eq!(allowance.measured_tokens(400), Some(100));
        assert_eq!(allowance.most_tokens(3600), 1000);
        allowance.book(9_000_000, 0, None);
        assert_eq!((allowance.left(), allowance.admits(0, 1)), (0, false));
    }
}
