//! Values of a form as the operator types them.

use serde_json::{Map, Value};
use zoea_text::clean::one_line;

use super::QuestionField;

/// A value as it is typed into a line of pairs: a list without its brackets, where no entry contains
/// a comma.
pub fn typed_value(value: &Value) -> String {
    let joined = |values: &Vec<Value>| -> Option<String> {
        let words: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        let words = words.filter(|words| !words.iter().any(|word| word.contains(',')))?;
        Some(words.join(","))
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => joined(values).unwrap_or_else(|| value.to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Values by the names of their fields, from a line such as `ore=white gold count=3`. A value goes up
/// to the next word that begins with the name of a field, and an empty one is none.
///
/// # Errors
/// What stands before the first field is not of the form `field=value`.
pub fn read_line(fields: &[QuestionField], line: &str) -> Result<Map<String, Value>, String> {
    let begins_at = |place: usize| {
        let is_word = place == 0 || line[..place].ends_with(' ');
        let rest = &line[place..];
        let begins = |field: &QuestionField| {
            let after = rest.strip_prefix(&*field.name);
            after.is_some_and(|after| after.starts_with('='))
        };
        is_word && fields.iter().any(begins)
    };
    let places = line.char_indices().map(|(place, _)| place);
    let mut starts: Vec<usize> = places.filter(|place| begins_at(*place)).collect();
    // What is before the first field is read, too, and refused.
    starts.insert(0, 0);
    starts.push(line.len());
    let pairs = starts.windows(2).map(|ends| line[ends[0]..ends[1]].trim());
    let mut values = read_pairs(pairs.filter(|pair| !pair.is_empty()))?;
    values.retain(|_, value| value != "");
    Ok(values)
}

/// Values by the names of their fields, from pairs such as `count=3`.
///
/// # Errors
/// A pair has no `=`.
pub fn read_pairs<'a>(
    pairs: impl IntoIterator<Item = &'a str>,
) -> Result<Map<String, Value>, String> {
    let mut values = Map::new();
    for pair in pairs {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("`{}` is not of the form field=value", one_line(pair)))?;
        values.insert(name.trim().to_string(), Value::String(value.to_string()));
    }
    Ok(values)
}
