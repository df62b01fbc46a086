//! Tests of what counts as a gain, answer by answer.

use std::slice::from_ref;

use serde_json::json;

use crate::game::{GameReading, GameRef};
use crate::progress::outcome::{Gains, Outcomes, format_millis};

fn reading_of(text: &str) -> GameReading<'_> {
    GameReading::of(GameRef::SpaceMolt, text)
}

/// The gains of the last of these answers: any, lasting, and credits. Queries are `get_status`,
/// actions are `act`.
fn brought(answers: &[(bool, serde_json::Value)]) -> (bool, bool, i64) {
    let mut outcomes = Outcomes::default();
    let mut last = Gains::default();
    for (is_look, answer) in answers {
        last = match is_look {
            true => outcomes.read_result("get_status", true, &reading_of(&answer.to_string())),
            false => outcomes.read_result("act", false, &reading_of(&answer.to_string())),
        };
    }
    (last.any, last.lasting, last.net)
}

const NOTHING: (bool, bool, i64) = (false, false, 0);
const SOME: (bool, bool, i64) = (true, false, 0);
const LASTING: (bool, bool, i64) = (true, true, 0);

#[test]
fn a_figure_that_rises_is_a_gain_and_the_first_one_seen_is_none() {
    let player = |key: &str, figure: i64| match key {
        "credits" => json!({"player": {"credits": figure}}),
        "explored" => json!({"player": {"stats": {"systems_explored": figure}}}),
        "skill" => json!({"skills": {"mining": {"level": figure}, "trade": {"level": 1}}}),
        "its skill" => json!({"player": {"skills": {"mining": figure, "trade": 1}}}),
        "hold" => json!({"cargo": [], "capacity": 50, "used": figure}),
        _ => json!({"ship": {"cargo_used": figure}}),
    };
    for (key, gain) in [
        ("credits", SOME),
        ("explored", LASTING),
        ("skill", LASTING),
        ("its skill", LASTING),
        ("hold", SOME),
        ("cargo", SOME),
    ] {
        for (figures, expected) in [
            (vec![5], NOTHING),
            (vec![5, 5], NOTHING),
            (vec![5, 4], NOTHING),
            (vec![5, 6], gain),
            // What never falls was only told in another form.
            (vec![5, 4, 5], if gain == LASTING { NOTHING } else { gain }),
            (vec![5, 4, 6], gain),
        ] {
            let looks = figures.iter().map(|figure| (true, player(key, *figure)));
            let looks: Vec<_> = looks.collect();
            assert_eq!(brought(&looks), expected, "{key} {figures:?}");
        }
    }
    let half = [
        (true, json!({"cargo": [], "used": 1})),
        (true, json!({"cargo": [], "used": 2})),
    ];
    assert_eq!(brought(&half), NOTHING, "no hold has no capacity");
}

#[test]
fn an_action_says_what_it_earned_cost_and_brought() {
    for (answer, expected) in [
        (json!({"total_earned": 5}), (true, false, 5)),
        (json!({"credits_earned": 5, "cost": 2}), (true, false, 3)),
        (json!({"total_earned": 0}), NOTHING),
        (json!({"total_cost": 4}), (false, false, -4)),
        (
            json!({"listing_fee": 4, "total_escrowed": 3}),
            (false, false, -7),
        ),
        (json!({"resource_id": "ore", "quantity": 1}), LASTING),
        (json!({"output_id": "steel", "quantity": 2}), LASTING),
        (json!({"resource_id": "ore", "quantity": 0}), NOTHING),
        (json!({"resource_id": "ore"}), NOTHING),
        (json!({"quantity": 3}), NOTHING),
        (json!({"level_up": true}), LASTING),
        (json!({"level_up": false}), NOTHING),
    ] {
        let done = brought(&[(false, answer.clone())]);
        assert_eq!(done, expected, "{answer}");
        let looked = brought(&[(true, answer.clone())]);
        assert_eq!(looked, NOTHING, "to look brings nothing: {answer}");
    }
}

#[test]
fn cargo_is_a_gain_unless_money_went_out_since_it_last_came_in() {
    let hold = |used: i64| (true, json!({"ship": {"cargo_used": used}}));
    let buys = (false, json!({"total_cost": 1}));
    let sells = (false, json!({"total_earned": 1}));
    let acts = (false, json!({"total_cost": 0, "total_earned": 0}));
    for (deeds, expected) in [
        (vec![], SOME),
        (vec![acts.clone()], SOME),
        (vec![buys.clone()], NOTHING),
        (vec![buys.clone(), acts.clone()], NOTHING),
        (vec![sells.clone()], SOME),
        (vec![buys.clone(), sells.clone()], SOME),
        (vec![sells, buys], NOTHING),
    ] {
        let answers = [vec![hold(1)], deeds.clone(), vec![hold(2)]].concat();
        assert_eq!(brought(&answers), expected, "{deeds:?}");
    }
}

#[test]
fn another_ship_and_other_modules_are_a_gain() {
    let ship = |class: &str, module: &str| {
        (
            true,
            json!({"ship": {"class_id": class, "modules": [module]}}),
        )
    };
    for (first, second, expected) in [
        (ship("a", "m"), ship("a", "m"), NOTHING),
        (ship("a", "m"), ship("b", "m"), LASTING),
        (ship("a", "m"), ship("a", "n"), LASTING),
        (ship("a", "m"), (true, json!({"ship": {}})), NOTHING),
    ] {
        let seen = [first, second];
        assert_eq!(brought(&seen[..1]), NOTHING, "the first one is none");
        assert_eq!(brought(&seen), expected, "{seen:?}");
    }
}

#[test]
fn a_mission_that_goes_on_is_a_gain_and_one_that_is_offered_is_none() {
    let mission = |id: &str, percent: i64| json!({"mission_id": id, "percent_complete": percent});
    let look = |missions: &[serde_json::Value]| (true, json!({"missions": missions}));
    let (ten, twenty) = (mission("m", 10), mission("m", 20));
    let (other, offered) = (mission("n", 10), json!({"mission_id": "o"}));
    for (first, second, expected) in [
        (look(from_ref(&ten)), look(from_ref(&ten)), NOTHING),
        (look(from_ref(&ten)), look(&[twenty]), LASTING),
        (look(from_ref(&ten)), look(&[ten.clone(), other]), LASTING),
        (
            look(from_ref(&ten)),
            look(&[ten.clone(), offered.clone()]),
            NOTHING,
        ),
        (look(from_ref(&ten)), look(&[]), NOTHING),
        (look(from_ref(&ten)), look(&[offered]), NOTHING),
    ] {
        let seen = [first, second];
        assert_eq!(brought(&seen[..1]), NOTHING, "the first look is none");
        assert_eq!(brought(&seen), expected, "{seen:?}");
    }
}

#[test]
fn what_counts_down_by_itself_is_a_gain_as_long_as_it_does() {
    let job = |left: i64| (true, json!({"jobs": [{"runs_remaining": left}]}));
    let none = (true, json!({"jobs": []}));
    assert_eq!(brought(&[job(5)]), NOTHING);
    assert_eq!(brought(&[job(5), job(5)]), NOTHING);
    assert_eq!(brought(&[job(5), job(4)]), LASTING);
    assert_eq!(brought(&[job(5), none, job(4)]), NOTHING, "another one");
    // The value counts near the top of an answer, and not deep in a list.
    let trip = |left: i64| (true, json!({"ticks_remaining": left}));
    assert_eq!(brought(&[trip(5), trip(4)]), LASTING);
    let within = |left: i64| (true, json!({"a": {"b": {"runs_done": left}}}));
    assert_eq!(brought(&[within(5), within(4)]), LASTING);
    let deep = |left: i64| (true, json!({"a": {"b": {"c": {"runs_done": left}}}}));
    assert_eq!(brought(&[deep(5), deep(4)]), NOTHING);
    for (place, expected) in [(7, LASTING), (8, NOTHING)] {
        let list = |left: i64| {
            let mut jobs = vec![json!({}); place];
            jobs.push(json!({"jobs_remaining": left}));
            (true, json!({"jobs": jobs}))
        };
        assert_eq!(brought(&[list(5), list(4)]), expected, "at {place}");
    }
    let deed = |left: i64| (false, json!({"ticks_remaining": left}));
    assert_eq!(brought(&[deed(5), deed(4)]), NOTHING, "a deed is no look");
}

#[test]
fn a_new_place_is_a_gain_once_three_are_known() {
    let arrived = |poi: &str| (false, json!({"poi_id": poi, "system_id": "sol"}));
    assert_eq!(brought(&[arrived("a")]), NOTHING);
    assert_eq!(brought(&[arrived("a"), arrived("b")]), NOTHING);
    assert_eq!(
        brought(&[arrived("a"), arrived("b"), arrived("c")]),
        LASTING
    );
    assert_eq!(
        brought(&[arrived("a"), arrived("b"), arrived("a")]),
        NOTHING
    );
    assert_eq!(brought(&[arrived("a"), arrived("b"), arrived("")]), NOTHING);
    let (_, offered) = arrived("c");
    assert_eq!(
        brought(&[arrived("a"), arrived("b"), (true, offered)]),
        NOTHING
    );
    let at = |poi: &str, base: &str| {
        let player = json!({"current_system": "sol", "current_poi": poi, "docked_at_base": base});
        (true, json!({"player": player}))
    };
    assert_eq!(brought(&[at("a", "x"), at("b", "x")]), LASTING);
    assert_eq!(brought(&[at("a", "x"), at("a", "y")]), LASTING);
    assert_eq!(brought(&[at("a", "x"), at("a", "")]), NOTHING);
}

#[test]
fn places_and_answers_are_remembered_up_to_a_number_and_the_oldest_are_forgotten() {
    let mut outcomes = Outcomes::default();
    let mut arrive = |place: u32| {
        let answer = json!({"poi_id": format!("p{place}")}).to_string();
        outcomes.read_result("travel", false, &reading_of(&answer))
    };
    for place in 0..48 {
        arrive(place);
    }
    assert!(!arrive(0).lasting, "48 are known");
    assert!(arrive(48).lasting);
    assert!(!arrive(1).lasting, "the second one is known still");
    assert!(arrive(0).lasting, "the first one is forgotten");

    let mut outcomes = Outcomes::default();
    let mut is_new = |answer: u32| {
        outcomes
            .read_result("look", true, &reading_of(&answer.to_string()))
            .is_novel
    };
    assert!((0..48).all(&mut is_new));
    assert!(!is_new(0) && is_new(48) && !is_new(1) && is_new(0));
    assert!(
        outcomes
            .read_result("listen", true, &reading_of("1"))
            .is_novel,
        "of another tool"
    );
}

#[test]
fn an_answer_in_no_known_form_is_not_judged() {
    let long = |bytes: usize| {
        let frame = r#"{"a":""}"#.len();
        format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes - frame))
    };
    for (tool, text, readable) in [
        ("look", "{}", Some(true)),
        ("look", "[tick 5]\n {\"a\":1}\n", Some(true)),
        ("look", "You see a wall.", Some(false)),
        ("look", "[1, 2]", Some(false)),
        ("zoea_read_result", "{}", None),
        ("look", &long(64 << 10), Some(true)),
        ("look", &long((64 << 10) + 1), None),
    ] {
        let gains = Outcomes::default().read_result(tool, true, &reading_of(text));
        assert_eq!(gains.is_readable, readable, "{tool} {}", text.len());
        assert!(!gains.any && gains.is_novel);
    }
}

#[test]
fn a_server_is_known_by_credits_by_cargo_or_by_a_place() {
    assert!(!Outcomes::default().is_known());
    for answer in [
        json!({"player": {"credits": 0}}),
        json!({"ship": {"cargo_used": 0}}),
        json!({"player": {"current_poi": "belt"}}),
    ] {
        let mut outcomes = Outcomes::default();
        outcomes.read_result("get_status", true, &reading_of(&answer.to_string()));
        assert!(outcomes.is_known(), "{answer}");
    }
    let mut outcomes = Outcomes::default();
    outcomes.read_result(
        "get_skills",
        true,
        &reading_of(r#"{"skills":{"mining":1}}"#),
    );
    assert!(!outcomes.is_known());
}

#[test]
fn what_is_unchanged_is_said_in_words() {
    let mut outcomes = Outcomes::default();
    assert_eq!(outcomes.describe_figures(), Vec::<String>::new());
    let place = "p".repeat(61);
    let answer = json!({
        "player": {"credits": 48207, "current_poi": place, "skills": {"mining": 2, "trade": 3}},
        "ship": {"cargo_used": 7},
        "missions": [{"mission_id": "m", "percent_complete": 1}],
    });
    outcomes.read_result("get_status", true, &reading_of(&answer.to_string()));
    let last_at = format!("last at {}", &place[..60]);
    let reports = [
        "credits 48,207",
        "cargo 7",
        "skill levels 5",
        "missions as they were",
        &last_at,
    ];
    assert_eq!(outcomes.describe_figures(), reports);
    outcomes.read_result(
        "get_status",
        true,
        &reading_of(r#"{"player":{"credits":-5}}"#),
    );
    assert_eq!(
        outcomes.describe_figures()[0],
        "credits 48,207",
        "an amount that no wallet has is not believed"
    );
}

#[test]
fn times_are_written_as_people_write_them() {
    for (seconds, text) in [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7199, "119 min"),
        (7200, "2 h"),
        (90_000, "25 h"),
    ] {
        assert_eq!(format_millis(seconds * 1000 + 999), text);
    }
}

/// The texts of the captured results of an action of the second interface.
fn captured(action: &str) -> Vec<String> {
    let all: serde_json::Value = serde_json::from_str(zoea_spacemolt::CAPTURED_RESULTS).unwrap();
    let examples = all["examples"].as_array().unwrap();
    let of_it = examples
        .iter()
        .filter(|example| example["arguments"]["action"] == action);
    let texts = of_it.flat_map(|example| {
        let whole = example["result"]["content"][0]["text"].as_str();
        let short = example["texts"].as_array().into_iter().flatten();
        whole
            .into_iter()
            .chain(short.filter_map(|text| text.as_str()))
    });
    texts.map(str::to_string).collect()
}

#[test]
fn the_second_interfaces_texts_tell_the_same_outcomes() {
    let mut outcomes = Outcomes::default();
    let [docked, at_a_belt] = [0, 1].map(|place| captured("get_status")[place].clone());
    let first = outcomes.read_result("get_status", true, &reading_of(&docked));
    assert_eq!((first.any, first.is_readable), (false, Some(true)));
    assert_eq!(outcomes.credits, Some(2750));
    assert_eq!((outcomes.cargo, outcomes.skills), (Some(30), Some(11)));
    let again = outcomes.read_result("get_status", true, &reading_of(&docked));
    assert!(!again.any, "nothing has changed");
    // The rows of its tables come in another order each time.
    let shuffled = docked.replace(
        "mining_laser_i\tutility\t10\tPristine\tmining_power:5\n4f1c9a0be27d4c5893d1a6f0b7e2c384\tpulse_laser_i",
        "pulse_laser_i\tutility\t10\tPristine\tmining_power:5\n4f1c9a0be27d4c5893d1a6f0b7e2c384\tmining_laser_i",
    );
    assert_ne!(shuffled, docked);
    assert!(
        !outcomes
            .read_result("get_status", true, &reading_of(&shuffled))
            .any
    );
    let later = outcomes.read_result("get_status", true, &reading_of(&at_a_belt));
    assert!(later.any && later.lasting, "credits and skills rose");
    let sold: Vec<Gains> = captured("sell")
        .iter()
        .map(|text| outcomes.read_result("sell", false, &reading_of(text)))
        .collect();
    let earned: Vec<i64> = sold.iter().map(|gains| gains.net).collect();
    assert_eq!(earned, [12, 24, 535, 6, 0]);
    assert!(sold[0].any && !sold[4].any, "sold 0 is no gain");
    let refuelled = outcomes.read_result("refuel", false, &reading_of(&captured("refuel")[0]));
    assert_eq!((refuelled.net, refuelled.any), (-352, false));
}

#[test]
fn a_state_that_is_told_in_another_form_is_no_gain_each_time() {
    let mut outcomes = Outcomes::default();
    let text = &captured("get_status")[0];
    let facts = zoea_spacemolt::results::read_facts(text).unwrap();
    let class = &facts["ship"]["class_id"];
    let mission = json!({"mission_id": "m1", "percent_complete": 40, "objectives": []});
    let action = json!({
        "location": {"system_id": "sol"},
        "ship": {"class_id": class},
        "missions": {"active": [mission]},
    });
    let query = json!({
        "ship": {"class_id": class, "modules": [{"id": "4f1c", "type_id": "mining_laser_i"}]},
        "missions": [{"mission_id": "m1", "percent_complete": 40}],
    });
    let mut read = || {
        let one = outcomes.read_result("get_status", true, &reading_of(text));
        let other = outcomes.read_result("undock", false, &reading_of(&action.to_string()));
        let third = outcomes.read_result("get_ship", true, &reading_of(&query.to_string()));
        one.lasting || other.lasting || third.lasting
    };
    read();
    for round in 0..40 {
        assert!(!read(), "round {round}");
    }
    // A ship that was never seen before is a gain in any form.
    let bought = json!({"location": {"system_id": "sol"}, "ship": {"class_id": "hauler"}});
    assert!(
        outcomes
            .read_result("buy_ship", false, &reading_of(&bought.to_string()))
            .lasting
    );
}

#[test]
fn what_no_reader_understands_is_not_judged() {
    let mut outcomes = Outcomes::default();
    let accepted = &captured("accept_mission")[0];
    for text in [
        accepted.as_str(),
        "Arrived at Gold Run.",
        "Mined 3 Iron Ore.",
    ] {
        let gains = outcomes.read_result("act", false, &reading_of(text));
        assert_eq!(
            (gains.any, gains.is_readable),
            (false, Some(false)),
            "{text}"
        );
    }
    assert!(!outcomes.is_known());
}
