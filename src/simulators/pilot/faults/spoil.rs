//! Faults of the model: the content of the answer is bad.

use strum::{EnumString, IntoStaticStr};

use crate::answer::{PilotAnswer, PilotFinish};
use crate::player::{Nonsense, garble_as};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum AnswerFault {
    /// Neither words nor calls.
    EmptyReply,
    EmptyId,
    RepeatedId,
    /// A tool that the request does not offer.
    UnknownTool,
    /// Arguments that are not JSON.
    BadJsonArgs,
    /// Arguments that end in the middle.
    CutArgs,
    /// Tokens of a channel syntax within the tool's name.
    ChannelToken,
    /// Calls that are written into the content and not made.
    TextCalls,
    /// The same within a sentence, from which nobody reads them.
    ProseCalls,
}

impl AnswerFault {
    /// Changes the answer. Returns whether it had anything to change.
    pub(crate) fn apply(self, answer: &mut PilotAnswer, rng: &mut fastrand::Rng) -> bool {
        match self {
            Self::EmptyReply => garble_as(answer, Nonsense::Empty, rng),
            Self::EmptyId => set_call_ids(answer, ""),
            Self::RepeatedId => set_call_ids(answer, "call_0"),
            Self::UnknownTool => garble_as(answer, Nonsense::UnknownTool, rng),
            Self::BadJsonArgs => garble_as(answer, Nonsense::BadJson, rng),
            Self::CutArgs => garble_as(answer, Nonsense::CutArguments, rng),
            Self::ChannelToken => garble_as(answer, Nonsense::ChannelToken, rng),
            Self::TextCalls => write_calls(answer),
            Self::ProseCalls => speak_of_calls(answer),
        }
    }
}

/// Writes calls as models do whose server does not know the form of their calls.
fn write_calls(answer: &mut PilotAnswer) -> bool {
    if answer.calls.is_empty() {
        return false;
    }
    // Words beside them would make it a text that nobody reads calls from.
    let mut text = String::new();
    for call in answer.calls.drain(..) {
        let name = serde_json::Value::from(call.name);
        let arguments = call.arguments;
        text += &format!(
            "<tool_call>\n{{\"name\": {name}, \"arguments\": {arguments}}}\n</tool_call>\n"
        );
    }
    answer.content = Some(text);
    answer.finish = PilotFinish::Stop;
    true
}

/// Writes calls into a sentence. That is no call, but a sign that its server does not read calls.
fn speak_of_calls(answer: &mut PilotAnswer) -> bool {
    let is_written = write_calls(answer);
    if is_written && let Some(text) = &mut answer.content {
        *text = format!("This is what I do now: {text}");
    }
    is_written
}

fn set_call_ids(answer: &mut PilotAnswer, id: &str) -> bool {
    for call in &mut answer.calls {
        id.clone_into(&mut call.id);
    }
    !answer.calls.is_empty()
}
