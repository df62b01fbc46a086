//! A turn that may not call the model yet, and the charges of answers.

use super::*;
use crate::budget::BudgetRules;
use crate::event::Activity;
use crate::model::{AnswerProgress, ReportedUse};

const WHY: &str = "budget spent, resumes 00:00 UTC";

fn hold(scene: &mut Scene, until: i64) {
    let work = scene.asked().work;
    scene.handle(LifeInput::Held {
        work,
        why: WHY.into(),
        until: Timestamp(until),
    });
}

#[test]
fn out_of_budget_a_mysis_runs_on_says_so_once_and_goes_on_by_itself() {
    let mut scene = Scene::new();
    scene.prompt("go");
    hold(&mut scene, 100_000);
    let status = scene.life.status();
    assert_eq!(status.state, LifeState::Running);
    assert_eq!(status.activity, Activity::Paused(WHY.into()));
    assert_eq!(status.activity_until, Some(Timestamp(100_000)));
    assert_eq!(scene.host_codes(), ["budget_spent"]);
    assert_eq!(scene.wait(), Duration::from_secs(60), "a clock may jump");
    scene.ring();
    assert_eq!(scene.asks().len(), 1, "it is too early");
    scene.now = 100_000;
    scene.ring();
    assert_eq!(scene.asks().len(), 2);
    hold(&mut scene, 100_000);
    assert_eq!(scene.host_codes(), ["budget_spent"], "reported once");
    scene.now = 200_000;
    scene.ring();
    scene.say("done");
    assert_eq!(scene.life.status().totals.turns, 1);
}

#[test]
fn a_wall_clock_that_is_set_holds_nobody_longer_than_the_day_took() {
    for shift in [-60_000, -3_600_000, -20 * 365 * 86_400_000] {
        let mut scene = Scene::new();
        scene.prompt("go");
        hold(&mut scene, 8_000_000);
        scene.ahead = shift;
        let mut rings = 0;
        while scene.asks().len() < 2 {
            scene.now += 60_000;
            scene.ring();
            rings += 1;
            assert!(rings <= 134, "held on and on after {shift} ms");
        }
    }
}

#[test]
fn more_budget_ends_the_pause_at_once_and_other_rules_do_not() {
    let mut scene = Scene::new();
    scene.prompt("go");
    hold(&mut scene, 100_000);
    let change = |scene: &mut Scene, rules: SwarmRules| {
        scene.reload(rules);
    };
    let mut other = rules();
    other.turn_pause = Duration::from_secs(9);
    change(&mut scene, other);
    assert_eq!(scene.asks().len(), 1);
    let mut more = rules();
    more.budget = BudgetRules {
        swarm: crate::budget::BudgetLimits {
            tokens: Some(5),
            cost_micros: None,
        },
        ..BudgetRules::default()
    };
    change(&mut scene, more);
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn stop_ends_a_pause_and_its_alarm_wakes_nobody() {
    let mut scene = Scene::new();
    scene.prompt("go");
    hold(&mut scene, 100_000);
    let alarm = scene.alarm();
    scene.order(MysisOrder::Stop);
    assert_eq!(scene.life.state(), LifeState::Stopped);
    scene.now = 200_000;
    scene.handle(LifeInput::Rang { alarm });
    assert_eq!(scene.asks().len(), 1);
}

fn answer(input: u64) -> ModelAnswer {
    ModelAnswer {
        text: "done".to_string(),
        usage: Some(TokenUsage {
            input,
            output: 10,
            cached: 0,
        }),
        ..ModelAnswer::default()
    }
}

#[test]
fn an_answer_that_comes_too_late_is_dropped_and_still_paid_for() {
    let mut scene = Scene::new();
    scene.prompt("go");
    let work = scene.asked().work;
    scene.order(MysisOrder::Stop);
    scene.replied(work, "local", Ok(answer(90)), OthersGet::Nobody);
    assert_eq!(scene.host_codes(), ["late_answer"]);
    let totals = scene.life.status().totals;
    assert_eq!((totals.tokens_in, totals.tokens_out), (90, 10));
    assert_eq!(totals.cost_micros, 110);
    let bill = scene.rows().last().and_then(|row| row.charge()).unwrap();
    assert_eq!((bill.usage.input, bill.cost_micros), (90, Some(110)));
}

#[test]
fn what_is_paid_after_a_stop_is_in_the_samples_at_once() {
    let mut scene = Scene::new();
    scene.prompt("go");
    let work = scene.asked().work;
    scene.order(MysisOrder::Stop);
    for count in 1..3 {
        scene.replied(work, "local", Ok(answer(90)), OthersGet::Nobody);
        let writes = scene.writes();
        let stored = writes.iter().rev().find_map(|write| {
            if let Write::Samples { hour, .. } = write {
                Some(hour)
            } else {
                None
            }
        });
        let sum = stored.unwrap().sum().unwrap().unwrap();
        assert_eq!(sum.flow.tokens_in, count * 90);
    }
}

#[test]
fn a_cost_that_the_server_states_outranks_the_price_unless_nothing_is_paid() {
    let stated = |cost| ModelAnswer {
        stated_cost: Some(cost),
        ..answer(90)
    };
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.reply(stated(4711));
    let bill = scene
        .rows()
        .iter()
        .filter_map(|row| row.charge())
        .next_back();
    assert_eq!(bill.unwrap().cost_micros, Some(4711));
    assert_eq!(scene.life.status().totals.cost_micros, 4711);
    let mut rules = rules();
    let mut local = rules.providers["local"].clone();
    for (price, cost, expected) in [
        (None, 4711, Some(4711)),
        (None, 0, None),
        (None, u64::MAX, None),
        (Some(0.0), 4711, Some(0)),
        (Some(1.0), 0, Some(110)),
    ] {
        local.price = price.map(|price| TokenPrice {
            input: price,
            output: 2.0 * price,
            cached: None,
        });
        rules.providers.insert("local".into(), local.clone());
        let reported = ReportedUse::of_answer(&stated(cost));
        let bill = rules.call_charge(&"local".into(), "big", reported);
        assert_eq!(bill.unwrap().cost_micros, expected, "{price:?} {cost}");
    }
}

#[test]
fn who_answers_in_anothers_place_is_named_and_has_its_own_price() {
    let mut past = past();
    let mut rules = rules();
    let local = rules.providers["local"].clone();
    let other = ProviderRules {
        model: "big".into(),
        price: None,
        fallback: Some("local".into()),
        ..local.clone()
    };
    rules.providers.insert("other".into(), other);
    rules.providers.get_mut("local").unwrap().fallback = Some("other".into());
    past.rules = Arc::new(rules);
    let mut scene = Scene::of(past);
    scene.prompt("go");
    let routes = &scene.asked().routes;
    let routes: Vec<(&str, &str)> = routes
        .iter()
        .map(|route| (&*route.provider, &*route.model))
        .collect();
    assert_eq!(routes, [("local", "m"), ("other", "big")]);
    let work = scene.asked().work;
    scene.replied(work, "other", Ok(answer(90)), OthersGet::Nobody);
    let rows = scene.rows();
    let said = rows.iter().find_map(|row| row.utterance()).unwrap();
    assert_eq!((&*said.meta.provider, &*said.meta.model), ("other", "big"));
    assert_eq!(said.meta.cost_micros, None);
    assert_eq!(scene.life.status().totals.cost_micros, 0);
}

#[test]
fn while_an_answer_comes_the_time_shown_is_that_of_the_whole_call_and_late_pieces_change_nothing() {
    let mut scene = Scene::new();
    scene.prompt("go");
    let work = scene.asked().work;
    let grows = |scene: &mut Scene, words, thoughts| {
        let activity = Activity::Answering(AnswerProgress { words, thoughts });
        scene.handle(LifeInput::Progressed { work, activity });
        let status = scene.life.status();
        (status.activity.to_string(), status.activity_since)
    };
    let asked_at = scene.life.status().activity_since;
    scene.now += 4_000;
    assert_eq!(
        grows(&mut scene, 0, 3_456),
        ("thinking, 3.4 KB".to_string(), asked_at)
    );
    scene.now += 4_000;
    assert_eq!(
        grows(&mut scene, 120_999, 3_456),
        ("answering, 120 KB".to_string(), asked_at)
    );
    assert_eq!(scene.life.status().last_activity_at, Timestamp(scene.now));
    scene.say("done");
    let after = scene.life.status();
    assert_eq!(grows(&mut scene, 130_000, 0).0, after.activity.to_string());
}

#[test]
fn a_clock_that_is_set_to_another_day_is_a_reason_to_ask_at_once() {
    // The end of the pause is at most a day away.
    for (left, is_asked) in [
        (86_400_000, false),
        (86_400_001, true),
        (10 * 86_400_000, true),
    ] {
        let mut scene = Scene::new();
        scene.prompt("go");
        hold(&mut scene, 8_000_000);
        scene.ahead = 8_000_000 - left - (scene.now + 1);
        scene.ring();
        assert_eq!(scene.asks().len() == 2, is_asked, "{left} ms");
    }
}

#[test]
fn an_alarm_of_an_earlier_pause_wakes_nobody_in_a_later_one() {
    let mut scene = Scene::new();
    scene.prompt("go");
    hold(&mut scene, 100_000);
    let earlier = scene.alarm();
    scene.ring();
    let (asks, alarms) = (scene.asks().len(), scene.alarm());
    assert_ne!(alarms, earlier, "it sleeps on");
    scene.now = 200_000;
    scene.handle(LifeInput::Rang { alarm: earlier });
    assert_eq!((scene.asks().len(), scene.alarm()), (asks, alarms));
    scene.ring();
    assert_eq!(scene.asks().len(), asks + 1);
}
