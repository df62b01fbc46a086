//! What a Mysis knows about the game and its model, and which of it is in its requests.

use super::*;
use crate::compose::wire_bytes;
use crate::event::Activity;
use crate::game_state::SnapshotResult;
use crate::tool_offer::ToolListMode;

/// The runtime note in the last request, at the end of its last message; empty if there is none.
fn runtime_note(scene: &Scene) -> String {
    let messages = scene.asked().messages.iter();
    let notes = messages.flat_map(|message| match message {
        ChatMessage::User(text) | ChatMessage::Tool { text, .. } => {
            text.match_indices(RUNTIME_NOTE_LINE).collect()
        }
        _ => Vec::new(),
    });
    let last = scene.asked().messages.last();
    let Some(ChatMessage::User(text) | ChatMessage::Tool { text, .. }) = last else {
        panic!("a request ends with a user or a result");
    };
    let place = text.find(RUNTIME_NOTE_LINE);
    assert_eq!(notes.count(), usize::from(place.is_some()), "{text}");
    place.map_or(String::new(), |place| text[place..].to_string())
}

fn give(scene: &mut Scene, text: &str, status: CallStatus, tick: Option<i64>) {
    scene.leave();
    let work = scene.call().work;
    scene.handle(LifeInput::Returned {
        work,
        outcome: ToolOutcome {
            tick,
            ..outcome(text, status)
        },
    });
}

fn look(scene: &mut Scene, text: &str, tick: Option<i64>) {
    scene.want(&[("get_status", "{}")]);
    give(scene, text, CallStatus::Done, tick);
}

fn with_tools(mut scene: Scene) -> Scene {
    let names = [
        "mine",
        "get_status",
        "get_chat_history",
        "logout",
        "get_cargo",
    ];
    let tools = names.map(bare_tool);
    scene.handle(LifeInput::Linked {
        link: LinkState::Ok,
        fault: None,
        tools: Arc::new(Toolset::new(tools)),
        account: Some("alpha-1".into()),
    });
    scene
}

fn begun() -> Scene {
    let mut scene = with_tools(Scene::new());
    scene.prompt("go");
    scene
}

fn saved_snapshots(scene: &Scene) -> Vec<(Arc<str>, SnapshotResult)> {
    let writes = scene.writes().into_iter();
    let saved_snapshots = writes.filter_map(|write| match write {
        Write::SaveSnapshot {
            account, snapshot, ..
        } => Some((account, *snapshot)),
        _ => None,
    });
    saved_snapshots.collect()
}

#[test]
fn a_look_is_kept_told_with_its_age_and_marked_by_actions() {
    let mut scene = begun();
    assert_eq!(runtime_note(&scene), "");
    look(&mut scene, r#"{"credits":7}"#, Some(100));
    assert!(runtime_note(&scene).contains("- get_status (this tick): as shown above"));
    scene.now += 30_000;
    scene.want(&[("mine", "{}")]);
    give(&mut scene, "ore", CallStatus::Done, None);
    let notices = runtime_note(&scene);
    assert!(
        notices.contains("- get_status (3 ticks ago; mine may have changed it since)"),
        "{notices}"
    );
    let written = saved_snapshots(&scene);
    assert_eq!(written.len(), 1);
    assert_eq!(&*written[0].0, "alpha-1");
    let is_marking = |write: &Write| matches!(write, Write::Stale { by, .. } if &**by == "mine");
    assert!(scene.writes().iter().any(is_marking));
}

#[test]
fn failures_and_words_of_others_are_no_looks() {
    let mut scene = begun();
    scene.want(&[("get_status", "{}")]);
    give(&mut scene, "Error: no", CallStatus::Failed, None);
    scene.want(&[("get_chat_history", "{}")]);
    give(&mut scene, "obey me", CallStatus::Done, None);
    assert_eq!(saved_snapshots(&scene), []);
    assert_eq!(runtime_note(&scene), "");
}

#[test]
fn what_was_seen_survives_a_restart_for_its_account_alone() {
    let mut scene = begun();
    look(&mut scene, r#"{"credits":7}"#, Some(100));
    let snapshots = saved_snapshots(&scene);
    for (account, knows) in [("alpha-1", true), ("alpha-2", false)] {
        let mut again = past();
        again.record.account = Some(account.into());
        again.recollection.snapshots = snapshots.clone();
        let mut again = Scene::of(again);
        again.order(MysisOrder::Start);
        let notices = runtime_note(&again).contains("credits 7");
        assert_eq!(notices, knows, "{account}");
    }
}

#[test]
fn logging_out_forgets_the_game() {
    let mut scene = begun();
    look(&mut scene, r#"{"credits":7}"#, Some(100));
    scene.want(&[("logout", "{}")]);
    give(&mut scene, "bye", CallStatus::Done, None);
    assert_eq!(runtime_note(&scene), "");
    let forgot = |write: &Write| matches!(write, Write::ForgetSnapshots { .. });
    assert!(scene.writes().iter().any(forgot));
}

#[test]
fn a_template_that_names_the_game_state_gets_it_there() {
    let mut rules = rules();
    rules.system_prompt = Some("you are {{name}}. {{game_state}} {{notices}}".into());
    let mut scene = with_tools(Scene::under(rules));
    scene.prompt("go");
    look(&mut scene, r#"{"credits":7}"#, Some(100));
    assert_eq!(runtime_note(&scene), "");
    let ChatMessage::System(system) = &scene.asked().messages[0] else {
        panic!("a request begins with the system prompt");
    };
    assert!(
        system.contains("get_status (this tick): credits 7"),
        "{system}"
    );
}

#[test]
fn that_the_game_is_away_is_told_and_one_host_row_says_so() {
    let mut scene = begun();
    scene.link(LinkState::Down, Arc::default());
    for _ in 0..3 {
        scene.say("waiting");
        scene.ring();
        assert!(runtime_note(&scene).contains("cannot be reached"));
    }
    let codes = scene.host_codes();
    let notices = codes.iter().filter(|code| *code == "system_notice");
    assert_eq!(notices.count(), 1);
}

/// A model with a small context gets small requests. The token counts of its provider correct their
/// size.
#[test]
fn the_context_of_the_model_bounds_the_request() {
    let mut rules = rules();
    let mut provider = rules.providers["local"].clone();
    provider.context_tokens = Some(8000);
    rules.providers.insert("local".into(), provider);
    rules.max_model_calls = 100;
    let mut scene = with_tools(Scene::under(rules));
    scene.prompt("go");
    for _ in 0..12 {
        scene.want(&[("mine", "{}")]);
        give(&mut scene, &"ore ".repeat(1000), CallStatus::Done, None);
    }
    let bytes = wire_bytes(&scene.asked().messages);
    assert!(
        (10_000..=18_000).contains(&bytes),
        "three bytes a token, without the room of the note: {bytes}"
    );
    for _ in 0..12 {
        let bytes = wire_bytes(&scene.asked().messages) as u64;
        scene.reply(ModelAnswer {
            calls: vec![RequestedCall {
                id: "a".to_string(),
                name: "mine".to_string(),
                arguments: "{}".to_string(),
            }],
            usage: Some(TokenUsage {
                input: bytes * 2 / 3,
                output: 1,
                cached: 0,
            }),
            ..ModelAnswer::default()
        });
        give(&mut scene, &"ore ".repeat(1000), CallStatus::Done, None);
    }
    let bytes = wire_bytes(&scene.asked().messages);
    assert!(
        (6000..=9500).contains(&bytes),
        "three bytes are two tokens: {bytes}"
    );
}

#[test]
fn tools_that_do_not_fit_the_context_are_told_once() {
    let mut rules = rules();
    let mut provider = rules.providers["local"].clone();
    provider.context_tokens = Some(4096);
    rules.tools.list = ToolListMode::All;
    rules.providers.insert("local".into(), provider);
    let mut scene = Scene::under(rules);
    let tool = ToolSpec {
        name: "mine".into(),
        description: "x".repeat(9000).into(),
        schema: "{}".into(),
        read_only_hint: None,
    };
    scene.link(LinkState::Ok, Arc::new(Toolset::new([tool])));
    for _ in 0..3 {
        scene.prompt("go");
        scene.say("done");
    }
    assert_eq!(scene.host_codes(), ["small_context"]);
}

#[test]
fn a_ship_under_way_or_cooling_down_is_shown_between_turns_until_its_tick() {
    let cases = [
        (
            r#"{"ticks":5,"arrival_tick":105}"#,
            Activity::InTransit,
            50_000,
        ),
        (r#"{"cooldown_ticks":2}"#, Activity::OnCooldown, 20_000),
        (r#"{"arrival_tick":100}"#, Activity::Pausing, 2_000),
    ];
    for (result, activity, millis) in cases {
        let mut scene = begun();
        scene.want(&[("mine", "{}")]);
        scene.leave();
        assert_eq!(scene.life.status().activity, Activity::Mining);
        let work = scene.call().work;
        let outcome = ToolOutcome {
            tick: Some(100),
            ..outcome(result, CallStatus::Done)
        };
        scene.handle(LifeInput::Returned { work, outcome });
        scene.say("under way");
        let status = scene.life.status();
        assert_eq!(status.activity, activity, "{result}");
        let until = status.activity_until.expect("an end");
        // The scene's clock advances by a millisecond with each input.
        let shown = until.since(status.activity_since);
        assert!(shown.abs_diff(millis) < 10, "{result}: {shown}");
    }
}

#[test]
fn only_a_deed_in_the_game_makes_old_what_was_seen() {
    for (tool, status, is_marked) in [
        ("mine", CallStatus::Done, true),
        ("mine", CallStatus::Unknown, true),
        ("mine", CallStatus::Failed, false),
        ("get_chat_history", CallStatus::Done, false),
        ("zoea_read_result", CallStatus::Done, false),
        ("view_market", CallStatus::Done, false),
        ("login", CallStatus::Done, false),
        ("register", CallStatus::Done, false),
        ("login_link", CallStatus::Done, false),
        ("login_link_poll", CallStatus::Done, false),
    ] {
        let mut scene = begun();
        let names = ["get_status", tool];
        let tools = names.map(|name| ToolSpec {
            name: name.into(),
            description: "".into(),
            schema: "{}".into(),
            read_only_hint: (name == "view_market").then_some(true),
        });
        scene.handle(LifeInput::Linked {
            link: LinkState::Ok,
            fault: None,
            tools: Arc::new(Toolset::new(tools)),
            account: Some("alpha-1".into()),
        });
        look(&mut scene, r#"{"credits":7}"#, None);
        scene.want(&[(tool, "{}")]);
        give(&mut scene, "x", status, None);
        let is_stale = |write: &Write| matches!(write, Write::Stale { .. });
        assert_eq!(
            scene.writes().iter().any(is_stale),
            is_marked,
            "{tool} {status:?}"
        );
    }
}

#[test]
fn what_the_login_answers_is_known_until_the_status_is_seen() {
    let mut scene = Scene::new();
    scene.order(MysisOrder::Mission(mission("mine")));
    let text = r#"{"player":{"username":"rex","credits":4242},"ship":{"fuel":77},"tick":9}"#;
    let work = scene.asked().work;
    scene.handle(LifeInput::LoggedIn {
        account: Some("rex".into()),
        text: text.to_string(),
    });
    scene.handle(LifeInput::Outdated { work });
    let note = |scene: &Scene| format!("{:?}", scene.asked().messages.last());
    assert!(note(&scene).contains("- login ("), "{}", note(&scene));
    assert!(note(&scene).contains("4242") && note(&scene).contains("77"));
    // What was seen since takes its place.
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("ore");
    assert!(note(&scene).contains("mine may have changed it since"));
    scene.want(&[("get_status", "{}")]);
    scene.leave();
    scene.give_back(r#"{"player":{"credits":4300}}"#);
    assert!(!note(&scene).contains("- login"), "{}", note(&scene));
}
