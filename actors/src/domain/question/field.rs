//! The fields of a server's form: their types and bounds, and whether a value fits.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Number, Value};
use zoea_text::clean::one_line;
use zoea_text::names::beginning;
use zoea_text::redact::Redactor;

use super::format::is_of_format;

/// The longest name of a field and the longest option, in bytes.
const MAX_NAME_BYTES: usize = 256;
const MAX_OPTIONS: usize = 256;
/// The most characters of a title or a description.
const MAX_TITLE_CHARS: usize = 400;
/// The longest text that is an answer, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionField {
    pub name: Arc<str>,
    /// What it is called; empty if the server does not say.
    pub title: Arc<str>,
    /// What it is for; empty if the server does not say.
    pub description: Arc<str>,
    /// Whether there is no answer without it.
    pub is_required: bool,
    /// The value that it has unless another one is given.
    pub default: Option<Value>,
    /// The values that fit.
    pub kind: FieldKind,
}

/// A value, and its title; empty if it has none.
pub type FieldOption = (Arc<str>, Arc<str>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Text {
        /// The fewest characters.
        min: Option<u64>,
        max: Option<u64>,
        /// Its format as JSON Schema names it.
        format: Option<Arc<str>>,
    },
    Number {
        /// Whether it has no fraction.
        is_whole: bool,
        min: Option<Number>,
        max: Option<Number>,
    },
    /// Yes or no.
    Flag,
    /// One of these, or several of them.
    Choice {
        options: Vec<FieldOption>,
        /// The fewest and the most, if several can be chosen.
        many: Option<(u64, Option<u64>)>,
    },
}

impl QuestionField {
    pub(super) fn read(
        name: &str,
        is_required: bool,
        schema: &Value,
    ) -> Result<QuestionField, String> {
        let is_plain = !name.is_empty() && one_line(name) == name && !name.contains('=');
        if !is_plain || name.len() > MAX_NAME_BYTES {
            return Err("its name cannot be used".to_string());
        }
        let kind = FieldKind::read(without_null(schema))?;
        let text = |key: &str| -> Arc<str> {
            let text = one_line(schema[key].as_str().unwrap_or_default());
            beginning(&text, MAX_TITLE_CHARS).into()
        };
        let default = schema.get("default").filter(|value| !value.is_null());
        Ok(QuestionField {
            name: name.into(),
            title: text("title"),
            description: text("description"),
            is_required,
            // A default that does not fit is none.
            default: default.and_then(|value| kind.check(value).ok()),
            kind,
        })
    }

    pub(super) fn remove_secrets(&mut self, known: &Redactor) {
        known.clean_in_place(&mut self.title);
        known.clean_in_place(&mut self.description);
        if let Some(value) = &self.default
            && known.clean_json(value.clone()) != *value
        {
            self.default = None;
        }
        if let FieldKind::Choice { options, .. } = &mut self.kind {
            options.retain(|(value, _)| matches!(known.clean(value), Cow::Borrowed(_)));
            for (_, title) in options {
                known.clean_in_place(title);
            }
        }
    }
}

/// The schema of a field that may be left out, as some servers write it: `anyOf` with `null`.
fn without_null(schema: &Value) -> &Value {
    let Some(variants) = schema["anyOf"].as_array() else {
        return schema;
    };
    let mut others = variants.iter().filter(|variant| variant["type"] != "null");
    match (others.next(), others.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

impl FieldKind {
    fn read(schema: &Value) -> Result<FieldKind, String> {
        let number = |key: &str| schema[key].as_number().cloned();
        let count = |key: &str| schema[key].as_u64();
        if let Some(options) = read_options(schema)? {
            return Ok(FieldKind::Choice {
                options,
                many: None,
            });
        }
        match schema["type"].as_str() {
            Some("string") => Ok(FieldKind::Text {
                min: count("minLength"),
                max: count("maxLength"),
                format: schema["format"].as_str().map(|name| one_line(name).into()),
            }),
            Some(kind @ ("number" | "integer")) => Ok(FieldKind::Number {
                is_whole: kind == "integer",
                min: number("minimum"),
                max: number("maximum"),
            }),
            Some("boolean") => Ok(FieldKind::Flag),
            Some("array") => match read_options(&schema["items"])? {
                Some(options) => Ok(FieldKind::Choice {
                    options,
                    many: Some((count("minItems").unwrap_or(0), count("maxItems"))),
                }),
                None => Err("a list of anything cannot be asked for".to_string()),
            },
            Some(other) => Err(format!("the type {} is not known", one_line(other))),
            None => Err("it has no type".to_string()),
        }
    }

    /// The value as this type. Texts are read, so that an answer can be typed.
    pub(super) fn check(&self, value: &Value) -> Result<Value, String> {
        let checked = match self {
            FieldKind::Text { min, max, format } => {
                read_text(value, (*min, *max), format.as_deref())
            }
            FieldKind::Number { is_whole, min, max } => {
                let at = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
                read_number(value, *is_whole, (at(min), at(max)))
            }
            FieldKind::Flag => read_flag(value),
            FieldKind::Choice {
                options,
                many: None,
            } => value.as_str().and_then(|text| find_option(options, text)),
            FieldKind::Choice {
                options,
                many: Some(count),
            } => read_choices(value, options, *count),
        };
        checked.ok_or_else(|| format!("must be {}", self.describe()))
    }

    pub fn describe(&self) -> String {
        match self {
            FieldKind::Text { min, max, format } => {
                let mut words = match format.as_deref() {
                    Some("email") => "an e-mail address".to_string(),
                    Some("uri") => "an address such as https://…".to_string(),
                    Some("date") => "a date such as 2026-07-28".to_string(),
                    Some("date-time") => "a time such as 2026-07-28T12:00:00Z".to_string(),
                    Some(_) | None => "a text".to_string(),
                };
                words += &match (min, max) {
                    (Some(min), Some(max)) => format!(" of {min} to {max} characters"),
                    (Some(min), None) => format!(" of at least {min} characters"),
                    (None, Some(max)) => format!(" of at most {max} characters"),
                    (None, None) => String::new(),
                };
                words
            }
            FieldKind::Number { is_whole, min, max } => {
                let kind = if *is_whole {
                    "a whole number"
                } else {
                    "a number"
                };
                match (min, max) {
                    (Some(min), Some(max)) => format!("{kind} from {min} to {max}"),
                    (Some(min), None) => format!("{kind} from {min} on"),
                    (None, Some(max)) => format!("{kind} up to {max}"),
                    (None, None) => kind.to_string(),
                }
            }
            FieldKind::Flag => "yes or no".to_string(),
            FieldKind::Choice { options, many } => {
                let values: Vec<String> = options
                    .iter()
                    .map(|(value, title)| match title.is_empty() || title == value {
                        true => value.to_string(),
                        false => format!("{value} ({title})"),
                    })
                    .collect();
                let which = match many {
                    None => "one of".to_string(),
                    Some((0, None)) => "any of".to_string(),
                    Some((min, None)) => format!("at least {min} of"),
                    Some((min, Some(max))) => format!("{min} to {max} of"),
                };
                format!("{which} {}", values.join(", "))
            }
        }
    }
}

/// The options of a schema: `enum` with `enumNames`, or `oneOf` or `anyOf` with `const` and `title`.
fn read_options(schema: &Value) -> Result<Option<Vec<FieldOption>>, String> {
    let as_text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let options: Vec<(String, String)> = if let Some(values) = schema["enum"].as_array() {
        let titles = &schema["enumNames"];
        let pairs = values.iter().enumerate();
        pairs
            .map(|(place, value)| (as_text(value), as_text(&titles[place])))
            .collect()
    } else {
        let titled = schema.get("oneOf").or_else(|| schema.get("anyOf"));
        let Some(titled) = titled.and_then(Value::as_array) else {
            return Ok(None);
        };
        let pairs = titled.iter();
        pairs
            .map(|option| (as_text(&option["const"]), as_text(&option["title"])))
            .collect()
    };
    let is_usable =
        |(value, _): &(String, String)| !value.is_empty() && value.len() <= MAX_NAME_BYTES;
    if options.is_empty() || options.len() > MAX_OPTIONS || !options.iter().all(is_usable) {
        return Err("its options cannot be shown".to_string());
    }
    let options = options.into_iter().map(|(value, title)| {
        let title = one_line(&title);
        (value.into(), beginning(&title, MAX_TITLE_CHARS).into())
    });
    Ok(Some(options.collect()))
}

/// The option that a text means: its value, or else its title.
fn find_option(options: &[FieldOption], text: &str) -> Option<Value> {
    let by_value = options.iter().find(|(value, _)| **value == *text);
    let by_title = || {
        let mut alike = options.iter().filter(|(_, title)| **title == *text);
        alike.next().filter(|_| alike.next().is_none())
    };
    let (value, _) = by_value.or_else(by_title)?;
    Some(Value::String(value.to_string()))
}

fn read_choices(
    value: &Value,
    options: &[FieldOption],
    (min, max): (u64, Option<u64>),
) -> Option<Value> {
    let words: Vec<&str> = match value {
        Value::Array(values) => values.iter().map(Value::as_str).collect::<Option<_>>()?,
        // As a list of JSON, where an option contains a comma.
        Value::String(text) if text.trim_start().starts_with('[') => {
            let list = serde_json::from_str(text).ok()?;
            return read_choices(&list, options, (min, max));
        }
        Value::String(text) => {
            let words = text.split(',').map(str::trim);
            words.filter(|word| !word.is_empty()).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let count = words.len() as u64;
    if count < min || max.is_some_and(|max| count > max) {
        return None;
    }
    let chosen = words.iter().map(|word| find_option(options, word));
    Some(Value::Array(chosen.collect::<Option<_>>()?))
}

fn read_flag(value: &Value) -> Option<Value> {
    if let Value::Bool(flag) = value {
        return Some(Value::Bool(*flag));
    }
    let flag = match &*value.as_str()?.trim().to_ascii_lowercase() {
        "true" | "yes" | "y" | "1" => true,
        "false" | "no" | "n" | "0" => false,
        _ => return None,
    };
    Some(Value::Bool(flag))
}

fn read_number(
    value: &Value,
    is_whole: bool,
    (min, max): (Option<f64>, Option<f64>),
) -> Option<Value> {
    let number: Number = match value.as_str() {
        Some(text) => serde_json::from_str(text.trim()).ok()?,
        None => value.as_number()?.clone(),
    };
    let size = number.as_f64().filter(|size| size.is_finite())?;
    let is_right_kind = !is_whole || number.is_i64() || number.is_u64();
    let fits = min.is_none_or(|min| size >= min) && max.is_none_or(|max| size <= max);
    (is_right_kind && fits).then_some(Value::Number(number))
}

fn read_text(
    value: &Value,
    (min, max): (Option<u64>, Option<u64>),
    format: Option<&str>,
) -> Option<Value> {
    let text = match value {
        Value::String(text) => text.clone(),
        // What a program writes without quotes.
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let length = text.chars().count() as u64;
    let fits = min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max);
    let is_well_formed = format.is_none_or(|format| is_of_format(&text, format));
    let is_good = fits && is_well_formed && text.len() <= MAX_TEXT_BYTES;
    is_good.then_some(Value::String(text))
}
