//! Settings: where every value that an operator can choose is read and checked.

pub mod units;
