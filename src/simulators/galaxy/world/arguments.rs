//! The arguments of a command: read by name; a refusal names the right parameter.

use serde_json::{Map, Value};

use super::{catalogue::CatalogueItem, refusal::GameRefusal};

/// The arguments of one call. `null` counts as absent, as on the real server.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandArguments<'a>(&'a Map<String, Value>);

impl<'a> CommandArguments<'a> {
    pub(super) fn new(arguments: &'a Map<String, Value>) -> Self {
        Self(arguments)
    }

    fn value(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.value(name).is_some()
    }

    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, GameRefusal> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(GameRefusal::invalid_payload(format!(
                "'{name}' must be a string."
            ))),
        }
    }

    /// A text; an absent one is empty.
    pub(super) fn text_or_empty(self, name: &str) -> Result<&'a str, GameRefusal> {
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// A text that must be given. The refusal of an absent one ends with the hint.
    pub(super) fn needed_text(self, name: &str, hint: &str) -> Result<&'a str, GameRefusal> {
        match self.text_or_empty(name)? {
            "" => Err(GameRefusal::invalid_payload(format!(
                "Must specify '{name}'. {hint}"
            ))),
            text => Ok(text),
        }
    }

    pub(super) fn number(self, name: &str) -> Result<Option<i64>, GameRefusal> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let whole = |number: f64| (number.fract() == 0.0).then_some(number as i64);
        value
            .as_i64()
            .or_else(|| value.as_f64().and_then(whole))
            .map(Some)
            .ok_or_else(|| GameRefusal::invalid_payload(format!("'{name}' must be an integer.")))
    }

    pub(super) fn flag(self, name: &str) -> Result<Option<bool>, GameRefusal> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(GameRefusal::invalid_payload(format!(
                "'{name}' must be true or false."
            ))),
        }
    }

    /// A list of texts; an absent one is empty.
    pub(super) fn texts(self, name: &str) -> Result<Vec<&'a str>, GameRefusal> {
        let wrong = || GameRefusal::invalid_payload(format!("'{name}' must be a list of strings."));
        let Some(value) = self.value(name) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().ok_or_else(wrong)?;
        list.iter()
            .map(|entry| entry.as_str().ok_or_else(wrong))
            .collect()
    }

    /// `quantity`, at least 1. An absent one counts as 0 and is refused.
    pub(super) fn quantity(self) -> Result<u64, GameRefusal> {
        let quantity = self.number("quantity")?.unwrap_or_default();
        u64::try_from(quantity)
            .ok()
            .filter(|quantity| *quantity > 0)
            .ok_or_else(|| GameRefusal::invalid_payload("Quantity must be greater than 0."))
    }

    /// `quantity`, or `default` when absent.
    pub(super) fn quantity_or(self, default: u64) -> Result<u64, GameRefusal> {
        if self.has("quantity") {
            self.quantity()
        } else {
            Ok(default)
        }
    }

    /// `item_id`: an item's id or full name.
    pub(super) fn item(self) -> Result<CatalogueItem, GameRefusal> {
        let text = self.text_or_empty("item_id")?;
        CatalogueItem::find(text).ok_or_else(|| GameRefusal::unknown_item(text))
    }

    /// `item_id`, with one refusal for an absent id and another for a wrong one.
    pub(super) fn named_item(self, hint: &str) -> Result<CatalogueItem, GameRefusal> {
        self.needed_text("item_id", hint)?;
        self.item()
    }

    /// The one parameter of a command that refuses all others, such as travel, jump and find_route.
    pub(super) fn only_parameter(self, name: &str, example: &str) -> Result<&'a str, GameRefusal> {
        let unknown: Vec<&str> = self
            .0
            .keys()
            .map(String::as_str)
            .filter(|key| *key != name)
            .collect();
        let example = format!("Example: {{\"{name}\": \"{example}\"}}");
        if !unknown.is_empty() {
            return Err(GameRefusal::invalid_payload(format!(
                "Unknown parameter(s): [{}]. Requires '{name}'. {example}",
                unknown.join(" ")
            )));
        }
        self.needed_text(name, &example)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with<T>(arguments: Value, read: impl FnOnce(CommandArguments) -> T) -> T {
        let Value::Object(map) = arguments else {
            panic!("arguments are an object")
        };
        read(CommandArguments::new(&map))
    }

    #[test]
    fn unknown_parameters_are_named_with_an_example() {
        let refusal = with(json!({"destination": "earth"}), |arguments| {
            arguments
                .only_parameter("target_poi", "main_belt")
                .unwrap_err()
        });
        assert_eq!(
            refusal.to_string(),
            "invalid_payload: Unknown parameter(s): [destination]. Requires 'target_poi'. \
             Example: {\"target_poi\": \"main_belt\"}"
        );
    }

    #[test]
    fn quantities_are_whole_and_positive() {
        let quantity = |value: Value| {
            with(json!({ "quantity": value }), |arguments| {
                arguments.quantity().map_err(|refusal| refusal.message)
            })
        };
        assert_eq!(quantity(json!(3)), Ok(3));
        assert_eq!(quantity(json!(3.0)), Ok(3));
        let positive = Err("Quantity must be greater than 0.".to_owned());
        assert_eq!(quantity(json!(0)), positive);
        assert_eq!(quantity(json!(-4)), positive);
        assert_eq!(quantity(json!(null)), positive);
        let whole = Err("'quantity' must be an integer.".to_owned());
        assert_eq!(quantity(json!(2.5)), whole);
        assert_eq!(quantity(json!("5")), whole);
        assert!(quantity(json!(1e300)).is_ok());
    }

    #[test]
    fn items_go_by_id_or_full_name() {
        let item = |text: &str| with(json!({ "item_id": text }), |arguments| arguments.item());
        assert_eq!(item("iron_ore"), item("Iron Ore"));
        assert_eq!(
            item("fuel_cells").unwrap_err().message,
            "invalid_item: Unknown item 'fuel_cells'. Use exact item ID (e.g. 'iron_ore') or full \
             name (e.g. 'Iron Ore')."
        );
    }
}
