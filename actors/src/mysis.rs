//! The Mysis actor: carries out the effects that the domain's `Life` decides.
//!
//! Owns: the life, the game session, the task in progress, and the writes on their way to the
//! Store. Receives: the Commander's orders and the results of its own tasks. Sends: the Commander
//! its events, the Store its writes. On failure: the Commander learns the cause and starts another
//! incarnation, which restores itself from the store. The tasks of this one are aborted.

mod asked;
mod effects;
mod recalling;
mod work;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{EventKind, MysisRef, MysisReport, MysisStatus};
use crate::domain::ids::{FleetOrderId, Incarnation, Moment};
use crate::domain::last_request::LastRequest;
use crate::domain::life::{AlarmId, Life, LifeInput, ReplyId, RestoreArgs, TaskId, WriteId};
use crate::domain::message::Severity;
use crate::domain::order::MysisOrder;
use crate::domain::record::{Mission, StoredHistory};
use crate::domain::rules::SwarmRules;
use crate::domain::write::Write;
use crate::ports::{LedgerFault, Models, Upstream};
use crate::reply::OrderReply;
use crate::session::{GameSession, SessionDeps, SessionEvent};
use crate::shared::SharedLists;
use crate::telling::TellParent;
use crate::timer::Timer;

use asked::PutQuestions;
use recalling::{KeptRequest, Origin};

#[derive(Debug)]
pub enum MysisMsg {
    Recalled(Box<StoredHistory>),
    /// Its history cannot be read now, which is told once. Reading goes on until it succeeds.
    CannotRecall(String),
    Order(MysisOrder, OrderReply),
    /// The mission in force; `None` if it was cleared.
    MissionStands(Option<Mission>),
    RulesChanged(Arc<SwarmRules>),
    /// The Store's answer to the last batch.
    Recorded(Result<(), LedgerFault>),
    News(TaskId, SessionEvent),
    Worked(Box<TaskResult>),
    Rang(AlarmId),
    /// It was held up a minute ago.
    StillWaiting,
    /// Its last input may be long ago.
    RestDue,
    Sent(Box<LastRequest>),
    ShowRequest(OrderReply),
    WindDown,
    /// Another process takes over. It leaves at the end of its turn.
    HandOver,
}

pub struct TaskResult {
    work: TaskId,
    /// `None` if the task panicked and lost the session.
    session: Option<Box<GameSession>>,
    input: LifeInput,
}

impl std::fmt::Debug for TaskResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Worked({:?})", self.input)
    }
}

#[derive(Clone)]
pub struct MysisDeps {
    pub session: SessionDeps,
    pub models: Arc<dyn Models>,
    pub upstream: Arc<dyn Upstream>,
    pub lists: SharedLists,
}

/// Why an actor stops that must not write any more.
pub(crate) const FENCED: &str = "a newer incarnation lives";

pub struct MysisActor;

pub struct MysisArgs {
    /// What its life is restored from. It reads its history itself.
    pub life: RestoreArgs,
    /// How long it waits before it does that. Orders wait with it.
    pub wait: Duration,
    pub deps: Arc<MysisDeps>,
    pub parent: TellParent<MysisReport>,
}

pub struct MysisState {
    myself: ActorRef<MysisMsg>,
    who: MysisRef,
    incarnation: Incarnation,
    deps: Arc<MysisDeps>,
    parent: TellParent<MysisReport>,
    rules: Arc<SwarmRules>,
    phase: MysisPhase,
    /// `None` while a task has it, or before it is needed.
    session: Option<Box<GameSession>>,
    work: Option<AbortOnDropHandle<()>>,
    /// Tasks that continue when other tasks are cut off, because an account is being claimed or
    /// saved.
    tasks: Vec<AbortOnDropHandle<()>>,
    alarms: BTreeMap<AlarmId, Timer<MysisMsg>>,
    /// Counts its wait. It may outlast the wait, so that short ones cost no timer of their own.
    wait_timer: Option<Timer<MysisMsg>>,
    /// Looks whether it may rest. It may be late, so that an input costs no timer of its own.
    rest_timer: Option<Timer<MysisMsg>>,
    /// The time of the newest input.
    active_at: Moment,
    outbox: VecDeque<(WriteId, Vec<Write>)>,
    is_outbox_urgent: bool,
    /// The ids of the writes on their way to the Store, and the task that sends them.
    sending: Option<(Vec<WriteId>, AbortOnDropHandle<()>)>,
    replies: BTreeMap<ReplyId, OrderReply>,
    /// The order of another process that is carried out just now.
    ticket: Option<FleetOrderId>,
    asked: u64,
    awaiting_release: Option<(TaskId, oneshot::Sender<bool>)>,
    questions: PutQuestions,
    sent_status: Option<Arc<MysisStatus>>,
    sent: KeptRequest,
    is_leaving: bool,
    rng: fastrand::Rng,
}

enum MysisPhase {
    /// The history is being read. Other messages wait.
    Rebuilding {
        origin: Origin,
        stash: VecDeque<MysisMsg>,
        _recall: AbortOnDropHandle<()>,
    },
    /// Only while one function replaces the state.
    Waking,
    Living(Box<Life>),
    /// It waits, and its conversation is only in the store.
    Resting(Box<Life>),
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
        Ok(MysisState::new(myself, args))
    }

    async fn handle(
        &self,
        _myself: ActorRef<MysisMsg>,
        message: MysisMsg,
        state: &mut MysisState,
    ) -> Result<(), ActorProcessingErr> {
        state.handle_message(message);
        Ok(())
    }
}

impl MysisState {
    fn new(myself: ActorRef<MysisMsg>, args: MysisArgs) -> MysisState {
        let record = &args.life.record;
        let (id, incarnation) = (record.id, args.life.incarnation);
        let recall = work::spawn_recall(
            myself.clone(),
            args.deps.session.clone(),
            id,
            (Some(incarnation), args.wait),
        );
        let seed = id.0.unsigned_abs() ^ incarnation.0.unsigned_abs();
        MysisState {
            myself,
            who: MysisRef {
                id,
                name: record.profile.name.clone(),
            },
            incarnation,
            deps: args.deps.clone(),
            parent: args.parent.clone(),
            rules: args.life.rules.clone(),
            phase: MysisPhase::Rebuilding {
                origin: Origin::New(Box::new(args)),
                stash: VecDeque::new(),
                _recall: recall,
            },
            session: None,
            tasks: Vec::new(),
            work: None,
            alarms: BTreeMap::new(),
            wait_timer: None,
            rest_timer: None,
            active_at: Moment::default(),
            outbox: VecDeque::new(),
            is_outbox_urgent: false,
            sending: None,
            replies: BTreeMap::new(),
            ticket: None,
            asked: 0,
            awaiting_release: None,
            questions: PutQuestions::default(),
            sent_status: None,
            sent: KeptRequest::None,
            is_leaving: false,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    /// Handles a message. While the history is being read, messages that need it wait.
    fn handle_message(&mut self, message: MysisMsg) {
        let Some(message) = self.recall_for(message) else {
            return;
        };
        match message {
            MysisMsg::Recalled(past) => self.on_recalled(*past),
            MysisMsg::CannotRecall(why) => {
                self.emit_event(EventKind::notice(Severity::Error, "store_trouble", why));
            }
            MysisMsg::Order(order, reply) => self.on_order(order, reply),
            MysisMsg::MissionStands(mission) => {
                self.handle_input(LifeInput::MissionStands(mission))
            }
            MysisMsg::RulesChanged(rules) => {
                self.rules = rules.clone();
                self.handle_input(LifeInput::RulesChanged(rules));
            }
            MysisMsg::Recorded(answer) => self.on_recorded(answer),
            MysisMsg::News(work, news) => self.on_session_event(work, news),
            MysisMsg::Worked(worked) => self.on_task_done(*worked),
            MysisMsg::Rang(alarm) => self.handle_input(LifeInput::Rang { alarm }),
            MysisMsg::StillWaiting => {
                self.wait_timer = None;
                self.handle_input(LifeInput::StillWaiting);
            }
            MysisMsg::RestDue => self.rest_if_quiet(),
            MysisMsg::Sent(sent) => self.keep_request(sent),
            MysisMsg::ShowRequest(reply) => reply.answer(self.sent_request()),
            MysisMsg::HandOver => self.handle_input(LifeInput::HandOver),
            MysisMsg::WindDown => {
                self.questions.close();
                self.handle_input(LifeInput::WindDown);
            }
        }
    }

    fn on_order(&mut self, order: MysisOrder, reply: OrderReply) {
        if matches!(order, MysisOrder::Retry | MysisOrder::Start) {
            self.deps.session.links.try_login_again(self.who.id);
        }
        self.asked += 1;
        let id = ReplyId(self.asked);
        self.ticket = reply.ticket();
        self.replies.insert(id, reply);
        self.handle_input(LifeInput::Ordered { reply: id, order });
        self.ticket = None;
    }

    fn on_recorded(&mut self, answer: Result<(), LedgerFault>) {
        let Some((write_ids, _)) = self.sending.take() else {
            return;
        };
        let outcome = match answer {
            Ok(()) => Ok(()),
            Err(LedgerFault::Fenced) => {
                return self.myself.stop(Some(FENCED.to_string()));
            }
            Err(LedgerFault::Unavailable(why) | LedgerFault::Refused(why)) => Err(why),
            Err(taken @ LedgerFault::NameTaken) => Err(taken.to_string()),
        };
        for write_id in write_ids {
            let outcome = outcome.clone();
            self.handle_input(LifeInput::Recorded { write_id, outcome });
        }
        self.send_records();
    }

    /// Takes a task that continues when other tasks are cut off.
    pub(super) fn own_task(&mut self, task: AbortOnDropHandle<()>) {
        self.tasks.push(task);
    }

    fn on_session_event(&mut self, work: TaskId, news: SessionEvent) {
        let input = match news {
            SessionEvent::Shows(activity) => LifeInput::Progressed { work, activity },
            SessionEvent::Told(input) => *input,
            SessionEvent::Learned(account) => {
                let username = account.username.clone();
                self.emit_event(EventKind::Learned(account));
                LifeInput::Assigned(username)
            }
            SessionEvent::Leaving(go) => {
                self.awaiting_release = Some((work, go));
                LifeInput::Leaving { work }
            }
            SessionEvent::TaskGiven(task, go) => {
                self.awaiting_release = Some((work, go));
                LifeInput::TaskGiven { work, task }
            }
            SessionEvent::Asked(question, answer) => {
                return self.on_question(work, *question, answer);
            }
            SessionEvent::OwnTask(task) => return self.own_task(task),
        };
        self.handle_input(input);
    }

    fn on_task_done(&mut self, worked: TaskResult) {
        tracing::trace!(mysis = %self.who.id, work = worked.work.0, "work is over");
        if worked.session.is_some() {
            self.session = worked.session;
        }
        self.handle_input(worked.input);
    }
}
