//! The last request of a Mysis that rests: nothing shares its texts any more, and they are compressed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::last_request::LastRequest;
use super::model::ChatMessage;

/// The last request of a Mysis that rests.
#[derive(Debug)]
pub struct PackedRequest {
    /// It with only those of its messages that all Myses share, the first ones.
    sent: Box<LastRequest>,
    messages: Box<[u8]>,
}

impl PackedRequest {
    /// Compresses what only this request has.
    ///
    /// # Errors
    /// The request, if that fails.
    pub fn of(mut sent: Box<LastRequest>) -> Result<PackedRequest, Box<LastRequest>> {
        let is_shared = |message: &&ChatMessage| matches!(message, ChatMessage::System(_));
        let shared = sent.request.messages.iter().take_while(is_shared).count();
        let (shared, own) = sent.request.messages.split_at(shared);
        let Ok(messages) = compress(own) else {
            return Err(sent);
        };
        sent.request.messages = shared.into();
        Ok(PackedRequest { sent, messages })
    }

    /// The request as it was; `None` if it cannot be read.
    pub fn unpack(&self) -> Option<LastRequest> {
        let mut json = Vec::new();
        let mut packed = DeflateDecoder::new(&*self.messages);
        packed.read_to_end(&mut json).ok()?;
        let own: Vec<ChatMessage> = serde_json::from_slice(&json).ok()?;
        let mut sent = LastRequest::clone(&self.sent);
        let shared = sent.request.messages.iter().cloned();
        sent.request.messages = shared.chain(own).collect();
        Some(sent)
    }
}

fn compress(messages: &[ChatMessage]) -> std::io::Result<Box<[u8]>> {
    let json = serde_json::to_vec(messages)?;
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&json)?;
    Ok(packed.finish()?.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::model::{ChatCall, Echo, ModelRequest};
    use super::*;
    use crate::ids::Timestamp;
    use crate::last_request::RequestChange;

    #[test]
    fn a_packed_request_is_the_same_again() {
        let messages: Vec<ChatMessage> = [
            ChatMessage::System("be good".into()),
            ChatMessage::User("mine \u{1f5ff}\n".into()),
            ChatMessage::Assistant {
                text: "".into(),
                calls: vec![ChatCall {
                    id: "a".into(),
                    name: "mine".into(),
                    arguments: "{\"deep\":true}".into(),
                }],
                echo: Some(Arc::new(Echo {
                    provider: "p".into(),
                    calls: vec!["{}".into()],
                    ..Echo::default()
                })),
            },
            ChatMessage::Tool {
                call_id: "a".into(),
                text: "ore ".repeat(2000).into(),
            },
        ]
        .into();
        let sent = LastRequest {
            at: Timestamp(7),
            request: ModelRequest {
                provider: "p".into(),
                model: "m".into(),
                temperature: Some(0.5),
                max_tokens: None,
                messages: messages.clone().into(),
                tools: Arc::default(),
            },
            change: Some(RequestChange::default()),
        };
        let packed = PackedRequest::of(Box::new(sent)).expect("it can be packed");
        assert!(packed.messages.len() < 1000, "{}", packed.messages.len());
        let again = packed.unpack().expect("it can be read");
        assert_eq!(again.at, Timestamp(7));
        assert_eq!(*again.request.messages, *messages);
    }
}
