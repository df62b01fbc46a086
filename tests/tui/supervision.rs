//! The Ui under its Commander: what it is told, what it shows, and how it comes back.

use crossterm::event::KeyCode;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actors::commander::{Adapters, Commander, CommanderArgs, CommanderMsg};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::{Incarnation, Moment, MysisId, Timestamp};
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::domain::record::{GameAccount, MysisProfile, MysisRecord};
use actors::domain::state::LifeState;
use actors::domain::write::Batch;
use actors::freeze::FreezeSwitch;
use actors::ports::{
    AnswerMeter, Clock, Ledger, LedgerFault, Link, Models, NoCopies, SwarmRecord, Upstream,
};
use actors::ui::{self, TerminalLink, UiHandle, UiMsg, UiRuntime};
use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::{Actor, ActorRef};
use tokio_util::sync::CancellationToken;
use zoea_tui::dashboard::action::TerminalAction;
use zoea_tui::dashboard::input_event::key;
use zoea_tui::dashboard::{Dashboard, DashboardOptions};
use zoea_tui::{DashboardTerminal, Display};

use zoea_scenes::commanding::commander_args;
use zoea_scenes::swarm::{START, Stored, Swarm, rules};

/// A screen that keeps what it is given.
struct Wall {
    last: Mutex<Arc<Dashboard>>,
    shown: AtomicUsize,
    acts: Mutex<Vec<TerminalAction>>,
}

impl Wall {
    fn new() -> Arc<Wall> {
        Wall::of(Wall::opening())
    }

    /// One in another process.
    fn attached() -> Arc<Wall> {
        Wall::of(Wall::opening().into_attached())
    }

    fn opening() -> Dashboard {
        Dashboard::new(DashboardOptions {
            size: (120, 40),
            ..DashboardOptions::default()
        })
    }

    fn of(first: Dashboard) -> Arc<Wall> {
        Arc::new(Wall {
            last: Mutex::new(Arc::new(first)),
            shown: AtomicUsize::new(0),
            acts: Mutex::default(),
        })
    }

    fn pictures(&self) -> usize {
        self.shown.load(Ordering::SeqCst)
    }
}

impl Display for Wall {
    fn show(&self, dashboard: Arc<Dashboard>) {
        *self.last.lock() = dashboard;
        self.shown.fetch_add(1, Ordering::SeqCst);
    }

    fn last_shown(&self) -> Arc<Dashboard> {
        self.last.lock().clone()
    }

    fn perform_action(&self, act: TerminalAction) {
        self.acts.lock().push(act);
    }
}

/// The outside of a swarm that never gets to do anything.
struct Nothing;

impl Clock for Nothing {
    fn now(&self) -> Timestamp {
        START
    }

    fn moment(&self) -> Moment {
        Moment(0)
    }
}

impl Ledger for Nothing {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        async move { batches.iter().map(|_| Ok(())).collect() }.boxed()
    }

    fn claim_account(
        &self,
        _mysis: MysisId,
        _at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        async { Ok(None) }.boxed()
    }
}

impl Models for Nothing {
    fn ask(
        &self,
        _request: ModelRequest,
        _meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        futures::future::pending().boxed()
    }
}

impl Upstream for Nothing {
    fn link(&self, _mysis: MysisId) -> Option<Arc<dyn Link>> {
        None
    }
}

/// A clock of tokio's time.
struct Ticking(tokio::time::Instant);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        START.plus(self.0.elapsed())
    }

    fn moment(&self) -> Moment {
        Moment(0).plus(self.0.elapsed())
    }
}

fn record(id: i64, name: &str) -> MysisRecord {
    MysisRecord {
        incarnation: Incarnation(1),
        ..MysisRecord::new(MysisId(id), MysisProfile::of(name, "local"), START)
    }
}

/// A Commander with a screen.
struct Ship {
    commander: ActorRef<CommanderMsg>,
    wall: Arc<Wall>,
    address: Arc<ui::UiAddress>,
    handle: UiHandle,
    quit: CancellationToken,
}

impl Ship {
    async fn with(names: &[&str]) -> Ship {
        let wall = Wall::new();
        let (address, handle) = ui::new_address();
        let address = Arc::new(address);
        let quit = CancellationToken::new();
        let ids = 1..;
        let swarm = SwarmRecord {
            myses: ids.zip(names).map(|(id, name)| record(id, name)).collect(),
            ..SwarmRecord::default()
        };
        let outside = Adapters {
            ledger: Arc::new(Nothing),
            archive: Arc::new(Stored::default()),
            models: Arc::new(Nothing),
            upstream: Arc::new(Nothing),
            clock: Arc::new(Ticking(tokio::time::Instant::now())),
            freeze: FreezeSwitch::default(),
            fleet: None,
            deleted: Arc::new(NoCopies),
            shared_limits: None,
            ui_runtime: UiRuntime::shared(),
        };
        let args = CommanderArgs {
            link: Some(TerminalLink {
                terminal: DashboardTerminal::new(wall.clone()),
                address: address.clone(),
                quit: quit.clone(),
                successor: Arc::default(),
                archivist: None,
                inspector: None,
            }),
            ..commander_args(swarm, rules(), outside)
        };
        let (commander, _) = Actor::spawn(None, Commander, args).await.unwrap();
        Ship {
            commander,
            wall,
            address,
            handle,
            quit,
        }
    }

    fn types(&self, keys: &str) {
        for letter in keys.chars() {
            let code = match letter {
                '\n' => KeyCode::Enter,
                letter => KeyCode::Char(letter),
            };
            zoea_tui::screen::send_input(&self.handle, key(code).into());
        }
    }

    /// Waits until the screen shows something; time does not pass but for that.
    async fn until(&self, what: &str, shows: impl Fn(&Dashboard) -> bool) -> Arc<Dashboard> {
        for _ in 0..1000 {
            let last = self.wall.last_shown();
            if shows(&last) {
                return last;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the screen never showed {what}");
    }

    fn ui(&self) -> ActorRef<UiMsg> {
        self.address.borrow().clone().unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn orders_go_down_and_their_answers_come_back() {
    let ship = Ship::with(&["alpha", "bravo"]).await;
    ship.until("the swarm", |board| board.facts().counts.all == 2)
        .await;
    ship.types("nzed\n");
    let board = ship
        .until("the new Mysis", |board| {
            board.facts().roster.find_by_name("zed").is_some()
        })
        .await;
    assert_eq!(board.facts().counts.all, 3);
    ship.until("the form gone", |board| board.overlays().is_empty())
        .await;
    ship.types("bmine iron\n");
    ship.until("the mission", |board| board.facts().mission.is_some())
        .await;
    ship.commander.stop(None);
}

#[tokio::test(start_paused = true)]
async fn a_dead_ui_comes_back_with_the_same_view() {
    let ship = Ship::with(&["alpha", "bravo", "ceres"]).await;
    ship.until("the swarm", |board| board.facts().counts.all == 3)
        .await;
    ship.types("j\nmhalf a mess");
    let before = ship
        .until("the draft", |board| {
            board
                .overlays()
                .iter()
                .filter_map(|layer| layer.try_as_compose_ref())
                .any(|composer| composer.field.text() == "half a mess")
        })
        .await;
    let dead = ship.ui();
    dead.kill();
    ship.until("the news", |board| {
        board
            .facts()
            .log
            .messages()
            .iter()
            .any(|message| &*message.code == "ui_restarted")
    })
    .await;
    assert_ne!(ship.ui().get_id(), dead.get_id());
    ship.types("age");
    let after = ship
        .until("the rest of the draft", |board| {
            board
                .overlays()
                .iter()
                .filter_map(|layer| layer.try_as_compose_ref())
                .any(|composer| composer.field.text() == "half a message")
        })
        .await;
    let open = |board: &Dashboard| board.focus().map(|focus| focus.mysis());
    assert_eq!(open(&after), Some(MysisId(2)));
    assert_eq!(open(&after), open(&before));
    ship.types("\n");
    let after = ship
        .until("the receipt", |board| {
            board
                .facts()
                .orders
                .receipts()
                .back()
                .is_some_and(|receipt| receipt.awaited == 0)
        })
        .await;
    assert_eq!(after.facts().orders.receipts()[0].what, "message");
    ship.commander.stop(None);
}

#[tokio::test(start_paused = true)]
async fn what_happens_while_the_ui_is_dead_is_shown_by_the_next_one() {
    let ship = Ship::with(&["alpha", "bravo"]).await;
    ship.until("the swarm", |board| board.facts().counts.all == 2)
        .await;
    let reply = actors::reply::OrderReply::to_nobody();
    let order = actors::domain::order::Order::Delete {
        name: "alpha".to_string(),
        now: true,
    };
    ship.ui().kill();
    let request = actors::reply::OrderRequest {
        order,
        source: OrderSource::Control,
        reply,
    };
    ship.commander.cast(CommanderMsg::Order(request)).unwrap();
    let board = ship
        .until("one Mysis", |board| board.facts().counts.all == 1)
        .await;
    assert!(board.facts().roster.find_by_name("bravo").is_some());
    ship.commander.stop(None);
}

#[tokio::test(start_paused = true)]
async fn a_ui_that_dies_again_and_again_gets_a_new_view_and_in_the_end_the_program_closes() {
    let ship = Ship::with(&["alpha"]).await;
    ship.until("the swarm", |board| board.facts().counts.all == 1)
        .await;
    ship.types("\n");
    ship.until("the conversation", |board| board.focus().is_some())
        .await;
    for deaths in 1..=6 {
        let dead = ship.ui();
        dead.kill();
        dead.get_cell().wait(None).await.unwrap();
        if deaths == 2 {
            ship.until("the table", |board| board.focus().is_none())
                .await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(ship.quit.is_cancelled());
    ship.commander.stop(None);
}

#[tokio::test(start_paused = true)]
async fn quitting_sets_off_the_end() {
    let ship = Ship::with(&["alpha"]).await;
    ship.until("the swarm", |board| board.facts().counts.all == 1)
        .await;
    ship.types("q");
    ship.quit.cancelled().await;
    ship.commander.stop(None);
}

/// A thousand events a second for a minute of its time: none waits, and nothing is drawn more
/// often than five times a second.
#[tokio::test(start_paused = true)]
async fn a_storm_of_events_is_drained_and_drawn_at_most_five_times_a_second() {
    let ship = Ship::with(&[]).await;
    let mut swarm = Swarm::new(1000, 1, 9);
    for id in swarm.ids() {
        let name = swarm.statuses[&id].name.to_string();
        drop(swarm.change(&name, LifeState::Running, START));
    }
    let ui = ship.ui();
    let before = ship.wall.pictures();
    let mut sent = 0;
    for tenth in 0..600 {
        let at = Timestamp(START.0 + tenth * 100);
        while sent < (usize::try_from(tenth).unwrap() + 1) * 100 {
            for event in swarm.live(at) {
                ui.cast(UiMsg::Event(Arc::new(event))).unwrap();
                sent += 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let pictures = ship.wall.pictures() - before;
    assert!(sent >= 60_000);
    assert!(pictures <= 301, "{pictures} pictures in a minute");
    assert!(pictures >= 275, "{pictures} pictures in a minute");
    // The picture of the last events.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let shown = ship.wall.last_shown();
    assert_eq!(shown.facts().roster.members().len(), 1000);
    for (id, status) in &swarm.statuses {
        let member = shown.facts().roster.get(*id).unwrap();
        assert_eq!(
            *member.status, *status,
            "after the storm the screen equals the swarm"
        );
    }
    ship.commander.stop(None);
}

/// Nothing is drawn for a swarm at rest but the time of day.
#[tokio::test(start_paused = true)]
async fn a_swarm_at_rest_costs_next_to_nothing() {
    let ship = Ship::with(&["alpha", "bravo"]).await;
    ship.until("the swarm", |board| board.facts().counts.all == 2)
        .await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let before = ship.wall.pictures();
    tokio::time::sleep(Duration::from_secs(600)).await;
    let pictures = ship.wall.pictures() - before;
    assert!(pictures <= 21, "{pictures} pictures in ten minutes of rest");
    ship.commander.stop(None);
}

/// Another terminal of the same swarm, in another process.
fn visitor(ship: &Ship) -> (Arc<Wall>, UiHandle, CancellationToken) {
    let (wall, (address, handle)) = (Wall::attached(), ui::new_address());
    let quit = CancellationToken::new();
    let link = TerminalLink {
        terminal: DashboardTerminal::new(wall.clone()),
        address: Arc::new(address),
        quit: quit.clone(),
        successor: Arc::default(),
        archivist: None,
        inspector: None,
    };
    ship.commander.cast(CommanderMsg::Attach(link)).unwrap();
    (wall, handle, quit)
}

#[tokio::test(start_paused = true)]
async fn whoever_is_attached_leaves_and_everything_else_goes_on() {
    let ship = Ship::with(&["alpha"]).await;
    let (wall, handle, quit) = visitor(&ship);
    while wall.last_shown().facts().counts.all == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ship.types("bmine iron\n");
    while wall.last_shown().facts().mission.is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    zoea_tui::screen::send_input(&handle, key(KeyCode::Char('q')).into());
    quit.cancelled().await;
    handle.notify_left();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let last = wall.last_shown();
    assert!(last.facts().closing_since.is_none() && last.overlays().is_empty());
    ship.types("bmine gold\n");
    ship.until("the next mission", |board| {
        board
            .facts()
            .mission
            .as_ref()
            .is_some_and(|mission| &**mission == "mine gold")
    })
    .await;
    let board = ship.wall.last_shown();
    let mut messages = board.facts().log.messages().iter();
    assert!(messages.all(|message| &*message.code != "ui_restarted"));
    assert_eq!(
        wall.last_shown().facts().mission.as_deref(),
        Some("mine iron")
    );
    assert!(!ship.quit.is_cancelled());
    ship.commander.stop(None);
}
