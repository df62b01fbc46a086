//! What a swarm stores and sends: ids, messages, Myses as they are stored, samples, and the requests
//! that are composed of them. Like all rules it knows no clock, task or outside.

pub mod books;
pub mod bounds;
pub mod brief;
pub mod compose;
pub mod conversation;
pub mod fault;
pub mod game;
pub mod game_state;
pub mod held;
pub mod ids;
pub mod last_request;
pub mod memo;
pub mod message;
pub mod model;
pub mod number;
pub mod packed_request;
pub mod pattern;
pub mod period;
pub mod reading;
pub mod record;
pub mod samples;
mod secrecy;
pub mod snapshot_query;
pub mod state;
mod stored_form;
pub mod tokens;
pub mod tool;
pub mod tool_names;
