//! What is kept of an answer as it came, so that a failure can be handed on.

/// The most bytes of a body that are kept as they came, and the most headers.
const MAX_RAW_BYTES: usize = 24 << 10;
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
    #[must_use]
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
}
