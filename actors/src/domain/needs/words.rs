//! The words of needs for readers: on the screen, in `zoea status` and in the log. JSON, alerts and metrics have
//! the stored words.

use super::lines::GAME_AWAY;
use super::{
    ASKED, LOG_IN, LOGIN_REFUSED, MOST_FAIL, NO_ACCESS_NEED, NO_CALLS, NO_TOOLS, NOT_DELIVERED,
    PAUSED,
};

/// The word of a need for a reader, of at most 15 letters; its word in JSON, alerts and metrics stays.
#[must_use]
pub fn shown_need(what: &str) -> &str {
    match what {
        ASKED => "asks you",
        NO_TOOLS | GAME_AWAY => "tools away",
        NO_ACCESS_NEED => "access refused",
        "waits" => "needs orders",
        "parked" => "stuck, idle",
        "repeats" => "repeats a call",
        "only talks" => "calls no tool",
        "only fails" => "all calls fail",
        "circles" => "repeats calls",
        "no gain" => "no progress",
        other => other,
    }
}

/// What is told when a need of a running Mysis is over.
#[must_use]
pub fn over_need(what: &str) -> String {
    let told = match what {
        ASKED => "its server's question is closed",
        LOG_IN | LOGIN_REFUSED => "logged in",
        NO_TOOLS => "the tool server answers again",
        NO_ACCESS_NEED => "the tool server grants access again",
        PAUSED => "continues after the pause",
        NOT_DELIVERED => "its model gets your order again",
        NO_CALLS => "a call succeeded",
        MOST_FAIL | "repeats" | "only fails" => "calls succeed again",
        "only talks" => "calls tools again",
        "circles" | "no gain" => "gains again",
        other => return format!("over: {other}"),
    };
    told.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_on_the_screen_has_at_most_fifteen_letters() {
        let words = [
            ASKED,
            LOG_IN,
            LOGIN_REFUSED,
            NO_TOOLS,
            NO_ACCESS_NEED,
            NO_CALLS,
            NOT_DELIVERED,
            MOST_FAIL,
            PAUSED,
            "errored",
            "interrupted",
            "waits",
            "parked",
            "repeats",
            "only talks",
            "only fails",
            "circles",
            "no gain",
        ];
        for word in words {
            let shown = shown_need(word);
            assert!((1..=15).contains(&shown.len()), "{word}: {shown}");
            assert!(!over_need(word).is_empty());
        }
    }
}
