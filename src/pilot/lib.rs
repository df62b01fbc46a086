//! The pilot: a simulated model server behind the OpenAI wire format, whose model is a rule-driven player of SpaceMolt.
//!
//! Like a model it sees the request and nothing else. `serve` puts it behind HTTP; `fly` is the player alone, a pure
//! function; `validate` is the checker of requests and uses nothing of the rest.

mod answer;
mod body;
mod books;
mod chance;
mod faults;
mod identity;
mod options;
mod orders;
mod persona;
mod player;
mod request;
mod selective_json;
mod server;
mod situation;
mod tools;
mod validate;
mod wire;

pub use answer::{Answer, Finish, ToolCall, tokens};
pub use faults::{Delivery, Fault, FaultKind, Instead, Reshape, Spoil, grammar};
pub use options::PilotOptions;
pub use persona::{PERSONAS, Persona};
pub use player::{Habits, STRANDED, fly};
pub use request::{Asked, Choice, Entry, Request};
pub use server::serve;
pub use validate::{Refusal, Strictness, validate, validate_with};
