//! The pilot: a simulated model server behind the OpenAI wire format, whose model is a rule-driven player of SpaceMolt.
//!
//! Like a model it sees the request and nothing else. `serve` is the HTTP server, `answer_request`
//! the player alone, a pure function. `validate` checks requests and uses nothing of the rest.

mod answer;
mod body;
mod chance;
mod faults;
mod grouped;
mod identity;
mod offered;
mod options;
mod orders;
mod persona;
mod player;
mod prompt_cache;
mod request;
mod request_stats;
mod server;
mod situation;
mod tools;
mod validate;
mod wire;

pub use answer::{PilotAnswer, PilotFinish, PilotToolCall, count_tokens};
pub use faults::{
    AnswerFault, DeliveryFault, PilotFault, PilotFaultKind, ReplacementFault, ShapeFault,
    fault_grammar,
};
pub use identity::agent_name;
pub use options::PilotOptions;
pub use persona::Persona;
pub use player::{Habits, STRANDED, answer_request};
pub use prompt_cache::PromptCache;
pub use request::{ChatEntry, ConversationCall, PilotRequest, ToolChoice};
pub use server::serve;
pub use tools::{ToolArguments, ToolList, ToolListCache};
pub use validate::{RequestRefusal, Strictness, validate, validate_with};
