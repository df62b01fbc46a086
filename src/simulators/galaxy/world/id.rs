//! Ids of the game: 32 hexadecimal digits on the wire, one number inside.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The id of a player, a ship, a module or an accepted mission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Id(u128);

pub type PlayerId = Id;

impl Id {
    pub(super) fn new(number: u128) -> Self {
        Self(number)
    }

    pub(super) fn roll_key(self) -> u64 {
        self.0 as u64
    }

    /// The 16 digits that message ids have.
    pub(super) fn short_text(self) -> String {
        format!("{:016x}", self.roll_key())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Id {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != 32 {
            return Err(format!("`{text}` is not an id of 32 hexadecimal digits"));
        }
        u128::from_str_radix(text, 16)
            .map(Self)
            .map_err(|error| format!("`{text}` is not an id: {error}"))
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        let id = Id::new(0xabc);
        assert_eq!(id.to_string(), "00000000000000000000000000000abc");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!("abc".parse::<Id>().is_err());
        assert!("zz000000000000000000000000000abc".parse::<Id>().is_err());
    }
}
