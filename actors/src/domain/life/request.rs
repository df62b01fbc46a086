//! The request of a turn as the conversation stands.

use crate::compose::{ComposedRequest, Composition, compose};

use super::trying::without_held;
use super::{ActiveTurn, Life};

impl Life {
    /// The request as the conversation stands, without what is held back.
    pub(super) fn compose_request(&self, turn: &ActiveTurn, notices: &[String]) -> ComposedRequest {
        let budget = self.request_budget();
        let is_held = self.texts_left_out();
        let template = &self.rules.system_prompt;
        let told_in_prompt = |mark: &str| template.contains(mark);
        let mission = self.mission.as_ref().map(|it| without_held(it, &is_held));
        compose(&Composition {
            system: &self.system_prompt(notices, budget, mission.as_ref()),
            names: Some(&**self.session.tools.names()),
            conversation: &self.conversation.without_held(&is_held),
            owner: &turn.owner.without_held(&is_held),
            mission: mission.as_ref(),
            earlier_bytes: self.earlier_bytes(),
            turn: self.turn,
            continuation: &turn.continuation,
            notices: if told_in_prompt("{{notices}}") {
                &[]
            } else {
                notices
            },
            game: (!told_in_prompt("{{game_state}}")).then_some(&self.game),
            now: self.both_clocks(),
            budget,
        })
    }
}
