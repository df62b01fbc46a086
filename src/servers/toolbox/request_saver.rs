//! The request saver: spares the game's server requests that it need not answer.
//!
//! It is a layer between the sessions and any upstream. Reference data of the game is fetched once
//! for the whole swarm. A query that was answered within the same tick gets the same answer again,
//! with its age. While the server restarts, no request is sent.

mod server_clock;
mod shared_cache;
mod tick_cache;

#[cfg(test)]
mod tests;

use parking_lot::Mutex;
use std::sync::Arc;

use actors::domain::game::GameRef;
use actors::domain::ids::MysisId;
use actors::domain::tool::Toolset;
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, LinkReply, TaskNews, Upstream};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use server_clock::ServerClock;
use shared_cache::SharedCache;
use tick_cache::TickCache;

pub struct CachingUpstream {
    inner: Arc<dyn Upstream>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    shared_cache: SharedCache,
    server_clock: Mutex<ServerClock>,
}

impl Shared {
    fn server_clock<T>(&self, ask: impl FnOnce(&mut ServerClock) -> T) -> T {
        // This lock is never held across an await.
        let mut server_clock = self.server_clock.lock();
        ask(&mut server_clock)
    }

    /// Refuses a request while the server restarts.
    fn check(&self, who: MysisId) -> Result<(), LinkFault> {
        let back_in = self.server_clock(|server_clock| server_clock.back_in(who, Instant::now()));
        match back_in {
            Some(back_in) => Err(LinkFault::Restarting { back_in }),
            None => Ok(()),
        }
    }
}

impl CachingUpstream {
    pub fn new(inner: Arc<dyn Upstream>) -> CachingUpstream {
        CachingUpstream {
            inner,
            shared: Arc::default(),
        }
    }
}

impl Upstream for CachingUpstream {
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>> {
        let inner = self.inner.link(mysis)?;
        Some(Arc::new(CachingLink {
            who: mysis,
            inner,
            shared: self.shared.clone(),
            own: Arc::default(),
        }))
    }
}

#[derive(Clone)]
struct CachingLink {
    who: MysisId,
    inner: Arc<dyn Link>,
    shared: Arc<Shared>,
    own: Arc<Mutex<Own>>,
}

#[derive(Default)]
struct Own {
    tools: Option<Arc<Toolset>>,
    tick_cache: TickCache,
    /// Whether the last call was answered without the server.
    is_spared: bool,
}

impl CachingLink {
    fn own<T>(&self, ask: impl FnOnce(&mut Own) -> T) -> T {
        let mut own = self.own.lock();
        ask(&mut own)
    }

    /// The game whose tools these are, if its answers hold for a tick.
    fn game(&self) -> Option<GameRef> {
        let game = self.own(|own| own.tools.as_ref()?.game());
        game.filter(|game| game.tells_facts())
    }

    async fn call_cached(self, call: LinkCall) -> Result<LinkReply, LinkFault> {
        self.shared.check(self.who)?;
        let game = self.game();
        self.own(|own| own.is_spared = game.is_some());
        let Some(game) = game else {
            // Of any other server nothing is known that could be spared.
            return self.inner.call(call).await;
        };
        if let Some(key) = shared_cache::key(&call) {
            return self.look_up(key, call).await.map(LinkReply::from);
        }
        let now = Instant::now();
        let fresh = self.shared.server_clock(|server_clock| server_clock.pace());
        if let Some(known) = self.own(|own| own.tick_cache.recall(&call, fresh, now)) {
            return Ok(known.into());
        }
        let (tool, arguments) = (call.tool.clone(), tick_cache::arguments(&call));
        let read_only = game.only_reads(&tool, &arguments) == Some(true);
        let is_queue = tick_cache::is_queue(&call);
        self.own(|own| own.is_spared = false);
        let answer = match self.inner.call(call).await {
            Ok(LinkReply::Answer(answer)) => Ok(answer),
            Ok(LinkReply::Task(task)) => {
                self.own(|own| own.tick_cache.forget());
                return Ok(LinkReply::Task(task));
            }
            Err(fault) => Err(fault),
        };
        self.learn(is_queue, &answer);
        let now = Instant::now();
        self.own(|own| match &answer {
            Ok(answer) if read_only || is_queue => {
                let asked = (&tool, arguments, is_queue);
                own.tick_cache.saw(asked, answer, now);
            }
            // Any other call may have changed what the cached answers describe.
            Ok(_) | Err(_) => own.tick_cache.forget(),
        });
        answer.map(LinkReply::from)
    }

    /// Asks for the outcome of a task. What it did may have changed what the cached answers
    /// describe.
    async fn ask_uncached(self, id: Arc<str>) -> Result<TaskNews, LinkFault> {
        self.shared.check(self.who)?;
        let news = self.inner.ask_task(id).await?;
        if self.game().is_some()
            && let TaskNews::Done(answer) = &news
        {
            self.own(|own| own.tick_cache.forget());
            self.learn_from(false, answer);
        }
        Ok(news)
    }

    /// Answers a call for reference data from the shared cache.
    async fn look_up(
        self,
        key: shared_cache::CacheKey,
        mut call: LinkCall,
    ) -> Result<LinkAnswer, LinkFault> {
        // Several Myses may wait for this answer, and none of them could keep a task.
        call.takes_task = false;
        // Nor is the operator of one asked for all.
        if let Some(context) = &mut call.context {
            context.asker = None;
        }
        let (inner, own) = (self.inner.clone(), self.own.clone());
        let fetch = move || {
            own.lock().is_spared = false;
            async move { inner.call(call).await?.answer() }.boxed()
        };
        let answer = self.shared.shared_cache.look_up(key, self.who, fetch).await;
        self.learn(false, &answer);
        answer
    }

    /// Takes ticks, announced restarts and lost sessions from an answer. `is_queue` is whether it
    /// is one of the queue of notifications.
    fn learn(&self, is_queue: bool, answer: &Result<LinkAnswer, LinkFault>) {
        match answer {
            Ok(answer) => self.learn_from(is_queue, answer),
            Err(LinkFault::SessionLost(_)) => self.shared.shared_cache.distrust(),
            Err(
                LinkFault::Unreachable(_)
                | LinkFault::Limited { .. }
                | LinkFault::Restarting { .. }
                | LinkFault::NoAccess(_)
                | LinkFault::Refused(_)
                | LinkFault::AnswerLost(_),
            ) => {}
        }
    }

    fn learn_from(&self, is_queue: bool, answer: &LinkAnswer) {
        let now = Instant::now();
        // Only this tool delivers the game's own messages. In any other answer the same words may
        // be a player's.
        let delivers = is_queue && !answer.is_error;
        let restarts = self.shared.server_clock(|server_clock| {
            server_clock.on_answer(&answer.text, now);
            delivers && server_clock.on_notifications(&answer.text, now)
        });
        if restarts {
            tracing::warn!(
                "the game server announces a restart; zoea sends it no calls until it is back"
            );
            self.shared.shared_cache.clear();
        }
    }
}

impl Link for CachingLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let link = self.clone();
        async move {
            link.shared.check(link.who)?;
            link.own(|own| own.tick_cache.forget());
            link.inner.open().await
        }
        .boxed()
    }

    fn resume(&self, resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        self.inner.resume(resume_token)
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let link = self.clone();
        async move {
            link.shared.check(link.who)?;
            let tools = link.inner.tools().await?;
            link.own(|own| own.tools = Some(tools.clone()));
            Ok(tools)
        }
        .boxed()
    }

    fn has_old_tools(&self) -> bool {
        self.inner.has_old_tools()
    }

    fn spared_server(&self) -> bool {
        self.own(|own| own.is_spared)
    }

    fn doubts_session(&self) -> bool {
        self.inner.doubts_session()
    }

    fn check(&self) -> BoxFuture<'static, Result<(), LinkFault>> {
        let link = self.clone();
        async move {
            link.shared.check(link.who)?;
            link.inner.check().await
        }
        .boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        self.clone().call_cached(call).boxed()
    }

    fn ask_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<TaskNews, LinkFault>> {
        self.clone().ask_uncached(id).boxed()
    }

    fn cancel_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        self.inner.cancel_task(id)
    }
}
