//! The commands of the palette.

use std::sync::LazyLock;

use actors::domain::order::MysisOrder;
use actors::domain::selector::SelectorWord;
use actors::domain::state::LifeState;

use super::takes::Takes;
use crate::dashboard::table::filter::FILTER_COMMAND_HELP;
use crate::dashboard::views::OPENING_KEYS;

/// A command of the palette.
#[derive(Clone, Copy, Debug)]
pub struct PaletteCommand {
    /// The name.
    pub name: &'static str,
    /// The arguments.
    pub takes: &'static [Takes],
    /// What it does.
    pub help: &'static str,
    pub verb: Verb,
}

/// The action of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verb {
    /// Sets the mission of the swarm.
    Broadcast,
    /// Shows or clears the mission.
    Mission,
    /// Sends a direct message.
    Message,
    /// Sets the note.
    Note,
    /// Leaves a message for later.
    Remind,
    /// Answers the question of a server.
    Answer,
    /// Declines the question of a server.
    Decline,
    /// Creates a Mysis.
    New,
    /// Gives the same order to each of some Myses: the action's name and the order.
    Order(&'static str, &'static MysisOrder),
    Routine,
    /// Changes a routine.
    EditRoutine,
    /// Starts the Myses that ran when the program ended.
    Resume,
    Freeze,
    Thaw,
    /// Lets a text that is held back be tried again.
    ForgetHeld,
    /// Raises the cap of the day.
    RaiseBudget,
    Stop,
    Delete,
    /// Changes the role.
    Role,
    /// Changes the provider.
    Provider,
    /// Changes the model.
    Model,
    /// Changes the temperature.
    Temperature,
    /// Opens a conversation.
    Open,
    Filter,
    /// Shows the Myses in one state.
    State,
    Sort,
    Group,
    Columns,
    /// Marks Myses.
    Mark,
    Unmark,
    /// Searches a text in the conversation.
    Find,
    /// Writes a conversation to a file.
    Export,
    /// Writes a report to a file.
    Report,
    /// Writes a copy of the database.
    Backup,
    /// Undoes the last order.
    Undo,
    /// Opens the view of this name.
    View(&'static str),
    /// Searches a text in all conversations.
    Search,
    /// Shows the help screen.
    Help,
    /// Changes the theme.
    Theme,
    /// Changes the character set.
    Letters,
    /// Changes how much moves.
    Motion,
    /// Switches the mouse between program and terminal.
    Mouse,
    /// Changes how the operator is notified.
    Notify,
    /// Writes the screen to files.
    Dump,
    Dismiss,
    /// Draws the whole screen again.
    Redraw,
    /// Suspends the program to the shell's background.
    Suspend,
    /// Reads the configuration again.
    Reload,
    /// Closes the program.
    Quit,
}

const fn command(
    name: &'static str,
    takes: &'static [Takes],
    verb: Verb,
    help: &'static str,
) -> PaletteCommand {
    PaletteCommand {
        name,
        takes,
        help,
        verb,
    }
}

/// All commands but those that open views.
const COMMANDS: &[PaletteCommand] = &[
    command(
        "broadcast",
        &[Takes::Text],
        Verb::Broadcast,
        "a mission for the whole swarm",
    ),
    command(
        "mission",
        &[Takes::Word(&["show", "clear"])],
        Verb::Mission,
        "show the mission, or clear it",
    ),
    command(
        "message",
        &[Takes::Myses, Takes::Text],
        Verb::Message,
        "a direct message",
    ),
    command(
        "note",
        &[Takes::Myses, Takes::Text],
        Verb::Note,
        "add a lasting note",
    ),
    command(
        "clear-notes",
        &[Takes::Myses],
        Verb::Order("clear notes", &MysisOrder::ClearNotes),
        "remove the lasting notes",
    ),
    command(
        "new",
        &[Takes::NewName, Takes::Provider, Takes::Model],
        Verb::New,
        "create a Mysis and start it",
    ),
    command(
        "start",
        &[Takes::Myses],
        Verb::Order("start", &MysisOrder::Start),
        "start or relaunch",
    ),
    command(
        "resume",
        &[],
        Verb::Resume,
        "start the Myses that ran when the program ended",
    ),
    command("freeze", &[], Verb::Freeze, "pause model and tool calls"),
    command("thaw", &[], Verb::Thaw, "end the pause"),
    command(
        "forget-held",
        &[Takes::Text],
        Verb::ForgetHeld,
        "let a text that is held back be tried again, by its id",
    ),
    command(
        "budget",
        &[Takes::Amount],
        Verb::RaiseBudget,
        "raise what the swarm may spend today",
    ),
    command("stop", &[Takes::Myses], Verb::Stop, "stop at once"),
    command(
        "routine",
        &[Takes::Myses, Takes::Text],
        Verb::Routine,
        "start what it repeats, or ran before, as a routine",
    ),
    command(
        "edit-routine",
        &[Takes::Myses, Takes::Text],
        Verb::EditRoutine,
        "write its routine; with {\"rounds\": 9} change it at once",
    ),
    command(
        "stop-routine",
        &[Takes::Myses],
        Verb::Order("stop the routine", &MysisOrder::StopRoutine),
        "stop the routine that runs; the model is asked",
    ),
    command(
        "delete",
        &[Takes::Myses],
        Verb::Delete,
        "delete with the conversation; asks first",
    ),
    command(
        "retry",
        &[Takes::Myses],
        Verb::Order("retry", &MysisOrder::Retry),
        "retry waits and errors at once",
    ),
    command(
        "answer",
        &[Takes::Mysis, Takes::Text],
        Verb::Answer,
        "answer its server's question: #number field=value …",
    ),
    command(
        "decline",
        &[Takes::Mysis],
        Verb::Decline,
        "decline its server's question",
    ),
    command(
        "remind",
        &[
            Takes::Myses,
            Takes::Word(&["30m", "2h", "22:00"]),
            Takes::Text,
        ],
        Verb::Remind,
        "a direct message that it gets in 2h, or at 22:00",
    ),
    command(
        "role",
        &[Takes::Myses, Takes::Role],
        Verb::Role,
        "give a role, or none",
    ),
    command(
        "provider",
        &[Takes::Myses, Takes::Provider],
        Verb::Provider,
        "use another provider",
    ),
    command(
        "model",
        &[Takes::Myses, Takes::Model],
        Verb::Model,
        "use another model",
    ),
    command(
        "temperature",
        &[Takes::Myses, Takes::Number],
        Verb::Temperature,
        "0 to 2",
    ),
    command("open", &[Takes::Mysis], Verb::Open, "open a conversation"),
    command("filter", &[Takes::Text], Verb::Filter, FILTER_COMMAND_HELP),
    command(
        "state",
        &[Takes::State],
        Verb::State,
        "show those in one state",
    ),
    command(
        "sort",
        &[Takes::Column],
        Verb::Sort,
        "sort the table; again turns it round",
    ),
    command(
        "group",
        &[Takes::Word(&["place", "role", "model", "state", "off"])],
        Verb::Group,
        "group the table, with sums",
    ),
    command(
        "columns",
        &[Takes::Columns],
        Verb::Columns,
        "show these columns, in this order; `auto`: those that fit",
    ),
    command(
        "mark",
        &[Takes::Myses],
        Verb::Mark,
        "mark for an order to several",
    ),
    command("unmark", &[], Verb::Unmark, "mark none"),
    command(
        "find",
        &[Takes::Text],
        Verb::Find,
        "look for a text in the conversation",
    ),
    command(
        "export",
        &[Takes::Word(&["md", "jsonl"])],
        Verb::Export,
        "write the conversation to a file",
    ),
    command(
        "report",
        &[Takes::Text],
        Verb::Report,
        "write a report: of today, or since 10h, 22:00, looked",
    ),
    command("backup", &[], Verb::Backup, "write a copy of the database"),
    command("undo", &[], Verb::Undo, "undo the last order"),
    command("search", &[Takes::Text], Verb::Search, "search everything"),
    command("help", &[], Verb::Help, "show the keys"),
    command(
        "theme",
        &[Takes::Word(&[
            "dark", "light", "contrast", "terminal", "none",
        ])],
        Verb::Theme,
        "other colours",
    ),
    command(
        "letters",
        &[Takes::Word(&["unicode", "ascii"])],
        Verb::Letters,
        "ASCII letters or Unicode",
    ),
    command(
        "motion",
        &[Takes::Word(&["full", "reduced"])],
        Verb::Motion,
        "animation on or reduced",
    ),
    command(
        "mouse",
        &[Takes::Word(&["on", "off"])],
        Verb::Mouse,
        "off: the terminal selects text",
    ),
    command(
        "notify",
        &[Takes::Word(&["off", "bell", "message"])],
        Verb::Notify,
        "how to notify you when a Mysis needs you",
    ),
    command(
        "dump",
        &[],
        Verb::Dump,
        "write the screen to files, as text and as a picture",
    ),
    command("dismiss", &[], Verb::Dismiss, "dismiss all errors"),
    command("redraw", &[], Verb::Redraw, "draw the screen anew"),
    command("suspend", &[], Verb::Suspend, "to the shell's background"),
    command("reload", &[], Verb::Reload, "read the configuration again"),
    command("quit", &[], Verb::Quit, "close the program"),
];

/// All commands. Each view is opened by the name of its key.
pub static PALETTE: LazyLock<Vec<PaletteCommand>> = LazyLock::new(|| {
    // `search` takes its text in the same line.
    let views = OPENING_KEYS.iter().filter(|key| key.name != "search_swarm");
    let views = views.map(|key| command(key.name, &[], Verb::View(key.name), key.help));
    COMMANDS.iter().copied().chain(views).collect()
});

/// The argument of `:columns` that shows the columns that fit.
pub const AUTOMATIC: &str = "auto";

/// The words of a selector, beside names.
pub const MYSIS_WORDS: [SelectorWord; 7] = [
    SelectorWord::All,
    SelectorWord::Marked,
    SelectorWord::InHand,
    SelectorWord::State(LifeState::Running),
    SelectorWord::State(LifeState::Idle),
    SelectorWord::State(LifeState::Stopped),
    SelectorWord::State(LifeState::Errored),
];

/// The command of this name.
#[must_use]
pub fn find_command(name: &str) -> Option<&'static PaletteCommand> {
    PALETTE.iter().find(|command| command.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_named_once() {
        for (place, command) in PALETTE.iter().enumerate() {
            let before = &PALETTE[..place];
            assert!(before.iter().all(|other| other.name != command.name));
            assert!(before.iter().all(|other| other.verb != command.verb));
        }
    }
}
