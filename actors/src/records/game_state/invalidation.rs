//! Invalidation: which snapshot results an action may have made outdated.

/// Tools that describe the game itself. No action of a player changes their results.
const REFERENCE_TOOLS: [&str; 5] = [
    "get_commands",
    "get_guide",
    "get_map",
    "get_recipes",
    "get_version",
];

/// Actions that only write text, with the tools that show the text.
const WRITING_ACTIONS: [(&str, &str); 6] = [
    ("chat", "get_chat_history"),
    ("captains_log_add", "get_captains_log"),
    ("create_note", "get_notes"),
    ("write_note", "get_notes"),
    ("set_status", "get_status"),
    ("set_colors", "get_status"),
];

/// Whether an action may have changed the result of a tool. In doubt it may have.
pub(super) fn may_invalidate(action: &str, look: &str) -> bool {
    if REFERENCE_TOOLS.contains(&look) || action.starts_with("forum_") {
        return false;
    }
    match WRITING_ACTIONS.iter().find(|(words, _)| *words == action) {
        Some((_, shown_by)) => look == *shown_by,
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_touch_the_ship_and_its_surroundings_and_words_do_not() {
        assert!(may_invalidate("mine", "get_cargo"));
        assert!(may_invalidate("travel", "get_poi"));
        assert!(may_invalidate("an_action_of_tomorrow", "get_status"));
        assert!(!may_invalidate("travel", "get_map"));
        assert!(!may_invalidate("chat", "get_cargo"));
        assert!(may_invalidate("write_note", "get_notes"));
    }
}
