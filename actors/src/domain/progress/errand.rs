//! Errands: whether an order asks for outcomes at all.

/// What an order asks for, as far as its words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// Something that outcomes show.
    Works,
    /// To wait, to watch or to talk: no outcome shows whether that is done.
    Waits,
}

/// Words that ask for nothing that the game's figures show. Whoever gets such an order is only
/// watched for what fails.
const WAITING: [&str; 34] = [
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

impl Errand {
    /// What an order asks for.
    #[must_use]
    pub fn of(order: &str) -> Errand {
        let mut words = order.split(|c: char| !c.is_alphanumeric());
        let is_waiting = |word: &str| WAITING.iter().any(|known| word.eq_ignore_ascii_case(known));
        if words.any(is_waiting) {
            Errand::Waits
        } else {
            Errand::Works
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_wait_watch_or_talk_ask_for_no_outcome() {
        for order in [
            "Wait at the station.",
            "STAND by",
            "Guard the gate!",
            "stay docked",
        ] {
            assert_eq!(Errand::of(order), Errand::Waits, "{order}");
        }
        for order in [
            "Mine ore, sell it",
            "Explore.",
            "",
            "understand the market",
            "restock",
        ] {
            assert_eq!(Errand::of(order), Errand::Works, "{order}");
        }
    }
}
