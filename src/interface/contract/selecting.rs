//! Conditions that select Myses: `state=errored,provider!=local,name=scout-*,credits>5000`.

use serde_json::Value;

/// What a condition can ask for, and its member in the answer of `list_myses`.
const KEYS: [&str; 8] = [
    "state", "name", "provider", "model", "role", "account", "system", "process",
];

/// The figures that a condition can compare, likewise.
const FIGURES: [&str; 14] = [
    "credits",
    "earned",
    "earned_last_hour",
    "cost",
    "cost_today",
    "turns",
    "tokens_in",
    "tokens_out",
    "nudges",
    "tick",
    "fuel",
    "cargo",
    "hull",
    "spared_calls",
];

/// The comparisons, those with two characters first.
const COMPARISONS: [(&str, FieldComparison); 6] = [
    (">=", |value, number| value >= number),
    ("<=", |value, number| value <= number),
    ("!=", |value, number| value != number),
    (">", |value, number| value > number),
    ("<", |value, number| value < number),
    ("=", |value, number| value == number),
];

/// Whether a figure compares with a number as it is wanted.
type FieldComparison = fn(f64, f64) -> bool;

/// Conditions that must all be met.
#[derive(Clone, Debug)]
pub struct Conditions {
    text: String,
    all: Vec<FieldCondition>,
}

#[derive(Clone, Debug)]
enum FieldCondition {
    /// A text that is like the pieces with anything between them, or is not.
    Text {
        key: &'static str,
        is_inverse: bool,
        pieces: Vec<String>,
    },
    /// A figure that is known and compares so with a number.
    Figure {
        key: &'static str,
        compares: FieldComparison,
        number: f64,
    },
}

impl Conditions {
    /// Reads the option.
    pub fn parse(text: &str) -> Result<Conditions, String> {
        let words = text.split(',').map(str::trim);
        let read: Result<Vec<FieldCondition>, String> = words.map(FieldCondition::parse).collect();
        let text = text.to_string();
        Ok(Conditions { text, all: read? })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a Mysis of the answer meets all of them. Without an account, for example, it meets
    /// none that names one.
    pub fn fit(&self, mysis: &Value) -> bool {
        self.all.iter().all(|condition| match condition {
            FieldCondition::Text {
                key,
                is_inverse,
                pieces,
            } => {
                let value = mysis[key].as_str().unwrap_or_default();
                is_like(value, pieces) != *is_inverse
            }
            FieldCondition::Figure {
                key,
                compares,
                number,
            } => mysis[key]
                .as_f64()
                .is_some_and(|value| compares(value, *number)),
        })
    }
}

impl FieldCondition {
    fn parse(text: &str) -> Result<FieldCondition, String> {
        let forms =
            "conditions are such as state=errored,provider!=local,name=scout-*,credits>5000";
        if let Some(figure) = FieldCondition::parse_figure(text) {
            return figure;
        }
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` is not a condition; {forms}"))?;
        let (key, is_inverse) = match key.strip_suffix('!') {
            Some(key) => (key.trim(), true),
            None => (key.trim(), false),
        };
        let known = KEYS.iter().find(|known| **known == key);
        let key = known.ok_or_else(|| {
            let known = [&KEYS[..], &FIGURES[..]].concat().join(", ");
            format!("`{key}` is not one of {known}; {forms}")
        })?;
        let states = ["idle", "running", "stopped", "errored"];
        let value = value.trim();
        if *key == "state" && !value.contains('*') && !states.contains(&value) {
            return Err(format!("a state is one of {}", states.join(", ")));
        }
        Ok(FieldCondition::Text {
            key,
            is_inverse,
            pieces: value.split('*').map(str::to_string).collect(),
        })
    }

    /// A comparison of a figure; `None` if the text names no figure.
    fn parse_figure(text: &str) -> Option<Result<FieldCondition, String>> {
        let (word, compares) = COMPARISONS
            .into_iter()
            .find(|(word, _)| text.contains(word))?;
        let (key, number) = text.split_once(word)?;
        let key = FIGURES.iter().find(|known| **known == key.trim())?;
        let parsed = number.trim().replace('_', "").parse::<f64>().ok();
        let number = parsed
            .filter(|number| number.is_finite())
            .ok_or_else(|| format!("`{}` is not a number to compare {key} with", number.trim()));
        Some(number.map(|number| FieldCondition::Figure {
            key,
            compares,
            number,
        }))
    }
}

/// Whether a text begins with the first piece, ends with the last one, and has the others between
/// them in their order. A single piece is the whole text.
fn is_like(text: &str, pieces: &[String]) -> bool {
    let [first, between @ .., last] = pieces else {
        return pieces.first().is_some_and(|only| only == text);
    };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else {
        return false;
    };
    for piece in between {
        let Some(place) = rest.find(piece.as_str()) else {
            return false;
        };
        rest = &rest[place + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(conditions: &str) -> bool {
        let mysis = json!({"name": "scout-12", "state": "errored", "provider": "local",
            "model": "qwen3:8b", "role": "miner", "account": null, "system": "krynn", "credits": 5000, "earned": -3, "cost": null});
        Conditions::parse(conditions).unwrap().fit(&mysis)
    }

    #[test]
    fn all_conditions_must_be_met() {
        for (conditions, expected) in [
            ("state=errored", true),
            ("state=errored, provider=local", true),
            ("state=errored,provider!=local", false),
            ("state!=running,name=scout-*", true),
            ("name=*-12", true),
            ("name=s*t*1*", true),
            ("name=scout-1", false),
            ("name=*scout-12*", true),
            ("name=scout-12*2", false),
            ("model=qwen3:8b", true),
            ("account=alpha", false),
            ("account=", true),
            ("account!=", false),
            ("role=miner", true),
            ("system=kry*", true),
            ("system!=krynn", false),
            ("credits>5000", false),
            ("credits>=5000", true),
            ("credits = 5000", true),
            ("credits!=5000", false),
            ("credits<1e4,earned<0", true),
            ("earned>=-3", true),
            ("cost<1", false),
            ("cost!=1", false),
        ] {
            assert_eq!(fits(conditions), expected, "{conditions}");
        }
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for (conditions, reason) in [
            ("", "`` is not a condition"),
            ("state", "`state` is not a condition"),
            ("place=sol", "`place` is not one of state, name"),
            ("place>5", "`place>5` is not a condition"),
            (
                "credits>much",
                "`much` is not a number to compare credits with",
            ),
            ("credits>", "`` is not a number"),
            ("credits>inf", "`inf` is not a number"),
            ("state=dead", "a state is one of idle"),
            ("state=errored,", "`` is not a condition"),
        ] {
            let why = Conditions::parse(conditions).unwrap_err();
            assert!(why.starts_with(reason), "{conditions}: {why}");
        }
    }
}
