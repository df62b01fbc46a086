//! Checks whether the model calls tools by their schema, uses their results, and makes two calls at
//! once.

use actors::domain::model::ModelAnswer;
use actors::domain::written_call::{WORDS_ALONE_ADVICE, WRITTEN_CALLS_ADVICE};
use serde_json::json;

use super::CheckVerdict;
use super::course::{ANSWER_TOKENS, CheckCourse};
use super::drill::{
    self, BeaconOrder, FIRST_BEACON, OPEN_GATE, READ_BEACON, SECOND_BEACON, SET_LAMP,
};
use super::judging::{cannot_play, quoted};
use super::roles::{self, MISSION};
use super::scratch::Scratch;

/// The tokens of an answer for a model that had not finished thinking.
const LONG_ANSWER_TOKENS: u32 = 3000;
/// Why an answer does not contain the requested call.
enum CallTrouble {
    Written(String),
    /// It only contains text.
    Words(String),
    /// The model had not finished thinking.
    Unfinished,
    Wrong(String),
    /// It contains a call that the server itself did not accept.
    Refused(String),
}

/// The first two turns: a call, its result, and a call that needs the result.
///
/// What decides is asked twice and must be right both times, because a model that is right now and
/// then would pass a single question by luck. The second question about a result is at the end of
/// [`check_roles`].
pub(super) async fn check_calling(course: &mut CheckCourse<'_>) -> Result<(), CheckVerdict> {
    let word = drill::draw_code_word();
    let (mut scratch, first) = ask_for_beacon(course, FIRST_BEACON).await?;
    let (_, second) = ask_for_beacon(course, SECOND_BEACON).await?;
    let call = require_both(course, "call", first, second)?;
    let detail = format!("calls {READ_BEACON} twice, with arguments that fit its schema");
    course.good("call", detail);
    scratch.answered(&call);
    scratch.results(|name| result_of(name, &word));
    let words = course.ask(&scratch, ANSWER_TOKENS, "a result").await?;
    scratch.answered(&words);
    if !words.calls.is_empty() {
        let refusal = words.refusal.as_deref();
        scratch.results(|name| refusal.map_or_else(|| result_of(name, &word), str::to_string));
    }
    scratch.order(&drill::second_order());
    let calls = ask_for_word(course, &scratch, &word).await?;
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

/// Asks for a call that needs a word of a result. If there is none, asks again, so that the verdict
/// can say whether it is always so.
async fn ask_for_word(
    course: &mut CheckCourse<'_>,
    scratch: &Scratch,
    word: &str,
) -> Result<ModelAnswer, CheckVerdict> {
    let trouble = |answer: &ModelAnswer| second_trouble(answer, word);
    let first = ask_for_call(course, scratch, "a second turn", trouble).await?;
    if let Ok(answer) = first {
        return Ok(answer);
    }
    let second = ask_for_call(course, scratch, "a second turn", trouble).await?;
    require_both(course, "result", first, second)
}

/// Checks whether a conversation with every order of roles is accepted, and asks again for a call
/// that needs a word of a result, among older words.
pub(super) async fn check_roles(course: &mut CheckCourse<'_>) -> Result<(), CheckVerdict> {
    let older = drill::draw_code_word();
    let word = drill::draw_code_word();
    let scratch = roles::long_conversation(&older, &word);
    let trouble = |answer: &ModelAnswer| second_trouble(answer, &word);
    let answer = ask_for_call(course, &scratch, "a conversation of some turns", trouble).await?;
    course.good(
        "roles",
        "accepts messages in each order that the swarm sends".to_string(),
    );
    if let Err(trouble) = answer {
        return Err(refuse(course, "result", verdict_of_sometimes(&trouble)));
    }
    course.good(
        "result",
        "uses a tool's result in the next turn, twice".to_string(),
    );
    Ok(())
}

fn result_of(tool: &str, word: &str) -> String {
    match tool.contains(READ_BEACON) {
        true => drill::beacon_result(word),
        false => json!({"ok": true}).to_string(),
    }
}

async fn ask_for_beacon(
    course: &mut CheckCourse<'_>,
    beacon: BeaconOrder,
) -> Result<(Scratch, Result<ModelAnswer, CallTrouble>), CheckVerdict> {
    let mut scratch = Scratch::new(MISSION);
    scratch.order(&drill::first_order(beacon));
    let trouble = |answer: &ModelAnswer| first_trouble(answer, beacon);
    let answer = ask_for_call(course, &scratch, "a call", trouble).await?;
    Ok((scratch, answer))
}

/// Asks for a call. Asks again with more tokens if the model had not finished thinking. A call that
/// the server refuses is never made, however right it is.
async fn ask_for_call(
    course: &mut CheckCourse<'_>,
    scratch: &Scratch,
    doing: &'static str,
    trouble: impl Fn(&ModelAnswer) -> Option<CallTrouble>,
) -> Result<Result<ModelAnswer, CallTrouble>, CheckVerdict> {
    let trouble = |answer: &ModelAnswer| {
        let refusal = answer.refusal.clone().map(CallTrouble::Refused);
        refusal.or_else(|| trouble(answer))
    };
    let answer = course.ask(scratch, ANSWER_TOKENS, doing).await?;
    let answer = match trouble(&answer) {
        None => return Ok(Ok(answer)),
        Some(CallTrouble::Unfinished) => course.ask(scratch, LONG_ANSWER_TOKENS, doing).await?,
        Some(trouble) => return Ok(Err(trouble)),
    };
    Ok(match trouble(&answer) {
        None => Ok(answer),
        Some(trouble) => Err(trouble),
    })
}

/// The first answer, if both are right.
fn require_both(
    course: &mut CheckCourse<'_>,
    check: &'static str,
    first: Result<ModelAnswer, CallTrouble>,
    second: Result<ModelAnswer, CallTrouble>,
) -> Result<ModelAnswer, CheckVerdict> {
    let verdict = match (first, second) {
        (Ok(answer), Ok(_)) => return Ok(answer),
        (Err(trouble), Err(_)) => verdict_of_trouble(&trouble),
        (Ok(_), Err(trouble)) | (Err(trouble), Ok(_)) => verdict_of_sometimes(&trouble),
    };
    Err(refuse(course, check, verdict))
}

fn refuse(
    course: &mut CheckCourse<'_>,
    check: &'static str,
    verdict: CheckVerdict,
) -> CheckVerdict {
    course.bad(check, &verdict);
    verdict
}

fn first_trouble(answer: &ModelAnswer, beacon: BeaconOrder) -> Option<CallTrouble> {
    let mut calls = answer.calls.iter();
    let Some(call) = calls.find(|call| call.name.contains(READ_BEACON)) else {
        return Some(trouble_without_call(answer));
    };
    drill::fault_of_arguments(call, beacon).map(CallTrouble::Wrong)
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
        "it does not use a tool's result: {}",
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

/// The verdict about a model that did it right once and wrong once.
fn verdict_of_sometimes(trouble: &CallTrouble) -> CheckVerdict {
    let what = match trouble {
        CallTrouble::Written(text) => format!("once it wrote its call as text, {}", quoted(text)),
        CallTrouble::Words(text) => {
            format!("once it wrote text and called no tool: {}", quoted(text))
        }
        CallTrouble::Unfinished => {
            format!("once it was still thinking after {LONG_ANSWER_TOKENS} tokens")
        }
        CallTrouble::Wrong(what) => quoted(what),
        CallTrouble::Refused(why) => format!("once the server refused its call: {}", quoted(why)),
    };
    cannot_play(
        format!("its calls are right only sometimes: {what}"),
        "choose a larger model, or one that is made to call tools; a lower temperature may help, too",
    )
}

fn verdict_of_trouble(trouble: &CallTrouble) -> CheckVerdict {
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
            format!("it writes text and calls no tool: {}", quoted(text)),
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
        CallTrouble::Refused(why) => cannot_play(
            format!("the server refuses its calls: {}", quoted(why)),
            "choose a larger model, or one that is made to call tools, or a server that reads this \
             model's calls",
        ),
    }
}
