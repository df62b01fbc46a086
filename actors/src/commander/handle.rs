//! The handle of the Commander for code outside of the actors: gives orders and answers queries.

use std::sync::Arc;

use ractor::ActorRef;
use tokio::sync::oneshot;

use crate::domain::budget::BudgetStatus;
use crate::domain::event::MysisStatus;
use crate::domain::event_record::OrderSource;
use crate::domain::ids::Timestamp;
use crate::domain::login_progress::LoginProgress;
use crate::domain::needs::ListedNeed;
use crate::domain::order::{Order, OrderRefusal, OrderResult};
use crate::domain::outages::ServerOutages;
use crate::domain::record::Mission;
use crate::domain::silence::SilenceNotice;
use crate::domain::standing::{StandingConditions, StandingKind};
use crate::reply::{OrderReply, OrderRequest};
use crate::ui::TerminalLink;

use super::{CommanderMsg, CommanderState, SwarmQuery};

#[derive(Clone)]
pub struct CommanderHandle {
    commander: ActorRef<CommanderMsg>,
    source: OrderSource,
}

impl CommanderHandle {
    #[must_use]
    pub fn new(commander: ActorRef<CommanderMsg>, source: OrderSource) -> CommanderHandle {
        CommanderHandle { commander, source }
    }

    #[must_use]
    pub fn with_source(&self, source: OrderSource) -> CommanderHandle {
        CommanderHandle::new(self.commander.clone(), source)
    }

    /// Gives an order and waits for its result.
    ///
    /// # Errors
    /// The order was refused, or the program is closing.
    pub async fn order(&self, order: Order) -> OrderResult {
        let (answered, answer) = oneshot::channel();
        let reply = OrderReply::new(move |answer| {
            // The caller may have stopped waiting.
            let _ = answered.send(answer);
        });
        let request = CommanderMsg::Order(OrderRequest {
            order,
            source: self.source,
            reply,
        });
        if self.commander.cast(request).is_err() {
            return Err(OrderRefusal::Closing);
        }
        answer.await.unwrap_or(Err(OrderRefusal::Closing))
    }

    /// Asks a question. `None` once the program is closing.
    async fn ask<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut CommanderState) -> T + Send + 'static,
    ) -> Option<T> {
        let (answered, answer) = oneshot::channel();
        let query = SwarmQuery(Box::new(move |state| {
            // The caller may have stopped waiting.
            let _ = answered.send(look(state));
        }));
        self.commander.cast(CommanderMsg::Query(query)).ok()?;
        answer.await.ok()
    }

    /// The statuses of all Myses of the fleet, by name; empty once the program is closing.
    pub async fn statuses(&self) -> Vec<Arc<MysisStatus>> {
        self.ask(|state| state.all_statuses())
            .await
            .unwrap_or_default()
    }

    /// Waits until this process knows all Myses of the fleet that it joined. Until then it would refuse an
    /// order for one of them as one for nobody.
    pub async fn fleet_known(&self) {
        if let Some(known) = self.ask(CommanderState::until_fleet_is_known).await {
            // It is known, or the program is closing.
            let _ = known.await;
        }
    }

    /// The name of this process; `None` as long as no other one shared its database.
    pub async fn process_name(&self) -> Option<Arc<str>> {
        self.ask(|state| state.neighbours.own_name())
            .await
            .flatten()
    }

    pub async fn mission(&self) -> Option<Mission> {
        self.ask(|state| state.mission.current().cloned())
            .await
            .flatten()
    }

    /// The day's budget; nothing spent once the program is closing.
    pub async fn budget_status(&self) -> Arc<BudgetStatus> {
        self.ask(|state| state.news.budget())
            .await
            .unwrap_or_default()
    }

    /// The servers that are away; none once the program is closing.
    pub async fn outages(&self) -> Arc<ServerOutages> {
        self.ask(|state| state.outside.outages())
            .await
            .unwrap_or_default()
    }

    /// What is told where the swarm runs and nothing happens.
    pub async fn silence(&self) -> Option<Arc<SilenceNotice>> {
        self.ask(|state| state.silence.sent()).await.flatten()
    }

    /// Since when the swarm is frozen; `None` if it is not.
    pub async fn frozen_since(&self) -> Option<Timestamp> {
        self.ask(|state| state.freeze_switch().frozen_since())
            .await
            .flatten()
    }

    /// The progress of the swarm's logins; `None` if no Mysis waits for one.
    pub async fn login_progress(&self) -> Option<LoginProgress> {
        self.ask(|state| state.login_progress()).await.flatten()
    }

    pub async fn standing(&self) -> Arc<StandingConditions> {
        self.ask(|state| state.news.standing())
            .await
            .unwrap_or_default()
    }

    pub async fn needs(&self) -> Vec<ListedNeed> {
        self.ask(CommanderState::list_needs)
            .await
            .unwrap_or_default()
    }

    /// Why the store does not accept writes; `None` if it does.
    pub async fn store_trouble(&self) -> Option<Arc<str>> {
        let standing = self.standing().await;
        let trouble = standing.get(StandingKind::StoreTrouble)?;
        Some(trouble.text.clone())
    }

    /// Attaches one more terminal. If no Ui can be started for it, its `quit` token is cancelled.
    pub fn attach_terminal(&self, link: TerminalLink) {
        let quit = link.quit.clone();
        if self.commander.cast(CommanderMsg::Attach(link)).is_err() {
            quit.cancel();
        }
    }
}
