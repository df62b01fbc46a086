//! The game's server, observed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use actors::domain::ids::MysisId;
use actors::domain::tool::Toolset;
use actors::ports::{Clock, Link, LinkAnswer, LinkCall, LinkFault, Upstream};
use futures::FutureExt;
use futures::future::BoxFuture;

use zoea_system::clock::MachineClock;

use super::{CallObservers, ToolCallReport};

/// Reports every tool call to the upstream behind it, and gives each call its span.
pub struct ObservedUpstream {
    /// The upstream.
    pub upstream: Arc<dyn Upstream>,
    /// Who is told.
    pub observers: CallObservers,
}

impl Upstream for ObservedUpstream {
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>> {
        let inner = self.upstream.link(mysis)?;
        let session = Arc::new(ObservedSession {
            observers: self.observers.clone(),
            since: Mutex::default(),
        });
        Some(Arc::new(ObservedLink { inner, session }))
    }
}

struct ObservedLink {
    inner: Arc<dyn Link>,
    session: Arc<ObservedSession>,
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
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
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

/// A call in progress. If it is dropped before an answer, it was cancelled.
struct ObservedCall {
    observers: CallObservers,
    call: LinkCall,
    since: Instant,
    is_reported: bool,
}

impl ObservedCall {
    fn report(&mut self, answer: Option<&Result<LinkAnswer, LinkFault>>) {
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

impl Drop for ObservedCall {
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

    fn call(&self, mut call: LinkCall) -> BoxFuture<'static, Result<LinkAnswer, LinkFault>> {
        let observers = self.session.observers.clone();
        if let Some(context) = &mut call.context {
            let at = MachineClock.now();
            let mut spans = observers
                .iter()
                .filter_map(|observer| observer.traceparent(context.turn, context.key, at));
            context.traceparent = spans.next();
        }
        let mut observed = ObservedCall {
            observers: observers.clone(),
            call: call.clone(),
            since: Instant::now(),
            is_reported: false,
        };
        let (answer, session) = (self.inner.call(call), self.session.clone());
        async move {
            let answer = answer.await;
            observed.report(Some(&answer));
            if matches!(answer, Err(LinkFault::SessionLost(_))) {
                session.replace(None);
            }
            answer
        }
        .boxed()
    }
}
