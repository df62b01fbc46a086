//! Streams: reading an answer as it arrives, in one piece or in many, asked for or not.

use actors::domain::bounds::{MAX_ANSWER_BYTES, MAX_REFUSAL_BYTES, MAX_STREAM_BYTES};
use actors::domain::model::AnswerProgress;
use zoea_http::raw_json::{is_object, member};
use zoea_http::sse::{BYTE_ORDER_MARK, SseEvent, SseLine, SseLines};

use super::answer::ReceivedAnswer;

/// What the lines of a stream of events begin with.
const FIELD_MARKS: [&[u8]; 6] = [b"data:", b"event:", b"error:", b"retry:", b"id:", b":"];

/// Reads one body, however it is cut into parts on its way.
pub(super) struct AnswerReader {
    form: BodyForm,
    /// A body in one piece, or the beginning of one of which too little is there.
    pending: Vec<u8>,
    /// Bytes that came.
    taken: u64,
}

enum BodyForm {
    /// Too little is there to know.
    Unknown,
    Whole,
    /// A refusal, of which the beginning will do.
    Refusal,
    Pieces(Box<EventStream>),
}

/// What a body was.
pub(super) enum AnswerBody {
    /// One piece.
    Whole(Vec<u8>),
    /// Pieces, put together.
    Joined(Box<ReceivedAnswer>),
    /// Pieces, of which some are missing.
    Cut,
}

impl AnswerReader {
    /// For a body that may be a stream.
    pub(super) fn new() -> AnswerReader {
        AnswerReader::with_form(BodyForm::Unknown)
    }

    /// For a body that is no answer: its beginning is kept as it comes.
    pub(super) fn of_refusal() -> AnswerReader {
        AnswerReader::with_form(BodyForm::Refusal)
    }

    fn with_form(form: BodyForm) -> AnswerReader {
        AnswerReader {
            form,
            pending: Vec::new(),
            taken: 0,
        }
    }

    /// Takes the next part of the body.
    ///
    /// # Errors
    /// There is more than anybody could want to keep.
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

    /// Whether the rest of the body is of no use.
    pub(super) fn is_enough(&self) -> bool {
        matches!(self.form, BodyForm::Refusal) && self.pending.len() >= MAX_REFUSAL_BYTES
    }

    /// Whether the model has finished, and only figures can follow.
    pub(super) fn is_finished(&self) -> bool {
        self.stream()
            .is_some_and(|stream| stream.answer.is_finished())
    }

    /// How much of the answer is there; nothing of one that comes in one piece.
    pub(super) fn arrived(&self) -> AnswerProgress {
        let stream = self.stream();
        stream.map_or_else(AnswerProgress::default, |stream| stream.answer.arrived())
    }

    /// Whether the stream has said that it is over. Some connections stay open after that.
    pub(super) fn is_over(&self) -> bool {
        self.stream().is_some_and(|stream| stream.is_over)
    }

    fn stream(&self) -> Option<&StreamState> {
        match &self.form {
            BodyForm::Pieces(events) => Some(&events.state),
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => None,
        }
    }

    /// What it was, now that nothing more comes.
    pub(super) fn finish(self) -> AnswerBody {
        let mut events = match self.form {
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => {
                return AnswerBody::Whole(self.pending);
            }
            BodyForm::Pieces(events) => events,
        };
        let state = &mut events.state;
        events.lines.finish(|line| state.take_line(line));
        let StreamState {
            answer, is_over, ..
        } = events.state;
        match is_over || answer.is_finished() {
            true => AnswerBody::Joined(Box::new(answer)),
            false => AnswerBody::Cut,
        }
    }
}

/// Which form a body that begins like this has; `None` until that can be told.
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

/// A stream of events as far as it has come.
#[derive(Default)]
struct EventStream {
    lines: SseLines,
    state: StreamState,
}

impl EventStream {
    /// Takes what came; how many bytes are kept that mean nothing yet. Of the answer itself only so
    /// much is kept.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let state = &mut self.state;
        self.lines.take(bytes, |line| state.take_line(line));
        self.lines.kept_bytes() + self.state.event.data.len()
    }
}

/// What the lines of a stream have said.
#[derive(Default)]
struct StreamState {
    answer: ReceivedAnswer,
    is_over: bool,
    /// The event under way: its data as long as that means nothing.
    event: SseEvent,
    is_error: bool,
}

impl StreamState {
    fn take_line(&mut self, line: SseLine<'_>) {
        match line {
            SseLine::Field("data", data) => self.take_data(data),
            SseLine::Field("event", event) => self.is_error = event == "error",
            // llama.cpp had a field of its own for it.
            SseLine::Field("error", error) if is_object(error) => self.answer.fail(error),
            SseLine::Field("error", error) => {
                let error = serde_json::Value::from(error).to_string();
                self.answer.fail(&error);
            }
            SseLine::Field(..) => {}
            SseLine::End => {
                let event = std::mem::take(&mut self.event);
                self.take_json(&event.data);
                self.is_error = false;
            }
        }
    }

    /// Not everybody ends an event with an empty line, and some cut its data into several.
    fn take_data(&mut self, data: &str) {
        if data == "[DONE]" {
            self.is_over = true;
        } else if self.take_json(data) {
            self.event.data.clear();
        } else {
            self.event.add_data(data);
        }
    }

    fn take_json(&mut self, data: &str) -> bool {
        if !is_object(data) {
            return false;
        }
        if self.is_error && member(data, "error").is_none() {
            self.answer.fail(data);
        } else {
            self.answer.add(data);
        }
        true
    }
}
