//! Questions of a server during a call (elicitation): on the stream of its answer, from a child
//! process, or in place of a result.

use std::collections::{BTreeMap, VecDeque};
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actors::domain::question::{Decision, Question, QuestionWants};
use actors::ports::Asker;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, RequestId, UrlElicitationCapability,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::McpFailure;
use super::message::RawResult;
use super::patience::CallClock;

pub(super) const ELICIT: &str = "elicitation/create";
/// The longest question in bytes. As a tree of values it is many times larger.
const MAX_QUESTION_BYTES: usize = 64 << 10;
/// The most questions of one call that wait at a time.
const MAX_WAITING: usize = 16;
const MAX_QUESTIONS: usize = 32;
/// The most times that a server may ask in place of a result.
pub(super) const MAX_ROUNDS: usize = 16;

#[derive(Clone)]
pub(super) struct QuestionDesk {
    asker: Option<Asker>,
    server: Arc<str>,
    taken: Arc<AtomicUsize>,
    pub(super) clock: Arc<CallClock>,
}

type WaitedAnswer = Pin<Box<dyn Future<Output = ElicitResult> + Send>>;

pub(super) enum TakenQuestion {
    /// The operator is asked, once this is polled.
    Put(WaitedAnswer),
    /// It is answered at once: nobody is there to ask.
    Declined,
    Refused(String),
}

impl QuestionDesk {
    pub(super) fn new(asker: Option<&Asker>, server: Arc<str>) -> QuestionDesk {
        QuestionDesk {
            asker: asker.cloned(),
            server,
            taken: Arc::default(),
            clock: Arc::default(),
        }
    }

    /// One for requests during which nobody is asked.
    pub(super) fn closed() -> QuestionDesk {
        QuestionDesk::new(None, "".into())
    }

    /// Whether the server has asked anything that is put to the operator.
    pub(super) fn has_asked(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > 0
    }

    pub(super) fn take(&self, params: &str) -> TakenQuestion {
        let Some(asker) = self.asker.clone() else {
            tracing::debug!("the server asked for input, and there is no operator to ask");
            return TakenQuestion::Declined;
        };
        if params.len() > MAX_QUESTION_BYTES {
            let kib = MAX_QUESTION_BYTES >> 10;
            return TakenQuestion::Refused(format!("the question is larger than {kib} KiB"));
        }
        let params: Value = serde_json::from_str(params).unwrap_or_default();
        let question = match Question::read(&self.server, &params) {
            Ok(question) => question,
            Err(why) => {
                return TakenQuestion::Refused(format!("zoea cannot ask this: {why}"));
            }
        };
        let is_form = matches!(question.wants, QuestionWants::Form(_));
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        if taken >= MAX_QUESTIONS {
            if taken == MAX_QUESTIONS {
                tracing::warn!(server = %self.server, "the server asks too much in one call");
            }
            return TakenQuestion::Declined;
        }
        let clock = self.clock.clone();
        TakenQuestion::Put(Box::pin(async move {
            let _open = clock.hold();
            elicit_result(asker.ask(question).await, is_form)
        }))
    }

    /// Answers what a server asks in place of a result, so that the call can be repeated. Returns
    /// whether there was such a thing.
    pub(super) async fn fill_in(
        &self,
        raw: &RawResult,
        params: &mut CallToolRequestParams,
    ) -> Result<bool, McpFailure> {
        let Some(wanted) = WantedInput::read(raw)? else {
            return Ok(false);
        };
        // The operator is asked for nothing where something else is wanted that cannot be given.
        let mut answers = Vec::new();
        for (key, request) in wanted.input_requests.unwrap_or_default() {
            let asked = request.params.map_or("null", RawValue::get);
            let taken = match request.method == ELICIT {
                true => self.take(asked),
                false => TakenQuestion::Refused(format!("{} was not offered", request.method)),
            };
            let answer: WaitedAnswer = match taken {
                TakenQuestion::Put(answer) => answer,
                TakenQuestion::Declined => Box::pin(ready(declined())),
                TakenQuestion::Refused(why) => {
                    let text = format!("the server asks for input that zoea cannot give: {why}");
                    return Err(McpFailure::Broken(text));
                }
            };
            answers.push((key, answer));
        }
        let mut responses = BTreeMap::new();
        for (key, answer) in answers {
            let answer = serde_json::to_value(answer.await).unwrap_or_default();
            responses.insert(key, answer);
        }
        params.input_responses = (!responses.is_empty()).then_some(responses);
        params.request_state = wanted.request_state;
        Ok(true)
    }
}

/// What a server wants to know before it carries a call out (SEP-2322).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WantedInput<'a> {
    #[serde(borrow, default)]
    input_requests: Option<BTreeMap<String, WantedRequest<'a>>>,
    #[serde(default)]
    request_state: Option<String>,
}

#[derive(Deserialize)]
struct WantedRequest<'a> {
    method: String,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

impl WantedInput<'_> {
    fn read(raw: &RawResult) -> Result<Option<WantedInput<'_>>, McpFailure> {
        if raw.kind().as_deref() != Some("input_required") {
            return Ok(None);
        }
        let wanted: WantedInput<'_> = raw.read("tools/call")?;
        let count = wanted.input_requests.as_ref().map_or(0, BTreeMap::len);
        if count > MAX_WAITING || (count == 0 && wanted.request_state.is_none()) {
            return Err(super::unexpected_answer("tools/call"));
        }
        Ok(Some(wanted))
    }
}

type AnsweredQuestion<'a> = Pin<Box<dyn Future<Output = Result<(), McpFailure>> + Send + 'a>>;

/// Questions on the streams of one call: the first is with the operator, the others wait for it.
#[derive(Default)]
pub(super) struct OpenQuestions<'a>(VecDeque<(RequestId, AnsweredQuestion<'a>)>);

impl<'a> OpenQuestions<'a> {
    pub(super) fn has_room(&self) -> bool {
        self.0.len() < MAX_WAITING
    }

    pub(super) fn push(&mut self, id: RequestId, answered: AnsweredQuestion<'a>) {
        self.0.push_back((id, answered));
    }

    /// Drops a question that the server takes back.
    pub(super) fn withdraw(&mut self, taken_back: &RequestId) {
        self.0.retain(|(id, _)| id != taken_back);
    }

    /// Waits for this while the operator is asked. Whoever waits for anything else during a call
    /// waits so, because the call's limit stands still for a question, and a question that nobody
    /// polls never ends. An answer that does not reach the server is a failure.
    pub(super) async fn meanwhile<T>(
        &mut self,
        other: impl Future<Output = T>,
    ) -> Result<T, McpFailure> {
        // Both are cancel-safe, or not used again.
        tokio::select! {
            done = other => Ok(done),
            failure = self.ask_all() => Err(failure),
        }
    }

    /// Asks one question after the other, for ever unless one fails. Cancel-safe.
    async fn ask_all(&mut self) -> McpFailure {
        while let Some((_, answered)) = self.0.front_mut() {
            let answered = answered.await;
            self.0.pop_front();
            if let Err(failure) = answered {
                return failure;
            }
        }
        std::future::pending().await
    }
}

/// What the server gets where nobody is asked.
pub(super) fn declined() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Decline)
}

/// What the server gets where a question ends without a decision.
pub(super) fn cancelled() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Cancel)
}

fn elicit_result(decision: Decision, is_form: bool) -> ElicitResult {
    match decision {
        Decision::Accept(values) => {
            let accepted = ElicitResult::new(ElicitationAction::Accept);
            match is_form {
                true => accepted.with_content(Value::Object(values.0)),
                false => accepted,
            }
        }
        Decision::Decline => declined(),
        Decision::Cancel => cancelled(),
    }
}

/// A server that asks in place of a result again and again.
pub(super) fn endless_questions() -> McpFailure {
    McpFailure::Broken(format!(
        "the server asked for input {MAX_ROUNDS} times and gave no result"
    ))
}

pub(super) fn with_questions(mut capabilities: ClientCapabilities) -> ClientCapabilities {
    let elicitation = ElicitationCapability::new()
        .with_form(FormElicitationCapability::new())
        .with_url(UrlElicitationCapability::new());
    capabilities.elicitation = Some(elicitation);
    capabilities
}
