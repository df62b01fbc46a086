//! Figures as the game writes them.

use zoea_text::figures::group_digits;

/// Formats an amount: `48,207 / 60,000`.
pub(super) fn of_full(remaining: u64, full: u64) -> String {
    format!("{} / {}", group_digits(remaining), group_digits(full))
}

/// The missing percent with one decimal; 0 is full.
pub(super) fn depletion(remaining: u64, full: u64) -> f64 {
    let permille = full.saturating_sub(remaining) * 1000 / full.max(1);
    tenths(permille)
}

pub(super) fn tenths(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX)) / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_the_game_writes_them() {
        assert_eq!(of_full(48_207, 60_000), "48,207 / 60,000");
        assert_eq!(of_full(0, 999), "0 / 999");
        assert_eq!(depletion(48_210, 60_000), 19.6);
        assert_eq!(depletion(60_000, 60_000), 0.0);
        assert_eq!(depletion(0, 60_000), 100.0);
    }
}
