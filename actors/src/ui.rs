//! The Ui actor: feeds a screen with events and carries out the screen's effects.
//!
//! Receives: the swarm's events, the operator's input, answers to orders and to queries of the
//! store. Sends: the Commander the operator's orders, and the screen a request to show itself, at
//! most sixty times a second for the operator, five times for events, and only after a change. On failure:
//! the Commander starts another one with the view that was shown last.

mod reading;
mod runtime;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::{EventRecord, OrderSource};
use crate::domain::ids::Timestamp;
use crate::domain::order::{Order, OrderResult};
use crate::domain::rules::SwarmRules;
use crate::domain::screen::{
    AwaySummary, OrderId, ReadId, StoreAnswer, Successor, SwarmSnapshot, TerminalKind, UiEffect,
};
use crate::domain::swarm_setup::SwarmSetup;
use crate::ports::{
    Archive, Archivist, Clock, Screen, SetupInspector, Terminal, TerminalInput, View,
};
use crate::reply::{OrderReply, OrderRequest};
use crate::telling::TellParent;
use crate::timer::{Timer, set_timer};
use zoea_text::redact::Redactor;

pub use runtime::UiRuntime;

/// The shortest time between two pictures for the operator's input and for what answers it. The first one of a
/// burst is shown at once, so that typing feels immediate.
const INPUT_FRAME_INTERVAL: Duration = Duration::from_micros(16_600);
/// The shortest time between a picture and the next one for events. An operator cannot read more.
const EVENT_FRAME_INTERVAL: Duration = Duration::from_millis(200);
/// After a picture for events, the Ui rests so many times as long as the picture took. The cost of a picture
/// grows with the number of Myses, and such pictures may take a twentieth of a core at most.
const EVENT_FRAME_REST: u32 = 20;

/// Holds the address of the Ui. It survives the Ui's replacement.
pub type UiAddress = watch::Sender<Option<ActorRef<UiMsg>>>;

/// Reaches the Ui that is alive now.
#[derive(Clone, Debug)]
pub struct UiHandle(watch::Receiver<Option<ActorRef<UiMsg>>>);

#[must_use]
pub fn new_address() -> (UiAddress, UiHandle) {
    let (address, handle) = watch::channel(None);
    (address, UiHandle(handle))
}

impl UiHandle {
    /// Whether there is a Ui that receives messages. There is none while it is being replaced.
    pub fn has_receiver(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Waits until there is a Ui that receives messages: a new terminal has none yet. It never comes once the
    /// terminal is gone.
    pub async fn until_received(&self) {
        let mut address = self.0.clone();
        if address.wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Sends the operator's input. It is lost while there is no Ui.
    pub fn send_input(&self, input: TerminalInput) {
        if let Some(ui) = &*self.0.borrow() {
            let _ = ui.cast(UiMsg::Input(input));
        }
    }

    pub fn notify_left(&self) {
        if let Some(ui) = &*self.0.borrow() {
            let _ = ui.cast(UiMsg::Frame);
        }
    }
}

#[derive(Clone)]
pub struct TerminalLink {
    pub terminal: Arc<dyn Terminal>,
    pub address: Arc<UiAddress>,
    pub quit: CancellationToken,
    /// Set before `quit`, where something takes the program's place.
    pub successor: Arc<OnceLock<Successor>>,
    /// Writes files of what is stored, if that is possible here.
    pub archivist: Option<Arc<dyn Archivist>>,
    /// Tells what the swarm uses, if that is known here.
    pub inspector: Option<Arc<dyn SetupInspector>>,
}

impl TerminalLink {
    pub fn has_left(&self) -> bool {
        self.quit.is_cancelled() && self.terminal.kind() == TerminalKind::Attached
    }
}

impl fmt::Debug for TerminalLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalLink").finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub enum UiMsg {
    Event(Arc<SwarmEvent>),
    RulesChanged {
        rules: Arc<SwarmRules>,
        redactor: Arc<Redactor>,
    },
    Input(TerminalInput),
    Answered(OrderId, OrderResult),
    Read(ReadId, Result<StoreAnswer, String>),
    SetupChecked(SwarmSetup),
    Exported(Result<String, String>),
    /// What happened since a time.
    SummedUp(Timestamp, AwaySummary),
    Recorded(Arc<EventRecord>),
    EventsRead(Result<Vec<EventRecord>, String>),
    Frame,
}

pub struct UiActor;

pub struct UiArgs {
    pub link: TerminalLink,
    pub archive: Arc<dyn Archive>,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    pub commander: TellParent<OrderRequest>,
    pub snapshot: SwarmSnapshot,
    pub view: View,
    /// Where its queries of the store run: connections belong to the runtime that opened them.
    pub readers: Handle,
}

pub struct UiState {
    myself: ActorRef<UiMsg>,
    screen: Box<dyn Screen>,
    link: TerminalLink,
    archive: Arc<dyn Archive>,
    clock: Arc<dyn Clock>,
    commander: TellParent<OrderRequest>,
    jobs: reading::ReadingTasks,
    frame: Option<(Instant, Timer<UiMsg>)>,
    shown_at: Option<Instant>,
    /// How long the last picture took.
    shown_in: Duration,
    /// When a picture was last shown for the operator, and whether the next one is for the operator.
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
            myself,
            screen,
            link: args.link,
            archive: args.archive,
            clock: args.clock,
            commander: args.commander,
            jobs: reading::ReadingTasks::new(args.readers),
            frame: None,
            shown_at: None,
            shown_in: Duration::ZERO,
            answered_at: None,
            is_awaited: false,
        };
        state.load_events();
        state.show_within(Duration::ZERO);
        Ok(state)
    }

    async fn handle(
        &self,
        _myself: ActorRef<UiMsg>,
        message: UiMsg,
        state: &mut UiState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            UiMsg::Event(event) => state.change_screen(|screen| screen.on_event(&event)),
            UiMsg::RulesChanged { rules, redactor } => {
                state.change_screen(|screen| screen.set_rules(rules, redactor));
            }
            UiMsg::Input(input) => {
                state.show_operator(|screen| screen.on_input(input));
            }
            UiMsg::Answered(id, answer) => {
                state.show_operator(|screen| screen.on_answer(id, answer));
            }
            UiMsg::Read(id, read) => {
                state.show_operator(|screen| screen.on_read(id, read));
            }
            UiMsg::SetupChecked(setup) => {
                state.show_operator(|screen| screen.on_setup(setup));
            }
            UiMsg::Exported(written) => {
                state.show_operator(|screen| screen.on_export(written));
            }
            UiMsg::SummedUp(since, summary) => {
                state.show_operator(|screen| screen.on_summed_up(since, summary));
            }
            UiMsg::Recorded(record) => {
                state.change_screen(|screen| screen.on_recorded(&record));
            }
            UiMsg::EventsRead(read) => {
                state.change_screen(|screen| screen.on_past_events(read));
            }
            // The terminal has left. This Ui needs no successor.
            UiMsg::Frame if state.link.has_left() => state.myself.stop(None),
            UiMsg::Frame => state.show_frame(),
        }
        Ok(())
    }
}

impl UiState {
    fn show_operator(&mut self, change: impl FnOnce(&mut dyn Screen)) {
        self.is_awaited = true;
        self.change_screen(change);
    }

    fn change_screen(&mut self, change: impl FnOnce(&mut dyn Screen)) {
        self.jobs.forget_ended();
        self.screen.tick(self.clock.both_clocks());
        change(&mut *self.screen);
        self.carry_out_effects();
        self.show_within(self.frame_wait());
    }

    fn frame_wait(&self) -> Duration {
        let left = |since: Option<Instant>, pace: Duration| {
            since.map_or(Duration::ZERO, |at| pace.saturating_sub(at.elapsed()))
        };
        if self.is_awaited {
            return left(self.answered_at, INPUT_FRAME_INTERVAL);
        }
        let pace = EVENT_FRAME_INTERVAL.max(self.shown_in * EVENT_FRAME_REST);
        left(self.shown_at, pace)
    }

    fn show_frame(&mut self) {
        self.frame = None;
        let began = Instant::now();
        self.shown_at = Some(began);
        if std::mem::take(&mut self.is_awaited) {
            self.answered_at = Some(began);
        }
        let now = self.clock.both_clocks();
        self.screen.tick(now);
        self.screen.prepare_frame();
        self.carry_out_effects();
        // Effects are taken before the picture is shown, because another Ui may continue from the
        // shown picture.
        self.screen.show();
        self.shown_in = began.elapsed();
        if let Some(next) = self.screen.next_change() {
            let wait = Duration::from_millis(next.since(now.wall)).max(INPUT_FRAME_INTERVAL);
            self.show_within(wait);
        }
    }

    /// Schedules a picture after this time, unless one is due earlier.
    fn show_within(&mut self, wait: Duration) {
        let due = Instant::now() + wait;
        let is_soon_enough = self.frame.as_ref().is_some_and(|(at, _)| *at <= due);
        if is_soon_enough {
            return;
        }
        let frame = set_timer(&self.myself, wait, || UiMsg::Frame);
        self.frame = Some((due, frame));
    }

    fn carry_out_effects(&mut self) {
        for effect in self.screen.take_effects() {
            match effect {
                UiEffect::Order { id, order } => self.send_order(id, order),
                UiEffect::Read { id, query } => self.read_store(id, query),
                UiEffect::Write(order) => self.write_file(order),
                UiEffect::SumUp(since) => self.sum_up(since),
                UiEffect::CheckSetup => self.check_setup(),
                UiEffect::Quit => self.link.quit.cancel(),
                UiEffect::QuitFor(successor) => {
                    // Whatever was asked for first happens.
                    let _ = self.link.successor.set(successor);
                    self.link.quit.cancel();
                }
            }
        }
    }

    fn send_order(&mut self, id: OrderId, order: Order) {
        let ui = self.myself.clone();
        let reply = OrderReply::new(move |answer| {
            // If the Ui is gone, its successor learns the result from the status of the Mysis.
            let _ = ui.cast(UiMsg::Answered(id, answer));
        });
        // If the Commander is gone, dropping the request answers it.
        let source = match self.link.terminal.kind() {
            TerminalKind::Own => OrderSource::Terminal,
            TerminalKind::Attached => OrderSource::AttachedTerminal,
        };
        let request = OrderRequest {
            order,
            source,
            reply,
        };
        (self.commander)(request);
    }
}
