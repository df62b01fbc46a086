//! The Mysis actor: carries out what the life of a Mysis says.
//!
//! Owns: the life, the session with the game, the one piece of work under way, and what is on its
//! way to the Store. Hears: the Commander's orders and its own work's answers. Tells: the Commander
//! what happens, the Store what must last. Fails: the Commander learns the cause and starts another
//! life, which rebuilds itself from the store; work of this one is aborted with it.

mod effects;
mod work;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{EventKind, MysisRef, MysisReport, MysisStatus};
use crate::domain::ids::Incarnation;
use crate::domain::last_request::{LastRequest, SentRequest};
use crate::domain::life::{AlarmId, Life, LifeInput, Mode, ReplyId, RestoreArgs, TaskId, WriteId};
use crate::domain::message::Severity;
use crate::domain::order::{CompletedOrder, MysisOrder, OrderRefusal, OrderResult};
use crate::domain::record::{Mission, MysisRecord, StoredHistory};
use crate::domain::redact::Redactor;
use crate::domain::rules::SwarmRules;
use crate::domain::write::Write;
use crate::ports::{LedgerFault, Models, Upstream};
use crate::reply::OrderReply;
use crate::session::{GameSession, SessionDeps, SessionEvent};
use crate::timer::Timer;

/// What a Mysis is told.
#[derive(Debug)]
pub enum MysisMsg {
    /// Its past, from the store.
    Recalled(StoredHistory),
    /// Its past cannot be read now; it is tried again until it can.
    CannotRecall(String),
    /// The operator wants something.
    Order(MysisOrder, OrderReply),
    /// The mission in force is this now.
    MissionStands(Option<Mission>),
    /// The rules or the known secrets changed.
    RulesChanged {
        /// The rules.
        rules: Arc<SwarmRules>,
        /// The secrets.
        redactor: Arc<Redactor>,
    },
    /// The Store answered for what was last sent to it.
    Recorded(Result<(), LedgerFault>),
    /// News of the session while work is under way.
    News(TaskId, SessionEvent),
    /// A call is about to leave; it goes once that is recorded.
    Leaving(TaskId, oneshot::Sender<bool>),
    /// A task goes on although the work that began it may be cut off.
    OwnTask(AbortOnDropHandle<()>),
    /// Work is over.
    Worked(Box<TaskResult>),
    /// An alarm rings.
    Rang(AlarmId),
    /// Work sent this to the model.
    Sent(Box<LastRequest>),
    /// Somebody wants to see what was last sent.
    ShowRequest(OrderReply),
    /// The program is closing.
    WindDown,
}

/// What comes back from work.
pub struct TaskResult {
    work: TaskId,
    /// Absent where the work went down with it.
    session: Option<GameSession>,
    input: LifeInput,
}

impl std::fmt::Debug for TaskResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Worked({:?})", self.input)
    }
}

/// What all Myses work with.
#[derive(Clone)]
pub struct MysisDeps {
    /// Store, archive, gate and clock.
    pub means: SessionDeps,
    /// The model servers.
    pub models: Arc<dyn Models>,
    /// The game server.
    pub upstream: Arc<dyn Upstream>,
}

/// The actor.
pub struct MysisActor;

/// What it is started with.
pub struct MysisArgs {
    /// The Mysis as stored.
    pub record: MysisRecord,
    /// The new life.
    pub incarnation: Incarnation,
    /// The mission in force.
    pub mission: Option<Mission>,
    /// The rules.
    pub rules: Arc<SwarmRules>,
    /// The known secrets.
    pub redactor: Arc<Redactor>,
    /// What ended the life before, where that was a crash.
    pub crash: Option<Arc<str>>,
    /// Whether it ran when the program ended, and is not started again.
    pub is_interrupted: bool,
    /// What it may do.
    pub mode: Mode,
    /// What it works with.
    pub deps: Arc<MysisDeps>,
    /// Who hears of it.
    pub parent: DerivedActorRef<MysisReport>,
}

/// What it keeps.
pub struct MysisState {
    who: MysisRef,
    incarnation: Incarnation,
    deps: Arc<MysisDeps>,
    parent: DerivedActorRef<MysisReport>,
    rules: Arc<SwarmRules>,
    phase: MysisPhase,
    /// Absent while work has it, or before it is needed.
    session: Option<GameSession>,
    work: Option<AbortOnDropHandle<()>>,
    /// What goes on although work is cut off: an account is claimed or saved.
    tasks: Vec<AbortOnDropHandle<()>>,
    alarm: Option<Timer<MysisMsg>>,
    outbox: VecDeque<(WriteId, Vec<Write>)>,
    /// The tickets on their way to the Store, and the task that carries them.
    sending: Option<(Vec<WriteId>, AbortOnDropHandle<()>)>,
    askers: BTreeMap<ReplyId, OrderReply>,
    asked: u64,
    /// The call that waits to leave.
    awaiting_release: Option<(TaskId, oneshot::Sender<bool>)>,
    told: Option<Arc<MysisStatus>>,
    /// The request that was last sent, for whoever wants to see it.
    sent: Option<Box<LastRequest>>,
    is_leaving: bool,
    rng: fastrand::Rng,
}

enum MysisPhase {
    /// Until the past is there, what else arrives waits.
    Rebuilding {
        args: Box<MysisArgs>,
        stash: VecDeque<MysisMsg>,
        _recall: AbortOnDropHandle<()>,
    },
    /// Between the two, for as long as one function takes.
    Waking,
    Living(Box<Life>),
}

impl Actor for MysisActor {
    type Msg = MysisMsg;
    type State = MysisState;
    type Arguments = MysisArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<MysisMsg>,
        args: MysisArgs,
    ) -> Result<MysisState, ActorProcessingErr> {
        Ok(MysisState::new(&myself, args))
    }

    async fn handle(
        &self,
        myself: ActorRef<MysisMsg>,
        message: MysisMsg,
        state: &mut MysisState,
    ) -> Result<(), ActorProcessingErr> {
        state.handle_message(&myself, message);
        Ok(())
    }
}

impl MysisState {
    fn new(myself: &ActorRef<MysisMsg>, args: MysisArgs) -> MysisState {
        let recall = work::spawn_recall(
            myself.clone(),
            args.deps.means.clone(),
            args.record.id,
            args.incarnation,
        );
        let seed = args.record.id.0.unsigned_abs() ^ args.incarnation.0.unsigned_abs();
        MysisState {
            who: MysisRef {
                id: args.record.id,
                name: args.record.profile.name.clone(),
            },
            incarnation: args.incarnation,
            deps: args.deps.clone(),
            parent: args.parent.clone(),
            rules: args.rules.clone(),
            phase: MysisPhase::Rebuilding {
                args: Box::new(args),
                stash: VecDeque::new(),
                _recall: recall,
            },
            session: None,
            tasks: Vec::new(),
            work: None,
            alarm: None,
            outbox: VecDeque::new(),
            sending: None,
            askers: BTreeMap::new(),
            asked: 0,
            awaiting_release: None,
            told: None,
            sent: None,
            is_leaving: false,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    /// Begins to live, then deals with what arrived meanwhile.
    fn on_recalled(&mut self, myself: &ActorRef<MysisMsg>, recollection: StoredHistory) {
        let now = self.deps.means.clock.both_clocks();
        let phase = std::mem::replace(&mut self.phase, MysisPhase::Waking);
        let MysisPhase::Rebuilding { args, stash, .. } = phase else {
            self.phase = phase;
            return;
        };
        let (life, effects) = Life::restore(
            RestoreArgs {
                record: args.record,
                recollection,
                incarnation: args.incarnation,
                mission: args.mission,
                rules: args.rules,
                redactor: args.redactor,
                crash: args.crash,
                is_interrupted: args.is_interrupted,
                mode: args.mode,
            },
            now,
        );
        self.phase = MysisPhase::Living(Box::new(life));
        self.carry_out(myself, effects);
        for message in stash {
            self.handle_message(myself, message);
        }
    }

    /// Until the past is there, whatever needs it waits.
    fn handle_message(&mut self, myself: &ActorRef<MysisMsg>, message: MysisMsg) {
        let is_about_the_past =
            matches!(message, MysisMsg::Recalled(_) | MysisMsg::CannotRecall(_));
        if let MysisPhase::Rebuilding { stash, .. } = &mut self.phase
            && !is_about_the_past
        {
            return stash.push_back(message);
        }
        match message {
            MysisMsg::Recalled(past) => self.on_recalled(myself, past),
            MysisMsg::CannotRecall(why) => self.tell_event(EventKind::Notice {
                severity: Severity::Error,
                code: "store_trouble",
                text: why.into(),
            }),
            MysisMsg::Order(order, reply) => self.on_order(myself, order, reply),
            MysisMsg::MissionStands(mission) => {
                self.handle_input(myself, LifeInput::MissionStands(mission))
            }
            MysisMsg::RulesChanged { rules, redactor } => {
                self.rules = rules.clone();
                self.handle_input(myself, LifeInput::RulesChanged { rules, redactor });
            }
            MysisMsg::Recorded(answer) => self.on_recorded(myself, answer),
            MysisMsg::News(work, news) => self.heard_news(myself, work, news),
            MysisMsg::Leaving(work, go) => {
                self.awaiting_release = Some((work, go));
                self.handle_input(myself, LifeInput::Leaving { work });
            }
            MysisMsg::OwnTask(task) => {
                self.tasks.retain(|task| !task.is_finished());
                self.tasks.push(task);
            }
            MysisMsg::Worked(worked) => self.on_task_done(myself, *worked),
            MysisMsg::Rang(alarm) => self.handle_input(myself, LifeInput::Rang { alarm }),
            MysisMsg::Sent(sent) => self.sent = Some(sent),
            MysisMsg::ShowRequest(reply) => reply.answer(self.sent_request()),
            MysisMsg::WindDown => self.handle_input(myself, LifeInput::WindDown),
        }
    }

    fn on_order(&mut self, myself: &ActorRef<MysisMsg>, order: MysisOrder, reply: OrderReply) {
        self.asked += 1;
        let asker = ReplyId(self.asked);
        self.askers.insert(asker, reply);
        self.handle_input(myself, LifeInput::Ordered { asker, order });
    }

    fn sent_request(&self) -> OrderResult {
        let sent = self.sent.as_deref().ok_or(OrderRefusal::NothingSent)?;
        let body = self.deps.models.request_body(&sent.request);
        let body = body.ok_or(OrderRefusal::NothingSent)?;
        Ok(CompletedOrder::Request(Box::new(SentRequest::of(
            sent, body,
        ))))
    }

    fn on_recorded(&mut self, myself: &ActorRef<MysisMsg>, answer: Result<(), LedgerFault>) {
        let Some((tickets, _)) = self.sending.take() else {
            return;
        };
        let outcome = match answer {
            Ok(()) => Ok(()),
            Err(LedgerFault::Fenced) => {
                return myself.stop(Some("a newer incarnation lives".to_string()));
            }
            Err(LedgerFault::Unavailable(why) | LedgerFault::Refused(why)) => Err(why),
        };
        for ticket in tickets {
            let outcome = outcome.clone();
            self.handle_input(myself, LifeInput::Recorded { ticket, outcome });
        }
        self.send_records(myself);
    }

    fn heard_news(&mut self, myself: &ActorRef<MysisMsg>, work: TaskId, news: SessionEvent) {
        let input = match news {
            SessionEvent::Progress(activity) => LifeInput::Progressed { work, activity },
            SessionEvent::Linked {
                link,
                tools,
                account,
            } => LifeInput::Linked {
                link,
                tools,
                account,
            },
            SessionEvent::Notice {
                severity,
                code,
                text,
            } => LifeInput::Noticed {
                severity,
                code,
                text,
            },
            SessionEvent::Learned(account) => {
                let username = account.username.clone();
                self.tell_event(EventKind::Learned(account));
                LifeInput::Assigned(username)
            }
        };
        self.handle_input(myself, input);
    }

    fn on_task_done(&mut self, myself: &ActorRef<MysisMsg>, worked: TaskResult) {
        tracing::trace!(mysis = %self.who.id, work = worked.work.0, "work is over");
        if worked.session.is_some() {
            self.session = worked.session;
        }
        self.handle_input(myself, worked.input);
    }
}
