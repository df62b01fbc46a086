//! Which rows may be sent to the model, and the bridge: a message of the model's role in requests to servers that
//! demand one. A reply that only repeats it is not sent.

use std::sync::Arc;

use super::{Row, RowBody, RowKind};

/// Stands between a result and a message to the model where a server demands a message of the model
/// there (decision 130). Of the texts that were tried, this one never made a model stop playing.
pub const BRIDGE_TEXT: &str = "I was interrupted.";
/// What stood there before, for every server. Models repeated it, so that stored conversations hold it.
const FORMER_BRIDGE_TEXTS: [&str; 2] =
    ["I have these results.", "[interrupted by the next message]"];

/// Whether a reply only repeats the bridge. It is no answer.
pub fn repeats_bridge(reply: &str) -> bool {
    let reply = reply.trim();
    reply == BRIDGE_TEXT || FORMER_BRIDGE_TEXTS.contains(&reply)
}

impl Row {
    /// Whether the row may be sent to the model. A reply that is empty, or that only repeats the
    /// bridge, is not sent: it answers nothing, and would teach the model to say it again. A step of a
    /// routine is not sent either; the model is told of the whole run.
    pub fn is_sendable(&self) -> bool {
        if self.routine().is_some() {
            return false;
        }
        if let RowBody::Reply(utterance) = &self.body {
            return !utterance.text.trim().is_empty() && !repeats_bridge(&utterance.text);
        }
        self.kind().is_some_and(RowKind::is_sendable)
    }

    /// The routine that made the calls of a call row; `None` if the model did.
    pub fn routine(&self) -> Option<&Arc<str>> {
        self.calls().first()?.routine.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_an_answer_if_it_says_anything_of_its_own() {
        for text in [
            "I have these results.",
            " [interrupted by the next message]\n",
            "I was interrupted.",
        ] {
            assert!(repeats_bridge(text), "{text}");
        }
        for text in ["I have these results. I sell now.", "", "[interrupted]"] {
            assert!(!repeats_bridge(text), "{text}");
        }
    }
}
