//! Units: amounts as JSON has them.

/// Millionths of a US dollar in dollars.
#[expect(
    clippy::cast_precision_loss,
    reason = "a cost in dollars; nobody spends 2^52 millionths"
)]
pub fn to_dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "nobody waits for so long")]
pub(super) fn to_seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
