//! The galaxy through real parts: HTTP on loopback, rmcp's client, and the program itself.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed; clippy knows tests, not what they share"
)]

mod clients;
mod faults;
mod grouped;
mod incidents;
mod limits;
mod links;
mod offering;
mod program;
mod sessions;
mod shapes;
mod trips;
