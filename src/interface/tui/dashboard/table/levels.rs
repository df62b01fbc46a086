//! The texts of a ship's levels: its hold and its fuel, with a mark where they may have changed since they were told.

use actors::domain::samples::{GameFacts, Gauge};

use crate::dashboard::money;
use crate::dashboard::text::tone::Tone;

/// Stands before a figure that may have changed since it was told.
pub const OLD_MARK: char = '~';

const LOW_FUEL_PERCENT: u32 = 15;

/// The hold as `43/75`; the level alone if its maximum is not known.
pub fn cargo_text(facts: &GameFacts, columns: u16) -> Option<(String, Tone)> {
    let Gauge { now, most } = facts.cargo;
    let now = now?;
    let text = match most {
        Some(most) => format!("{now}/{most}"),
        None => now.to_string(),
    };
    Some(with_age(text, facts.is_cargo_old, columns))
}

pub fn fuel_text(facts: &GameFacts, columns: u16) -> Option<(String, Tone)> {
    let percent = money::percent(facts.fuel)?;
    let (text, tone) = with_age(format!("{percent}%"), facts.is_fuel_old, columns);
    // If it was low when it was told, that still is a warning.
    let is_low = percent < LOW_FUEL_PERCENT;
    Some((text, if is_low { Tone::Warning } else { tone }))
}

/// A figure. One that may have changed since it was told is marked where there is room.
fn with_age(text: String, is_old: bool, columns: u16) -> (String, Tone) {
    match (is_old, text.len() < usize::from(columns)) {
        (true, true) => (format!("{OLD_MARK}{text}"), Tone::Dim),
        (true, false) => (text, Tone::Dim),
        (false, _) => (text, Tone::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_may_have_changed_is_marked_where_there_is_room() {
        let of = |is_old: bool, columns: u16| {
            let facts = GameFacts {
                cargo: Gauge {
                    now: Some(43),
                    most: Some(75),
                },
                is_cargo_old: is_old,
                fuel: Gauge {
                    now: Some(9),
                    most: Some(100),
                },
                is_fuel_old: is_old,
                ..GameFacts::default()
            };
            [cargo_text(&facts, columns), fuel_text(&facts, columns)]
        };
        let cell = |text: &str, tone| Some((text.to_string(), tone));
        assert_eq!(
            of(false, 9),
            [cell("43/75", Tone::Text), cell("9%", Tone::Warning)]
        );
        assert_eq!(
            of(true, 9),
            [cell("~43/75", Tone::Dim), cell("~9%", Tone::Warning)]
        );
        assert_eq!(of(true, 5)[0], cell("43/75", Tone::Dim));
    }
}
