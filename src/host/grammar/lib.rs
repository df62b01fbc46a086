//! The grammar of small values that people write on a command line or in a file: durations, sizes,
//! probabilities, faults and incidents.

pub mod fault;
pub mod incident;
pub mod units;
pub mod when;
