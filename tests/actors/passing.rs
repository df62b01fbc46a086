//! Orders that other processes of a fleet gave: each is carried out once, also while its Mysis leaves.

use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::event_record::OrderSource;
use actors::domain::ids::{FleetOrderId, MysisId};
use actors::domain::message::{Row, RowBody, RowKind};
use actors::fleet::FleetMsg;
use actors::ports::{Archive, FleetOrder, FleetOrders, FleetStep, PageFrom, PageQuery};

use crate::fleet::{finds, handing_over};
use crate::world::World;

pub(crate) fn with_orders(orders: FleetOrders) -> FleetStep {
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
        source: Some(OrderSource::Terminal),
        content: content.into(),
    }
}

fn answers(world: &World) -> Vec<(FleetOrderId, std::sync::Arc<str>)> {
    let reports = world.fleet.reports.lock();
    reports
        .iter()
        .flat_map(|report| report.answers.clone())
        .collect()
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
    let reports = |open: &[FleetOrder]| {
        with_orders(FleetOrders {
            open: open.to_vec(),
            ..FleetOrders::default()
        })
    };
    let answers = |world: &World| {
        let answers: std::collections::BTreeMap<_, _> = answers(world).into_iter().collect();
        answers
    };
    finds(&world, reports(&open));
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
    let is_delivered = |row: &&std::sync::Arc<Row>| matches!(&row.body, RowBody::Prompt { text } if text.contains("Come home."));
    assert_eq!(rows.iter().filter(is_delivered).count(), 1);
}
