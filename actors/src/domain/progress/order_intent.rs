//! Order intents: whether an order asks for gains.
//!
//! An order says so itself by a line of its own, which the model and the operator see, too. Words
//! of natural language only make the terminal and the command line suggest that line.

/// The line that says that the game's figures do not show whether the order is carried out.
pub const NO_GAIN_LINE: &str = "[no gain expected]";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderIntent {
    /// It asks for something that outcomes show.
    Works,
    /// It asks to wait, to watch or to talk. No outcome shows whether that is done.
    Waits,
}

/// Words of orders that often ask for nothing that the game's figures show.
const WAITING_WORDS: [&str; 34] = [
    "wait",
    "waiting",
    "waits",
    "standby",
    "stand",
    "hold",
    "pause",
    "idle",
    "rest",
    "sleep",
    "stay",
    "remain",
    "guard",
    "watch",
    "monitor",
    "observe",
    "listen",
    "patrol",
    "escort",
    "defend",
    "protect",
    "follow",
    "accompany",
    "ambush",
    "until",
    "chat",
    "talk",
    "forum",
    "answer",
    "greet",
    "negotiate",
    "recruit",
    "nothing",
    "quiet",
];

impl OrderIntent {
    pub fn of(order: &str) -> OrderIntent {
        if order.lines().any(is_no_gain_line) {
            OrderIntent::Waits
        } else {
            OrderIntent::Works
        }
    }
}

/// The first word that suggests that no gain is expected; `None` if there is none or the order says
/// so itself.
pub fn suggests_no_gain(order: &str) -> Option<&'static str> {
    if OrderIntent::of(order) == OrderIntent::Waits {
        return None;
    }
    let mut words = order.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| {
        let mut known = WAITING_WORDS.iter();
        known
            .find(|known| word.eq_ignore_ascii_case(known))
            .copied()
    })
}

/// The order with the line that no gain is expected.
pub fn expecting_no_gain(order: &str) -> String {
    if OrderIntent::of(order) == OrderIntent::Waits {
        return order.to_string();
    }
    format!("{}\n{NO_GAIN_LINE}", order.trim_end())
}

/// The order without that line.
pub fn expecting_gains(order: &str) -> String {
    let lines: Vec<&str> = order
        .lines()
        .filter(|line| !is_no_gain_line(line))
        .collect();
    lines.join("\n")
}

fn is_no_gain_line(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case(NO_GAIN_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_line_of_its_own_says_that_an_order_expects_no_gain() {
        for order in [
            "Wait at the station.",
            "Mine until the hold is full, then answer the forum.",
            "Hold course and trade.",
            "[no gain expected] in the middle of a line",
            "",
        ] {
            assert_eq!(OrderIntent::of(order), OrderIntent::Works, "{order}");
        }
        for order in [
            "Garde la porte.\n[no gain expected]",
            " [No gain expected] \nstay",
        ] {
            assert_eq!(OrderIntent::of(order), OrderIntent::Waits, "{order}");
        }
    }

    #[test]
    fn words_only_suggest_it() {
        assert_eq!(suggests_no_gain("STAND by"), Some("stand"));
        assert_eq!(suggests_no_gain("Guard the gate!"), Some("guard"));
        for order in ["Mine ore, sell it", "understand the market", "restock", ""] {
            assert_eq!(suggests_no_gain(order), None, "{order}");
        }
        let marked = expecting_no_gain("Guard the gate!\n");
        assert_eq!(marked, "Guard the gate!\n[no gain expected]");
        assert_eq!(suggests_no_gain(&marked), None);
        assert_eq!(expecting_no_gain(&marked), marked, "said once");
        assert_eq!(expecting_gains(&marked), "Guard the gate!");
    }
}
