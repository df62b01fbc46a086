//! The owner: the one task that holds the world. It hears requests and the timer, keeps records
//! before answers leave, and ends when it is told to. While the disk takes no records the game stands
//! still: nobody is answered, and nothing more happens.

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
        frontend::{CallReply, ConnectionId, Frontend, GameCall, JournalRecord, ServedCall},
        journal::{Journal, MutationLedger},
        options::{GalaxyClock, GalaxyOptions, TickPace},
        world::{AnswerTicket, GameAnswer, GameRefusal, World},
    },
    connections::Connections,
    traffic::Traffic,
};

/// Requests that are handled between two looks at the timer.
const MAX_BATCH_REQUESTS: usize = 256;

/// How often idle sessions are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_secs(20);

/// How long it is waited before the disk is tried again.
const WRITE_RETRY_PAUSE: Duration = Duration::from_millis(200);

/// How many seconds a restart warning speaks of.
const RESTART_WARNING_SECS: u64 = 60;

/// What the owner can be asked.
#[derive(Debug)]
pub(super) enum OwnerRequest {
    /// A tool call; the answer may take some ticks.
    Call {
        connection: ConnectionId,
        call: GameCall,
        reply: oneshot::Sender<GameAnswer>,
    },
    /// The connection is over.
    HangUp(ConnectionId),
    /// The connection's login is to be forgotten.
    LoseLogin(ConnectionId),
    /// Everybody is to be told of a restart.
    WarnOfRestart,
    /// A tick is to pass.
    Tick { reply: oneshot::Sender<u64> },
    /// How things stand.
    Health { reply: oneshot::Sender<Health> },
}

/// How things stand.
#[derive(Debug)]
pub(super) struct Health {
    pub(super) tick: u64,
    pub(super) players: usize,
    pub(super) online: usize,
    /// Calls that wait for a tick.
    pub(super) waiting: usize,
}

/// An answer that may leave once its records are kept.
enum OutgoingReply {
    Answer(oneshot::Sender<GameAnswer>, GameAnswer),
    Tick(oneshot::Sender<u64>, u64),
    Health(oneshot::Sender<Health>, Health),
}

/// Where what happens is kept.
pub(super) struct RecordFiles {
    pub(super) journal: Option<Journal>,
    pub(super) ledger: Option<MutationLedger>,
}

/// The task's state.
pub(super) struct WorldOwner {
    frontend: Frontend,
    journal: Option<Journal>,
    ledger: Option<MutationLedger>,
    connections: Arc<Connections>,
    traffic: Arc<Traffic>,
    clock: GalaxyClock,
    timer: Option<Interval>,
    waiting: BTreeMap<AnswerTicket, oneshot::Sender<GameAnswer>>,
    swept: Duration,
}

impl WorldOwner {
    pub(super) fn new(
        frontend: Frontend,
        records: RecordFiles,
        connections: Arc<Connections>,
        traffic: Arc<Traffic>,
        options: &GalaxyOptions,
    ) -> Self {
        let timer = match options.pace {
            TickPace::Timer => {
                let first = tokio::time::Instant::now() + options.tick;
                let mut timer = tokio::time::interval_at(first, options.tick);
                // After a pause the game goes on; it does not catch up.
                timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
                Some(timer)
            }
            TickPace::ByHand => None,
        };
        Self {
            frontend,
            journal: records.journal,
            ledger: records.ledger,
            connections,
            traffic,
            clock: options.clock.clone(),
            timer,
            waiting: BTreeMap::new(),
            swept: Duration::ZERO,
        }
    }

    /// Works until it is told to stop or until nobody is left who could ask.
    pub(super) async fn run(
        mut self,
        mut inbox: mpsc::Receiver<OwnerRequest>,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        // Whatever ends the owner ends the server.
        let _stop_others = stop.clone().drop_guard();
        let mut batch = Vec::with_capacity(MAX_BATCH_REQUESTS);
        loop {
            // Cancel-safe, all three: a token, a timer's tick, and `recv_many`, which takes nothing
            // out of the queue unless it completes.
            tokio::select! {
                () = stop.cancelled() => break,
                () = wait_for_tick(&mut self.timer) => self.run_tick(Vec::new(), &stop).await?,
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

    /// Handles what has come in, keeps what it changed, then answers.
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
                    match served.reply {
                        CallReply::Now(answer) => {
                            outgoing.push(OutgoingReply::Answer(reply, answer))
                        }
                        CallReply::Later(ticket) => {
                            self.waiting.insert(ticket, reply);
                        }
                    }
                }
                OwnerRequest::HangUp(connection) => {
                    records.extend(self.frontend.disconnect(connection))
                }
                OwnerRequest::LoseLogin(connection) => {
                    records.extend(self.frontend.lose_login(connection, now));
                }
                OwnerRequest::WarnOfRestart => self.frontend.warn_of_restart(RESTART_WARNING_SECS),
                OwnerRequest::Tick { reply } => {
                    self.keep_records(&records, stop).await?;
                    records.clear();
                    self.run_tick(vec![reply], stop).await?;
                }
                OwnerRequest::Health { reply } => {
                    outgoing.push(OutgoingReply::Health(reply, self.health()));
                }
            }
        }
        self.keep_records(&records, stop).await?;
        outgoing.into_iter().for_each(OutgoingReply::send);
        Ok(())
    }

    /// A bug in one command must not take the others' world away.
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

    /// Lets a tick pass and answers those who waited for it.
    async fn run_tick(
        &mut self,
        watchers: Vec<oneshot::Sender<u64>>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let ticked = self.frontend.tick();
        let mut outgoing = Vec::with_capacity(ticked.answers.len());
        for (ticket, answer) in ticked.answers {
            if let Some(reply) = self.waiting.remove(&ticket) {
                outgoing.push(OutgoingReply::Answer(reply, answer));
            }
        }
        let done = ticked
            .records
            .iter()
            .filter(|record| record.failed.is_none());
        self.traffic.count_mutations(done.count());
        let reached = self.frontend.world().now();
        outgoing.extend(
            watchers
                .into_iter()
                .map(|reply| OutgoingReply::Tick(reply, reached)),
        );
        if let Some(ledger) = &mut self.ledger {
            retry_write("append to the ledger", stop, || {
                ledger.append(&ticked.records)
            })
            .await?;
        }
        if !outgoing.is_empty() || !ticked.records.is_empty() {
            self.keep_records(&ticked.records, stop).await?;
        }
        outgoing.into_iter().for_each(OutgoingReply::send);
        self.end_idle_sessions(stop).await
    }

    /// Ends what has been idle for too long, now and then.
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
    /// reaches the page cache; a snapshot, some fifty thousand records apart, for some milliseconds.
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

    fn health(&self) -> Health {
        let world = self.frontend.world();
        Health {
            tick: world.now(),
            players: world.population(),
            online: world.online(),
            waiting: self.waiting.len(),
        }
    }
}

impl OutgoingReply {
    /// Whoever asked may have gone; what was done stays done.
    fn send(self) {
        match self {
            Self::Answer(reply, answer) => drop(reply.send(answer)),
            Self::Tick(reply, reached) => drop(reply.send(reached)),
            Self::Health(reply, health) => drop(reply.send(health)),
        }
    }
}

/// Writes until the disk takes it, or the server is stopped.
async fn retry_write(
    what: &'static str,
    stop: &CancellationToken,
    mut write: impl FnMut() -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut is_told = false;
    while let Err(error) = write() {
        if !is_told {
            is_told = true;
            tracing::error!(%error, "cannot {what}; the game stands still until it can");
        }
        // Cancel-safe, both: a token and a pause.
        tokio::select! {
            () = stop.cancelled() => return Err(error).context(what),
            () = tokio::time::sleep(WRITE_RETRY_PAUSE) => {}
        }
    }
    if is_told {
        tracing::info!("the game goes on");
    }
    Ok(())
}

/// Without a snapshot everything is in the journal all the same.
fn write_snapshot(journal: &mut Journal, world: &World) {
    if let Err(error) = journal.take_snapshot(world) {
        tracing::warn!(error = %format!("{error:#}"), "failed to write a snapshot of the game");
    }
}

/// The next tick of the timer; without one it never comes.
async fn wait_for_tick(timer: &mut Option<Interval>) {
    match timer {
        Some(timer) => {
            timer.tick().await;
        }
        None => std::future::pending().await,
    }
}
