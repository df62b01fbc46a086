//! Texts that are held back from models: read when the swarm begins, and forgotten by order.

use std::sync::Arc;

use crate::domain::held::{HeldChange, HeldText};
use crate::domain::ids::MysisId;
use crate::domain::order::{CompletedAction, CompletedOrder, OrderRefusal};
use crate::domain::write::{Batch, Write};
use crate::mysis::MysisMsg;
use crate::reply::OrderReply;
use crate::session::SessionDeps;

use super::CommanderState;

const ALL: &str = "all";

/// Reads which texts are held back from models. What cannot be read is found out again.
pub(super) async fn read_held_texts(session: &SessionDeps) {
    match session.archive.held_texts().await {
        Ok(stored) => session.held.change(|held| held.replace(stored)),
        Err(error) => tracing::warn!(%error, "the texts that are held back cannot be read"),
    }
}

impl CommanderState {
    /// Lets a text be tried again by the next request that would hold it.
    pub(super) fn forget_held(&mut self, id: &str, reply: OrderReply) {
        let held = self.deps.session.held.clone();
        let texts = held.now();
        let known = texts.all().iter().chain(texts.lessons());
        let known = known.filter(|text| !text.is_forgotten());
        let wanted = known.filter(|text| id == ALL || text.id() == id);
        let wanted: Vec<Arc<HeldText>> = wanted.map(|text| Arc::new(text.forgotten())).collect();
        if wanted.is_empty() && id != ALL {
            let why = format!("no text with the id `{id}` is held back; `zoea held` lists them");
            return reply.answer(Err(OrderRefusal::Because(why)));
        }
        let writes = wanted.iter().cloned().map(Write::HoldText);
        let batch = Batch::of_commander(writes.collect());
        let (store, clock) = (self.store_handle(), self.clock().clone());
        let myses = self.members.iter();
        let myses: Vec<_> = myses.map(|member| member.actor.clone()).collect();
        self.jobs.spawn(async move {
            if let Err(fault) = store.write(batch).await {
                return reply.answer(Err(OrderRefusal::Store(fault.to_string())));
            }
            let now = clock.moment();
            held.change(|held| {
                for text in wanted {
                    held.apply(HeldChange::Hold(text), MysisId(0), now);
                }
            });
            for mysis in myses {
                // It looks anew at what is held back. One that is gone will when it comes again.
                let _ = mysis.cast(MysisMsg::StillWaiting);
            }
            reply.answer(Ok(CompletedOrder::Done(CompletedAction::Forgotten)));
        });
    }
}
