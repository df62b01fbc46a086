//! Value: a Mysis that costs more than it brings is parked, and no other.

use super::*;
use crate::rules::ValueRules;

const HOUR_MS: i64 = 3_600_000;

/// A Mysis with these rules whose model calls cost 120 dollars for a million turns.
fn watched(park_below: Option<u64>, change: impl FnOnce(&mut SwarmRules)) -> Scene {
    let mut rules = SwarmRules {
        value: ValueRules {
            park_below,
            ..ValueRules::default()
        },
        ..rules()
    };
    rules.progress.is_on = false;
    change(&mut rules);
    let mut scene = Scene::under(rules);
    scene.order(MysisOrder::Mission(mission("mine")));
    scene
}

/// Lets it take turns for some hours, four in each, in each of which it earns so much. Returns the
/// number of turns that it took.
fn play(scene: &mut Scene, hours: i64, credits: &mut i64, earned: i64) -> i64 {
    for turn in 0..hours * 4 {
        if scene.life.state() != LifeState::Running {
            return turn;
        }
        scene.now += HOUR_MS / 4;
        *credits += earned;
        scene.want(&[("get_status", "{}")]);
        scene.leave();
        scene.give_back(&format!(r#"{{"player":{{"credits":{credits}}}}}"#));
        scene.say("mined");
        if scene.life.state() == LifeState::Running {
            scene.ring();
        }
    }
    hours * 4
}

#[test]
fn one_that_costs_more_than_it_brings_is_parked_until_the_operator_sends_something() {
    // A turn costs 120 millionths of a dollar.
    let mut scene = watched(Some(10_000), |_| {});
    let mut credits = 500;
    assert_eq!(
        play(&mut scene, 5, &mut credits, 1),
        20,
        "not within its window"
    );
    assert_eq!(
        play(&mut scene, 5, &mut credits, 1),
        4,
        "but when it is over"
    );
    let reason = scene.life.status().reason.unwrap();
    assert!(
        reason.starts_with("parked: it earned 23 credits for 0.00 US dollars in 6 h: "),
        "{reason}"
    );
    assert!(scene.life.status().is_parked());
    assert_eq!(scene.host_codes().last(), Some(&"parked".to_string()));
    scene.prompt("go on");
    assert_eq!(scene.life.state(), LifeState::Running);
    scene.say("yes");
    scene.ring();
    assert_eq!(
        play(&mut scene, 5, &mut credits, 1),
        20,
        "its window begins anew"
    );
    assert!(
        play(&mut scene, 5, &mut credits, 1) <= 8,
        "and it is parked again"
    );
}

#[test]
fn one_that_earns_enough_or_of_which_too_little_is_known_plays_on() {
    let unpriced = |rules: &mut SwarmRules| {
        let local = rules.providers.get_mut("local").unwrap();
        local.price = None;
    };
    let mut credits = 0;
    let mut unknown_price = watched(Some(10_000), unpriced);
    assert_eq!(play(&mut unknown_price, 20, &mut credits, 0), 80);
    let mut earns = watched(Some(10_000), |_| {});
    assert_eq!(play(&mut earns, 20, &mut credits, 2), 80);
    let mut nobody_asks = watched(None, |_| {});
    assert_eq!(play(&mut nobody_asks, 20, &mut credits, 0), 80);
    let mut tells_nothing = watched(Some(10_000), |_| {});
    for _ in 0..80 {
        tells_nothing.now += HOUR_MS / 4;
        tells_nothing.say("hm");
        tells_nothing.ring();
    }
    assert_eq!(tells_nothing.life.state(), LifeState::Running);
}

#[test]
fn one_that_was_told_to_wait_may() {
    let mut scene = watched(Some(10_000), |_| {});
    let order = "Guard the station.\n[no gain expected]";
    scene.order(MysisOrder::Mission(mission(order)));
    assert_eq!(play(&mut scene, 20, &mut 0, 0), 80);
}
