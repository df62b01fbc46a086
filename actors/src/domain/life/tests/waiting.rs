//! Waiting: turns of words alone under a mission, how long the pauses become, and what ends them.

use super::*;
use crate::event::Activity;
use crate::model::{ModelAnswer, RequestedCall};
use crate::progress::StallKind;

const PAUSE: Duration = Duration::from_secs(2);

/// One whose mission is delivered, and whose first call succeeded.
fn begun() -> Scene {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.play();
    scene
}

impl Scene {
    /// A turn with a call that succeeds.
    fn play(&mut self) {
        self.want(&[("mine", "{}")]);
        self.leave();
        self.give_back("ore");
        self.say("mined");
    }

    /// The time passes until the next turn begins.
    fn pass(&mut self) {
        self.now += i64::try_from(self.wait().as_millis()).unwrap();
        self.ring();
    }

    /// Turns of words alone, and the pauses behind them in seconds.
    fn talk(&mut self, turns: usize) -> Vec<u64> {
        let talk = (0..turns).map(|_| {
            self.pass();
            self.say("The task is done.");
            self.wait().as_secs()
        });
        talk.collect()
    }
}

#[test]
fn the_pause_grows_while_the_model_writes_words_alone() {
    let mut scene = begun();
    assert_eq!(scene.wait(), PAUSE);
    assert_eq!(scene.life.status().activity, Activity::Pausing);
    assert_eq!(scene.talk(6), [2, 10, 60, 300, 300, 300]);
    let status = scene.life.status();
    assert_eq!(status.state, LifeState::Running);
    assert_eq!(status.activity, Activity::Waiting);
    let until = status.activity_until.expect("an end");
    assert_eq!(until.since(status.activity_since), 300_000);
    // A call brings the configured pause back.
    scene.pass();
    scene.play();
    assert_eq!(scene.wait(), PAUSE);
    assert_eq!(scene.talk(2), [2, 10]);
}

/// A server that cannot read what its model writes is paid for each answer.
#[test]
fn answers_that_are_refused_end_the_turn_and_let_the_pause_grow() {
    let mut scene = begun();
    scene.pass();
    let mut pauses = Vec::new();
    let turns = scene.life.status().totals.turns;
    for ended in 1..=4 {
        for _ in 0..3 {
            scene.reply(ModelAnswer {
                calls: vec![RequestedCall::default()],
                refusal: Some("Error: malformed_call: it cannot be read".to_string()),
                ..ModelAnswer::default()
            });
        }
        pauses.push(scene.wait().as_secs());
        assert_eq!(scene.life.status().totals.turns, turns + ended);
        let before = scene.life.turn;
        scene.pass();
        assert_eq!(
            scene.life.turn.0,
            before.0 + 1,
            "another turn, not the same"
        );
    }
    assert_eq!(pauses, [2, 10, 60, 300]);
}

#[test]
fn who_only_talks_is_asked_at_most_sixteen_times_in_an_hour() {
    let mut scene = begun();
    let (began, before) = (scene.now, scene.asks().len());
    while scene.now - began < 3_600_000 {
        scene.talk(1);
    }
    let asked = scene.asks().len() - before;
    assert!(asked <= 16, "{asked}");
}

#[test]
fn a_longer_pause_of_the_configuration_is_never_shortened() {
    let mut past = past();
    Arc::make_mut(&mut past.rules).turn_pause = Duration::from_secs(30);
    let mut scene = Scene::of(past);
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.say("no");
    assert_eq!(scene.talk(4), [30, 60, 300, 300]);
}

#[test]
fn whatever_the_model_should_see_ends_the_wait() {
    type Change = fn(&mut Scene);
    let changes: [(&str, Change); 7] = [
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
        ("a mission that is cleared", |scene| {
            scene.handle(LifeInput::MissionStands(None));
        }),
        ("another mission", |scene| {
            let id = MissionId(10);
            let other = Mission {
                id,
                ..mission("sell")
            };
            scene.handle(LifeInput::MissionStands(Some(other)));
        }),
        ("a notice of the server", |scene| {
            scene.handle(LifeInput::Noticed {
                severity: Severity::Info,
                code: "mcp_up",
                text: "the tool server answers again".to_string(),
            });
        }),
        ("other tools", |scene| {
            scene.link(LinkState::Ok, Arc::default());
        }),
        ("another link", |scene| {
            let tools = scene.life.session.tools.clone();
            scene.link(LinkState::Down, tools);
        }),
    ];
    for (what, change) in changes {
        let mut scene = begun();
        assert_eq!(scene.talk(4).last(), Some(&300));
        let asked = scene.asks().len();
        change(&mut scene);
        assert_eq!(scene.wait(), PAUSE, "{what}");
        assert_eq!(scene.life.status().activity, Activity::Pausing, "{what}");
        assert_eq!(scene.asks().len(), asked, "{what}");
    }
    // The same list of tools is no news.
    let mut scene = begun();
    scene.talk(4);
    let tools = scene.life.session.tools.clone();
    scene.link(LinkState::Ok, tools);
    assert_eq!(scene.wait().as_secs(), 300);
}

#[test]
fn a_message_is_answered_at_once_and_words_that_answer_it_are_no_reason_to_wait() {
    let mut scene = begun();
    scene.talk(4);
    scene.prompt("how is it going?");
    assert!(matches!(scene.last_message(), ChatMessage::User(text) if text.ends_with("going?")));
    scene.say("well");
    assert_eq!(scene.wait(), PAUSE);
    assert_eq!(scene.talk(2), [2, 10]);
    // So does retry, and a mission.
    scene.talk(3);
    let asked = scene.asks().len();
    let retried = scene.order(MysisOrder::Retry);
    assert_eq!(
        retried,
        Some(Ok(CompletedOrder::Done(CompletedAction::Retried)))
    );
    assert_eq!(scene.asks().len(), asked + 1);
    scene.say("still done");
    let id = MissionId(10);
    scene.order(MysisOrder::Mission(Mission {
        id,
        ..mission("sell")
    }));
    assert_eq!(scene.asks().len(), asked + 2);
}

#[test]
fn without_a_mission_nudges_follow_one_another_as_ever() {
    let mut scene = Scene::running();
    for _ in 0..2 {
        scene.say("hm");
        assert_eq!(scene.wait(), PAUSE);
        scene.ring();
    }
    scene.say("hm");
    assert_eq!(scene.life.state(), LifeState::Idle);
}

#[test]
fn a_wait_ends_where_the_ship_arrives() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.want(&[("mine", "{}")]);
    scene.leave();
    let work = scene.call().work;
    let outcome = ToolOutcome {
        tick: Some(100),
        ..outcome(r#"{"ticks":10,"arrival_tick":110}"#, CallStatus::Done)
    };
    scene.handle(LifeInput::Returned { work, outcome });
    scene.say("under way");
    let talked = scene.talk(6);
    // 2 s and 10 s are over before it arrives, 100 s after it left; then no wait goes beyond that.
    assert_eq!(talked[..3], [2, 10, 60]);
    assert!(talked[3] < 30, "{talked:?}");
    assert_eq!(talked[4], 300, "{talked:?}");
}

#[test]
fn one_that_played_and_then_talks_is_told_of_and_keeps_what_it_knows() {
    let mut scene = begun();
    scene.talk(200);
    let status = scene.life.status();
    assert_eq!(status.state, LifeState::Running);
    assert_eq!(
        status.stuck.map(|stuck| stuck.way),
        Some(StallKind::OnlyText)
    );
    let codes = scene.host_codes();
    assert!(codes.contains(&"no_progress".to_string()), "{codes:?}");
    for step in ["fresh_start", "other_provider", "parked"] {
        assert!(!codes.contains(&step.to_string()), "{codes:?}");
    }
    // One that never played is helped as ever.
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.say("I would mine.");
    scene.talk(60);
    assert!(scene.host_codes().contains(&"fresh_start".to_string()));
}

#[test]
fn equal_words_stand_once_in_a_request() {
    let mut scene = begun();
    scene.talk(20);
    scene.pass();
    let texts = |scene: &Scene| {
        let messages = scene.asked().messages.clone();
        let words = messages.iter().filter_map(|message| match message {
            ChatMessage::Assistant { text, .. } => Some(text.to_string()),
            _ => None,
        });
        words.collect::<Vec<String>>()
    };
    assert_eq!(texts(&scene), ["", "mined", "The task is done."]);
    scene.say("Nothing is left to do.");
    scene.talk(3);
    scene.pass();
    scene.say("Nothing is left to do.");
    scene.pass();
    let stands = ["", "mined", "The task is done.", "Nothing is left to do."];
    assert_eq!(texts(&scene), stands);
    assert!(
        matches!(scene.last_message(), ChatMessage::User(text) if &*text == crate::compose::GO_ON_TEXT)
    );
}
