//! The mistakes that language models make, made on purpose.

use serde_json::{Map, Value, json};

use crate::answer::{PilotAnswer, PilotFinish, PilotToolCall};
use crate::request::ChatEntry;

use super::player_view::PlayerView;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nonsense {
    /// An argument under a name that the tool does not know.
    WrongParameter,
    /// The id of a system where a point of interest is wanted.
    SystemForPoi,
    /// `Solarian` for `solarian`.
    Capital,
    /// Tokens of a channel syntax within the tool's name.
    ChannelToken,
    /// A tool that does not exist.
    UnknownTool,
    /// Arguments that are not JSON.
    BadJson,
    CutArguments,
    /// A session id that no result ever gave.
    InventedSession,
    Empty,
}

/// Wrong names for right parameters: tool, right name, wrong names.
const WRONG_NAMES: [(&str, &str, &[&str]); 6] = [
    (
        "travel",
        "target_poi",
        &["destination", "poi_id", "poi", "target"],
    ),
    (
        "jump",
        "target_system",
        &["destination", "system_id", "system"],
    ),
    ("sell", "item_id", &["item", "resource_id"]),
    ("buy", "item_id", &["item"]),
    ("find_route", "target_system", &["destination", "to"]),
    ("captains_log_add", "entry", &["content", "text"]),
];

const INVENTED_SESSIONS: [&str; 3] = ["your_session_id", "session_12345", "your_session_id_here"];

const UNKNOWN_TOOLS: [&str; 3] = ["status_log", "save_credentials", "navigate_to"];

/// The number of rounds that suffices for a mistake, its repair, and all queries before an action.
const MIN_ROUNDS_FOR_MISTAKE: u64 = 6;

/// Whether a mistake would delay the player only for a while.
///
/// A mistake follows from the conversation. In a turn that ends as it began, the next turn would
/// repeat it, and so for ever. So there is none right after a mistake, and none that could keep a
/// turn from getting anything done.
fn is_harmless(view: &PlayerView<'_>) -> bool {
    let is_after_mistake = view.situation.last_failure.is_some()
        || view
            .situation
            .turn
            .last()
            .is_some_and(|called| !called.is_done);
    let is_affordable = view.is_spotless() && view.rounds_allowed() >= MIN_ROUNDS_FOR_MISTAKE;
    !is_after_mistake && (view.has_acted() || is_affordable)
}

/// Puts one suitable mistake into the answer, if that does no lasting harm.
pub(super) fn garble_answer(
    answer: &mut PilotAnswer,
    view: &PlayerView<'_>,
    rng: &mut fastrand::Rng,
) {
    let system = view.situation.place.system.as_deref();
    let Some(call) = answer.calls.first().filter(|_| is_harmless(view)) else {
        return;
    };
    let mut kinds = vec![
        Nonsense::ChannelToken,
        Nonsense::UnknownTool,
        Nonsense::BadJson,
        Nonsense::CutArguments,
        Nonsense::InventedSession,
    ];
    // The mistakes that models make most often have the largest weight.
    if wrong_names(call).is_some() {
        kinds.extend([Nonsense::WrongParameter; 5]);
    }
    if call.name == "travel" && system.is_some() {
        kinds.extend([Nonsense::SystemForPoi; 2]);
    }
    if call.name == "register" {
        kinds.extend([Nonsense::Capital; 5]);
    }
    // An empty answer behind anything but a result could be asked again by an equal request, and so for ever.
    let answers_results = matches!(view.request.entries.last(), Some(ChatEntry::Result { .. }));
    if view.has_acted() && answers_results {
        kinds.push(Nonsense::Empty);
    }
    match rng.choice(kinds) {
        Some(Nonsense::SystemForPoi) => {
            set_argument(answer, "target_poi", json!(system.unwrap_or("sol")))
        }
        Some(kind) => {
            garble_as(answer, kind, rng);
        }
        None => {}
    }
}

/// Puts a mistake of this kind into the first call of the answer, or into the whole answer. Returns
/// whether that was possible.
pub(crate) fn garble_as(answer: &mut PilotAnswer, kind: Nonsense, rng: &mut fastrand::Rng) -> bool {
    if kind == Nonsense::Empty {
        answer.calls.clear();
        answer.content = Some(String::new());
        answer.finish = PilotFinish::Stop;
        return true;
    }
    let Some(call) = answer.calls.first_mut() else {
        return false;
    };
    match kind {
        Nonsense::Empty => {}
        Nonsense::WrongParameter => {
            let Some((right, wrong)) = wrong_names(call) else {
                return false;
            };
            let wrong = wrong[rng.usize(..wrong.len())];
            call.arguments = edit_arguments(&call.arguments, |fields| {
                if let Some(value) = fields.remove(right) {
                    fields.insert(wrong.to_owned(), value);
                }
            });
        }
        Nonsense::SystemForPoi => set_argument(answer, "target_poi", json!("sol")),
        Nonsense::Capital => {
            call.arguments = edit_arguments(&call.arguments, |fields| {
                if let Some(empire) = fields["empire"].as_str() {
                    let capital = empire[..1].to_uppercase() + &empire[1..];
                    fields.insert("empire".to_owned(), json!(capital));
                }
            });
        }
        Nonsense::ChannelToken => {
            let token = [
                "<|channel|>commentary",
                "<|channel|>analysis",
                "<|constrain|>json",
            ];
            call.name.push_str(token[rng.usize(..token.len())]);
        }
        Nonsense::UnknownTool => {
            call.name = UNKNOWN_TOOLS[rng.usize(..UNKNOWN_TOOLS.len())].to_owned();
        }
        Nonsense::BadJson => call.arguments = call.arguments.replace(['"', '{', '}'], ""),
        Nonsense::CutArguments => {
            let half = call.arguments.floor_char_boundary(call.arguments.len() / 2);
            call.arguments.truncate(half);
            answer.finish = PilotFinish::Length;
        }
        Nonsense::InventedSession => {
            let session = INVENTED_SESSIONS[rng.usize(..INVENTED_SESSIONS.len())];
            set_argument(answer, "session_id", json!(session));
        }
    }
    true
}

fn wrong_names(call: &PilotToolCall) -> Option<(&'static str, &'static [&'static str])> {
    WRONG_NAMES
        .iter()
        .find(|(tool, _, _)| *tool == call.name)
        .map(|(_, right, wrong)| (*right, *wrong))
}

fn set_argument(answer: &mut PilotAnswer, field: &str, value: Value) {
    if let Some(call) = answer.calls.first_mut() {
        call.arguments = edit_arguments(&call.arguments, |fields| {
            fields.insert(field.to_owned(), value);
        });
    }
}

fn edit_arguments(arguments: &str, change: impl FnOnce(&mut Map<String, Value>)) -> String {
    let mut fields = serde_json::from_str(arguments).unwrap_or_default();
    change(&mut fields);
    Value::Object(fields).to_string()
}
