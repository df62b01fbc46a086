//! Addresses of actors that are replaced when they die. Who asks a dead one waits for its successor, in
//! order.

use ractor::rpc::CallResult;
use ractor::{ActorRef, Message, RpcReplyPort};

use crate::in_order::InOrder;

/// Holds the address of an actor. When it is dropped, nobody follows any more.
#[derive(Debug)]
pub(crate) struct AddressHolder<M: Message>(Address<M>);

/// The address of an actor, or of its successor.
#[derive(Debug)]
pub(crate) struct Address<M: Message>(InOrder<Known<M>>);

#[derive(Debug)]
struct Known<M: Message> {
    actor: ActorRef<M>,
    /// Whether no other follows.
    is_last: bool,
}

impl<M: Message> AddressHolder<M> {
    pub(crate) fn new(actor: ActorRef<M>) -> AddressHolder<M> {
        let is_last = false;
        AddressHolder(Address(InOrder::new(Known { actor, is_last })))
    }

    pub(crate) fn address(&self) -> Address<M> {
        self.0.clone()
    }

    pub(crate) fn actor(&self) -> ActorRef<M> {
        self.0.actor()
    }

    pub(crate) fn replace(&self, successor: ActorRef<M>) {
        self.0.0.change(|known| {
            known.actor = successor;
            true
        });
    }
}

impl<M: Message> Drop for AddressHolder<M> {
    fn drop(&mut self) {
        self.0.0.change(|known| {
            known.is_last = true;
            true
        });
    }
}

impl<M: Message> Clone for Address<M> {
    fn clone(&self) -> Address<M> {
        Address(self.0.clone())
    }
}

impl<M: Message> Address<M> {
    pub(crate) fn actor(&self) -> ActorRef<M> {
        self.0.read(|known| known.actor.clone())
    }

    /// Asks the actor, or its successor where it dies over the question; `None` once none follows.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl Fn(RpcReplyPort<T>) -> M,
    ) -> Option<T> {
        let mut actor = self.actor();
        loop {
            if let Ok(CallResult::Success(answer)) = actor.call(&question, None).await {
                return Some(answer);
            }
            actor = self.successor_of(&actor).await?;
        }
    }

    /// Waits for the successor of a dead actor; `None` if none follows.
    async fn successor_of(&self, dead: &ActorRef<M>) -> Option<ActorRef<M>> {
        let find = |known: &Known<M>| {
            let is_other = known.actor.get_id() != dead.get_id();
            let found = is_other.then(|| known.actor.clone());
            (found.is_some() || known.is_last).then_some(found)
        };
        self.0.find(find).await
    }
}
