//! Actors that die at a bad moment: while they start, or while they wait for their relaunch.

use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::order::{CompletedAction, CompletedOrder, MysisOrder, Order, OrderRefusal};
use actors::domain::record::{GameAccount, PoolAccount, ProfileChange};
use actors::domain::rules::{RelaunchPolicy, SupervisionRules};
use actors::domain::state::LifeState;
use tokio::time::Instant;

use crate::outside::Trap;
use crate::world::{Child, World, dead};

/// Kills alpha. Its rows cannot be read from now on, so its next actor receives no order.
async fn kill_unreadable_alpha(world: &World) {
    world.ledger.is_readable.send_replace(false);
    let first = world.alpha();
    first.kill();
    dead(&first).await;
    world
        .until("another actor", |world| {
            world.children(Child::Mysis).len() == 2
        })
        .await;
}

/// A Mysis that was told to start died before it had read its rows. It is not idle, whatever its
/// last status said.
#[tokio::test(start_paused = true)]
async fn one_that_dies_just_after_it_was_told_to_start_is_started_again() {
    let world = World::new(RelaunchPolicy::Transient).await;
    let name = "alpha".to_string();
    world
        .order(MysisOrder::Stop.for_mysis(name.clone()))
        .await
        .unwrap();
    let mark = world.mark();
    kill_unreadable_alpha(&world).await;
    // An idle Mysis stays idle.
    assert_eq!(world.status("alpha").await.state, LifeState::Stopped);
    assert!(world.sent_since(mark).is_empty());
    let handle = world.handle.clone();
    let started =
        tokio::spawn(async move { handle.order(MysisOrder::Start.for_mysis(name)).await });
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    // Alpha's second actor is the youngest.
    let young = world.children(Child::Mysis).pop().unwrap();
    young.kill();
    dead(&young).await;
    // The sender of the order gets an answer.
    assert!(started.await.unwrap().is_err());
    world.ledger.is_readable.send_replace(true);
    world.until_it_is("alpha", LifeState::Running).await;
    let notices = [
        "alpha stopped -> errored",
        "alpha crashed",
        "alpha errored -> running",
    ];
    assert_eq!(world.sent_since(mark), notices);
}

/// An actor that dies again before its relaunch is due is still relaunched.
#[tokio::test(start_paused = true)]
async fn one_that_dies_again_while_it_waits_to_come_back_comes_back() {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.get_busy().await;
    let mark = world.mark();
    world.alpha().kill();
    world.until_it_is("alpha", LifeState::Errored).await;
    let young = world.children(Child::Mysis).pop().unwrap();
    young.kill();
    dead(&young).await;
    world.until_it_is("alpha", LifeState::Running).await;
    world.release();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let notices = world.sent_since(mark);
    let back = notices
        .iter()
        .filter(|text| *text == "alpha errored -> running");
    assert_eq!(back.count(), 1, "{notices:?}");
    world.check_that_nothing_is_lost().await;
}

/// A Mysis that was not told to run does not run after its actor died.
#[tokio::test(start_paused = true)]
async fn one_that_dies_idle_comes_back_idle_and_still_takes_orders() {
    let mut world = World::new(RelaunchPolicy::Always).await;
    let (mark, before) = (world.mark(), world.incarnations());
    let first = world.alpha();
    first.kill();
    dead(&first).await;
    world
        .until("alpha's word", |world| {
            world
                .sent_since(mark)
                .contains(&"alpha crashed".to_string())
        })
        .await;
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert_eq!(world.sent_since(mark), ["alpha crashed"]);
    assert_eq!(world.incarnations()["alpha"], before["alpha"] + 1);
    let status = world.status("alpha").await;
    assert_eq!((status.state, &status.fault), (LifeState::Idle, &None));
    world.send("alpha", "mine").await.unwrap();
    world.until_it_is("alpha", LifeState::Running).await;
    world
        .until("the order is seen", |world| world.is_shown("mine"))
        .await;
    world.check_that_nothing_is_lost().await;
}

/// Reading its history may be what kills it, and each life that reads costs a commit.
#[tokio::test(start_paused = true)]
async fn one_that_dies_at_rest_again_and_again_comes_back_ever_later_and_still_takes_orders() {
    let world = World::new(RelaunchPolicy::Always).await;
    let stop = MysisOrder::Stop.for_mysis("alpha");
    world.order(stop).await.unwrap();
    let lives = |world: &World| world.incarnations()["alpha"];
    let (begun, mark, first) = (Instant::now(), world.mark(), lives(&world));
    let (mut actor, mut killed) = (world.alpha(), 0);
    while begun.elapsed() < Duration::from_secs(60) {
        // Each dies once it has begun to read.
        if lives(&world) == first + killed {
            actor.kill();
            dead(&actor).await;
            killed += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
            // Alpha's newest actor is the youngest.
            actor = world.children(Child::Mysis).pop().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!((4..=8).contains(&killed), "{killed} lives");
    let crashes = |world: &World| {
        let told = world.sent_since(mark);
        i64::try_from(told.iter().filter(|code| *code == "crashed").count()).unwrap()
    };
    assert_eq!(crashes(&world), killed - 1, "told from the second on");
    let asked = Instant::now();
    let change = ProfileChange::of(None, Some("larger".into()), None);
    let change = MysisOrder::Configure(change).for_mysis("alpha");
    world.order(change).await.unwrap();
    assert!(asked.elapsed() > Duration::from_secs(1), "the order waits");
    assert_eq!(world.status("alpha").await.state, LifeState::Stopped);
    // After a healthy stretch it comes back at once.
    tokio::time::sleep(SupervisionRules::default().within).await;
    let before = lives(&world);
    actor.kill();
    dead(&actor).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(lives(&world), before + 1);
    assert_eq!(crashes(&world), killed - 1);
}

/// It got an order that makes it run, and died before it could report that it runs.
#[tokio::test(start_paused = true)]
async fn one_that_dies_just_after_an_order_woke_it_runs() {
    let world = World::new(RelaunchPolicy::Transient).await;
    kill_unreadable_alpha(&world).await;
    let handle = world.handle.clone();
    let order = MysisOrder::Prompt("mine".into()).for_mysis("alpha");
    let sent = tokio::spawn(async move { handle.order(order).await });
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let young = world.children(Child::Mysis).pop().unwrap();
    young.kill();
    dead(&young).await;
    assert!(sent.await.unwrap().is_err());
    world.ledger.is_readable.send_replace(true);
    world.until_it_is("alpha", LifeState::Running).await;
}

/// A provider that is away stays away for the next gate. The gate neither admits all callers at
/// once nor shows an outage for ever.
#[tokio::test(start_paused = true)]
async fn a_gate_that_takes_over_knows_who_is_away() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.is_away.send_replace(true);
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    world
        .until("an open circuit", |world| {
            world.sent_since(0).contains(&"circuit_open".to_string())
        })
        .await;
    let before = world.outages().await;
    assert_eq!(before.0.len(), 1, "{before:?}");
    let mark = world.mark();
    let gate = world.children(Child::Gate).pop().unwrap();
    gate.kill();
    dead(&gate).await;
    let asked = world.times_asked("alpha") + world.times_asked("bravo");
    let waits = 10;
    tokio::time::sleep(std::time::Duration::from_secs(4 * waits)).await;
    let tries = world.times_asked("alpha") + world.times_asked("bravo") - asked;
    assert!(
        (waits as usize / 2..=waits as usize + 2).contains(&tries),
        "{tries} tries"
    );
    let now = world.outages().await;
    assert_eq!(now.0.len(), 1, "{now:?}");
    assert_eq!(now.0[0].since, before.0[0].since);
    let notices = world.sent_since(mark);
    assert!(
        !notices.contains(&"circuit_open".to_string()),
        "{notices:?}"
    );
    world.models.is_away.send_replace(false);
    world
        .until("a closed circuit", |world| {
            world
                .sent_since(mark)
                .contains(&"circuit_closed".to_string())
        })
        .await;
    assert!(world.outages().await.0.is_empty());
}

/// The next gate reads the spending, even if that fails at first. A gate that believed nothing to
/// be spent would let the day's budget be spent again.
#[tokio::test(start_paused = true)]
async fn a_gate_that_takes_over_knows_what_was_spent() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.start("alpha").await;
    world
        .until("ten answers", |world| world.times_asked("alpha") > 10)
        .await;
    world.models.held.send_replace(vec!["alpha"]);
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    let before = world.spending().await;
    assert!(before.swarm.calls >= 10, "{before:?}");
    world.traps.set(Trap::Spending);
    let gate = world.children(Child::Gate).pop().unwrap();
    gate.kill();
    dead(&gate).await;
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    assert!(world.traps.are_all_sprung());
    assert_eq!(world.spending().await.swarm, before.swarm);
}

/// A listener that panics at every event is given up, and the operator is told.
#[tokio::test(start_paused = true)]
async fn a_listener_that_panics_at_each_event_is_given_up_and_told_of() {
    let world = World::new(RelaunchPolicy::Transient).await;
    (0..5).for_each(|_| world.traps.set(Trap::Listener));
    world.start("alpha").await;
    dead(&world.listener.watcher()).await;
    world
        .until("word of it", |world| {
            world.sent_since(0).contains(&"listener_lost".to_string())
        })
        .await;
}

/// The store gives out an account although the Mysis that asked is stopped meanwhile. Its status
/// shows the account at once, and not only after the next start.
#[tokio::test(start_paused = true)]
async fn who_is_stopped_while_it_is_given_an_account_shows_it() {
    let world = World::with_accounts().await;
    let account = GameAccount {
        username: "miner".into(),
        password: "sesame-sesame".into(),
    };
    let pooled = PoolAccount {
        account,
        owner: None,
    };
    world
        .order(Order::PoolAccounts(vec![pooled]))
        .await
        .unwrap();
    world.models.tool.send_replace("register");
    world.start("alpha").await;
    world
        .until("a claim", |world| {
            world.ledger.claimed.load(Ordering::SeqCst) == 1
        })
        .await;
    let name = "alpha".to_string();
    let stop = tokio::spawn({
        let handle = world.handle.clone();
        async move { handle.order(MysisOrder::Stop.for_mysis(name)).await }
    });
    world.until_it_is("alpha", LifeState::Stopped).await;
    assert_eq!(world.status("alpha").await.account, None);
    world.ledger.claims.send_replace(1);
    stop.await.unwrap().unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    let status = world.status("alpha").await;
    assert_eq!(status.account.as_deref(), Some("miner"));
    assert_eq!(status.state, LifeState::Stopped);
}

/// Actors that died together do not all come back at the same moment, and none comes back early.
#[tokio::test(start_paused = true)]
async fn who_comes_back_waits_twice_as_long_each_time_and_up_to_a_tenth_more() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.start("alpha").await;
    let mut wait = SupervisionRules::default().first_wait;
    let mut more = Duration::ZERO;
    let mut actor = world.alpha();
    for _ in 0..4 {
        actor.kill();
        dead(&actor).await;
        let died = Instant::now();
        world.until_it_is("alpha", LifeState::Errored).await;
        world.until_it_is("alpha", LifeState::Running).await;
        let took = died.elapsed();
        // The check runs every 10 ms, so it may see the relaunch that much later.
        let most = wait.mul_f64(1.1) + Duration::from_millis(50);
        assert!(
            took >= wait && took <= most,
            "{took:?}, {wait:?} and a tenth"
        );
        more += took - wait;
        wait *= 2;
        // Alpha's newest actor is the youngest.
        actor = world.children(Child::Mysis).pop().unwrap();
    }
    assert!(more > Duration::from_millis(200), "{more:?} in all");
}

/// The Mysis owns its profile: each order changes a part of what it says of itself, and its next life, which
/// cannot read its past yet, says the same.
#[tokio::test(start_paused = true)]
async fn a_change_of_the_profile_survives_the_next_one_and_the_next_life() {
    let world = World::new(RelaunchPolicy::Transient).await;
    let change = |model: Option<&str>, temperature| Order::ForMysis {
        name: "alpha".to_string(),
        order: MysisOrder::Configure(ProfileChange::of(None, model.map(Into::into), temperature)),
    };
    world.order(change(Some("larger"), None)).await.unwrap();
    world.order(change(None, Some(0.5))).await.unwrap();
    let profile = world.status("alpha").await.profile.clone();
    assert_eq!(profile.model.as_deref(), Some("larger"));
    assert_eq!(profile.temperature, Some(0.5));
    kill_unreadable_alpha(&world).await;
    assert_eq!(world.status("alpha").await.profile, profile);
    world.ledger.is_readable.send_replace(true);
    world.start("alpha").await;
    assert_eq!(world.status("alpha").await.profile, profile);
}

/// A server that is away is tried every few seconds. After a repair, the operator does not have to
/// wait for the next trial.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_tried_at_once_when_the_operator_says_so() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.is_away.send_replace(true);
    world.start("alpha").await;
    world
        .until("an open circuit", |world| {
            world.sent_since(0).contains(&"circuit_open".to_string())
        })
        .await;
    // Alpha waits at the gate, and the next try is seconds away.
    let begun = Instant::now();
    let asked = world.times_asked("alpha");
    world
        .until("the next try", |world| world.times_asked("alpha") > asked)
        .await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(begun.elapsed() < Duration::from_secs(30));
    let (mark, asked) = (world.mark(), world.times_asked("alpha"));
    let since = world.outages().await.0[0].since;
    for _ in 0..2 {
        // A failed trial does not change the outage.
        let retry = MysisOrder::Retry.for_mysis("alpha");
        let done = CompletedOrder::Done(CompletedAction::Retried);
        assert_eq!(world.order(retry).await, Ok(done));
        tokio::time::sleep(Duration::from_millis(1200)).await;
        assert_eq!(world.outages().await.0[0].since, since);
    }
    assert_eq!(world.times_asked("alpha"), asked + 2);
    world.models.is_away.send_replace(false);
    let retry = MysisOrder::Retry.for_mysis("alpha");
    world.order(retry.clone()).await.unwrap();
    let mended = Instant::now();
    world
        .until("a closed circuit", |world| {
            world
                .sent_since(mark)
                .contains(&"circuit_closed".to_string())
        })
        .await;
    // Without the order, the next trial is due 4 s after the last one.
    let took = mended.elapsed();
    assert!(took < Duration::from_millis(2500), "{took:?}");
    // It does not wait for a server that is away.
    world.models.held.send_replace(vec!["alpha"]);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let refused = Err(OrderRefusal::NothingToRetry);
    assert_eq!(world.order(retry).await, refused);
}

/// The order replaces the relaunch that is due later. A Mysis that dies while it handles the order
/// still counts as running.
#[tokio::test(start_paused = true)]
async fn one_that_waits_for_its_relaunch_comes_back_at_once_and_only_once() {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    world.get_busy().await;
    let mark = world.mark();
    for _ in 0..4 {
        // Each wait is twice as long as the one before.
        let actor = world.children(Child::Mysis).into_iter();
        actor.for_each(|actor| actor.kill());
        world.until_it_is("alpha", LifeState::Errored).await;
        world.until_it_is("alpha", LifeState::Running).await;
    }
    let actors = world.children(Child::Mysis).into_iter();
    actors.for_each(|actor| actor.kill());
    world.until_it_is("alpha", LifeState::Errored).await;
    let begun = Instant::now();
    let retry = MysisOrder::Retry.for_mysis("alpha");
    world.order(retry).await.unwrap();
    assert_eq!(world.status("alpha").await.state, LifeState::Running);
    assert!(begun.elapsed() < Duration::from_secs(1));
    world.release();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let notices = world.sent_since(mark);
    let back = notices
        .iter()
        .filter(|text| *text == "alpha errored -> running");
    assert_eq!(back.count(), 5, "{notices:?}");
    world.check_that_nothing_is_lost().await;
}

/// An errored Mysis got the order to retry, and died before it reported that it runs.
#[tokio::test(start_paused = true)]
async fn one_that_dies_just_after_it_was_told_to_try_again_is_started_again() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.start("alpha").await;
    world.ledger.is_readable.send_replace(false);
    let first = world.alpha();
    first.kill();
    dead(&first).await;
    world.until_it_is("alpha", LifeState::Errored).await;
    let handle = world.handle.clone();
    let retry = MysisOrder::Retry.for_mysis("alpha");
    let retried = tokio::spawn(async move { handle.order(retry).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let young = world.children(Child::Mysis).pop().unwrap();
    young.kill();
    dead(&young).await;
    assert_eq!(retried.await.unwrap(), Err(OrderRefusal::Interrupted));
    world.ledger.is_readable.send_replace(true);
    world.until_it_is("alpha", LifeState::Running).await;
}
