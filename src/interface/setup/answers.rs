//! The operator's answers, and how they are written on a command line.

use std::fmt;

use actors::domain::price::TokenPrice;
use zoea_settings::Secret;

/// The entry of `credentials.json` for a registration code that the operator typed in.
pub const GAME_ENTRY: &str = "game";

#[derive(Clone, Debug)]
pub struct Answers {
    pub server: ServerChoice,
    pub key: KeyAnswer,
    pub model: ModelChoice,
    /// The game, as the value of `[mcp] upstream`.
    pub game: String,
    /// The code that the game demands for a registration.
    pub code: KeyAnswer,
    pub myses: Vec<String>,
    pub cap: DailyCap,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerChoice {
    pub name: String,
    /// The server's endpoint, without a slash at its end.
    pub endpoint: String,
}

/// Where the key of a model server or the registration code of a game is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeyAnswer {
    #[default]
    None,
    Variable(String),
    /// Already in `credentials.json`, in the entry with this name.
    Stored(String),
    /// The operator typed it in. Setup writes it to `credentials.json`: a key in an entry with the
    /// provider's name, a code in [`GAME_ENTRY`].
    Typed(Secret),
}

impl KeyAnswer {
    pub fn typed(&self) -> Option<&Secret> {
        match self {
            KeyAnswer::Typed(secret) => Some(secret),
            KeyAnswer::None | KeyAnswer::Variable(_) | KeyAnswer::Stored(_) => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelChoice {
    pub name: String,
    /// The size of the model's context in tokens, if the server reports it.
    pub context_tokens: Option<u64>,
    /// The price, if the server reports it.
    pub price: Option<TokenPrice>,
}

/// The most that the swarm may spend in a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DailyCap {
    Dollars(f64),
    /// Tokens, in and out together.
    Tokens(u64),
    Unlimited,
}

impl DailyCap {
    /// The proposed cap: in dollars if the price is known, otherwise in tokens.
    pub fn default_for(is_price_known: bool) -> DailyCap {
        match is_price_known {
            true => DailyCap::Dollars(5.0),
            false => DailyCap::Tokens(20_000_000),
        }
    }

    /// Parses `2usd`, `$2`, `20Mtokens`, `500000tokens` or `unlimited`.
    ///
    /// # Errors
    /// The text is none of these. The error shows the allowed forms.
    pub fn parse(text: &str) -> Result<DailyCap, String> {
        let plain = text.trim().to_ascii_lowercase().replace([' ', '_'], "");
        let wrong = || {
            format!("`{text}` is not a cap; write 2usd, 20Mtokens (or 500000tokens) or unlimited")
        };
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
    /// Writes the form that [`DailyCap::parse`] reads.
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
