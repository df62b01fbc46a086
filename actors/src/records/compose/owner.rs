//! The owner of a turn: what the turn is about (docs/design/requests.md).

use std::sync::Arc;

use crate::conversation::Conversation;
use crate::held::HELD_SENTENCE;
use crate::ids::{MissionId, Seq};
use crate::record::Mission;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOwner {
    /// A direct message: the oldest if several are not answered.
    Prompt(Seq),
    Mission {
        id: MissionId,
        text: Arc<str>,
    },
    Nudge(Arc<str>),
}

impl TurnOwner {
    /// The owner with a fixed sentence in the place of a text that is held back.
    #[must_use]
    pub fn without_held(&self, is_held: impl Fn(&str) -> bool) -> TurnOwner {
        match self {
            TurnOwner::Mission { id, text } if is_held(text) => TurnOwner::Mission {
                id: *id,
                text: HELD_SENTENCE.into(),
            },
            TurnOwner::Prompt(_) | TurnOwner::Mission { .. } | TurnOwner::Nudge(_) => self.clone(),
        }
    }
}

/// Chooses the owner of a turn that begins now: an unanswered direct message, else the mission,
/// else the newest direct message among the newest `window` sendable rows, else a nudge.
pub fn choose_owner(
    conversation: &Conversation,
    mission: Option<&Mission>,
    window: usize,
    nudge: Arc<str>,
) -> TurnOwner {
    if let Some(order) = conversation.unanswered_prompts().next() {
        return TurnOwner::Prompt(order.seq);
    }
    match (mission, conversation.newest_prompt_within(window)) {
        (Some(mission), _) => TurnOwner::Mission {
            id: mission.id,
            text: mission.text.clone(),
        },
        (None, Some(prompt)) => TurnOwner::Prompt(prompt.seq),
        (None, None) => TurnOwner::Nudge(nudge),
    }
}
