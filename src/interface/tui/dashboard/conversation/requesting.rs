//! Reads the request that a Mysis last sent to its model, for the inspector and for the panel.

use std::sync::Arc;

use actors::domain::game::GameRef;
use actors::domain::last_request::RequestByteCounts;
use actors::domain::order::{CompletedOrder, Order, OrderResult};

use crate::dashboard::Dashboard;
use crate::dashboard::inspector::Inspector;
use crate::dashboard::overlay::Overlay;
use actors::domain::screen::{OrderId, UiEffect};

/// A request that was asked for and will open in the inspector.
#[derive(Clone, Debug)]
pub(in crate::dashboard) struct AwaitedRequest {
    id: OrderId,
    name: Arc<str>,
    /// The number of overlays when it was asked for. If the operator has opened another one since,
    /// the inspector does not open.
    overlays: usize,
}

/// The size of a Mysis' newest request, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// The size of each part; `None` until the answer came.
    pub parts: Option<RequestByteCounts>,
    asked: Option<OrderId>,
    /// The Mysis' token count when the size was asked for. When it grows, there is a newer request.
    tokens: Option<u64>,
}

impl Dashboard {
    /// Asks for the last request of the Mysis that keys act upon.
    pub(in crate::dashboard) fn look_into_request(&mut self) {
        let Some(status) = self.target() else {
            return;
        };
        let name = status.name.clone();
        let id = self.ask_for_request(&name);
        self.awaited_request = Some(AwaitedRequest {
            id,
            name,
            overlays: self.overlays.len(),
        });
    }

    fn ask_for_request(&mut self, name: &str) -> OrderId {
        let id = Arc::make_mut(&mut self.orders).ask();
        let order = Order::ShowRequest {
            name: name.to_string(),
        };
        self.effects.push(UiEffect::Order { id, order });
        id
    }

    /// Asks for the size of the newest request, if the panel shows it and it may have changed.
    pub(in crate::dashboard) fn weigh_request(&mut self) {
        let is_shown = self.layout().panel.width > 0;
        let Some(focus) = self.focus.as_ref().filter(|_| is_shown) else {
            return;
        };
        let Some(member) = self.roster.get(focus.mysis()) else {
            return;
        };
        let tokens = member.status.totals.tokens_in;
        if focus.weight.asked.is_some() || focus.weight.tokens == Some(tokens) {
            return;
        }
        let name = member.status.name.clone();
        let asked = Some(self.ask_for_request(&name));
        if let Some(focus) = &mut self.focus {
            focus.weight.asked = asked;
            focus.weight.tokens = Some(tokens);
        }
    }

    /// Takes an answer. Returns whether it was the answer to a query for a request.
    pub(in crate::dashboard) fn answered_request(
        &mut self,
        id: OrderId,
        answer: &OrderResult,
    ) -> bool {
        if self.awaited_request.as_ref().is_some_and(|it| it.id == id) {
            let awaited = self.awaited_request.take();
            if let Some(awaited) = awaited {
                self.show_request(&awaited, answer);
            }
            return true;
        }
        let focus = self.focus.as_mut();
        let Some(focus) = focus.filter(|focus| focus.weight.asked == Some(id)) else {
            return false;
        };
        focus.weight.asked = None;
        focus.weight.parts = match answer {
            Ok(CompletedOrder::Request(sent)) => Some(sent.parts),
            Ok(_) | Err(_) => None,
        };
        true
    }

    fn show_request(&mut self, awaited: &AwaitedRequest, answer: &OrderResult) {
        match answer {
            Ok(CompletedOrder::Request(sent)) => {
                if self.overlays.len() != awaited.overlays {
                    return;
                }
                let offset = self.appearance.offset;
                let members = self.roster.members().values();
                let mut statuses = members.map(|member| &member.status);
                let game = statuses.find(|status| status.name == awaited.name);
                let game = game
                    .and_then(|status| status.game)
                    .unwrap_or(GameRef::ANY_TOOLS);
                let whose = (&*awaited.name, game);
                let inspector = Inspector::of_request(sent, whose, offset);
                self.overlays.push(Overlay::View(Box::new(inspector)));
            }
            Ok(_) => {}
            Err(refusal) => self.show_notice(&format!("{}: {refusal}", awaited.name)),
        }
    }
}
