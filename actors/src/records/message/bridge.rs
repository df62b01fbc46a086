//! The bridge: a message of the model's role that the runtime inserts into requests, and replies that
//! only repeat it.

/// Inserted between results and a message to the model, because an assistant message must follow
/// results. It is no sentence that answers anything, so that models learn less to repeat it.
pub const BRIDGE_TEXT: &str = "[interrupted by the next message]";
/// What was inserted before. Models repeated it, so that stored conversations contain it.
const FORMER_BRIDGE_TEXT: &str = "I have these results.";

/// Whether a reply only repeats the bridge. It is no answer.
#[must_use]
pub fn repeats_bridge(reply: &str) -> bool {
    [BRIDGE_TEXT, FORMER_BRIDGE_TEXT].contains(&reply.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_an_answer_if_it_says_anything_of_its_own() {
        for text in [
            "I have these results.",
            " [interrupted by the next message]\n",
        ] {
            assert!(repeats_bridge(text), "{text}");
        }
        for text in ["I have these results. I sell now.", "", "[interrupted]"] {
            assert!(!repeats_bridge(text), "{text}");
        }
    }
}
