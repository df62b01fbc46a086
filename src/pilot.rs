//! The pilot: a simulated model server behind the OpenAI wire format, whose model is a rule-driven player of SpaceMolt.
//!
//! Like a model it sees the request and nothing else.

mod answer;
mod body;
mod chance;
mod identity;
mod orders;
mod persona;
mod player;
mod request;
mod situation;
mod validate;

pub use answer::{Answer, Finish, ToolCall, tokens};
pub use persona::{PERSONAS, Persona};
pub use player::{Habits, fly};
pub use request::{Asked, Choice, Entry, Request};
pub use validate::{Refusal, Strictness, validate, validate_with};
