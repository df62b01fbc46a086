//! Checks whether what a provider says can be true: its usage, and the same call twice.

use std::sync::atomic::{AtomicBool, Ordering};

use actors::domain::bounds;
use actors::domain::model::{ModelAnswer, ModelFault, TokenUsage};
use zoea_text::redact::Redactor;

use super::answer::{ReceivedAnswer, are_equal};

#[derive(Default)]
pub(super) struct UsagePlausibility {
    is_doubted: AtomicBool,
    is_cut_reported: AtomicBool,
    are_twins_reported: AtomicBool,
}

impl UsagePlausibility {
    /// Tells the operator of the first answer with equal calls. They are made, since nothing says that
    /// they are one; some models mean it.
    pub(super) fn note_twins(&self, answer: &mut ModelAnswer, provider: &str) {
        let calls = answer.calls.iter().enumerate();
        let mut twins = calls.filter(|(place, call)| {
            let before = answer.calls[..*place].iter();
            let mut before = before.filter(|known| known.name == call.name);
            before.any(|known| are_equal(&known.arguments, &call.arguments))
        });
        if let Some((_, call)) = twins.next()
            && !self.are_twins_reported.swap(true, Ordering::Relaxed)
        {
            answer.doubt = Some(twins_text(provider, &call.name).into());
        }
    }

    /// Corrects an answer's usage to possible figures. The operator is told of the first
    /// correction.
    pub(super) fn check_usage(
        &self,
        answer: Result<ModelAnswer, ModelFault>,
        provider: &str,
        sent: SentBytes,
    ) -> Result<ModelAnswer, ModelFault> {
        let sent_bytes = sent.all;
        match answer {
            Ok(mut answer) => {
                let reported = answer.usage;
                if let Some(reported) = reported.filter(|reported| is_cut_prompt(*reported, sent))
                    && !self.is_cut_reported.swap(true, Ordering::Relaxed)
                {
                    answer.doubt = Some(cut_text(provider, reported, sent).into());
                }
                answer.usage = reported.map(|reported| {
                    let (usage, is_believed) =
                        bounds::plausible_usage(reported, sent_bytes, answer_bytes(&answer));
                    if !is_believed && !self.is_doubted.swap(true, Ordering::Relaxed) {
                        answer.doubt = Some(doubt_text(provider, reported, usage).into());
                    }
                    usage
                });
                Ok(answer)
            }
            Err(ModelFault::Empty { text, usage }) => {
                let usage =
                    usage.map(|reported| bounds::plausible_usage(reported, sent_bytes, 0).0);
                Err(ModelFault::Empty { text, usage })
            }
            Err(fault) => Err(fault),
        }
    }
}

/// The answer, with an estimate of its usage where it was cut before its server could state it.
pub(super) fn with_estimate(
    answer: ReceivedAnswer,
    secrets: &Redactor,
    sent: SentBytes,
) -> Result<ModelAnswer, ModelFault> {
    let estimate = answer.is_runaway().then(|| TokenUsage {
        input: bounds::estimated_tokens(sent.all),
        output: answer.estimated_tokens(),
        cached: 0,
    });
    let answer = answer.into_model_answer(secrets);
    answer.map(|answer| ModelAnswer {
        usage: answer.usage.or(estimate),
        ..answer
    })
}

fn twins_text(provider: &str, name: &str) -> String {
    format!(
        "{provider} sent {name} twice with the same arguments in one answer, each with its own id \
         or place: both calls are made"
    )
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SentBytes {
    /// The whole body; 0 if it was not sent.
    pub(super) all: u64,
    /// The tools in it, which templates may write much shorter.
    pub(super) tools: u64,
}

/// The smallest context in which a prompt is taken for cut.
const MIN_WINDOW: u64 = 2048;
/// A prompt with more bytes a token is not read as a whole. Text has three or four.
const MAX_BYTES_PER_TOKEN: u64 = 8;
/// The same where the tokens fill a context to the last one.
const MAX_BYTES_PER_TOKEN_IN_FULL: u64 = 5;

/// Whether a server reads less than it was sent: the tokens of the prompt are far too few for its
/// messages, or fill a context of usual size to the last token.
fn is_cut_prompt(reported: TokenUsage, sent: SentBytes) -> bool {
    let messages = sent.all.saturating_sub(sent.tools);
    let has_fewer =
        |bytes_per_token: u64| reported.input.saturating_mul(bytes_per_token) < messages;
    // Where cached tokens are left out of the prompt's, nothing is known.
    let is_known = reported.input >= MIN_WINDOW / 4 && reported.cached <= reported.input;
    let is_full = |tokens: u64| tokens >= MIN_WINDOW && tokens.is_power_of_two();
    let fills_all =
        is_full(reported.input) || is_full(reported.input.saturating_add(reported.output));
    is_known
        && (has_fewer(MAX_BYTES_PER_TOKEN) || (fills_all && has_fewer(MAX_BYTES_PER_TOKEN_IN_FULL)))
}

fn cut_text(provider: &str, reported: TokenUsage, sent: SentBytes) -> String {
    format!(
        "{provider} says that it read {} tokens of a request of {} bytes: its server cuts long \
         requests without an error, and the model does not see their beginning. Give the model a larger \
         context where the server is started (Ollama: OLLAMA_CONTEXT_LENGTH=32768; llama.cpp: -c \
         32768; LM Studio: Context Length on loading), and set context_tokens of the provider to it",
        reported.input, sent.all
    )
}

pub fn answer_bytes(answer: &ModelAnswer) -> u64 {
    let calls = answer.calls.iter();
    let calls: usize = calls
        .map(|call| call.name.len() + call.arguments.len())
        .sum();
    let reasoning = answer.reasoning.as_ref().map_or(0, String::len);
    (answer.text.len() + reasoning + calls) as u64
}

fn doubt_text(provider: &str, reported: TokenUsage, usage: TokenUsage) -> String {
    format!(
        "{provider} says that one call used {} tokens in and {} out, more than its request and its \
         answer can have been: these figures are implausible, so the books count \
         {} and {}, an estimate by their bytes",
        reported.input, reported.output, usage.input, usage.output
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_cut_where_its_tokens_are_too_few_or_fill_a_context() {
        let is_cut = |input, output, cached, all, tools| {
            let reported = TokenUsage {
                input,
                output,
                cached,
            };
            is_cut_prompt(reported, SentBytes { all, tools })
        };
        // Ollama stops where its 4096 tokens are full.
        assert!(is_cut(3000, 1096, 0, 32_000, 10_000));
        assert!(is_cut(4096, 60, 0, 32_000, 10_000));
        assert!(is_cut(2047, 60, 0, 60_000, 20_000));
        // Ordinary requests, also with tools that a template writes shorter.
        assert!(!is_cut(8000, 60, 0, 32_000, 10_000));
        assert!(!is_cut(9000, 60, 0, 150_000, 120_000));
        assert!(!is_cut(8192, 60, 0, 32_000, 10_000), "by chance");
        // Nothing is known of short ones, or where cached tokens are left out.
        assert!(!is_cut(20, 1, 0, 2000, 0));
        assert!(!is_cut(600, 60, 9000, 40_000, 10_000));
    }
}
