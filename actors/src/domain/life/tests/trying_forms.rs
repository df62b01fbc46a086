//! Trials of the form of requests: tools, calls in messages, and sizes, and what is learnt of them.

use super::trying::{Server, refused, texts};
use super::*;
use crate::held::HeldKind;
use crate::role_list::ListNews;

fn has_calls(ask: &ModelQuery) -> bool {
    let mut messages = ask.messages.iter();
    messages.any(|message| match message {
        ChatMessage::Assistant { calls, .. } => !calls.is_empty(),
        ChatMessage::Tool { .. } => true,
        ChatMessage::System(_) | ChatMessage::User(_) => false,
    })
}

fn tools_of(ask: &ModelQuery) -> Vec<String> {
    let tools = ask.tools.tools().tools().iter();
    tools.map(|tool| tool.name.to_string()).collect()
}

/// A server that has served nothing yet.
fn fresh(others: OthersGet, refuses: fn(&ModelQuery) -> bool) -> Server {
    let mut server = Server::fresh(refused("HTTP 400: nope"), others);
    server.refuses = refuses;
    server
}

/// How often it told the list of its role that a refused tool left or came back.
fn changes(server: &Server) -> usize {
    let effects = server.scene.effects.iter();
    let notices = effects.filter(|it| matches!(it, Effect::ToolNews(_, ListNews::Refused)));
    notices.count()
}

fn lessons(server: &Server) -> Vec<(HeldKind, String)> {
    let lessons = server.held.lessons().iter();
    lessons
        .map(|held| (held.kind, held.text.to_string()))
        .collect()
}

#[test]
fn a_tool_that_is_refused_in_unknown_words_is_found_and_costs_that_tool_only() {
    let all = [OthersGet::Nobody, OthersGet::Refused, OthersGet::Unknown];
    // What may pass is first tried again.
    let faults = [(refused("HTTP 400: nope"), 8), (transient(), 10)];
    for (others, (fault, most)) in all
        .into_iter()
        .flat_map(|one| faults.clone().map(|it| (one, it)))
    {
        let mut server = fresh(others, |ask| tools_of(ask).contains(&"mine".to_string()));
        server.fault = fault;
        server.scene.prompt("go");
        let count = server.serve();
        assert!(count <= most, "{count} requests, {others:?}");
        assert_eq!(lessons(&server), [(HeldKind::Tool, "mine".to_string())]);
        assert!(server.held.all().is_empty(), "no text is blamed");
        let last = tools_of(server.requests.last().expect("it asked"));
        assert!(
            last.len() > 2 && !last.contains(&"mine".to_string()),
            "{last:?}"
        );
        assert!(server.scene.host_codes().contains(&"learnt".to_string()));
        assert_eq!(changes(&server), 1, "its list has changed");
        server.scene.prompt("go on");
        assert_eq!(server.serve(), 1, "it is known");
        server.refuses = |_| false;
        server.scene.now += 86_400_000;
        server.scene.prompt("again");
        server.serve();
        assert!(lessons(&server).is_empty(), "it is taken again");
        assert_eq!(changes(&server), 2, "it has come back");
    }
}

#[test]
fn what_another_one_found_out_meanwhile_is_asked_whole_and_no_text_is_blamed_for_it() {
    let refuses = |ask: &ModelQuery| tools_of(ask).contains(&"mine".to_string());
    let mut other = fresh(OthersGet::Nobody, refuses);
    other.scene.prompt("go");
    other.serve();
    let mut server = fresh(OthersGet::Served, refuses);
    server.scene.prompt("go");
    server.held = other.held;
    server.learn();
    assert_eq!(
        server.serve(),
        2,
        "the whole request, then without the tool"
    );
    let last = texts(server.requests.last().expect("it asked"));
    assert!(
        last.contains("go") && server.held.all().is_empty(),
        "{last}"
    );
}

#[test]
fn a_tool_that_the_servers_words_point_at_is_tried_at_once_and_not_blamed_unheard() {
    for is_guilty in [true, false] {
        let mut server = fresh(OthersGet::Nobody, |_| true);
        server.fault = ModelFault::Refused {
            text: "HTTP 400: schema of 'mine'".to_string(),
            usage: None,
            hint: RefusalHint::Tools(vec!["mine".into()]),
        };
        server.refuses = match is_guilty {
            true => |ask| tools_of(ask).contains(&"mine".to_string()),
            false => |ask| texts(ask).contains("POISON"),
        };
        server.scene.prompt("POISON");
        let count = server.serve();
        assert!(count <= if is_guilty { 2 } else { 6 }, "{count} requests");
        let expected: &[(HeldKind, String)] = match is_guilty {
            true => &[(HeldKind::Tool, "mine".to_string())],
            false => &[],
        };
        assert_eq!(lessons(&server), expected);
        assert_eq!(server.held.all().len(), usize::from(!is_guilty));
    }
}

#[test]
fn a_server_that_refuses_calls_in_messages_gets_them_as_words_and_no_tool_is_lost() {
    for others in [OthersGet::Served, OthersGet::Both, OthersGet::Nobody] {
        let mut server = fresh(others, has_calls);
        server.scene.prompt("go");
        let ask = server.scene.asked().clone();
        assert!(!has_calls(&ask));
        server.scene.want(&[("mine", "{}")]);
        server.scene.leave();
        server.scene.give_back("5 ore");
        let count = server.serve();
        assert!(count <= 3, "{count} requests, {others:?}");
        assert_eq!(lessons(&server), [(HeldKind::Calls, String::new())]);
        assert!(server.held.all().is_empty(), "no text is blamed");
        let last = server.requests.last().expect("it asked");
        assert!(texts(last).contains("5 ore"), "{}", texts(last));
        assert_eq!(tools_of(last), tools_of(&ask));
        server.scene.prompt("go on");
        assert_eq!(server.serve(), 1, "it is known");
    }
}

#[test]
fn a_request_that_is_many_times_too_long_is_served_and_its_size_is_known_to_all() {
    let mut server = fresh(OthersGet::Served, |ask| texts(ask).len() > 12_000);
    server.scene.prompt(&"long ".repeat(10_000));
    let count = server.serve();
    assert!(count <= 5, "{count} requests");
    let [(HeldKind::Size, most)] = &lessons(&server)[..] else {
        panic!("{:?}", lessons(&server));
    };
    let most: usize = most.parse().expect("a number");
    assert!(most < 16_000, "{most}");
    // Another one on the same model knows it.
    let mut other = fresh(OthersGet::Served, |ask| texts(ask).len() > 12_000);
    other.held = server.held.clone();
    other.learn();
    other.scene.prompt(&"long ".repeat(10_000));
    assert_eq!(other.serve(), 1);
}

#[test]
fn what_was_learnt_of_the_form_is_doubted_once_a_day_and_forgotten_where_it_is_no_longer_so() {
    for is_cured in [true, false] {
        let mut server = fresh(OthersGet::Served, has_calls);
        server.scene.prompt("go");
        server.scene.want(&[("mine", "{}")]);
        server.scene.leave();
        server.scene.give_back("5 ore");
        server.serve();
        if is_cured {
            server.refuses = |_| false;
        }
        server.scene.now += 86_400_000;
        server.scene.prompt("again");
        assert_eq!(server.serve(), if is_cured { 1 } else { 2 });
        assert_eq!(lessons(&server).len(), usize::from(!is_cured));
        server.scene.now += 60_000;
        server.scene.prompt("and again");
        assert_eq!(server.serve(), 1, "not before the next day");
    }
}

#[test]
fn who_is_refused_while_another_one_finds_out_waits_for_it_and_does_not_repeat_itself() {
    let mut server = fresh(OthersGet::Refused, |ask| !ask.is_bare);
    server
        .held
        .begin_judging(("local", "m"), MysisId(99), Moment(0));
    server.learn();
    server.scene.prompt("go");
    let ask = server.scene.asked().clone();
    let fault = server.fault.clone();
    server
        .scene
        .replied(ask.work, "local", Err(fault), OthersGet::Refused);
    let asks = server.scene.asks().len();
    server.scene.ring();
    assert_eq!(server.scene.asks().len(), asks, "it only waits");
    server
        .held
        .apply(crate::held::HeldChange::Judged, MysisId(99), Moment(0));
    server.learn();
    server.scene.ring();
    assert!(server.scene.asked().is_bare, "nothing was found out");
}

#[test]
fn an_answer_that_ends_without_a_word_is_told_to_the_model_once_and_tried_like_a_refusal_then() {
    for says_enough in [true, false] {
        let mut server = fresh(OthersGet::Served, |_| true);
        server.fault = ModelFault::Refused {
            text: "the server ended the answer without a word: ODD_CALL".to_string(),
            usage: None,
            hint: RefusalHint::Ended,
        };
        server.refuses = match says_enough {
            true => |ask| !texts(ask).contains("malformed_call"),
            false => |ask| texts(ask).contains("POISON"),
        };
        server.scene.prompt("Rex says POISON");
        assert_eq!(server.serve(), if says_enough { 2 } else { 3 });
        assert_eq!(server.held.all().len(), usize::from(!says_enough));
        assert!(server.held.lessons().is_empty());
        let notices = server.requests.iter();
        let notices = notices.filter(|ask| texts(ask).contains("malformed_call"));
        assert_eq!(notices.count(), 1);
    }
}
