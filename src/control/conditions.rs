//! Conditions that select Myses: `state=errored,provider!=local,name=scout-*`.

use serde_json::Value;

/// What a condition can ask for, and its member in the answer of `list_myses`.
const KEYS: [&str; 8] = [
    "state", "name", "provider", "model", "role", "account", "system", "process",
];

/// Conditions that must all be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditions(Vec<Condition>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    key: &'static str,
    is_inverse: bool,
    /// The pieces between the stars.
    pieces: Vec<String>,
}

impl Conditions {
    /// Reads the option.
    ///
    /// # Errors
    /// It has no condition, or one that is not understood.
    pub fn parse(text: &str) -> Result<Conditions, String> {
        let words = text.split(',').map(str::trim);
        let read: Result<Vec<Condition>, String> = words.map(Condition::parse).collect();
        Ok(Conditions(read?))
    }

    /// Whether a Mysis of the answer meets all of them. Without an account, for example, it meets
    /// none that names one.
    #[must_use]
    pub fn fit(&self, mysis: &Value) -> bool {
        self.0.iter().all(|condition| {
            let value = mysis[condition.key].as_str().unwrap_or_default();
            is_like(value, &condition.pieces) != condition.is_inverse
        })
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Condition, String> {
        let forms = "conditions are such as state=errored,provider!=local,name=scout-*";
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` is no condition; {forms}"))?;
        let (key, is_inverse) = match key.strip_suffix('!') {
            Some(key) => (key.trim(), true),
            None => (key.trim(), false),
        };
        let known = KEYS.iter().find(|known| **known == key);
        let key =
            known.ok_or_else(|| format!("`{key}` is none of {}; {forms}", KEYS.join(", ")))?;
        let states = ["idle", "running", "stopped", "errored"];
        let value = value.trim();
        if *key == "state" && !value.contains('*') && !states.contains(&value) {
            return Err(format!("a state is one of {}", states.join(", ")));
        }
        Ok(Condition {
            key,
            is_inverse,
            pieces: value.split('*').map(str::to_string).collect(),
        })
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
            "model": "qwen3:8b", "role": "miner", "account": null, "system": "krynn"});
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
        ] {
            assert_eq!(fits(conditions), expected, "{conditions}");
        }
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for (conditions, told) in [
            ("", "`` is no condition"),
            ("state", "`state` is no condition"),
            ("place=sol", "`place` is none of state, name"),
            ("state=dead", "a state is one of idle"),
            ("state=errored,", "`` is no condition"),
        ] {
            let why = Conditions::parse(conditions).unwrap_err();
            assert!(why.starts_with(told), "{conditions}: {why}");
        }
    }
}
