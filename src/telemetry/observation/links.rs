//! The game's server, observed.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;

use actors::domain::ids::MysisId;
use actors::domain::tool::Toolset;
use actors::ports::{Clock, Link, LinkAnswer, LinkCall, LinkFault, LinkReply, TaskNews, Upstream};
use futures::FutureExt;
use futures::future::BoxFuture;

use zoea_system::clock::MachineClock;

use super::{CallObservers, ToolCallReport};

/// Reports every tool call to the upstream behind it, and gives each call its span.
pub struct ObservedUpstream {
    pub upstream: Arc<dyn Upstream>,
    pub observers: CallObservers,
}

impl Upstream for ObservedUpstream {
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>> {
        let inner = self.upstream.link(mysis)?;
        let session = Arc::new(ObservedSession {
            observers: self.observers.clone(),
            since: Mutex::default(),
        });
        let in_task = Arc::default();
        Some(Arc::new(ObservedLink {
            inner,
            session,
            in_task,
        }))
    }
}

struct ObservedLink {
    inner: Arc<dyn Link>,
    session: Arc<ObservedSession>,
    in_task: Arc<Mutex<Option<ObservedToolCall>>>,
}

/// A session in progress, and since when. It is over when another takes its place, when the server
/// does not know it any longer, or with its Mysis.
struct ObservedSession {
    observers: CallObservers,
    since: Mutex<Option<Instant>>,
}

impl ObservedSession {
    /// Begins a session, or none, and reports the one before.
    fn replace(&self, next: Option<Instant>) {
        let mut since = self.since.lock();
        let before = std::mem::replace(&mut *since, next);
        drop(since);
        if let Some(before) = before {
            let took = before.elapsed();
            for observer in &*self.observers {
                observer.on_session_over(took);
            }
        }
    }
}

impl Drop for ObservedSession {
    fn drop(&mut self) {
        self.replace(None);
    }
}

/// A call in progress, or one that the server works on. If it is dropped before an answer, it was
/// cancelled.
struct ObservedToolCall {
    observers: CallObservers,
    call: LinkCall,
    since: Instant,
    is_reported: bool,
}

impl ObservedToolCall {
    fn report(&mut self, answer: Option<Result<&LinkAnswer, &LinkFault>>) {
        self.is_reported = true;
        let context = self.call.context.as_ref();
        let report = ToolCallReport {
            call: &self.call,
            took: self.since.elapsed(),
            answer,
            wire: context.and_then(|context| context.wire_facts()),
        };
        for observer in &*self.observers {
            observer.on_tool_call(&report);
        }
    }
}

impl Drop for ObservedToolCall {
    fn drop(&mut self) {
        if !self.is_reported {
            self.report(None);
        }
    }
}

impl Link for ObservedLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let (open, session) = (self.inner.open(), self.session.clone());
        async move {
            let opened = open.await;
            session.replace(opened.is_ok().then(Instant::now));
            opened
        }
        .boxed()
    }

    fn resume(&self, resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let (resume, session) = (self.inner.resume(resume_token), self.session.clone());
        async move {
            let resumed = resume.await;
            session.replace(resumed.is_ok().then(Instant::now));
            resumed
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        self.inner.tools()
    }

    fn has_old_tools(&self) -> bool {
        self.inner.has_old_tools()
    }

    fn spared_server(&self) -> bool {
        self.inner.spared_server()
    }

    fn doubts_session(&self) -> bool {
        self.inner.doubts_session()
    }

    fn check(&self) -> BoxFuture<'static, Result<(), LinkFault>> {
        self.inner.check()
    }

    fn call(&self, mut call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let observers = self.session.observers.clone();
        if let Some(context) = &mut call.context {
            let at = MachineClock.now();
            let mut spans = observers
                .iter()
                .filter_map(|observer| observer.traceparent(context.turn, context.key, at));
            context.traceparent = spans.next();
        }
        let mut observed = ObservedToolCall {
            observers: observers.clone(),
            call: call.clone(),
            since: Instant::now(),
            is_reported: false,
        };
        let (reply, session) = (self.inner.call(call), self.session.clone());
        let in_task = self.in_task.clone();
        async move {
            let reply = reply.await;
            match &reply {
                Ok(LinkReply::Answer(answer)) => observed.report(Some(Ok(answer))),
                Ok(LinkReply::Task(_)) => put(&in_task, Some(observed)),
                Err(fault) => observed.report(Some(Err(fault))),
            }
            if matches!(reply, Err(LinkFault::SessionLost(_))) {
                session.replace(None);
            }
            reply
        }
        .boxed()
    }

    fn ask_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<TaskNews, LinkFault>> {
        let (news, in_task) = (self.inner.ask_task(id), self.in_task.clone());
        async move {
            let news = news.await;
            match &news {
                Ok(TaskNews::Done(answer)) => report_task(&in_task, Ok(answer)),
                Ok(TaskNews::Failed(text)) => {
                    report_task(&in_task, Err(&LinkFault::Refused(text.clone())));
                }
                Ok(TaskNews::Unknown(text)) => {
                    report_task(&in_task, Err(&LinkFault::AnswerLost(text.clone())));
                }
                Ok(TaskNews::Cancelled) => put(&in_task, None),
                Ok(TaskNews::Working(_) | TaskNews::WantsInput) | Err(_) => {}
            }
            news
        }
        .boxed()
    }

    fn cancel_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        self.inner.cancel_task(id)
    }
}

/// Reports the call that the server worked on. One that an earlier process sent is not known here.
fn report_task(in_task: &Mutex<Option<ObservedToolCall>>, answer: Result<&LinkAnswer, &LinkFault>) {
    let observed = in_task.lock().take();
    if let Some(mut observed) = observed {
        observed.report(Some(answer));
    }
}

/// Replaces the call that the server works on. One that is dropped reports itself.
fn put(in_task: &Mutex<Option<ObservedToolCall>>, next: Option<ObservedToolCall>) {
    let mut slot = in_task.lock();
    let before = std::mem::replace(&mut *slot, next);
    drop(slot);
    drop(before);
}
