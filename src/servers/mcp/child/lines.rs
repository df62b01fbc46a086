//! Bounds what a child process sends, line by line, before anything is parsed.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::received::EndedReading;
use super::task_only::TaskOnlyTools;
use crate::MAX_ANSWER_BYTES;
use crate::pace::{Paced, RequestPace};

/// The most values of one message. A parsed value takes many times the memory of its text.
const MAX_VALUES: usize = 128 << 10;

/// The lines in a row, and a second from then on. A server that sends more is ended.
const LINES: RequestPace = RequestPace::new(10_000, 1000);
/// The bytes in a row, and a second from then on. What is more is read later.
const BYTES: RequestPace = RequestPace::new(4 * MAX_ANSWER_BYTES as u64, MAX_ANSWER_BYTES as u64);

/// The output of a process, which ends with an error where a line is too long or would become too
/// many values, and where too many lines come.
pub(super) struct BoundedLines<R> {
    output: R,
    line: LineSize,
    text: Vec<u8>,
    task_only: TaskOnlyTools,
    lines: Paced,
    bytes: Paced,
    /// Nothing is read before this.
    pause: Option<Pin<Box<Sleep>>>,
    ended_reading: EndedReading,
}

#[derive(Default)]
struct LineSize {
    bytes: usize,
    values: usize,
    is_in_text: bool,
    is_escaped: bool,
}

impl<R> BoundedLines<R> {
    /// The lines of this output, which is unheard where they are too much.
    pub(super) fn new(
        output: R,
        ended_reading: EndedReading,
        task_only: TaskOnlyTools,
    ) -> BoundedLines<R> {
        let now = Instant::now();
        BoundedLines {
            output,
            line: LineSize::default(),
            text: Vec::new(),
            task_only,
            lines: LINES.begin(now),
            bytes: BYTES.begin(now),
            pause: None,
            ended_reading,
        }
    }

    /// Counts what was read. Returns why it is too much.
    fn count(&mut self, read: &[u8]) -> Result<(), &'static str> {
        let now = Instant::now();
        let pause = self.bytes.count(read.len(), now);
        if !pause.is_zero() {
            self.pause = Some(Box::pin(tokio::time::sleep(pause)));
        }
        if !read.iter().all(|byte| self.line.take(*byte)) {
            return Err("the server sent a message larger than is read");
        }
        self.pass_on(read);
        let lines = read.iter().filter(|byte| **byte == b'\n').count();
        match self.lines.count(lines, now).is_zero() {
            true => Ok(()),
            false => Err("the server sent more than 1000 messages a second"),
        }
    }

    fn pass_on(&mut self, read: &[u8]) {
        let mut pieces = read.split(|byte| *byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.text.extend_from_slice(piece);
            self.task_only.on_line(&std::mem::take(&mut self.text));
        }
        self.text.extend_from_slice(last);
    }
}

impl LineSize {
    /// Takes the next byte. Returns false if the line is too large with it.
    fn take(&mut self, byte: u8) -> bool {
        if byte == b'\n' {
            *self = LineSize::default();
            return true;
        }
        self.bytes += 1;
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_in_text => self.is_escaped = true,
            b'"' => self.is_in_text = !self.is_in_text,
            // A value follows each of these, a key aside.
            b'[' | b'{' | b',' if !self.is_in_text => self.values += 1,
            _ => {}
        }
        self.bytes <= MAX_ANSWER_BYTES && self.values <= MAX_VALUES
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(pause) = &mut this.pause {
            ready!(pause.as_mut().poll(context));
            this.pause = None;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.output).poll_read(context, buffer))?;
        let Err(why) = this.count(&buffer.filled()[before..]) else {
            return Poll::Ready(Ok(()));
        };
        this.ended_reading.end(why);
        // Nothing counts as read where there is an error.
        buffer.set_filled(before);
        Poll::Ready(Err(io::Error::other(why)))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio_util::sync::CancellationToken;

    use super::*;

    async fn is_read(text: String) -> bool {
        let mut read = Vec::new();
        let ended_reading = EndedReading::new(CancellationToken::new(), None);
        let mut lines = BoundedLines::new(text.as_bytes(), ended_reading, TaskOnlyTools::default());
        lines.read_to_end(&mut read).await.is_ok()
    }

    #[tokio::test]
    async fn a_line_is_read_up_to_its_bounds_and_the_next_one_begins_anew() {
        let long = "x".repeat(MAX_ANSWER_BYTES);
        assert!(is_read(format!("{long}\n{long}\n")).await);
        assert!(!is_read(format!("{long}x\n")).await);
        let many = "[".repeat(MAX_VALUES);
        assert!(is_read(format!("{many}\n{many}")).await);
        assert!(!is_read(format!("{many},")).await);
    }

    #[tokio::test]
    async fn what_stands_in_a_text_is_no_value() {
        let commas = ",".repeat(MAX_VALUES + 1);
        assert!(is_read(format!("\"{commas}\\\"{commas}\"")).await);
        assert!(!is_read(format!("\"\\\\\"{commas}")).await);
    }
}
