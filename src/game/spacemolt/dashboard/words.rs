//! Words: numbers, amounts and names in lines and cells.

/// Splits `Market Prime (market_prime)`. Without an id the whole text is the name.
pub(super) fn name_and_id(text: &str) -> (&str, Option<&str>) {
    let split = text
        .trim()
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    match split {
        Some((name, id)) => (name, Some(id)),
        None => (text.trim(), None),
    }
}

pub(super) fn id_of_name(name: &str) -> String {
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join("_").to_lowercase()
}

/// A whole number, with or without commas between thousands.
pub(super) fn number_of(text: &str) -> Option<i64> {
    let digits: String = text.trim().chars().filter(|c| *c != ',').collect();
    let bare = digits.strip_prefix('-').unwrap_or(&digits);
    // A sum of such numbers cannot overflow.
    let is_number = (1..=15).contains(&bare.len()) && bare.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// An amount of credits such as `2,750cr`.
pub(super) fn credits_of(text: &str) -> Option<i64> {
    number_of(text.trim().strip_suffix("cr")?)
}

pub(super) fn credits_at_start(text: &str) -> Option<i64> {
    number_of(text.split("cr").next()?)
}
