//! The lights of the servers say what calls under way say, and an alarm tells where no call ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderMsg;
use actors::domain::event::{Activity, EventKind, SwarmCondition};
use actors::domain::ids::Lane;
use actors::domain::needs::{NeedBook, operator_need};
use actors::domain::order::{MysisOrder, Order};
use actors::domain::outages::{Light, ServerOutage};
use actors::domain::rules::{ProviderRules, RelaunchPolicy, SwarmRules};
use actors::domain::standing::StandingKind;
use tokio::time::Instant;

use crate::outside::IN_USE;
use crate::world::{World, rules};

const SECOND: Duration = Duration::from_secs(1);

/// What is known of the server behind a lane.
async fn known(world: &World, lane: Lane) -> Option<ServerOutage> {
    world.outages().await.worst_of(&lane).cloned()
}

async fn light(world: &World, lane: Lane) -> Light {
    let known = known(world, lane).await;
    known.map_or(Light::Green, |it| it.stage.light())
}

fn model() -> Lane {
    Lane::Provider("local".into())
}

async fn moves(world: &World) -> Option<String> {
    let standing = world.handle.standing().await;
    let lasting = standing.get(StandingKind::NothingMoves);
    lasting.map(|it| it.text.to_string())
}

/// Both play for a while.
async fn in_play() -> World {
    let world = World::new(RelaunchPolicy::Transient).await;
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    world
        .until("ten calls of the model", |world| {
            world.times_asked("alpha") > 12 && world.times_asked("bravo") > 12
        })
        .await;
    world
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_is_amber_after_what_calls_take_and_then_nothing_moves() {
    let world = in_play().await;
    let mark = world.mark();
    world.models.held.send_replace(vec!["alpha", "bravo"]);
    tokio::time::sleep(14 * SECOND).await;
    assert_eq!(light(&world, model()).await, Light::Green);
    tokio::time::sleep(8 * SECOND).await;
    let late = known(&world, model()).await.expect("it is late");
    assert_eq!(late.stage.light(), Light::Amber);
    assert!(
        late.text.contains("no sign of life from `"),
        "{}",
        late.text
    );
    assert_eq!(light(&world, Lane::Game).await, Light::Green);
    assert_eq!(moves(&world).await, None);
    tokio::time::sleep(30 * SECOND).await;
    let text = moves(&world).await.expect("a text");
    let expected = "the swarm makes no progress, no call returns: alpha waits for `alpha` of provider local; bravo \
                    waits for `bravo` of provider local";
    assert!(text.starts_with(expected), "{text}");
    world.release();
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(light(&world, model()).await, Light::Green);
    assert_eq!(moves(&world).await, None);
    let notices = world.sent_since(mark);
    let count = |code: &str| notices.iter().filter(|notices| **notices == code).count();
    assert_eq!((count("nothing_moves"), count("moves_again")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn before_ten_calls_are_known_a_model_may_take_a_minute() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.held.send_replace(vec!["alpha", "bravo"]);
    world.start("alpha").await;
    tokio::time::sleep(58 * SECOND).await;
    assert_eq!(light(&world, model()).await, Light::Green);
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(light(&world, model()).await, Light::Amber);
    assert!(moves(&world).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_hangs_is_amber_though_the_model_answers() {
    let world = in_play().await;
    world.game.is_held.send_replace(true);
    tokio::time::sleep(40 * SECOND).await;
    assert_eq!(light(&world, Lane::Game).await, Light::Amber);
    assert_eq!(light(&world, model()).await, Light::Green);
    let text = moves(&world).await.expect("a text");
    assert!(text.contains("for `mine` of the tool server"), "{text}");
    world.release();
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(light(&world, Lane::Game).await, Light::Green);
}

#[tokio::test(start_paused = true)]
async fn a_mysis_that_alone_gets_no_session_is_a_need_of_its_own_with_the_reason() {
    let world = World::new(RelaunchPolicy::Transient).await;
    let turned_away = |name| world.game.turned_away.send_replace(name);
    turned_away(Some(world.id("bravo")));
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    tokio::time::sleep(10 * SECOND).await;
    let (mark, played) = (world.mark(), world.calls());
    tokio::time::sleep(120 * SECOND).await;
    assert!(world.calls() > played, "alpha plays");
    for event in world.events_since(mark) {
        if let EventKind::Condition(SwarmCondition::Outages(outages)) = &event.what {
            assert_eq!(outages.with_light(Light::Red).next(), None);
        }
    }
    let notices = world.sent_since(0);
    assert!(!notices.contains(&"game_away".to_string()), "{notices:?}");
    let bravo = world.status("bravo").await;
    let waits = Activity::CoolingDown(Lane::Game, IN_USE.into());
    assert_eq!(bravo.activity, waits);
    let need = operator_need(&bravo).expect("a need");
    assert_eq!(need.what, "no tools");
    assert!(need.why.ends_with(IN_USE), "{}", need.why);
    // It waits no longer than for a trial, and `retry` ends also that.
    turned_away(None);
    let retry = MysisOrder::Retry.for_mysis("bravo");
    world.order(retry).await.unwrap();
    tokio::time::sleep(SECOND / 10).await;
    let bravo = world.status("bravo").await;
    assert_eq!(operator_need(&bravo), None);
}

#[tokio::test(start_paused = true)]
async fn nothing_moves_either_where_calls_are_due_and_none_is_open() {
    let world = in_play().await;
    // The store answers nothing, and refuses nothing.
    world.ledger.holds_marks.send_replace(true);
    tokio::time::sleep(28 * SECOND).await;
    assert_eq!(moves(&world).await, None);
    tokio::time::sleep(25 * SECOND).await;
    let text = moves(&world).await.expect("a text");
    let expected = "the swarm makes no progress, no call returns: alpha, bravo wait for the store";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(world.outages().await.0, [], "no server is to blame");
    world.ledger.holds_marks.send_replace(false);
    tokio::time::sleep(20 * SECOND).await;
    assert_eq!(moves(&world).await, None);
}

#[tokio::test(start_paused = true)]
async fn who_waits_longer_each_time_after_words_alone_is_not_due() {
    let world = in_play().await;
    let mission = Order::Broadcast {
        text: "Mine ore and sell it.".to_string(),
    };
    world.order(mission).await.unwrap();
    world.models.tool.send_replace("");
    let mut longest = Duration::ZERO;
    let (mut asked, mut since) = (0, Instant::now());
    for _ in 0..40 {
        tokio::time::sleep(30 * SECOND).await;
        assert_eq!(moves(&world).await, None);
        assert_eq!(world.outages().await.0, []);
        let now = world.times_asked("alpha") + world.times_asked("bravo");
        if now != asked {
            (asked, since) = (now, Instant::now());
        }
        longest = longest.max(since.elapsed());
    }
    assert!(longest > 120 * SECOND, "nothing was asked for {longest:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_is_red_at_once_and_away_since_then() {
    let world = in_play().await;
    world.models.is_away.send_replace(true);
    let begun = Instant::now();
    while light(&world, model()).await != Light::Red {
        assert!(begun.elapsed() < 15 * SECOND);
        tokio::time::sleep(SECOND / 10).await;
    }
    let first = known(&world, model()).await.expect("it is away").since;
    tokio::time::sleep(120 * SECOND).await;
    let away = known(&world, model()).await.expect("it is away");
    assert_eq!(away.since, first, "it counts from the first failure");
    assert!(
        world.outages().await.of(&model()).is_some(),
        "by now its circuit is open"
    );
    world.models.is_away.send_replace(false);
    let back = Instant::now();
    while light(&world, model()).await != Light::Green {
        assert!(back.elapsed() < 10 * SECOND);
        tokio::time::sleep(SECOND / 10).await;
    }
}

/// The two of them with a fallback of their provider, which is away.
async fn with_fallback() -> World {
    let world = World::new(RelaunchPolicy::Transient).await;
    let local = ProviderRules {
        fallback: Some("spare".into()),
        ..ProviderRules::default()
    };
    let spare = ProviderRules {
        model: "spare".into(),
        ..ProviderRules::default()
    };
    let rules = SwarmRules {
        providers: BTreeMap::from([("local".into(), local), ("spare".into(), spare)]),
        ..rules(RelaunchPolicy::Transient)
    };
    let changed = CommanderMsg::RulesChanged(Arc::new(rules));
    world.commander.cast(changed).unwrap();
    world.models.is_away.send_replace(true);
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    world
        .until("calls of the fallback", |world| {
            world.times_asked("spare") > 20
        })
        .await;
    world
}

#[tokio::test(start_paused = true)]
async fn while_a_fallback_serves_all_nobody_waits_for_the_server_that_is_away() {
    let world = with_fallback().await;
    let (mark, asked) = (world.mark(), world.times_asked("alpha"));
    let mut book = NeedBook::default();
    for event in world.events_since(0) {
        book.on_event(&event);
    }
    tokio::time::sleep(300 * SECOND).await;
    assert!(world.outages().await.of(&model()).is_some());
    assert!(world.times_asked("alpha") > asked, "it is tried meanwhile");
    for event in world.events_since(mark) {
        if let EventKind::StatusChanged(status) = &event.what {
            assert_ne!(status.activity.awaited_lane(), Some(&model()), "{status:?}");
        }
        if book.on_event(&event) {
            assert_eq!(book.list(event.at), []);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_hour_with_a_slow_model_and_long_trips_is_green_and_without_a_need() {
    let world = World::new(RelaunchPolicy::Transient).await;
    world.models.takes.send_replace(40 * SECOND);
    for name in ["alpha", "bravo"] {
        world.start(name).await;
    }
    let trips = ["travel", "mine", "travel"];
    for (turn, tool) in (0..60).zip(trips.iter().cycle()) {
        world.models.tool.send_replace(tool);
        tokio::time::sleep(60 * SECOND).await;
        if turn == 30 {
            // One who waits for nothing.
            let stop = MysisOrder::Stop.for_mysis("bravo");
            world.order(stop).await.unwrap();
        }
    }
    let calls = world.times_asked("alpha");
    assert!(calls > 4, "it played: {calls}");
    for event in world.events_since(0) {
        if let EventKind::Condition(SwarmCondition::Outages(outages)) = &event.what {
            assert_eq!(outages.0, [], "at {}", event.at);
        }
        if let EventKind::Condition(SwarmCondition::Standing(standing)) = &event.what {
            assert_eq!(standing.count(), 0, "at {}", event.at);
        }
        if let EventKind::StatusChanged(status) = &event.what {
            assert_eq!(operator_need(status), None, "at {}", event.at);
        }
    }
}
