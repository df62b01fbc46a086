//! Assembles a model server's answer, whether it is streamed or not. The answer is parsed once and
//! never written out in between.

use std::time::SystemTime;

use actors::domain::bounds::{
    self, MAX_ANSWER_BYTES, MAX_ARGUMENTS_BYTES, MAX_NAME_BYTES, MAX_REFUSAL_BYTES, MAX_TAKEN_BYTES,
};
use actors::domain::model::{
    AnswerFacts, AnswerProgress, Echo, ModelAnswer, ModelFault, RequestedCall, TokenUsage,
};
use actors::domain::redact::Redactor;
use zoea_http::raw_json::{as_text, first_element, for_each_element, member, member_at, pick};

use super::bounded_text::BoundedText;
use super::content::{
    arguments_text, note_usage_details, parse_usage, text_of, thoughts_of, without_thoughts,
};
use super::echo::{ReceivedEcho, reasoning_text};
use super::failure::EMPTY_BODY;
use super::refusal::Refusal;
use super::waits::HeaderWaits;

/// The most calls of an answer that are read. They are more than are made, so that the operator
/// learns of the excess.
const MAX_CALLS_READ: usize = 16 * bounds::MAX_CALLS;
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

/// An answer as far as it has been received.
#[derive(Debug, Default)]
pub(super) struct ReceivedAnswer {
    content: BoundedText,
    reasoning: BoundedText,
    /// The member in which the reasoning came.
    reasoning_key: Option<&'static str>,
    echo: ReceivedEcho,
    /// Calls by their index, in the order in which they began.
    calls: Vec<(u64, ReceivedCall)>,
    /// The bytes of all calls' arguments that are kept.
    arguments_bytes: usize,
    finish_reason: Option<String>,
    usage: Option<TokenUsage>,
    model: Option<String>,
    facts: AnswerFacts,
    refusal: Option<EmbeddedRefusal>,
    has_choice: bool,
    /// Whether the content began with reasoning that has not ended yet.
    is_in_thought: bool,
    arrived: AnswerProgress,
}

#[derive(Debug, Default)]
struct ReceivedCall {
    id: String,
    name: String,
    arguments: BoundedText,
    echo: ReceivedEcho,
}

/// An error inside of an answer with status 200, which some servers send.
#[derive(Debug)]
struct EmbeddedRefusal {
    status: u16,
    body: String,
}

/// The form of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessageForm {
    /// A complete message.
    Whole,
    /// A part of a streamed message.
    Delta,
}

impl ReceivedAnswer {
    /// An answer that was not streamed.
    pub(super) fn from_body(body: &str) -> ReceivedAnswer {
        let mut answer = ReceivedAnswer::default();
        // Some errors are lists with one element.
        answer.add(first_element(body).unwrap_or(body));
        answer
    }

    /// The progress of the answer in bytes.
    pub(super) fn arrived(&self) -> AnswerProgress {
        self.arrived
    }

    /// Whether the server said that the answer ends, or that there will be none.
    pub(super) fn is_finished(&self) -> bool {
        self.finish_reason.is_some() || self.refusal.is_some()
    }

    /// Whether the server reported the usage.
    pub(super) fn has_usage(&self) -> bool {
        self.usage.is_some()
    }

    /// Takes an error that ends the answer. It is JSON.
    pub(super) fn fail(&mut self, error: &str) {
        self.refuse(error, &format!("{{\"error\":{error}}}"));
    }

    /// Takes an error from a body. The operator is shown the server's message.
    fn refuse(&mut self, error: &str, body: &str) {
        let code = |key| {
            let code = member(error, key).and_then(|code| code.trim_matches('"').parse().ok());
            code.filter(|code: &u16| (400..600).contains(code))
        };
        let codes = ["code", "status", "status_code"];
        let shown = if body.len() > MAX_REFUSAL_BYTES {
            &error[..error.floor_char_boundary(MAX_REFUSAL_BYTES)]
        } else {
            body
        };
        self.refusal = Some(EmbeddedRefusal {
            status: codes.into_iter().find_map(code).unwrap_or(500),
            body: shown.to_string(),
        });
    }

    /// Takes the data of an event, or a whole body.
    pub(super) fn add(&mut self, chunk: &str) {
        let [error, usage, model, choices, id] =
            pick(chunk, ["error", "usage", "model", "choices", "id"]);
        if let Some(error) = error {
            self.refuse(error, chunk);
        }
        if let Some(usage) = usage {
            note_usage_details(usage, &mut self.facts);
        }
        let of_groq = || member_at(chunk, &["x_groq", "usage"]).and_then(parse_usage);
        let usage = usage.and_then(parse_usage).or_else(of_groq);
        self.usage = usage.or(self.usage);
        if self.facts.id.is_none() {
            self.facts.id = id.and_then(as_text).map(bounds::bounded_name);
        }
        if let Some(model) = model.and_then(as_text) {
            self.model = Some(bounds::bounded_name(model));
        }
        let Some(choice) = choices.and_then(first_element) else {
            return;
        };
        self.has_choice = true;
        let [finish_reason, delta, message, usage] =
            pick(choice, ["finish_reason", "delta", "message", "usage"]);
        self.usage = self.usage.or_else(|| usage.and_then(parse_usage));
        let finish_reason = finish_reason.and_then(as_text).map(bounds::bounded_name);
        if let Some(reason) = finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason);
        }
        if let Some(delta) = delta {
            self.add_message(delta, MessageForm::Delta);
        }
        // Some servers end with the complete message, even after they have sent it in parts.
        if let Some(message) = message
            && self.arrived == AnswerProgress::default()
        {
            self.add_message(message, MessageForm::Whole);
        }
    }

    fn add_message(&mut self, message: &str, form: MessageForm) {
        let max_bytes = match form {
            // A complete message is cut later, when reasoning and text are separated.
            MessageForm::Whole => MAX_ANSWER_BYTES,
            MessageForm::Delta => MAX_TAKEN_BYTES,
        };
        let [content, listed, old_call, thoughts @ ..] = pick(message, MESSAGE_KEYS);
        let content = content.unwrap_or("null");
        // The first member that contains any reasoning counts. Blanks count only if there is
        // nothing else.
        let mut reasoning = String::new();
        let keys = MESSAGE_KEYS[3..].iter().map(|key| Some(*key));
        let thoughts = thoughts.map(|json| json.map(text_of).unwrap_or_default());
        let thoughts = keys.zip(thoughts);
        for (key, text) in thoughts.chain([(None, thoughts_of(content))]) {
            if reasoning.trim().is_empty() && !text.is_empty() {
                reasoning = text;
                self.reasoning_key = key;
            }
        }
        self.echo.add(message);
        self.reasoning.add_within(&reasoning, max_bytes);
        self.arrived.thoughts += reasoning.len() as u64;
        self.add_content(&text_of(content), max_bytes);
        let mut count = 0;
        for_each_element(listed.unwrap_or("[]"), |call| {
            self.add_call(call, form);
            count += 1;
            count < MAX_CALLS_READ
        });
        if let Some(call) = old_call.filter(|call| call.starts_with('{'))
            && count == 0
        {
            self.add_call(call, form);
        }
    }

    /// Appends content. Models that write their reasoning into the content are thinking until an
    /// end tag.
    fn add_content(&mut self, piece: &str, max_bytes: usize) {
        const BEGINS: &str = "<think";
        const ENDS: &str = "</think";
        if piece.is_empty() {
            return;
        }
        let known = self.content.text.len();
        self.content.add_within(piece, max_bytes);
        let content = &self.content.text;
        let opening = content.trim_start();
        if known < BEGINS.len() + (content.len() - opening.len()) {
            self.is_in_thought = opening.starts_with(BEGINS) || BEGINS.starts_with(opening);
        }
        let bytes = piece.len() as u64;
        if self.is_in_thought {
            self.arrived.thoughts += bytes;
            // The end tag may have arrived in two parts.
            let tail = content.floor_char_boundary(known.saturating_sub(ENDS.len()));
            self.is_in_thought = !content[tail..].contains(ENDS);
        } else {
            self.arrived.words += bytes;
        }
    }

    fn add_call(&mut self, json: &str, form: MessageForm) {
        let [index, id, function] = pick(json, ["index", "id", "function"]);
        let [name, written] = pick(function.unwrap_or(json), ["name", "arguments"]);
        let text = |json: Option<&str>| json.and_then(as_text).unwrap_or_default();
        let (id, name) = (
            bounds::bounded_id(text(id)),
            bounds::bounded_name(text(name)),
        );
        let (index, known) = match form {
            MessageForm::Whole => (self.calls.len() as u64, None),
            MessageForm::Delta => {
                let index = index.and_then(|index| index.parse().ok());
                self.find_call(index, &id, &name)
            }
        };
        let arguments = match (written, form) {
            (Some(written), _) => arguments_text(written),
            (None, MessageForm::Whole) => "{}".to_string(),
            (None, MessageForm::Delta) => String::new(),
        };
        self.arrived.words += (name.len() + arguments.len()) as u64;
        if known.is_none() && self.calls.len() >= MAX_CALLS_READ {
            return;
        }
        let place = known.unwrap_or_else(|| {
            self.calls.push((index, ReceivedCall::default()));
            self.calls.len() - 1
        });
        let call = &mut self.calls[place].1;
        call.echo.add(json);
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name != name && call.name.len() <= MAX_NAME_BYTES {
            call.name += &name;
        }
        let kept_elsewhere = self.arguments_bytes - call.arguments.text.len();
        let room = MAX_ARGUMENTS_BYTES.saturating_sub(self.arguments_bytes);
        call.arguments.add_all_or_none(&arguments, room);
        self.arguments_bytes = kept_elsewhere + call.arguments.text.len();
    }

    /// The index of the call to which a part belongs, and its position if it has begun. With an
    /// index, it is the newest call of that index. Without one, a part with an id or a name begins
    /// a call, and any other part continues the last one.
    fn find_call(&self, index: Option<u64>, id: &str, name: &str) -> (u64, Option<usize>) {
        let begins = !id.is_empty() || !name.is_empty();
        let last = self.calls.last().map(|(index, _)| *index);
        let index = index.unwrap_or(match last {
            None => 0,
            Some(last) if begins => last.saturating_add(1),
            Some(last) => last,
        });
        let known = self.calls.iter().rposition(|(known, _)| *known == index);
        // Some servers give all calls the same index.
        let known = known.filter(|place| {
            let is_another = self.calls[*place].1.id != id && !self.calls[*place].1.id.is_empty();
            !(is_another && !id.is_empty() && !name.is_empty())
        });
        (index, known)
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
        // An error about the limit that ended the answer takes nothing away from it.
        let is_cut = self.finish_reason.as_deref() == Some("length");
        if let Some(refusal) = self.refusal.as_ref().filter(|_| !is_cut) {
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
        let broken = ["network_error", "error"];
        let reason = self.finish_reason.as_deref();
        let reason = reason.filter(|reason| broken.contains(reason))?;
        Some(Err(ModelFault::Transient {
            text: format!("the server ended its answer with `{reason}`"),
            retry_after: None,
        }))
    }

    fn into_complete_answer(self, secrets: &Redactor) -> ModelAnswer {
        let (said, thought) = without_thoughts(&secrets.clean(&self.content.noted()));
        let has_all = self.reasoning.left_out == 0;
        let reasoning = Some(secrets.clean_own(self.reasoning.noted()));
        let echoed = self
            .reasoning_key
            .filter(|_| has_all)
            .zip(reasoning.as_deref());
        let echoed = echoed.map(|(key, text)| reasoning_text(key, text));
        let mut echo = Echo {
            message: self.echo.into_text(secrets),
            reasoning: echoed.unwrap_or_default(),
            ..Echo::default()
        };
        let reasoning = reasoning.filter(|text| !text.trim().is_empty()).or(thought);
        let mut calls = Vec::with_capacity(self.calls.len());
        for (_, call) in self.calls {
            echo.calls.push(call.echo.into_text(secrets));
            calls.push(RequestedCall {
                id: secrets.clean_own(call.id),
                name: secrets.clean_own(bounds::bounded_name(call.name)),
                arguments: match call.arguments.left_out {
                    0 => secrets.clean_own(call.arguments.text),
                    bytes => bounds::no_arguments(bytes),
                },
            });
        }
        ModelAnswer {
            text: bounds::bounded_text(said, MAX_TAKEN_BYTES),
            reasoning: reasoning.map(|text| bounds::bounded_text(text, MAX_TAKEN_BYTES)),
            calls,
            finish_reason: self.finish_reason.map(|reason| secrets.clean_own(reason)),
            usage: self.usage,
            model: self.model.map(|model| secrets.clean_own(model)),
            doubt: None,
            echo: (!echo.is_empty()).then(|| Box::new(echo)),
            refusal: None,
            facts: Box::new(AnswerFacts {
                id: self.facts.id.map(|id| secrets.clean_own(id)),
                ..self.facts
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(body: &str) -> Result<ModelAnswer, ModelFault> {
        ReceivedAnswer::from_body(body).into_model_answer(&Redactor::default())
    }

    fn answer(message: Value) -> ModelAnswer {
        let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        read(&body.to_string()).unwrap()
    }

    #[test]
    fn content_is_read_as_text_null_or_parts() {
        assert_eq!(answer(json!({"content": "hi"})).text, "hi");
        assert_eq!(answer(json!({"content": null})).text, "");
        let parts = json!({"content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"]});
        assert_eq!(answer(parts).text, "ab");
    }

    #[test]
    fn reasoning_is_found_wherever_it_stands() {
        for message in [
            json!({"content": "hi", "reasoning_content": "why"}),
            json!({"content": "hi", "reasoning": "why"}),
            json!({"content": "hi", "reasoning_content": "why", "reasoning": "why"}),
            json!({"content": "<think>why</think>\n\nhi"}),
            json!({"content": "why</think>hi"}),
        ] {
            let answer = answer(message);
            assert_eq!(answer.text, "hi");
            assert_eq!(answer.reasoning.as_deref(), Some("why"));
        }
        let cut = answer(json!({"content": "<think>on and on"}));
        assert_eq!(
            (cut.text.as_str(), cut.reasoning.as_deref()),
            ("", Some("on and on"))
        );
    }

    #[test]
    fn calls_are_kept_letter_for_letter_also_odd_ones() {
        let calls = answer(json!({"content": null, "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "mine", "arguments": "{\"a\":1}"}},
            {"function": {"name": "game<|channel|>x", "arguments": {"a": 1}}},
            {"id": null, "function": {"name": null}},
            "nonsense",
        ]}))
        .calls;
        let call = |id: &str, name: &str, arguments: &str| RequestedCall {
            id: id.to_string(),
            name: name.to_string(),
            arguments: arguments.to_string(),
        };
        assert_eq!(
            calls,
            [
                call("x", "mine", "{\"a\":1}"),
                call("", "game<|channel|>x", "{\"a\":1}"),
                call("", "", "{}"),
                call("", "", "{}"),
            ]
        );
    }

    #[test]
    fn a_secret_is_found_though_it_came_in_several_pieces() {
        let secrets = Redactor::new(["sesame-4711".into()]);
        let call = |arguments: &str| json!([{"index": 0, "function": {"arguments": arguments}}]);
        let mut answer = ReceivedAnswer::default();
        for (text, arguments) in [("say sesa", "{\"key\":\"ses"), ("me-4711!", "ame-4711\"}")] {
            let delta = json!({"content": text, "reasoning": text, "tool_calls": call(arguments)});
            answer.add(&json!({"choices": [{"delta": delta}]}).to_string());
        }
        let answer = answer.into_model_answer(&secrets).unwrap();
        assert_eq!(answer.text, "say [redacted]!");
        assert_eq!(answer.reasoning.as_deref(), Some("say [redacted]!"));
        assert_eq!(answer.calls[0].arguments, "{\"key\":\"[redacted]\"}");
        let refused = r#"{"error": {"message": "no such key: sesame-4711"}}"#;
        let fault = ReceivedAnswer::from_body(refused).into_model_answer(&secrets);
        let text = fault.unwrap_err().text().to_string();
        assert_eq!(text, "HTTP 500: no such key: [redacted]");
    }

    #[test]
    fn usage_may_be_absent_null_or_odd() {
        let usage_of = |value: Value| {
            let body = json!({"choices": [{"message": {}}], "usage": value});
            read(&body.to_string()).unwrap().usage
        };
        assert_eq!(usage_of(Value::Null), None);
        assert_eq!(usage_of(json!({})), None);
        assert_eq!(usage_of(json!("many")), None);
        assert_eq!(
            usage_of(json!({"prompt_tokens": 7, "completion_tokens": null,
                "prompt_tokens_details": {"cached_tokens": 3}})),
            Some(TokenUsage {
                input: 7,
                output: 0,
                cached: 3
            })
        );
    }

    #[test]
    fn an_answer_without_a_choice_and_an_error_in_disguise_are_faults() {
        for body in [json!({}), json!({"choices": []}), json!([]), json!(null)] {
            assert!(matches!(
                read(&body.to_string()),
                Err(ModelFault::Empty { .. })
            ));
        }
        let denied = json!({"error": {"message": "no credit", "code": 401}});
        assert!(matches!(
            read(&denied.to_string()),
            Err(ModelFault::Permanent { .. })
        ));
        let busy = json!({"error": {"message": "busy"}, "choices": []});
        assert!(matches!(
            read(&busy.to_string()),
            Err(ModelFault::Transient { .. })
        ));
    }

    #[test]
    fn usage_of_any_size_is_a_number() {
        let input = |told: &str| {
            let body = format!(r#"{{"choices": [{{}}], "usage": {{"prompt_tokens": {told}}}}}"#);
            read(&body).unwrap().usage.map(|usage| usage.input)
        };
        for (told, read) in [
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("1e300", Some(u64::MAX)),
            ("\"36893488147419103232\"", Some(u64::MAX)),
            ("12.0", Some(12)),
            ("12.5", None),
            ("-1", None),
            ("-1e300", None),
            ("\"NaN\"", None),
        ] {
            assert_eq!(input(told), read, "{told}");
        }
    }

    #[test]
    fn of_an_endless_answer_the_beginning_is_kept_and_told() {
        let long = "ore ".repeat(1 << 20);
        let call = json!({"id": long, "function": {"name": long, "arguments": long}});
        let message = json!({
            "content": long,
            "reasoning": long,
            "tool_calls": vec![call; 3],
        });
        let answer = answer(message);
        let reasoning = answer.reasoning.expect("there is some");
        for kept in [answer.text.len(), reasoning.len()] {
            assert!(
                (MAX_TAKEN_BYTES / 2..=MAX_TAKEN_BYTES).contains(&kept),
                "{kept}"
            );
        }
        assert!(answer.text.ends_with("of 4194304 bytes are not kept]"));
        for call in &answer.calls {
            assert_eq!(
                (&*call.id, &*call.name),
                ("[no id: 4194304 bytes]", "[no name: 4194304 bytes]")
            );
            assert!(
                call.arguments.starts_with("[no arguments: "),
                "{}",
                call.arguments
            );
        }
        let many = vec![json!({}); 5 * MAX_CALLS_READ];
        let many = self::answer(json!({"tool_calls": many}));
        assert_eq!(many.calls.len(), MAX_CALLS_READ);
    }
}
