//! Server-sent events: the only parser for them, for answers of model servers and of MCP servers.
//!
//! It is lenient, because no two servers agree. Lines may end in any way, unknown fields are passed
//! on, and invalid UTF-8 is replaced. It keeps only the line that has not ended yet, whose length
//! the caller limits (decision 107).

use std::mem;

/// The byte order mark with which some texts begin.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, PartialEq, Eq)]
pub enum SseLine<'a> {
    /// A field of an event. A comment is a field without a name.
    Field(&'a str, &'a str),
    End,
}

#[derive(Default)]
pub struct SseLines {
    /// The line that has not ended yet.
    pending: Vec<u8>,
    /// Whether the last line ended with a carriage return. A line feed after it belongs to the same
    /// line end.
    is_behind_return: bool,
}

impl SseLines {
    /// Takes bytes and calls `visit` with every line that ends in them.
    pub fn take(&mut self, mut bytes: &[u8], mut visit: impl FnMut(SseLine<'_>)) {
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_other_half = mem::replace(&mut self.is_behind_return, bytes[end] == b'\r')
                && end == 0
                && bytes[end] == b'\n'
                && self.pending.is_empty();
            if !is_other_half {
                self.pending.extend_from_slice(&bytes[..end]);
                visit(line_of(&String::from_utf8_lossy(&self.pending)));
                self.pending.clear();
            }
            bytes = &bytes[end + 1..];
        }
        self.pending.extend_from_slice(bytes);
    }

    /// Calls `visit` with the text after the last line end. Nothing may follow.
    pub fn finish(&mut self, mut visit: impl FnMut(SseLine<'_>)) {
        let rest = mem::take(&mut self.pending);
        visit(line_of(&String::from_utf8_lossy(&rest)));
        visit(SseLine::End);
    }

    /// The length in bytes of the line that has not ended yet.
    pub fn kept_bytes(&self) -> usize {
        self.pending.len()
    }

    /// The line that has not ended yet.
    pub fn kept(&self) -> &[u8] {
        &self.pending
    }
}

fn line_of(line: &str) -> SseLine<'_> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() {
        return SseLine::End;
    }
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    SseLine::Field(name, value.trim_start())
}

/// An event as far as its lines have been received.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    pub id: Option<String>,
    /// The milliseconds after which the server wants the client to reconnect.
    pub retry: Option<u64>,
    pub data: String,
}

impl SseEvent {
    pub fn add_field(&mut self, name: &str, value: &str) {
        match name {
            "id" => self.id = Some(value.to_string()),
            "retry" => self.retry = value.parse().ok(),
            "data" => self.add_data(value),
            _ => {}
        }
    }

    pub fn add_data(&mut self, line: &str) {
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data += line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&[u8]]) -> Vec<String> {
        let (mut lines, mut seen) = (SseLines::default(), Vec::new());
        let mut visit = |line: SseLine<'_>| seen.push(format!("{line:?}"));
        for part in parts {
            lines.take(part, &mut visit);
        }
        lines.finish(&mut visit);
        seen
    }

    #[test]
    fn lines_are_the_same_however_they_end_and_wherever_they_are_cut() {
        let text = "\u{feff}: hello\nid: 7\n data:{\"a\": 1} \n\nevent\nerror: é\nend: x";
        let expected = [
            r#"Field("", "hello")"#,
            r#"Field("id", "7")"#,
            r#"Field("data", "{\"a\": 1}")"#,
            "End",
            r#"Field("event", "")"#,
            r#"Field("error", "é")"#,
            r#"Field("end", "x")"#,
            "End",
        ];
        for end in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', end);
            for size in [1, 2, 3, text.len()] {
                let parts: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
                assert_eq!(lines(&parts), expected, "{end:?} in parts of {size}");
            }
        }
        assert_eq!(lines(&[b"data: \xff"])[0], "Field(\"data\", \"\u{fffd}\")");
    }

    #[test]
    fn the_fields_of_an_event_are_put_together() {
        let mut event = SseEvent::default();
        for (name, value) in [("id", "7"), ("retry", "20"), ("data", "{"), ("data", "}")] {
            event.add_field(name, value);
        }
        event.add_field("other", "x");
        let expected = SseEvent {
            id: Some("7".to_string()),
            retry: Some(20),
            data: "{\n}".to_string(),
        };
        assert_eq!(event, expected);
    }
}
