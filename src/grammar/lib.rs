//! The grammar of small values that people write on a command line or in a file: durations, sizes,
//! probabilities and faults.

pub mod fault;
pub mod units;
