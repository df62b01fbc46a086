//! Cells and tables: values as words, and rows of them separated by tabs.

use serde_json::Value;
use zoea_text::figures::group_digits;

/// A table with a heading that counts its rows. An empty one is left out.
pub(super) fn table(
    label: &str,
    columns: &str,
    rows: &Value,
    row: impl Fn(&Value) -> String,
) -> String {
    let rows = elements(rows);
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("{label} ({}):\n{columns}\n", rows.len());
    for entry in rows {
        text += &row(entry);
        text.push('\n');
    }
    text
}

pub(super) fn list_row(cells: &Value) -> String {
    let cells: Vec<String> = elements(cells).iter().map(thousands).collect();
    cells.join("\t")
}

/// The row of a table that has these fields of an object as its cells.
pub(super) fn field_row(object: &Value, fields: &[&str]) -> String {
    let cells: Vec<String> = fields.iter().map(|field| word(&object[field])).collect();
    cells.join("\t")
}

pub(super) fn elements(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

/// A value as a word; an absent one is empty.
pub(super) fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A number with commas between thousands; any other value as a word.
pub(super) fn thousands(value: &Value) -> String {
    value.as_u64().map_or_else(|| word(value), group_digits)
}

pub(super) fn money(value: &Value) -> String {
    format!("{}cr", thousands(value))
}
