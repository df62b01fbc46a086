//! The pure rules: the data and the behaviour of a swarm, without clocks, tasks and the outside.

pub mod backoff;
pub mod budget;
pub mod due;
pub mod event;
pub mod event_record;
pub mod failing_calls;
pub mod fleet_process;
pub mod fleet_share;
pub mod gate;
pub mod held_myses;
pub mod login_progress;
pub mod mission_end;
pub mod needs;
pub mod order;
pub mod price;
pub mod progress;
pub mod question;

pub mod life;
pub mod open_calls;
pub mod outages;
pub mod restart;
pub mod result_words;
pub mod role;
pub mod role_list;
pub mod routine;
pub mod rules;
pub mod screen;
pub mod selector;
pub mod sharing;
pub mod silence;
pub mod standing;
pub mod status_memo;
pub mod swarm_books;
pub mod swarm_setup;
pub mod swarm_silence;
pub mod system_map;
pub mod system_prompt;
pub mod tier;
pub mod tool_filter;
pub mod tool_offer;
pub mod tool_search;
pub mod value;
pub mod working_set;
pub mod write;
pub mod written_call;

pub use zoea_records::{
    books, bounds, brief, compose, conversation, fault, game, game_state, held, ids, last_request,
    memo, message, model, pattern, period, reading, record, reminder, samples, snapshot_query,
    state, tokens, tool,
};
