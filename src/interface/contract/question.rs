//! The question of a server in `status`.

use actors::domain::question::{FieldKind, Question, QuestionField, QuestionWants};
use serde::Serialize;
use serde_json::{Number, Value};

/// A question that waits for the operator's answer.
#[derive(Debug, Serialize)]
pub struct QuestionJson<'a> {
    number: u64,
    server: &'a str,
    message: &'a str,
    url: Option<&'a str>,
    fields: Vec<QuestionFieldJson<'a>>,
}

/// A field of a question.
#[derive(Debug, Serialize)]
struct QuestionFieldJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    required: bool,
    #[serde(rename = "type")]
    kind: &'static str,
    /// What fits, in words.
    wants: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a str>,
    /// Of a text or a list: its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Number>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionJson<'a>>,
}

#[derive(Debug, Serialize)]
struct OptionJson<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
}

impl<'a> From<&'a Question> for QuestionJson<'a> {
    fn from(question: &'a Question) -> Self {
        QuestionJson {
            number: question.number,
            server: &question.server,
            message: &question.message,
            url: match &question.wants {
                QuestionWants::Visit(url) => Some(url),
                QuestionWants::Form(_) => None,
            },
            fields: question.fields().iter().map(Into::into).collect(),
        }
    }
}

impl<'a> From<&'a QuestionField> for QuestionFieldJson<'a> {
    fn from(field: &'a QuestionField) -> Self {
        let count = |count: &Option<u64>| count.map(Number::from);
        let none = || (None, None, None);
        let (kind, (format, min, max)) = match &field.kind {
            FieldKind::Text { min, max, format } => {
                ("string", (format.as_deref(), count(min), count(max)))
            }
            FieldKind::Number { is_whole, min, max } => {
                let kind = if *is_whole { "integer" } else { "number" };
                (kind, (None, min.clone(), max.clone()))
            }
            FieldKind::Flag => ("boolean", none()),
            FieldKind::Choice { many: None, .. } => ("string", none()),
            FieldKind::Choice {
                many: Some((min, max)),
                ..
            } => ("array", (None, Some((*min).into()), count(max))),
        };
        QuestionFieldJson {
            name: &field.name,
            title: &field.title,
            description: &field.description,
            required: field.is_required,
            kind,
            wants: field.kind.describe(),
            default: field.default.as_ref(),
            format,
            min,
            max,
            options: options_of(&field.kind),
        }
    }
}

fn options_of(kind: &FieldKind) -> Vec<OptionJson<'_>> {
    match kind {
        FieldKind::Choice { options, .. } => options
            .iter()
            .map(|(value, title)| OptionJson { value, title })
            .collect(),
        FieldKind::Text { .. } | FieldKind::Number { .. } | FieldKind::Flag => Vec::new(),
    }
}
