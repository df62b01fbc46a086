//! The formats of texts that forms know, checked as far as that makes sense.

use chrono::DateTime;

/// Whether a text has this format of JSON Schema. A format that is not known fits every text.
pub(super) fn is_of_format(text: &str, format: &str) -> bool {
    match format {
        "email" => is_email(text),
        "uri" => is_uri(text),
        "date" => is_date(text),
        "date-time" => is_date_time(text),
        _ => true,
    }
}

fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    let is_solid = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    parts.is_some_and(|(name, host)| is_solid(name) && is_solid(host))
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme && !rest.is_empty() && !rest.contains(char::is_whitespace)
}

/// A date by its form and the length of its month.
fn is_date(text: &str) -> bool {
    is_date_time(&format!("{text}T00:00:00Z"))
}

/// A date, `T`, a time of the day and its zone.
fn is_date_time(text: &str) -> bool {
    // The reader takes a space for the `T`, and a minus sign for the hyphen.
    !text.contains([' ', '\u{2212}']) && DateTime::parse_from_rfc3339(text).is_ok()
}
