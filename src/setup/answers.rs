//! What an operator answers, and how the answers are written on a command line.

use std::fmt;

use actors::domain::price::TokenPrice;

use crate::settings::Secret;

/// The entry of `credentials.json` in which a registration code is kept that was typed in.
pub const GAME_ENTRY: &str = "game";

/// Everything that was answered.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The model server.
    pub server: ServerAnswer,
    /// Its key.
    pub key: KeyAnswer,
    /// The model.
    pub model: ModelAnswer,
    /// The game, as `[mcp] upstream` has it.
    pub game: String,
    /// What the game wants from whoever registers.
    pub code: KeyAnswer,
    /// The names of the Myses.
    pub myses: Vec<String>,
    /// What they may spend in a day.
    pub cap: DailyCap,
}

/// A model server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAnswer {
    /// The provider's name in the configuration.
    pub name: String,
    /// Its endpoint, without a slash at its end.
    pub endpoint: String,
}

/// Where the key of a model server or the registration code of a game is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeyAnswer {
    /// The server wants none.
    #[default]
    None,
    /// In this variable of the environment.
    Variable(String),
    /// In `credentials.json` already, under this name.
    Stored(String),
    /// It was typed in, and goes into `credentials.json`: a key under the provider's name, a code under
    /// [`GAME_ENTRY`].
    Typed(Secret),
}

impl KeyAnswer {
    /// What was typed in.
    #[must_use]
    pub fn typed(&self) -> Option<&Secret> {
        match self {
            KeyAnswer::Typed(secret) => Some(secret),
            KeyAnswer::None | KeyAnswer::Variable(_) | KeyAnswer::Stored(_) => None,
        }
    }
}

/// A model, and what its server told of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// Its name.
    pub name: String,
    /// How many tokens its server takes.
    pub context_tokens: Option<u64>,
    /// What its server says it costs.
    pub price: Option<TokenPrice>,
}

/// What the swarm may spend in a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DailyCap {
    /// US dollars.
    Dollars(f64),
    /// Tokens in and out.
    Tokens(u64),
    /// Any amount.
    Unlimited,
}

impl DailyCap {
    /// What is proposed: dollars where the price is known, else tokens.
    #[must_use]
    pub fn default_for(is_price_known: bool) -> DailyCap {
        match is_price_known {
            true => DailyCap::Dollars(5.0),
            false => DailyCap::Tokens(20_000_000),
        }
    }

    /// Reads `2usd`, `$2`, `20Mtokens`, `500000tokens` or `unlimited`.
    ///
    /// # Errors
    /// It is none of them; the text says what it is to look like.
    pub fn parse(text: &str) -> Result<DailyCap, String> {
        let plain = text.trim().to_ascii_lowercase().replace([' ', '_'], "");
        let wrong =
            || format!("`{text}` is no cap; write 2usd, 20Mtokens (or 500000tokens) or unlimited");
        if plain == "unlimited" {
            return Ok(DailyCap::Unlimited);
        }
        if let Some(tokens) = plain.strip_suffix("tokens") {
            let (digits, factor) = match tokens.strip_suffix('m') {
                Some(millions) => (millions, 1_000_000),
                None => (tokens, 1),
            };
            let count = digits.parse::<u64>().ok();
            let count = count.and_then(|count| count.checked_mul(factor));
            let is_sound = |count: &u64| (1..=1 << 53).contains(count);
            return count
                .filter(is_sound)
                .map(DailyCap::Tokens)
                .ok_or_else(wrong);
        }
        let dollars = plain.strip_suffix("usd").or(plain.strip_prefix('$'));
        let dollars = dollars.and_then(|dollars| dollars.parse::<f64>().ok());
        let is_sound = |dollars: &f64| dollars.is_finite() && (0.01..=1e6).contains(dollars);
        dollars
            .filter(is_sound)
            .map(DailyCap::Dollars)
            .ok_or_else(wrong)
    }
}

impl fmt::Display for DailyCap {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DailyCap::Dollars(dollars) => write!(f, "{dollars}usd"),
            DailyCap::Tokens(tokens) if tokens % 1_000_000 == 0 => {
                write!(f, "{}Mtokens", tokens / 1_000_000)
            }
            DailyCap::Tokens(tokens) => write!(f, "{tokens}tokens"),
            DailyCap::Unlimited => f.write_str("unlimited"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_read_as_it_is_written() {
        for (text, cap) in [
            ("2usd", DailyCap::Dollars(2.0)),
            ("$0.50", DailyCap::Dollars(0.5)),
            ("2 USD", DailyCap::Dollars(2.0)),
            ("20Mtokens", DailyCap::Tokens(20_000_000)),
            ("500_000 tokens", DailyCap::Tokens(500_000)),
            ("unlimited", DailyCap::Unlimited),
        ] {
            assert_eq!(DailyCap::parse(text), Ok(cap), "{text}");
            assert_eq!(DailyCap::parse(&cap.to_string()), Ok(cap), "{cap}");
        }
        for text in [
            "",
            "2",
            "usd",
            "-1usd",
            "0usd",
            "NaNusd",
            "0tokens",
            "xtokens",
            "99999999999999Mtokens",
        ] {
            assert!(DailyCap::parse(text).is_err(), "{text}");
        }
    }
}
