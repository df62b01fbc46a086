//! Looks for secrets in a text, however they are encoded in it.
//!
//! It stands here, and not beside its tests, since it is built with optimisation: it reads some 60 MB.

/// One step of decoding: resolves every code. It is written independently of the program's own
/// decoder.
fn decoded(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let push = |c: char, out: &mut Vec<u8>| {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    };
    let hex = |from: usize, count: usize| -> Option<u32> {
        let digits: String = letters.get(from..from + count)?.iter().collect();
        u32::from_str_radix(&digits, 16).ok()
    };
    let mut at = 0;
    while at < letters.len() {
        let next = letters.get(at + 1).copied();
        match (letters[at], next) {
            ('\\', Some('u')) if hex(at + 2, 4).is_some() => {
                let unit = hex(at + 2, 4).unwrap_or(0);
                push(char::from_u32(unit).unwrap_or('?'), &mut out);
                at += 6;
            }
            ('\\', Some(c)) if c.is_ascii_punctuation() => {
                push(c, &mut out);
                at += 2;
            }
            ('%', Some(_)) if hex(at + 1, 2).is_some() => {
                out.push(u8::try_from(hex(at + 1, 2).unwrap_or(0)).unwrap_or(0));
                at += 3;
            }
            ('&', Some(_)) => {
                let end = letters[at..].iter().take(12).position(|c| *c == ';');
                let name: String = letters[at + 1..at + end.unwrap_or(1)].iter().collect();
                let number = name.strip_prefix('#').and_then(|digits| {
                    match digits.strip_prefix(['x', 'X']) {
                        Some(digits) => u32::from_str_radix(digits, 16).ok(),
                        None => digits.parse().ok(),
                    }
                });
                let named = [
                    ("lt", '<'),
                    ("gt", '>'),
                    ("amp", '&'),
                    ("quot", '"'),
                    ("apos", '\''),
                    ("auml", 'ä'),
                    ("ouml", 'ö'),
                ];
                let named = named
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, c)| *c);
                match named.or_else(|| number.and_then(char::from_u32)) {
                    Some(c) => {
                        push(c, &mut out);
                        at += end.unwrap_or(0) + 1;
                    }
                    None => {
                        push('&', &mut out);
                        at += 1;
                    }
                }
            }
            (c, _) => {
                push(c, &mut out);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The Base64 content of a text, read at each of the four offsets at which it may begin.
fn from_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let mut found = Vec::new();
    for run in text.as_bytes().split(|byte| value(*byte).is_none()) {
        for skipped in 0..4.min(run.len()) {
            if run.len() - skipped < 16 {
                break;
            }
            let (mut bits, mut count) = (0_u32, 0);
            for byte in &run[skipped..] {
                bits = bits << 6 | u32::from(value(*byte).unwrap_or(0));
                count += 6;
                if count >= 8 {
                    count -= 8;
                    found.push((bits >> count & 255) as u8);
                }
            }
            found.push(0);
        }
    }
    found
}

fn holds(bytes: &[u8], secret: &str) -> Option<usize> {
    let secret = secret.as_bytes();
    let first = secret[0];
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == first);
    starts
        .map(|(at, _)| at)
        .find(|at| bytes[*at..].starts_with(secret))
}

/// The remains of a secret after decoding, its own codes and those of a form included.
fn remains(secret: &str) -> Vec<String> {
    let mut remains = vec![secret.to_string()];
    for _ in 0..6 {
        let next = decoded(remains.last().expect("a secret"));
        if remains.contains(&next) {
            break;
        }
        remains.push(next);
    }
    let in_forms: Vec<String> = remains.iter().map(|text| text.replace(' ', "+")).collect();
    remains.extend(in_forms);
    remains.sort();
    remains.dedup();
    remains
}

/// The secrets that a text reveals after decoding, and where.
pub fn revealed(text: &str, secrets: &[&str]) -> Vec<String> {
    let remains: Vec<String> = secrets.iter().flat_map(|secret| remains(secret)).collect();
    let mut found = Vec::new();
    let mut text = text.to_string();
    for depth in 0..6 {
        let coded = from_base64(&text);
        for (what, bytes) in [("plain", text.as_bytes()), ("Base64", &coded)] {
            for secret in &remains {
                if let Some(at) = holds(bytes, secret) {
                    let around = &bytes[at.saturating_sub(160)..(at + 60).min(bytes.len())];
                    let around = String::from_utf8_lossy(around).into_owned();
                    found.push(format!("{secret} {what} at depth {depth}: …{around}…"));
                }
            }
        }
        let next = decoded(&text);
        if next == text || !found.is_empty() {
            break;
        }
        text = next;
    }
    found
}
