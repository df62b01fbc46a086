//! Tests of routines: reading, conditions, the cursor, and what ends a run.

mod editing;
mod lost_calls;
mod missions;

use serde_json::{Map, Value as Json, json};

use crate::game::{GameReading, GameRef};
use crate::ids::{CallKey, Seq};
use crate::message::{CallRecord, CallStatus};
use crate::samples::{GameFacts, Gauge};

use super::*;

fn reading_of(text: &str) -> GameReading<'_> {
    GameReading::of(GameRef::SpaceMolt, text)
}

fn object(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(object) => object,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            panic!("an object: {value}")
        }
    }
}

fn mining() -> Json {
    json!({
        "name": "mine",
        "steps": [
            {"tool": "travel", "arguments": {"target_poi": "belt"}},
            {"tool": "mine", "most": 3, "until": {"value": "cargo_free", "op": "<", "number": 1}, "may_fail": true},
            {"tool": "get_cargo"},
            {"tool": "sell", "each": "cargo", "arguments": {"item_id": "{item}", "quantity": "{quantity}"}},
            {"tool": "refuel", "when": {"all": [{"value": "fuel_percent", "op": "<", "number": 50}]}}
        ],
        "guards": [{"value": "hull", "op": ">", "number": 20}],
        "until": {"any": [{"value": "credits", "op": ">=", "number": 1000}, {"value": "place", "op": "=", "text": "home"}]},
        "rounds": 9
    })
}

fn read(value: Json) -> Routine {
    read_routine(&object(value)).expect("a routine")
}

fn facts(fuel: u32, cargo: u32, hull: u32, credits: i64) -> GameFacts {
    let gauge = |now| Gauge {
        now: Some(now),
        most: Some(100),
    };
    GameFacts {
        credits: Some(credits),
        poi: Some("belt".into()),
        fuel: gauge(fuel),
        cargo: gauge(cargo),
        hull: gauge(hull),
        ..GameFacts::default()
    }
}

/// A run and what is known.
struct Played {
    run: RoutineRun,
    facts: GameFacts,
    prices: Arc<SeenPrices>,
    id: Arc<str>,
    tool: Arc<str>,
    arguments: Arc<str>,
    /// What looks proved.
    confirmed: Vec<ConfirmedCall>,
    is_settled: bool,
}

impl Played {
    /// A run that needs no look at its hold.
    fn of(routine: Json) -> Played {
        let mut played = Played::anew(routine);
        played.run.hold_look.take(true, 0);
        played
    }

    fn anew(routine: Json) -> Played {
        let facts = facts(90, 0, 100, 100);
        let source = RunSource::Model(CallKey {
            seq: Seq(3),
            position: 0,
        });
        Played {
            run: RoutineRun::new(Arc::new(read(routine)), source, &facts, Some(7)),
            facts,
            prices: Arc::default(),
            id: "".into(),
            tool: "".into(),
            arguments: "{}".into(),
            confirmed: Vec::new(),
            is_settled: true,
        }
    }

    /// The next call in one word: its id and its tool. A restart between any two calls finds the same one,
    /// and where the cursor has not moved, the checkpoint of the last result is that of the call, too.
    fn next(&mut self) -> String {
        let mut is_new_round = false;
        loop {
            self.confirmed.extend(self.run.take_confirmed());
            let known = self.run.known(&self.facts, &self.prices, Some(9));
            let memo = RoutineMemo {
                run: Some(Box::new(self.run.clone())),
                ..RoutineMemo::default()
            };
            let restored = RoutineMemo::restore(&memo.to_text()).expect("it is understood");
            // Looks begin anew after a restart.
            assert!(self.run.lost_call.is_some() || restored == memo);
            match self.run.next(&known) {
                NextStep::Call(call) => {
                    let has_moved = call.has_moved || is_new_round;
                    assert!(has_moved || memo.run.as_deref() == Some(&self.run));
                    let mut again = restored.run.expect("a run");
                    let mut found = again.next(&known);
                    while found == NextStep::RoundOver {
                        found = again.next(&known);
                    }
                    assert_eq!(found, NextStep::Call(call.clone()));
                    self.id = call.id.as_str().into();
                    self.tool = call.tool.clone();
                    self.arguments = Json::Object(call.arguments).to_string().into();
                    return format!("{} {}", call.id, call.tool);
                }
                NextStep::Wait(wait) => {
                    self.run.end_wait();
                    self.run
                        .add_time(u64::try_from(wait.as_millis()).expect("a short wait"));
                }
                NextStep::RoundOver => is_new_round = true,
                NextStep::Over => {
                    let end = self.run.end.clone().expect("a reason");
                    return end.describe();
                }
            }
        }
    }

    fn returns(&mut self, status: CallStatus, text: &str, earned: i64, now: GameFacts) {
        let before = std::mem::replace(&mut self.facts, now);
        let call = CallRecord {
            id: self.id.clone(),
            name: self.tool.clone(),
            arguments: self.arguments.clone(),
            status,
            read_only: self.tool.starts_with("get_"),
            routine: None,
        };
        let reading = GameReading::of(GameRef::SpaceMolt, text);
        self.run.on_result(&EndedCall {
            call: &call,
            seq: Seq(13),
            key: CallKey {
                seq: Seq(12),
                position: 0,
            },
            status,
            reading: &reading,
            earned,
            before: &before,
            now: &self.facts,
            is_settled: self.is_settled,
        });
    }

    fn done(&mut self, text: &str) {
        let facts = self.facts.clone();
        self.returns(CallStatus::Done, text, 0, facts);
    }

    fn fails(&mut self, status: CallStatus, text: &str) {
        let facts = self.facts.clone();
        self.returns(status, text, 0, facts);
    }
}

#[test]
fn a_routine_is_read_back_as_it_was_written() {
    for most in [1, 3] {
        let mut given = mining();
        given["steps"][1]["most"] = json!(most);
        let routine = read(given);
        assert_eq!(routine.steps.len(), 5);
        assert_eq!(routine.steps[1].most, Some(most));
        assert_eq!(read(json!(routine)), routine);
    }
}

#[test]
fn a_name_of_several_words_is_made_plain() {
    let mut given = mining();
    for (name, plain) in [
        ("Mine Ore", "mine-ore"),
        ("star & moon!", "star-moon"),
        ("mine_2-b", "mine_2-b"),
    ] {
        given["name"] = json!(name);
        assert_eq!(*read(given.clone()).name, *plain);
    }
    given["name"] = json!("a".repeat(41));
    assert!(read_routine(&object(given)).is_err());
}

#[test]
fn every_mistake_is_told_at_once() {
    let bad = json!({
        "name": "***",
        "steps": [
            {"tool": "zoea_read_result"},
            {"tool": "get_notifications"},
            {"tool": "sell", "arguments": {"item_id": "{item}"}},
            {"tool": "mine", "most": 1000, "until": {"value": "luck", "op": "~", "number": 1}},
            {"tool": "mine", "times": 3}
        ],
        "guards": [{"value": "fuel", "op": ">"}, {"value": "place", "op": "<", "text": "x"}],
        "rounds": 0
    });
    let mistakes = read_routine(&object(bad)).unwrap_err();
    let text = mistakes.join("\n");
    for part in [
        "name: a text of 1",
        "steps 1: a tool of the runtime",
        "steps 2: what get_notifications tells",
        "steps 3: {item} stands for nothing",
        "steps 4 most: a number from 1 to 100",
        "steps 4 until: value is one of fuel",
        "steps 4 until: op is one of <",
        "steps 5: unknown: times",
        "guards 1: number is missing",
        "guards 2: a place is compared by",
        "rounds: a number from 1",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_routine_that_only_looks_is_none() {
    let looks = json!({"name": "look", "steps": [{"tool": "get_status"}]});
    let text = read_routine(&object(looks)).unwrap_err().join("");
    assert!(text.contains("at least one step must act"), "{text}");
}

#[test]
fn a_round_makes_each_step_as_its_conditions_say() {
    let mut played = Played::of(mining());
    assert_eq!(played.next(), "r1.1.1 travel");
    played.done("{}");
    assert_eq!(played.next(), "r1.2.1 mine");
    played.done(r#"{"quantity": 3}"#);
    assert_eq!(played.next(), "r1.2.2 mine");
    played.fails(CallStatus::Failed, "Error: cargo_full");
    assert_eq!(played.next(), "r1.3.1 get_cargo");
    played.done(
        r#"{"cargo": [{"item_id": "iron", "quantity": 3}, {"item_id": "gold", "quantity": 1}]}"#,
    );
    assert_eq!(played.next(), "r1.4.1 sell");
    let sold = facts(40, 0, 100, 130);
    played.returns(CallStatus::Done, "{}", 30, sold.clone());
    assert_eq!(played.next(), "r1.4.2 sell");
    played.returns(CallStatus::Done, "{}", 10, sold);
    assert_eq!(played.next(), "r1.5.1 refuel", "the tank is low");
    played.done("{}");
    assert_eq!(played.next(), "r2.1.1 travel");
    assert_eq!(played.run.status().earned, 40);
}

#[test]
fn a_call_that_was_not_made_is_made_again_and_one_that_may_have_been_is_not() {
    let mut played = Played::of(mining());
    assert_eq!(played.next(), "r1.1.1 travel");
    played.fails(CallStatus::NotExecuted, "not executed");
    assert_eq!(played.next(), "r1.1.1 travel");
    played.fails(CallStatus::Unknown, "outcome unknown");
    let text = played.next();
    assert!(text.contains("step 1 (travel): outcome unknown"), "{text}");
}

#[test]
fn guards_failures_and_damage_end_a_run() {
    let mut played = Played::of(mining());
    played.facts = facts(90, 0, 20, 100);
    assert_eq!(
        played.next(),
        "a guard failed: hull > 20 does not hold: hull is 20"
    );

    let mut played = Played::of(mining());
    played.facts.hull = Gauge::default();
    let text = played.next();
    assert!(text.ends_with("hull is not known"), "{text}");

    let mut played = Played::of(mining());
    played.next();
    played.fails(CallStatus::Failed, "Error: no_fuel");
    assert_eq!(
        played.next(),
        "a step did not succeed: step 1 (travel): Error: no_fuel"
    );

    let mut played = Played::of(mining());
    played.next();
    played.returns(CallStatus::Done, "{}", 0, facts(90, 0, 70, 100));
    assert_eq!(
        played.next(),
        "something was lost: the hull fell from 100 to 70"
    );
}

fn short(rounds: u32) -> Json {
    json!({"name": "short", "steps": [{"tool": "mine"}], "rounds": rounds})
}

#[test]
fn it_ends_when_its_rounds_are_over_or_its_end_is_reached() {
    let mut played = Played::of(short(2));
    for round in 1..=2 {
        assert_eq!(played.next(), format!("r{round}.1.1 mine"));
        played.returns(CallStatus::Done, "{}", 5, facts(90, 0, 100, 105));
    }
    assert_eq!(played.next(), "its rounds are over");

    let mut routine = short(9);
    routine["until"] = json!({"value": "cargo", "op": ">=", "number": 50});
    let mut played = Played::of(routine);
    played.next();
    played.returns(CallStatus::Done, "{}", 0, facts(90, 60, 100, 100));
    assert_eq!(played.next(), "its end is reached: cargo >= 50");
    assert_eq!(played.run.calls, 1);
}

#[test]
fn a_routine_that_turns_to_loss_is_dropped_within_three_rounds() {
    for loss in [0, 10, -50] {
        let mut played = Played::of(short(100));
        for _ in 0..5 {
            played.next();
            played.returns(CallStatus::Done, "{}", 100, facts(90, 0, 100, 900));
        }
        let mut rounds = 0;
        loop {
            let text = played.next();
            if !text.starts_with('r') {
                assert!(text.contains("its gain fell"), "{text}");
                break;
            }
            rounds += 1;
            played.returns(CallStatus::Done, "{}", loss, facts(90, 0, 100, 900));
        }
        assert_eq!(rounds, 3, "a loss of {loss}");
    }
}

#[test]
fn a_hold_that_fills_is_a_gain_as_long_as_nothing_was_earned() {
    let mut played = Played::of(short(20));
    for round in 1..=20_u32 {
        assert_eq!(played.next(), format!("r{round}.1.1 mine"));
        played.returns(CallStatus::Done, "{}", 0, facts(90, round, 100, 100));
    }
    assert_eq!(played.next(), "its rounds are over");
    assert_eq!(played.run.cargo_at_round, Some(20));
}

#[test]
fn a_result_that_says_something_new_ends_it_once_its_likeness_is_learned() {
    let mut played = Played::of(short(20));
    for _ in 0..4 {
        played.next();
        played.returns(
            CallStatus::Done,
            r#"{"quantity": 2}"#,
            5,
            facts(90, 0, 100, 100),
        );
    }
    played.next();
    played.returns(
        CallStatus::Done,
        r#"{"quantity": 2, "attacked_by": "a pirate", "quiet": false}"#,
        5,
        facts(90, 0, 100, 100),
    );
    let text = played.next();
    assert!(text.contains("reported attacked_by"), "{text}");
}

#[test]
fn credits_that_are_halved_end_it() {
    let mut played = Played::of(short(20));
    played.next();
    played.returns(CallStatus::Done, "{}", 0, facts(90, 1, 100, 40));
    assert_eq!(
        played.next(),
        "something was lost: of 100 credits at its start 40 are left"
    );
}

#[test]
fn a_report_tells_figures_the_reason_and_how_to_go_on() {
    let mut played = Played::of(short(1));
    played.next();
    played.returns(CallStatus::Done, "{}", 5, facts(90, 0, 100, 105));
    played.run.add_time(120_000);
    played.next();
    let report = played.run.report(&played.facts);
    for part in [
        "made 1 of 1 rounds with 1 calls",
        "Credits earned: 5 (newest rounds: 5), 150 an hour",
        "because its rounds are over",
        "at belt, fuel 90/100, cargo 0/100, hull 100/100, credits 105",
        r#"{"name":"short"}"#,
    ] {
        assert!(report.contains(part), "{part} in {report}");
    }
}

#[test]
fn the_newest_routines_are_known_by_name() {
    let mut memo = RoutineMemo::default();
    for name in ["a", "b", "c", "d", "e", "b"] {
        let mut routine = short(3);
        routine["name"] = name.into();
        memo.keep(&Arc::new(read(routine)));
    }
    assert!(memo.find("a").is_none());
    let names: Vec<&str> = memo.known.iter().map(|known| &*known.name).collect();
    assert_eq!(names, ["c", "d", "e", "b"]);
    assert_eq!(RoutineMemo::restore(&memo.to_text()), Ok(memo.clone()));
    assert!(RoutineMemo::restore("{").is_err());
}

#[test]
fn a_checkpoint_keeps_its_form() {
    let kept = zoea_golden::kept("routine-checkpoint.json");
    let mut memo = RoutineMemo::restore(&kept).expect("it is understood");
    zoea_golden::hold_text("routine-checkpoint.json", &memo.to_text());
    let step_after = || "told".to_string();
    let ends = zoea_golden::every!(RoutineEnd:
        RoundsOver => [RoutineEnd::RoundsOver],
        Reached => [RoutineEnd::Reached(step_after())],
        Guard => [RoutineEnd::Guard(step_after())],
        Failed => [RoutineEnd::Failed(step_after())],
        ResultMismatch => [RoutineEnd::ResultMismatch(step_after())],
        Lost => [RoutineEnd::Lost(step_after())],
        GainFell => [RoutineEnd::GainFell(step_after())],
        NoProgress => [RoutineEnd::NoProgress],
        Order => [RoutineEnd::Order],
        Stopped => [RoutineEnd::Stopped],
        Interrupted => [RoutineEnd::Interrupted(step_after())],
    );
    let call = CallKey {
        seq: Seq(3),
        position: 1,
    };
    let sources = zoea_golden::every!(RunSource:
        Model => [RunSource::Model(call)],
        Operator => [RunSource::Operator],
        Runtime => [RunSource::Runtime],
    );
    let mut forms = Vec::new();
    for (end, source) in ends.into_iter().zip(sources.into_iter().cycle()) {
        let run = memo.run.as_mut().expect("one runs");
        (run.end, run.source) = (Some(end), source);
        assert_eq!(RoutineMemo::restore(&memo.to_text()), Ok(memo.clone()));
        let text: Json = serde_json::from_str(&memo.to_text()).expect("it is JSON");
        forms.push(json!([text["run"]["end"], text["run"]["call"]]));
    }
    zoea_golden::hold_json("routine-ends.json", &forms.into());
}

#[test]
fn a_run_that_is_not_understood_is_refused_whole_and_what_is_only_shown_has_its_default() {
    let kept = zoea_golden::kept("routine-checkpoint.json");
    let with = |place: &str, odd: Json| {
        let mut memo: Json = serde_json::from_str(&kept).expect("it is JSON");
        *memo.pointer_mut(place).expect("a member") = odd;
        RoutineMemo::restore(&memo.to_string())
    };
    let refused = [
        ("/run/at", json!([1, 2, 3])),
        ("/run/call", json!("somebody")),
        ("/run/calls", json!("many")),
        ("/run/doubt", json!(7)),
        ("/run/doubt/1", json!(null)),
        ("/run/due", json!([7])),
        ("/run/earned", json!([null, 0])),
        ("/run/end", json!(["danced", ""])),
        ("/run/end", json!(7)),
        ("/run/exact", json!([["iron_ore"]])),
        ("/run/gain", json!(null)),
        ("/run/routine", json!({"name": "b"})),
        ("/paused", json!({})),
        ("/spared", json!("many")),
        ("/unsettled", json!("perhaps")),
    ];
    for (place, odd) in refused {
        assert!(with(place, odd.clone()).is_err(), "{place} {odd}");
    }
    let memo = RoutineMemo::restore(&kept).expect("it is understood");
    for place in ["/circles", "/known", "/prices", "/report"] {
        let restored = with(place, json!(7)).expect("it is understood");
        assert_eq!(restored.run, memo.run, "{place}");
        assert_ne!(restored, memo, "{place}");
    }
    assert!(RoutineMemo::unknown().is_unsettled);
}

#[test]
fn a_guard_on_a_price_holds_by_what_was_seen_last() {
    let watched = |guard: Json| {
        let steps = json!([{"tool": "mine", "most": 9}]);
        Played::of(json!({"name": "x", "steps": steps, "guards": [guard]}))
    };
    let guard = json!({"value": "price", "item": "iron_ore", "op": ">=", "number": 10});
    let mut played = watched(guard.clone());
    assert_eq!(
        played.next(),
        "a guard failed: price of iron_ore >= 10 does not hold: price of iron_ore is not known"
    );
    let mut played = watched(guard);
    let sold = r#"{"item_id":"iron_ore","quantity_sold":3,"total_earned":32}"#;
    Arc::make_mut(&mut played.prices).take("sell", &reading_of(sold));
    assert_eq!(played.next(), "r1.1.1 mine");
    played.done("{}");
    let market = r#"{"items":[{"item_id":"iron_ore","buy_price":9,"sell_price":14},{"item_id":"gas","buy_price":0}]}"#;
    Arc::make_mut(&mut played.prices).take("view_market", &reading_of(market));
    assert_eq!(
        played.next(),
        "a guard failed: price of iron_ore >= 10 does not hold: price of iron_ore is 9"
    );
    let mut dear = watched(json!({"value": "cost", "item": "iron_ore", "op": "<", "number": 14}));
    dear.prices = played.prices.clone();
    assert!(dear.next().ends_with("cost of iron_ore is 14"));
    // It is the same after a restart.
    let memo = RoutineMemo {
        prices: played.prices,
        spared: Some(7),
        ..RoutineMemo::default()
    };
    let restored = RoutineMemo::restore(&memo.to_text()).expect("it is understood");
    for item in ["iron_ore", "gas"] {
        assert_eq!(restored.prices.brings(item), memo.prices.brings(item));
        assert_eq!(restored.prices.costs(item), memo.prices.costs(item));
    }
    assert_eq!(restored.spared, Some(7));
}

#[test]
fn prices_do_not_grow_without_end() {
    let mut book = SeenPrices::default();
    for number in 0..100 {
        let sold =
            format!(r#"{{"item_id":"i{number}","quantity_sold":1,"total_earned":{number}}}"#);
        book.take("sell", &reading_of(&sold));
    }
    let known = (0..100).filter(|number| book.brings(&format!("i{number}")).is_some());
    assert_eq!(known.count(), 32);
    for (command, units) in [("sell", 0), ("mine", 1)] {
        let told = format!(r#"{{"item_id":"x","quantity_sold":{units},"total_earned":9}}"#);
        book.take(command, &reading_of(&told));
        assert_eq!(book.brings("x"), None, "{command} {units}");
    }
}

#[test]
fn what_rounds_earned_before_is_the_measure_of_a_run() {
    let steps = json!([{"tool": "mine"}, {"tool": "sell"}]);
    let mut played = Played::of(json!({"name": "x", "steps": steps, "earns": 100}));
    for (round, earned) in [(1, 60), (2, 40), (3, 20), (4, -5)] {
        assert_eq!(played.next(), format!("r{round}.1.1 mine"));
        played.done("{}");
        assert_eq!(played.next(), format!("r{round}.2.1 sell"));
        let facts = played.facts.clone();
        played.returns(CallStatus::Done, "{}", earned, facts);
    }
    let end = played.next();
    assert_eq!(
        end,
        "its gain fell: the last 3 rounds earned 40, 20, -5, a good one 90 credits"
    );
}

#[test]
fn a_price_needs_its_item_and_what_it_earns_is_a_number() {
    let bad = json!({
        "name": "x", "earns": 0,
        "steps": [{"tool": "mine", "arguments": {"x": "{price}"}}],
        "guards": [{"value": "price", "op": ">", "number": 5}]
    });
    let text = read_routine(&object(bad)).unwrap_err().join("\n");
    for part in [
        "guards 1: item is missing",
        "earns: the credits",
        "{price} stands for nothing",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
