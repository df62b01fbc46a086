//! Keys: the one table of what every key does in every view. The help screen and the line of hints
//! are made from it.

use super::press::{Key, Press};

/// What one or several keys do.
#[derive(Clone, Copy, Debug)]
pub struct Binding<G: 'static> {
    /// The keys; the first one is shown in hints.
    pub keys: &'static [Press],
    /// What they do.
    pub gesture: G,
    /// That in one word, for the line of hints; empty: not worth a place there.
    pub hint: &'static str,
    /// That in a sentence, for the help screen.
    pub help: &'static str,
}

/// What keys do everywhere, unless a field or a question has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anywhere {
    /// Write a mission.
    Broadcast,
    /// Write a command.
    Palette,
    /// Show what flew past.
    Log,
    /// Take the last order back.
    Undo,
    /// Write the screen to files.
    Dump,
    /// Give the mouse to the terminal, or take it back.
    Mouse,
    /// Show what keys do.
    Help,
    /// Close the program.
    Quit,
    /// Go to the background.
    Suspend,
    /// Draw everything anew.
    Redraw,
}

/// What keys do with the Myses in hand: those that are marked, else the one selected or open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InHand {
    /// Write to them.
    Message,
    /// Give them something to keep in mind.
    Note,
    /// Start or relaunch them.
    Start,
    /// Stop them.
    Stop,
    /// Delete them.
    Delete,
    /// Change the settings of one.
    Configure,
    /// Show the request that was last sent.
    Request,
}

/// What keys do in the table of Myses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTable {
    /// One up.
    Up,
    /// One down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// Open the conversation.
    Open,
    /// A new Mysis.
    New,
    /// Show only some.
    Filter,
    /// Show those in the next state.
    State,
    /// Sort by the next column.
    Sort,
    /// Sort the other way round.
    Turn,
    /// Mark, or no longer.
    Mark,
    /// Mark from the last mark to here.
    MarkRange,
    /// Mark all, or none.
    MarkAll,
    /// To the next one who needs the operator.
    NextNeed,
    /// Dismiss an error, drop marks, show all.
    Back,
}

/// What keys do in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFocus {
    /// A line up.
    Up,
    /// A line down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first row.
    Top,
    /// To the newest row, and stay there.
    Bottom,
    /// Select the entry before.
    EntryUp,
    /// Select the next entry.
    EntryDown,
    /// Show the selected entry whole, or no longer.
    Turn,
    /// Show all entries whole, or no longer.
    TurnAll,
    /// Show all reasoning whole, or no longer.
    Reasoning,
    /// Look into the selected entry.
    Inspect,
    /// Copy the selected entry.
    Copy,
    /// Look for a text.
    Find,
    /// To the next place of the text.
    NextMatch,
    /// To the place of the text before.
    MatchBefore,
    /// To the error before.
    ErrorBefore,
    /// To the next error.
    NextError,
    /// To the order before.
    OrderBefore,
    /// To the next order.
    NextOrder,
    /// Show or hide the panel at the side.
    Panel,
    /// The Mysis before in the table.
    Previous,
    /// The next Mysis in the table.
    Next,
    /// Stop looking, dismiss an error, go back to the table.
    Back,
}

/// What keys do in an entry that is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InEntry {
    /// One up.
    Up,
    /// One down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// Open or close.
    Turn,
    /// Open.
    Open,
    /// Close.
    Close,
    /// Open or close everything.
    TurnAll,
    /// Look for a text.
    Find,
    /// To the next place of the text.
    NextMatch,
    /// To the place of the text before.
    MatchBefore,
    /// Copy what is selected.
    Copy,
    /// Copy everything.
    CopyAll,
    /// Back to the conversation.
    Back,
}

/// What keys do in a list that is only read: the log, help, a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InList {
    /// A line up.
    Up,
    /// A line down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// Show only what is more serious, in the end everything.
    Severity,
    /// Close it.
    Back,
}

const fn key(key: Key) -> Press {
    Press::of(key)
}

const fn letter(letter: char) -> Press {
    Press::letter(letter)
}

const fn bind<G>(
    keys: &'static [Press],
    gesture: G,
    hint: &'static str,
    help: &'static str,
) -> Binding<G> {
    Binding {
        keys,
        gesture,
        hint,
        help,
    }
}

/// Keys that work everywhere.
pub const ANYWHERE: &[Binding<Anywhere>] = &[
    bind(
        &[letter('b')],
        Anywhere::Broadcast,
        "broadcast",
        "broadcast a mission to the whole swarm",
    ),
    bind(
        &[letter(':')],
        Anywhere::Palette,
        "command",
        "write a command, with completion",
    ),
    bind(&[letter('L')], Anywhere::Log, "log", "show what flew past"),
    bind(
        &[letter('U')],
        Anywhere::Undo,
        "",
        "take the last order back, where that can be done",
    ),
    bind(
        &[letter('P')],
        Anywhere::Dump,
        "",
        "write the screen to files, as text and as a picture",
    ),
    bind(
        &[letter('M')],
        Anywhere::Mouse,
        "",
        "give the mouse to the terminal, to select text, or take it back",
    ),
    bind(
        &[letter('?'), key(Key::Function(1))],
        Anywhere::Help,
        "",
        "show this help",
    ),
    bind(
        &[letter('q'), Press::ctrl('c')],
        Anywhere::Quit,
        "quit",
        "quit; asks while Myses run",
    ),
    bind(
        &[Press::ctrl('z')],
        Anywhere::Suspend,
        "",
        "go to the background; `fg` comes back",
    ),
    bind(
        &[Press::ctrl('l')],
        Anywhere::Redraw,
        "",
        "draw the screen anew",
    ),
];

/// Keys for the Myses in hand.
pub const IN_HAND: &[Binding<InHand>] = &[
    bind(
        &[letter('m')],
        InHand::Message,
        "message",
        "write a direct message",
    ),
    bind(&[letter('r')], InHand::Start, "start", "start or relaunch"),
    bind(&[letter('s')], InHand::Stop, "stop", "stop at once"),
    bind(
        &[letter('d'), key(Key::Delete)],
        InHand::Delete,
        "delete",
        "delete with the conversation; asks first",
    ),
    bind(
        &[letter('c')],
        InHand::Configure,
        "configure",
        "change provider, model and temperature",
    ),
    bind(
        &[letter('a')],
        InHand::Note,
        "note",
        "add something to keep in mind",
    ),
    bind(
        &[letter('x')],
        InHand::Request,
        "",
        "show the exact request that was last sent",
    ),
];

/// Keys of the table of Myses.
pub const IN_TABLE: &[Binding<InTable>] = &[
    bind(
        &[key(Key::Enter), key(Key::Right)],
        InTable::Open,
        "open",
        "open the conversation",
    ),
    bind(&[letter('n')], InTable::New, "new", "create a Mysis"),
    bind(
        &[letter('/')],
        InTable::Filter,
        "filter",
        "show whom it fits: word, !word, ~regex",
    ),
    bind(
        &[letter('f')],
        InTable::State,
        "",
        "show those in the next state",
    ),
    bind(
        &[letter(' ')],
        InTable::Mark,
        "mark",
        "mark for orders to many",
    ),
    bind(
        &[letter('V')],
        InTable::MarkRange,
        "",
        "mark from the last mark to here",
    ),
    bind(
        &[letter('*'), Press::ctrl('a')],
        InTable::MarkAll,
        "",
        "mark all that are shown, or none",
    ),
    bind(
        &[letter('o')],
        InTable::Sort,
        "sort",
        "sort by the next column",
    ),
    bind(
        &[letter('O')],
        InTable::Turn,
        "",
        "sort the other way round",
    ),
    bind(
        &[letter('!')],
        InTable::NextNeed,
        "",
        "to the next one who needs you",
    ),
    bind(&[key(Key::Up), letter('k')], InTable::Up, "", "up"),
    bind(&[key(Key::Down), letter('j')], InTable::Down, "", "down"),
    bind(
        &[key(Key::PageUp), Press::ctrl('b')],
        InTable::PageUp,
        "",
        "a page up",
    ),
    bind(
        &[key(Key::PageDown), Press::ctrl('f')],
        InTable::PageDown,
        "",
        "a page down",
    ),
    bind(
        &[key(Key::Home), letter('g')],
        InTable::First,
        "",
        "to the first",
    ),
    bind(
        &[key(Key::End), letter('G')],
        InTable::Last,
        "",
        "to the last",
    ),
    bind(
        &[key(Key::Esc)],
        InTable::Back,
        "",
        "dismiss the error that is shown, drop marks, show all",
    ),
];

/// Keys of a conversation.
pub const IN_FOCUS: &[Binding<InFocus>] = &[
    bind(
        &[key(Key::Esc)],
        InFocus::Back,
        "back",
        "stop looking, dismiss the error that is shown, go back",
    ),
    bind(&[key(Key::Up), letter('k')], InFocus::Up, "", "a line up"),
    bind(
        &[key(Key::Down), letter('j')],
        InFocus::Down,
        "",
        "a line down",
    ),
    bind(
        &[key(Key::PageUp), Press::ctrl('b')],
        InFocus::PageUp,
        "",
        "a page up",
    ),
    bind(
        &[key(Key::PageDown), Press::ctrl('f')],
        InFocus::PageDown,
        "",
        "a page down",
    ),
    bind(
        &[letter('g'), key(Key::Home)],
        InFocus::Top,
        "top",
        "to the first message",
    ),
    bind(
        &[letter('G'), key(Key::End)],
        InFocus::Bottom,
        "bottom",
        "to the newest message, and follow",
    ),
    bind(
        &[letter('K'), Press::shift(Key::Up)],
        InFocus::EntryUp,
        "entry",
        "select the entry before",
    ),
    bind(
        &[letter('J'), Press::shift(Key::Down)],
        InFocus::EntryDown,
        "",
        "select the next entry",
    ),
    bind(
        &[key(Key::Enter), letter('i')],
        InFocus::Inspect,
        "look into",
        "look into the selected entry",
    ),
    bind(
        &[letter(' ')],
        InFocus::Turn,
        "unfold",
        "show the selected entry whole, or fold it",
    ),
    bind(
        &[letter('z')],
        InFocus::TurnAll,
        "",
        "show all entries whole, or fold them",
    ),
    bind(
        &[letter('t')],
        InFocus::Reasoning,
        "thoughts",
        "show all reasoning whole, or fold it",
    ),
    bind(&[letter('/')], InFocus::Find, "find", "look for a text"),
    bind(
        &[letter('n')],
        InFocus::NextMatch,
        "",
        "to the next place of the text",
    ),
    bind(
        &[letter('N')],
        InFocus::MatchBefore,
        "",
        "to the place of the text before",
    ),
    bind(
        &[letter('e')],
        InFocus::ErrorBefore,
        "error",
        "to the error before",
    ),
    bind(&[letter('E')], InFocus::NextError, "", "to the next error"),
    bind(
        &[letter('o')],
        InFocus::OrderBefore,
        "",
        "to the order before",
    ),
    bind(&[letter('O')], InFocus::NextOrder, "", "to the next order"),
    bind(&[letter('y')], InFocus::Copy, "", "copy the selected entry"),
    bind(
        &[letter('p')],
        InFocus::Panel,
        "panel",
        "show or hide the panel at the side",
    ),
    bind(
        &[key(Key::Left), letter('[')],
        InFocus::Previous,
        "",
        "the Mysis before",
    ),
    bind(
        &[key(Key::Right), letter(']')],
        InFocus::Next,
        "next",
        "the next Mysis",
    ),
];

/// Keys of an entry that is looked into.
pub const IN_ENTRY: &[Binding<InEntry>] = &[
    bind(
        &[key(Key::Esc), letter('q')],
        InEntry::Back,
        "back",
        "back to the conversation",
    ),
    bind(
        &[key(Key::Enter), letter(' ')],
        InEntry::Turn,
        "fold",
        "open or close",
    ),
    bind(
        &[key(Key::Right), letter('l')],
        InEntry::Open,
        "",
        "open, or go inside",
    ),
    bind(
        &[key(Key::Left), letter('h')],
        InEntry::Close,
        "",
        "close, or go outside",
    ),
    bind(
        &[letter('z')],
        InEntry::TurnAll,
        "fold all",
        "open or close everything",
    ),
    bind(&[letter('/')], InEntry::Find, "find", "look for a text"),
    bind(
        &[letter('n')],
        InEntry::NextMatch,
        "next",
        "to the next place of the text",
    ),
    bind(
        &[letter('N')],
        InEntry::MatchBefore,
        "",
        "to the place of the text before",
    ),
    bind(
        &[letter('y')],
        InEntry::Copy,
        "copy",
        "copy what is selected",
    ),
    bind(
        &[letter('Y')],
        InEntry::CopyAll,
        "copy all",
        "copy everything",
    ),
    bind(&[key(Key::Up), letter('k')], InEntry::Up, "", "up"),
    bind(&[key(Key::Down), letter('j')], InEntry::Down, "", "down"),
    bind(
        &[key(Key::PageUp), Press::ctrl('b')],
        InEntry::PageUp,
        "",
        "a page up",
    ),
    bind(
        &[key(Key::PageDown), Press::ctrl('f')],
        InEntry::PageDown,
        "",
        "a page down",
    ),
    bind(
        &[key(Key::Home), letter('g')],
        InEntry::First,
        "",
        "to the first",
    ),
    bind(
        &[key(Key::End), letter('G')],
        InEntry::Last,
        "",
        "to the last",
    ),
];

/// Keys of the log, of help, of a request.
pub const IN_LIST: &[Binding<InList>] = &[
    bind(
        &[key(Key::Esc), letter('q')],
        InList::Back,
        "close",
        "close it",
    ),
    bind(
        &[letter('f')],
        InList::Severity,
        "only serious",
        "show only what is more serious, in the end everything",
    ),
    bind(&[key(Key::Up), letter('k')], InList::Up, "", "up"),
    bind(&[key(Key::Down), letter('j')], InList::Down, "", "down"),
    bind(
        &[key(Key::PageUp), Press::ctrl('b')],
        InList::PageUp,
        "",
        "a page up",
    ),
    bind(
        &[key(Key::PageDown), Press::ctrl('f'), letter(' ')],
        InList::PageDown,
        "",
        "a page down",
    ),
    bind(
        &[key(Key::Home), letter('g')],
        InList::First,
        "",
        "to the first line",
    ),
    bind(
        &[key(Key::End), letter('G')],
        InList::Last,
        "",
        "to the last line",
    ),
];

/// What a key does, by one table.
#[must_use]
pub fn find<G: Copy>(table: &[Binding<G>], press: Press) -> Option<G> {
    table
        .iter()
        .find(|binding| binding.keys.contains(&press))
        .map(|binding| binding.gesture)
}

/// A line of the help screen: the keys, and what they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The keys.
    pub keys: String,
    /// What they do.
    pub help: &'static str,
}

/// A part of the help screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// What it is about.
    pub title: &'static str,
    /// Its lines.
    pub lines: Vec<Help>,
}

/// One part of the help screen, from its table.
#[must_use]
pub fn chapter<G>(title: &'static str, table: &[Binding<G>]) -> Chapter {
    let lines = table.iter().map(|binding| {
        let keys: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
        Help {
            keys: keys.join("  "),
            help: binding.help,
        }
    });
    Chapter {
        title,
        lines: lines.collect(),
    }
}

/// The keys of a table that are worth a place in the line of hints.
pub fn hints<G>(table: &'static [Binding<G>]) -> impl Iterator<Item = (String, &'static str)> {
    table
        .iter()
        .filter(|binding| !binding.hint.is_empty())
        .filter_map(|binding| Some((binding.keys.first()?.to_string(), binding.hint)))
}

/// What the keys of a table do, in words, with the first key of each.
pub fn gestures<G>(
    table: &'static [Binding<G>],
) -> Box<dyn Iterator<Item = (&'static str, Press)>> {
    Box::new(
        table
            .iter()
            .filter_map(|binding| Some((binding.help, *binding.keys.first()?))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_of<G>(tables: &[Binding<G>]) -> Vec<Press> {
        tables
            .iter()
            .flat_map(|binding| binding.keys.iter().copied())
            .collect()
    }

    fn is_free_of_twins(keys: &[Press]) {
        for (place, press) in keys.iter().enumerate() {
            assert!(!keys[..place].contains(press), "{press} is bound twice");
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_view() {
        let shared = [keys_of(ANYWHERE), keys_of(IN_HAND)].concat();
        for view in [keys_of(IN_TABLE), keys_of(IN_FOCUS)] {
            is_free_of_twins(&[shared.clone(), view].concat());
        }
        is_free_of_twins(&keys_of(IN_ENTRY));
        is_free_of_twins(&keys_of(IN_LIST));
    }
}
