//! The owner: the one task that holds the world. It receives requests and timer ticks, keeps
//! records before answers to calls leave, and ends when it is told to. While the disk takes no records the
//! game stands still: no answer leaves, and nothing else happens.

use std::{
    collections::BTreeMap,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Interval, MissedTickBehavior},
};
use tokio_util::sync::CancellationToken;

use super::{
    super::{
        frontend::{CallReply, ConnectionId, Frontend, GameCall, ServedCall},
        journal::{Journal, Tail, write_lines},
        options::{GalaxyClock, GalaxyOptions, TickPace},
        world::{AnswerId, GameAnswer, GameRefusal, JournalRecord, World},
    },
    connections::Connections,
    traffic::Traffic,
};

/// The largest number of requests between two checks of the timer.
const MAX_BATCH_REQUESTS: usize = 256;

/// The time between two searches for idle sessions.
const SWEEP_INTERVAL: Duration = Duration::from_secs(20);

/// The pause before a failed write is tried again.
const WRITE_RETRY_PAUSE: Duration = Duration::from_millis(200);

/// The seconds that a restart warning announces.
const RESTART_WARNING_SECS: u64 = 60;

#[derive(Debug)]
pub(super) enum OwnerRequest {
    /// A tool call. The answer may take some ticks.
    Call {
        connection: ConnectionId,
        call: GameCall,
        reply: oneshot::Sender<GameAnswer>,
    },
    /// A player logs in who was picked at the page of links.
    LoginLinked {
        connection: ConnectionId,
        name: String,
        reply: oneshot::Sender<GameAnswer>,
    },
    Names {
        reply: oneshot::Sender<Vec<String>>,
    },
    Disconnect(ConnectionId),
    LoseLogin(ConnectionId),
    WarnOfRestart,
    Tick {
        reply: oneshot::Sender<u64>,
    },
    GalaxyHealth {
        reply: oneshot::Sender<GalaxyHealth>,
    },
}

#[derive(Debug)]
pub(super) struct GalaxyHealth {
    pub(super) tick: u64,
    pub(super) players: usize,
    pub(super) online: usize,
    pub(super) waiting: usize,
}

/// An answer that may leave once its records are kept.
type OutgoingReply = (oneshot::Sender<GameAnswer>, GameAnswer);

/// The parts that have to exist before the listener accepts connections.
pub(super) struct WorldParts {
    pub(super) frontend: Frontend,
    pub(super) journal: Option<Journal>,
    /// A file of every mutation that was carried out, for tests that compare.
    pub(super) ledger: Option<Tail>,
}

pub(super) struct WorldOwner {
    frontend: Frontend,
    journal: Option<Journal>,
    ledger: Option<Tail>,
    connections: Arc<Connections>,
    traffic: Arc<Traffic>,
    clock: GalaxyClock,
    timer: Option<Interval>,
    waiting: BTreeMap<AnswerId, oneshot::Sender<GameAnswer>>,
    swept: Duration,
}

impl WorldOwner {
    pub(super) fn new(
        parts: WorldParts,
        connections: Arc<Connections>,
        traffic: Arc<Traffic>,
        options: &GalaxyOptions,
    ) -> Self {
        let timer = match options.pace {
            TickPace::Timer => {
                let first = tokio::time::Instant::now() + options.tick;
                let mut timer = tokio::time::interval_at(first, options.tick);
                // After a pause the game goes on without making up for missed ticks.
                timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
                Some(timer)
            }
            TickPace::ByHand => None,
        };
        Self {
            frontend: parts.frontend,
            journal: parts.journal,
            ledger: parts.ledger,
            connections,
            traffic,
            clock: options.clock.clone(),
            timer,
            waiting: BTreeMap::new(),
            swept: Duration::ZERO,
        }
    }

    /// Works until it is told to stop, or until no sender of requests is left.
    pub(super) async fn run(
        mut self,
        mut inbox: mpsc::Receiver<OwnerRequest>,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        // When the owner ends for any reason, the server ends.
        let _stop_others = stop.clone().drop_guard();
        let mut batch = Vec::with_capacity(MAX_BATCH_REQUESTS);
        loop {
            // All three are cancel-safe: a token, a timer's tick, and `recv_many`, which takes
            // nothing out of the queue unless it completes.
            tokio::select! {
                () = stop.cancelled() => break,
                () = wait_for_tick(&mut self.timer) => self.run_tick(None, &stop).await?,
                count = inbox.recv_many(&mut batch, MAX_BATCH_REQUESTS) => {
                    if count == 0 {
                        break;
                    }
                    self.handle_batch(&mut batch, &stop).await?;
                }
            }
        }
        if let Some(journal) = &mut self.journal {
            write_snapshot(journal, self.frontend.world());
        }
        Ok(())
    }

    /// Handles a batch of requests, keeps its records, then sends the answers.
    async fn handle_batch(
        &mut self,
        batch: &mut Vec<OwnerRequest>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let now = self.clock.now();
        let mut records = Vec::new();
        let mut outgoing = Vec::with_capacity(batch.len());
        for request in batch.drain(..) {
            match request {
                OwnerRequest::Call {
                    connection,
                    call,
                    reply,
                } => {
                    let served = self.serve_call(connection, call, now);
                    records.extend(served.records);
                    outgoing.extend(self.reply_to(reply, served.reply));
                }
                OwnerRequest::LoginLinked {
                    connection,
                    name,
                    reply,
                } => {
                    let served = self.frontend.login_linked(connection, &name, now);
                    records.extend(served.records);
                    outgoing.extend(self.reply_to(reply, served.reply));
                }
                OwnerRequest::Names { reply } => {
                    // The caller may be gone.
                    let _ = reply.send(self.frontend.world().account_names());
                }
                OwnerRequest::Disconnect(connection) => {
                    records.extend(self.frontend.disconnect(connection))
                }
                OwnerRequest::LoseLogin(connection) => {
                    records.extend(self.frontend.lose_login(connection, now));
                }
                OwnerRequest::WarnOfRestart => self.frontend.warn_of_restart(RESTART_WARNING_SECS),
                OwnerRequest::Tick { reply } => {
                    self.keep_records(&records, stop).await?;
                    records.clear();
                    self.run_tick(Some(reply), stop).await?;
                }
                OwnerRequest::GalaxyHealth { reply } => {
                    // The caller may be gone.
                    let _ = reply.send(self.health());
                }
            }
        }
        self.keep_records(&records, stop).await?;
        send_answers(outgoing);
        Ok(())
    }

    /// Serves one call. A bug in one command must not end the world of the others.
    fn serve_call(
        &mut self,
        connection: ConnectionId,
        call: GameCall,
        now: Duration,
    ) -> ServedCall {
        let frontend = &mut self.frontend;
        let served = catch_unwind(AssertUnwindSafe(|| {
            frontend.serve_call(connection, call, now)
        }));
        served.unwrap_or_else(|_| ServedCall {
            reply: CallReply::Now(Err(GameRefusal::internal_error())),
            records: Vec::new(),
        })
    }

    /// The answer to a call, unless it comes with a tick.
    fn reply_to(
        &mut self,
        reply: oneshot::Sender<GameAnswer>,
        answer: CallReply,
    ) -> Option<OutgoingReply> {
        match answer {
            CallReply::Now(answer) => Some((reply, answer)),
            CallReply::Later(answer_id) => {
                self.waiting.insert(answer_id, reply);
                None
            }
        }
    }

    /// Lets a tick pass and answers the calls that waited for it.
    async fn run_tick(
        &mut self,
        watcher: Option<oneshot::Sender<u64>>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let ticked = self.frontend.tick();
        let mut outgoing = Vec::with_capacity(ticked.answers.len());
        for (answer_id, answer) in ticked.answers {
            if let Some(reply) = self.waiting.remove(&answer_id) {
                outgoing.push((reply, answer));
            }
        }
        let done = ticked
            .records
            .iter()
            .filter(|record| record.failed.is_none());
        self.traffic.count_mutations(done.count());
        if let Some(ledger) = &mut self.ledger
            && !ticked.records.is_empty()
        {
            let lines = write_lines(&ticked.records);
            retry_write("append to the ledger", stop, || ledger.append(&lines)).await?;
        }
        if watcher.is_some() || !outgoing.is_empty() || !ticked.records.is_empty() {
            self.keep_records(&ticked.records, stop).await?;
        }
        send_answers(outgoing);
        if let Some(watcher) = watcher {
            // Nobody may watch any more.
            let _ = watcher.send(self.frontend.world().now());
        }
        self.end_idle_sessions(stop).await
    }

    /// Ends idle sessions, once per interval.
    async fn end_idle_sessions(&mut self, stop: &CancellationToken) -> anyhow::Result<()> {
        let now = self.clock.now();
        if now.saturating_sub(self.swept) < SWEEP_INTERVAL {
            return Ok(());
        }
        self.swept = now;
        let mut records = self.frontend.sweep(now);
        for connection in self.connections.sweep(now) {
            records.extend(self.frontend.disconnect(connection));
        }
        if records.is_empty() {
            return Ok(());
        }
        self.keep_records(&records, stop).await
    }

    /// Hands records to the operating system. The write blocks for some microseconds, as it only
    /// reaches the page cache. A snapshot, after about fifty thousand records, blocks for some
    /// milliseconds.
    async fn keep_records(
        &mut self,
        records: &[JournalRecord],
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let world = self.frontend.world();
        let now = world.now();
        retry_write("append to the journal", stop, || {
            journal.append(now, records)
        })
        .await?;
        if journal.is_snapshot_due() {
            write_snapshot(journal, world);
        }
        Ok(())
    }

    fn health(&self) -> GalaxyHealth {
        let world = self.frontend.world();
        GalaxyHealth {
            tick: world.now(),
            players: world.population(),
            online: world.online(),
            waiting: self.waiting.len(),
        }
    }
}

/// Sends answers. A caller may be gone; the change stays.
fn send_answers(outgoing: Vec<OutgoingReply>) {
    for (reply, answer) in outgoing {
        let _ = reply.send(answer);
    }
}

/// Writes until the disk takes it, or until the server is stopped.
async fn retry_write(
    what: &'static str,
    stop: &CancellationToken,
    mut write: impl FnMut() -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut is_printed = false;
    while let Err(error) = write() {
        if !is_printed {
            is_printed = true;
            tracing::error!(%error, "cannot {what}; the game is paused until it can");
        }
        // Both are cancel-safe: a token and a pause.
        tokio::select! {
            () = stop.cancelled() => return Err(error).context(what),
            () = tokio::time::sleep(WRITE_RETRY_PAUSE) => {}
        }
    }
    if is_printed {
        tracing::info!("the game goes on");
    }
    Ok(())
}

/// Writes a snapshot. If it fails, everything is still in the journal.
fn write_snapshot(journal: &mut Journal, world: &World) {
    if let Err(error) = journal.take_snapshot(world) {
        tracing::warn!(error = %format!("{error:#}"), "failed to write a snapshot of the game");
    }
}

/// Waits for the next tick of the timer. Without a timer it waits for ever.
async fn wait_for_tick(timer: &mut Option<Interval>) {
    match timer {
        Some(timer) => {
            timer.tick().await;
        }
        None => std::future::pending().await,
    }
}
