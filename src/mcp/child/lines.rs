//! Bounds what a child process sends, line by line, before anything is parsed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::MAX_ANSWER_BYTES;

/// The most values of one message. A parsed value takes many times the memory of its text.
const MAX_VALUES: usize = 128 << 10;

/// The output of a process, which ends with an error where a line is too long or would become too
/// many values.
pub(super) struct BoundedLines<R> {
    output: R,
    line: LineSize,
    /// Whether a line was too large.
    is_exceeded: Arc<AtomicBool>,
}

/// What is known of the present line.
#[derive(Default)]
struct LineSize {
    bytes: usize,
    values: usize,
    is_in_text: bool,
    is_escaped: bool,
}

impl<R> BoundedLines<R> {
    /// The lines of this output. Where one is too large, `is_exceeded` is set.
    pub(super) fn new(output: R, is_exceeded: Arc<AtomicBool>) -> BoundedLines<R> {
        BoundedLines {
            output,
            line: LineSize::default(),
            is_exceeded,
        }
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
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.output).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        if read.iter().all(|byte| this.line.take(*byte)) {
            return Poll::Ready(Ok(()));
        }
        this.is_exceeded.store(true, Ordering::Relaxed);
        // Nothing counts as read where there is an error.
        buffer.set_filled(before);
        Poll::Ready(Err(io::Error::other("a message is larger than is read")))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn is_read(text: String) -> bool {
        let mut read = Vec::new();
        let mut lines = BoundedLines::new(text.as_bytes(), Arc::default());
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
