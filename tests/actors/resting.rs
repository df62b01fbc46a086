//! A Mysis that waits: it has its conversation only in the store after a while, and goes on when its timer
//! runs out, whatever else it waits for.

use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::ids::Timestamp;
use actors::domain::order::MysisOrder;
use actors::domain::rules::RelaunchPolicy;
use actors::domain::state::LifeState;

use crate::outside::Trap;
use crate::world::{World, dead};

const WHILE: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn one_that_rested_reads_its_conversation_before_it_takes_an_order_and_goes_on_with_it() {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.send("alpha", "look for the blue rock").await.unwrap();
    let asked = |world: &World| world.times_asked("alpha");
    world.until("a turn", |world| asked(world) > 1).await;
    let stop = || MysisOrder::Stop.for_mysis("alpha");
    world.order(stop()).await.unwrap();
    world.until_it_is("alpha", LifeState::Stopped).await;
    tokio::time::sleep(WHILE).await;
    // An order is not taken before the conversation is there again.
    world.ledger.is_readable.send_replace(false);
    let start = MysisOrder::Start.for_mysis("alpha");
    let handle = world.handle.clone();
    let answer = tokio::spawn(async move { handle.order(start).await });
    tokio::time::sleep(WHILE).await;
    assert!(!answer.is_finished());
    world.models.asked.lock().clear();
    world.ledger.is_readable.send_replace(true);
    answer.await.unwrap().unwrap();
    world.send("alpha", "and bring it").await.unwrap();
    // The next requests have all of it.
    let is_shown = |world: &World| world.is_shown("and bring it");
    world.until("a question", is_shown).await;
    assert!(world.is_shown("look for the blue rock"));
    world.order(stop()).await.unwrap();
    world.check_that_nothing_is_lost().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_rests_while_its_model_thinks_takes_the_answer_and_goes_on() {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.models.held.send_replace(vec!["bravo"]);
    world.send("bravo", "look for the blue rock").await.unwrap();
    let asked = |world: &World| world.times_asked("bravo");
    world.until("a question", |world| asked(world) == 1).await;
    tokio::time::sleep(Duration::from_secs(45)).await;
    world.ledger.is_readable.send_replace(false);
    world.models.held.send_replace(Vec::new());
    tokio::time::sleep(WHILE).await;
    assert_eq!(asked(&world), 1, "the answer waits for the conversation");
    world.ledger.is_readable.send_replace(true);
    world.until("a call", |world| asked(world) > 1).await;
    let results = world.results("bravo").await;
    assert!(!results.is_empty());
    world.check_that_nothing_is_lost().await;
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_cannot_be_read_is_told_of_once_and_read_when_it_can_be() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.start("alpha").await;
    let asked = |world: &World| world.times_asked("alpha");
    world.until("a turn", |world| asked(world) > 1).await;
    let mark = world.mark();
    world.traps.set(Trap::History);
    world.ledger.fails_to_read.store(true, Ordering::SeqCst);
    let actor = world.alpha();
    actor.kill();
    dead(&actor).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(world.traps.are_all_sprung());
    let told = world.sent_since(mark);
    let told = told.iter().filter(|code| *code == "store_trouble");
    assert_eq!(told.count(), 1);
    let before = asked(&world);
    world.ledger.fails_to_read.store(false, Ordering::SeqCst);
    world
        .until("it goes on", |world| asked(world) > before)
        .await;
}

#[tokio::test(start_paused = true)]
async fn turns_go_on_however_many_other_timers_are_set_meanwhile() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.start("alpha").await;
    let hour = |count: i64| Timestamp(1_000_000_000_000_000 - count * 3_600_000);
    // Each is due before the one before it, so that each sets a timer, at another moment of a turn.
    for count in 0..40 {
        let remind = MysisOrder::Remind {
            at: hour(count),
            reminder: "later".into(),
        };
        world.order(remind.for_mysis("alpha")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(137)).await;
    }
    let before = world.times_asked("alpha");
    let goes_on = |world: &World| world.times_asked("alpha") > before + 5;
    world.until("more turns", goes_on).await;
}
