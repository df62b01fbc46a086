//! Samples in an export.

use actors::domain::samples::{Hour, PackedHour};
use serde_json::Value;

use crate::samples::StoredHour;

use super::members::{required_place, required_text, required_time};

/// Reads the samples of an hour.
pub(super) fn read_hour(line: &Value) -> Result<StoredHour, String> {
    let hour = PackedHour {
        hour: Hour::of(required_time(line, "at")?),
        upto: required_place(line, "upto", 0)?,
        bytes: read_digits(required_text(line, "packed")?)?.into(),
    };
    hour.samples()
        .map_err(|fault| format!("`packed` is {fault}"))?;
    // Older exports do not say it. What counts no rows can be kept with the thinned hours.
    let is_thinned = line["thinned"].as_bool().unwrap_or(hour.upto == 0);
    Ok(StoredHour {
        packed: hour,
        is_thinned,
    })
}

fn read_digits(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || "`packed` is not a text of hexadecimal digits".to_string();
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let digits = str::from_utf8(pair).map_err(|_| wrong())?;
            let is_pair = digits.len() == 2 && !digits.starts_with('+');
            let byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
            is_pair.then_some(byte).ok_or_else(wrong)
        })
        .collect()
}
