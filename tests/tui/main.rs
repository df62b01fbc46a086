//! The terminal: what it shows, what it does, and how it survives.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing there has failed, and insta's macros unwrap"
)]

mod books;
mod chosen_keys;
mod contrast;
mod events;
mod first_minute;
mod fleet;
mod glance;
mod graphs;
mod groups;
mod header;
mod map;
mod needed_keys;
mod operator;
mod properties;
mod routines;
mod searching;
mod sizes;
mod snapshots;
mod standing;
mod states;
mod supervision;
mod timeline;
