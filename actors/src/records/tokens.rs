//! Token estimates: how many bytes of a request fit into a model's context.
//!
//! Only the provider can count its tokens. Before its first report a token is assumed to have three
//! bytes. JSON and English have more, so the estimate is on the safe side. Each answer that reports
//! its usage corrects it.

use super::compose::MIN_BUDGET_BYTES;
use super::tool::Toolset;

/// The assumed bytes of a token before the first report, in thousandths.
const DEFAULT_MILLIBYTES_PER_TOKEN: u64 = 3000;

/// The possible range for a tokenizer, in thousandths of a byte. A report outside of it is ignored.
const MILLIBYTES_PER_TOKEN_RANGE: std::ops::RangeInclusive<u64> = 1000..=8000;

/// The smallest context that is advised, in tokens.
const LEAST_ADVISED_TOKENS: u64 = 8192;

const MAX_ANSWER_TOKENS: u64 = 4096;

/// The estimated bytes of a token of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenGauge {
    /// The bytes in thousandths.
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
    /// Takes the tokens that were reported for a request of this size. The estimate moves a quarter
    /// of the way, so that one odd request does not decide.
    pub fn observe_request(&mut self, bytes: u64, tokens: u64) {
        let Some(measured) = bytes.saturating_mul(1000).checked_div(tokens) else {
            return;
        };
        if MILLIBYTES_PER_TOKEN_RANGE.contains(&measured) {
            self.per_token = (self.per_token * 3 + measured) / 4;
        }
    }

    /// The tokens of this many bytes, rounded up.
    #[must_use]
    pub fn estimate_tokens(self, bytes: u64) -> u64 {
        bytes.saturating_mul(1000).div_ceil(self.per_token)
    }

    /// The bytes that messages may have in a context of this many tokens, besides tools of this
    /// many bytes and the answer. The answer gets a quarter of the context, at most 4096 tokens.
    #[must_use]
    pub fn message_room(self, context: u64, tools: u64) -> u64 {
        let answer = (context / 4).min(MAX_ANSWER_TOKENS);
        let left = context
            .saturating_sub(answer)
            .saturating_sub(self.estimate_tokens(tools));
        left.saturating_mul(self.per_token) / 1000
    }
}

/// Says that the tools leave no room for a turn in a context of this many tokens, and what helps;
/// `None` if there is room. It is an estimate: a server's template may leave tools out.
pub fn context_shortage(context: u64, tools: &Toolset) -> Option<String> {
    let (gauge, bytes) = (TokenGauge::default(), tools.bytes() as u64);
    let has_room = |context: u64, turns: u64| {
        gauge.message_room(context, bytes) >= turns * MIN_BUDGET_BYTES as u64
    };
    if has_room(context, 1) {
        return None;
    }
    let doubled = std::iter::successors(Some(LEAST_ADVISED_TOKENS), |tokens| tokens.checked_mul(2));
    let advised = doubled.take(32).find(|tokens| has_room(*tokens, 2));
    Some(format!(
        "the {} tools of a request take about {} tokens, and the model's context has {context}: \
         results are cut short or refused; {}",
        tools.tools().len(),
        gauge.estimate_tokens(bytes),
        context_advice(advised.unwrap_or(context))
    ))
}

/// How a model gets a context of this many tokens.
pub fn context_advice(tokens: u64) -> String {
    format!(
        "give the model a context of at least {tokens} tokens where the server is started (Ollama: \
         OLLAMA_CONTEXT_LENGTH={tokens}; llama.cpp: -c {tokens}; LM Studio: Context Length on loading; \
         vLLM: --max-model-len {tokens})"
    )
}

#[cfg(test)]
mod tests {
    use super::super::tool::ToolSpec;
    use super::*;

    #[test]
    fn a_context_that_the_tools_fill_is_told_with_one_that_suffices() {
        let tool = |number: u32| ToolSpec {
            name: format!("tool_{number}").into(),
            description: "x".repeat(300).into(),
            schema: "{}".into(),
            read_only_hint: None,
        };
        let tools = Toolset::new((0..166).map(tool));
        let warning = context_shortage(8192, &tools).unwrap();
        assert!(
            warning.starts_with("the 166 tools of a request take about "),
            "{warning}"
        );
        assert!(warning.contains("-c 32768"), "{warning}");
        assert_eq!(context_shortage(32768, &tools), None);
        assert_eq!(context_shortage(8192, &Toolset::default()), None);
    }

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
