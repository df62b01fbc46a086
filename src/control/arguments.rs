//! The arguments of a call on the control interface, read as what they are meant for.

use actors::domain::order::Order;
use actors::domain::progress::expecting_no_gain;
use serde_json::{Map, Value};

use crate::settings::bounds::MAX_INTEGER;

/// The arguments of a call, checked against the table.
pub(super) struct ToolArguments<'a> {
    tool: &'a str,
    given: &'a Map<String, Value>,
}

impl<'a> ToolArguments<'a> {
    /// The arguments of `tool`, whose parameters are these.
    pub(super) fn new(
        tool: &'a str,
        parameters: &[&str],
        given: &'a Map<String, Value>,
    ) -> Result<ToolArguments<'a>, String> {
        let known = |name: &str| {
            parameters.iter().any(|parameter| {
                let bare = parameter.split(':').next().unwrap_or(parameter);
                bare.trim_end_matches('!') == name
            })
        };
        match given.keys().find(|name| !known(name)) {
            Some(name) => Err(format!("{tool} has no parameter `{name}`")),
            None => Ok(ToolArguments { tool, given }),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        self.optional_text(name)?
            .ok_or_else(|| format!("{} wants a parameter `{name}`", self.tool))
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_str()
                .map(Some)
                .ok_or_else(|| format!("`{name}` is a text")),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<u64>, String> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_u64()
                .filter(|value| *value <= MAX_INTEGER)
                .map(Some)
                .ok_or_else(|| format!("`{name}` is a whole number from 0 to {MAX_INTEGER}")),
        }
    }

    /// How many, at most `highest`; 0 means all that there are.
    pub(super) fn count(&self, name: &str, usual: u64, highest: u64) -> Result<usize, String> {
        let count = match self.integer(name)? {
            None => usual,
            Some(0) => MAX_INTEGER,
            Some(count) if count <= highest => count,
            Some(_) => return Err(format!("`{name}` is at most {highest}; 0 asks for all")),
        };
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    pub(super) fn optional_string(&self, name: &str) -> Result<Option<String>, String> {
        Ok(self.optional_text(name)?.map(str::to_string))
    }

    /// The order that a call gives.
    pub(super) fn order(&self) -> Result<Order, String> {
        let name = || self.text("name").map(str::to_string);
        let text = || self.text("text").map(str::to_string);
        Ok(match self.tool {
            "create_mysis" => Order::Create {
                name: name()?,
                provider: self.optional_string("provider")?,
                model: self.optional_string("model")?,
                start: self.given.get("start").and_then(Value::as_bool) == Some(true),
            },
            "start_mysis" => Order::Start { name: name()? },
            "stop_mysis" => Order::Stop { name: name()? },
            "delete_mysis" => Order::Delete { name: name()? },
            "configure_mysis" => Order::Configure {
                name: name()?,
                provider: self.optional_string("provider")?,
                model: self.optional_string("model")?,
                temperature: self.temperature()?,
            },
            "send_message" => Order::Send {
                name: name()?,
                text: self.with_no_gain(text()?)?,
            },
            "broadcast" => Order::Broadcast {
                text: self.with_no_gain(text()?)?,
            },
            "clear_mission" => Order::ClearMission,
            "reload" => Order::Reload,
            "add_note" => Order::AddNote {
                name: name()?,
                text: text()?,
            },
            "clear_notes" => Order::ClearNotes { name: name()? },
            other => return Err(format!("there is no tool called {other}")),
        })
    }

    /// The order, saying that no gain is expected where that was asked for.
    fn with_no_gain(&self, text: String) -> Result<String, String> {
        match self.given.get("no_gain") {
            None | Some(Value::Null | Value::Bool(false)) => Ok(text),
            Some(Value::Bool(true)) => Ok(expecting_no_gain(&text)),
            Some(_) => Err("`no_gain` is true or false".to_string()),
        }
    }

    fn temperature(&self) -> Result<Option<f32>, String> {
        match self.given.get("temperature") {
            None | Some(Value::Null) => Ok(None),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the range is checked by whoever carries the order out"
            )]
            Some(value) => value
                .as_f64()
                .map(|value| Some(value as f32))
                .ok_or_else(|| "`temperature` is a number from 0 to 2".to_string()),
        }
    }
}
