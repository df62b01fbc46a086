//! The texts of a ship's levels: its hold and its fuel, with a mark where they may have changed since they were told.

use actors::domain::samples::{GameFacts, Gauge};

use crate::dashboard::money;
use crate::dashboard::text::tone::Tone;

/// Stands before a figure that may have changed since it was told.
pub const OLD_MARK: char = '~';

const LOW_FUEL_PERCENT: u32 = 15;

fn tone_of_fuel(percent: u32) -> Tone {
    if percent < LOW_FUEL_PERCENT {
        Tone::Warning
    } else {
        Tone::Text
    }
}

/// The hold as `43/75`; the level alone if its maximum is not known.
#[must_use]
pub fn cargo_text(facts: &GameFacts, columns: u16) -> Option<(String, Tone)> {
    let Gauge { now, most } = facts.cargo;
    let now = now?;
    let text = match most {
        Some(most) => format!("{now}/{most}"),
        None => now.to_string(),
    };
    Some(match facts.is_cargo_old {
        true => (marked_old(text, columns), Tone::Dim),
        false => (text, Tone::Text),
    })
}

#[must_use]
pub fn fuel_text(facts: &GameFacts, columns: u16) -> Option<(String, Tone)> {
    let percent = money::percent(facts.fuel)?;
    let tone = tone_of_fuel(percent);
    let text = format!("{percent}%");
    Some(match (facts.is_fuel_old, tone) {
        (true, Tone::Text) => (marked_old(text, columns), Tone::Dim),
        // It was low when it was told, which still is a warning.
        (true, low) => (marked_old(text, columns), low),
        (false, tone) => (text, tone),
    })
}

/// A figure that may have changed since it was told, where there is room for the mark.
fn marked_old(text: String, columns: u16) -> String {
    match text.len() < usize::from(columns) {
        true => format!("{OLD_MARK}{text}"),
        false => text,
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
