//! Assembles a model server's answer, whether it is streamed or not. The answer is parsed once and
//! never written out in between.

mod arguments;
mod calls;
mod odd_ends;
mod words;

use std::time::SystemTime;

use actors::domain::bounds::{self, MAX_ANSWER_BYTES, MAX_REFUSAL_BYTES, MAX_TAKEN_BYTES};
use actors::domain::model::{
    AnswerFacts, AnswerProgress, Echo, ModelAnswer, ModelFault, TokenUsage,
};
use zoea_http::raw_json::{as_text, first_element, member_at, pick};
use zoea_text::redact::Redactor;

use super::bounded_text::BoundedText;
use super::content::{text_of, thoughts_of};
use super::echo::ReceivedEcho;
use super::novelty::NoveltyMeter;
use super::refusal::Refusal;
use super::thoughts::{SplitContent, ThoughtPlace, reasoning_text, split_content};
use super::usage::{larger_usage, note_usage_details, parse_cost, parse_usage};
use super::waits::HeaderWaits;
pub(super) use arguments::are_equal;
use calls::{MessageForm, ReceivedCalls};
pub(super) use odd_ends::is_usual_end;
use words::ReceivedWords;

/// What is told of an answer without a byte.
pub(super) const EMPTY_BODY: &str = "the answer is empty";

/// The members of a message that are read. Early servers know a single call without an id. The last
/// three members may contain reasoning.
const MESSAGE_KEYS: [&str; 6] = [
    "content",
    "tool_calls",
    "function_call",
    "reasoning_content",
    "reasoning",
    "thinking",
];

#[derive(Debug, Default)]
pub(super) struct ReceivedAnswer {
    words: ReceivedWords,
    reasoning: BoundedText,
    reasoning_novelty: NoveltyMeter,
    reasoning_place: Option<ThoughtPlace>,
    echo: ReceivedEcho,
    calls: ReceivedCalls,
    finish_reason: Option<String>,
    usage: Option<TokenUsage>,
    stated_cost: Option<u64>,
    model: Option<String>,
    facts: AnswerFacts,
    refusal: Option<EmbeddedRefusal>,
    has_choice: bool,
    arrived: AnswerProgress,
    pieces: u64,
    /// Whether this is the beginning of an endless answer in one piece, which cannot be read.
    is_endless: bool,
}

/// An error inside of an answer with status 200, which some servers send.
#[derive(Debug)]
struct EmbeddedRefusal {
    status: u16,
    body: String,
    /// Whether the answer had ended as answers do.
    is_behind_end: bool,
}

impl ReceivedAnswer {
    /// An answer that was not streamed.
    pub(super) fn from_body(body: &str) -> ReceivedAnswer {
        let mut answer = ReceivedAnswer::default();
        // Some errors are lists with one element.
        answer.add(first_element(body).unwrap_or(body));
        answer
    }

    /// An answer in one piece without an end, of which so many bytes came.
    pub(super) fn endless(bytes: u64) -> ReceivedAnswer {
        ReceivedAnswer {
            is_endless: true,
            has_choice: true,
            arrived: AnswerProgress {
                words: bytes,
                thoughts: 0,
            },
            ..ReceivedAnswer::default()
        }
    }

    /// The progress of the answer in bytes.
    pub(super) fn arrived(&self) -> AnswerProgress {
        self.arrived
    }

    /// Whether the server said that the answer ends, or that there will be none.
    pub(super) fn is_finished(&self) -> bool {
        self.finish_reason.is_some() || self.refusal.is_some()
    }

    pub(super) fn is_runaway(&self) -> bool {
        let texts = [
            &self.words.novelty,
            &self.reasoning_novelty,
            &self.calls.novelty,
        ];
        self.is_endless || texts.into_iter().any(NoveltyMeter::is_stale)
    }

    /// An estimate of the tokens of an answer that was cut, which its server does not state any more.
    pub(super) fn estimated_tokens(&self) -> u64 {
        let bytes = self.arrived.words.saturating_add(self.arrived.thoughts);
        bounds::estimated_tokens(bytes).max(self.pieces)
    }

    pub(super) fn has_usage(&self) -> bool {
        self.usage.is_some()
    }

    /// Takes an error that ends the answer. It is JSON.
    pub(super) fn fail(&mut self, error: &str) {
        self.refuse(error, &format!("{{\"error\":{error}}}"));
    }

    /// Takes an error from a body. The operator is shown the server's message.
    fn refuse(&mut self, error: &str, body: &str) {
        let shown = if body.len() > MAX_REFUSAL_BYTES {
            &error[..error.floor_char_boundary(MAX_REFUSAL_BYTES)]
        } else {
            body
        };
        self.refusal = Some(EmbeddedRefusal {
            status: odd_ends::stated_status(error).unwrap_or(500),
            body: shown.to_string(),
            is_behind_end: self.finish_reason.as_deref().is_some_and(is_usual_end),
        });
    }

    /// Takes the data of an event, or a whole body.
    pub(super) fn add(&mut self, chunk: &str) {
        let [error, usage, model, choices, id] =
            pick(chunk, ["error", "usage", "model", "choices", "id"]);
        let choice = choices.and_then(first_element);
        if let Some(error) = error.filter(|error| odd_ends::is_error(error, choice.is_some())) {
            self.refuse(error, chunk);
        }
        if let Some(usage) = usage {
            note_usage_details(usage, &mut self.facts);
            self.stated_cost = self.stated_cost.max(parse_cost(usage));
        }
        let of_groq = || member_at(chunk, &["x_groq", "usage"]).and_then(parse_usage);
        let usage = usage.and_then(parse_usage).or_else(of_groq);
        self.usage = larger_usage(self.usage, usage);
        if self.facts.id.is_none() {
            self.facts.id = id.and_then(as_text).map(bounds::bounded_name);
        }
        if let Some(model) = model.and_then(as_text) {
            self.model = Some(bounds::bounded_name(model));
        }
        let Some(choice) = choice else {
            return;
        };
        self.has_choice = true;
        let [finish_reason, native, delta, message, usage, error] = pick(
            choice,
            [
                "finish_reason",
                "native_finish_reason",
                "delta",
                "message",
                "usage",
                "error",
            ],
        );
        // Routers that lose the server behind them amid an answer say so there.
        if let Some(error) = error.filter(|error| odd_ends::is_error(error, true)) {
            self.fail(error);
        }
        self.usage = larger_usage(self.usage, usage.and_then(parse_usage));
        let reason = |reason: Option<&str>| {
            let reason = reason.and_then(as_text).map(bounds::bounded_name);
            reason.filter(|reason| !odd_ends::is_nothing(reason))
        };
        // A router's odd word says less than that of the server behind it.
        let finish_reason = match reason(finish_reason) {
            Some(usual) if is_usual_end(&usual) => Some(usual),
            finish_reason => reason(native).or(finish_reason),
        };
        if finish_reason.is_some() {
            self.finish_reason = finish_reason;
        }
        if let Some(delta) = delta {
            self.add_message(delta, MessageForm::Delta);
        }
        // Beside a piece, a message that is not the last one would come again in the next pieces.
        if let Some(message) = message
            && (delta.is_none() || self.is_finished())
        {
            self.add_message(message, MessageForm::Whole);
        }
    }

    /// Takes a message or a piece of it. Some servers end with the complete message, or with a piece
    /// that holds all of it, even after they have sent it in pieces: of these only what is missing
    /// counts.
    fn add_message(&mut self, message: &str, form: MessageForm) {
        let is_end = self.is_finished();
        let is_again = |known: &str, piece: &str| match form {
            MessageForm::Whole => !known.is_empty(),
            MessageForm::Delta => is_end && !known.is_empty() && known == piece,
        };
        let max_bytes = match form {
            // A complete message is cut later, when reasoning and text are separated.
            MessageForm::Whole => MAX_ANSWER_BYTES,
            MessageForm::Delta => MAX_TAKEN_BYTES,
        };
        let [content, listed, old_call, thoughts @ ..] = pick(message, MESSAGE_KEYS);
        let content = content.unwrap_or("null");
        let words = text_of(content);
        let are_words_again = is_again(self.words.text(), &words);
        let are_calls_again = match form {
            MessageForm::Whole => !self.calls.is_empty(),
            MessageForm::Delta => is_end && self.calls.are_again_in(listed),
        };
        if !are_words_again && !are_calls_again {
            self.echo.add(message);
        }
        let (reasoning, place) = reasoning_of(thoughts, content);
        let is_piece = form == MessageForm::Delta;
        self.pieces += u64::from(is_piece);
        if !is_again(&self.reasoning.text, &reasoning) {
            if is_piece {
                self.reasoning_novelty.add(&reasoning);
            }
            self.reasoning_place = place.or(self.reasoning_place);
            self.reasoning.add_within(&reasoning, max_bytes);
            self.arrived.thoughts += reasoning.len() as u64;
        }
        if !are_words_again {
            if is_piece {
                self.words.novelty.add(&words);
            }
            self.words.add(&words, max_bytes, &mut self.arrived);
        }
        if !are_calls_again {
            self.arrived.words += self.calls.add(listed, old_call, form);
        }
    }

    /// The answer without these secrets, which are removed before anything is cut. Nonsense in the
    /// answer is no fault. Only an answer without any choice is one.
    pub(super) fn into_model_answer(self, secrets: &Redactor) -> Result<ModelAnswer, ModelFault> {
        match self.outcome_without_answer(secrets) {
            Some(outcome) => outcome,
            None => Ok(self.into_complete_answer(secrets)),
        }
    }

    /// What an answer means that the server did not complete; `None` for a complete one.
    fn outcome_without_answer(
        &self,
        secrets: &Redactor,
    ) -> Option<Result<ModelAnswer, ModelFault>> {
        // An error about the limit that ended the answer takes nothing away from it. Nor does one that comes
        // behind a complete answer, which is about the server's own books.
        let is_cut = self.finish_reason.as_deref() == Some("length");
        let has_answer = self.arrived.words > 0;
        let is_idle = |refusal: &EmbeddedRefusal| is_cut || (refusal.is_behind_end && has_answer);
        if let Some(refusal) = self.refusal.as_ref().filter(|it| !is_idle(it)) {
            let refusal = Refusal {
                status: refusal.status,
                body: &secrets.clean(&refusal.body),
                waits: HeaderWaits::default(),
            };
            return Some(refusal.judge(SystemTime::now()));
        }
        if !self.has_choice {
            let is_empty = self.usage.is_none() && self.model.is_none();
            let text = match is_empty {
                true => EMPTY_BODY,
                false => "the answer holds no choice",
            };
            return Some(Err(ModelFault::Empty {
                text: text.to_string(),
                usage: self.usage,
            }));
        }
        let reason = self.finish_reason.as_deref().filter(|_| !self.is_runaway());
        let reason = reason.filter(|reason| odd_ends::is_broken_end(reason))?;
        Some(Err(ModelFault::Transient {
            text: format!("the server ended its answer with `{reason}`"),
            retry_after: None,
        }))
    }

    fn into_complete_answer(mut self, secrets: &Redactor) -> ModelAnswer {
        let why = self.fault_for_model();
        let stale = [&self.words.novelty, &self.reasoning_novelty].map(|novelty| {
            let bytes = novelty.stale_bytes();
            bytes * usize::from(novelty.is_stale())
        });
        if self.is_runaway() {
            // What repeats itself must not teach the model to repeat it.
            self.calls = ReceivedCalls::default();
            self.echo = ReceivedEcho::default();
            self.finish_reason = Some("repetition".to_string());
        }
        let words = without_end(secrets.clean_own(self.words.noted()), stale[0]);
        let SplitContent { said, thought } = split_content(&words);
        let has_all = self.reasoning.left_out == 0 && stale[1] == 0;
        let reasoning = without_end(secrets.clean_own(self.reasoning.noted()), stale[1]);
        let reasoning = self.reasoning_place.map(|place| (reasoning, place));
        let is_blank = |(text, _): &(String, ThoughtPlace)| text.trim().is_empty();
        let shown = reasoning.clone().filter(|reasoning| !is_blank(reasoning));
        let shown = shown.or_else(|| thought.filter(|thought| !is_blank(thought)));
        // A blank one in a member is sent back, too.
        let kept = shown.as_ref().or(reasoning.as_ref());
        let echoed = kept.filter(|_| has_all);
        let echoed = echoed.map(|(text, place)| reasoning_text(*place, text));
        let (calls, echoed_calls) = self.calls.into_calls(secrets);
        let echo = Echo {
            message: self.echo.into_text(secrets),
            reasoning: echoed.unwrap_or_default(),
            calls: echoed_calls,
            ..Echo::default()
        };
        let answer = ModelAnswer {
            text: bounds::bounded_text(said, MAX_TAKEN_BYTES),
            reasoning: shown.map(|(text, _)| bounds::bounded_text(text, MAX_TAKEN_BYTES)),
            calls,
            finish_reason: self.finish_reason.map(|reason| secrets.clean_own(reason)),
            usage: self.usage,
            stated_cost: self.stated_cost,
            model: self.model.map(|model| secrets.clean_own(model)),
            doubt: None,
            echo: (!echo.is_empty()).then(|| Box::new(echo)),
            refusal: None,
            facts: Box::new(AnswerFacts {
                id: self.facts.id.map(|id| secrets.clean_own(id)),
                ..self.facts
            }),
        };
        match why {
            Some(why) => odd_ends::rejected_in_turn(answer, secrets.clean_own(why)),
            None => answer,
        }
    }

    /// What the model is told of its answer within the turn, if something is wrong with it.
    fn fault_for_model(&self) -> Option<String> {
        self.is_runaway().then(|| {
            let bytes = self.arrived.words.saturating_add(self.arrived.thoughts);
            odd_ends::runaway_text(bytes)
        })
    }
}

/// A text without the bytes at its end that brought nothing new.
fn without_end(mut text: String, bytes: usize) -> String {
    let kept = text.floor_char_boundary(text.len().saturating_sub(bytes));
    text.truncate(kept);
    text
}

/// The reasoning of a message, and where it stands. The first member that contains any counts. Blanks
/// count only if there is nothing else.
fn reasoning_of(members: [Option<&str>; 3], content: &str) -> (String, Option<ThoughtPlace>) {
    let (mut reasoning, mut found) = (String::new(), None);
    let places = MESSAGE_KEYS[3..].iter().copied().map(ThoughtPlace::Member);
    let texts = members.map(|json| json.map(text_of).unwrap_or_default());
    let texts = places.zip(texts);
    for (place, text) in texts.chain([(ThoughtPlace::Parts, thoughts_of(content))]) {
        if reasoning.trim().is_empty() && !text.is_empty() {
            (reasoning, found) = (text, Some(place));
        }
    }
    (reasoning, found)
}

#[cfg(test)]
mod tests;
