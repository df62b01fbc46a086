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
    /// Show what keys do.
    Help,
    /// Close the program.
    Quit,
    /// Go to the background.
    Suspend,
    /// Draw everything anew.
    Redraw,
}

/// What keys do with the Mysis in hand, in the table and in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InHand {
    /// Write to it.
    Message,
    /// Start or relaunch it.
    Start,
    /// Stop it.
    Stop,
    /// Delete it.
    Delete,
    /// Change its settings.
    Configure,
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
    /// Dismiss an error.
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
    /// The Mysis before in the table.
    Previous,
    /// The next Mysis in the table.
    Next,
    /// Back to the table.
    Back,
}

const fn key(key: Key) -> Press {
    Press::of(key)
}

const fn letter(letter: char) -> Press {
    Press::letter(letter)
}

/// Keys that work everywhere.
pub const ANYWHERE: &[Binding<Anywhere>] = &[
    Binding {
        keys: &[letter('b')],
        gesture: Anywhere::Broadcast,
        hint: "broadcast",
        help: "broadcast a mission to the whole swarm",
    },
    Binding {
        keys: &[letter('?'), key(Key::Function(1))],
        gesture: Anywhere::Help,
        hint: "",
        help: "show this help",
    },
    Binding {
        keys: &[letter('q'), Press::ctrl('c')],
        gesture: Anywhere::Quit,
        hint: "quit",
        help: "quit; asks while Myses run",
    },
    Binding {
        keys: &[Press::ctrl('z')],
        gesture: Anywhere::Suspend,
        hint: "",
        help: "go to the background; `fg` comes back",
    },
    Binding {
        keys: &[Press::ctrl('l')],
        gesture: Anywhere::Redraw,
        hint: "",
        help: "draw the screen anew",
    },
];

/// Keys for the Mysis in hand.
pub const IN_HAND: &[Binding<InHand>] = &[
    Binding {
        keys: &[letter('m')],
        gesture: InHand::Message,
        hint: "message",
        help: "write a direct message",
    },
    Binding {
        keys: &[letter('r')],
        gesture: InHand::Start,
        hint: "start",
        help: "start or relaunch",
    },
    Binding {
        keys: &[letter('s')],
        gesture: InHand::Stop,
        hint: "stop",
        help: "stop at once",
    },
    Binding {
        keys: &[letter('d'), key(Key::Delete)],
        gesture: InHand::Delete,
        hint: "delete",
        help: "delete with its conversation; asks first",
    },
    Binding {
        keys: &[letter('c')],
        gesture: InHand::Configure,
        hint: "configure",
        help: "change provider, model and temperature",
    },
];

/// Keys of the table of Myses.
pub const IN_TABLE: &[Binding<InTable>] = &[
    Binding {
        keys: &[key(Key::Enter), key(Key::Right)],
        gesture: InTable::Open,
        hint: "open",
        help: "open the conversation",
    },
    Binding {
        keys: &[letter('n')],
        gesture: InTable::New,
        hint: "new",
        help: "create a Mysis",
    },
    Binding {
        keys: &[key(Key::Up), letter('k')],
        gesture: InTable::Up,
        hint: "",
        help: "up",
    },
    Binding {
        keys: &[key(Key::Down), letter('j')],
        gesture: InTable::Down,
        hint: "",
        help: "down",
    },
    Binding {
        keys: &[key(Key::PageUp), Press::ctrl('b')],
        gesture: InTable::PageUp,
        hint: "",
        help: "a page up",
    },
    Binding {
        keys: &[key(Key::PageDown), Press::ctrl('f')],
        gesture: InTable::PageDown,
        hint: "",
        help: "a page down",
    },
    Binding {
        keys: &[key(Key::Home), letter('g')],
        gesture: InTable::First,
        hint: "",
        help: "to the first",
    },
    Binding {
        keys: &[key(Key::End), letter('G')],
        gesture: InTable::Last,
        hint: "",
        help: "to the last",
    },
    Binding {
        keys: &[key(Key::Esc)],
        gesture: InTable::Back,
        hint: "",
        help: "dismiss the error that is shown",
    },
];

/// Keys of a conversation.
pub const IN_FOCUS: &[Binding<InFocus>] = &[
    Binding {
        keys: &[key(Key::Esc)],
        gesture: InFocus::Back,
        hint: "back",
        help: "dismiss the error that is shown, or go back to the table",
    },
    Binding {
        keys: &[key(Key::Up), letter('k')],
        gesture: InFocus::Up,
        hint: "",
        help: "a line up",
    },
    Binding {
        keys: &[key(Key::Down), letter('j')],
        gesture: InFocus::Down,
        hint: "",
        help: "a line down",
    },
    Binding {
        keys: &[key(Key::PageUp), Press::ctrl('b')],
        gesture: InFocus::PageUp,
        hint: "",
        help: "a page up",
    },
    Binding {
        keys: &[key(Key::PageDown), Press::ctrl('f')],
        gesture: InFocus::PageDown,
        hint: "",
        help: "a page down",
    },
    Binding {
        keys: &[letter('g'), key(Key::Home)],
        gesture: InFocus::Top,
        hint: "top",
        help: "to the first message",
    },
    Binding {
        keys: &[letter('G'), key(Key::End)],
        gesture: InFocus::Bottom,
        hint: "bottom",
        help: "to the newest message, and follow",
    },
    Binding {
        keys: &[letter('K'), Press::shift(Key::Up)],
        gesture: InFocus::EntryUp,
        hint: "entry",
        help: "select the entry before",
    },
    Binding {
        keys: &[letter('J'), Press::shift(Key::Down)],
        gesture: InFocus::EntryDown,
        hint: "",
        help: "select the next entry",
    },
    Binding {
        keys: &[letter(' '), key(Key::Enter)],
        gesture: InFocus::Turn,
        hint: "unfold",
        help: "show the selected entry whole, or fold it",
    },
    Binding {
        keys: &[letter('z')],
        gesture: InFocus::TurnAll,
        hint: "",
        help: "show all entries whole, or fold them",
    },
    Binding {
        keys: &[letter('t')],
        gesture: InFocus::Reasoning,
        hint: "thoughts",
        help: "show all reasoning whole, or fold it",
    },
    Binding {
        keys: &[key(Key::Left), letter('[')],
        gesture: InFocus::Previous,
        hint: "",
        help: "the Mysis before",
    },
    Binding {
        keys: &[key(Key::Right), letter(']')],
        gesture: InFocus::Next,
        hint: "next",
        help: "the next Mysis",
    },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_of<G>(tables: &[Binding<G>]) -> Vec<Press> {
        tables
            .iter()
            .flat_map(|binding| binding.keys.iter().copied())
            .collect()
    }

    #[test]
    fn no_key_means_two_things_in_one_view() {
        let shared = [keys_of(ANYWHERE), keys_of(IN_HAND)].concat();
        for view in [keys_of(IN_TABLE), keys_of(IN_FOCUS)] {
            let all = [shared.clone(), view].concat();
            for (place, press) in all.iter().enumerate() {
                assert!(!all[..place].contains(press), "{press} is bound twice");
            }
        }
    }
}
