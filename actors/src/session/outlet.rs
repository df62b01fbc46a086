//! The way of a session to its Mysis.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::Activity;
use crate::domain::life::LifeInput;
use crate::domain::question::{Decision, Question};
use crate::domain::record::GameAccount;
use crate::telling::TellParent;

/// What a session tells its Mysis.
#[derive(Debug)]
pub enum SessionEvent {
    Shows(Activity),
    /// Something that the life takes as it is.
    Told(Box<LifeInput>),
    Learned(GameAccount),
    /// A call is ready to be sent. It is sent once that is recorded.
    Leaving(oneshot::Sender<bool>),
    /// The server works on a call under this id. Its outcome is asked for once that is recorded.
    TaskGiven(Arc<str>, oneshot::Sender<bool>),
    Asked(Box<Question>, oneshot::Sender<Decision>),
    /// A task that continues even if the present task is cut off. It ends with the Mysis at the latest.
    OwnTask(AbortOnDropHandle<()>),
}

/// The way of a session to its Mysis while a task uses it.
pub struct Outlet {
    tell: TellParent<SessionEvent>,
    /// Whether something else is shown than a call, as which its Mysis shows it from the beginning.
    shows_other: AtomicBool,
}

impl Outlet {
    pub fn new(tell: TellParent<SessionEvent>) -> Outlet {
        Outlet {
            tell,
            shows_other: AtomicBool::new(false),
        }
    }

    pub fn tell(&self, event: SessionEvent) {
        (self.tell)(event);
    }

    pub fn tell_life(&self, input: LifeInput) {
        self.tell(SessionEvent::Told(Box::new(input)));
    }

    pub fn show(&self, activity: Activity) {
        let is_call = matches!(activity, Activity::CallingTool(_));
        if self.shows_other.swap(!is_call, Ordering::Relaxed) || !is_call {
            self.tell(SessionEvent::Shows(activity));
        }
    }

    /// A way that outlives the present task.
    pub(super) fn sender(&self) -> TellParent<SessionEvent> {
        self.tell.clone()
    }

    /// Waits until the present call may be sent. Returns false if it must not.
    pub(super) async fn await_release(&self) -> bool {
        let (go, may_go) = oneshot::channel();
        self.tell(SessionEvent::Leaving(go));
        may_go.await.unwrap_or(false)
    }

    /// Keeps the id under which the server works on the present call, and waits until it is stored.
    /// Returns false if the outcome must not be asked for.
    pub(super) async fn keep_task(&self, task: Arc<str>) -> bool {
        let (go, may_go) = oneshot::channel();
        self.tell(SessionEvent::TaskGiven(task, go));
        may_go.await.unwrap_or(false)
    }
}
