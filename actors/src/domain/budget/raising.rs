//! Raising the cap of a day: what the operator allows for today beyond the configuration.

use super::limits::{BudgetLimits, DefaultCap, format_dollars};
use super::{BudgetRules, BudgetStatus};
use crate::books::Day;

impl BudgetRules {
    /// These rules as they hold on a day: with what the operator allowed for it.
    #[must_use]
    pub fn on(self, day: Day) -> BudgetRules {
        let Some((_, to)) = self.raised.filter(|(of, _)| *of == day) else {
            return self;
        };
        let (swarm, cap) = (self.swarm, self.default_cap);
        BudgetRules {
            swarm: BudgetLimits {
                tokens: swarm.tokens.map(|limit| to.tokens.unwrap_or(limit)),
                cost_micros: swarm
                    .cost_micros
                    .map(|limit| to.cost_micros.unwrap_or(limit)),
            },
            default_cap: DefaultCap {
                cost_micros: cap.cost_micros.map(|limit| to.cost_micros.unwrap_or(limit)),
                unpriced_tokens: cap.unpriced_tokens.map(|limit| to.tokens.unwrap_or(limit)),
            },
            ..self
        }
    }

    /// These rules with a higher cap of the swarm for the day of a status.
    pub fn raise(self, to: BudgetLimits, spent: &BudgetStatus) -> Result<BudgetRules, String> {
        let now = self.on(spent.day);
        let cap = BudgetLimits {
            tokens: now.swarm.tokens.or(now.default_cap.unpriced_tokens),
            cost_micros: now.swarm.cost_micros.or(now.default_cap.cost_micros),
        };
        let used = BudgetLimits {
            tokens: Some(match now.swarm.tokens {
                Some(_) => spent.swarm.tokens(),
                None => spent.unpriced_tokens,
            }),
            cost_micros: Some(spent.swarm.cost_micros),
        };
        if to == BudgetLimits::default() {
            return Err("say to how many US dollars or tokens".to_string());
        }
        let dollars = (to.cost_micros, cap.cost_micros, used.cost_micros);
        check("US dollars", dollars, format_dollars)?;
        let tokens = (to.tokens, cap.tokens, used.tokens);
        check("tokens", tokens, |tokens| format!("{tokens} tokens"))?;
        let before = self.raised.filter(|(of, _)| *of == spent.day);
        let before = before.map(|(_, before)| before).unwrap_or_default();
        Ok(BudgetRules {
            raised: Some((spent.day, to.or(before))),
            ..self
        })
    }

    /// What the operator allowed stays while the configured limits stay.
    #[must_use]
    pub fn keeping_raise_of(self, before: &BudgetRules) -> BudgetRules {
        let raised = before.raised;
        let is_same = self.raised.is_none() && BudgetRules { raised, ..self } == *before;
        match is_same {
            true => *before,
            false => self,
        }
    }
}

/// Checks one measure: the wanted amount, the cap in force and what is used.
fn check(
    measure: &str,
    (to, cap, used): (Option<u64>, Option<u64>, Option<u64>),
    words: impl Fn(u64) -> String,
) -> Result<(), String> {
    let cap = match (to, cap) {
        (None, None) => return Ok(()),
        (Some(_), None) => {
            return Err(format!(
                "the swarm has no cap in {measure} today; `[budget]` of the configuration sets one"
            ));
        }
        (Some(to), Some(cap)) if to <= cap => {
            let cap = words(cap);
            return Err(format!(
                "today's cap is {cap} already; only a higher amount raises it"
            ));
        }
        (to, Some(cap)) => to.unwrap_or(cap),
    };
    match used.filter(|used| *used >= cap) {
        Some(used) => Err(format!("{} are used already; allow more", words(used))),
        None => Ok(()),
    }
}

impl BudgetLimits {
    /// The limits of words: US dollars, as `20` or `$20`, or tokens, as `30M tokens`.
    pub fn parse(text: &str) -> Result<BudgetLimits, String> {
        let text = text.trim().to_lowercase();
        let limits = match text.strip_suffix("tokens") {
            Some(tokens) => parse_tokens(tokens.trim()).map(|tokens| BudgetLimits {
                tokens: Some(tokens),
                cost_micros: None,
            }),
            None => parse_dollars(&text).map(|micros| BudgetLimits {
                tokens: None,
                cost_micros: Some(micros),
            }),
        };
        limits.ok_or_else(|| {
            format!("`{text}` is not an amount: US dollars, as `20`, or tokens, as `30M tokens`")
        })
    }

    /// The amount as [`BudgetLimits::parse`] reads it.
    pub fn as_amount(&self) -> String {
        match (self.cost_micros, self.tokens) {
            (Some(micros), _) => format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000),
            (None, tokens) => format!("{} tokens", tokens.unwrap_or_default()),
        }
    }

    /// The limits in words, as `10 US dollars and 5000 tokens`.
    pub fn describe(&self) -> String {
        let dollars = self.cost_micros.map(format_dollars);
        let tokens = self.tokens.map(|tokens| format!("{tokens} tokens"));
        let parts: Vec<String> = dollars.into_iter().chain(tokens).collect();
        parts.join(" and ")
    }
}

fn parse_tokens(text: &str) -> Option<u64> {
    let (digits, factor) = match text.split_at_checked(text.len().saturating_sub(1))? {
        (digits, "k") => (digits, 1_000),
        (digits, "m") => (digits, 1_000_000),
        _ => (text, 1),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}

/// Millionths of US dollars.
fn parse_dollars(text: &str) -> Option<u64> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let text = text.strip_suffix("usd").unwrap_or(text).trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = (whole.bytes().chain(part.bytes())).all(|byte| byte.is_ascii_digit());
    if !are_digits || part.len() > 6 {
        return None;
    }
    let micros = format!("{part:0<6}").parse::<u64>().ok()?;
    let whole = whole.parse::<u64>().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::BudgetUse;

    const DOLLAR: u64 = 1_000_000;

    fn dollars(amount: u64) -> BudgetLimits {
        BudgetLimits {
            cost_micros: Some(amount * DOLLAR),
            tokens: None,
        }
    }

    fn spent(cost_micros: u64) -> BudgetStatus {
        BudgetStatus {
            day: Day(7),
            swarm: BudgetUse {
                cost_micros,
                ..BudgetUse::default()
            },
            ..BudgetStatus::default()
        }
    }

    #[test]
    fn a_cap_is_raised_for_its_day_alone_and_never_lowered() {
        let rules = BudgetRules {
            swarm: dollars(5),
            ..BudgetRules::default()
        };
        let raised = rules.raise(dollars(20), &spent(6 * DOLLAR)).expect("more");
        assert_eq!(raised.on(Day(7)).swarm, dollars(20));
        assert_eq!(raised.on(Day(8)).swarm, dollars(5));
        let refused = |rules: BudgetRules, to, used| {
            let refused = rules.raise(to, &spent(used));
            refused.expect_err("it raises nothing")
        };
        let already = "today's cap is 20 US dollars already; only a higher amount raises it";
        assert_eq!(refused(raised, dollars(10), 0), already);
        let used = "30 US dollars are used already; allow more";
        assert_eq!(refused(raised, dollars(25), 30 * DOLLAR), used);
        let tokens = BudgetLimits {
            tokens: Some(1),
            cost_micros: None,
        };
        let unlimited = "the swarm has no cap in tokens today";
        assert!(refused(rules, tokens, 0).starts_with(unlimited));
        assert!(refused(rules, BudgetLimits::default(), 0).contains("how many"));
    }

    #[test]
    fn an_amount_is_read_in_dollars_or_tokens() {
        let read = |text: &str| {
            let limits = BudgetLimits::parse(text).ok();
            limits.map(|limits| (limits.cost_micros, limits.tokens))
        };
        for (text, micros) in [
            ("20", 20 * DOLLAR),
            ("$2.5", 2_500_000),
            (" 7 USD", 7 * DOLLAR),
        ] {
            assert_eq!(read(text), Some((Some(micros), None)), "{text}");
        }
        let written = read(&dollars(3).as_amount());
        assert_eq!(written, Some((Some(3 * DOLLAR), None)));
        for (text, tokens) in [
            ("30M tokens", 30_000_000),
            ("5k tokens", 5_000),
            ("7 tokens", 7),
        ] {
            assert_eq!(read(text), Some((None, Some(tokens))), "{text}");
        }
        for wrong in [
            "",
            "-1",
            "1e9",
            "five",
            "tokens",
            "99999999999999999999",
            "1.2345678",
            "k tokens",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_default_cap_is_raised_by_halves_and_another_configuration_ends_that() {
        let rules = BudgetRules {
            default_cap: DefaultCap::WHOLE,
            ..BudgetRules::default()
        };
        let raised = rules.raise(dollars(9), &spent(0)).expect("more");
        let expected = DefaultCap {
            cost_micros: Some(9 * DOLLAR),
            ..DefaultCap::WHOLE
        };
        assert_eq!(raised.on(Day(7)).default_cap, expected);
        assert_eq!(rules.keeping_raise_of(&raised), raised);
        // The half that is used up is what has to be raised.
        let unpriced = BudgetStatus {
            unpriced_tokens: 20_000_000,
            ..spent(0)
        };
        let refused = rules.raise(dollars(9), &unpriced);
        let expected = "20000000 tokens are used already; allow more";
        assert_eq!(refused, Err(expected.to_string()));
        let other = BudgetRules {
            swarm: dollars(1),
            ..BudgetRules::default()
        };
        assert_eq!(other.keeping_raise_of(&raised), other);
    }
}
