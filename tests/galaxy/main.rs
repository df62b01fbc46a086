//! The galaxy through real parts: HTTP on loopback, rmcp's client, and the program itself.

mod clients;
mod faults;
mod limits;
mod program;
mod sessions;
mod shapes;
mod trips;
