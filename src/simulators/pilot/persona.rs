//! Ways of being stuck: players that misbehave in one definite way, to try what watches over them.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Persona {
    #[default]
    Steady,
    /// Never calls a tool.
    Silent,
    /// Makes the same failing call for ever.
    Repeater,
    /// Looks at status, system and cargo for ever.
    Cycler,
    /// Mines into a full hold for ever.
    MinerFull,
    Mute,
    /// Buys an item that does not exist, for ever.
    Shopper,
    /// Flies to and fro and does nothing.
    Wanderer,
    /// Writes 2000 words.
    Essayist,
    Notifier,
    /// Sells where nobody buys, for ever.
    Selfseller,
    Docker,
    Logger,
    /// Buys and sells the same thing at a loss, for ever.
    Churner,
    /// Tries another place that does not exist, each time.
    Arguer,
    /// Looks at eight things, one after the other, for ever.
    Octet,
    Searcher,
    /// Looks, then makes a failing call, for ever.
    Waverer,
    /// Plays, and now and then tries to craft what cannot be crafted.
    Ailing,
}

pub const PERSONAS: [(Persona, &str, &str); 19] = [
    (Persona::Steady, "steady", "plays"),
    (Persona::Silent, "silent", "never calls a tool, only chats"),
    (
        Persona::Repeater,
        "repeater",
        "makes one identical failing call for ever",
    ),
    (
        Persona::Cycler,
        "cycler",
        "get_status, get_system, get_cargo for ever",
    ),
    (
        Persona::MinerFull,
        "miner_full",
        "mines into a full hold for ever",
    ),
    (Persona::Mute, "mute", "empty replies"),
    (
        Persona::Shopper,
        "shopper",
        "buys fuel_cells, which do not exist, for ever",
    ),
    (
        Persona::Wanderer,
        "wanderer",
        "travels to and fro without mining",
    ),
    (Persona::Essayist, "essayist", "essays of 2000 words"),
    (Persona::Notifier, "notifier", "get_notifications for ever"),
    (
        Persona::Selfseller,
        "selfseller",
        "sells where nobody buys, for ever",
    ),
    (Persona::Docker, "docker", "docks and undocks for ever"),
    (
        Persona::Logger,
        "logger",
        "writes into the captain's log for ever",
    ),
    (
        Persona::Churner,
        "churner",
        "buys and sells the same thing at a loss",
    ),
    (
        Persona::Arguer,
        "arguer",
        "tries another place that does not exist, each time",
    ),
    (
        Persona::Octet,
        "octet",
        "looks at eight things in turn, for ever",
    ),
    (
        Persona::Searcher,
        "searcher",
        "searches its own past for ever",
    ),
    (
        Persona::Waverer,
        "waverer",
        "looks, then makes a failing call, for ever",
    ),
    (
        Persona::Ailing,
        "ailing",
        "plays, and now and then crafts what cannot be",
    ),
];

impl fmt::Display for Persona {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PERSONAS
            .iter()
            .find(|(persona, _, _)| persona == self)
            .map_or("steady", |(_, name, _)| name);
        formatter.write_str(name)
    }
}

impl FromStr for Persona {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        PERSONAS
            .iter()
            .find(|(_, name, _)| *name == text)
            .map(|(persona, _, _)| *persona)
            .ok_or_else(|| {
                let names: Vec<&str> = PERSONAS.iter().map(|(_, name, _)| *name).collect();
                format!(
                    "`{text}` is not a persona; personas are {}",
                    names.join(", ")
                )
            })
    }
}
