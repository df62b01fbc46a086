//! Commits that several writes share, and what is told of those that fail.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::record::GameAccount;
use actors::domain::write::{Author, Batch};
use actors::ports::{Ledger, LedgerFault};
use actors::store::{StoreActor, StoreArgs, StoreHandle, StoreMsg, Urgency};
use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::{Actor, ActorRef};
use tokio::time::Instant;
use zoea_system::clock::MachineClock;

/// A ledger that counts the batches of each commit.
#[derive(Clone, Default)]
struct CountingLedger(Arc<Mutex<Vec<usize>>>);

impl CountingLedger {
    fn commits(&self) -> Vec<usize> {
        self.0.lock().clone()
    }
}

impl Ledger for CountingLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        self.0.lock().push(batches.len());
        futures::future::ready(vec![Ok(()); batches.len()]).boxed()
    }

    fn claim_account(
        &self,
        _: MysisId,
        _: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        futures::future::ready(Ok(None)).boxed()
    }
}

/// A ledger that fails with each of these reasons, the last one first, and works then.
struct FailingLedger(Mutex<Vec<&'static str>>);

impl Ledger for FailingLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let result = match self.0.lock().pop() {
            Some(why) => Err(LedgerFault::Unavailable(why.to_string())),
            None => Ok(()),
        };
        futures::future::ready(vec![result; batches.len()]).boxed()
    }

    fn claim_account(
        &self,
        _: MysisId,
        _: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        futures::future::ready(Ok(None)).boxed()
    }
}

/// A Store, and what its ledger committed.
async fn store() -> (ActorRef<StoreMsg>, CountingLedger) {
    let ledger = CountingLedger::default();
    let args = StoreArgs {
        ledger: Arc::new(ledger.clone()),
        clock: Arc::new(MachineClock),
        parent: Arc::new(|_| {}),
    };
    let (store, _) = Actor::spawn(None, StoreActor, args).await.unwrap();
    (store, ledger)
}

/// Writes for a Mysis, and says when it is durable.
async fn write(store: &StoreHandle, urgency: Urgency) -> Instant {
    let batch = Batch {
        author: Author::Mysis(MysisId(1), Incarnation(1)),
        writes: Vec::new(),
    };
    store.write_with(batch, urgency).await.unwrap();
    Instant::now()
}

#[tokio::test(start_paused = true)]
async fn writes_that_can_wait_share_the_next_commit() {
    let (actor, ledger) = store().await;
    let store = StoreHandle::to_one(actor);
    let began = Instant::now();
    let (first, second) = tokio::join!(write(&store, Urgency::Soon), write(&store, Urgency::Soon));
    assert_eq!(ledger.commits(), [2]);
    let waited = Duration::from_millis(50)..Duration::from_millis(60);
    assert!(waited.contains(&(first - began)), "{:?}", first - began);
    assert_eq!(first, second);
    // One that something waits for takes those along that can wait, and none of them waits.
    let began = Instant::now();
    let (first, second) =
        tokio::join!(write(&store, Urgency::Soon), write(&store, Urgency::AtOnce));
    assert_eq!(ledger.commits(), [2, 2]);
    assert_eq!((first, second), (began, began));
    // After such a commit a write that can wait waits again.
    let began = Instant::now();
    let alone = write(&store, Urgency::Soon).await;
    assert!(waited.contains(&(alone - began)), "{:?}", alone - began);
    assert_eq!(ledger.commits(), [2, 2, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_drained_makes_nobody_wait() {
    let (actor, ledger) = store().await;
    let store = StoreHandle::to_one(actor.clone());
    let began = Instant::now();
    let (written, _) = tokio::join!(write(&store, Urgency::Soon), async {
        actor.call(StoreMsg::Drain, None).await.unwrap()
    });
    assert_eq!(written, began);
    assert_eq!(ledger.commits(), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_store_tells_why_it_fails_each_time_that_the_reason_changes() {
    let told: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let heard = told.clone();
    let args = StoreArgs {
        ledger: Arc::new(FailingLedger(Mutex::new(vec![
            "full", "full", "gone", "gone",
        ]))),
        clock: Arc::new(MachineClock),
        parent: Arc::new(move |trouble: Option<Arc<str>>| {
            heard.lock().push(trouble.map(|text| text.to_string()));
        }),
    };
    let (actor, _) = Actor::spawn(None, StoreActor, args).await.unwrap();
    write(&StoreHandle::to_one(actor), Urgency::AtOnce).await;
    let told = told.lock().clone();
    let words = told
        .iter()
        .map(|text| text.as_deref().map(|text| &text[text.len() - 4..]));
    assert_eq!(
        words.collect::<Vec<_>>(),
        [Some("gone"), Some("full"), None]
    );
}
