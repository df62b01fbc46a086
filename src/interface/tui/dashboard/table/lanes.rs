//! The words for a Mysis that waits for its turn at a server.

use actors::domain::ids::Lane;
use zoea_text::clean::one_line;

use crate::dashboard::text::width;

/// The server of a lane, for a narrow column.
fn server_name(lane: &Lane) -> String {
    match lane {
        Lane::Provider(name) => one_line(name),
        Lane::Logins | Lane::Game => "tools".to_string(),
    }
}

/// What waits for a server that is away, within a width.
pub(super) fn down_words(lane: &Lane, columns: usize) -> String {
    let words = format!("{} down", server_name(lane));
    if width::of(&words) <= columns {
        return words;
    }
    "down".to_string()
}

/// What waits for its turn at a server in good order, for a narrow column.
pub(super) fn queue_words(lane: &Lane) -> String {
    match lane {
        Lane::Provider(_) | Lane::Game => format!("{} busy", server_name(lane)),
        Lane::Logins => "logs in".to_string(),
    }
}

pub(super) fn queue_text(lane: &Lane) -> String {
    match lane {
        Lane::Provider(name) => format!("waits for its turn at {}", one_line(name)),
        Lane::Logins => "waits for its turn to log in".to_string(),
        Lane::Game => "waits for its turn at the tool server".to_string(),
    }
}
