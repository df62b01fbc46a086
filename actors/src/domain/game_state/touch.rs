//! Touch: which looks an action may have made stale.

/// What the game tells about itself; no action of a player changes it.
const REFERENCE: [&str; 5] = [
    "get_commands",
    "get_guide",
    "get_map",
    "get_recipes",
    "get_version",
];

/// Actions that only write words, with the looks that show them.
const WORDS: [(&str, &str); 6] = [
    ("chat", "get_chat_history"),
    ("captains_log_add", "get_captains_log"),
    ("create_note", "get_notes"),
    ("write_note", "get_notes"),
    ("set_status", "get_status"),
    ("set_colors", "get_status"),
];

/// Whether an action may have changed what a look shows. In doubt it may.
pub(super) fn touches(action: &str, look: &str) -> bool {
    if REFERENCE.contains(&look) || action.starts_with("forum_") {
        return false;
    }
    match WORDS.iter().find(|(words, _)| *words == action) {
        Some((_, shown_by)) => look == *shown_by,
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_touch_the_ship_and_its_surroundings_and_words_do_not() {
        assert!(touches("mine", "get_cargo"));
        assert!(touches("travel", "get_poi"));
        assert!(touches("an_action_of_tomorrow", "get_status"));
        assert!(!touches("travel", "get_map"));
        assert!(!touches("chat", "get_cargo"));
        assert!(touches("write_note", "get_notes"));
    }
}
