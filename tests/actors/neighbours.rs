//! The Myses of other processes of a fleet, as those tell of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::{MysisId, Seq};
use actors::domain::order::{CompletedOrder, MysisOrder};
use actors::domain::rules::RelaunchPolicy;
use actors::domain::state::LifeState;
use actors::ports::{
    FleetNeighbours, FleetOrders, FleetStep, MysisPlace, OrderOutcome, ProcessSign, PublishedStatus,
};

use crate::fleet::{finds, names};
use crate::passing::with_orders;
use crate::world::{World, dead};

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
    let reports = statuses.iter().filter_map(|status| {
        let place = status.elsewhere.as_ref()?;
        Some(format!(
            "{} in {}: {}",
            status.name, place.process, status.activity
        ))
    });
    reports.collect()
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
    let reports = || FleetNeighbours {
        statuses: statuses.clone(),
        read_to: 3,
        ..FleetNeighbours::default()
    };
    finds(&world, neighbour(true, reports()));
    let known = |world: &World| world.fleet.reports.lock().last().cloned().unwrap();
    world
        .until("both are known", |world| known(world).known == 4)
        .await;
    assert_eq!(known(&world).read_to, 3);
    let seen = ["xray in box-2: mining", "yankee in box-2: travelling"];
    assert_eq!(elsewhere(&world).await, seen);
    assert_eq!(names(&world).await, ["alpha", "bravo"]);
    assert_eq!(world.handle.process_name().await.as_deref(), Some("box"));
    // Its own statuses are told to the others, as long as there are any.
    let all = || world.fleet.reports.lock().clone();
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
        (MysisId(901), Some(OrderSource::Control))
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
            let reports = world.fleet.reports.lock();
            reports.iter().any(|report| report.settled == [given.id])
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
    let gathered = tokio::spawn(async move { handle.fleet_known().await });
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
    world.handle.fleet_known().await;
}

#[tokio::test(start_paused = true)]
async fn a_step_that_read_a_part_is_followed_by_the_next_one_at_once() {
    let world = World::of_a_fleet().await;
    let alpha = world.handle.statuses().await[0].clone();
    let part = FleetNeighbours {
        statuses: vec![PublishedStatus {
            owner: "owner of box-2".into(),
            status: std::sync::Arc::new(MysisStatus {
                id: MysisId(901),
                name: "xray".into(),
                ..(*alpha).clone()
            }),
        }],
        read_to: 7,
        has_more: true,
        ..FleetNeighbours::default()
    };
    finds(&world, neighbour(true, part));
    while elsewhere(&world).await.is_empty() {
        // Shorter than the time between two steps.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let read_to = world.fleet.reports.lock().last().map(|of| of.read_to);
    assert_eq!(read_to, Some(7));
}
