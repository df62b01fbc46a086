//! A process of a fleet: hands Myses over between two turns, drops what another process took, takes up
//! what is free, and lets nothing leave once its leases are not safe.

use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::ids::{MissionId, MysisId, Timestamp};
use actors::domain::message::RowKind;
use actors::domain::order::{CompletedAction, CompletedOrder, Order};
use actors::domain::record::Mission;
use actors::domain::state::LifeState;
use actors::domain::write::{Author, Batch, Write};
use actors::fleet::FleetMsg;
use actors::ports::{Archive, FleetStep, Ledger, PageFrom, PageQuery};

use crate::world::{World, dead};

/// The Myses that were let go, in their order.
fn let_go(world: &World) -> Vec<MysisId> {
    let reports = world.fleet.reports.lock();
    reports
        .iter()
        .flat_map(|report| report.let_go.clone())
        .collect()
}

fn arrived(world: &World) -> Vec<MysisId> {
    let reports = world.fleet.reports.lock();
    reports
        .iter()
        .flat_map(|report| report.arrived.clone())
        .collect()
}

pub(crate) fn finds(world: &World, step: FleetStep) {
    *world.fleet.next.lock() = step;
}

/// The Myses that run here.
pub(crate) async fn names(world: &World) -> Vec<String> {
    let statuses = world.handle.statuses().await;
    statuses
        .iter()
        .filter(|status| status.elsewhere.is_none())
        .map(|status| status.name.to_string())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_beyond_the_share_is_let_go_at_the_end_of_its_turn_and_taken_up_running() {
    let mut world = World::of_a_fleet().await;
    world.get_busy().await;
    let surplus = 2;
    finds(
        &world,
        FleetStep {
            surplus,
            ..FleetStep::default()
        },
    );
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(
        names(&world).await,
        ["alpha", "bravo"],
        "both are in a turn"
    );
    world.release();
    world
        .until("both are let go", |world| let_go(world).len() == 2)
        .await;
    assert_eq!(names(&world).await, [] as [&str; 0]);
    let stored = world.memory.swarm_now().myses;
    assert!(stored.iter().all(|mysis| mysis.state == LifeState::Running));

    // They come back, as from another process, and go on.
    let before = world.incarnations();
    let asked = world.times_asked("alpha");
    finds(
        &world,
        FleetStep {
            taken: stored,
            ..FleetStep::default()
        },
    );
    world
        .until("both arrived", |world| arrived(world).len() == 2)
        .await;
    world
        .until("alpha plays on", |world| world.times_asked("alpha") > asked)
        .await;
    for (name, incarnation) in world.incarnations() {
        assert!(incarnation > before[&name], "{name} lives anew");
    }
    world.check_that_nothing_is_lost().await;
}

#[tokio::test(start_paused = true)]
async fn what_another_process_took_is_dropped_at_once() {
    let mut world = World::of_a_fleet().await;
    world.get_busy().await;
    let lost: Vec<MysisId> = world
        .memory
        .swarm_now()
        .myses
        .iter()
        .map(|mysis| mysis.id)
        .collect();
    let unknown = MysisId(4);
    let all = [lost.clone(), vec![unknown]].concat();
    finds(
        &world,
        FleetStep {
            lost: all,
            ..FleetStep::default()
        },
    );
    world
        .until("all are let go", |world| let_go(world).len() == 3)
        .await;
    assert_eq!(names(&world).await, [] as [&str; 0]);
    let asked = world.times_asked("alpha");
    world.release();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.times_asked("alpha"), asked, "nothing of it is left");
    let reports = world.sent_since(0);
    assert_eq!(
        reports
            .iter()
            .filter(|reports| *reports == "lease_lost")
            .count(),
        2
    );
}

#[tokio::test(start_paused = true)]
async fn a_process_that_cannot_reach_the_database_lets_nothing_leave_until_it_can() {
    let world = World::of_a_fleet().await;
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    world.fleet.is_away.store(true, Ordering::SeqCst);
    // The leases last for thirty seconds after their last renewal.
    tokio::time::sleep(Duration::from_secs(26)).await;
    let before = world.left();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(world.left(), before);
    let lapses = |world: &World| {
        let reports = world.sent_since(0);
        reports
            .iter()
            .filter(|reports| *reports == "leases_lapsed")
            .count()
    };
    assert_eq!(lapses(&world), 1, "reported once");
    world.fleet.is_away.store(false, Ordering::SeqCst);
    world
        .until("both go on", |world| {
            world.left().0 > before.0 && world.left().1 > before.1
        })
        .await;
    assert!(world.sent_since(0).contains(&"leases_renewed".to_string()));
    world.check_that_nothing_is_lost().await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_cannot_renew_its_parts_of_the_limits_asks_nothing_until_it_can() {
    let world = World::of_a_fleet().await;
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    let asked = |world: &World| (world.times_asked("alpha"), world.times_asked("bravo"));
    world
        .until("both are asked", |world| {
            asked(world).0 > 0 && asked(world).1 > 0
        })
        .await;
    world.fleet.are_limits_away.store(true, Ordering::SeqCst);
    // The parts may be relied on for eight seconds after their last renewal.
    tokio::time::sleep(Duration::from_secs(9)).await;
    let before = asked(&world);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(asked(&world), before);
    let reports = world.sent_since(0);
    let lapses = reports
        .iter()
        .filter(|reports| *reports == "limits_lapsed")
        .count();
    assert_eq!(lapses, 1, "reported once");
    world.fleet.are_limits_away.store(false, Ordering::SeqCst);
    world
        .until("both go on", |world| {
            asked(world).0 > before.0 && asked(world).1 > before.1
        })
        .await;
    assert!(world.sent_since(0).contains(&"limits_renewed".to_string()));
    world.check_that_nothing_is_lost().await;
}

#[tokio::test(start_paused = true)]
async fn a_mission_of_another_process_reaches_the_myses_here_once() {
    let world = World::of_a_fleet().await;
    world.start("alpha").await;
    let mission = Mission {
        id: MissionId(5),
        text: "dig deeper".into(),
        at: Timestamp(1),
    };
    *world.fleet.mission.lock() = Some(mission.clone());
    world
        .until("alpha has seen it", |world| world.is_shown("dig deeper"))
        .await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(world.handle.mission().await, Some(mission));
    let rows = world.memory.page(PageQuery {
        mysis: world.memory.swarm_now().myses[0].id,
        from: PageFrom::Newest,
        limit: 100,
        kinds: vec![RowKind::Mission],
    });
    assert_eq!(rows.await.unwrap().len(), 1);

    // Another process clears it.
    *world.fleet.mission.lock() = None;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(world.handle.mission().await, None);
}

/// A fleet's process whose Myses are in their turns and leave at their ends, and the first of them.
pub(crate) async fn handing_over() -> (World, MysisId) {
    let mut world = World::of_a_fleet().await;
    world.get_busy().await;
    let alpha = world.handle.statuses().await[0].id;
    finds(
        &world,
        FleetStep {
            surplus: 2,
            ..FleetStep::default()
        },
    );
    tokio::time::sleep(Duration::from_secs(5)).await;
    (world, alpha)
}

async fn delete(world: &World, name: &str) {
    let name = name.to_string();
    let deleted = world.order(Order::Delete { name, now: true }).await;
    let done = CompletedOrder::Done(CompletedAction::Deleted);
    assert_eq!(deleted, Ok(done));
}

#[tokio::test(start_paused = true)]
async fn a_mysis_that_is_handed_over_and_deleted_meanwhile_is_not_given_back_to_be_taken() {
    let (world, alpha) = handing_over().await;
    delete(&world, "alpha").await;
    world.release();
    world
        .until("bravo is let go", |world| !let_go(world).is_empty())
        .await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(!let_go(&world).contains(&alpha), "{:?}", let_go(&world));
}

#[tokio::test(start_paused = true)]
async fn what_was_let_go_outlives_the_actor_that_was_to_tell_it() {
    let world = World::of_a_fleet().await;
    // The database is away before both have left, and the actor that knows of it dies.
    world.fleet.goes_away.store(true, Ordering::SeqCst);
    let is_draining = true;
    finds(
        &world,
        FleetStep {
            is_draining,
            ..FleetStep::default()
        },
    );
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(names(&world).await, [] as [&str; 0]);
    assert!(let_go(&world).is_empty());
    kill_fleet_actor(&world).await;
    world.fleet.is_away.store(false, Ordering::SeqCst);
    world
        .until("both are let go", |world| let_go(world).len() == 2)
        .await;
    // Once that is known, it is told no more.
    tokio::time::sleep(Duration::from_secs(3)).await;
    kill_fleet_actor(&world).await;
    finds(
        &world,
        FleetStep {
            taken: world.memory.swarm_now().myses,
            ..FleetStep::default()
        },
    );
    world
        .until("both arrived", |world| arrived(world).len() == 2)
        .await;
    assert_eq!(names(&world).await, ["alpha", "bravo"]);
    assert_eq!(let_go(&world).len(), 2);
}

async fn kill_fleet_actor(world: &World) {
    let mut children = world.commander.get_children();
    children.retain(|child| child.is_message_type_of::<FleetMsg>() == Some(true));
    for actor in children {
        actor.kill();
        dead(&actor).await;
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
}

#[tokio::test(start_paused = true)]
async fn a_step_that_read_a_mysis_before_its_deletion_does_not_bring_it_back() {
    let world = World::of_a_fleet().await;
    let read = world.memory.swarm_now().myses;
    let began = tokio::time::Instant::now();
    delete(&world, "alpha").await;
    let steps = arrived(&world).len();
    finds(
        &world,
        FleetStep {
            taken: read,
            began: Some(began),
            ..FleetStep::default()
        },
    );
    world
        .until("it is let go again", |world| arrived(world).len() > steps)
        .await;
    assert_eq!(names(&world).await, ["bravo"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_lost_mysis_was_to_store_is_shut_out() {
    let world = World::of_a_fleet().await;
    let alpha = world.memory.swarm_now().myses[0].id;
    let lost = vec![alpha];
    finds(
        &world,
        FleetStep {
            lost,
            ..FleetStep::default()
        },
    );
    world
        .until("it is let go", |world| let_go(world).contains(&alpha))
        .await;
    let lived = world.memory.swarm_now().myses[0].incarnation;
    let shut_out = world.ledger.shut_out.lock().clone();
    assert_eq!(shut_out, [(alpha, lived.next())]);
}

#[tokio::test(start_paused = true)]
async fn one_that_must_not_write_any_more_runs_elsewhere_and_is_not_errored() {
    let world = World::of_a_fleet().await;
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    let mark = world.mark();
    // Another process has taken one of them, before a step tells so.
    let taken = world.memory.swarm_now().myses[0].clone();
    let (mysis, incarnation) = (taken.id, taken.incarnation.next());
    let begins = Batch {
        author: Author::Mysis(mysis, incarnation),
        writes: vec![Write::Fence { mysis, incarnation }],
    };
    let stored = world.memory.commit(vec![begins]).await;
    assert!(stored.iter().all(Result::is_ok), "{stored:?}");
    world
        .until("it is let go", |world| !let_go(world).is_empty())
        .await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(let_go(&world), [mysis]);
    let told = world.sent_since(mark);
    let lost = told.iter().filter(|code| *code == "lease_lost");
    assert_eq!(lost.count(), 1, "{told:?}");
    assert!(
        !told.iter().any(|code| code.contains("errored")),
        "{told:?}"
    );
    let shut_out = world.ledger.shut_out.lock().clone();
    assert_eq!(shut_out, [(mysis, incarnation)]);
}

#[tokio::test(start_paused = true)]
async fn who_is_created_to_start_runs_once_that_is_acknowledged() {
    let world = World::of_a_fleet().await;
    let created = world.order(Order::Create {
        name: "charlie".to_string(),
        provider: None,
        model: None,
        role: None,
        start: true,
    });
    let Ok(CompletedOrder::Created(charlie)) = created.await else {
        panic!("it is created");
    };
    // As another process would find it, if this one ended now.
    let stored = world.memory.swarm_now().myses;
    let charlie = stored.into_iter().find(|mysis| mysis.id == charlie);
    assert_eq!(charlie.unwrap().state, LifeState::Running);
}
