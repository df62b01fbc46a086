//! Nudges, continuations and missions: what sets a turn going.

use super::*;

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
    assert_eq!(scene.life.state(), State::Idle);
    let reason = scene.life.standing().reason;
    assert_eq!(
        reason.as_deref(),
        Some("no user message after 3 encouragements")
    );
    assert_eq!(scene.host_codes(), ["nudge", "nudge", "nudge", "idle"]);
    assert!(scene.kinds().iter().all(|kind| *kind != Kind::Prompt));
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
    assert_eq!(scene.life.standing().nudges, 0, "it did something");
    scene.ring();
    scene.say("hm");
    assert_eq!(scene.life.standing().nudges, 1, "it only talked");
    scene.prompt("go on");
    assert_eq!(scene.life.standing().nudges, 0);
}

#[test]
fn with_a_mission_it_never_goes_idle_and_the_counter_stands_still() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    for _ in 0..6 {
        assert_eq!(scene.last_message(), user("mine"));
        scene.say("hm");
        scene.ring();
    }
    assert_eq!(scene.life.state(), State::Running);
    assert_eq!(scene.life.standing().nudges, 0);
    scene.hear(Input::MissionStands(None));
    scene.say("hm");
    for _ in 0..3 {
        scene.ring();
        scene.say("hm");
    }
    assert_eq!(scene.life.state(), State::Idle);
}

#[test]
fn a_late_joiner_inherits_the_mission() {
    let mut scene = Scene::of(Past {
        mission: Some(mission("mine")),
        ..past()
    });
    scene.order(MysisOrder::Start);
    assert_eq!(scene.last_message(), user("mine"));
    assert!(scene.rows().is_empty(), "nothing was delivered to it");
}

#[test]
fn a_newer_mission_goes_before_an_answered_message_and_an_older_one_behind() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.say("hm");
    scene.prompt("scout");
    scene.say("scouted");
    scene.ring();
    assert!(scene.asked().messages.contains(&user("scout")));
    assert!(!scene.asked().messages.contains(&user("mine")));
    let newer = Mission {
        id: MissionId(10),
        text: "trade".into(),
        at: Timestamp(5000),
    };
    scene.say("hm");
    scene.order(MysisOrder::Mission(newer));
    assert_eq!(scene.last_message(), user("trade"));
}

#[test]
fn a_model_that_answers_with_nothing_stays_running() {
    let mut scene = Scene::new();
    scene.prompt("hello");
    for _ in 0..5 {
        scene.say("");
        assert_eq!(scene.life.state(), State::Running);
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
