//! A process of a fleet: hands Myses over between two turns, drops what another process took, takes up
//! what is free, and lets nothing leave once its leases are not safe.

use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::{FleetOrderId, MissionId, MysisId, Seq, Timestamp};
use actors::domain::message::{Row, RowBody, RowKind};
use actors::domain::order::{CompletedAction, CompletedOrder, MysisOrder, Order};
use actors::domain::record::Mission;
use actors::domain::rules::RelaunchPolicy;
use actors::domain::state::LifeState;
use actors::fleet::FleetMsg;
use actors::ports::{
    Archive, FleetNeighbours, FleetOrder, FleetOrders, FleetStep, MysisPlace, OrderOutcome,
    PageFrom, PageQuery, ProcessSign, PublishedStatus,
};

use crate::world::{World, dead};

/// The Myses that were let go, in their order.
fn let_go(world: &World) -> Vec<MysisId> {
    let told = world.fleet.told.lock().unwrap();
    told.iter()
        .flat_map(|report| report.let_go.clone())
        .collect()
}

fn arrived(world: &World) -> Vec<MysisId> {
    let told = world.fleet.told.lock().unwrap();
    told.iter()
        .flat_map(|report| report.arrived.clone())
        .collect()
}

fn finds(world: &World, step: FleetStep) {
    *world.fleet.next.lock().unwrap() = step;
}

/// The Myses that run here.
async fn names(world: &World) -> Vec<String> {
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
    let told = world.told_since(0);
    assert_eq!(told.iter().filter(|told| *told == "lease_lost").count(), 2);
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
    let left = |world: &World| {
        let executed = world.game.executed.lock().unwrap().len();
        (
            world.times_asked("alpha"),
            world.times_asked("bravo"),
            executed,
        )
    };
    let before = left(&world);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(left(&world), before);
    let lapses = |world: &World| {
        let told = world.told_since(0);
        told.iter().filter(|told| *told == "leases_lapsed").count()
    };
    assert_eq!(lapses(&world), 1, "told once");
    world.fleet.is_away.store(false, Ordering::SeqCst);
    world
        .until("both go on", |world| {
            left(world).0 > before.0 && left(world).1 > before.1
        })
        .await;
    assert!(world.told_since(0).contains(&"leases_renewed".to_string()));
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
    let told = world.told_since(0);
    let lapses = told.iter().filter(|told| *told == "limits_lapsed").count();
    assert_eq!(lapses, 1, "told once");
    world.fleet.are_limits_away.store(false, Ordering::SeqCst);
    world
        .until("both go on", |world| {
            asked(world).0 > before.0 && asked(world).1 > before.1
        })
        .await;
    assert!(world.told_since(0).contains(&"limits_renewed".to_string()));
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
    *world.fleet.mission.lock().unwrap() = Some(mission.clone());
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
    *world.fleet.mission.lock().unwrap() = None;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(world.handle.mission().await, None);
}

/// Another process, `box-2`, and what it tells.
fn neighbour(is_alive: bool, found: FleetNeighbours) -> FleetStep {
    let sign = |name: &str, is_here: bool| ProcessSign {
        owner: format!("owner of {name}").into(),
        name: name.into(),
        is_alive: is_alive || is_here,
        is_here,
    };
    FleetStep {
        neighbours: Some(Box::new(FleetNeighbours {
            processes: vec![sign("box", true), sign("box-2", false)],
            ..found
        })),
        ..FleetStep::default()
    }
}

/// Each Mysis that runs elsewhere: its name, its process and its activity.
async fn elsewhere(world: &World) -> Vec<String> {
    let statuses = world.handle.statuses().await;
    let told = statuses.iter().filter_map(|status| {
        let place = status.elsewhere.as_ref()?;
        Some(format!(
            "{} in {}: {}",
            status.name, place.process, status.activity
        ))
    });
    told.collect()
}

#[tokio::test(start_paused = true)]
async fn myses_of_other_processes_are_shown_as_those_tell_of_them() {
    let world = World::of_a_fleet().await;
    let alpha = world.handle.statuses().await[0].clone();
    let published = |id: i64, name: &str, activity: Activity| PublishedStatus {
        owner: "owner of box-2".into(),
        status: std::sync::Arc::new(MysisStatus {
            id: MysisId(id),
            name: name.into(),
            state: LifeState::Running,
            activity,
            ..(*alpha).clone()
        }),
    };
    let statuses = vec![
        published(901, "xray", Activity::Mining),
        published(902, "yankee", Activity::Travelling),
        // What it told of a Mysis that came here since is out of date.
        published(alpha.id.0, "alpha", Activity::Mining),
    ];
    let told = || FleetNeighbours {
        statuses: statuses.clone(),
        read_to: 3,
        ..FleetNeighbours::default()
    };
    finds(&world, neighbour(true, told()));
    let known = |world: &World| world.fleet.told.lock().unwrap().last().cloned().unwrap();
    world
        .until("both are known", |world| known(world).known == 4)
        .await;
    assert_eq!(known(&world).read_to, 3);
    let seen = ["xray in box-2: mining", "yankee in box-2: travelling"];
    assert_eq!(elsewhere(&world).await, seen);
    assert_eq!(names(&world).await, ["alpha", "bravo"]);
    assert_eq!(world.handle.process_name().await.as_deref(), Some("box"));
    // Its own statuses are told to the others, as long as there are any.
    let all = || world.fleet.told.lock().unwrap().clone();
    let own: Vec<MysisId> = all()
        .iter()
        .flat_map(|of| of.statuses.clone())
        .map(|of| of.id)
        .collect();
    assert!(
        own.contains(&alpha.id) && !own.contains(&MysisId(901)),
        "{own:?}"
    );

    // What it is ordered is given to the other process, and answered as that one answers.
    let handle = world.handle.clone();
    let order = MysisOrder::Prompt("Come home.".into()).for_mysis("xray");
    let answer = tokio::spawn(async move { handle.order(order).await });
    world
        .until("the order is given", |world| !known(world).given.is_empty())
        .await;
    let given = known(&world).given[0].clone();
    assert_eq!(
        (given.mysis, given.source),
        (MysisId(901), OrderSource::Control)
    );
    world
        .until("its answer is waited for", |world| {
            known(world).awaited == [given.id]
        })
        .await;
    let outcomes = vec![OrderOutcome::Answered(given.id, "{\"stored\":7}".into())];
    finds(
        &world,
        with_orders(FleetOrders {
            outcomes,
            ..FleetOrders::default()
        }),
    );
    assert_eq!(answer.await.unwrap(), Ok(CompletedOrder::Stored(Seq(7))));
    world
        .until("it is settled", |world| {
            let told = world.fleet.told.lock().unwrap();
            told.iter().any(|report| report.settled == [given.id])
        })
        .await;
    // Another one gets no answer in time, and is stored all the same.
    let order = MysisOrder::Stop.for_mysis("yankee");
    let passed = world.handle.order(order).await;
    assert_eq!(passed, Ok(CompletedOrder::Passed("box-2".into())));

    // The other process ends, and then one of its Myses is deleted.
    finds(&world, neighbour(false, FleetNeighbours::default()));
    let seen = |name: &str| {
        format!(
            "{name} in box-2: paused: its process box-2 is gone; another one takes the Mysis over"
        )
    };
    let gone = [seen("xray"), seen("yankee")];
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(elsewhere(&world).await, gone);
    let place = |mysis: MysisId| MysisPlace { mysis, owner: None };
    let places = Some(vec![place(alpha.id), place(MysisId(902))]);
    let left = FleetNeighbours {
        places,
        ..FleetNeighbours::default()
    };
    finds(&world, neighbour(false, left));
    world
        .until("one is gone", |world| known(world).known == 3)
        .await;
    assert_eq!(elsewhere(&world).await, gone[1..]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_the_fleet_is_answered_once_all_its_myses_are_known() {
    let world = World::of_a_fleet().await;
    world.commander.kill();
    dead(&world.commander.get_cell()).await;
    // The next process cannot look at the database at first.
    world.fleet.is_away.store(true, Ordering::SeqCst);
    let world = World::after(world.into_rest(), RelaunchPolicy::Transient).await;
    let alpha = world.handle.statuses().await[0].clone();
    let handle = world.handle.clone();
    let gathered = tokio::spawn(async move { handle.gathered().await });
    let place = |mysis: i64| MysisPlace {
        mysis: MysisId(mysis),
        owner: Some("owner of box-2".into()),
    };
    let xray = PublishedStatus {
        owner: "owner of box-2".into(),
        status: std::sync::Arc::new(MysisStatus {
            id: MysisId(901),
            name: "xray".into(),
            ..(*alpha).clone()
        }),
    };
    // Another one is there, of which nobody has told yet.
    let some = FleetNeighbours {
        statuses: vec![xray],
        places: Some(vec![place(901), place(902)]),
        ..FleetNeighbours::default()
    };
    finds(&world, neighbour(true, some));
    assert!(!gathered.is_finished());
    world.fleet.is_away.store(false, Ordering::SeqCst);
    while elsewhere(&world).await.is_empty() {
        // Shorter than the time between two steps.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(!gathered.is_finished());
    let all = FleetNeighbours {
        places: Some(vec![place(alpha.id.0), place(901)]),
        ..FleetNeighbours::default()
    };
    finds(&world, neighbour(true, all));
    gathered.await.expect("it is answered");
    // From then on nobody waits.
    world.handle.gathered().await;
}

fn with_orders(orders: FleetOrders) -> FleetStep {
    FleetStep {
        orders,
        ..FleetStep::default()
    }
}

/// An order that another process gave for a Mysis here.
fn passed(id: i64, mysis: MysisId, content: &str) -> FleetOrder {
    FleetOrder {
        id: FleetOrderId(id),
        mysis,
        source: OrderSource::Terminal,
        content: content.into(),
    }
}

/// The answers to such orders.
fn answers(world: &World) -> Vec<(FleetOrderId, std::sync::Arc<str>)> {
    let told = world.fleet.told.lock().unwrap();
    told.iter()
        .flat_map(|report| report.answers.clone())
        .collect()
}

/// A fleet's process whose Myses are in their turns and leave at their ends, and the first of them.
async fn handing_over() -> (World, MysisId) {
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

#[tokio::test(start_paused = true)]
async fn a_mysis_that_is_handed_over_carries_out_orders_of_other_processes_until_it_leaves() {
    let (world, alpha) = handing_over().await;
    let open = vec![passed(1, alpha, "{\"order\":\"stop\"}")];
    finds(
        &world,
        with_orders(FleetOrders {
            open,
            ..FleetOrders::default()
        }),
    );
    world
        .until("it is answered", |world| !answers(world).is_empty())
        .await;
    let said = answers(&world);
    assert!(said[0].1.contains("stopped"), "{said:?}");
}

/// Deletes a Mysis.
async fn delete(world: &World, name: &str) {
    let name = name.to_string();
    let deleted = world.order(Order::Delete { name }).await;
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
    let shut_out = world.ledger.shut_out.lock().unwrap().clone();
    assert_eq!(shut_out, [(alpha, lived.next())]);
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

#[tokio::test(start_paused = true)]
async fn an_answer_outlives_the_actor_that_was_to_store_it() {
    let world = World::of_a_fleet().await;
    let alpha = world.handle.statuses().await[0].id;
    let open = vec![passed(1, alpha, "{\"order\":\"dance\"}")];
    let found = with_orders(FleetOrders {
        open,
        ..FleetOrders::default()
    });
    // The database is away before the answer comes, and the actor that holds it dies.
    world.fleet.goes_away.store(true, Ordering::SeqCst);
    finds(&world, found);
    world
        .until("it is read", |world| {
            world.fleet.is_away.load(Ordering::SeqCst)
        })
        .await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(answers(&world).is_empty());
    for actor in world.commander.get_children() {
        if actor.is_message_type_of::<FleetMsg>() == Some(true) {
            actor.kill();
        }
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    world.fleet.is_away.store(false, Ordering::SeqCst);
    world
        .until("it is answered", |world| !answers(world).is_empty())
        .await;
}

#[tokio::test(start_paused = true)]
async fn an_order_of_another_process_is_carried_out_once_however_often_it_is_read() {
    let world = World::of_a_fleet().await;
    let alpha = world.handle.statuses().await[0].clone();
    let open = vec![
        passed(
            1,
            alpha.id,
            "{\"order\":\"message\",\"text\":\"Come home.\"}",
        ),
        passed(2, alpha.id, "{\"order\":\"dance\"}"),
    ];
    let told = |open: &[FleetOrder]| {
        with_orders(FleetOrders {
            open: open.to_vec(),
            ..FleetOrders::default()
        })
    };
    let answers = |world: &World| {
        let answers: std::collections::BTreeMap<_, _> = answers(world).into_iter().collect();
        answers
    };
    finds(&world, told(&open));
    world
        .until("both are answered", |world| answers(world).len() == 2)
        .await;
    let said = answers(&world);
    assert!(said[&FleetOrderId(1)].contains("stored"), "{said:?}");
    assert!(said[&FleetOrderId(2)].contains("does not know"), "{said:?}");
    let page = PageQuery {
        mysis: alpha.id,
        from: PageFrom::Newest,
        limit: 100,
        kinds: vec![RowKind::Prompt],
    };
    let rows = world.memory.page(page).await.unwrap();
    let is_told = |row: &&std::sync::Arc<Row>| matches!(&row.body, RowBody::Prompt { text } if text.contains("Come home."));
    assert_eq!(rows.iter().filter(is_told).count(), 1);
}
