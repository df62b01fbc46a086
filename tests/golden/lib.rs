//! Golden forms: every word that is stored or promised, as the program writes it, one file a form in `forms/`.
//!
//! A test makes a form with the program's own code and gives it to [`hold`]. `ZOEA_GOLDEN=write` writes the files
//! anew: only together with a migration step that rewrites what is stored, or a new version of what is promised.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a running program is looked at. Only one that lacks a line is looked at that long.
const LONGEST_LOOK: Duration = Duration::from_secs(180);

fn place(form: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("forms")
        .join(form)
}

/// Whether forms are to be written, not compared.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "settings are the program's; this is what a test is given"
)]
pub fn is_writing() -> bool {
    std::env::var_os("ZOEA_GOLDEN").is_some_and(|what| what == "write")
}

/// A form as its file has it.
///
/// # Panics
/// There is no such file.
pub fn kept(form: &str) -> String {
    std::fs::read_to_string(place(form)).expect("the form is there")
}

/// Compares a form with its file, line by line.
///
/// # Panics
/// The form is another one.
pub fn hold(form: &str, made: &str) {
    let made = format!("{}\n", made.trim_end());
    if is_writing() {
        std::fs::write(place(form), made).expect("the file can be written");
        return;
    }
    let kept = std::fs::read_to_string(place(form)).unwrap_or_default();
    if let Some(difference) = difference(&kept, &made) {
        panic!(
            "tests/golden/forms/{form}: {difference}\nStored and promised words keep their form. If this one must \
             change: a migration step that rewrites what homes hold, a line in CHANGELOG.md, and then \
             ZOEA_GOLDEN=write for this test"
        );
    }
}

/// The same of JSON, with a line for each member.
///
/// # Panics
/// The form is another one.
pub fn hold_json(form: &str, made: &Value) {
    hold(form, &format!("{made:#}"));
}

/// The same of a text that is JSON.
///
/// # Panics
/// It is none, or the form is another one.
pub fn hold_text(form: &str, made: &str) {
    hold_json(form, &parsed(made.to_string()));
}

/// The same of the members of a text that is JSON, whose values differ from run to run.
///
/// # Panics
/// It is none, or the form is another one.
pub fn hold_members(form: &str, made: &str) {
    let members: Vec<String> = members(&parsed(made.to_string())).into_iter().collect();
    hold(form, &members.join("\n"));
}

/// The same of several such texts.
///
/// # Panics
/// One is no JSON, or the form is another one.
pub fn hold_texts(form: &str, made: impl Iterator<Item = String>) {
    hold_json(form, &made.map(parsed).collect());
}

fn parsed(text: String) -> Value {
    serde_json::from_str(&text).expect("it is JSON")
}

/// Waits until a running program has shown every line of a form, and none that is not in it.
///
/// # Panics
/// A line is missing after three minutes, or one is new.
pub fn hold_seen(form: &str, mut look: impl FnMut() -> BTreeSet<String>) {
    let kept: BTreeSet<String> = std::fs::read_to_string(place(form))
        .unwrap_or_default()
        .lines()
        .map(str::to_string)
        .collect();
    let mut seen = BTreeSet::new();
    let begun = Instant::now();
    let is_open = |seen: &BTreeSet<String>| is_writing() || seen.is_subset(&kept) && *seen != kept;
    while is_open(&seen) && begun.elapsed() < LONGEST_LOOK {
        seen.extend(look());
    }
    hold(form, &seen.into_iter().collect::<Vec<_>>().join("\n"));
}

/// The lines that are only in one of two texts.
fn difference(kept: &str, made: &str) -> Option<String> {
    if kept == made {
        return None;
    }
    let lines = |text: &str| text.lines().map(str::to_string).collect::<BTreeSet<_>>();
    let (kept, made) = (lines(kept), lines(made));
    let gone = kept.difference(&made).map(|line| format!("gone: {line}"));
    let new = made.difference(&kept).map(|line| format!("new: {line}"));
    let all: Vec<String> = gone.chain(new).take(12).collect();
    let is_order = all.is_empty();
    Some(if is_order {
        "its lines stand in another order".to_string()
    } else {
        all.join("\n")
    })
}

/// The members of a JSON value at every depth: `myses[].state`.
pub fn members(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(value, "", &mut found);
    found
}

fn collect(value: &Value, place: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let dot = if place.is_empty() { "" } else { "." };
                let place = format!("{place}{dot}{name}");
                found.insert(place.clone());
                collect(value, &place, found);
            }
        }
        Value::Array(values) => {
            for value in values {
                collect(value, &format!("{place}[]"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Values of all variants of an enum. A variant that is not named here does not compile.
#[macro_export]
macro_rules! every {
    ($name:ident: $($variant:ident),+ $(,)?) => {
        $crate::every!($name: $($variant => [$name::$variant]),+)
    };
    ($name:ident: $($variant:ident => [$($made:expr),* $(,)?]),+ $(,)?) => {{
        let known = |one: &$name| match one { $($name::$variant { .. } => ()),+ };
        let all = [$($($made,)*)+];
        all.iter().for_each(known);
        all
    }};
}
