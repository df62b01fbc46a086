//! Times of a report as JSON: RFC 3339, as everywhere in CONTRACT.md.

use actors::domain::ids::Timestamp;
use serde::{Deserialize, Deserializer, Serializer, de};

pub(super) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(at)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    let time = chrono::DateTime::parse_from_rfc3339(&text).map_err(de::Error::custom)?;
    Ok(Timestamp(time.timestamp_millis()))
}
