//! The table: each actor, each way to die, and for a Mysis each policy.
//!
//! An error that a handler returns is a way to die for the Store and the Commander alone: the
//! handlers of the others return none, which [`nobody_else_returns_an_error`] holds.

use actors::commander::CommanderMsg;
use actors::domain::message::CallStatus;
use actors::domain::order::{Order, OrderRefusal};
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

use RelaunchPolicy::{Always, Manual, Transient};

/// Longer than the wait before a relaunch, a retry, and a turn, in simulated time.
const AFTERWARDS: Duration = Duration::from_secs(25);

/// Who dies. The Commander has a test of its own: nothing comes back after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Store,
    Gate,
    Ui,
    Mysis,
    Listener,
    /// The task in which a Mysis waits for its call.
    Call,
    /// The task in which a Mysis waits for its model.
    Question,
}

/// In which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Panic,
    Error,
    Kill,
    Stop,
}

/// What becomes of alpha, whose call is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// It goes on, its call done.
    GoesOn,
    /// It comes back by itself; nobody knows what became of its call.
    ComesBack,
    /// It waits for the operator; nobody knows what became of its call.
    Waits,
}

#[derive(Debug)]
struct Row {
    who: Who,
    how: How,
    policy: RelaunchPolicy,
    then: Then,
    /// What the operator is told, in order, until all is well again.
    told: &'static [&'static str],
}

const fn row(
    who: Who,
    how: How,
    policy: RelaunchPolicy,
    then: Then,
    told: &'static [&'static str],
) -> Row {
    Row {
        who,
        how,
        policy,
        then,
        told,
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
    row(Who::Store, How::Panic, Transient, Then::GoesOn, STORE),
    row(Who::Store, How::Error, Transient, Then::GoesOn, STORE),
    row(Who::Store, How::Kill, Transient, Then::GoesOn, STORE),
    row(Who::Store, How::Stop, Transient, Then::GoesOn, STORE),
    row(Who::Gate, How::Panic, Transient, Then::GoesOn, GATE),
    row(Who::Gate, How::Kill, Transient, Then::GoesOn, GATE),
    row(Who::Gate, How::Stop, Transient, Then::GoesOn, GATE),
    row(Who::Ui, How::Panic, Transient, Then::GoesOn, UI),
    row(Who::Ui, How::Kill, Transient, Then::GoesOn, UI),
    row(Who::Ui, How::Stop, Transient, Then::GoesOn, UI),
    row(Who::Mysis, How::Panic, Manual, Then::Waits, DIED),
    row(Who::Mysis, How::Panic, Transient, Then::ComesBack, REVIVED),
    row(Who::Mysis, How::Panic, Always, Then::ComesBack, REVIVED),
    row(Who::Mysis, How::Kill, Manual, Then::Waits, DIED),
    row(Who::Mysis, How::Kill, Transient, Then::ComesBack, REVIVED),
    row(Who::Mysis, How::Kill, Always, Then::ComesBack, REVIVED),
    row(Who::Mysis, How::Stop, Manual, Then::Waits, DIED),
    row(Who::Mysis, How::Stop, Transient, Then::ComesBack, REVIVED),
    row(Who::Mysis, How::Stop, Always, Then::ComesBack, REVIVED),
    // A listener that panics hears the next event all the same.
    row(Who::Listener, How::Panic, Transient, Then::GoesOn, &[]),
    row(
        Who::Listener,
        How::Kill,
        Transient,
        Then::GoesOn,
        &["listener_lost"],
    ),
    row(
        Who::Listener,
        How::Stop,
        Transient,
        Then::GoesOn,
        &["listener_lost"],
    ),
    // Work that panics costs its session, and is no fault of the Mysis.
    row(Who::Call, How::Panic, Manual, Then::GoesOn, &[]),
    row(Who::Call, How::Error, Manual, Then::GoesOn, &[]),
    row(Who::Call, How::Stop, Always, Then::Waits, STOPPED),
    row(
        Who::Question,
        How::Panic,
        Manual,
        Then::GoesOn,
        &["bravo retry"],
    ),
    row(Who::Question, How::Error, Manual, Then::GoesOn, REFUSED),
    row(Who::Question, How::Error, Transient, Then::GoesOn, REFUSED),
    row(Who::Question, How::Error, Always, Then::GoesOn, TRIED_AGAIN),
];

#[tokio::test(start_paused = true)]
async fn whoever_dies_is_told_of_and_replaced_and_nothing_is_lost() {
    let mut wrong = Vec::new();
    for row in TABLE {
        let mut world = World::new(row.policy).await;
        world.get_busy().await;
        let (mark, before) = (world.mark(), (world.living(), world.incarnations()));
        let listened = world.listened.load(Ordering::SeqCst);
        strike(&mut world, row).await;
        // At once: whoever is dead is not replaced yet.
        world.send("alpha", "order 3").await.ok();
        world.send("bravo", "order 4").await.ok();
        world.release();
        tokio::time::sleep(AFTERWARDS).await;
        assert!(world.traps.are_all_sprung(), "{row:?}");
        let told = world.told_since(mark);
        if told != row.told {
            wrong.push(format!("{row:?}: {told:?}"));
        }
        look_at_the_living(&world, row, &before);
        let is_heard = world.listened.load(Ordering::SeqCst) > listened;
        let is_gone = row.who == Who::Listener && row.how != How::Panic;
        assert_eq!(is_heard, !is_gone, "{row:?}");
        look_at_the_state(&world, row).await;
        look_at_the_call(&world, row).await;
        world.check_that_nothing_is_lost().await;
    }
    assert!(wrong.is_empty(), "told otherwise: {wrong:#?}");
}

/// Kills the actor of the row, and waits until it is dead.
async fn strike(world: &mut World, row: &Row) {
    match row.who {
        Who::Store => {
            let store = one(world, Child::Store);
            match row.how {
                How::Panic => world.traps.set(Trap::Commit),
                How::Error => world.traps.set(Trap::CommitForOthers),
                How::Kill => store.kill(),
                How::Stop => store.stop(None),
            }
            // It is asked to write, now or by the Store that follows.
            world
                .send("alpha", "order while the store dies")
                .await
                .unwrap();
            dead(&store).await;
        }
        Who::Gate => {
            let gate = one(world, Child::Gate);
            end(world, row.how, &gate, |gate| {
                ActorRef::<GateMsg>::from(gate)
                    .cast(GateMsg::Opened)
                    .unwrap();
            })
            .await;
        }
        Who::Ui => {
            let ui = one(world, Child::Ui);
            end(world, row.how, &ui, |ui| {
                ActorRef::<UiMsg>::from(ui).cast(UiMsg::Frame).unwrap();
            })
            .await;
        }
        Who::Mysis => {
            let alpha = world.alpha();
            end(world, row.how, &alpha, |alpha| {
                let message = MysisMsg::MissionStands(None);
                ActorRef::<MysisMsg>::from(alpha).cast(message).unwrap();
            })
            .await;
        }
        Who::Listener => match row.how {
            How::Panic => world.traps.set(Trap::Ear),
            How::Kill => {
                let listener = world.listener.watcher();
                listener.kill();
                dead(&listener).await;
            }
            How::Stop => {
                let listener = world.listener.watcher();
                listener.stop(None);
                dead(&listener).await;
            }
            How::Error => unreachable!("its handler returns none"),
        },
        Who::Call => match row.how {
            How::Panic => world.traps.set(Trap::Call),
            // The call after the one under way.
            How::Error => world.traps.set(Trap::CallRefused),
            How::Stop => {
                let name = "alpha".to_string();
                world.order(Order::Stop { name }).await.unwrap();
            }
            How::Kill => unreachable!("a task is stopped, or dies with its Mysis"),
        },
        Who::Question => match row.how {
            How::Panic => world.traps.set(Trap::Ask),
            How::Error => {
                // Bravo's alone is under way: alpha's call must not come back before.
                world.traps.set(Trap::AskRefused);
                world.models.held.send_replace(Vec::new());
                world
                    .until("the refusal", |world| world.traps.are_all_sprung())
                    .await;
            }
            How::Kill | How::Stop => unreachable!("as with a call"),
        },
    }
}

/// Ends an actor in one way; where it is to panic, at the next look at the clock, which what it is
/// told makes it take.
async fn end(world: &World, how: How, actor: &ActorCell, poke: impl FnOnce(ActorCell)) {
    match how {
        How::Panic => {
            world.traps.set(Trap::Clock);
            poke(actor.clone());
        }
        How::Kill => actor.kill(),
        How::Stop => actor.stop(None),
        How::Error => unreachable!("its handler returns none"),
    }
    dead(actor).await;
}

fn one(world: &World, kind: Child) -> ActorCell {
    let children = world.children(kind);
    assert_eq!(children.len(), 1, "{kind:?}");
    children[0].clone()
}

/// The dead one has a successor, and nobody else was touched.
fn look_at_the_living(
    world: &World,
    row: &Row,
    (before, incarnations): &(
        std::collections::BTreeMap<Child, std::collections::BTreeSet<ractor::ActorId>>,
        std::collections::BTreeMap<String, i64>,
    ),
) {
    let replaced = match row.who {
        Who::Store => Some(Child::Store),
        Who::Gate => Some(Child::Gate),
        Who::Ui => Some(Child::Ui),
        Who::Mysis => Some(Child::Mysis),
        Who::Listener | Who::Call | Who::Question => None,
    };
    for (kind, now) in world.living() {
        let before = &before[&kind];
        assert_eq!(now.len(), before.len(), "{kind:?} of {row:?}");
        let stayed = now.intersection(before).count();
        let died = usize::from(replaced == Some(kind));
        assert_eq!(stayed, before.len() - died, "{kind:?} of {row:?}");
    }
    let after = world.incarnations();
    let again = i64::from(row.who == Who::Mysis);
    assert_eq!(after["alpha"], incarnations["alpha"] + again, "{row:?}");
    assert_eq!(after["bravo"], incarnations["bravo"], "{row:?}");
}

/// Whoever is to run runs; whoever is to wait does, until the operator relaunches it.
async fn look_at_the_state(world: &World, row: &Row) {
    let mut waits = Vec::new();
    if row.then == Then::Waits {
        waits.push("alpha");
    }
    if row.told.contains(&"bravo errored") && !row.told.contains(&"bravo errored -> running") {
        waits.push("bravo");
    }
    for name in ["alpha", "bravo"] {
        let standing = world.standing(name).await;
        let runs = standing.state == LifeState::Running;
        assert_eq!(runs, !waits.contains(&name), "{row:?}: {standing:?}");
        if waits.contains(&name) {
            world.start(name).await;
        }
    }
    tokio::time::sleep(AFTERWARDS).await;
    for name in ["alpha", "bravo"] {
        assert_eq!(
            world.standing(name).await.state,
            LifeState::Running,
            "{row:?}"
        );
    }
}

/// The call that was under way was carried out once, and is told as what is known of it.
async fn look_at_the_call(world: &World, row: &Row) {
    let results = world.results("alpha").await;
    let (call, status) = results.first().cloned().unwrap();
    let first = world.game.executed.lock().unwrap().first().cloned();
    assert_eq!(Some(&call), first.as_ref(), "{row:?}");
    let is_known = row.then == Then::GoesOn && (row.who, row.how) != (Who::Call, How::Panic);
    let expected = if is_known {
        CallStatus::Done
    } else {
        CallStatus::Unknown
    };
    assert_eq!(status, expected, "{row:?}");
    // It played on.
    assert!(results.len() > 1, "{row:?}");
    if (row.who, row.how) == (Who::Call, How::Error) {
        let of_bravo = world.results("bravo").await;
        let mut all = results.iter().chain(&of_bravo);
        assert!(
            all.any(|(_, status)| *status == CallStatus::Failed),
            "{row:?}"
        );
    }
}

/// A Commander that dies takes the whole swarm with it, and the next process finds everything.
#[tokio::test(start_paused = true)]
async fn a_dead_commander_ends_the_swarm_and_the_next_process_finds_everything() {
    for how in [How::Panic, How::Error, How::Kill, How::Stop] {
        let mut world = World::new(Transient).await;
        world.get_busy().await;
        let children: Vec<ActorCell> = world.commander.get_children();
        assert_eq!(children.len(), 5);
        let commander = world.commander.get_cell();
        match how {
            How::Panic => {
                world.traps.set(Trap::Clock);
                let watcher = world.listener.watcher();
                world.commander.cast(CommanderMsg::Watch(watcher)).unwrap();
            }
            How::Error => {
                // No Store can be started in the place of the one that died.
                world.traps.set(Trap::StoreStart);
                one(&world, Child::Store).kill();
            }
            How::Kill => commander.kill(),
            How::Stop => commander.stop(None),
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
        let first = world.game.executed.lock().unwrap().first().cloned();
        assert_eq!(
            (Some(call), status),
            (first, CallStatus::Unknown),
            "{how:?}"
        );
        world.check_that_nothing_is_lost().await;
    }
}

/// The handlers of the Mysis, the gate, the Ui and the listener cannot fail but by a panic. One that
/// can has a row to be made for it.
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
            // What stands before an arrow is a pattern.
            let code = line.split_once("=>").map_or(line, |(_, code)| code);
            assert!(
                !code.contains('?') && !code.contains("Err("),
                "{name}: {line}"
            );
        }
    }
}
