//! Manners: what a refusal teaches about the form of messages.

use actors::domain::model::ChatMessage;

use super::{WireProfile, error_hints};

/// Whether a user's message follows a result directly.
pub(super) fn interrupts_results(messages: &[ChatMessage]) -> bool {
    let mut pairs = messages.windows(2);
    pairs.any(|pair| matches!(pair, [ChatMessage::Tool { .. }, ChatMessage::User(_)]))
}

/// Changes the requirements if a refusal is about the form of messages. A form that was used
/// already changes nothing.
pub(super) fn learn_manners(
    said: &str,
    written: WireProfile,
    interrupts: bool,
    manners: &mut WireProfile,
) -> Option<&'static str> {
    if interrupts && !written.wants_bridges && error_hints::is_about_order(said) {
        manners.wants_bridges = true;
        return Some("a message of the model follows results");
    }
    if !written.has_no_system_role && error_hints::is_about_system_messages(said) {
        manners.has_no_system_role = true;
        return Some("the system prompt opens the first user message");
    }
    if !written.wants_short_ids && error_hints::is_about_call_ids(said) {
        manners.wants_short_ids = true;
        return Some("calls have ids of nine digits");
    }
    if !written.wants_single_calls && error_hints::is_about_several_calls(said) {
        manners.wants_single_calls = true;
        return Some("messages hold one call each");
    }
    if !written.wants_bare_calls && error_hints::is_about_words_beside_calls(said) {
        manners.wants_bare_calls = true;
        return Some("what the model said beside calls is left out");
    }
    if !written.wants_signatures && error_hints::is_about_signatures(said) {
        manners.wants_signatures = true;
        return Some("calls without a signature of their thoughts are marked so");
    }
    if !written.wants_no_effort && error_hints::is_about_effort(said) {
        manners.wants_no_effort = true;
        return Some("reasoning_effort is \"none\"");
    }
    if !written.wants_reasoning && error_hints::is_about_reasoning(said) {
        manners.wants_reasoning = true;
        return Some("messages of the model are sent with its reasoning");
    }
    None
}
