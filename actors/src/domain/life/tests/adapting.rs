//! How a turn reacts to a provider that needs the request in another form or size.

use super::*;
use crate::compose::wire_bytes;

/// A life with a long result in its turn.
fn with_much_to_say() -> Scene {
    much_to_say(past())
}

fn much_to_say(past: RestoreArgs) -> Scene {
    let mut scene = Scene::of(past);
    scene.prompt("go");
    for _ in 0..2 {
        scene.want(&[("mine", "{}")]);
        scene.leave();
        scene.give_back(&"ore ".repeat(4000));
    }
    scene
}

fn too_long() -> ModelFault {
    ModelFault::TooLong {
        text: "HTTP 400: maximum context length".to_string(),
        limit: None,
    }
}

#[test]
fn a_request_that_is_too_long_is_composed_smaller_and_asked_once_again() {
    let mut scene = with_much_to_say();
    let before = wire_bytes(&scene.asked().messages);
    let asks = scene.asks().len();
    scene.fail(too_long());
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.asks().len(), asks + 1, "at once");
    let after = wire_bytes(&scene.asked().messages);
    assert!(after <= before / 2, "{before} and then {after}");
    assert_eq!(scene.host_codes(), ["shortened"]);
    scene.fail(too_long());
    assert_eq!(scene.host_codes(), ["shortened"], "once, not for ever");
}

#[test]
fn what_was_learnt_of_the_length_holds_for_the_turns_after() {
    let mut scene = with_much_to_say();
    let before = wire_bytes(&scene.asked().messages);
    scene.fail(too_long());
    scene.say("done");
    scene.prompt("again");
    assert!(wire_bytes(&scene.asked().messages) <= before / 2);
    assert_eq!(scene.life.state(), LifeState::Running);
}

#[test]
fn what_is_too_long_for_a_fallback_is_not_learnt_of_its_own_provider() {
    for refusing in ["local", "spare"] {
        let mut rules = rules();
        let spare = rules.providers["local"].clone();
        rules.providers.insert("spare".into(), spare);
        let local = rules.providers.get_mut("local").expect("a provider");
        local.fallback = Some("spare".into());
        let mut scene = much_to_say(RestoreArgs {
            rules: Arc::new(rules),
            ..past()
        });
        let work = scene.asked().work;
        scene.replied(work, refusing, Err(too_long()), OthersGet::Nobody);
        assert_eq!(scene.host_codes(), ["shortened"]);
        scene.say("done");
        let is_learnt = scene.host_codes().contains(&"learnt".to_string());
        assert_eq!(is_learnt, refusing == "local");
    }
}

#[test]
fn where_the_provider_writes_otherwise_from_now_on_the_turn_goes_on_at_once() {
    let mut scene = Scene::new();
    scene.prompt("go");
    for round in 1..=5 {
        scene.fail(ModelFault::Adapted {
            text: "left out: get_map".to_string(),
        });
        assert_eq!(scene.asks().len(), 1 + round, "it is no try");
    }
    scene.say("done");
    assert_eq!(scene.host_codes(), ["adapted"; 5]);
    assert_eq!(scene.life.status().totals.turns, 1);
}

#[test]
fn an_answer_without_a_choice_is_paid_for_and_asked_again() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.fail(ModelFault::Empty {
        text: "the answer holds no choice".to_string(),
        usage: Some(TokenUsage {
            input: 70,
            output: 0,
            cached: 0,
        }),
    });
    assert_eq!(scene.host_codes(), ["empty_answer", "retry"]);
    assert_eq!(scene.life.status().totals.tokens_in, 70);
    scene.ring();
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn a_call_by_a_name_with_leaked_tokens_is_made() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine<|channel|>commentary", "{}")]);
    assert_eq!(&*scene.call().tool, "mine");
}

#[test]
fn calls_that_the_server_itself_refuses_are_told_to_the_model_and_never_made() {
    let mut scene = Scene::new();
    scene.prompt("go");
    let refused = || ModelAnswer {
        calls: vec![RequestedCall {
            id: String::new(),
            name: "mine".to_string(),
            arguments: "{\"asteroid\":7}".to_string(),
        }],
        refusal: Some("Error: refused_call: missing properties: 'ore'".to_string()),
        ..ModelAnswer::default()
    };
    scene.reply(refused());
    assert_eq!(scene.life.state(), LifeState::Running);
    assert_eq!(scene.result_status(), [CallStatus::NotExecuted]);
    let is_call = |effect: &Effect| matches!(effect, Effect::Call(_));
    assert!(!scene.effects.iter().any(is_call), "it is not made");
    let ChatMessage::Tool { text, .. } = scene.last_message() else {
        panic!("the model is told");
    };
    assert_eq!(&*text, "Error: refused_call: missing properties: 'ore'");
    // Each of them is one of the turn's model calls.
    scene.reply(refused());
    scene.reply(refused());
    assert_eq!(scene.asks().len(), 3, "the turn is over");
    assert_eq!(scene.life.state(), LifeState::Running);
}

#[test]
fn a_context_that_the_server_states_is_kept_to_and_told() {
    let mut scene = with_much_to_say();
    let before = wire_bytes(&scene.asked().messages);
    scene.fail(ModelFault::TooLong {
        text: "HTTP 400: exceeds the available context size".to_string(),
        limit: Some(ContextLimit {
            prompt: 10_000,
            context: 8000,
        }),
    });
    let after = wire_bytes(&scene.asked().messages);
    assert!(after <= before * 8 / 10, "{before} and then {after}");
    let rows = scene.rows();
    let notices = rows.iter().find(|row| row.host().is_some());
    let notices = notices.expect("a notice").text().clone();
    assert!(notices.contains("context_tokens = 8000"), "{notices}");
    let (_, room) = notices.split_once("kept below ").expect("a limit");
    let room: usize = room.split(' ').next().unwrap().parse().unwrap();
    assert!(
        room > before / 2,
        "no more than needed: {before} and then {room}"
    );
}

#[test]
fn a_provider_that_serves_nobody_is_waited_for_without_using_up_a_try() {
    let mut scene = Scene::new();
    scene.prompt("go");
    for round in 1..=20 {
        scene.fail(ModelFault::OutOfService {
            text: "HTTP 402: Insufficient Balance".to_string(),
            wait: Duration::from_secs(900),
            ends_by: ServiceReturn::Operator,
        });
        assert_eq!(scene.life.state(), LifeState::Running);
        scene.ring();
        assert_eq!(scene.asks().len(), 1 + round);
    }
    assert_eq!(scene.host_codes(), ["waits"], "it is reported once");
    scene.say("done");
    assert_eq!(scene.life.state(), LifeState::Running);
}

#[test]
fn calls_in_the_text_are_made_kept_as_written_and_shown_as_calls() {
    const WRITTEN: &str = "{\"name\": \"mine\", \"arguments\": {}}";
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.say(WRITTEN);
    assert_eq!(&*scene.call().tool, "mine");
    let rows = scene.rows();
    let said = rows.iter().find_map(|row| row.utterance());
    let said = said.expect("a call row");
    assert!(&*said.text == WRITTEN && said.meta.is_from_text);
    scene.leave();
    scene.give_back("ore");
    let messages = scene.asked().messages.clone();
    let shown = messages.iter().find_map(|message| match message {
        ChatMessage::Assistant { text, calls, .. } => Some((text.clone(), calls.len())),
        _ => None,
    });
    assert_eq!(shown, Some(("".into(), 1)));
    scene.say(&format!(
        "{WRITTEN}\n{{\"name\": \"dance\", \"arguments\": {{}}}}"
    ));
    let unmade = CallStatus::NotExecuted;
    assert_eq!(scene.result_status(), [CallStatus::Done, unmade, unmade]);
    assert_eq!(scene.host_codes(), ["calls_in_text"], "it is reported once");
    scene.say("I mined with {\"name\": \"mine\", \"arguments\": {}}.");
    assert_eq!(scene.kinds().last(), Some(&RowKind::Reply));
}

#[test]
fn a_call_in_the_reasoning_is_not_made_and_the_model_learns_it_within_the_turn() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.reply(ModelAnswer {
        reasoning: Some("<tool_call>{\"name\": \"mine\", \"arguments\": {}}".to_string()),
        ..ModelAnswer::default()
    });
    assert_eq!(scene.result_status(), [CallStatus::NotExecuted]);
    let asked = super::trying::texts(scene.asked());
    assert!(
        asked.contains("your call stands in your reasoning"),
        "{asked}"
    );
}

#[test]
fn calls_in_the_text_are_words_where_the_configuration_says_so() {
    let mut strict = rules();
    let local = strict.providers.get_mut("local").expect("a provider");
    local.reads_text_calls = false;
    let mut scene = Scene::under(strict);
    scene.prompt("go");
    scene.say("{\"name\": \"mine\", \"arguments\": {}}");
    assert_eq!(scene.kinds().last(), Some(&RowKind::Reply));
}

#[test]
fn a_call_in_the_text_of_a_tool_that_is_not_on_offer_is_words() {
    let mut strict = rules();
    Arc::make_mut(&mut strict.tools.filters).swarm.deny = vec!["mine".into()];
    let mut scene = Scene::under(strict);
    scene.prompt("go");
    scene.say("{\"name\": \"mine\", \"arguments\": {}}");
    assert_eq!(scene.kinds().last(), Some(&RowKind::Reply));
}

#[test]
fn a_quoted_result_is_not_made_as_a_call() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.say("mine {\"ore\":\"iron\",\"quantity\":5}");
    assert_eq!(scene.kinds().last(), Some(&RowKind::Reply));
}

#[test]
fn what_a_provider_wants_back_is_in_the_request_that_follows() {
    let mut scene = Scene::new();
    scene.prompt("go");
    let echo = Echo {
        provider: "local".into(),
        model: "m".into(),
        message: "{\"reasoning_details\":[]}".into(),
        reasoning: "".into(),
        calls: vec!["{\"extra_content\":{}}".into()],
    };
    scene.reply(ModelAnswer {
        calls: vec![RequestedCall {
            id: "a".to_string(),
            name: "mine".to_string(),
            arguments: "{}".to_string(),
        }],
        echo: Some(Box::new(echo.clone())),
        ..ModelAnswer::default()
    });
    scene.leave();
    scene.give_back("ore");
    let messages = scene.asked().messages.clone();
    let sent = messages.iter().find_map(|message| match message {
        ChatMessage::Assistant { echo, .. } => echo.clone(),
        _ => None,
    });
    assert_eq!(sent.as_deref(), Some(&echo));
}
