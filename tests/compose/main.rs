//! Requests of generated histories, checked against all rules of docs/design/requests.md at once.

mod growth;
mod lives;
mod properties;
mod reading;
mod regressions;
