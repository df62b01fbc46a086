//! Judges faults: what each means for somebody who wants to play, and the remedy.

use actors::domain::bounds;
use actors::domain::model::{ContextLimit, ModelFault, ServiceReturn};
use actors::domain::tokens::context_advice;
use zoea_provider::NOT_JSON;
use zoea_text::clean;
use zoea_text::names::listed as listed_names;

use super::listing::{ListFault, ListedModel};
use super::prober::ProbeFault;
use super::{CheckTarget, CheckVerdict, MAX_PROOF_TOKENS};

/// The most bytes of a server's or model's text that are shown.
const MAX_QUOTED_BYTES: usize = 300;

/// Texts of servers whose model does not support tools.
const NO_TOOLS_WORDS: [&str; 5] = [
    "does not support tools",
    "does not support tool",
    "support tool use",
    "tools are not supported",
    "tool calling is not supported",
];

pub(super) fn cannot_play(why: impl Into<String>, remedy: impl Into<String>) -> CheckVerdict {
    CheckVerdict::CannotPlay {
        why: why.into(),
        remedy: remedy.into(),
    }
}

/// A text of others for a sentence of ours: one short line.
pub(super) fn quoted(text: &str) -> String {
    let line = clean::one_line(text);
    let kept = line.floor_char_boundary(MAX_QUOTED_BYTES);
    let cut = if kept < line.len() { "…" } else { "" };
    format!("\"{}{cut}\"", line[..kept].trim())
}

/// The verdict about a fault. `doing` is what was tried.
pub(super) fn verdict_of_fault(
    fault: &ProbeFault,
    target: &CheckTarget,
    listed: &Result<Vec<ListedModel>, ListFault>,
    doing: &str,
) -> CheckVerdict {
    let name = &target.provider;
    match fault {
        ProbeFault::Silent(time) => cannot_play(
            format!(
                "no complete answer came within {} s ({doing})",
                time.as_secs()
            ),
            format!(
                "see whether the server at {} is busy or still loading its model; a slow one is given \
                 more time by `timeout` of providers.{name}, up to 120 s",
                target.server()
            ),
        ),
        ProbeFault::Endless => cannot_play(
            format!("an answer went on and on ({doing})"),
            "choose a model that is made to call tools",
        ),
        ProbeFault::NoAllowance => cannot_play(
            format!("its answers used up the {MAX_PROOF_TOKENS} tokens of the test ({doing})"),
            "choose a model that thinks less before it acts, or switch its thinking off",
        ),
        ProbeFault::Refused(fault) => verdict_of_refusal(fault, target, listed, doing),
    }
}

fn verdict_of_refusal(
    fault: &ModelFault,
    target: &CheckTarget,
    listed: &Result<Vec<ListedModel>, ListFault>,
    doing: &str,
) -> CheckVerdict {
    let (name, server) = (&target.provider, target.server());
    let said = fault.text();
    match fault {
        ModelFault::Unreachable { .. } => cannot_play(
            format!("no server answers at {server}"),
            format!("start the server, or set `endpoint` of providers.{name} to where it is"),
        ),
        ModelFault::NoDescriptor { text } => {
            cannot_play("this machine has no file descriptors left", text)
        }
        ModelFault::Empty { .. } => cannot_play(
            format!("its answers are empty ({doing})"),
            "look into the server's own log, or choose another model",
        ),
        ModelFault::TooLong { .. } => cannot_play(
            format!("its context is too small ({doing}): {}", quoted(said)),
            context_remedy(),
        ),
        ModelFault::OutOfService {
            text,
            ends_by: ServiceReturn::Operator,
            ..
        } => verdict_of_need(text),
        ModelFault::OutOfService {
            ends_by: ServiceReturn::Time,
            ..
        } => let_in_later(&quoted(said)),
        ModelFault::Transient { .. }
        | ModelFault::Permanent { .. }
        | ModelFault::Refused { .. }
        | ModelFault::Adapted { .. } => verdict_of_words(said, target, listed, doing),
    }
}

/// The verdict about a provider that serves nobody until the operator does something. The text says
/// what, after the server's words.
fn verdict_of_need(text: &str) -> CheckVerdict {
    let (said, remedy) = text
        .rsplit_once("; ")
        .unwrap_or((text, "look at its account"));
    cannot_play(
        format!("the server serves no requests as it is: {}", quoted(said)),
        remedy,
    )
}

fn let_in_later(words: &str) -> CheckVerdict {
    cannot_play(
        format!("the server refuses further requests for now: {words}"),
        "wait and try again, or raise the limits of the account",
    )
}

/// The verdict about a server's text, if the text is known.
fn verdict_of_words(
    said: &str,
    target: &CheckTarget,
    listed: &Result<Vec<ListedModel>, ListFault>,
    doing: &str,
) -> CheckVerdict {
    let lower = said.to_lowercase();
    if NO_TOOLS_WORDS.iter().any(|word| lower.contains(word)) {
        return cannot_play(
            format!("{} does not accept tools: {}", target.model, quoted(said)),
            "choose a model that is made to call tools",
        );
    }
    verdict_of_status(status_of(said), said, target, listed, doing)
}

/// The verdict about a status, if the text is unknown.
fn verdict_of_status(
    status: Option<u16>,
    said: &str,
    target: &CheckTarget,
    listed: &Result<Vec<ListedModel>, ListFault>,
    doing: &str,
) -> CheckVerdict {
    let (name, server, words) = (&target.provider, target.server(), quoted(said));
    match status {
        Some(401 | 403) => cannot_play(
            match target.endpoint.api_key {
                Some(_) => format!("{server} refuses the key: {words}"),
                None => format!("{server} needs a key, and none is set: {words}"),
            },
            format!("set the key that `api_key_env` or `api_key_name` of providers.{name} names"),
        ),
        Some(400 | 404 | 405 | 422) if is_missing(target, listed) => cannot_play(
            format!("{server} has no model {}", target.model),
            choice_of(listed, name),
        ),
        Some(404 | 405) => cannot_play(
            format!("there is no chat endpoint at {server}: {words}"),
            format!(
                "check `endpoint` of providers.{name}, which most often ends in /v1, and its model"
            ),
        ),
        // Of a payment that is refused, what is left here ends by itself.
        Some(402 | 429) => let_in_later(&words),
        Some(500..) => cannot_play(
            format!("the server fails ({doing}): {words}"),
            "look into the server's own log; try again, or choose another model",
        ),
        Some(_) => cannot_play(
            format!("it refuses what the swarm sends ({doing}): {words}"),
            "choose another model, or give the server a chat template that knows tools and their results",
        ),
        None if said.contains(NOT_JSON) => cannot_play(
            format!("the server at {server} is not a model server: {words}"),
            format!("check `endpoint` of providers.{name}, which most often ends in /v1"),
        ),
        None => cannot_play(
            format!("its answers do not arrive ({doing}): {words}"),
            "look at the server and at what stands between it and this machine, such as a proxy",
        ),
    }
}

/// Whether the server lists its models without this one.
fn is_missing(target: &CheckTarget, listed: &Result<Vec<ListedModel>, ListFault>) -> bool {
    let Ok(models) = listed else {
        return false;
    };
    !models.is_empty() && models.iter().all(|model| *model.name != *target.model)
}

fn choice_of(listed: &Result<Vec<ListedModel>, ListFault>, name: &str) -> String {
    let models = listed.as_deref().unwrap_or_default();
    let names: Vec<String> = models
        .iter()
        .map(|model| clean::one_line(&model.name))
        .collect();
    let names = listed_names(&names);
    format!("set `model` of providers.{name} to one that it has: {names}")
}

/// The remedy for a prompt that does not fit.
pub(super) fn context_remedy() -> String {
    context_advice(32_768)
}

fn status_of(said: &str) -> Option<u16> {
    let (_, rest) = said.split_once("HTTP ")?;
    rest.get(..3)?.parse().ok()
}

/// The size of the context in tokens that a refusal states; where it is not known which number that
/// is, the smallest one that can be it.
pub(super) fn refused_context(said: &str, stated: Option<ContextLimit>) -> Option<u64> {
    const LEAST_TOKENS: u64 = 512;
    let can_be = |tokens: &u64| (LEAST_TOKENS..bounds::MAX_CALL_TOKENS).contains(tokens);
    let digits = said.split(|sign: char| !sign.is_ascii_digit());
    let numbers = digits.filter_map(|digits| digits.parse::<u64>().ok());
    let stated = stated.map(|limit| limit.context).filter(can_be);
    stated.or_else(|| numbers.filter(can_be).min())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_of_a_refusal_is_found_among_its_numbers() {
        // vLLM names the tokens of the answer, too.
        let vllm = "HTTP 400: This model's maximum context length is 8192 tokens. However, you requested \
                    9512 tokens (8312 in the messages, 1200 in the completion). Please reduce the length \
                    of the messages or completion.";
        let limit = |context| {
            let prompt = 9512;
            Some(ContextLimit { prompt, context })
        };
        for (said, stated, tokens) in [
            (
                "HTTP 400: This model's maximum context length is 4096 tokens. However, your messages \
                 resulted in 8213 tokens.",
                None,
                Some(4096),
            ),
            (
                "HTTP 400: the request exceeds the available context size (8192 tokens)",
                None,
                Some(8192),
            ),
            ("HTTP 400: prompt is too long", None, None),
            (vllm, limit(8192), Some(8192)),
            ("HTTP 400: prompt is too long", limit(u64::MAX), None),
        ] {
            assert_eq!(refused_context(said, stated), tokens, "{said}");
        }
    }

    #[test]
    fn words_of_others_are_one_line_and_not_long() {
        let long = format!("a\n\u{1b}[31m{}", "é".repeat(1000));
        let shown = quoted(&long);
        assert!(shown.len() < MAX_QUOTED_BYTES + 8, "{}", shown.len());
        assert!(
            !shown.contains('\n') && !shown.contains('\u{1b}'),
            "{shown}"
        );
    }
}
