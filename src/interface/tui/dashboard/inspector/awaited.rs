//! A request that a Mysis sent to its model, from the key that asks for it until the inspector opens.

use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::game::GameRef;
use actors::domain::order::{CompletedOrder, Order, OrderResult};
use actors::domain::screen::OrderId;

use super::Inspector;
use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::Outbox;

/// A request that was asked for and will open in the inspector.
#[derive(Clone, Debug)]
pub(crate) struct AwaitedRequest {
    pub(crate) id: OrderId,
    name: Arc<str>,
    /// The number of layers when it was asked for. If the operator has opened another one since,
    /// the inspector does not open.
    pub(crate) layers: usize,
}

impl AwaitedRequest {
    pub(crate) fn of(status: &MysisStatus, layers: usize, outbox: &mut Outbox) -> AwaitedRequest {
        AwaitedRequest {
            id: outbox.ask(Order::ShowRequest {
                name: status.name.to_string(),
            }),
            name: status.name.clone(),
            layers,
        }
    }

    /// The inspector of the request that was answered.
    pub(crate) fn inspector(
        &self,
        answer: &OrderResult,
        facts: &Facts,
    ) -> Result<Option<Inspector>, String> {
        let sent = match answer {
            Ok(CompletedOrder::Request(sent)) => sent,
            Ok(_) => return Ok(None),
            Err(refusal) => return Err(format!("{}: {refusal}", self.name)),
        };
        let member = facts.roster.find_by_name(&self.name);
        let game = member.and_then(|member| member.status.game);
        let whose = (&*self.name, game.unwrap_or(GameRef::AnyTools));
        let inspector = Inspector::of_request(sent, whose, facts.appearance.offset);
        Ok(Some(inspector))
    }
}
