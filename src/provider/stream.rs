//! Streams: reading an answer as it arrives, in one piece or in many, asked for or not.

use actors::domain::bounds::{MAX_ANSWER_BYTES, MAX_REFUSAL_BYTES, MAX_STREAM_BYTES};
use actors::domain::model::AnswerProgress;

use super::deltas::Answer;
use super::json::{is_object, member};

/// What some texts begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What the lines of a stream of events begin with.
const FIELD_MARKS: [&[u8]; 6] = [b"data:", b"event:", b"error:", b"retry:", b"id:", b":"];

/// Reads one body, however it is cut into parts on its way.
pub(super) struct AnswerReader {
    form: BodyForm,
    /// A body in one piece, or the line of a stream that has not ended yet.
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
    Joined {
        /// The answer as it would have come in one piece.
        answer: String,
        /// Whether it says what it cost.
        has_usage: bool,
    },
    /// Pieces, of which some are missing.
    Cut,
}

impl AnswerReader {
    /// For a body that may be a stream.
    pub(super) fn new() -> AnswerReader {
        AnswerReader {
            form: BodyForm::Unknown,
            pending: Vec::new(),
            taken: 0,
        }
    }

    /// For a body that is no answer: its beginning is kept as it comes.
    pub(super) fn of_refusal() -> AnswerReader {
        AnswerReader {
            form: BodyForm::Refusal,
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
        let mut fresh = self.pending.len();
        self.pending.extend_from_slice(bytes);
        if let BodyForm::Unknown = self.form
            && let Some(form) = form_of(&self.pending)
        {
            self.form = form;
            fresh = 0;
        }
        let mut kept = 0;
        if let BodyForm::Pieces(events) = &mut self.form {
            events.take(&mut self.pending, fresh);
            kept = events.kept_bytes();
        }
        if self.pending.len() + kept > MAX_ANSWER_BYTES {
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
        match &self.form {
            BodyForm::Pieces(events) => events.answer.is_finished(),
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => false,
        }
    }

    /// How much of the answer is there; nothing of one that comes in one piece.
    pub(super) fn arrived(&self) -> AnswerProgress {
        match &self.form {
            BodyForm::Pieces(events) => events.answer.arrived(),
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => AnswerProgress::default(),
        }
    }

    /// Whether the stream has said that it is over. Some connections stay open after that.
    pub(super) fn is_over(&self) -> bool {
        match &self.form {
            BodyForm::Pieces(events) => events.is_over,
            BodyForm::Unknown | BodyForm::Whole | BodyForm::Refusal => false,
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
        events.take_line(&self.pending);
        events.take_line(b"");
        let EventStream {
            answer, is_over, ..
        } = *events;
        if !is_over && !answer.is_finished() {
            return AnswerBody::Cut;
        }
        let has_usage = answer.has_usage();
        // What is kept are texts, which can always be written.
        let answer = answer.whole().unwrap_or_default();
        AnswerBody::Joined { answer, has_usage }
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
    answer: Answer,
    is_over: bool,
    /// Data of the event under way that means nothing yet.
    data: String,
    is_error: bool,
}

impl EventStream {
    /// Takes all lines that have ended; before `fresh` there is no end of a line.
    fn take(&mut self, pending: &mut Vec<u8>, fresh: usize) {
        let mut begin = 0;
        let mut search = fresh;
        while let Some(end) = pending[search..].iter().position(|byte| *byte == b'\n') {
            let end = search + end;
            self.take_line(&pending[begin..end]);
            begin = end + 1;
            search = begin;
        }
        pending.drain(..begin);
    }

    fn kept_bytes(&self) -> usize {
        // Of the answer itself only so much is kept.
        self.data.len()
    }

    fn take_line(&mut self, line: &[u8]) {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(data) = line.strip_prefix("data:") {
            return self.take_data(data.trim());
        }
        if let Some(event) = line.strip_prefix("event:") {
            self.is_error = event.trim() == "error";
        }
        // llama.cpp had a field of its own for it.
        if let Some(error) = line.strip_prefix("error:") {
            let error = error.trim();
            if is_object(error) {
                self.answer.fail(error);
            } else {
                self.answer
                    .fail(&serde_json::Value::from(error).to_string());
            }
        }
    }

    /// Not everybody ends an event with an empty line, and some cut its data into several.
    fn take_data(&mut self, data: &str) {
        if data == "[DONE]" {
            self.is_over = true;
            return;
        }
        if self.take_json(data) {
            self.data.clear();
            return;
        }
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data += data;
    }

    fn end_event(&mut self) {
        let data = std::mem::take(&mut self.data);
        if !data.is_empty() {
            self.take_json(&data);
        }
        self.is_error = false;
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
