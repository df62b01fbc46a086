//! Turns without progress: the operator is told, and the model in its next request.

use super::*;
use crate::progress::{EscalationStep, StallKind};

fn has_note(scene: &Scene) -> bool {
    scene.asked().messages.iter().any(|message| {
        matches!(message, ChatMessage::User(text) | ChatMessage::Tool { text, .. }
            if text.contains(RUNTIME_NOTE_LINE) && text.contains("No progress"))
    })
}

fn noticed(scene: &Scene) -> usize {
    let codes = scene.host_codes();
    codes.iter().filter(|code| *code == "no_progress").count()
}

/// A Mysis with a mission, which never becomes idle.
fn on_a_mission() -> Scene {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene
}

fn talk(scene: &mut Scene) {
    scene.say("waiting");
    scene.ring();
}

fn call_once(scene: &mut Scene, tool: &str, arguments: &str, status: CallStatus) {
    scene.want(&[(tool, arguments)]);
    scene.leave();
    let work = scene.call().work;
    let outcome = outcome("x", status);
    scene.handle(LifeInput::Returned { work, outcome });
    talk(scene);
}

#[test]
fn five_turns_without_a_tool_are_told_to_both() {
    let mut scene = on_a_mission();
    for _ in 0..4 {
        talk(&mut scene);
    }
    assert!(!has_note(&scene) && noticed(&scene) == 0);
    talk(&mut scene);
    assert!(has_note(&scene) && noticed(&scene) == 1);
    assert_eq!(scene.life.state(), LifeState::Running);
    for _ in 0..4 {
        talk(&mut scene);
        assert_eq!(noticed(&scene), 1, "not again at once");
    }
    talk(&mut scene);
    assert_eq!(noticed(&scene), 2, "after twice as many");
}

#[test]
fn one_call_that_fails_again_and_again_is_no_progress() {
    let mut scene = on_a_mission();
    for _ in 0..5 {
        call_once(&mut scene, "mine", "{}", CallStatus::Failed);
    }
    assert!(has_note(&scene) && noticed(&scene) == 1);
    call_once(&mut scene, "mine", "{}", CallStatus::Done);
    assert!(!has_note(&scene), "one that succeeds is");
}

#[test]
fn different_failures_and_successes_are_progress() {
    let mut scene = on_a_mission();
    for turn in 0..12 {
        let arguments = format!(r#"{{"n":{turn}}}"#);
        call_once(&mut scene, "mine", &arguments, CallStatus::Failed);
    }
    for _ in 0..12 {
        call_once(&mut scene, "mine", "{}", CallStatus::Done);
    }
    assert_eq!(noticed(&scene), 0);
}

#[test]
fn an_order_begins_a_new_count() {
    let mut scene = on_a_mission();
    for _ in 0..3 {
        for _ in 0..4 {
            talk(&mut scene);
        }
        scene.prompt("how are you");
        scene.say("well");
        scene.ring();
    }
    assert_eq!(noticed(&scene), 0);
}

#[test]
fn the_operator_sees_who_is_stuck_until_it_moves_or_hears_an_order() {
    let mut scene = on_a_mission();
    let stuck = |scene: &Scene| scene.life.status().stuck;
    for turns in 1..8 {
        call_once(&mut scene, "mine", "{}", CallStatus::Failed);
        let seen = stuck(&scene).map(|stuck| (stuck.turns, stuck.tool));
        assert_eq!(seen, (turns >= 5).then(|| (turns, Some("mine".into()))));
    }
    call_once(&mut scene, "dock", "{}", CallStatus::Failed);
    assert_eq!(stuck(&scene), None, "it tries something else");
    for _ in 0..5 {
        talk(&mut scene);
    }
    assert!(stuck(&scene).is_some());
    scene.prompt("how are you");
    assert_eq!(stuck(&scene), None);
}

fn codes_of_rungs(scene: &Scene) -> Vec<String> {
    let codes = scene.host_codes().into_iter();
    codes
        .filter(|code| ["fresh_start", "other_provider", "parked"].contains(&&**code))
        .collect()
}

/// Whether the last request contains a text.
fn holds(scene: &Scene, wanted: &str) -> bool {
    let mut messages = scene.asked().messages.iter();
    messages.any(|message| match message {
        ChatMessage::System(text) | ChatMessage::User(text) => text.contains(wanted),
        ChatMessage::Assistant { text, .. } | ChatMessage::Tool { text, .. } => {
            text.contains(wanted)
        }
    })
}

/// A scene whose provider has a fallback.
fn with_a_fallback() -> Scene {
    let mut rules = rules();
    let local = rules.providers["local"].clone();
    rules.providers.insert("other".into(), local);
    let local = rules.providers.get_mut(&Arc::from("local"));
    local.unwrap().fallback = Some("other".into());
    let mut scene = Scene::under(rules);
    scene.order(MysisOrder::Mission(mission("mine")));
    scene
}

/// Takes turns of words without calls, ten minutes each.
fn talk_for_long(scene: &mut Scene, turns: u32) {
    for _ in 0..turns {
        scene.now += 600_000;
        talk(scene);
    }
}

#[test]
fn whoever_was_frozen_meanwhile_is_not_stuck() {
    let mut scene = with_a_fallback();
    for turn in 1..=40 {
        scene.now += 600_000;
        scene.life.set_frozen_ms(600_000 * turn);
        talk(&mut scene);
    }
    assert!(noticed(&scene) > 0, "words alone are told all the same");
    assert_eq!(codes_of_rungs(&scene), [""; 0]);
}

#[test]
fn whoever_talks_on_is_begun_afresh_asked_elsewhere_and_parked() {
    let mut scene = with_a_fallback();
    talk_for_long(&mut scene, 24);
    assert!(holds(&scene, "waiting"), "what it said before");
    assert_eq!(&*scene.asked().routes[0].provider, "local");
    talk_for_long(&mut scene, 1);
    assert_eq!(codes_of_rungs(&scene), ["fresh_start"]);
    assert!(!holds(&scene, "waiting"), "its words are gone");
    assert!(holds(&scene, "mine"), "its order is not");
    assert!(holds(&scene, "begun afresh"));
    talk_for_long(&mut scene, 20);
    assert_eq!(codes_of_rungs(&scene).last().unwrap(), "other_provider");
    let asked: Vec<_> = scene
        .asked()
        .routes
        .iter()
        .map(|to| &*to.provider)
        .collect();
    assert_eq!(asked, ["other", "local"]);
    for _ in 0..20 {
        assert_eq!(scene.life.state(), LifeState::Running);
        scene.now += 600_000;
        scene.say("waiting");
        if scene.life.state() == LifeState::Running {
            scene.ring();
        }
    }
    assert_eq!(scene.life.state(), LifeState::Idle);
    let status = scene.life.status();
    let reason = status.reason.unwrap();
    assert!(
        reason.starts_with("parked: no progress in the last 65 turns"),
        "{reason}"
    );
    assert!(scene.order(MysisOrder::Start).unwrap().is_ok());
    assert_eq!(scene.life.status().stuck, None, "a new count");
    assert_eq!(&*scene.asked().routes[0].provider, "local");
}

#[test]
fn what_gets_better_brings_its_own_provider_back() {
    let mut scene = with_a_fallback();
    talk_for_long(&mut scene, 45);
    assert_eq!(&*scene.asked().routes[0].provider, "other");
    for credits in [1, 2] {
        scene.want(&[("get_status", "{}")]);
        scene.leave();
        scene.give_back(&format!(r#"{{"player":{{"credits":{credits}}}}}"#));
        talk(&mut scene);
    }
    assert_eq!(&*scene.asked().routes[0].provider, "local");
    assert!(!has_note(&scene));
}

#[test]
fn the_order_that_is_not_answered_outlives_a_fresh_start() {
    let mut scene = Scene::new();
    scene.prompt("sell the ore");
    for _ in 0..40 {
        scene.now += 600_000;
        // The answer is empty.
        scene.say("");
        scene.ring();
    }
    assert_eq!(codes_of_rungs(&scene), ["fresh_start"]);
    assert!(holds(&scene, "sell the ore"));
    assert_eq!(
        scene
            .asked()
            .messages
            .iter()
            .filter(|message| matches!(message, ChatMessage::Assistant { .. }))
            .count(),
        0
    );
}

#[test]
fn a_restart_counts_on_and_does_not_bring_back_what_was_put_away() {
    let mut scene = on_a_mission();
    for turn in 0..30 {
        scene.now += 600_000;
        scene.say(&format!("waiting {turn}"));
        scene.ring();
    }
    let rows = scene.rows();
    let again = RestoreArgs {
        recollection: scene.history_with(MemoKind::Watch),
        mission: Some(mission("mine")),
        ..past()
    };
    let mut scene = Scene::of(again);
    assert_eq!(
        scene.life.watch.escalation_step(),
        EscalationStep::ContextReset
    );
    let reset = scene.life.watch.context_reset();
    assert!(reset > Seq(1));
    let since = rows.iter().filter(|row| row.seq >= reset);
    let said_since = since.filter(|row| row.utterance().is_some()).count();
    assert!(said_since < 30, "{said_since}");
    scene.order(MysisOrder::Start);
    let words = scene.asked().messages.iter().filter(
        |message| matches!(message, ChatMessage::Assistant { text, .. } if text.starts_with("waiting")),
    );
    assert_eq!(words.count(), said_since, "only what was said since");
    talk_for_long(&mut scene, 5);
    let stuck = scene.life.status().stuck.unwrap();
    assert_eq!(stuck.way, StallKind::OnlyText);
}

#[test]
fn one_that_was_told_to_wait_may() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission(
        "Wait at the station.\n[no gain expected]",
    )));
    talk_for_long(&mut scene, 100);
    assert_eq!(noticed(&scene), 0);
    assert_eq!(scene.life.status().stuck, None);
}

/// A Mysis with very many nudges.
fn encouraged_for_long() -> RestoreArgs {
    let mut rules = rules();
    rules.nudges = vec!["nudge".into(); 50];
    RestoreArgs {
        rules: Arc::new(rules),
        ..past()
    }
}

#[test]
fn whether_a_gain_is_expected_says_the_order_that_the_turn_is_about() {
    for (first, second, is_noticed) in [
        ("mine", "Guard the gate.\n[no gain expected]", false),
        ("Guard the gate.\n[no gain expected]", "mine", true),
    ] {
        let mut scene = Scene::of(encouraged_for_long());
        scene.prompt(first);
        talk(&mut scene);
        scene.prompt(second);
        for _ in 0..12 {
            talk(&mut scene);
        }
        assert_eq!(noticed(&scene) > 0, is_noticed, "{second}");
    }
}

#[test]
fn the_model_hears_that_it_was_begun_afresh_only_once_it_was() {
    let mut scene = with_a_fallback();
    let afresh = "begun afresh for that reason";
    talk_for_long(&mut scene, 5);
    assert!(holds(&scene, "No progress") && !holds(&scene, afresh));
    talk_for_long(&mut scene, 20);
    assert!(holds(&scene, afresh));
    talk_for_long(&mut scene, 20);
    assert_eq!(codes_of_rungs(&scene).last().unwrap(), "other_provider");
    assert!(holds(&scene, afresh), "it still is");
}

#[test]
fn whoever_was_put_to_rest_begins_a_new_count_and_who_was_interrupted_counts_on() {
    let mut scene = on_a_mission();
    talk_for_long(&mut scene, 9);
    let memo = scene.memo_of(MemoKind::Watch).expect("it was told");
    for (state, reason, counts_on) in [
        (LifeState::Idle, None, true),
        (
            LifeState::Idle,
            Some("interrupted: it ran until noon"),
            true,
        ),
        (
            LifeState::Idle,
            Some("no user message after 3 encouragements"),
            false,
        ),
        (LifeState::Stopped, None, false),
    ] {
        let mut record = record();
        (record.state, record.reason) = (state, reason.map(Into::into));
        let mut again = Scene::of(RestoreArgs {
            record,
            recollection: StoredHistory {
                memos: [(MemoKind::Watch, memo.clone())].into_iter().collect(),
                ..StoredHistory::default()
            },
            mission: Some(mission("mine")),
            ..past()
        });
        again.order(MysisOrder::Start);
        assert_eq!(
            again.life.watch.escalation_step() > EscalationStep::Unescalated,
            counts_on,
            "{state:?} {reason:?}"
        );
    }
}
