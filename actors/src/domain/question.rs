//! Questions of an MCP server to the operator (elicitation), and what answers them: the values of a
//! flat form, or that an address was visited.

mod field;
mod format;
mod typed;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
use zoea_text::clean::{clean_text, one_line};
use zoea_text::names::beginning;
use zoea_text::redact::Redactor;

pub use field::{FieldKind, FieldOption, QuestionField};
pub use typed::{read_line, read_pairs, typed_value};

/// The most fields of a form. A server that asks for more is refused.
const MAX_FIELDS: usize = 64;
/// The most characters of the message that are shown.
const MAX_MESSAGE_CHARS: usize = 2000;
/// The longest address in bytes. A longer one is refused, because a part of it is worth nothing.
const MAX_URL_BYTES: usize = 2048;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its number among the questions to the swarm since the program started, so that an answer
    /// does not meet another question; 0 before it is asked.
    pub number: u64,
    /// The server that asks: its host, or its program.
    pub server: Arc<str>,
    pub message: Arc<str>,
    pub wants: QuestionWants,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionWants {
    Form(Vec<QuestionField>),
    /// That the operator opens this address and does there what the message says.
    Visit(Arc<str>),
}

/// Values by field. They are neither shown nor logged.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AnswerValues(pub Map<String, Value>);

impl fmt::Debug for AnswerValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenAnswer {
    /// The number of the question that is meant; `None` for the present one.
    pub question: Option<u64>,
    pub decision: Decision,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// These values, or that the address was visited.
    Accept(AnswerValues),
    Decline,
    /// Neither yes nor no: the question is put aside.
    Cancel,
}

impl Decision {
    pub fn past_word(&self) -> &'static str {
        match self {
            Decision::Accept(_) => "answered",
            Decision::Decline => "declined",
            Decision::Cancel => "cancelled",
        }
    }
}

impl Question {
    /// Reads the parameters of `elicitation/create`.
    ///
    /// # Errors
    /// The question is not understood or too large; the text says why.
    pub fn read(server: &str, params: &Value) -> Result<Question, String> {
        let wants = match params["mode"].as_str() {
            None | Some("form") => QuestionWants::Form(read_form(&params["requestedSchema"])?),
            Some("url") => QuestionWants::Visit(read_url(&params["url"])?),
            Some(other) => return Err(format!("the mode {} is not known", one_line(other))),
        };
        let message = params["message"].as_str().unwrap_or_default();
        Ok(Question {
            number: 0,
            server: one_line(server).into(),
            message: beginning(clean_text(message).trim(), MAX_MESSAGE_CHARS).into(),
            wants,
        })
    }

    /// The fields; none for an address.
    pub fn fields(&self) -> &[QuestionField] {
        match &self.wants {
            QuestionWants::Form(fields) => fields,
            QuestionWants::Visit(_) => &[],
        }
    }

    /// The values as the server gets them: each as its field's type, and the default of each field
    /// that has one and got none.
    ///
    /// # Errors
    /// A value does not fit; the text names the field.
    pub fn check(&self, given: &AnswerValues) -> Result<AnswerValues, String> {
        let fields = self.fields();
        if let Some(name) = given
            .0
            .keys()
            .find(|name| !fields.iter().any(|field| *field.name == ***name))
        {
            let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            return Err(match names.is_empty() {
                true => format!("{}: the question has no fields", one_line(name)),
                false => format!(
                    "{}: there is no such field, only {}",
                    one_line(name),
                    names.join(", ")
                ),
            });
        }
        let mut values = Map::new();
        for field in fields {
            let value = given.0.get(&*field.name).or(field.default.as_ref());
            match value {
                Some(value) => {
                    let value = field.kind.check(value);
                    let value = value.map_err(|why| format!("{}: {why}", field.name))?;
                    values.insert(field.name.to_string(), value);
                }
                None if field.is_required => {
                    let needed = field.kind.describe();
                    return Err(format!("{}: is required ({needed})", field.name));
                }
                None => {}
            }
        }
        Ok(AnswerValues(values))
    }

    pub fn brief(&self) -> String {
        format!("{} asks: {}", self.server, one_line(&self.message))
    }

    pub fn summary(&self) -> String {
        let asks = self.brief();
        match &self.wants {
            QuestionWants::Visit(url) => format!("{asks} (open {url})"),
            QuestionWants::Form(fields) => {
                let names = fields.iter().map(|field| match field.is_required {
                    true => format!("{}*", field.name),
                    false => field.name.to_string(),
                });
                let names: Vec<String> = names.collect();
                match names.is_empty() {
                    true => asks,
                    false => format!("{asks} ({})", names.join(", ")),
                }
            }
        }
    }

    /// Removes the known secrets. An option that contains one is dropped: what would be sent for it
    /// is not what the server offers.
    pub fn remove_secrets(&mut self, known: &Redactor) {
        known.clean_in_place(&mut self.message);
        match &mut self.wants {
            QuestionWants::Visit(url) => known.clean_in_place(url),
            QuestionWants::Form(fields) => {
                for field in fields {
                    field.remove_secrets(known);
                }
            }
        }
    }
}

fn read_form(schema: &Value) -> Result<Vec<QuestionField>, String> {
    let properties = schema["properties"].as_object();
    let properties = properties.ok_or("it has no requestedSchema with properties")?;
    if properties.len() > MAX_FIELDS {
        return Err(format!("it has more than {MAX_FIELDS} fields"));
    }
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut fields = Vec::new();
    for (name, property) in properties {
        let is_required = required.contains(&&**name);
        let field = QuestionField::read(name, is_required, property);
        fields.push(field.map_err(|why| format!("the field {}: {why}", one_line(name)))?);
    }
    // What has to be answered comes first.
    fields.sort_by_key(|field| !field.is_required);
    Ok(fields)
}

fn read_url(url: &Value) -> Result<Arc<str>, String> {
    let url = url.as_str().unwrap_or_default();
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic());
    if is_web && is_plain && url.len() <= MAX_URL_BYTES {
        return Ok(url.into());
    }
    Err("its address is none of the web".to_string())
}

#[cfg(test)]
mod tests;
