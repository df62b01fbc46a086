//! Bounds: the highest numbers that somebody may write on the command line or send to the control
//! interface. Those of servers stand in `actors::domain::bounds`, those of settings beside their keys.

use std::ops::RangeInclusive;

/// Rows that are asked for at once; 0 asks for as many as an answer holds.
pub const MAX_ROWS: u64 = 100_000;
/// Days of the books, today the last of them; 0 asks for all of them.
pub const MAX_DAYS: u64 = 36_500;
/// Myses of a swarm.
pub const MAX_MYSES: u32 = 10_000;
/// Seeds of simulations, one after the other.
pub const MAX_SEEDS: u64 = 1_000_000;
/// Days that a simulation plays.
pub const MAX_SIMULATED_DAYS: f64 = 3_650.0;
/// How wild a simulation may be.
pub const MAX_WILDNESS: f64 = 1_000.0;
/// Any other whole number: beyond it readers of JSON lose digits.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Reads a number within a range.
///
/// # Errors
/// Says which numbers are allowed.
pub fn parse_within(text: &str, allowed: &RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    number
        .filter(|number| allowed.contains(number))
        .ok_or_else(|| {
            let (lowest, highest) = (allowed.start(), allowed.end());
            format!("`{text}` is no number from {lowest} to {highest}")
        })
}
