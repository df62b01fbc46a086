//! Those who die at a bad moment of their life: while they are started, or while they wait to come
//! back.

use actors::domain::event::State;
use actors::domain::order::Order;
use actors::domain::rules::Relaunch;

use crate::outside::Trap;
use crate::world::{Child, World, dead};

/// It was told to start, and had not read its past when it died: it is not at rest, whatever it last
/// said of itself.
#[tokio::test(start_paused = true)]
async fn one_that_dies_just_after_it_was_told_to_start_is_started_again() {
    let world = World::new(Relaunch::Transient).await;
    let name = "alpha".to_string();
    world
        .order(Order::Stop { name: name.clone() })
        .await
        .unwrap();
    let mark = world.mark();
    // Its past cannot be read: it hears no order before it can.
    world.ledger.is_readable.send_replace(false);
    let first = world.alpha();
    first.kill();
    dead(&first).await;
    world
        .until("another actor", |world| {
            world.children(Child::Mysis).len() == 2
        })
        .await;
    // One at rest stays at rest.
    assert_eq!(world.standing("alpha").await.state, State::Stopped);
    assert!(world.told_since(mark).is_empty());
    let helm = world.helm.clone();
    let started = tokio::spawn(async move { helm.order(Order::Start { name }).await });
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    // Alpha's second actor is the youngest.
    let young = world.children(Child::Mysis).pop().unwrap();
    young.kill();
    dead(&young).await;
    // Whoever gave the order is not left waiting.
    assert!(started.await.unwrap().is_err());
    world.ledger.is_readable.send_replace(true);
    world.until_it_is("alpha", State::Running).await;
    let told = [
        "alpha stopped -> errored",
        "alpha crashed",
        "alpha errored -> running",
    ];
    assert_eq!(world.told_since(mark), told);
}

/// It died, and dies again before the wait until its relaunch is over: the relaunch stands.
#[tokio::test(start_paused = true)]
async fn one_that_dies_again_while_it_waits_to_come_back_comes_back() {
    let mut world = World::new(Relaunch::Transient).await;
    world.get_busy().await;
    let mark = world.mark();
    world.alpha().kill();
    world.until_it_is("alpha", State::Errored).await;
    let young = world.children(Child::Mysis).pop().unwrap();
    young.kill();
    dead(&young).await;
    world.until_it_is("alpha", State::Running).await;
    world.release();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let told = world.told_since(mark);
    let back = told
        .iter()
        .filter(|text| *text == "alpha errored -> running");
    assert_eq!(back.count(), 1, "{told:?}");
    world.check_that_nothing_is_lost().await;
}

/// The gate that follows takes up the books, also where they cannot be read at once: one that
/// believed nothing to be spent would let everybody spend the day's budget again.
#[tokio::test(start_paused = true)]
async fn a_gate_that_takes_over_knows_what_was_spent() {
    let world = World::new(Relaunch::Transient).await;
    world.start("alpha").await;
    world
        .until("ten answers", |world| world.times_asked("alpha") > 10)
        .await;
    world.models.held.send_replace(vec!["alpha"]);
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    let before = world.spending().await;
    assert!(before.swarm.calls >= 10, "{before:?}");
    world.traps.set(Trap::Books);
    let gate = world.children(Child::Gate).pop().unwrap();
    gate.kill();
    dead(&gate).await;
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    assert!(world.traps.are_all_sprung());
    assert_eq!(world.spending().await.swarm, before.swarm);
}

/// A listener that cannot hear anything any more is given up, and that is told.
#[tokio::test(start_paused = true)]
async fn a_listener_that_panics_at_each_event_is_given_up_and_told_of() {
    let world = World::new(Relaunch::Transient).await;
    (0..5).for_each(|_| world.traps.set(Trap::Ear));
    world.start("alpha").await;
    dead(&world.listener.watcher()).await;
    world
        .until("word of it", |world| {
            world.told_since(0).contains(&"listener_lost".to_string())
        })
        .await;
}
