//! Checks whether the model calls tools by their schema, uses their results, and makes two calls at
//! once.

use actors::domain::model::ModelAnswer;
use actors::domain::written_call::{WORDS_ALONE_ADVICE, WRITTEN_CALLS_ADVICE};
use serde_json::json;

use super::ProofVerdict;
use super::course::{ANSWER_TOKENS, ProofCourse};
use super::drill::{self, OPEN_GATE, READ_BEACON, SET_LAMP};
use super::judging::{cannot_play, quoted};
use super::roles::{self, MISSION};
use super::scratch::Scratch;

/// The tokens of an answer for a model that had not finished thinking.
const LONG_ANSWER_TOKENS: u32 = 3000;
/// How often the same is asked, because models answer at random.
const TRIES: usize = 2;

/// Why an answer does not contain the requested call.
enum CallTrouble {
    /// The call is written in its text.
    Written(String),
    /// It only contains text.
    Words(String),
    /// The model had not finished thinking.
    Unfinished,
    /// It contains another or a wrong call.
    Wrong(String),
}

/// The first two turns: a call, its result, and a call that needs the result.
pub(super) async fn check_calling(course: &mut ProofCourse<'_>) -> Result<(), ProofVerdict> {
    let word = drill::draw_code_word();
    let mut scratch = Scratch::new(MISSION);
    scratch.order(&drill::first_order());
    let call = ask_for_call(course, &scratch, "a call", first_trouble).await?;
    course.good(
        "call",
        format!("calls {READ_BEACON} with arguments by its schema"),
    );
    scratch.answered(&call);
    scratch.results(|name| result_of(name, &word));
    let words = course.ask(&scratch, ANSWER_TOKENS, "a result").await?;
    scratch.answered(&words);
    if !words.calls.is_empty() {
        scratch.results(|name| result_of(name, &word));
    }
    scratch.order(&drill::second_order());
    let trouble = |answer: &ModelAnswer| second_trouble(answer, &word);
    let calls = ask_for_call(course, &scratch, "a second turn", trouble).await?;
    course.good(
        "result",
        "uses what a result brought in the next turn".to_string(),
    );
    let makes_two = calls.calls.iter().any(|call| call.name.contains(SET_LAMP));
    let (ok, detail) = match makes_two {
        true => (Some(true), "makes two calls in one answer"),
        false => (
            None,
            "makes one call in an answer where two were asked for: it plays, but slower",
        ),
    };
    course.check("two_calls", ok, detail.to_string());
    if makes_two {
        scratch.answered(&calls);
        scratch.results(|name| result_of(name, &word));
    } else {
        roles::two_calls(&mut scratch, &word);
    }
    course
        .ask(&scratch, ANSWER_TOKENS, "the results of two calls")
        .await?;
    Ok(())
}

/// Checks whether a conversation with every order of roles is accepted.
pub(super) async fn check_roles(course: &mut ProofCourse<'_>) -> Result<(), ProofVerdict> {
    let scratch = roles::long_conversation(&drill::draw_code_word());
    course
        .ask(&scratch, ANSWER_TOKENS, "a conversation of some turns")
        .await?;
    course.good(
        "roles",
        "takes conversations in every order that the swarm sends".to_string(),
    );
    Ok(())
}

fn result_of(tool: &str, word: &str) -> String {
    match tool.contains(READ_BEACON) {
        true => drill::beacon_result(word),
        false => json!({"ok": true}).to_string(),
    }
}

/// Asks for a call. Asks again if there was none, and with more tokens if the answer was cut off.
async fn ask_for_call(
    course: &mut ProofCourse<'_>,
    scratch: &Scratch,
    doing: &'static str,
    trouble: impl Fn(&ModelAnswer) -> Option<CallTrouble>,
) -> Result<ModelAnswer, ProofVerdict> {
    let mut tokens = ANSWER_TOKENS;
    let mut found = CallTrouble::Words(String::new());
    for _ in 0..TRIES {
        let answer = course.ask(scratch, tokens, doing).await?;
        match trouble(&answer) {
            None => return Ok(answer),
            Some(trouble) => found = trouble,
        }
        if matches!(found, CallTrouble::Unfinished) {
            tokens = LONG_ANSWER_TOKENS;
        }
    }
    let verdict = verdict_of_trouble(&found);
    course.bad("call", &verdict);
    Err(verdict)
}

fn first_trouble(answer: &ModelAnswer) -> Option<CallTrouble> {
    let mut calls = answer.calls.iter();
    let Some(call) = calls.find(|call| call.name.contains(READ_BEACON)) else {
        return Some(trouble_without_call(answer));
    };
    drill::fault_of_arguments(call).map(CallTrouble::Wrong)
}

fn second_trouble(answer: &ModelAnswer, word: &str) -> Option<CallTrouble> {
    if drill::holds_word(answer, OPEN_GATE, word) {
        return None;
    }
    if answer.calls.is_empty() {
        return Some(trouble_without_call(answer));
    }
    let calls = answer.calls.iter();
    let made: Vec<String> = calls
        .map(|call| format!("{}({})", call.name, call.arguments))
        .collect();
    Some(CallTrouble::Wrong(format!(
        "it does not use what a result brought: {}",
        quoted(&made.join(", "))
    )))
}

/// Why an answer without the call does not contain it.
fn trouble_without_call(answer: &ModelAnswer) -> CallTrouble {
    if let Some(call) = answer.calls.first() {
        return CallTrouble::Wrong(format!("it calls {} instead", quoted(&call.name)));
    }
    let thought = answer.reasoning.as_deref().unwrap_or_default();
    let texts = [answer.text.as_str(), thought];
    if let Some(text) = texts.iter().find(|text| drill::reads_like_a_call(text)) {
        return CallTrouble::Written((*text).to_string());
    }
    if answer.finish_reason.as_deref() == Some("length") {
        return CallTrouble::Unfinished;
    }
    CallTrouble::Words(answer.text.clone())
}

fn verdict_of_trouble(trouble: &CallTrouble) -> ProofVerdict {
    match trouble {
        CallTrouble::Written(text) => cannot_play(
            format!("it writes its calls as text, {}", quoted(text)),
            WRITTEN_CALLS_ADVICE,
        ),
        CallTrouble::Words(text) if text.trim().is_empty() => cannot_play(
            "it answers an order to call a tool with nothing at all",
            "choose a model that is made to call tools",
        ),
        CallTrouble::Words(text) => cannot_play(
            format!("it makes no calls and only speaks: {}", quoted(text)),
            WORDS_ALONE_ADVICE,
        ),
        CallTrouble::Unfinished => cannot_play(
            format!("it was still thinking after {LONG_ANSWER_TOKENS} tokens"),
            "choose a model that thinks less before it acts, or switch its thinking off",
        ),
        CallTrouble::Wrong(what) => cannot_play(
            format!("its calls are wrong: {}", quoted(what)),
            "choose a larger model, or one that is made to call tools",
        ),
    }
}
