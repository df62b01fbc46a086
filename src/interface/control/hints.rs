//! What clients are told of each tool beside its parameters: a title, whether it reads, destroys or may
//! be repeated, and whether the world outside of the swarm notices.

use rmcp::model::{Tool, ToolAnnotations};

/// What a call changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing.
    Reads,
    /// It adds something each time.
    Adds,
    /// The second of two equal calls changes nothing.
    Sets,
    /// It takes something away. The second of two equal calls changes nothing.
    Removes,
}

/// Whether Myses act in the game, or call models, because of it.
const ACTS: bool = true;
const STAYS_HERE: bool = false;

/// Each tool's title, what it changes, and whether it reaches beyond the swarm.
const HINTS: [(&str, &str, Effect, bool); 44] = [
    ("list_myses", "List Myses", Effect::Reads, STAYS_HERE),
    ("create_mysis", "Create a Mysis", Effect::Adds, ACTS),
    ("start_mysis", "Start a Mysis", Effect::Sets, ACTS),
    ("retry_mysis", "Let a Mysis try again", Effect::Sets, ACTS),
    ("stop_mysis", "Stop a Mysis", Effect::Sets, STAYS_HERE),
    (
        "delete_mysis",
        "Delete a Mysis",
        Effect::Removes,
        STAYS_HERE,
    ),
    (
        "undelete_mysis",
        "Bring a Mysis back",
        Effect::Adds,
        STAYS_HERE,
    ),
    (
        "configure_mysis",
        "Change a Mysis",
        Effect::Sets,
        STAYS_HERE,
    ),
    ("send_message", "Send a message", Effect::Adds, ACTS),
    ("broadcast", "Give a mission to all", Effect::Adds, ACTS),
    ("get_mission", "Show the mission", Effect::Reads, STAYS_HERE),
    (
        "clear_mission",
        "Clear the mission",
        Effect::Removes,
        STAYS_HERE,
    ),
    ("add_note", "Add a lasting note", Effect::Adds, STAYS_HERE),
    (
        "clear_notes",
        "Clear the notes",
        Effect::Removes,
        STAYS_HERE,
    ),
    ("start_routine", "Start a routine", Effect::Adds, ACTS),
    (
        "edit_routine",
        "Show or change a routine",
        Effect::Sets,
        STAYS_HERE,
    ),
    ("stop_routine", "Stop a routine", Effect::Sets, STAYS_HERE),
    ("remind", "Leave a reminder", Effect::Adds, ACTS),
    (
        "list_reminders",
        "List reminders",
        Effect::Reads,
        STAYS_HERE,
    ),
    (
        "cancel_reminder",
        "Cancel a reminder",
        Effect::Removes,
        STAYS_HERE,
    ),
    ("answer_question", "Answer a question", Effect::Adds, ACTS),
    ("read_log", "Read a conversation", Effect::Reads, STAYS_HERE),
    ("search", "Search conversations", Effect::Reads, STAYS_HERE),
    ("read_events", "Read events", Effect::Reads, STAYS_HERE),
    ("wait", "Wait for Myses", Effect::Reads, STAYS_HERE),
    ("report", "Report a day", Effect::Reads, STAYS_HERE),
    ("compact", "Compact the database", Effect::Sets, STAYS_HERE),
    (
        "get_reach",
        "Show how far logs reach",
        Effect::Reads,
        STAYS_HERE,
    ),
    ("list_accounts", "List accounts", Effect::Reads, STAYS_HERE),
    (
        "import_accounts",
        "Import accounts",
        Effect::Sets,
        STAYS_HERE,
    ),
    (
        "export_accounts",
        "Export accounts",
        Effect::Adds,
        STAYS_HERE,
    ),
    ("export", "Export conversations", Effect::Adds, STAYS_HERE),
    ("get_books", "Show costs", Effect::Reads, STAYS_HERE),
    ("read_samples", "Read samples", Effect::Reads, STAYS_HERE),
    (
        "reload",
        "Reload the configuration",
        Effect::Sets,
        STAYS_HERE,
    ),
    (
        "raise_budget",
        "Raise the budget of today",
        Effect::Sets,
        ACTS,
    ),
    ("freeze", "Freeze the swarm", Effect::Sets, STAYS_HERE),
    ("thaw", "Thaw the swarm", Effect::Sets, ACTS),
    (
        "list_held_texts",
        "List texts that are held back",
        Effect::Reads,
        STAYS_HERE,
    ),
    (
        "forget_held_text",
        "Let a held text be tried again",
        Effect::Removes,
        ACTS,
    ),
    (
        "list_processes",
        "List processes",
        Effect::Reads,
        STAYS_HERE,
    ),
    ("drain_process", "Drain a process", Effect::Sets, STAYS_HERE),
    ("undrain_process", "End a drain", Effect::Sets, STAYS_HERE),
    ("status", "Show the status", Effect::Reads, STAYS_HERE),
];

/// A tool with its title and its hints. One that is not known may do anything.
pub(super) fn described(tool: Tool) -> Tool {
    let Some((_, title, effect, acts)) = HINTS.iter().find(|(name, ..)| *name == tool.name) else {
        return tool;
    };
    let annotations = ToolAnnotations::with_title(*title)
        .read_only(*effect == Effect::Reads)
        .destructive(*effect == Effect::Removes)
        .idempotent(*effect != Effect::Adds)
        .open_world(*acts);
    tool.with_title(*title).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::super::call::ControlCall;

    #[test]
    fn every_tool_has_a_title_and_hints() {
        for tool in ControlCall::list_tools() {
            assert!(
                tool.title.is_some() && tool.annotations.is_some(),
                "{}",
                tool.name
            );
        }
    }
}
