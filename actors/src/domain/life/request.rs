//! The request of a turn as the conversation stands.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::compose::{ComposedRequest, Composition, compose};
use crate::game_state::GameState;
use crate::held::HELD_SENTENCE;
use crate::ids::CallKey;
use crate::model::ChatMessage;
use crate::record::Mission;
use crate::system_prompt::has_placeholder;

use super::{ActiveTurn, Life};

impl Life {
    /// The request as the conversation stands, without what is held back.
    pub(super) fn compose_request(&self, turn: &ActiveTurn) -> ComposedRequest {
        let budget = self.request_budget();
        let is_held = self.texts_left_out();
        let notices = &self.notices_in_request(&is_held);
        let conversation = match self.leaves_out_texts() {
            true => self.conversation.without_held(&is_held),
            false => Cow::Borrowed(&self.conversation),
        };
        let is_in_prompt = |name: &str| has_placeholder(&self.prompt_template(), name);
        let mission = self.mission.as_ref().map(|it| without_held(it, &is_held));
        let [system, role, identity] = self.prompt_texts(notices, budget, mission.as_ref());
        let composed = compose(&Composition {
            system: &system,
            role: &role,
            identity: &identity,
            names: Some(&**self.session.tools.names()),
            conversation: &conversation,
            owner: &turn.owner.without_held(&is_held),
            mission: mission.as_ref(),
            earlier_bytes: self.earlier_bytes(),
            turn: self.turn,
            continuation: &turn.continuation,
            notices: if is_in_prompt("notices") {
                &[]
            } else {
                notices
            },
            game: (!is_in_prompt("game_state")).then_some(&*self.game_in_request()),
            now: self.now,
            budget,
        });
        self.with_shared_prompt(composed)
    }

    /// The request with the template as its system prompt where that says the same, as most do: all
    /// Myses share it.
    fn with_shared_prompt(&self, mut composed: ComposedRequest) -> ComposedRequest {
        if let Some(ChatMessage::System(text)) = composed.messages.first_mut()
            && let template = self.prompt_template()
            && *text == template
        {
            *text = template;
        }
        composed
    }

    /// The notices of the runtime, without what stands in no request now.
    fn notices_in_request(&self, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
        let whom = self.recipient();
        let notices = self.notices().into_iter().map(|(_, notice)| notice);
        let in_request = |notice: String| {
            let is_held = is_left_out(&notice) || self.held.is_quoted(&whom, &notice);
            match is_held {
                true => HELD_SENTENCE.to_string(),
                false => notice,
            }
        };
        notices.map(in_request).collect()
    }

    /// What is known of the game, without what stands in no request now.
    pub(super) fn game_in_request(&self) -> Cow<'_, GameState> {
        let (is_left_out, whom) = (self.texts_left_out(), self.recipient());
        let results = self.conversation.rows().filter_map(|row| row.result());
        let left_out: BTreeSet<CallKey> = results
            .filter(|(_, text, _)| is_left_out(text))
            .map(|(call, _, _)| call)
            .collect();
        self.game.without_held(HELD_SENTENCE, |known| {
            left_out.contains(&known.call)
                || is_left_out(&known.digest)
                || self.held.is_digest(&whom, &known.digest)
        })
    }
}

/// The mission with a fixed sentence in the place of a text that is held back.
fn without_held(mission: &Mission, is_held: impl Fn(&str) -> bool) -> Mission {
    let mut mission = mission.clone();
    if is_held(&mission.text) {
        mission.text = HELD_SENTENCE.into();
    }
    mission
}
