//! Reads an export line by line, each within its bounds.

use std::io::BufRead;

/// The longest line: more than the largest answer of a model with every letter escaped twice.
const MAX_LINE_BYTES: usize = 24 << 20;
/// The most values of a line. As a tree each takes many times its text.
const MAX_LINE_VALUES: usize = 256 << 10;

pub(super) enum ReadLine {
    Text(Vec<u8>),
    TooLarge,
    End,
}

pub(super) fn read_line(source: &mut impl BufRead) -> std::io::Result<ReadLine> {
    let mut line = Vec::new();
    let mut values = 0;
    let mut is_in_text = false;
    let mut is_escaped = false;
    loop {
        let piece = source.fill_buf()?;
        if piece.is_empty() {
            let is_end = line.is_empty();
            return Ok(if is_end {
                ReadLine::End
            } else {
                ReadLine::Text(line)
            });
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let read = &piece[..end.unwrap_or(piece.len())];
        for byte in read {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_in_text => is_escaped = true,
                b'"' => is_in_text = !is_in_text,
                b'[' | b'{' | b',' if !is_in_text => values += 1,
                _ => {}
            }
        }
        if line.len() + read.len() > MAX_LINE_BYTES || values > MAX_LINE_VALUES {
            return Ok(ReadLine::TooLarge);
        }
        line.extend_from_slice(read);
        let used = end.map_or(piece.len(), |end| end + 1);
        source.consume(used);
        if end.is_some() {
            return Ok(ReadLine::Text(line));
        }
    }
}

/// What is told of a line that is too large.
pub(super) fn too_large() -> String {
    let mib = MAX_LINE_BYTES >> 20;
    format!("longer than {mib} MiB, or of more than {MAX_LINE_VALUES} values")
}
