//! Prices: the price of a model's tokens, and the price list of one seller.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bounds;
use super::model::TokenUsage;

/// The price of a million tokens in US dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenPrice {
    pub input: f64,
    pub output: f64,
    /// Of tokens of the request that came from the provider's cache. If absent, `input` applies to
    /// them too.
    pub cached: Option<f64>,
}

impl TokenPrice {
    /// The cost of a model call in millionths of a US dollar, rounded up.
    #[must_use]
    pub fn cost_micros(self, usage: TokenUsage) -> u64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "tokens of one call are far below 2^52"
        )]
        let dollars_per_million = (usage.input - usage.cached.min(usage.input)) as f64 * self.input
            + usage.cached.min(usage.input) as f64 * self.cached.unwrap_or(self.input)
            + usage.output as f64 * self.output;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is no number, or below 0, becomes 0, and what is too large the largest"
        )]
        let micros = dollars_per_million.ceil() as u64;
        micros.min(bounds::MAX_CALL_COST_MICROS)
    }

    /// Whether all tokens are free of charge: a known price of 0, not an unknown price.
    #[must_use]
    pub fn is_free(self) -> bool {
        [Some(self.input), Some(self.output), self.cached]
            .into_iter()
            .flatten()
            .all(|dollars| dollars <= 0.0)
    }
}

/// The known prices of a seller's models, by the model's name in small letters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceList(BTreeMap<Arc<str>, TokenPrice>);

impl PriceList {
    pub fn new(prices: impl IntoIterator<Item = (Arc<str>, TokenPrice)>) -> PriceList {
        PriceList(prices.into_iter().collect())
    }

    /// The price of a model. A dated edition of a listed model has the price of that model.
    pub fn find(&self, model: &str) -> Option<TokenPrice> {
        let model = model.to_ascii_lowercase();
        let editions = model.match_indices('-').map(|(at, _)| at);
        let mut listed = editions
            .filter(|at| is_edition(&model[at + 1..]))
            .filter_map(|at| self.0.get(&model[..at]));
        self.0.get(&*model).or_else(|| listed.next_back()).copied()
    }
}

/// Whether the end of a model's name names an edition: `2026-03-05`, `20260305`, `0613`, `latest`.
fn is_edition(ending: &str) -> bool {
    let digits = ending.chars().filter(char::is_ascii_digit).count();
    let is_date = ending.chars().all(|c| c.is_ascii_digit() || c == '-');
    ending == "latest" || (is_date && matches!(digits, 4 | 6 | 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_from_the_cache_has_its_own_price() {
        let usage = TokenUsage {
            input: 1000,
            output: 10,
            cached: 600,
        };
        let price = |cached| TokenPrice {
            input: 1.0,
            output: 2.0,
            cached,
        };
        assert_eq!(price(None).cost_micros(usage), 1020);
        assert_eq!(price(Some(0.1)).cost_micros(usage), 400 + 60 + 20);
        let odd = TokenUsage {
            cached: 5000,
            ..usage
        };
        assert_eq!(price(Some(0.0)).cost_micros(odd), 20);
    }

    #[test]
    fn no_price_makes_a_call_cost_more_than_any_call_can() {
        let usage = TokenUsage {
            input: 1000,
            output: 10,
            cached: 0,
        };
        for (price, micros) in [
            (1e308, bounds::MAX_CALL_COST_MICROS),
            (f64::NAN, 0),
            (-1e308, 0),
            (-3.0, 0),
        ] {
            let price = TokenPrice {
                input: price,
                output: price,
                cached: None,
            };
            assert_eq!(price.cost_micros(usage), micros, "{price:?}");
        }
    }

    #[test]
    fn a_list_finds_a_model_also_in_a_dated_edition_and_nothing_else() {
        let price = |input| TokenPrice {
            input,
            output: 1.0,
            cached: None,
        };
        let listed = [("nova-4", price(4.0)), ("nova-4-mini", price(1.0))];
        let list = PriceList::new(listed.map(|(name, price)| (name.into(), price)));
        for (model, input) in [
            ("nova-4", Some(4.0)),
            ("Nova-4", Some(4.0)),
            ("nova-4-2026-03-05", Some(4.0)),
            ("nova-4-mini-20260305", Some(1.0)),
            ("nova-4-mini-latest", Some(1.0)),
            ("nova-4-0613", Some(4.0)),
            ("nova-4-pro", None),
            ("nova-4-2", None),
            ("nova-40", None),
            ("nova", None),
            ("nova-4:free", None),
            ("", None),
        ] {
            let found = list.find(model).map(|price| price.input);
            assert_eq!(found, input, "{model}");
        }
    }

    #[test]
    fn a_price_of_nothing_is_known_and_free() {
        let price = |input, cached| TokenPrice {
            input,
            output: 0.0,
            cached,
        };
        assert!(price(0.0, None).is_free() && price(0.0, Some(0.0)).is_free());
        assert!(!price(0.1, Some(0.0)).is_free() && !price(0.0, Some(0.1)).is_free());
    }
}
