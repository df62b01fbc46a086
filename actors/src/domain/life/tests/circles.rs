//! A circle in a life: offered to the model, told to the operator, or begun by the runtime.

use crate::event::{EventKind, TurnEvent};
use crate::routine::{CircleMode, ROUTINE_START, RoutineRules};

use super::*;

const STATUS: &str = r#"{"player":{"current_system":"sol","current_poi":"base"},"ship":{"fuel":90,"max_fuel":100,"hull":80,"max_hull":80,"cargo_used":0,"cargo_capacity":50}}"#;

impl Scene {
    /// A life under these rules, on a mission, whose tools are known.
    fn with_mode(mode: CircleMode) -> Scene {
        let rules = SwarmRules {
            routines: RoutineRules { mode },
            max_model_calls: 100,
            ..rules()
        };
        let mut scene = Scene::under(rules);
        scene.link_for_trips();
        scene
    }

    fn link_for_trips(&mut self) {
        let names = ["travel", "sell", "get_cargo", "get_status", ROUTINE_START];
        let tools = names.map(|name| ToolSpec {
            name: name.into(),
            description: "".into(),
            schema: "{}".into(),
            read_only_hint: Some(name.starts_with("get_") || name == ROUTINE_START),
        });
        self.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
    }

    fn calls_and_gets(&mut self, tool: &str, arguments: &str, text: &str) {
        self.want(&[(tool, arguments)]);
        self.step_of(tool, text);
    }

    fn step_of(&mut self, tool: &str, text: &str) {
        assert_eq!(&*self.call().tool, tool);
        self.leave();
        self.give_back(text);
    }

    /// A trader's round.
    fn makes_a_round(&mut self) {
        self.calls_and_gets("get_status", "{}", STATUS);
        self.calls_and_gets("travel", r#"{"target_poi":"belt"}"#, r#"{"poi_id":"belt"}"#);
        self.calls_and_gets("travel", r#"{"target_poi":"base"}"#, r#"{"poi_id":"base"}"#);
        let cargo = r#"{"cargo":[{"item_id":"ore","quantity":4}],"used":4,"capacity":50}"#;
        self.calls_and_gets("get_cargo", "{}", cargo);
        let sold = r#"{"item_id":"ore","quantity_sold":4,"total_earned":40}"#;
        self.calls_and_gets("sell", r#"{"item_id":"ore","quantity":4}"#, sold);
    }

    fn makes_three_rounds(&mut self) {
        self.order(MysisOrder::Mission(mission("trade")));
        for _ in 0..3 {
            self.makes_a_round();
        }
    }

    /// The runtime note of the last request.
    fn note(&self) -> String {
        let last = self.asked().messages.last().cloned().expect("a message");
        let (ChatMessage::User(text) | ChatMessage::Tool { text, .. }) = last else {
            panic!("{last:?}");
        };
        let note = text.split_once(RUNTIME_NOTE_LINE);
        note.map(|(_, note)| note.to_string()).unwrap_or_default()
    }

    fn offers(&self) -> usize {
        let codes = self.host_codes();
        codes
            .iter()
            .filter(|code| *code == "routine_offered")
            .count()
    }
}

#[test]
fn a_circle_is_offered_and_starts_by_its_name() {
    let mut scene = Scene::with_mode(CircleMode::Offer);
    scene.makes_three_rounds();
    let note = scene.note();
    let line = r#"paying loop, 120 credits in 3 rounds: get_cargo, sell all, travel belt, travel base. Let the runtime repeat it: zoea_routine_start {"name":"sell"}"#;
    assert!(note.contains(line), "{note}");
    assert_eq!(scene.offers(), 1);
    let offer = scene.life.status().circle.expect("an offer");
    assert_eq!((&*offer.name, offer.earned), ("sell", 120));
    scene.want(&[(ROUTINE_START, r#"{"name":"sell"}"#)]);
    let cargo = r#"{"cargo":[],"used":0,"capacity":50}"#;
    scene.step_of("get_cargo", cargo);
    scene.step_of("travel", r#"{"poi_id":"belt"}"#);
    let status = scene.life.status();
    assert!(status.circle.is_none() && status.routine.is_some());
    assert_eq!(status.saved_calls, Some(2));
    scene.leave();
    scene.prompt("come home");
    scene.give_back(r#"{"poi_id":"base"}"#);
    assert!(scene.life.status().circle.is_none(), "an order ended it");
    assert!(!scene.note().contains("paying loop"));
}

#[test]
fn the_operator_takes_what_is_repeated_without_its_name() {
    let take = || MysisOrder::StartRoutine("{}".into());
    let mut scene = Scene::with_mode(CircleMode::Offer);
    assert_eq!(scene.order(take()), Some(Err(OrderRefusal::NoLoop)));
    scene.makes_three_rounds();
    assert!(scene.life.status().circle.is_some());
    let taken = scene.order(take());
    assert!(matches!(taken, Some(Ok(_))), "{taken:?}");
    let run = scene.life.status().routine.expect("it runs");
    assert_eq!((&*run.name, run.source.as_str()), ("sell", "operator"));
    // One that runs is taken already.
    assert_eq!(scene.order(take()), Some(Err(OrderRefusal::NoLoop)));
}

#[test]
fn with_auto_it_begins_with_the_next_turn_and_ends_after_its_rounds() {
    let mut scene = Scene::with_mode(CircleMode::Auto);
    scene.makes_three_rounds();
    scene.say("three rounds are made");
    scene.ring();
    let status = scene.life.status().routine.expect("it runs");
    assert_eq!((status.source.as_str(), status.rounds), ("runtime", 20));
    let asks = scene.asks().len();
    for _ in 0..20 {
        let cargo = r#"{"cargo":[{"item_id":"ore","quantity":4}],"used":4,"capacity":50}"#;
        scene.step_of("get_cargo", cargo);
        scene.step_of(
            "sell",
            r#"{"item_id":"ore","quantity_sold":4,"total_earned":40}"#,
        );
        scene.step_of("travel", r#"{"poi_id":"belt"}"#);
        scene.step_of("travel", r#"{"poi_id":"base"}"#);
        scene.step_of("get_status", STATUS);
    }
    assert_eq!(scene.asks().len(), asks + 1, "now the model is asked");
    let note = scene.note();
    assert!(
        note.contains(
            "The runtime repeated what you did three times. The routine sell made 20 of 20 rounds"
        ),
        "{note}"
    );
    // The ship is where the circle began, so it goes on with the next turn.
    assert!(note.contains("paying loop, "), "{note}");
    scene.say("well done");
    scene.ring();
    assert!(scene.life.status().routine.is_some());
}

#[test]
fn with_auto_an_order_comes_first_and_begins_anew() {
    let mut scene = Scene::with_mode(CircleMode::Auto);
    scene.makes_three_rounds();
    scene.prompt("explore now");
    scene.say("I will");
    assert_eq!(scene.asks().len(), 17, "the next turn asks the model");
    assert!(scene.life.status().routine.is_none());
    let notices = |effect: &Effect| {
        matches!(
            effect,
            Effect::Emit(EventKind::Turn(TurnEvent::Started { .. }))
        )
    };
    assert!(scene.effects.iter().any(notices));
}

#[test]
fn with_auto_one_that_a_message_ended_goes_on_if_the_model_wants_it() {
    let mut scene = Scene::with_mode(CircleMode::Auto);
    scene.makes_three_rounds();
    scene.say("three rounds are made");
    scene.ring();
    let cargo = r#"{"cargo":[{"item_id":"ore","quantity":4}],"used":4,"capacity":50}"#;
    scene.step_of("get_cargo", cargo);
    let sold = r#"{"item_id":"ore","quantity_sold":4,"total_earned":40}"#;
    scene.step_of("sell", sold);
    scene.leave();
    scene.prompt("wait here");
    scene.give_back(r#"{"poi_id":"belt"}"#);
    scene.say("I wait");
    scene.ring();
    // The message may have meant that, so the runtime begins nothing.
    assert!(scene.life.status().routine.is_none());
    scene.want(&[(ROUTINE_START, r#"{"name":"sell"}"#)]);
    let status = scene.life.status().routine.expect("it goes on");
    assert_eq!((status.source.as_str(), status.earned), ("model", 40));
    scene.step_of("travel", r#"{"poi_id":"base"}"#);
}

#[test]
fn of_a_ship_that_nobody_knows_no_round_is_offered_or_begun() {
    for mode in [CircleMode::Auto, CircleMode::Offer] {
        let mut scene = Scene::with_mode(mode);
        scene.order(MysisOrder::Mission(mission("trade")));
        for _ in 0..3 {
            let cargo = r#"{"cargo":[{"item_id":"ore","quantity":4}]}"#;
            scene.calls_and_gets("get_cargo", "{}", cargo);
            let sold = r#"{"item_id":"ore","quantity_sold":4,"total_earned":40}"#;
            scene.calls_and_gets("sell", r#"{"item_id":"ore","quantity":4}"#, sold);
            scene.calls_and_gets("travel", r#"{"target_poi":"belt"}"#, r#"{"poi_id":"belt"}"#);
        }
        assert!(
            scene.life.status().circle.is_none(),
            "no guard could stop it"
        );
        assert_eq!(scene.offers(), 0);
        scene.say("done");
        scene.ring();
        assert!(scene.life.status().routine.is_none());
    }
}

#[test]
fn without_offers_nobody_is_told() {
    let mut scene = Scene::with_mode(CircleMode::Off);
    scene.makes_three_rounds();
    assert_eq!(scene.offers(), 0);
    assert!(!scene.note().contains("circle"));
    assert!(scene.life.status().circle.is_none());
}

#[test]
fn a_circle_outlives_the_program() {
    let mut scene = Scene::with_mode(CircleMode::Offer);
    scene.makes_three_rounds();
    scene.calls_and_gets("travel", r#"{"target_poi":"belt"}"#, r#"{"poi_id":"belt"}"#);
    assert!(
        scene.memo_of(MemoKind::Routines).is_some(),
        "the watch is stored"
    );
    let again = Scene::of(RestoreArgs {
        recollection: scene.history_with(MemoKind::Routines),
        mission: Some(mission("trade")),
        ..past()
    });
    let offer = again.life.status().circle;
    assert_eq!(offer, scene.life.status().circle);
    assert!(offer.is_some_and(|offer| offer.steps.starts_with("travel base")));
}
