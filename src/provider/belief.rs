//! Checks whether the usage that a provider reports can be true.

use std::sync::atomic::{AtomicBool, Ordering};

use actors::domain::bounds;
use actors::domain::model::{ModelAnswer, ModelFault, TokenUsage};

/// Whether a provider has reported impossible figures.
#[derive(Default)]
pub(super) struct UsagePlausibility {
    is_doubted: AtomicBool,
}

impl UsagePlausibility {
    /// Corrects an answer's usage to possible figures. The operator is told of the first
    /// correction.
    pub(super) fn check_usage(
        &self,
        answer: Result<ModelAnswer, ModelFault>,
        provider: &str,
        sent_bytes: u64,
    ) -> Result<ModelAnswer, ModelFault> {
        match answer {
            Ok(mut answer) => {
                let told = answer.usage;
                answer.usage = told.map(|told| {
                    let (usage, is_believed) =
                        bounds::plausible_usage(told, sent_bytes, answer_bytes(&answer));
                    if !is_believed && !self.is_doubted.swap(true, Ordering::Relaxed) {
                        answer.doubt = Some(doubt_text(provider, told, usage).into());
                    }
                    usage
                });
                Ok(answer)
            }
            Err(ModelFault::Empty { text, usage }) => {
                let usage = usage.map(|told| bounds::plausible_usage(told, sent_bytes, 0).0);
                Err(ModelFault::Empty { text, usage })
            }
            Err(fault) => Err(fault),
        }
    }
}

/// The bytes of the model's text and calls.
fn answer_bytes(answer: &ModelAnswer) -> u64 {
    let calls = answer.calls.iter();
    let calls: usize = calls
        .map(|call| call.name.len() + call.arguments.len())
        .sum();
    let reasoning = answer.reasoning.as_ref().map_or(0, String::len);
    (answer.text.len() + reasoning + calls) as u64
}

fn doubt_text(provider: &str, told: TokenUsage, usage: TokenUsage) -> String {
    format!(
        "{provider} says that one call used {} tokens in and {} out, more than its request and its \
         answer can have been: such figures are not believed, and count as {} and {}, an estimate by \
         their bytes",
        told.input, told.output, usage.input, usage.output
    )
}
