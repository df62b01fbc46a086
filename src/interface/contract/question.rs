//! The question of a server in `status`.

use std::borrow::Cow;

use actors::domain::question::{FieldKind, Question, QuestionField, QuestionWants};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// A question that waits for the operator's answer.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct QuestionJson<'a> {
    pub number: u64,
    pub server: Cow<'a, str>,
    pub message: Cow<'a, str>,
    /// The address to visit.
    pub url: Option<Cow<'a, str>>,
    pub fields: Vec<QuestionFieldJson<'a>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct QuestionFieldJson<'a> {
    pub name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub title: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub description: Cow<'a, str>,
    /// Whether it must be filled in.
    pub required: bool,
    #[serde(rename = "type")]
    pub kind: Cow<'a, str>,
    /// What fits, in words.
    pub wants: String,
    /// What it is where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Cow<'a, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Cow<'a, str>>,
    /// Of a text or a list: its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Number>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionJson<'a>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct OptionJson<'a> {
    pub value: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub title: Cow<'a, str>,
}

impl<'a> From<&'a Question> for QuestionJson<'a> {
    fn from(question: &'a Question) -> Self {
        QuestionJson {
            number: question.number,
            server: question.server.as_ref().into(),
            message: question.message.as_ref().into(),
            url: match &question.wants {
                QuestionWants::Visit(url) => Some(url.as_ref().into()),
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
            name: field.name.as_ref().into(),
            title: field.title.as_ref().into(),
            description: field.description.as_ref().into(),
            required: field.is_required,
            kind: kind.into(),
            wants: field.kind.describe(),
            default: field.default.as_ref().map(Cow::Borrowed),
            format: format.map(Cow::from),
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
            .map(|(value, title)| OptionJson {
                value: value.as_ref().into(),
                title: title.as_ref().into(),
            })
            .collect(),
        FieldKind::Text { .. } | FieldKind::Number { .. } | FieldKind::Flag => Vec::new(),
    }
}
