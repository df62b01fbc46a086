//! Done: the tool by which a model says that its mission is done, where the operator allowed it.

use super::*;
use crate::event::Activity;
use crate::mission_end::{DONE_TOOL, ending};

const SUMMARY: &str = r#"{"summary":"100 ore are sold"}"#;
const HOUR: Duration = Duration::from_secs(3600);

fn that_ends() -> Mission {
    mission(&ending("sell 100 ore"))
}

fn link(scene: &mut Scene) {
    let tools = ["mine", "get_status"].map(bare_tool);
    let tools = tools.into_iter().chain([crate::mission_end::done_tool()]);
    scene.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
}

fn given(order: Mission) -> Scene {
    let mut scene = Scene::new();
    link(&mut scene);
    scene.order(MysisOrder::Mission(order));
    scene
}

/// One that played, and then said that it is done.
fn done() -> Scene {
    let mut scene = given(that_ends());
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.want(&[(DONE_TOOL, SUMMARY)]);
    scene
}

fn last_result(scene: &Scene) -> String {
    let rows = scene.rows();
    let result = rows.iter().rev().find(|row| row.result().is_some());
    result.unwrap().text().to_string()
}

fn is_done(scene: &Scene) -> bool {
    scene.life.status().activity == Activity::Done
}

fn offers(scene: &Scene) -> bool {
    scene.asked().tools.tools().get(DONE_TOOL).is_some()
}

fn restarted(scene: &Scene, mission: Option<Mission>, at: i64) -> Scene {
    let rows = scene.rows();
    let mut past = RestoreArgs {
        recollection: StoredHistory {
            last: rows.last().unwrap().seq,
            rows,
            ..StoredHistory::default()
        },
        mission,
        is_interrupted: true,
        ..past()
    };
    past.record.state = LifeState::Running;
    let (life, effects) = Life::restore(past, even(at));
    let mut again = Scene::new();
    again.life = life;
    again.now = at;
    again.effects.clear();
    again.take(effects);
    link(&mut again);
    again
}

#[test]
fn the_tool_is_offered_only_where_the_operator_said_that_the_mission_ends() {
    let mut scene = given(mission("sell 100 ore"));
    assert!(!offers(&scene));
    scene.want(&[("mine", "{}"), (DONE_TOOL, SUMMARY)]);
    scene.leave();
    scene.give_back("ore");
    assert_eq!(
        scene.result_status(),
        [CallStatus::Done, CallStatus::Failed]
    );
    assert!(last_result(&scene).starts_with("Error: not_allowed"));
    assert!(offers(&given(that_ends())));
}

#[test]
fn it_is_taken_after_a_call_that_succeeded_and_says_what_was_done() {
    let mut scene = given(that_ends());
    scene.want(&[(DONE_TOOL, SUMMARY)]);
    assert_eq!(scene.result_status(), [CallStatus::Failed]);
    assert!(last_result(&scene).starts_with("Error: not_yet"));
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.want(&[(DONE_TOOL, "{}")]);
    assert!(last_result(&scene).starts_with("Error: invalid_arguments"));
    assert!(!is_done(&scene));
}

#[test]
fn one_that_is_done_is_asked_once_an_hour_and_goes_on_if_it_is_not() {
    let mut scene = done();
    let status = scene.life.status();
    assert_eq!(status.state, LifeState::Running);
    assert_eq!(status.activity, Activity::Done);
    assert_eq!(&*status.last_words, "100 ore are sold");
    assert_eq!(scene.wait(), HOUR);
    let until = status.activity_until.expect("an end");
    assert_eq!(until.since(status.activity_since), 3_600_000);
    let rows = scene.rows();
    let notice = rows
        .iter()
        .find(|row| row.host().is_some_and(|meta| &*meta.code == "done"));
    assert_eq!(
        &**notice.unwrap().text(),
        "the mission is done: 100 ore are sold"
    );
    for _ in 0..30 {
        let asked = scene.asks().len();
        scene.now += 3_600_000;
        scene.ring();
        assert_eq!(scene.asks().len(), asked + 1);
        let text = match scene.asked().messages.last().cloned().unwrap() {
            ChatMessage::User(text) | ChatMessage::Tool { text, .. } => text,
            other => panic!("{other:?}"),
        };
        assert!(text.contains("You said with zoea_done that your mission is done: \"100 ore"));
        scene.say("It is done.");
        assert_eq!((is_done(&scene), scene.wait()), (true, HOUR));
        let status = scene.life.status();
        assert_eq!(status.stuck, None);
        assert!(status.silence.is_none());
    }
    scene.now += 3_600_000;
    scene.ring();
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.say("on again");
    assert!(!is_done(&scene));
    assert_eq!(scene.wait(), Duration::from_secs(2));
}

#[test]
fn every_order_wakes_one_that_is_done() {
    type Change = fn(&mut Scene);
    let at_once: [(&str, Change); 2] = [
        ("a message", |scene| {
            scene.prompt("sell the rest, too");
        }),
        ("a mission", |scene| {
            let id = MissionId(10);
            scene.order(MysisOrder::Mission(Mission { id, ..that_ends() }));
        }),
    ];
    for (what, change) in at_once {
        let mut scene = done();
        let asked = scene.asks().len();
        change(&mut scene);
        assert_eq!(scene.asks().len(), asked + 1, "{what}");
        scene.say("I will.");
        assert!(!is_done(&scene), "{what}");
        assert_eq!(scene.wait(), Duration::from_secs(2), "{what}");
    }
    let soon: [(&str, Change); 3] = [
        ("a note", |scene| {
            scene.order(MysisOrder::Note("mind the gap".into()));
        }),
        ("a change of its profile", |scene| {
            let change = ProfileChange {
                temperature: Some(0.5),
                ..ProfileChange::default()
            };
            scene.order(MysisOrder::Configure(change));
        }),
        ("no mission any more", |scene| {
            scene.handle(LifeInput::MissionStands(None));
        }),
    ];
    for (what, change) in soon {
        let mut scene = done();
        change(&mut scene);
        assert!(!is_done(&scene), "{what}");
        assert_eq!(scene.wait(), Duration::from_secs(2), "{what}");
    }
    // Retry asks at once, and words alone confirm it.
    let mut scene = done();
    scene.order(MysisOrder::Retry);
    scene.say("It is done.");
    assert!(is_done(&scene));
    // News of the server is none of a mission that is over.
    scene.handle(LifeInput::Noticed {
        severity: Severity::Info,
        code: "mcp_up",
        text: "the tool server answers again".to_string(),
    });
    assert_eq!((is_done(&scene), scene.wait()), (true, HOUR));
}

#[test]
fn what_else_the_same_answer_calls_is_carried_out_and_a_question_still_gets_its_words() {
    let mut scene = given(that_ends());
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.want(&[(DONE_TOOL, SUMMARY), ("get_status", "{}")]);
    scene.leave();
    scene.give_back("{}");
    assert!(is_done(&scene));
    scene.prompt("are you done?");
    scene.want(&[(DONE_TOOL, SUMMARY)]);
    let ChatMessage::Tool { .. } = scene.last_message() else {
        panic!("the turn goes on until the question has its answer");
    };
    scene.say("Yes.");
    assert!(is_done(&scene));
}

#[test]
fn a_restart_asks_no_sooner() {
    let mut scene = done();
    scene.now += 3_600_000;
    scene.ring();
    scene.say("It is done.");
    let said = scene.now;
    let mut again = restarted(&scene, Some(that_ends()), said + 600_000);
    again.order(MysisOrder::Start);
    assert!(is_done(&again));
    assert_eq!(again.asks().len(), 0);
    assert!(again.wait().abs_diff(Duration::from_secs(3000)) < Duration::from_secs(1));
    again.ring();
    assert_eq!(again.asks().len(), 1);
    // Where the program died right after the call, too.
    let mut again = restarted(&done(), Some(that_ends()), 5000);
    again.order(MysisOrder::Start);
    assert!(is_done(&again));
    // It was away for longer, or the mission is another one, or does not end.
    let other = Mission {
        id: MissionId(10),
        ..that_ends()
    };
    let later = Mission {
        at: Timestamp(said + 1),
        ..that_ends()
    };
    let cases = [
        (Some(that_ends()), said + 3_600_001),
        (Some(other), said + 1000),
        (Some(later), said + 1000),
        (Some(mission("sell 100 ore")), said + 1000),
        (None, said + 1000),
    ];
    for (mission, at) in cases {
        let what = format!("{mission:?}");
        let mut again = restarted(&scene, mission, at);
        again.order(MysisOrder::Start);
        assert_eq!(again.asks().len(), 1, "{what}");
    }
    // An order that came meanwhile is one, too.
    scene.prompt("sell the rest, too");
    let at = scene.now + 1000;
    let mut again = restarted(&scene, Some(that_ends()), at);
    again.order(MysisOrder::Start);
    assert_eq!(again.asks().len(), 1);
    // The operator who stopped it starts it in order to see it play.
    let mut scene = done();
    scene.order(MysisOrder::Stop);
    let asked = scene.asks().len();
    scene.order(MysisOrder::Start);
    assert_eq!(scene.asks().len(), asked + 1);
}

#[test]
fn one_that_is_done_is_asked_at_most_four_times_in_an_hour() {
    let mut scene = given(that_ends());
    let began = scene.now;
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    scene.want(&[(DONE_TOOL, SUMMARY)]);
    while scene.now - began + i64::try_from(scene.wait().as_millis()).unwrap() < 3_600_000 {
        scene.now += i64::try_from(scene.wait().as_millis()).unwrap();
        scene.ring();
        scene.say("It is done.");
    }
    assert!(scene.asks().len() <= 4, "{}", scene.asks().len());
}
