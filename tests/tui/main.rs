//! The terminal: what it shows, what it does, and how it survives.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing there has failed, and insta's macros unwrap"
)]

mod chosen_keys;
mod contrast;
mod first_minute;
mod graphs;
mod header;
mod operator;
mod properties;
mod sizes;
mod snapshots;
mod states;
mod supervision;
