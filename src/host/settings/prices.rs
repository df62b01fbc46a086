//! The built-in prices of well-known models at the sellers. They apply if the operator configures
//! no price.
//!
//! The prices are those of 2026-07-24, in US dollars for a million tokens: input, output, input
//! from the cache. They are from the public list `model_prices_and_context_window.json` of the
//! LiteLLM project of that day, and were compared with pages about the sellers' own price lists
//! (OpenAI, Gemini, Groq: June 2026). A model is left out if these sources differ, if it has price
//! tiers below 200,000 tokens, or if it is about to be retired; its price is then unknown. `price`
//! of a provider in the configuration replaces this list.
//!
//! A price belongs to a seller: at another address, the same name can be another model.

mod book;

use url::Url;
use zoea_domain::price::{PriceList, TokenPrice};

pub use book::PriceBook;

/// A model's name, and US dollars for a million tokens: input, output, input from the cache.
type ListedPrice = (&'static str, f64, f64, Option<f64>);

struct PricedSeller {
    /// The host of the seller's endpoint.
    host: &'static str,
    /// The prefix of this seller's models at OpenRouter, if OpenRouter sells them at the same
    /// prices.
    vendor: Option<&'static str>,
    models: &'static [ListedPrice],
}

const OPENROUTER_HOST: &str = "openrouter.ai";

const SELLERS: [PricedSeller; 8] = [
    PricedSeller {
        host: "api.openai.com",
        vendor: Some("openai"),
        models: &[
            ("gpt-4o", 2.5, 10.0, Some(1.25)),
            ("gpt-4o-mini", 0.15, 0.6, Some(0.075)),
            ("gpt-4.1", 2.0, 8.0, Some(0.5)),
            ("gpt-4.1-mini", 0.4, 1.6, Some(0.1)),
            ("gpt-4.1-nano", 0.1, 0.4, Some(0.025)),
            ("gpt-5", 1.25, 10.0, Some(0.125)),
            ("gpt-5-mini", 0.25, 2.0, Some(0.025)),
            ("gpt-5-nano", 0.05, 0.4, Some(0.005)),
            ("gpt-5.1", 1.25, 10.0, Some(0.125)),
            ("gpt-5.2", 1.75, 14.0, Some(0.175)),
            ("gpt-5.4", 2.5, 15.0, Some(0.25)),
            ("gpt-5.4-mini", 0.75, 4.5, Some(0.075)),
            ("gpt-5.4-nano", 0.2, 1.25, Some(0.02)),
            ("gpt-5.5", 5.0, 30.0, Some(0.5)),
            ("o3", 2.0, 8.0, Some(0.5)),
            ("o3-mini", 1.1, 4.4, Some(0.55)),
            ("o4-mini", 1.1, 4.4, Some(0.275)),
        ],
    },
    PricedSeller {
        host: "api.anthropic.com",
        vendor: Some("anthropic"),
        models: &[
            ("claude-haiku-4-5", 1.0, 5.0, Some(0.1)),
            ("claude-sonnet-4-5", 3.0, 15.0, Some(0.3)),
            ("claude-sonnet-4-6", 3.0, 15.0, Some(0.3)),
            ("claude-opus-4-5", 5.0, 25.0, Some(0.5)),
            ("claude-opus-4-6", 5.0, 25.0, Some(0.5)),
            ("claude-opus-4-7", 5.0, 25.0, Some(0.5)),
        ],
    },
    PricedSeller {
        host: "generativelanguage.googleapis.com",
        vendor: Some("google"),
        models: &[
            ("gemini-2.5-flash-lite", 0.1, 0.4, Some(0.01)),
            ("gemini-2.5-flash", 0.3, 2.5, Some(0.03)),
            ("gemini-2.5-pro", 1.25, 10.0, Some(0.125)),
            ("gemini-3-flash-preview", 0.5, 3.0, Some(0.05)),
            ("gemini-3.1-flash-lite", 0.25, 1.5, Some(0.025)),
            ("gemini-3.1-pro-preview", 2.0, 12.0, Some(0.2)),
            ("gemini-3.5-flash", 1.5, 9.0, Some(0.15)),
        ],
    },
    PricedSeller {
        host: "api.deepseek.com",
        // OpenRouter routes these to other sellers, at other prices.
        vendor: None,
        models: &[
            ("deepseek-chat", 0.28, 0.42, Some(0.028)),
            ("deepseek-v4-flash", 0.14, 0.28, Some(0.0028)),
            ("deepseek-v4-pro", 0.435, 0.87, Some(0.0036)),
        ],
    },
    PricedSeller {
        host: "api.mistral.ai",
        vendor: None,
        models: &[
            ("mistral-large-2512", 0.5, 1.5, None),
            ("mistral-large-latest", 0.5, 1.5, None),
            ("mistral-medium-2508", 0.4, 2.0, None),
            ("ministral-8b-2512", 0.15, 0.15, None),
        ],
    },
    PricedSeller {
        host: "api.groq.com",
        vendor: None,
        models: &[
            ("llama-3.1-8b-instant", 0.05, 0.08, None),
            ("llama-3.3-70b-versatile", 0.59, 0.79, None),
            ("openai/gpt-oss-20b", 0.075, 0.3, Some(0.0375)),
            ("openai/gpt-oss-120b", 0.15, 0.6, Some(0.075)),
            ("qwen/qwen3-32b", 0.29, 0.59, None),
        ],
    },
    PricedSeller {
        host: "api.x.ai",
        vendor: Some("x-ai"),
        models: &[
            ("grok-3", 3.0, 15.0, Some(0.75)),
            ("grok-3-mini", 0.3, 0.5, Some(0.075)),
            ("grok-4.3", 1.25, 2.5, Some(0.2)),
            ("grok-4.5", 2.0, 6.0, Some(0.5)),
        ],
    },
    PricedSeller {
        // Alibaba Cloud outside of China. Inside of China, prices are in yuan.
        host: "dashscope-intl.aliyuncs.com",
        vendor: None,
        models: &[
            ("qwen-max", 1.6, 6.4, None),
            ("qwen-plus", 0.4, 1.2, None),
            ("qwen-turbo", 0.05, 0.2, None),
        ],
    },
];

/// The known prices at an endpoint. The list is empty if the seller is not known.
pub fn price_list(endpoint: &str) -> PriceList {
    let url = Url::parse(endpoint).ok();
    let Some(host) = url.as_ref().and_then(Url::host_str) else {
        return PriceList::default();
    };
    let price = |&(_, input, output, cached): &ListedPrice| TokenPrice {
        input,
        output,
        cached,
    };
    if host == OPENROUTER_HOST {
        let resold = SELLERS.iter().filter_map(|seller| {
            let vendor = seller.vendor?;
            let models = seller.models.iter();
            Some(
                models.map(move |listed| (openrouter_name(vendor, listed.0).into(), price(listed))),
            )
        });
        return PriceList::new(resold.flatten());
    }
    let models = SELLERS.iter().filter(|seller| seller.host == host);
    let models = models.flat_map(|seller| seller.models);
    PriceList::new(models.map(|listed| (listed.0.into(), price(listed))))
}

/// OpenRouter's version of a name: `anthropic/claude-haiku-4.5` for Anthropic's `claude-haiku-4-5`.
fn openrouter_name(vendor: &str, model: &str) -> String {
    let version = model
        .rsplit_once('-')
        .zip(model.strip_suffix(|c: char| c.is_ascii_digit()));
    match version {
        Some(((name, minor), _)) if vendor == "anthropic" => format!("{vendor}/{name}.{minor}"),
        _ => format!("{vendor}/{model}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input_price(endpoint: &str, model: &str) -> Option<f64> {
        price_list(endpoint).find(model).map(|price| price.input)
    }

    #[test]
    fn a_model_is_known_at_its_seller_and_at_openrouter() {
        for (endpoint, model, input) in [
            ("https://api.openai.com/v1", "gpt-4o-mini", 0.15),
            ("https://api.openai.com/v1", "gpt-4o-mini-2024-07-18", 0.15),
            ("https://openrouter.ai/api/v1", "openai/gpt-4o-mini", 0.15),
            ("https://api.anthropic.com/v1", "claude-haiku-4-5", 1.0),
            (
                "https://api.anthropic.com/v1",
                "claude-haiku-4-5-20251001",
                1.0,
            ),
            (
                "https://openrouter.ai/api/v1",
                "anthropic/claude-haiku-4.5",
                1.0,
            ),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai",
                "gemini-2.5-flash",
                0.3,
            ),
            (
                "https://openrouter.ai/api/v1",
                "google/gemini-2.5-flash",
                0.3,
            ),
            ("https://api.deepseek.com/v1", "deepseek-chat", 0.28),
            ("https://api.mistral.ai/v1", "mistral-large-latest", 0.5),
            (
                "https://api.groq.com/openai/v1",
                "openai/gpt-oss-120b",
                0.15,
            ),
            ("https://api.x.ai/v1", "grok-4.5", 2.0),
            (
                "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
                "qwen-plus",
                0.4,
            ),
        ] {
            assert_eq!(
                input_price(endpoint, model),
                Some(input),
                "{model} at {endpoint}"
            );
        }
    }

    #[test]
    fn the_same_name_elsewhere_is_somebody_elses_and_costs_nobody_knows_what() {
        for (endpoint, model) in [
            ("http://127.0.0.1:1234/v1", "openai/gpt-oss-120b"),
            ("http://127.0.0.1:4000/v1", "gpt-4o-mini"),
            ("https://openrouter.ai/api/v1", "gpt-4o-mini"),
            ("https://openrouter.ai/api/v1", "deepseek/deepseek-chat"),
            ("https://openrouter.ai/api/v1", "openai/gpt-4o-mini:free"),
            ("https://api.openai.com.example.org/v1", "gpt-4o-mini"),
            ("https://api.openai.com/v1", "gpt-4o-mini-audio-preview"),
            ("nonsense", "gpt-4o-mini"),
        ] {
            assert_eq!(input_price(endpoint, model), None, "{model} at {endpoint}");
        }
    }

    #[test]
    fn every_price_is_one() {
        for (name, input, output, cached) in SELLERS.iter().flat_map(|seller| seller.models) {
            let is_sound = 0.0 < *input && input <= output && *output < 200.0;
            let is_cheaper = cached.is_none_or(|cached| 0.0 < cached && cached < *input);
            assert!(is_sound && is_cheaper, "{name}");
        }
    }
}
