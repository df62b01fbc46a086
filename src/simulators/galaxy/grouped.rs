//! The second interface, at `/mcp/v2`: few tools with many actions, which answer in text.
//!
//! It is a translation in front of the same world. A call is checked against the action's own
//! parameters and becomes a command of the first interface; the answer becomes the text that
//! clients have captured. Where nobody has captured a form, the galaxy guesses: queries answer the
//! first interface's JSON, mutations the object of the HTTP interface (sections of the state that
//! may have changed, `details`, `message`) as JSON text. `text::is_captured` says which is which.

mod listing;
mod request;
mod text;

pub(crate) use self::{
    listing::{changed_listing_json, listing_json},
    request::{GroupedCall, ReadCall, read_call},
    text::render,
};

/// The command of the world that answers with the whole state in sections. No client can give it.
pub(crate) const STATE_COMMAND: &str = "get_state";
