//! Bounds what a child process sends, line by line, before anything is parsed, and hands on what
//! [`OpenRequests`] writes for rmcp in its place.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::open_requests::OpenRequests;
use super::received::EndedReading;
use crate::MAX_ANSWER_BYTES;
use crate::pace::{Paced, RequestPace};

/// The longest line that is read to its end, though nothing of it is kept beyond [`MAX_ANSWER_BYTES`].
const MAX_LINE_BYTES: usize = 4 * MAX_ANSWER_BYTES;
/// The lines in a row, and a second from then on. A server that sends more is ended.
const LINES: RequestPace = RequestPace::new(10_000, 1000);
/// The bytes in a row, and a second from then on. What is more is read later.
const BYTES: RequestPace = RequestPace::new(4 * MAX_ANSWER_BYTES as u64, MAX_ANSWER_BYTES as u64);
const PIECE_BYTES: usize = 8 << 10;

/// The output of a process as rmcp reads it, which ends with an error where a line has no end, and
/// where too many lines come.
pub(super) struct BoundedLines<R> {
    output: R,
    requests: OpenRequests,
    /// The line that has begun.
    text: Vec<u8>,
    /// How much of a line that is too large was passed over.
    skipped: usize,
    /// What rmcp has not read yet.
    ready: Vec<u8>,
    handed_out: usize,
    lines: Paced,
    bytes: Paced,
    /// Nothing is read before this.
    pause: Option<Pin<Box<Sleep>>>,
    ended_reading: EndedReading,
}

impl<R> BoundedLines<R> {
    /// The lines of this output, which is unheard where they are too much.
    pub(super) fn new(
        output: R,
        ended_reading: EndedReading,
        requests: OpenRequests,
    ) -> BoundedLines<R> {
        let now = Instant::now();
        BoundedLines {
            output,
            requests,
            text: Vec::new(),
            skipped: 0,
            ready: Vec::new(),
            handed_out: 0,
            lines: LINES.begin(now),
            bytes: BYTES.begin(now),
            pause: None,
            ended_reading,
        }
    }

    /// Takes what was read. Returns why it is too much.
    fn take(&mut self, read: &[u8]) -> Result<(), &'static str> {
        let now = Instant::now();
        let pause = self.bytes.count(read.len(), now);
        if !pause.is_zero() {
            self.pause = Some(Box::pin(tokio::time::sleep(pause)));
        }
        let lines = read.iter().filter(|byte| **byte == b'\n').count();
        if !self.lines.count(lines, now).is_zero() {
            return Err("the server sent more than 1000 messages a second");
        }
        let mut pieces = read.split(|byte| *byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.add(piece)?;
            self.end_line();
        }
        self.add(last)
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        let bytes = self.skipped + self.text.len() + piece.len();
        if bytes <= MAX_ANSWER_BYTES {
            self.text.extend_from_slice(piece);
            return Ok(());
        }
        self.text = Vec::new();
        self.skipped = bytes;
        match bytes <= MAX_LINE_BYTES {
            true => Ok(()),
            false => Err("the server sent a message larger than is read"),
        }
    }

    fn end_line(&mut self) {
        let lines = match std::mem::take(&mut self.skipped) {
            0 => self.requests.read_line(&std::mem::take(&mut self.text)),
            _ => self.requests.skip_line(),
        };
        self.ready.extend_from_slice(lines.as_bytes());
    }

    /// Hands out what is ready. Returns whether there was anything.
    fn hand_out(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let rest = &self.ready[self.handed_out..];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        self.handed_out += count;
        if self.handed_out == self.ready.len() {
            (self.ready, self.handed_out) = (Vec::new(), 0);
        }
        count > 0
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while !this.hand_out(buffer) {
            if let Some(pause) = &mut this.pause {
                ready!(pause.as_mut().poll(context));
                this.pause = None;
            }
            let mut piece = [0; PIECE_BYTES];
            let mut read = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut this.output).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // The last line may lack its end.
                this.end_line();
                this.hand_out(buffer);
                break;
            }
            if let Err(why) = this.take(read.filled()) {
                this.ended_reading.end(why);
                return Poll::Ready(Err(io::Error::other(why)));
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio_util::sync::CancellationToken;

    use super::*;

    async fn read(text: String) -> Option<String> {
        let mut read = String::new();
        let ended_reading = EndedReading::new(CancellationToken::new(), None);
        let requests = OpenRequests::new("server");
        let mut lines = BoundedLines::new(text.as_bytes(), ended_reading, requests);
        lines.read_to_string(&mut read).await.ok()?;
        Some(read)
    }

    #[tokio::test]
    async fn a_line_is_kept_up_to_its_bound_and_read_on_to_its_end() {
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let passed = Some(format!("{ping}\n"));
        let filled = |bytes: usize| {
            let blank = " ".repeat(bytes - ping.len());
            format!("{blank}{ping}\n")
        };
        assert_eq!(read(filled(MAX_ANSWER_BYTES)).await, passed);
        let large = filled(MAX_ANSWER_BYTES + 1);
        assert_eq!(read(format!("{large}{ping}")).await, passed, "the last one");
        assert_eq!(read(filled(MAX_LINE_BYTES + 1)).await, None);
    }
}
