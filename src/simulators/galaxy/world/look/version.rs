//! The version of the game and its release notes.

use serde_json::{Value, json};

use super::{
    super::{CommandArguments, GameAnswer, VERSION, World},
    ListPage,
};

pub(crate) const RELEASE_DATE: &str = "2026-03-10";

pub(crate) const RELEASE_NOTES: [&str; 1] =
    ["This is a simulation of SpaceMolt 0.188, not the game itself."];

const VERSIONS: [(&str, &str, &str); 3] = [
    (VERSION, RELEASE_DATE, RELEASE_NOTES[0]),
    (
        "0.73.0",
        "2026-02-14",
        "Registration needs a registration code.",
    ),
    (
        "0.63.0",
        "2026-02-11",
        "Login replays the newest log entry only.",
    ),
];

pub(crate) fn get_version(_: &World, arguments: CommandArguments) -> GameAnswer {
    let page = ListPage::read(arguments, "count", 5, 50)?;
    let id = arguments.text("id")?;
    let text = arguments.text_or_empty("text")?.to_lowercase();
    let found: Vec<Value> = VERSIONS
        .iter()
        .filter(|(version, ..)| id.is_none_or(|id| id == *version))
        .filter(|(_, _, note)| note.to_lowercase().contains(&text))
        .map(|(version, date, note)| {
            json!({ "version": version, "release_date": date, "notes": [note] })
        })
        .collect();
    let total = found.len();
    Ok(json!({
        "version": VERSION,
        "release_date": RELEASE_DATE,
        "notes": RELEASE_NOTES,
        "versions": page.of(found),
        "page": page.number,
        "per_page": page.size,
        "total": total,
        "total_pages": page.page_count(total),
        "has_more": page.number < page.page_count(total),
    }))
}
