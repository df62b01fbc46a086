//! Reads an answer as it arrives, streamed or not, whatever was asked for.

use actors::domain::bounds::{MAX_ANSWER_BYTES, MAX_REFUSAL_BYTES, MAX_STREAM_BYTES};
use actors::domain::model::AnswerProgress;
use zoea_http::raw_json::{is_object, member};
use zoea_http::sse::{BYTE_ORDER_MARK, SseEvent, SseLine, SseLines};

use super::answer::ReceivedAnswer;
use super::novelty::NoveltyMeter;

/// The beginnings of lines of a server-sent event stream.
const FIELD_MARKS: [&[u8]; 6] = [b"data:", b"event:", b"error:", b"retry:", b"id:", b":"];

/// A longer answer in one piece, or in one line, is cut where nothing new comes. A shorter one ends
/// soon enough.
const MAX_UNWATCHED_BYTES: usize = 128 << 10;
/// What stands near the beginning of an answer, and of nothing else.
const ANSWER_MARK: &str = "\"choices\"";

pub(super) struct AnswerReader {
    form: BodyForm,
    /// A body that is not streamed, or the beginning of one whose form is not known yet.
    pending: Vec<u8>,
    /// The number of bytes received.
    taken: u64,
    /// How much is new in a body or a line that does not end.
    novelty: NoveltyMeter,
    is_endless: bool,
}

enum BodyForm {
    /// Too little has been received to tell.
    Unknown,
    Whole,
    /// A refusal. Its beginning suffices.
    Refusal,
    Pieces(Box<EventStream>),
}

pub(super) enum AnswerBody {
    /// A body that was not streamed.
    Whole(Vec<u8>),
    /// An assembled stream.
    Joined(Box<ReceivedAnswer>),
    /// A stream that ended too early, or of which a piece is missing, and how to say that.
    Cut(&'static str),
}

impl AnswerReader {
    pub(super) fn new() -> AnswerReader {
        AnswerReader::with_form(BodyForm::Unknown)
    }

    /// A reader for a body that is no answer. Its beginning is kept.
    pub(super) fn of_refusal() -> AnswerReader {
        AnswerReader::with_form(BodyForm::Refusal)
    }

    fn with_form(form: BodyForm) -> AnswerReader {
        AnswerReader {
            form,
            pending: Vec::new(),
            taken: 0,
            novelty: NoveltyMeter::default(),
            is_endless: false,
        }
    }

    /// Takes the next bytes of the body.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.taken = self.taken.saturating_add(bytes.len() as u64);
        if let BodyForm::Refusal = self.form {
            let room = MAX_REFUSAL_BYTES.saturating_sub(self.pending.len());
            self.pending
                .extend_from_slice(&bytes[..bytes.len().min(room)]);
            return Ok(());
        }
        self.pending.extend_from_slice(bytes);
        if let BodyForm::Unknown = self.form
            && let Some(form) = form_of(&self.pending)
        {
            self.form = form;
        }
        let mut kept_bytes = self.pending.len();
        if let BodyForm::Pieces(events) = &mut self.form {
            kept_bytes = events.take(&self.pending);
            self.pending.clear();
        }
        self.watch(bytes, kept_bytes);
        if kept_bytes > MAX_ANSWER_BYTES {
            return Err(format!(
                "the answer is longer than {MAX_ANSWER_BYTES} bytes"
            ));
        }
        if self.taken > MAX_STREAM_BYTES {
            return Err(format!(
                "the answer took more than {MAX_STREAM_BYTES} bytes"
            ));
        }
        Ok(())
    }

    /// Notices a body or a line of an answer in which nothing new comes.
    fn watch(&mut self, bytes: &[u8], kept_bytes: usize) {
        let kept = match &self.form {
            BodyForm::Whole => &self.pending[..],
            BodyForm::Pieces(events) if kept_bytes > MAX_UNWATCHED_BYTES / 2 => events.lines.kept(),
            BodyForm::Pieces(_) | BodyForm::Unknown | BodyForm::Refusal => return,
        };
        self.novelty.add(&String::from_utf8_lossy(bytes));
        if self.novelty.is_stale() && kept_bytes > MAX_UNWATCHED_BYTES {
            let beginning = &kept[..kept.len().min(MAX_REFUSAL_BYTES)];
            self.is_endless = String::from_utf8_lossy(beginning).contains(ANSWER_MARK);
        }
    }

    /// Whether the rest of the body is not needed: a refusal is long enough, or nothing new comes.
    pub(super) fn is_enough(&self) -> bool {
        match &self.form {
            BodyForm::Refusal => self.pending.len() >= MAX_REFUSAL_BYTES,
            BodyForm::Pieces(events) => self.is_endless || events.state.answer.is_runaway(),
            BodyForm::Whole | BodyForm::Unknown => self.is_endless,
        }
    }

    /// Whether the model has finished, and only figures can follow.
    pub(super) fn is_finished(&self) -> bool {
        self.stream()
            .is_some_and(|stream| stream.answer.is_finished())
    }

    /// Whether more of the answer may come although an end was named.
    pub(super) fn may_go_on(&self) -> bool {
        self.stream().is_some_and(|stream| stream.may_go_on)
    }

    /// The progress of the answer; zero if it is not streamed.
    pub(super) fn arrived(&self) -> AnswerProgress {
        let stream = self.stream();
        stream.map_or_else(AnswerProgress::default, |stream| stream.answer.arrived())
    }

    /// Whether the stream has ended. Some connections stay open after that.
    pub(super) fn is_over(&self) -> bool {
        self.stream().is_some_and(|stream| stream.is_over)
    }

    fn stream(&self) -> Option<&StreamState> {
        match &self.form {
            BodyForm::Pieces(events) => Some(&events.state),
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => None,
        }
    }

    pub(super) fn finish(self) -> AnswerBody {
        if self.is_endless && !is_object(&String::from_utf8_lossy(&self.pending)) {
            return AnswerBody::Joined(Box::new(ReceivedAnswer::endless(self.taken)));
        }
        let mut events = match self.form {
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => {
                return AnswerBody::Whole(self.pending);
            }
            BodyForm::Pieces(events) => events,
        };
        let state = &mut events.state;
        events.lines.finish(|line| state.take_line(line));
        let StreamState {
            answer,
            is_over,
            is_damaged,
            ..
        } = events.state;
        match is_over || answer.is_finished() || answer.is_runaway() {
            _ if is_damaged && !answer.is_runaway() => {
                AnswerBody::Cut("the answer's stream was damaged")
            }
            true => AnswerBody::Joined(Box::new(answer)),
            false => AnswerBody::Cut("the answer's stream was cut"),
        }
    }
}

/// The form of a body with this beginning; `None` if it cannot be told yet.
fn form_of(beginning: &[u8]) -> Option<BodyForm> {
    if beginning.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(beginning) {
        return None;
    }
    let text = beginning.strip_prefix(BYTE_ORDER_MARK);
    let text = text.unwrap_or(beginning).trim_ascii_start();
    if FIELD_MARKS.iter().any(|mark| text.starts_with(mark)) {
        return Some(BodyForm::Pieces(Box::default()));
    }
    let may_become_one = FIELD_MARKS.iter().any(|mark| mark.starts_with(text));
    (!may_become_one).then_some(BodyForm::Whole)
}

#[derive(Default)]
struct EventStream {
    lines: SseLines,
    state: StreamState,
}

impl EventStream {
    /// Takes bytes. Returns the number of bytes that wait for the rest of a line or event. The
    /// answer itself is bounded.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let state = &mut self.state;
        self.lines.take(bytes, |line| state.take_line(line));
        self.lines.kept_bytes() + self.state.event.data.len()
    }
}

/// The state after the lines of a stream so far.
#[derive(Default)]
struct StreamState {
    answer: ReceivedAnswer,
    is_over: bool,
    /// The current event. Its data is kept as long as it is not complete JSON.
    event: SseEvent,
    is_error: bool,
    /// Whether the last piece brought content with an end that may stand in each piece: there was no content
    /// before, or an end was named before it.
    may_go_on: bool,
    /// Whether a piece of the answer could not be read. The rest would be other words than the model's,
    /// or a call with other arguments.
    is_damaged: bool,
}

impl StreamState {
    fn take_line(&mut self, line: SseLine<'_>) {
        match line {
            SseLine::Field("data", data) => self.take_data(data),
            SseLine::Field("event", event) => self.is_error = event == "error",
            // llama.cpp used a field of its own for errors.
            SseLine::Field("error", error) if is_object(error) => self.answer.fail(error),
            SseLine::Field("error", error) => {
                let error = serde_json::Value::from(error).to_string();
                self.answer.fail(&error);
            }
            SseLine::Field(..) => {}
            SseLine::End => {
                self.end_event();
                self.is_error = false;
            }
        }
    }

    /// Takes a line of data. Some servers do not end events with an empty line, and some split an
    /// event's data into several lines.
    fn take_data(&mut self, data: &str) {
        if data == "[DONE]" {
            self.end_event();
            self.is_over = true;
        } else if self.take_json(data) {
            let event = std::mem::take(&mut self.event);
            self.give_up(&event.data);
        } else {
            self.event.add_data(data);
        }
    }

    fn end_event(&mut self) {
        let event = std::mem::take(&mut self.event);
        if !self.take_json(&event.data) {
            self.give_up(&event.data);
        }
    }

    /// Handles data that never became complete JSON. Words such as `OK` are no piece of the answer,
    /// and after its end only figures can be lost.
    fn give_up(&mut self, data: &str) {
        let is_piece = data.trim_start().starts_with('{');
        self.is_damaged |= is_piece && !self.is_over && !self.answer.is_finished();
    }

    fn take_json(&mut self, data: &str) -> bool {
        if !is_object(data) {
            return false;
        }
        let (before, was_finished) = (self.answer.arrived(), self.answer.is_finished());
        if self.is_error && member(data, "error").is_none() {
            self.answer.fail(data);
        } else {
            self.answer.add(data);
        }
        let is_more = self.answer.is_finished() && self.answer.arrived() != before;
        self.may_go_on = is_more && (was_finished || before == AnswerProgress::default());
        true
    }
}
