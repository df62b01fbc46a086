//! Ways of being stuck: players that misbehave in one definite way, to try what watches over them.

use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray};

/// The personas, each with what it does.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Display,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(
    serialize_all = "snake_case",
    parse_err_ty = String,
    parse_err_fn = no_such_persona
)]
pub enum Persona {
    #[default]
    #[strum(message = "plays")]
    Steady,
    #[strum(message = "never calls a tool, only chats")]
    Silent,
    #[strum(message = "makes one identical failing call for ever")]
    Repeater,
    #[strum(message = "get_status, get_system, get_cargo for ever")]
    Cycler,
    #[strum(message = "mines into a full hold for ever")]
    MinerFull,
    #[strum(message = "empty replies")]
    Mute,
    #[strum(message = "buys fuel_cells, which do not exist, for ever")]
    Shopper,
    #[strum(message = "travels to and fro without mining")]
    Wanderer,
    #[strum(message = "essays of 2000 words")]
    Essayist,
    #[strum(message = "get_notifications for ever")]
    Notifier,
    #[strum(message = "sells where nobody buys, for ever")]
    Selfseller,
    #[strum(message = "docks and undocks for ever")]
    Docker,
    #[strum(message = "writes into the captain's log for ever")]
    Logger,
    #[strum(message = "buys and sells the same thing at a loss")]
    Churner,
    #[strum(message = "tries another place that does not exist, each time")]
    Arguer,
    #[strum(message = "looks at eight things in turn, for ever")]
    Octet,
    #[strum(message = "searches its own past for ever")]
    Searcher,
    #[strum(message = "looks, then makes a failing call, for ever")]
    Waverer,
    #[strum(message = "plays, and now and then crafts what cannot be")]
    Ailing,
}

impl Persona {
    /// The names of all personas, each with what it does.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        let personas = Self::VARIANTS.iter();
        personas.map(|persona| (persona.into(), persona.get_message().unwrap_or_default()))
    }
}

fn no_such_persona(text: &str) -> String {
    let names: Vec<&str> = Persona::all().map(|(name, _)| name).collect();
    format!(
        "`{text}` is not a persona; personas are {}",
        names.join(", ")
    )
}
