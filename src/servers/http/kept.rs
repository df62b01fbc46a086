//! What is kept of an answer as it came, so that a failure can be handed on.

/// The most bytes of a body that are handed on, about.
const MAX_BODY_BYTES: usize = 24 << 10;
/// At most so many bytes of a secret, in any notation, stand before the place at which a body is cut.
const MAX_CUT_SECRET_BYTES: usize = 8 << 10;
/// The most bytes of a body that are kept as they came, and the most headers.
const MAX_RAW_BYTES: usize = MAX_BODY_BYTES + MAX_CUT_SECRET_BYTES;
const MAX_RAW_HEADERS: usize = 16;

/// The head of an answer and the beginning of its body, as they came.
#[derive(Debug, Default)]
pub struct RawAnswer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl RawAnswer {
    /// The head of a response. Of the headers those are kept that say how to read it and when to ask
    /// again.
    pub fn of_head(response: &reqwest::Response) -> RawAnswer {
        let is_kept = |name: &str| {
            let kept = ["content-type", "content-encoding", "retry-after"];
            kept.contains(&name) || name.contains("ratelimit")
        };
        let headers = response.headers().iter();
        let headers = headers.filter(|(name, _)| is_kept(name.as_str()));
        let text = headers.filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            Some((name.to_string(), value.to_string()))
        });
        RawAnswer {
            status: response.status().as_u16(),
            headers: text.take(MAX_RAW_HEADERS).collect(),
            body: Vec::new(),
        }
    }

    /// Keeps a piece of the body, as long as there is room.
    pub fn take(&mut self, bytes: &[u8]) {
        let room = MAX_RAW_BYTES.saturating_sub(self.body.len());
        self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// The body as `clean` leaves it, which removes secrets. The end of one that was cut is left out,
    /// since the beginning of a secret there is not recognised.
    #[must_use]
    pub fn clean_body(&self, clean: impl Fn(&str) -> String) -> String {
        let mut body = clean(&String::from_utf8_lossy(&self.body));
        if self.body.len() >= MAX_RAW_BYTES {
            let kept = body.len().saturating_sub(MAX_CUT_SECRET_BYTES);
            body.truncate(body.floor_char_boundary(kept));
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use zoea_text::redact::{REDACTED, Redactor};

    use super::*;

    #[test]
    fn no_beginning_of_a_key_is_handed_on_wherever_a_body_is_cut() {
        let key = "sk-0123456789abcdef";
        let secrets = Redactor::new([key.into()]);
        let handed_on = |body: &str| {
            let mut raw = RawAnswer::default();
            for piece in body.as_bytes().chunks(1000) {
                raw.take(piece);
            }
            raw.clean_body(|text| secrets.clean(text).into_owned())
        };
        for cut in [MAX_BODY_BYTES, MAX_RAW_BYTES] {
            for begun in 1..key.len() {
                let before = "ä".repeat((cut - begun) / 2);
                let body = handed_on(&format!("{before}{key}{}", "y".repeat(cut)));
                assert!(!body.contains('s'), "{begun} bytes at {cut}");
                assert!((MAX_BODY_BYTES - 20..=MAX_BODY_BYTES).contains(&body.len()));
            }
        }
        // Where many are removed, much less is left.
        let body = handed_on(&format!("{key} ").repeat(MAX_RAW_BYTES));
        assert!(body.starts_with(REDACTED) && !body.contains('s'));
        assert_eq!(handed_on(&format!("no {key}")), format!("no {REDACTED}"));
    }
}
