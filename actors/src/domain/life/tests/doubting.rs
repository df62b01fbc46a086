//! What a refusal says nothing of: a text that no request shows, another conversation, another provider.

use super::trying::{Server, has_poison, refused, with_a_poisoned_result};
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
                scene.handle(LifeInput::Replied {
                    work: asked.work,
                    provider: "spare".into(),
                    result: Err(fault.clone()),
                    ms: 5,
                    others,
                });
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
