//! Waits: how long the game keeps a ship busy, according to a result; for display only.

/// The most ticks ahead that are believed. A trip across the whole galaxy takes fewer.
const MAX_TICKS_AHEAD: i64 = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameWait {
    /// Its arrival.
    Transit,
    /// The end of a cooldown after an action.
    Cooldown,
}

/// What a result says that the ship waits for, and the tick when that ends. `tick` is the present
/// tick, from which a cooldown counts.
pub(super) fn read_wait(text: &str, tick: Option<i64>) -> Option<(GameWait, i64)> {
    let arrival = ["arrival_tick", "transit_arrival_tick"];
    let arrival = arrival.into_iter().find_map(|key| number_of(text, key));
    let cooldown = || number_of(text, "cooldown_ticks").zip(tick);
    let wait = match arrival {
        Some(arrival) => (GameWait::Transit, arrival),
        None => {
            let (ticks, now) = cooldown().filter(|(ticks, _)| *ticks > 0)?;
            (GameWait::Cooldown, now.saturating_add(ticks))
        }
    };
    let ahead = tick.map_or(0, |tick| wait.1.saturating_sub(tick));
    (ahead <= MAX_TICKS_AHEAD).then_some(wait)
}

/// The number after a key of a JSON text. The text is not parsed, because answers can be large. A
/// quoted key inside of a string has a backslash before its closing quote and is not found.
fn number_of(text: &str, key: &str) -> Option<i64> {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once(key) {
        rest = behind;
        let Some(value) = behind.strip_prefix('"') else {
            continue;
        };
        let value = value.trim_start().strip_prefix(':').map(str::trim_start);
        let digits = value.map(|value| {
            let end = value.find(|c: char| !c.is_ascii_digit());
            &value[..end.unwrap_or(value.len())]
        });
        if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_and_cooldowns_are_read_from_results() {
        let cases = [
            (
                r#"{"destination":"belt","ticks":5,"arrival_tick":105}"#,
                Some((GameWait::Transit, 105)),
            ),
            (
                r#"{"location":{"transit_arrival_tick": 107}}"#,
                Some((GameWait::Transit, 107)),
            ),
            (
                r#"{"action":"jump","cooldown_ticks":3}"#,
                Some((GameWait::Cooldown, 103)),
            ),
            (r#"{"cooldown_ticks":0}"#, None),
            (r#"{"arrival_tick":null}"#, None),
            (r#"{"arrival_tick":99999999999}"#, None),
            (r#"{"content":"say \"arrival_tick\":105"}"#, None),
            ("arrived at tick 105", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read_wait(text, Some(100)), expected, "{text}");
        }
        assert_eq!(
            read_wait(r#"{"cooldown_ticks":3}"#, None),
            None,
            "since when?"
        );
    }
}
