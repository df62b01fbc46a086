//! The words of needs for readers: on the screen, in `zoea status` and in the log. JSON, alerts and metrics have
//! the stored words.

use strum::VariantArray;

use super::lines::GAME_AWAY;
use super::{
    ASKED, LOG_IN, LOGIN_REFUSED, MOST_FAIL, NO_ACCESS_NEED, NO_CALLS, NO_TOOLS, NOT_DELIVERED,
    NeedRemedy, PAUSED,
};

/// The word of a need for a reader, of at most 15 letters; its word in JSON, alerts and metrics stays.
pub fn shown_need(what: &str) -> &str {
    match what {
        ASKED => "asks you",
        NO_TOOLS | GAME_AWAY => "tools away",
        NO_ACCESS_NEED => "access refused",
        "account" => "out of credit",
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

/// The command that helps against a need of these Myses, as `; \`zoea mysis retry --all\` tries now`; empty where the
/// reason says what to do.
pub fn help_command(help: &str, name: &str, count: usize) -> String {
    let (whom, it) = match count {
        1 => (name, "it"),
        _ => ("NAME", "one of them"),
    };
    let mut remedies = NeedRemedy::VARIANTS.iter();
    let remedy = remedies.find(|it| it.text() == help);
    let command = match remedy.unwrap_or(&NeedRemedy::Nothing) {
        NeedRemedy::Relaunch if count == 1 => format!("`zoea mysis start {name}` relaunches it"),
        NeedRemedy::Relaunch => "`zoea mysis start --state errored` relaunches them".to_string(),
        NeedRemedy::ResumeAll => "`zoea mysis start --state interrupted` starts them".to_string(),
        NeedRemedy::Message => format!("`zoea send {whom} TEXT` tells {it} what to do"),
        NeedRemedy::Stop => format!("`zoea mysis stop {whom}` stops {it}"),
        NeedRemedy::Answer => format!("`zoea answer {whom} FIELD=VALUE` answers for {it}"),
        NeedRemedy::TryNow => {
            "zoea retries by itself, `zoea mysis retry --all` tries now".to_string()
        }
        NeedRemedy::Raise | NeedRemedy::Nothing => return String::new(),
    };
    format!("; {command}")
}

pub fn over_need(what: &str) -> String {
    let text = match what {
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
    text.to_string()
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
            "account",
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
