//! Texts that are refused and stand in no row of others: what the runtime tells of the game, and the
//! model's own words.

use super::trying::{Server, has_poison, refused, texts};
use super::*;
use crate::held::HELD_SENTENCE;

fn server() -> Server {
    Server::new(refused("HTTP 400: no"), OthersGet::Served)
}

/// Serves another request without a refusal, and asserts that the text is gone for good.
fn assert_plays_on(server: &mut Server, count: usize, most: usize) {
    assert!(count <= most, "{count} requests");
    assert_eq!(server.scene.life.state(), LifeState::Running);
    let last = texts(server.requests.last().expect("it asked"));
    assert!(last.contains(HELD_SENTENCE), "{last}");
    server.scene.prompt("and on");
    assert_eq!(server.serve(), 1);
}

/// What the game answers to the login, with a text that the model's server refuses.
fn log_in(server: &mut Server, text: &str) {
    server.scene.handle(LifeInput::LoggedIn {
        account: Some("drifter".into()),
        text: text.into(),
    });
}

#[test]
fn what_the_answer_to_a_login_says_is_found_and_left_out() {
    let mut server = server();
    log_in(&mut server, r#"{"player":{"motto":"POISON"},"credits":7}"#);
    server.scene.prompt("go on");
    let count = server.serve();
    assert!(has_poison(&server.requests[0]), "it was told");
    assert_plays_on(&mut server, count, 4);
    // The same answer comes again with each login.
    log_in(&mut server, r#"{"player":{"motto":"POISON"},"credits":7}"#);
    server.scene.prompt("once more");
    assert_eq!(server.serve(), 1, "it is known");
}

#[test]
fn what_a_notice_of_the_runtime_quotes_is_found_and_left_out() {
    let mut server = server();
    server.scene.life.routines.report = Some("It ended because Rex says POISON.".into());
    server.scene.prompt("go on");
    let count = server.serve();
    assert_plays_on(&mut server, count, 4);
}

#[test]
fn a_report_and_the_step_that_it_tells_of_are_found_together() {
    let mut server = server();
    server.scene.prompt("mine");
    server.scene.want(&[("mine", "{}")]);
    server.scene.leave();
    log_in(&mut server, r#"{"player":{"motto":"POISON"},"credits":7}"#);
    server
        .scene
        .give_back("the routine ended, since POISON is unlike all before");
    let count = server.serve();
    assert_plays_on(&mut server, count, 5);
}

#[test]
fn the_models_own_words_are_found_and_left_out_and_each_result_keeps_its_call() {
    for (text, arguments) in [("", r#"{"text":"POISON"}"#), ("I say POISON", "{}")] {
        let mut server = server();
        server.refuses = |ask| {
            let has_call = |message: &ChatMessage| match message {
                ChatMessage::Assistant { text, calls, .. } => {
                    let mut calls = calls.iter();
                    text.contains("POISON") || calls.any(|call| call.arguments.contains("POISON"))
                }
                ChatMessage::System(_) | ChatMessage::User(_) | ChatMessage::Tool { .. } => false,
            };
            ask.messages.iter().any(has_call)
        };
        server.scene.prompt("greet Rex");
        server.scene.reply(ModelAnswer {
            text: text.to_string(),
            calls: vec![RequestedCall {
                id: "id0".to_string(),
                name: "get_status".to_string(),
                arguments: arguments.to_string(),
            }],
            ..ModelAnswer::default()
        });
        server.scene.leave();
        server.scene.give_back("said");
        let count = server.serve();
        assert!(count <= 5, "{count} requests");
        assert_eq!(server.scene.life.state(), LifeState::Running);
        assert_eq!(server.held.all().len(), 1);
        assert!(server.held.all()[0].is_local, "these words are its own");
        let last = server.requests.last().expect("it asked");
        let results = last.messages.iter();
        let results = results.filter(|one| matches!(one, ChatMessage::Tool { .. }));
        assert_eq!(results.count(), 1, "the result stays");
        server.scene.prompt("and on");
        assert_eq!(server.serve(), 1);
        // In a day it is tried once more.
        let mut held = server.held.all()[0].as_ref().clone();
        held.doubted_at = Timestamp(held.doubted_at.0 - 86_400_000);
        server.held.hold(Arc::new(held));
        server.learn();
        server.refuses = |_| false;
        server.scene.prompt("and on again");
        assert_eq!(server.serve(), 1);
        assert!(server.held.all().is_empty(), "it is taken again");
    }
}

#[test]
fn what_the_system_prompt_tells_of_the_game_is_found_and_left_out() {
    let mut server = server();
    let mut rules = rules();
    rules.system_prompt = Some("you are {{name}}. {{game_state}} {{notices}}".into());
    server.scene.reload(rules);
    log_in(&mut server, r#"{"player":{"motto":"POISON"},"credits":7}"#);
    server.scene.prompt("go on");
    let count = server.serve();
    let ChatMessage::System(first) = &server.requests[0].messages[0] else {
        panic!("a system prompt stands first");
    };
    assert!(first.contains("POISON"), "{first}");
    assert_plays_on(&mut server, count, 4);
}
