//! Requests of generated histories, checked against all rules of DESIGN 5 at once.

mod growth;
mod lives;
mod properties;
mod reading;
mod regressions;
