//! The Ui actor: feeds a screen with what happens, and does what the screen wants done.
//!
//! Hears: what happens in the swarm, the operator's keys, answers to orders and to questions to the
//! store. Tells: the Commander the operator's orders, the screen what to show, at most sixty times
//! a second and only when something changed. Fails: the Commander starts another one, which takes
//! up the view that was shown last.

mod reading;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::{EventRecord, OrderSource};
use crate::domain::ids::MysisId;
use crate::domain::message::Row;
use crate::domain::order::{Order, OrderResult};
use crate::domain::redact::Redactor;
use crate::domain::rules::SwarmRules;
use crate::domain::screen::{OrderId, ReadId, SwarmSnapshot, TerminalKind, UiEffect};
use crate::ports::{Archive, Clock, ConversationExporter, Screen, Terminal, TerminalInput, View};
use crate::reply::{OrderReply, OrderRequest};
use crate::timer::{Timer, set_timer};

/// The shortest time between two pictures that the operator's keys ask for. The first is shown at
/// once: whoever types waits for nothing.
const INPUT_FRAME_INTERVAL: Duration = Duration::from_micros(16_600);
/// The shortest time between a picture and one that only events ask for. Both together make at most
/// sixty a second.
const EVENT_FRAME_INTERVAL: Duration = Duration::from_micros(33_200);

/// What the Ui is told.
#[derive(Debug)]
pub enum UiMsg {
    /// Something happened in the swarm.
    Event(Arc<SwarmEvent>),
    /// The rules or the known secrets changed.
    RulesChanged {
        /// The rules.
        rules: Arc<SwarmRules>,
        /// The secrets.
        redactor: Arc<Redactor>,
    },
    /// The operator did something.
    Input(TerminalInput),
    /// An order was carried out, or not.
    Answered(OrderId, OrderResult),
    /// A piece of a conversation was read, or could not be.
    Paged(ReadId, Result<Vec<Arc<Row>>, String>),
    /// A text was looked for, or could not be.
    Searched(ReadId, Result<Vec<(MysisId, Arc<Row>)>, String>),
    /// A conversation was written to a file, or could not be.
    Exported(Result<String, String>),
    /// What happened before was read, or could not be.
    EventsRead(Result<Vec<EventRecord>, String>),
    /// Time for another picture.
    Frame,
}

impl From<Arc<SwarmEvent>> for UiMsg {
    fn from(event: Arc<SwarmEvent>) -> Self {
        UiMsg::Event(event)
    }
}

/// A message that is not of the kind that was asked for; ractor's derived addresses want a way
/// back.
#[derive(Debug)]
pub struct WrongUiMsg;

impl TryFrom<UiMsg> for Arc<SwarmEvent> {
    type Error = WrongUiMsg;

    fn try_from(message: UiMsg) -> Result<Self, WrongUiMsg> {
        if let UiMsg::Event(event) = message {
            Ok(event)
        } else {
            Err(WrongUiMsg)
        }
    }
}

/// Where the Ui that is alive now is written down; survives its replacement.
pub type UiAddress = watch::Sender<Option<ActorRef<UiMsg>>>;

/// Reaches the Ui that is alive now.
#[derive(Clone, Debug)]
pub struct UiHandle(watch::Receiver<Option<ActorRef<UiMsg>>>);

/// A place for the address of the Ui, and how to reach it there.
#[must_use]
pub fn new_address() -> (UiAddress, UiHandle) {
    let (address, handle) = watch::channel(None);
    (address, UiHandle(handle))
}

impl UiHandle {
    /// Whether there is a Ui that would hear now; while one is being replaced, there is none.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Passes on what the operator did; before the Ui is alive, and once it is gone for good, that
    /// is lost.
    pub fn send_input(&self, input: TerminalInput) {
        if let Some(ui) = &*self.0.borrow() {
            let _ = ui.cast(UiMsg::Input(input));
        }
    }

    /// Lets the Ui see at once that its terminal has left.
    pub fn notify_left(&self) {
        if let Some(ui) = &*self.0.borrow() {
            let _ = ui.cast(UiMsg::Frame);
        }
    }
}

/// What a terminal brings with it.
#[derive(Clone)]
pub struct TerminalLink {
    /// The terminal.
    pub terminal: Arc<dyn Terminal>,
    /// Where the terminal finds the Ui.
    pub address: Arc<UiAddress>,
    /// Set off when the operator wants to quit.
    pub quit: CancellationToken,
    /// What writes conversations to files, where there is such a thing.
    pub exporter: Option<Arc<dyn ConversationExporter>>,
}

impl TerminalLink {
    /// Whether the terminal was one that is attached, and is no more.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.quit.is_cancelled() && self.terminal.kind() == TerminalKind::Attached
    }
}

impl fmt::Debug for TerminalLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalLink").finish_non_exhaustive()
    }
}

/// The actor.
pub struct UiActor;

/// What it is started with.
pub struct UiArgs {
    /// The terminal.
    pub link: TerminalLink,
    /// What is stored.
    pub archive: Arc<dyn Archive>,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// Who takes the operator's orders.
    pub commander: DerivedActorRef<OrderRequest>,
    /// How everything stands.
    pub snapshot: SwarmSnapshot,
    /// Which view it takes up.
    pub view: View,
}

/// What it keeps.
pub struct UiState {
    screen: Box<dyn Screen>,
    link: TerminalLink,
    archive: Arc<dyn Archive>,
    clock: Arc<dyn Clock>,
    commander: DerivedActorRef<OrderRequest>,
    jobs: JoinSet<()>,
    /// The next picture, and when it is due.
    frame: Option<(Instant, Timer<UiMsg>)>,
    shown_at: Option<Instant>,
    /// When a picture was last shown for a key, and whether the next one is for a key.
    answered_at: Option<Instant>,
    is_awaited: bool,
}

impl Actor for UiActor {
    type Msg = UiMsg;
    type State = UiState;
    type Arguments = UiArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<UiMsg>,
        args: UiArgs,
    ) -> Result<UiState, ActorProcessingErr> {
        let mut screen = args.link.terminal.open(args.view);
        screen.restore(args.snapshot);
        args.link.address.send_replace(Some(myself.clone()));
        let mut state = UiState {
            screen,
            link: args.link,
            archive: args.archive,
            clock: args.clock,
            commander: args.commander,
            jobs: JoinSet::new(),
            frame: None,
            shown_at: None,
            answered_at: None,
            is_awaited: false,
        };
        state.load_events(&myself);
        state.show_within(&myself, Duration::ZERO);
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<UiMsg>,
        message: UiMsg,
        state: &mut UiState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            UiMsg::Event(event) => state.change_screen(&myself, |screen| screen.on_event(&event)),
            UiMsg::RulesChanged { rules, redactor } => {
                state.change_screen(&myself, |screen| screen.set_rules(rules, redactor));
            }
            UiMsg::Input(input) => {
                state.is_awaited = true;
                state.change_screen(&myself, |screen| screen.on_input(input));
            }
            UiMsg::Answered(id, answer) => {
                state.change_screen(&myself, |screen| screen.on_answer(id, answer));
            }
            UiMsg::Paged(id, page) => {
                state.change_screen(&myself, |screen| screen.on_page(id, page))
            }
            UiMsg::Searched(id, rows) => {
                state.change_screen(&myself, |screen| screen.on_search(id, rows));
            }
            UiMsg::Exported(written) => {
                state.is_awaited = true;
                state.change_screen(&myself, |screen| screen.on_export(written));
            }
            UiMsg::EventsRead(Ok(records)) => {
                state.change_screen(&myself, |screen| screen.on_past_events(&records));
            }
            UiMsg::EventsRead(Err(why)) => {
                tracing::warn!(why, "failed to read what happened before");
            }
            // Nobody looks any more; it gets no successor either.
            UiMsg::Frame if state.link.has_left() => myself.stop(None),
            UiMsg::Frame => state.show_frame(&myself),
        }
        Ok(())
    }
}

impl UiState {
    /// Changes the screen, does what it wants done, and shows it soon.
    fn change_screen(&mut self, myself: &ActorRef<UiMsg>, change: impl FnOnce(&mut dyn Screen)) {
        while self.jobs.try_join_next().is_some() {}
        self.screen.tick(self.clock.both_clocks());
        change(&mut *self.screen);
        self.carry_out_effects(myself);
        self.show_within(myself, self.frame_wait());
    }

    /// How long the next picture has to wait.
    fn frame_wait(&self) -> Duration {
        let left = |since: Option<Instant>, pace: Duration| {
            since.map_or(Duration::ZERO, |at| pace.saturating_sub(at.elapsed()))
        };
        if self.is_awaited {
            return left(self.answered_at, INPUT_FRAME_INTERVAL);
        }
        left(self.shown_at, EVENT_FRAME_INTERVAL)
    }

    /// Shows how everything is now.
    fn show_frame(&mut self, myself: &ActorRef<UiMsg>) {
        self.frame = None;
        let now = Some(Instant::now());
        self.shown_at = now;
        if std::mem::take(&mut self.is_awaited) {
            self.answered_at = now;
        }
        let now = self.clock.both_clocks();
        self.screen.tick(now);
        self.screen.prepare_frame();
        self.carry_out_effects(myself);
        // What is shown has nothing left to be done: another Ui may take it up.
        self.screen.show();
        if let Some(next) = self.screen.next_change() {
            let wait = Duration::from_millis(next.since(now.wall)).max(INPUT_FRAME_INTERVAL);
            self.show_within(myself, wait);
        }
    }

    /// Shows it after so long at the latest.
    fn show_within(&mut self, myself: &ActorRef<UiMsg>, wait: Duration) {
        let due = Instant::now() + wait;
        let is_soon_enough = self.frame.as_ref().is_some_and(|(at, _)| *at <= due);
        if is_soon_enough {
            return;
        }
        let frame = set_timer(myself, wait, || UiMsg::Frame);
        self.frame = Some((due, frame));
    }

    fn carry_out_effects(&mut self, myself: &ActorRef<UiMsg>) {
        for effect in self.screen.take_effects() {
            match effect {
                UiEffect::Order { id, order } => self.send_order(myself, id, order),
                UiEffect::Load { id, page } => self.load_page(myself, id, page),
                UiEffect::Search { id, search } => self.search_archive(myself, id, search),
                UiEffect::Export {
                    mysis,
                    name,
                    format,
                } => self.export_conversation(myself, mysis, name, format),
                UiEffect::Quit => self.link.quit.cancel(),
            }
        }
    }

    fn send_order(&mut self, myself: &ActorRef<UiMsg>, id: OrderId, order: Order) {
        let ui = myself.clone();
        let reply = OrderReply::new(move |answer| {
            // A Ui that is gone is told by the state of the Mysis.
            let _ = ui.cast(UiMsg::Answered(id, answer));
        });
        // A Commander that is gone drops the request, and with it answers.
        let source = match self.link.terminal.kind() {
            TerminalKind::Own => OrderSource::Terminal,
            TerminalKind::Attached => OrderSource::AttachedTerminal,
        };
        let request = OrderRequest {
            order,
            source,
            reply,
        };
        let _ = self.commander.send_message(request);
    }
}
