//! What a refusal says nothing of: a text that no request shows, another conversation, another provider.

use super::trying::{Server, has_poison, refused, texts, with_a_poisoned_result};
use super::*;
use crate::held::{HeldText, Recipient};

fn held_by(mysis: i64) -> HeldText {
    let server = with_a_poisoned_result("Rex says POISON");
    HeldText {
        mysis: MysisId(mysis),
        is_local: true,
        ..HeldText::clone(&server.held.all()[0])
    }
}

#[test]
fn a_text_that_no_request_shows_any_more_is_not_doubted() {
    for is_forgotten in [false, true] {
        let mut server = with_a_poisoned_result("Rex says POISON");
        // A newer result of the same call takes its place.
        server.scene.prompt("look again");
        server.scene.want(&[("get_status", "{}")]);
        server.scene.leave();
        server.scene.give_back("fuel 7");
        assert_eq!(server.serve(), 1);
        let mut held = server.held.all()[0].as_ref().clone();
        held.doubted_at = match is_forgotten {
            true => Timestamp(0),
            false => Timestamp(held.doubted_at.0 - 86_400_000),
        };
        server.held.hold(Arc::new(held));
        server.learn();
        server.scene.prompt("go on");
        assert_eq!(server.serve(), 1);
        assert_eq!(server.held.all().len(), 1, "nothing was proven");
        assert!(!server.scene.host_codes().contains(&"released".to_string()));
        // Where it comes again, it is.
        server.scene.prompt("look once more");
        server.scene.want(&[("get_status", "{}")]);
        server.scene.leave();
        server.scene.give_back("Rex says POISON");
        assert_eq!(server.serve(), 2, "with it, and without it again");
        assert_eq!(server.scene.life.state(), LifeState::Running);
    }
}

#[test]
fn a_text_that_is_refused_with_others_is_held_back_from_each_that_found_it_so() {
    let mut server = Server::fresh(refused("HTTP 400: no"), OthersGet::Served);
    for mysis in [7, 99] {
        server.held.hold(Arc::new(held_by(mysis)));
    }
    let holds = |server: &Server, mysis| {
        let whom = Recipient {
            provider: "local".into(),
            model: server.held.all()[0].model.clone(),
            mysis: MysisId(mysis),
        };
        server.held.find(&whom, "Rex says POISON").is_some()
    };
    assert!(holds(&server, 7) && holds(&server, 99) && !holds(&server, 5));
    // Nor does it take the place of what is held back from all.
    let for_all = HeldText {
        is_local: false,
        ..held_by(5)
    };
    server.held.hold(Arc::new(for_all));
    assert_eq!(server.held.all().len(), 1);
    server.held.hold(Arc::new(held_by(99)));
    assert!(holds(&server, 5));
}

#[test]
fn what_a_fallback_refuses_is_asked_of_its_own_provider_alone_until_that_serves_it() {
    let permanent = ModelFault::Permanent {
        text: "HTTP 401: no key".to_string(),
    };
    for fault in [refused("HTTP 400: no"), permanent] {
        for others in [OthersGet::Served, OthersGet::Nobody, OthersGet::Unknown] {
            let mut past = past();
            let mut rules = rules();
            let local = rules.providers["local"].clone();
            rules.providers.insert("spare".into(), local);
            rules.providers.get_mut("local").unwrap().fallback = Some("spare".into());
            past.rules = Arc::new(rules);
            let mut scene = Scene::of(past);
            for turn in 0..3 {
                scene.prompt("Rex says POISON");
                let asked = scene.asked().clone();
                assert_eq!((asked.routes.len(), has_poison(&asked)), (2, true));
                scene.replied(asked.work, "spare", Err(fault.clone()), others);
                assert_eq!(scene.life.state(), LifeState::Running, "turn {turn}");
                scene.ring();
                let asked = scene.asked().clone();
                let routes: Vec<&str> = asked.routes.iter().map(|it| &*it.provider).collect();
                assert_eq!((routes, has_poison(&asked)), (vec!["local"], true));
                scene.say("fine");
            }
            assert!(!scene.host_codes().contains(&"trial".to_string()));
        }
    }
}

fn fine() -> ModelAnswer {
    ModelAnswer {
        text: "fine".to_string(),
        ..ModelAnswer::default()
    }
}

/// The last request gets this from the first provider.
fn answer(server: &mut Server, result: Result<ModelAnswer, ModelFault>) {
    let work = server.scene.asked().work;
    server
        .scene
        .replied(work, "local", result, OthersGet::Served);
    server.learn();
}

/// Refuses requests until a trial without the text is under way.
fn refuse_until_it_is_left_out(server: &mut Server) {
    for _ in 0..8 {
        if !has_poison(server.scene.asked()) {
            return;
        }
        let fault = server.fault.clone();
        answer(server, Err(fault));
    }
    panic!("no trial leaves it out");
}

fn held_texts(server: &Server) -> Vec<&str> {
    let texts = server.held.all().iter();
    texts.map(|held| &*held.text).collect()
}

#[test]
fn a_trial_says_nothing_of_a_message_that_came_while_it_was_under_way() {
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.scene.prompt("Rex says POISON");
    refuse_until_it_is_left_out(&mut server);
    server.scene.prompt("mine iron");
    answer(&mut server, Ok(fine()));
    assert_eq!(held_texts(&server), ["Rex says POISON"]);
    assert!(!server.held.all()[0].is_local, "one text was left out");
    let asked = texts(server.scene.asked());
    assert!(asked.contains("mine iron"), "{asked}");
    let codes = server.scene.host_codes().into_iter();
    assert_eq!(codes.filter(|code| code == "not_delivered").count(), 1);
}

#[test]
fn a_trial_says_nothing_of_a_mission_that_came_while_it_was_under_way() {
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.refuses = |_| false;
    server
        .scene
        .order(MysisOrder::Mission(mission("mine POISON")));
    server.serve();
    server.scene.prompt("go on");
    refuse_until_it_is_left_out(&mut server);
    let next = Mission {
        id: MissionId(10),
        ..mission("mine ore")
    };
    server.scene.order(MysisOrder::Mission(next));
    answer(&mut server, Ok(fine()));
    assert_eq!(held_texts(&server), ["mine POISON"]);
    let asked = texts(server.scene.asked());
    assert!(asked.contains("mine ore"), "{asked}");
}

/// A server whose Mysis can be given another provider.
fn with_a_spare() -> Server {
    let mut rules = rules();
    let local = rules.providers["local"].clone();
    rules.providers.insert("spare".into(), local);
    let mut server = Server::fresh(refused("HTTP 400: no"), OthersGet::Served);
    server.scene = Scene::under(rules);
    server.scene.prompt("hello");
    server.scene.say("hello yourself");
    server
}

fn give_to_spare(server: &mut Server) {
    let change = ProfileChange {
        provider: Some("spare".into()),
        ..ProfileChange::default()
    };
    server.scene.order(MysisOrder::Configure(change));
}

#[test]
fn what_a_trial_shows_is_so_of_the_provider_that_was_asked() {
    let mut server = with_a_spare();
    server.scene.prompt("Rex says POISON");
    refuse_until_it_is_left_out(&mut server);
    give_to_spare(&mut server);
    answer(&mut server, Ok(fine()));
    assert_eq!(held_texts(&server), ["Rex says POISON"]);
    assert_eq!(&*server.held.all()[0].provider, "local");
    // The form of requests, too.
    let mut server = with_a_spare();
    server.scene.prompt("go");
    server.scene.want(&[("mine", "{}")]);
    server.scene.leave();
    server.scene.give_back("5 ore");
    let fault = server.fault.clone();
    answer(&mut server, Err(fault));
    give_to_spare(&mut server);
    answer(&mut server, Ok(fine()));
    let lessons = server.held.lessons().iter();
    let lessons: Vec<&str> = lessons.map(|held| &*held.provider).collect();
    assert_eq!(lessons, ["local"]);
}

#[test]
fn one_that_gets_another_provider_asks_that_for_the_whole_at_once() {
    for is_in_flight in [true, false] {
        let mut server = with_a_spare();
        if !is_in_flight {
            server.held.trials.is_shared = true;
            server.learn();
        }
        server.scene.prompt("Rex says POISON");
        let fault = server.fault.clone();
        answer(&mut server, Err(fault.clone()));
        give_to_spare(&mut server);
        match is_in_flight {
            true => answer(&mut server, Err(fault)),
            // The trial waits for the other processes.
            false => server.scene.ring(),
        }
        let asked = server.scene.asked();
        let routes: Vec<&str> = asked.routes.iter().map(|it| &*it.provider).collect();
        assert_eq!((routes, has_poison(asked)), (vec!["spare"], true));
        let work = asked.work;
        server
            .scene
            .replied(work, "spare", Ok(fine()), OthersGet::Nobody);
        server.learn();
        assert!(server.held.all().is_empty(), "nothing is proven");
    }
}

#[test]
fn an_order_that_is_written_anew_without_its_last_sentence_is_delivered() {
    let order = "mine at the belt and sell what you have. ".repeat(15);
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server
        .scene
        .prompt(&format!("{order}Then greet Rex with POISON."));
    server.serve();
    assert_eq!(server.held.all().len(), 1);
    server.scene.prompt(&order);
    assert_eq!(server.serve(), 1);
    let last = texts(server.requests.last().expect("it asked"));
    assert!(last.contains(order.trim_end()), "{last}");
    let codes = server.scene.host_codes().into_iter();
    assert_eq!(codes.filter(|code| code == "not_delivered").count(), 1);
}
