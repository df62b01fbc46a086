//! The pure rules: what a swarm is and how it behaves, with no clock, no task and no outside.

pub mod backoff;
pub mod books;
pub mod bounds;
pub mod budget;
pub mod clean;
pub mod compose;
pub mod conversation;
pub mod event;
pub mod event_record;
pub mod fault;
pub mod game_state;
pub mod gate;
pub mod ids;
pub mod json_size;
pub mod login_progress;
pub mod message;
pub mod model;
pub mod needs;
pub mod order;
pub mod progress;
pub mod reading;
pub mod record;
pub mod snapshot_query;

pub mod last_request;
pub mod life;
pub mod outages;
pub mod redact;
pub mod restart;
pub mod rules;
pub mod screen;
pub mod state;
pub mod system_prompt;
pub mod tokens;
pub mod tool;
pub mod write;
