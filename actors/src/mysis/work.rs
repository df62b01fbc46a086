//! Tasks in which a Mysis waits for the outside, so that its mailbox is never blocked.

mod admission;
mod answer_wait;
mod model_call;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::ActorRef;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::backoff::Backoff;
use crate::domain::event::Activity;
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::last_request::LastRequest;
use crate::domain::life::{CallOrder, LifeInput, TaskId, ToolOutcome};
use crate::domain::message::CallStatus;
use crate::domain::record::StoredHistory;
use crate::domain::write::{Author, Batch, Write};
use crate::freeze::FreezeSwitch;
use crate::ports::Link;
use crate::session::{
    EventSender, GameSession, QuestionSender, SessionDeps, SessionEvent, SessionObserver,
};
use crate::store::{StoreHandle, Urgency};

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

/// Sends a batch to the Store and returns its answer as a message.
pub(super) fn spawn_write(
    mysis: ActorRef<MysisMsg>,
    store: StoreHandle,
    batch: Batch,
    urgency: Urgency,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let answer = store.write_with(batch, urgency).await;
        // A Mysis that is gone restores itself from the store.
        let _ = mysis.cast(MysisMsg::Recorded(answer));
    }))
}

pub(super) fn spawn_call(
    mysis: &ActorRef<MysisMsg>,
    mut session: Box<GameSession>,
    order: CallOrder,
) -> AbortOnDropHandle<()> {
    let work = order.work;
    let observer = MailboxObserver::to(mysis, work);
    spawn_task(
        mysis.clone(),
        work,
        async move {
            let outcome = session.call(&order, &observer).await;
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
    mysis: ActorRef<MysisMsg>,
    work: TaskId,
    job: Job,
    panicked: impl FnOnce(String) -> LifeInput + Send + 'static,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let (session, input) = match AssertUnwindSafe(job).catch_unwind().await {
            Ok((session, input)) => (Some(session), input),
            Err(panic) => (None, panicked(panic_text(&*panic))),
        };
        let worked = TaskResult {
            work,
            session,
            input,
        };
        // A Mysis that is gone has aborted this task.
        let _ = mysis.cast(MysisMsg::Worked(Box::new(worked)));
    }))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

struct MailboxObserver {
    mysis: ActorRef<MysisMsg>,
    work: TaskId,
    /// Whether something else is shown than a call, as which its Mysis shows it from the beginning.
    shows_other: AtomicBool,
}

impl MailboxObserver {
    fn to(mysis: &ActorRef<MysisMsg>, work: TaskId) -> MailboxObserver {
        MailboxObserver {
            mysis: mysis.clone(),
            work,
            shows_other: AtomicBool::new(false),
        }
    }

    fn keep_request(&self, sent: LastRequest) {
        // A Mysis that is gone answers no queries.
        let _ = self.mysis.cast(MysisMsg::Sent(Box::new(sent)));
    }
}

impl SessionObserver for MailboxObserver {
    fn on_event(&self, news: SessionEvent) {
        if let SessionEvent::Progress(activity) = &news {
            let is_call = matches!(activity, Activity::CallingTool(_));
            if !self.shows_other.swap(!is_call, Ordering::Relaxed) && is_call {
                return;
            }
        }
        // A Mysis that is gone has aborted this task.
        let _ = self.mysis.cast(MysisMsg::News(self.work, news));
    }

    fn own_task(&self, task: AbortOnDropHandle<()>) {
        // If the Mysis is gone, dropping the message aborts the task.
        let _ = self.mysis.cast(MysisMsg::OwnTask(task));
    }

    fn event_sender(&self) -> EventSender {
        // What is shown by then is not known.
        let observer = MailboxObserver {
            shows_other: AtomicBool::new(true),
            ..MailboxObserver::to(&self.mysis, self.work)
        };
        Arc::new(move |news| observer.on_event(news))
    }

    fn question_sender(&self) -> QuestionSender {
        let (mysis, work) = (self.mysis.clone(), self.work);
        Arc::new(move |question| {
            let (answer, answered) = oneshot::channel();
            let sent = mysis.cast(MysisMsg::Asked(work, Box::new(question), answer));
            async move {
                sent.ok()?;
                answered.await.ok()
            }
            .boxed()
        })
    }

    fn await_release(&self) -> BoxFuture<'static, bool> {
        let (go, may_go) = oneshot::channel();
        let sent = self.mysis.cast(MysisMsg::Leaving(self.work, go));
        async move { sent.is_ok() && may_go.await.unwrap_or(false) }.boxed()
    }

    fn keep_task(&self, task: Arc<str>) -> BoxFuture<'static, bool> {
        let (go, may_go) = oneshot::channel();
        let sent = self.mysis.cast(MysisMsg::TaskGiven(self.work, task, go));
        async move { sent.is_ok() && may_go.await.unwrap_or(false) }.boxed()
    }
}
