//! The bridge: a message of the model's role in requests to servers that demand one, and replies that
//! only repeat it.

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
