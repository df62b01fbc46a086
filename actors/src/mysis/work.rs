//! Tasks in which a Mysis waits for the outside, so that its mailbox is never blocked.

mod admission;
mod answer_wait;
mod model_call;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::ActorRef;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::backoff::Backoff;
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::life::{CallOrder, LifeInput, TaskId, ToolOutcome};
use crate::domain::message::CallStatus;
use crate::domain::record::StoredHistory;
use crate::domain::write::{Author, Batch, Write};
use crate::freeze::FreezeSwitch;
use crate::ports::Link;
use crate::session::{GameSession, Outlet, SessionDeps};
use crate::telling::spawn_job;

use super::{MysisMsg, TaskResult};

pub(super) use model_call::{ModelCaller, spawn_ask};

/// The waits between attempts to read the history.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(100);
const MAX_RETRY_WAIT: Duration = Duration::from_secs(5);
/// How long asking the server to cancel a task may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(30);

/// Reads the history, after a wait. A Mysis that begins fences older incarnations before that.
pub(super) fn spawn_recall(
    mysis: ActorRef<MysisMsg>,
    deps: SessionDeps,
    id: MysisId,
    (begins, wait): (Option<Incarnation>, Duration),
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let mut waits = Backoff::new(MIN_RETRY_WAIT, MAX_RETRY_WAIT);
        let mut is_told = false;
        let past = loop {
            let reading = AssertUnwindSafe(read_past(&deps, id, begins)).catch_unwind();
            let panicked = |panic: Box<dyn std::any::Any + Send>| {
                let panic = panic_text(&*panic);
                Err(format!("the conversation cannot be read: {panic}"))
            };
            match reading.await.unwrap_or_else(panicked) {
                Ok(past) => break past,
                Err(why) => {
                    tracing::warn!(mysis = %id, why, "failed to read a conversation");
                    if !std::mem::replace(&mut is_told, true) {
                        // A Mysis that is gone does not need its history.
                        let _ = mysis.cast(MysisMsg::CannotRecall(why));
                    }
                }
            }
            tokio::time::sleep(waits.next_wait()).await;
        };
        let _ = mysis.cast(MysisMsg::Recalled(Box::new(past)));
    }))
}

async fn read_past(
    deps: &SessionDeps,
    id: MysisId,
    begins: Option<Incarnation>,
) -> Result<StoredHistory, String> {
    if let Some(incarnation) = begins {
        let fence = Batch {
            author: Author::Mysis(id, incarnation),
            writes: vec![Write::Fence {
                mysis: id,
                incarnation,
            }],
        };
        let fenced = deps.store.write(fence).await;
        fenced.map_err(|fault| format!("the conversation cannot be taken up: {fault}"))?;
    }
    let past = deps.archive.load_history(id).await;
    past.map_err(|fault| format!("the conversation cannot be read: {fault}"))
}

pub(super) fn spawn_call(
    mysis: &ActorRef<MysisMsg>,
    mut session: Box<GameSession>,
    order: CallOrder,
) -> AbortOnDropHandle<()> {
    let work = order.work;
    let outlet = outlet_to(mysis, work);
    spawn_task(
        mysis,
        work,
        async move {
            let outcome = session.call(&order, &outlet).await;
            (session, LifeInput::Returned { work, outcome })
        }
        .boxed(),
        move |text| LifeInput::Returned {
            work,
            outcome: ToolOutcome::new(CallStatus::Unknown, format!("outcome unknown: {text}")),
        },
    )
}

/// Asks the server to cancel what it works on. Nothing depends on whether that succeeds.
pub(super) fn spawn_cancel(
    link: Option<Arc<dyn Link>>,
    task: Arc<str>,
    freeze: FreezeSwitch,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let Some(link) = link else {
            return;
        };
        let departure = freeze.depart().await;
        let cancelled = departure.begin(async {
            link.open().await?;
            link.cancel_task(task).await
        });
        match tokio::time::timeout(CANCEL_TIMEOUT, cancelled).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => tracing::debug!(%fault, "a task was not cancelled"),
            Err(_) => tracing::debug!("a task was not cancelled in time"),
        }
    }))
}

/// What a task does. It is boxed, so that it stands once in memory and not in each future around it.
type Job = BoxFuture<'static, (Box<GameSession>, LifeInput)>;

/// Runs a task to its end. A panic in it costs the session but not the Mysis.
fn spawn_task(
    mysis: &ActorRef<MysisMsg>,
    work: TaskId,
    job: Job,
    panicked: impl FnOnce(String) -> LifeInput + Send + 'static,
) -> AbortOnDropHandle<()> {
    spawn_job(mysis, async move {
        let (session, input) = match AssertUnwindSafe(job).catch_unwind().await {
            Ok((session, input)) => (Some(session), input),
            Err(panic) => (None, panicked(panic_text(&*panic))),
        };
        MysisMsg::Worked(Box::new(TaskResult {
            work,
            session,
            input,
        }))
    })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

/// The way of a session to its Mysis. One that is gone has aborted the task.
fn outlet_to(mysis: &ActorRef<MysisMsg>, work: TaskId) -> Outlet {
    let mysis = mysis.clone();
    Outlet::new(Arc::new(move |news| {
        drop(mysis.cast(MysisMsg::News(work, news)))
    }))
}
