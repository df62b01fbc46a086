//! Checks how much of a long prompt the model reads, even if the server cuts it silently.
//!
//! Three code words are at the beginning of a long prompt: in the system message, in the first
//! order and in the first result. The end of the prompt asks for them. The number of prompt tokens
//! that the server reports is compared with what was sent.

use std::time::Duration;

use actors::domain::model::{ModelAnswer, ModelFault};
use serde_json::json;
use zoea_contract::ProvenContext;

use super::CheckVerdict;
use super::course::{ANSWER_TOKENS, CheckCourse};
use super::drill::{self, FIRST_BEACON, READ_BEACON};
use super::judging::{cannot_play, context_remedy, refused_context};
use super::prober::ProbeFault;
use super::roles::MISSION;
use super::scratch::Scratch;

/// The longest prompt that is tried, in tokens.
const LONGEST_PROMPT_TOKENS: u64 = 8600;
/// The shortest prompt that says anything about the context, in tokens.
const SHORTEST_PROMPT_TOKENS: u64 = 1500;
/// The smallest context that a turn of the game fits into, in tokens.
const LEAST_CONTEXT_TOKENS: u64 = 4096;
/// How often a refused prompt is tried again with fewer tokens.
const TRIES: usize = 3;
/// The bytes of a token of the filler, which consists of words only. The second value is used while
/// nothing is known of the model's tokens, so that the estimate is not too low.
const FILLER_BYTES_PER_TOKEN: u64 = 4;
const LEAST_FILLER_BYTES_PER_TOKEN: u64 = 3;
/// The short prompt, with which a long one is compared, is shorter by this factor.
const CONTROL_SHARE: u64 = 4;
const FILLED_RESULTS: usize = 6;
/// The part of the timeout that reading a prompt may take, as a divisor.
const READING_SHARE: u32 = 2;

/// Meaningless words of one token each.
const FILLER: [&str; 24] = [
    "the", "quiet", "station", "turns", "slowly", "over", "a", "pale", "moon", "while", "small",
    "ships", "come", "and", "go", "with", "their", "loads", "of", "stone", "water", "grain",
    "wood", "light",
];

struct ContextProbe {
    bytes: u64,
    /// The prompt tokens that the server reports.
    reported: Option<u64>,
    /// The number of code words in the answer.
    recalled: usize,
}

pub(super) async fn check_context(course: &mut CheckCourse<'_>) -> Result<(), CheckVerdict> {
    let mut tokens = longest_prompt(course);
    for _ in 0..TRIES {
        if tokens < SHORTEST_PROMPT_TOKENS {
            break;
        }
        match probe(course, tokens).await {
            Ok(found) => return judge(course, &found).await,
            Err(ProbeFault::Refused(ModelFault::TooLong { text, limit })) => {
                let limit = refused_context(&text, limit);
                course.context.limit = limit.or(Some(tokens));
                if limit.is_some_and(|limit| limit < LEAST_CONTEXT_TOKENS) {
                    return Err(too_small(course, limit.unwrap_or(tokens)));
                }
                let fits = limit.map_or(tokens / 2, |limit| limit * 3 / 4);
                tokens = fits.min(tokens * 3 / 4);
            }
            Err(ProbeFault::NoAllowance) => break,
            Err(fault) => return Err(course.verdict_of(&fault, "a long prompt")),
        }
    }
    if let Some(limit) = course
        .context
        .limit
        .filter(|limit| *limit < LEAST_CONTEXT_TOKENS)
    {
        return Err(too_small(course, limit));
    }
    let detail =
        "not tried: too few of the test's tokens or too little of its time is left".to_string();
    course.check("context", None, detail);
    Ok(())
}

/// The longest prompt that allowance, configuration and time permit, in tokens.
fn longest_prompt(course: &CheckCourse<'_>) -> u64 {
    // A second, shorter prompt must fit into the allowance, too.
    let allowance = course.prober.allowance.left();
    let allowed = allowance.saturating_sub(2 * u64::from(ANSWER_TOKENS)) * 4 / 5 * 9 / 10;
    let configured = course.target.context_tokens.unwrap_or(u64::MAX) / 4 * 3;
    let patience: Duration = course.target.timeout / READING_SHARE;
    let readable = course.prober.speed.prompt_within(patience);
    LONGEST_PROMPT_TOKENS
        .min(allowed)
        .min(configured)
        .min(readable.unwrap_or(u64::MAX))
}

/// Sends a prompt of about this many tokens and counts the code words in the answer.
async fn probe(course: &mut CheckCourse<'_>, tokens: u64) -> Result<ContextProbe, ProbeFault> {
    let words = [(); 3].map(|()| drill::draw_code_word());
    let scratch = long_prompt(course, tokens, &words);
    let messages = scratch.messages();
    let bytes = course.prober.request_bytes(&messages);
    let answer = course.prober.ask(messages, ANSWER_TOKENS).await?;
    Ok(ContextProbe {
        bytes,
        reported: course.prober.last_prompt,
        recalled: words.iter().filter(|word| recalls(&answer, word)).count(),
    })
}

fn recalls(answer: &ModelAnswer, word: &str) -> bool {
    let mut calls = answer.calls.iter();
    answer.text.contains(word) || calls.any(|call| call.arguments.contains(word))
}

/// A conversation of about this many tokens with the code words at its beginning.
fn long_prompt(course: &CheckCourse<'_>, tokens: u64, words: &[String; 3]) -> Scratch {
    let third = &words[2];
    let base = written(&[], words);
    let base = course.prober.request_bytes(&base.messages());
    let base = course.prober.allowance.most_tokens(base);
    let per_token = match course.prober.allowance.measured_tokens(0) {
        Some(_) => FILLER_BYTES_PER_TOKEN,
        None => LEAST_FILLER_BYTES_PER_TOKEN,
    };
    let bytes = tokens.saturating_sub(base) * per_token;
    let share = usize::try_from(bytes).unwrap_or(0) / FILLED_RESULTS;
    let texts: Vec<String> = (0..FILLED_RESULTS)
        .map(|place| match place {
            0 => format!("The third code word is {third}. {}", filler(share)),
            _ => filler(share),
        })
        .collect();
    written(&texts, words)
}

fn written(results: &[String], words: &[String; 3]) -> Scratch {
    let [first, second, _] = words;
    let mut scratch = Scratch::new(&format!("{MISSION} The first code word is {first}."));
    scratch.order(&format!(
        "Read the beacons first, and keep the code words in mind. The second code word is {second}."
    ));
    for (place, text) in results.iter().enumerate() {
        let arguments = json!({"sector": FIRST_BEACON.sector, "depth": place + 1}).to_string();
        scratch.says("", &[(READ_BEACON.to_string(), arguments)], &["call_1"]);
        scratch.results(|_| json!({"log": text}).to_string());
    }
    scratch.interrupt(&drill::last_order());
    scratch
}

fn filler(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        text.push_str(FILLER[fastrand::usize(..FILLER.len())]);
        text.push(' ');
    }
    text
}

/// What a long prompt says about the context. If necessary, it is compared with a short one.
async fn judge(course: &mut CheckCourse<'_>, found: &ContextProbe) -> Result<(), CheckVerdict> {
    let expected = course.prober.allowance.measured_tokens(found.bytes);
    let tokens = found
        .reported
        .or(expected)
        .unwrap_or(found.bytes / FILLER_BYTES_PER_TOKEN);
    if found.recalled == 3 {
        course.context.proven = Some(tokens);
        let limit = match course.context.limit {
            Some(limit) => format!("; longer ones are refused beyond {limit}"),
            None => String::new(),
        };
        let detail =
            format!("reads a prompt of {tokens} tokens from its beginning to its end{limit}");
        course.good("context", detail);
        return Ok(());
    }
    // Filler has fewer tokens per byte than other text, but not as few as this.
    let sent = expected.unwrap_or(tokens);
    if let Some(reported) = found.reported.filter(|reported| reported * 10 < sent * 6) {
        course.context.limit = Some(reported);
        return Err(cut(course, sent, Some(reported)));
    }
    let shorter = (tokens / CONTROL_SHARE).max(SHORTEST_PROMPT_TOKENS);
    let control = match probe(course, shorter).await {
        Ok(control) => control,
        Err(ProbeFault::NoAllowance) => {
            course.forgetful(tokens, found.recalled);
            return Ok(());
        }
        Err(fault) => return Err(course.verdict_of(&fault, "a prompt of middle length")),
    };
    if control.recalled == 3 && found.reported.is_none() {
        let read = course.prober.allowance.measured_tokens(control.bytes);
        course.context.proven = read.or(Some(shorter));
        return Err(cut(course, tokens, None));
    }
    if control.recalled == 3 {
        course.context.proven = control.reported;
    }
    course.forgetful(tokens, found.recalled);
    Ok(())
}

impl CheckCourse<'_> {
    /// Records that the prompt was read completely, as far as can be told, but not all words were
    /// remembered.
    fn forgetful(&mut self, tokens: u64, recalled: usize) {
        let detail = format!(
            "of a prompt of {tokens} tokens it remembers {recalled} of 3 words at its beginning: a \
             larger model would remember more"
        );
        self.check("context", None, detail);
    }
}

fn cut(course: &mut CheckCourse<'_>, sent: u64, read: Option<u64>) -> CheckVerdict {
    let read = match read {
        Some(read) => format!("{read} are read"),
        None => "its beginning is not read".to_string(),
    };
    let verdict = cannot_play(
        format!("it cuts long prompts without an error: of about {sent} tokens {read}"),
        context_remedy(),
    );
    course.bad("context", &verdict);
    verdict
}

fn too_small(course: &mut CheckCourse<'_>, limit: u64) -> CheckVerdict {
    course.context = ProvenContext {
        limit: Some(limit),
        ..course.context
    };
    let verdict = cannot_play(
        format!("its context of about {limit} tokens is too small for a turn"),
        context_remedy(),
    );
    course.bad("context", &verdict);
    verdict
}
