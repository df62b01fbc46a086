//! The address of the Store for all that write: it waits through a replacement, and says how soon a
//! batch is to be durable.

use ractor::{ActorRef, RpcReplyPort};

use crate::address::{Address, AddressHolder};
use crate::domain::ids::MysisId;
use crate::domain::record::GameAccount;
use crate::domain::write::Batch;
use crate::ports::LedgerFault;

use super::StoreMsg;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    AtOnce,
    /// With the next commit, or a moment later.
    Soon,
}

/// The address of the Store. It survives the Store's replacement.
#[derive(Clone, Debug)]
pub struct StoreHandle(pub(crate) Address<StoreMsg>);

impl StoreHandle {
    /// The handle of a Store that nobody replaces.
    #[must_use]
    pub fn to_one(store: ActorRef<StoreMsg>) -> StoreHandle {
        StoreHandle(AddressHolder::new(store).address())
    }

    /// Makes a batch durable, and waits for as long as that takes.
    ///
    /// # Errors
    /// The ledger refuses it for good, or the program is closing.
    pub async fn write(&self, batch: Batch) -> Result<(), LedgerFault> {
        self.write_with(batch, Urgency::AtOnce).await
    }

    /// Makes a batch durable, at once or together with others.
    ///
    /// # Errors
    /// The same as for [`StoreHandle::write`].
    pub async fn write_with(&self, batch: Batch, urgency: Urgency) -> Result<(), LedgerFault> {
        self.ask_store(|reply| StoreMsg::Write {
            batch: batch.clone(),
            urgency,
            reply,
        })
        .await
    }

    /// Gives a Mysis the oldest free game account of the pool.
    ///
    /// # Errors
    /// The same as for [`StoreHandle::write`].
    pub async fn claim_account(&self, mysis: MysisId) -> Result<Option<GameAccount>, LedgerFault> {
        self.ask_store(|reply| StoreMsg::ClaimAccount { mysis, reply })
            .await
    }

    async fn ask_store<T: Send + 'static>(
        &self,
        message: impl Fn(RpcReplyPort<Result<T, LedgerFault>>) -> StoreMsg,
    ) -> Result<T, LedgerFault> {
        let closing = || LedgerFault::Refused("the program is closing".to_string());
        self.0.ask(message).await.ok_or_else(closing)?
    }
}
