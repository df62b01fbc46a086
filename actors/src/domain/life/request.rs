//! The request of a turn as the conversation stands.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::compose::{ComposedRequest, Composition, compose};
use crate::game_state::GameState;
use crate::held::HELD_SENTENCE;
use crate::ids::CallKey;
use crate::system_prompt::has_placeholder;

use super::trying::without_held;
use super::{ActiveTurn, Life};

impl Life {
    /// The request as the conversation stands, without what is held back.
    pub(super) fn compose_request(&self, turn: &ActiveTurn, notices: &[String]) -> ComposedRequest {
        let budget = self.request_budget();
        let is_held = self.texts_left_out();
        let told_in_prompt = |name: &str| has_placeholder(&self.rules.system_prompt, name);
        let mission = self.mission.as_ref().map(|it| without_held(it, &is_held));
        let [system, role, identity] = self.prompt_texts(notices, budget, mission.as_ref());
        compose(&Composition {
            system: &system,
            role: &role,
            identity: &identity,
            names: Some(&**self.session.tools.names()),
            conversation: &self.conversation.without_held(&is_held),
            owner: &turn.owner.without_held(&is_held),
            mission: mission.as_ref(),
            earlier_bytes: self.earlier_bytes(),
            turn: self.turn,
            continuation: &turn.continuation,
            notices: if told_in_prompt("notices") {
                &[]
            } else {
                notices
            },
            game: (!told_in_prompt("game_state")).then_some(&*self.game_in_request()),
            now: self.both_clocks(),
            budget,
        })
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
            left_out.contains(&known.call) || self.held.is_digest(&whom, &known.digest)
        })
    }
}
