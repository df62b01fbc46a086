//! The table of deaths: each actor, each way to die, and for a Mysis each relaunch policy.
//!
//! An error that a handler returns is a way to die only for the Store and the Commander. The
//! handlers of the others return none; [`nobody_else_returns_an_error`] checks that.

use actors::commander::CommanderMsg;
use actors::domain::message::CallStatus;
use actors::domain::order::{MysisOrder, OrderRefusal};
use actors::domain::rules::RelaunchPolicy;
use actors::domain::state::LifeState;
use actors::gate::GateMsg;
use actors::mysis::MysisMsg;
use actors::ui::UiMsg;
use ractor::{ActorCell, ActorRef};
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::outside::Trap;
use crate::world::{Child, World, dead};

use Aftermath::{ComesBack, GoesOn, Waits};
use DeathKind::{Error, Kill, Panic, Stop};
use RelaunchPolicy::{Always, Manual, Transient};
use Victim::{Call, Gate, Listener, Mysis, Question, Store, Ui};

/// Longer than the wait before a relaunch, a retry and a turn together, in simulated time.
const AFTERWARDS: Duration = Duration::from_secs(25);

/// The actor or task that dies. The Commander has a test of its own: nothing comes back after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Store,
    Gate,
    Ui,
    Mysis,
    Listener,
    /// The task of a Mysis that waits for its call.
    Call,
    /// The task of a Mysis that waits for its model.
    Question,
}

/// The way to die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeathKind {
    Panic,
    Error,
    Kill,
    Stop,
}

/// The state of alpha afterwards. Its call is under way when the actor dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aftermath {
    /// It goes on, and its call is done.
    GoesOn,
    /// It comes back by itself. The outcome of its call is unknown.
    ComesBack,
    /// It waits for the operator. The outcome of its call is unknown.
    Waits,
}

#[derive(Debug)]
struct Row {
    who: Victim,
    how: DeathKind,
    policy: RelaunchPolicy,
    then: Aftermath,
    /// The notices to the operator in their order, until all is well again.
    codes: &'static [&'static str],
}

const fn row(
    who: Victim,
    how: DeathKind,
    policy: RelaunchPolicy,
    then: Aftermath,
    codes: &'static [&'static str],
) -> Row {
    Row {
        who,
        how,
        policy,
        then,
        codes,
    }
}

const STORE: &[&str] = &["store_restarted"];
const GATE: &[&str] = &["gate_restarted"];
const UI: &[&str] = &["ui_restarted"];
const DIED: &[&str] = &["alpha running -> errored", "alpha crashed"];
const REVIVED: &[&str] = &[
    "alpha running -> errored",
    "alpha crashed",
    "alpha errored -> running",
];
const REFUSED: &[&str] = &["bravo running -> errored", "bravo errored"];
const TRIED_AGAIN: &[&str] = &[
    "bravo running -> errored",
    "bravo errored",
    "bravo errored -> running",
];
const STOPPED: &[&str] = &["alpha running -> stopped"];

const TABLE: &[Row] = &[
    row(Store, Panic, Transient, GoesOn, STORE),
    row(Store, Error, Transient, GoesOn, STORE),
    row(Store, Kill, Transient, GoesOn, STORE),
    row(Store, Stop, Transient, GoesOn, STORE),
    row(Gate, Panic, Transient, GoesOn, GATE),
    row(Gate, Kill, Transient, GoesOn, GATE),
    row(Gate, Stop, Transient, GoesOn, GATE),
    row(Ui, Panic, Transient, GoesOn, UI),
    row(Ui, Kill, Transient, GoesOn, UI),
    row(Ui, Stop, Transient, GoesOn, UI),
    row(Mysis, Panic, Manual, Waits, DIED),
    row(Mysis, Panic, Transient, ComesBack, REVIVED),
    row(Mysis, Panic, Always, ComesBack, REVIVED),
    row(Mysis, Kill, Manual, Waits, DIED),
    row(Mysis, Kill, Transient, ComesBack, REVIVED),
    row(Mysis, Kill, Always, ComesBack, REVIVED),
    row(Mysis, Stop, Manual, Waits, DIED),
    row(Mysis, Stop, Transient, ComesBack, REVIVED),
    row(Mysis, Stop, Always, ComesBack, REVIVED),
    // A listener that panics receives the next event all the same.
    row(Listener, Panic, Transient, GoesOn, &[]),
    row(Listener, Kill, Transient, GoesOn, &["listener_lost"]),
    row(Listener, Stop, Transient, GoesOn, &["listener_lost"]),
    // A task that panics costs the Mysis its session, and is no fault of the Mysis.
    row(Call, Panic, Manual, GoesOn, &[]),
    row(Call, Error, Manual, GoesOn, &[]),
    row(Call, Stop, Always, Waits, STOPPED),
    row(Question, Panic, Manual, GoesOn, &["bravo retry"]),
    row(Question, Error, Manual, GoesOn, REFUSED),
    row(Question, Error, Transient, GoesOn, REFUSED),
    row(Question, Error, Always, GoesOn, TRIED_AGAIN),
];

#[tokio::test(start_paused = true)]
async fn whoever_dies_is_told_of_and_replaced_and_nothing_is_lost() {
    let mut wrong = Vec::new();
    for row in TABLE {
        let mut world = World::new(row.policy).await;
        world.get_busy().await;
        let (mark, before) = (world.mark(), (world.living(), world.incarnations()));
        let listened = world.listened.load(Ordering::SeqCst);
        kill_victim(&mut world, row).await;
        // Sent at once, before the dead actor is replaced.
        world.send("alpha", "order 3").await.ok();
        world.send("bravo", "order 4").await.ok();
        world.release();
        tokio::time::sleep(AFTERWARDS).await;
        assert!(world.traps.are_all_sprung(), "{row:?}");
        let codes = world.sent_since(mark);
        if codes != row.codes {
            wrong.push(format!("{row:?}: {codes:?}"));
        }
        check_living_actors(&world, row, &before);
        let has_receiver = world.listened.load(Ordering::SeqCst) > listened;
        let is_gone = row.who == Victim::Listener && row.how != DeathKind::Panic;
        assert_eq!(has_receiver, !is_gone, "{row:?}");
        check_alpha_state(&world, row).await;
        check_call_result(&world, row).await;
        world.check_that_nothing_is_lost().await;
    }
    assert!(wrong.is_empty(), "told otherwise: {wrong:#?}");
}

/// Kills the actor of the row, and waits until it is dead.
async fn kill_victim(world: &mut World, row: &Row) {
    match row.who {
        Victim::Store => {
            let store = one(world, Child::Store);
            match row.how {
                DeathKind::Panic => world.traps.set(Trap::Commit),
                DeathKind::Error => world.traps.set(Trap::CommitForOthers),
                DeathKind::Kill => store.kill(),
                DeathKind::Stop => store.stop(None),
            }
            // The order makes this Store write, or the Store that follows.
            world
                .send("alpha", "order while the store dies")
                .await
                .unwrap();
            dead(&store).await;
        }
        Victim::Gate => {
            let gate = one(world, Child::Gate);
            end(world, row.how, &gate, |gate| {
                ActorRef::<GateMsg>::from(gate)
                    .cast(GateMsg::Opened)
                    .unwrap();
            })
            .await;
        }
        Victim::Ui => {
            let ui = one(world, Child::Ui);
            end(world, row.how, &ui, |ui| {
                ActorRef::<UiMsg>::from(ui).cast(UiMsg::Frame).unwrap();
            })
            .await;
        }
        Victim::Mysis => {
            let alpha = world.alpha();
            end(world, row.how, &alpha, |alpha| {
                let message = MysisMsg::MissionStands(None);
                ActorRef::<MysisMsg>::from(alpha).cast(message).unwrap();
            })
            .await;
        }
        Victim::Listener => match row.how {
            DeathKind::Panic => world.traps.set(Trap::Listener),
            DeathKind::Kill => {
                let listener = world.listener.watcher();
                listener.kill();
                dead(&listener).await;
            }
            DeathKind::Stop => {
                let listener = world.listener.watcher();
                listener.stop(None);
                dead(&listener).await;
            }
            DeathKind::Error => unreachable!("its handler returns none"),
        },
        Victim::Call => match row.how {
            DeathKind::Panic => world.traps.set(Trap::Call),
            // The trap is for the call after the one under way.
            DeathKind::Error => world.traps.set(Trap::CallRefused),
            DeathKind::Stop => {
                let name = "alpha".to_string();
                world.order(MysisOrder::Stop.for_mysis(name)).await.unwrap();
            }
            DeathKind::Kill => unreachable!("a task is stopped, or dies with its Mysis"),
        },
        Victim::Question => match row.how {
            DeathKind::Panic => world.traps.set(Trap::Ask),
            DeathKind::Error => {
                // Only bravo's model call is under way. Alpha's call must not come back before it.
                world.traps.set(Trap::AskRefused);
                world.models.held.send_replace(Vec::new());
                world
                    .until("the refusal", |world| world.traps.are_all_sprung())
                    .await;
            }
            DeathKind::Kill | DeathKind::Stop => unreachable!("as with a call"),
        },
    }
}

/// Ends an actor in one way. A panic happens when the actor next reads the clock, which `poke`
/// makes it do.
async fn end(world: &World, how: DeathKind, actor: &ActorCell, poke: impl FnOnce(ActorCell)) {
    match how {
        DeathKind::Panic => {
            world.traps.set(Trap::Clock);
            poke(actor.clone());
        }
        DeathKind::Kill => actor.kill(),
        DeathKind::Stop => actor.stop(None),
        DeathKind::Error => unreachable!("its handler returns none"),
    }
    dead(actor).await;
}

fn one(world: &World, kind: Child) -> ActorCell {
    let children = world.children(kind);
    assert_eq!(children.len(), 1, "{kind:?}");
    children[0].clone()
}

/// Checks that the dead actor has a successor, and that all other actors are the same as before.
fn check_living_actors(
    world: &World,
    row: &Row,
    (before, incarnations): &(
        std::collections::BTreeMap<Child, std::collections::BTreeSet<ractor::ActorId>>,
        std::collections::BTreeMap<String, i64>,
    ),
) {
    let replaced = match row.who {
        Victim::Store => Some(Child::Store),
        Victim::Gate => Some(Child::Gate),
        Victim::Ui => Some(Child::Ui),
        Victim::Mysis => Some(Child::Mysis),
        Victim::Listener | Victim::Call | Victim::Question => None,
    };
    for (kind, now) in world.living() {
        let before = &before[&kind];
        assert_eq!(now.len(), before.len(), "{kind:?} of {row:?}");
        let stayed = now.intersection(before).count();
        let died = usize::from(replaced == Some(kind));
        assert_eq!(stayed, before.len() - died, "{kind:?} of {row:?}");
    }
    let after = world.incarnations();
    let again = i64::from(row.who == Victim::Mysis);
    assert_eq!(after["alpha"], incarnations["alpha"] + again, "{row:?}");
    assert_eq!(after["bravo"], incarnations["bravo"], "{row:?}");
}

/// Checks that Myses which should run do so, and that those which should wait do so until the
/// operator relaunches them.
async fn check_alpha_state(world: &World, row: &Row) {
    let mut waits = Vec::new();
    if row.then == Aftermath::Waits {
        waits.push("alpha");
    }
    if row.codes.contains(&"bravo errored") && !row.codes.contains(&"bravo errored -> running") {
        waits.push("bravo");
    }
    for name in ["alpha", "bravo"] {
        let status = world.status(name).await;
        let runs = status.state == LifeState::Running;
        assert_eq!(runs, !waits.contains(&name), "{row:?}: {status:?}");
        if waits.contains(&name) {
            world.start(name).await;
        }
    }
    tokio::time::sleep(AFTERWARDS).await;
    for name in ["alpha", "bravo"] {
        assert_eq!(
            world.status(name).await.state,
            LifeState::Running,
            "{row:?}"
        );
    }
}

/// Checks that the call under way was carried out once, and that its result tells what is known of
/// it.
async fn check_call_result(world: &World, row: &Row) {
    let results = world.results("alpha").await;
    let (call, status) = results.first().cloned().unwrap();
    let first = world.game.executed.lock().first().cloned();
    assert_eq!(Some(&call), first.as_ref(), "{row:?}");
    let is_known =
        row.then == Aftermath::GoesOn && (row.who, row.how) != (Victim::Call, DeathKind::Panic);
    let expected = if is_known {
        CallStatus::Done
    } else {
        CallStatus::Unknown
    };
    assert_eq!(status, expected, "{row:?}");
    // The Mysis played on.
    assert!(results.len() > 1, "{row:?}");
    if (row.who, row.how) == (Victim::Call, DeathKind::Error) {
        let of_bravo = world.results("bravo").await;
        let mut all = results.iter().chain(&of_bravo);
        assert!(
            all.any(|(_, status)| *status == CallStatus::Failed),
            "{row:?}"
        );
    }
}

/// A dead Commander takes the whole swarm with it, and the next process finds everything.
#[tokio::test(start_paused = true)]
async fn a_dead_commander_ends_the_swarm_and_the_next_process_finds_everything() {
    for how in [
        DeathKind::Panic,
        DeathKind::Error,
        DeathKind::Kill,
        DeathKind::Stop,
    ] {
        let mut world = World::new(Transient).await;
        world.get_busy().await;
        let children: Vec<ActorCell> = world.commander.get_children();
        assert_eq!(children.len(), 5);
        let commander = world.commander.get_cell();
        match how {
            DeathKind::Panic => {
                world.traps.set(Trap::Clock);
                let watcher = world.listener.watcher();
                world.commander.cast(CommanderMsg::Watch(watcher)).unwrap();
            }
            DeathKind::Error => {
                // No Store can be started to replace the dead one.
                world.traps.set(Trap::StoreStart);
                one(&world, Child::Store).kill();
            }
            DeathKind::Kill => commander.kill(),
            DeathKind::Stop => commander.stop(None),
        }
        dead(&commander).await;
        for child in &children {
            dead(child).await;
        }
        assert!(world.traps.are_all_sprung(), "{how:?}");
        let refused = world.send("alpha", "an order that nobody takes").await;
        assert_eq!(refused, Err(OrderRefusal::Closing), "{how:?}");
        let asked = world.times_asked("alpha");
        world.release();
        tokio::time::sleep(AFTERWARDS).await;
        assert_eq!(
            world.times_asked("alpha"),
            asked,
            "{how:?}: nobody lives on"
        );

        let world = World::after(world.into_rest(), Transient).await;
        for name in ["alpha", "bravo"] {
            world.until_it_is(name, LifeState::Running).await;
        }
        tokio::time::sleep(AFTERWARDS).await;
        let (call, status) = world.results("alpha").await.first().cloned().unwrap();
        let first = world.game.executed.lock().first().cloned();
        assert_eq!(
            (Some(call), status),
            (first, CallStatus::Unknown),
            "{how:?}"
        );
        world.check_that_nothing_is_lost().await;
    }
}

/// The handlers of the Mysis, the gate, the Ui and the listener can fail only by a panic. A handler
/// that can fail otherwise needs a row in the table.
#[test]
fn nobody_else_returns_an_error() {
    for (name, source) in [
        ("mysis", include_str!("../../actors/src/mysis.rs")),
        ("gate", include_str!("../../actors/src/gate.rs")),
        ("ui", include_str!("../../actors/src/ui.rs")),
    ] {
        let (_, rest) = source.split_once("    async fn handle(").unwrap();
        let (handler, _) = rest.split_once("\n    }\n").unwrap();
        for line in handler.lines() {
            // Text before an arrow is a pattern.
            let code = line.split_once("=>").map_or(line, |(_, code)| code);
            assert!(
                !code.contains('?') && !code.contains("Err("),
                "{name}: {line}"
            );
        }
    }
}
