//! Nudges, continuations and missions: what starts a turn.

use super::*;
use crate::compose::GO_ON_TEXT;
use crate::message::BRIDGE_TEXT;

#[test]
fn three_nudged_turns_in_a_row_make_it_idle() {
    let mut scene = Scene::running();
    for nudge in NUDGES {
        assert_eq!(scene.last_message(), user(nudge));
        scene.say("hm");
        if nudge != NUDGES[2] {
            scene.ring();
        }
    }
    assert_eq!(scene.life.state(), LifeState::Idle);
    let reason = scene.life.status().reason;
    assert_eq!(
        reason.as_deref(),
        Some("no user message after 3 encouragements")
    );
    assert_eq!(scene.host_codes(), ["nudge", "nudge", "nudge", "idle"]);
    assert!(scene.kinds().iter().all(|kind| *kind != RowKind::Prompt));
}

#[test]
fn after_a_reply_the_next_turn_begins_with_a_continuation() {
    let mut scene = Scene::new();
    scene.prompt("hello");
    scene.say("hi");
    scene.ring();
    assert_eq!(scene.last_message(), user(NUDGES[0]));
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.say("mined");
    assert_eq!(scene.life.status().nudges, Some(0), "it did something");
    scene.ring();
    scene.say("hm");
    assert_eq!(scene.life.status().nudges, Some(1), "it only talked");
    scene.prompt("go on");
    assert_eq!(scene.life.status().nudges, Some(0));
}

#[test]
fn with_a_mission_it_never_goes_idle_and_the_counter_stands_still() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    for turn in 0..6 {
        assert_eq!(scene.asked().messages[1], user("mine"));
        let last = if turn == 0 { "mine" } else { GO_ON_TEXT };
        assert_eq!(scene.last_message(), user(last));
        scene.say("hm");
        scene.ring();
    }
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.life.status().nudges, Some(0));
    scene.handle(LifeInput::MissionStands(None));
    scene.say("hm");
    for _ in 0..3 {
        scene.ring();
        scene.say("hm");
    }
    assert_eq!(scene.life.state(), LifeState::Idle);
}

#[test]
fn a_late_joiner_inherits_the_mission() {
    let mut scene = Scene::of(RestoreArgs {
        mission: Some(mission("mine")),
        ..past()
    });
    scene.order(MysisOrder::Start);
    assert_eq!(scene.last_message(), user("mine"));
    assert!(scene.rows().is_empty(), "nothing was delivered to it");
}

#[test]
fn an_answered_message_yields_to_a_standing_mission_and_comes_back_without_one() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.say("hm");
    scene.prompt("how are you");
    assert!(holds(&scene, "how are you"));
    scene.say("well");
    for _ in 0..2 {
        scene.ring();
        assert_eq!(scene.last_message(), user(GO_ON_TEXT));
        assert_eq!(
            scene.asked().messages[1],
            user("mine"),
            "an older mission, too"
        );
        scene.say("hm");
    }
    scene.handle(LifeInput::MissionStands(None));
    scene.ring();
    assert!(holds(&scene, "how are you") && !holds(&scene, "mine"));
}

#[test]
fn a_message_that_is_not_answered_goes_before_every_mission() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.say("hm");
    scene.prompt("how are you");
    scene.say("");
    scene.ring();
    assert_eq!(scene.last_message(), user("how are you"));
}

/// Whether a user message of the last request contains a text.
fn holds(scene: &Scene, text: &str) -> bool {
    let mut messages = scene.asked().messages.iter();
    messages.any(|message| matches!(message, ChatMessage::User(sent) if sent.contains(text)))
}

#[test]
fn an_order_within_a_nudged_turn_is_followed_by_three_encouragements() {
    let mut scene = Scene::running();
    assert_eq!(scene.last_message(), user(NUDGES[0]));
    scene.prompt("hello");
    scene.say("hm");
    scene.say("hi");
    assert_eq!(
        scene.life.status().nudges,
        Some(0),
        "the order set it to nothing"
    );
    let given = |scene: &Scene| {
        let codes = scene.host_codes().into_iter();
        codes.filter(|code| code == "continuation").count()
    };
    while scene.life.state() == LifeState::Running {
        scene.ring();
        scene.say("hm");
    }
    let reason = scene.life.status().reason;
    assert_eq!(
        reason.as_deref(),
        Some("no user message after 3 encouragements")
    );
    assert_eq!(given(&scene), 3);
}

#[test]
fn an_order_within_a_continued_turn_of_words_does_not_count_as_nudged() {
    let mut scene = Scene::new();
    scene.prompt("hello");
    scene.say("hi");
    scene.ring();
    scene.prompt("and you?");
    scene.say("hm");
    scene.say("well");
    assert_eq!(scene.life.status().nudges, Some(0));
}

/// The reason says what happened, even if the rules changed meanwhile.
#[test]
fn the_reason_counts_the_encouragements_that_were_given() {
    let mut scene = Scene::running();
    for _ in 0..2 {
        scene.say("hm");
        scene.ring();
    }
    let mut fewer = rules();
    fewer.nudges.truncate(1);
    scene.reload(fewer);
    scene.say("hm");
    let reason = scene.life.status().reason;
    assert_eq!(
        reason.as_deref(),
        Some("no user message after 3 encouragements")
    );
}

#[test]
fn a_model_that_answers_with_nothing_stays_running() {
    let mut scene = Scene::new();
    scene.prompt("hello");
    for _ in 0..5 {
        scene.say("");
        assert_eq!(scene.life.state(), LifeState::Running);
        scene.ring();
        assert_eq!(
            scene.last_message(),
            user("hello"),
            "the order is not answered"
        );
    }
    let codes = scene.host_codes();
    let noticed = codes.iter().filter(|code| *code == "no_progress").count();
    assert_eq!(noticed, 1, "after five turns");
    let rest = codes.iter().filter(|code| *code != "no_progress");
    assert!(rest.into_iter().all(|code| code == "empty_reply"));
}

#[test]
fn a_model_that_repeats_the_runtimes_own_words_has_not_answered() {
    let mut scene = Scene::new();
    scene.prompt("hello");
    for words in [BRIDGE_TEXT, "I have these results."] {
        scene.say(words);
        assert_eq!(scene.life.status().last_words.as_ref(), "");
        scene.ring();
        assert_eq!(scene.last_message(), user("hello"), "{words}");
    }
    assert_eq!(scene.host_codes(), ["echoed_reply", "echoed_reply"]);
}
