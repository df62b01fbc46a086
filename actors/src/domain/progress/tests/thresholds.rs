//! Tests of the exact turns and texts of the verdicts, and of what a restart keeps.

use super::*;

type Turn = fn(&mut Scene, u32);

fn talks(_: &mut Scene, _: u32) {}

fn repeats(scene: &mut Scene, _: u32) {
    scene.call("dock", "{}", Err("Error: no_base: none"));
    scene.call("dock", "{}", Err("Error: no_base: none"));
}

fn fails(scene: &mut Scene, turn: u32) {
    scene.call("dock", &turn.to_string(), Err("Error: no_base: none"));
}

fn idles(scene: &mut Scene, turn: u32) {
    let arguments = turn.to_string();
    scene.call("get_status", &arguments, Ok(&status(1203, 7, "belt")));
    scene.call("dock", &arguments, Err("Error: no_base: none"));
}

fn circles(scene: &mut Scene, _: u32) {
    scene.call("wave", "{}", Ok(r#"{"action":"wave"}"#));
}

/// Plays turns. A turn ends every minute.
fn play(scene: &mut Scene, turns: u32, turn: Turn) {
    for _ in 0..turns {
        let ends = scene.now.plus(Duration::from_secs(50));
        turn(scene, scene.turns);
        scene.now = ends;
        scene.end();
    }
}

fn scene_of(turns: u32, at_least: u64) -> Scene {
    let mut scene = Scene::new();
    scene.rules.turns = turns;
    scene.rules.at_least = Duration::from_secs(at_least);
    scene
}

/// The turn of the first verdict, and the way in which the Mysis is stuck.
fn first(mut scene: Scene, turn: Turn) -> Option<(u32, StallKind)> {
    play(&mut scene, 120, turn);
    scene
        .verdicts
        .first()
        .and_then(|(turns, way, _)| Some((*turns, (*way)?)))
}

#[test]
fn each_way_of_getting_nowhere_is_told_after_its_number_of_turns() {
    for (turn, turns, way) in [
        (talks as Turn, 5, StallKind::OnlyText),
        (repeats, 5, StallKind::Repeats),
        (fails, 20, StallKind::AllCallsFail),
        (idles, 40, StallKind::Inactive),
        // The sixth repetition makes it a cycle.
        (circles, 5 + 10, StallKind::Looping),
    ] {
        assert_eq!(first(scene_of(40, 0), turn), Some((turns, way)));
    }
    // A turn of many calls counts for more. The answer to the first call is new.
    let many: Turn = |scene, _| (0..8).for_each(|_| circles(scene, 0));
    assert_eq!(
        first(scene_of(40, 0), many),
        Some((1 + 5, StallKind::Looping))
    );
}

#[test]
fn what_a_game_may_take_its_time_for_is_told_after_the_shortest_time_too() {
    // The time counts from the end of the first of them.
    for (turn, turns, way) in [
        (talks as Turn, 5, StallKind::OnlyText),
        (repeats, 5, StallKind::Repeats),
        (fails, 1 + 30, StallKind::AllCallsFail),
        (idles, 1 + 30, StallKind::Inactive),
        (circles, 6 + 30, StallKind::Looping),
    ] {
        let mut scene = scene_of(2, 30 * 60);
        if way == StallKind::Looping {
            scene.rules.turns = 1000;
        }
        assert_eq!(first(scene, turn), Some((turns, way)));
    }
}

#[test]
fn it_is_told_again_after_twice_as_many_turns_and_taken_further_after_half_the_turns() {
    let mut scene = scene_of(40, 0);
    play(&mut scene, 100, talks);
    let verdicts: Vec<_> = scene
        .verdicts
        .iter()
        .map(|verdicts| (verdicts.0, verdicts.2))
        .collect();
    let expected = [
        (5, Some(EscalationStep::Notified)),
        (10, None),
        (20, None),
        (25, Some(EscalationStep::ContextReset)),
        (40, None),
        (45, Some(EscalationStep::OtherProvider)),
        (65, Some(EscalationStep::Parked)),
        (80, None),
    ];
    assert_eq!(verdicts, expected);
    let mut scene = scene_of(40, 30 * 60);
    play(&mut scene, 100, talks);
    assert_eq!(scene.rungs().len(), 4);
    let taken = scene
        .verdicts
        .iter()
        .filter(|verdicts| verdicts.2.is_some());
    let taken: Vec<u32> = taken.map(|verdicts| verdicts.0).collect();
    assert_eq!(taken, [5, 35, 65, 95], "half an hour each");
}

#[test]
fn one_that_gets_on_now_and_then_has_one_trouble_with_its_whole_age_and_is_parked_in_the_end() {
    let alternates = |earns: bool| {
        let mut scene = scene_of(40, 0);
        let mut ages = Vec::new();
        for round in 0..30 {
            play(&mut scene, 8, talks);
            let stuck = scene.watch.stuck().expect("it talks");
            ages.push(stuck.since);
            let credits = if earns { round } else { 1 };
            let looks = status(credits, round, "belt");
            scene.call("get_status", &round.to_string(), Ok(&looks));
            scene.end();
            assert_eq!(scene.watch.stuck(), None);
        }
        ages.dedup();
        assert_eq!(ages.len(), 1, "{ages:?}");
        scene.rungs().contains(&EscalationStep::Parked)
    };
    assert!(alternates(false));
    assert!(!alternates(true), "money is a way out");
}

#[test]
fn after_a_gain_the_next_step_is_waited_for_anew() {
    let mut scene = scene_of(40, 0);
    scene.call("get_status", "{}", Ok(&status(1, 0, "belt")));
    play(&mut scene, 30, talks);
    assert_eq!(scene.watch.escalation_step(), EscalationStep::ContextReset);
    scene.call("get_status", "{}", Ok(&status(2, 0, "belt")));
    scene.end();
    assert_eq!(scene.watch.escalation_step(), EscalationStep::Notified);
    assert_eq!((scene.watch.notice(), scene.watch.stuck()), (None, None));
    scene.verdicts.clear();
    play(&mut scene, 30, talks);
    let verdicts: Vec<_> = scene
        .verdicts
        .iter()
        .map(|verdicts| (verdicts.0 - 31, verdicts.2))
        .collect();
    assert_eq!(
        verdicts,
        [
            (5, None),
            (10, None),
            (20, Some(EscalationStep::ContextReset))
        ]
    );
    scene.watch.on_order(scene.now);
    assert_eq!(scene.watch.escalation_step(), EscalationStep::Unescalated);
    scene.verdicts.clear();
    play(&mut scene, 5, talks);
    let verdicts = scene.verdicts.first().map(|verdicts| verdicts.2);
    assert_eq!(
        verdicts,
        Some(Some(EscalationStep::Notified)),
        "an order begins a new count"
    );
}

#[test]
fn the_facts_say_how_long_what_and_that_nothing_was_gained() {
    let facts = |turn: Turn, turns: u32| {
        let mut scene = scene_of(40, 0);
        play(&mut scene, turns, turn);
        scene.watch.notice().cloned().unwrap_or_default()
    };
    let had = "nothing gained: credits 1,203, cargo 7, skill levels 1, last at belt";
    for (turn, turns, expected) in [
        (
            talks as Turn,
            5,
            "5 turns (4 min): no tool was called.".to_string(),
        ),
        (
            repeats,
            5,
            "5 turns (4 min): the same call failed again and again: dock {}.".to_string(),
        ),
        (
            fails,
            20,
            "20 turns (19 min): every call failed, the last one the same call failed again and \
             again: dock 19."
                .to_string(),
        ),
        (
            idles,
            40,
            format!("40 turns (39 min): 80 calls, 40 of them failed; {had}."),
        ),
        (
            circles,
            15,
            "10 turns (9 min): the same calls in the same order: wave.".to_string(),
        ),
    ] {
        let notice = facts(turn, turns);
        let expected = format!("No progress in your last {expected} Do something else: ");
        assert!(notice.starts_with(&expected), "{notice}\n{expected}");
    }
}

#[test]
fn those_who_watch_see_how_many_turns_it_is_and_since_when() {
    for (turn, turns, way, tool) in [
        (talks as Turn, 7, StallKind::OnlyText, None),
        (repeats, 7, StallKind::Repeats, Some("dock")),
        (fails, 22, StallKind::AllCallsFail, None),
        (idles, 42, StallKind::Inactive, None),
    ] {
        let mut scene = scene_of(40, 0);
        play(&mut scene, turns - 2, turn);
        let since = scene.both().wall;
        play(&mut scene, 2, turn);
        let stuck = scene.watch.stuck().unwrap();
        assert_eq!((stuck.turns, stuck.way), (turns, way));
        assert_eq!((stuck.since, stuck.tool.as_deref()), (since, tool));
    }
    let mut scene = scene_of(40, 0);
    play(&mut scene, 17, circles);
    assert_eq!(scene.watch.stuck().unwrap().turns, 12);
}

#[test]
fn what_is_blatant_ends_with_a_call_and_what_takes_long_only_with_a_gain() {
    for (turn, turns, is_over) in [
        (talks as Turn, 5, true),
        (repeats, 5, true),
        (circles, 15, false),
    ] {
        let mut scene = scene_of(40, 0);
        play(&mut scene, turns, turn);
        assert!(scene.watch.stuck().is_some());
        idles(&mut scene, 0);
        scene.end();
        assert_eq!(scene.watch.stuck().is_none(), is_over);
        assert_eq!(scene.watch.notice().is_none(), is_over);
    }
}

#[test]
fn one_call_that_fails_is_counted_as_long_as_it_is_the_only_one() {
    let turn = |calls: &[(&str, bool)]| {
        let mut scene = scene_of(1000, 0);
        let calls: Vec<(String, bool)> = calls
            .iter()
            .map(|(at, good)| ((*at).into(), *good))
            .collect();
        for _ in 0..10 {
            for (at, is_good) in &calls {
                let answer = if *is_good { Ok("{}") } else { Err("no") };
                scene.call("dock", at, answer);
            }
            scene.end();
        }
        scene
            .verdicts
            .first()
            .and_then(|(turns, way, _)| Some((*turns, (*way)?)))
    };
    assert_eq!(turn(&[("a", false)]), Some((5, StallKind::Repeats)));
    assert_eq!(
        turn(&[("a", false), ("a", false)]),
        Some((5, StallKind::Repeats))
    );
    assert_eq!(turn(&[("a", false), ("b", false)]), None);
    assert_eq!(turn(&[("a", false), ("b", false), ("a", false)]), None);
    assert_eq!(turn(&[("a", false), ("a", true)]), None);
    assert_eq!(turn(&[("a", true), ("a", false)]), None);
    let mut scene = scene_of(1000, 0);
    play(&mut scene, 4, repeats);
    play(&mut scene, 1, fails);
    play(&mut scene, 4, repeats);
    assert_eq!(scene.verdicts, [], "another one came between");
    play(&mut scene, 1, repeats);
    assert_eq!(scene.verdicts.len(), 1);
}

#[test]
fn one_success_breaks_a_row_of_failures_and_one_call_a_row_of_words() {
    for (turn, turns) in [(fails as Turn, 19), (talks, 4)] {
        let mut scene = scene_of(40, 0);
        play(&mut scene, turns, turn);
        play(&mut scene, 1, idles);
        play(&mut scene, turns, turn);
        assert_eq!(scene.verdicts, [], "{turns} turns");
    }
}

#[test]
fn who_waits_as_ordered_may_look_in_circles_and_not_act_in_them() {
    for (intent, tool, is_reported) in [
        (OrderIntent::Works, "get_status", true),
        (OrderIntent::Works, "wave", true),
        (OrderIntent::Waits, "get_status", false),
        (OrderIntent::Waits, "wave", true),
    ] {
        let mut scene = scene_of(1000, 0);
        scene.intent = intent;
        for _ in 0..60 {
            scene.call(tool, "{}", Ok(&status(5, 5, "belt")));
            scene.end();
        }
        let way = scene.verdicts.first().and_then(|verdicts| verdicts.1);
        assert_eq!(
            way,
            is_reported.then_some(StallKind::Looping),
            "{intent:?} {tool}"
        );
    }
    for (turn, is_reported) in [
        (talks as Turn, false),
        (idles, false),
        (fails, true),
        (repeats, true),
    ] {
        let mut scene = scene_of(40, 0);
        scene.intent = OrderIntent::Waits;
        play(&mut scene, 100, turn);
        assert_eq!(!scene.verdicts.is_empty(), is_reported);
    }
}

#[test]
fn that_nothing_can_be_judged_is_said_once_after_so_many_turns_and_again_after_a_gain() {
    let mut scene = scene_of(10, 0);
    let mut said = Vec::new();
    for turn in 0..60 {
        let answer = match turn {
            0 | 29 => status(turn, 0, "belt"),
            _ => format!("line {turn}"),
        };
        scene.call("read_line", "{}", Ok(&answer));
        scene.end();
        if let Some(text) = scene.watch.take_unjudged_notice(&scene.rules) {
            assert!(text.contains("the last 10 turns"), "{text}");
            said.push(turn);
        }
    }
    // The status at 29 shows that credits rose.
    assert_eq!(said, [10, 39]);
    let mut scene = scene_of(10, 0);
    scene.rules.is_on = false;
    play(&mut scene, 20, |scene, turn| {
        scene.call("read", "{}", Ok(&turn.to_string()))
    });
    assert_eq!(scene.watch.take_unjudged_notice(&scene.rules), None);
}

#[test]
fn a_restart_at_any_turn_changes_nothing_of_what_is_told() {
    let unread: Turn = |scene, turn| scene.call("read", "{}", Ok(&format!("line {turn}")));
    for turn in [talks as Turn, fails, idles, unread] {
        let verdicts = |restarts: bool| {
            let mut scene = scene_of(40, 30 * 60);
            let mut said = Vec::new();
            for _ in 0..120 {
                play(&mut scene, 1, turn);
                said.push((scene.watch.notice().cloned(), scene.watch.escalation_step()));
                let unjudged = scene.watch.take_unjudged_notice(&scene.rules);
                said.push((unjudged, scene.watch.escalation_step()));
                if restarts && scene.turns.is_multiple_of(7) {
                    let notice = scene.watch.notice().cloned();
                    let known = scene.watch.known;
                    let memo = scene.watch.checkpoint(scene.both());
                    scene.watch = StallDetector::restore(&memo, scene.both());
                    // The notice for the model is composed again when it is due.
                    (scene.watch.notice, scene.watch.known) = (notice, known);
                }
            }
            (scene.verdicts, said)
        };
        assert_eq!(verdicts(true), verdicts(false));
    }
}

#[test]
fn a_memo_is_due_after_eight_turns_and_at_once_when_a_step_was_taken() {
    let mut scene = scene_of(40, 0);
    let mut due = Vec::new();
    for turn in 1..=24 {
        let looks = turn.to_string();
        scene.call("get_status", &looks, Ok(&status(turn, 0, "belt")));
        scene.end();
        if scene.watch.due_checkpoint(scene.both()).is_some() {
            due.push(turn);
        }
    }
    assert_eq!(due, [8, 16, 24]);
    let is_due = |scene: &mut Scene| scene.watch.due_checkpoint(scene.both()).is_some();
    play(&mut scene, 4, talks);
    assert!(!is_due(&mut scene));
    play(&mut scene, 1, talks);
    assert!(is_due(&mut scene), "it was told so");
    scene.watch.on_order(scene.now);
    assert!(is_due(&mut scene), "it is on the ground again");
    scene.watch.on_order(scene.now);
    assert!(!is_due(&mut scene), "and was");
    scene.watch.reset_context(Seq(1));
    assert!(is_due(&mut scene));
    play(&mut scene, 5, talks);
    assert!(is_due(&mut scene));
    scene.call("get_status", "{}", Ok(&status(100, 0, "belt")));
    scene.end();
    assert!(is_due(&mut scene), "it climbed down");
    for _ in 0..2 {
        scene.call("craft", "{}", Err("no"));
        scene.now = scene.now.plus(Duration::from_secs(600));
    }
    assert!(is_due(&mut scene), "a failure came again after long");
}

#[test]
fn a_memo_holds_the_newest_sixteen_places() {
    let mut scene = scene_of(40, 0);
    let arrive = |scene: &mut Scene, place: u32| {
        let answer = format!(r#"{{"poi_id":"p{place}"}}"#);
        scene.call("travel", &place.to_string(), Ok(&answer));
        scene.end();
        scene.watch.stall_window.turns == 0
    };
    for place in 0..20 {
        arrive(&mut scene, place);
    }
    let memo = scene.watch.checkpoint(scene.both());
    let is_new = |place: u32| {
        let mut scene = scene_of(40, 0);
        scene.watch = StallDetector::restore(&memo, scene.both());
        arrive(&mut scene, place)
    };
    let new: Vec<u32> = (0..22).filter(|place| is_new(*place)).collect();
    assert_eq!(new, [0, 1, 2, 3, 20, 21]);
}

#[test]
fn every_way_has_a_word_of_its_own() {
    let ways = [
        StallKind::OnlyText,
        StallKind::Repeats,
        StallKind::AllCallsFail,
        StallKind::Looping,
        StallKind::Inactive,
    ];
    let ways = ways.map(StallKind::as_str);
    assert_eq!(ways, ["talks", "repeats", "fails", "circles", "idles"]);
}
