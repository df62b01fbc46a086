//! The answer to a call of a control tool.

use serde_json::Value;

#[derive(Debug)]
pub struct ControlAnswer {
    pub value: Value,
    /// What was left out, and how to get it.
    pub rest: Option<String>,
}

impl From<Value> for ControlAnswer {
    fn from(value: Value) -> ControlAnswer {
        ControlAnswer { value, rest: None }
    }
}
