//! Reads the members of a line with their expected types.

use actors::domain::bounds::MAX_PLACE;
use actors::domain::ids::{CallKey, MissionId, Seq, Timestamp};
use serde_json::Value;

use crate::import::nova::moment;

/// A call in a row from `first` on. What a login answered belongs to the row 0, which no conversation has.
pub(super) fn call_key(value: &Value, first: i64) -> Result<CallKey, String> {
    Ok(CallKey {
        seq: Seq(required_place(value, "seq", first)?),
        position: u16::try_from(required_number(value, "position")?)
            .map_err(|_| "`position` is out of range".to_string())?,
    })
}

pub(super) fn required_text<'a>(line: &'a Value, key: &str) -> Result<&'a str, String> {
    line[key]
        .as_str()
        .ok_or_else(|| format!("`{key}` is missing"))
}

pub(super) fn required_number(line: &Value, key: &str) -> Result<i64, String> {
    line[key]
        .as_i64()
        .ok_or_else(|| format!("`{key}` is missing, or no whole number that can be kept"))
}

/// A row number or turn number of at least `least`.
pub(super) fn required_place(line: &Value, key: &str, least: i64) -> Result<i64, String> {
    let place = required_number(line, key)?;
    if (least..=MAX_PLACE).contains(&place) {
        return Ok(place);
    }
    Err(format!(
        "`{key}` is {place}; allowed: from {least} to {MAX_PLACE}"
    ))
}

pub(super) fn required_count(line: &Value, key: &str) -> Result<u64, String> {
    let count = line[key].as_u64();
    count.ok_or_else(|| format!("`{key}` is missing, or is not a count"))
}

pub(super) fn required_time(line: &Value, key: &str) -> Result<Timestamp, String> {
    moment::parse_moment(required_text(line, key)?)
        .ok_or_else(|| format!("`{key}` is not a moment of the years 0000 to 9999"))
}

pub(super) fn mission_id(line: &Value, key: &str) -> Result<MissionId, String> {
    let id = required_text(line, key)?;
    i64::from_str_radix(id, 16)
        .map(MissionId)
        .map_err(|_| format!("`{id}` is not a mission's id"))
}
