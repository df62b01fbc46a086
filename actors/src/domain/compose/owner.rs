//! The owner: what a turn is about (DESIGN 5.2).

use std::sync::Arc;

use crate::domain::conversation::Conversation;
use crate::domain::ids::{MissionId, Seq};
use crate::domain::message::{Body, Row};
use crate::domain::write::Mission;

/// What a turn is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A direct message, the oldest where several are unanswered.
    Prompt(Seq),
    /// The mission in force.
    Mission {
        /// Which.
        id: MissionId,
        /// The order.
        text: Arc<str>,
    },
    /// A nudge, by its text.
    Nudge(Arc<str>),
}

/// Chooses what a turn that begins now is about; `window` is how many of the newest sendable rows
/// are searched for a direct message, `nudge` what it is about where there is no order.
#[must_use]
pub fn choose_owner(
    conversation: &Conversation,
    mission: Option<&Mission>,
    window: usize,
    nudge: Arc<str>,
) -> Owner {
    if let Some(order) = conversation.unanswered().next() {
        return Owner::Prompt(order.seq);
    }
    let prompt = conversation.newest_prompt_within(window);
    match (prompt, mission) {
        (Some(prompt), Some(mission)) if is_newer(conversation, mission, prompt) => {
            of_mission(mission)
        }
        (Some(prompt), Some(_) | None) => Owner::Prompt(prompt.seq),
        (None, Some(mission)) => of_mission(mission),
        (None, None) => Owner::Nudge(nudge),
    }
}

fn of_mission(mission: &Mission) -> Owner {
    Owner::Mission {
        id: mission.id,
        text: mission.text.clone(),
    }
}

/// Whether the mission was given after the prompt: by their places where the mission was
/// delivered, else by the clock.
fn is_newer(conversation: &Conversation, mission: &Mission, prompt: &Row) -> bool {
    conversation
        .rows()
        .rev()
        .find(|row| matches!(&row.body, Body::Mission { id, .. } if *id == mission.id))
        .map_or(mission.at > prompt.at, |row| row.seq > prompt.seq)
}
