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

use crate::domain::event::{EventKind, MysisRef, MysisStatus, Report};
use crate::domain::ids::Incarnation;
use crate::domain::life::{Alarm, Input, Life, Mode, MysisOrder, Past, ReplyId, TaskId, WriteId};
use crate::domain::message::Severity;
use crate::domain::order::{Answer, Done, Refusal};
use crate::domain::redact::Redactor;
use crate::domain::rules::SwarmRules;
use crate::domain::sent::{Sent, SentRequest};
use crate::domain::write::{Mission, MysisRecord, Recollection, Write};
use crate::ports::{LedgerFault, Models, Upstream};
use crate::reply::Reply;
use crate::session::{Session, SessionDeps, SessionEvent};

/// What a Mysis is told.
#[derive(Debug)]
pub enum MysisMsg {
    /// Its past, from the store.
    Recalled(Recollection),
    /// Its past cannot be read now; it is tried again until it can.
    CannotRecall(String),
    /// The operator wants something.
    Order(MysisOrder, Reply),
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
    /// Work is over.
    Worked(Box<Worked>),
    /// An alarm rings.
    Rang(Alarm),
    /// Work sent this to the model.
    Sent(Box<Sent>),
    /// Somebody wants to see what was last sent.
    ShowRequest(Reply),
    /// The program is closing.
    WindDown,
}

/// What comes back from work.
pub struct Worked {
    work: TaskId,
    /// Absent where the work went down with it.
    session: Option<Session>,
    input: Input,
}

impl std::fmt::Debug for Worked {
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
    pub surroundings: Arc<MysisDeps>,
    /// Who hears of it.
    pub parent: DerivedActorRef<Report>,
}

/// What it keeps.
pub struct MysisState {
    who: MysisRef,
    incarnation: Incarnation,
    surroundings: Arc<MysisDeps>,
    parent: DerivedActorRef<Report>,
    rules: Arc<SwarmRules>,
    phase: Phase,
    /// Absent while work has it, or before it is needed.
    session: Option<Session>,
    work: Option<AbortOnDropHandle<()>>,
    alarm: Option<AbortOnDropHandle<()>>,
    outbox: VecDeque<(WriteId, Vec<Write>)>,
    /// The tickets on their way to the Store, and the task that carries them.
    sending: Option<(Vec<WriteId>, AbortOnDropHandle<()>)>,
    askers: BTreeMap<ReplyId, Reply>,
    asked: u64,
    /// The call that waits to leave.
    at_the_door: Option<(TaskId, oneshot::Sender<bool>)>,
    told: Option<Arc<MysisStatus>>,
    /// The request that was last sent, for whoever wants to see it.
    sent: Option<Box<Sent>>,
    is_leaving: bool,
    dice: fastrand::Rng,
}

enum Phase {
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
        state.hear(&myself, message);
        Ok(())
    }
}

impl MysisState {
    fn new(myself: &ActorRef<MysisMsg>, args: MysisArgs) -> MysisState {
        let recall = work::recall(
            myself.clone(),
            args.surroundings.means.clone(),
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
            surroundings: args.surroundings.clone(),
            parent: args.parent.clone(),
            rules: args.rules.clone(),
            phase: Phase::Rebuilding {
                args: Box::new(args),
                stash: VecDeque::new(),
                _recall: recall,
            },
            session: None,
            work: None,
            alarm: None,
            outbox: VecDeque::new(),
            sending: None,
            askers: BTreeMap::new(),
            asked: 0,
            at_the_door: None,
            told: None,
            sent: None,
            is_leaving: false,
            dice: fastrand::Rng::with_seed(seed),
        }
    }

    /// Begins to live, then deals with what arrived meanwhile.
    fn recalled(&mut self, myself: &ActorRef<MysisMsg>, recollection: Recollection) {
        let now = self.surroundings.means.clock.both();
        let phase = std::mem::replace(&mut self.phase, Phase::Waking);
        let Phase::Rebuilding { args, stash, .. } = phase else {
            self.phase = phase;
            return;
        };
        let (life, effects) = Life::recalled(
            Past {
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
        self.phase = Phase::Living(Box::new(life));
        self.carry_out(myself, effects);
        for message in stash {
            self.hear(myself, message);
        }
    }

    /// Until the past is there, whatever needs it waits.
    fn hear(&mut self, myself: &ActorRef<MysisMsg>, message: MysisMsg) {
        let is_about_the_past =
            matches!(message, MysisMsg::Recalled(_) | MysisMsg::CannotRecall(_));
        if let Phase::Rebuilding { stash, .. } = &mut self.phase
            && !is_about_the_past
        {
            return stash.push_back(message);
        }
        match message {
            MysisMsg::Recalled(past) => self.recalled(myself, past),
            MysisMsg::CannotRecall(why) => self.tell(EventKind::Notice {
                severity: Severity::Error,
                code: "store_trouble",
                text: why.into(),
            }),
            MysisMsg::Order(order, reply) => self.ordered(myself, order, reply),
            MysisMsg::MissionStands(mission) => self.live(myself, Input::MissionStands(mission)),
            MysisMsg::RulesChanged { rules, redactor } => {
                self.rules = rules.clone();
                self.live(myself, Input::RulesChanged { rules, redactor });
            }
            MysisMsg::Recorded(answer) => self.recorded(myself, answer),
            MysisMsg::News(work, news) => self.heard_news(myself, work, news),
            MysisMsg::Leaving(work, go) => {
                self.at_the_door = Some((work, go));
                self.live(myself, Input::Leaving { work });
            }
            MysisMsg::Worked(worked) => self.worked(myself, *worked),
            MysisMsg::Rang(alarm) => self.live(myself, Input::Rang { alarm }),
            MysisMsg::Sent(sent) => self.sent = Some(sent),
            MysisMsg::ShowRequest(reply) => reply.answer(self.request()),
            MysisMsg::WindDown => self.live(myself, Input::WindDown),
        }
    }

    fn ordered(&mut self, myself: &ActorRef<MysisMsg>, order: MysisOrder, reply: Reply) {
        self.asked += 1;
        let asker = ReplyId(self.asked);
        self.askers.insert(asker, reply);
        self.live(myself, Input::Ordered { asker, order });
    }

    fn request(&self) -> Answer {
        let sent = self.sent.as_deref().ok_or(Refusal::NothingSent)?;
        let body = self.surroundings.models.written(&sent.request);
        let body = body.ok_or(Refusal::NothingSent)?;
        Ok(Done::Request(Box::new(SentRequest::of(sent, body))))
    }

    fn recorded(&mut self, myself: &ActorRef<MysisMsg>, answer: Result<(), LedgerFault>) {
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
            self.live(myself, Input::Recorded { ticket, outcome });
        }
        self.send_records(myself);
    }

    fn heard_news(&mut self, myself: &ActorRef<MysisMsg>, work: TaskId, news: SessionEvent) {
        let input = match news {
            SessionEvent::Progress(activity) => Input::Progressed { work, activity },
            SessionEvent::Linked {
                link,
                tools,
                account,
            } => Input::Linked {
                link,
                tools,
                account,
            },
            SessionEvent::Notice {
                severity,
                code,
                text,
            } => Input::Noticed {
                severity,
                code,
                text,
            },
            SessionEvent::Learned(account) => {
                let username = account.username.clone();
                self.tell(EventKind::Learned(account));
                Input::Assigned(username)
            }
        };
        self.live(myself, input);
    }

    fn worked(&mut self, myself: &ActorRef<MysisMsg>, worked: Worked) {
        tracing::trace!(mysis = %self.who.id, work = worked.work.0, "work is over");
        if worked.session.is_some() {
            self.session = worked.session;
        }
        self.live(myself, worked.input);
    }
}
