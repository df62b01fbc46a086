//! The formats of texts that forms know, checked as far as that makes sense.

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
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let number = |part: &str, length: usize| {
        let is_plain = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| is_plain)
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// A date, `T`, a time of the day and its zone.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else {
        return false;
    };
    let zone = time.find(['Z', 'z', '+', '-']);
    let Some((clock, zone)) = zone.map(|at| time.split_at(at)) else {
        return false;
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let fits = |text: &str, limits: &[u32]| {
        let parts: Vec<&str> = text.split(':').collect();
        parts.len() == limits.len()
            && parts.iter().zip(limits).all(|(part, limit)| {
                part.len() == 2 && part.parse::<u32>().is_ok_and(|number| number <= *limit)
            })
    };
    let is_zone =
        matches!(zone, "Z" | "z") || zone.get(1..).is_some_and(|zone| fits(zone, &[23, 59]));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_date(date) && fits(clock, &[23, 59, 60]) && is_fraction && is_zone
}
