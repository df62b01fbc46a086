//! The highest numbers that are accepted on the command line and by the control interface. The
//! bounds for servers' answers are in `zoea_domain::bounds`, and those of settings are with
//! their keys.

use std::ops::RangeInclusive;

/// The most rows of one request; 0 asks for as many as an answer holds.
pub const MAX_ROWS: u64 = 100_000;
/// The most days of the books, including today; 0 asks for all.
pub const MAX_DAYS: u64 = 36_500;
pub const MAX_MYSES: u32 = 10_000;
/// The most seeds of one simulation command.
pub const MAX_SEEDS: u64 = 1_000_000;
/// The most days of one simulation.
pub const MAX_SIMULATED_DAYS: f64 = 3_650.0;
/// The greatest fault rate of a simulation.
pub const MAX_WILDNESS: f64 = 1_000.0;
/// The greatest integer in JSON that every reader represents exactly.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Parses a number within a range.
///
/// # Errors
/// The text is no such number. The error names the range.
pub fn parse_within(text: &str, allowed: &RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    number
        .filter(|number| allowed.contains(number))
        .ok_or_else(|| {
            let (lowest, highest) = (allowed.start(), allowed.end());
            format!("`{text}` is not a number from {lowest} to {highest}")
        })
}
