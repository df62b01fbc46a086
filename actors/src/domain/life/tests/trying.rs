//! Trials of a refusal: whose fault it is, and what is held back for it.

use super::*;
use crate::held::{HELD_SENTENCE, HeldChange, HeldTexts, SharedTrial};
use crate::needs::operator_need;
use crate::write::Write;

/// What a server refuses, and what others get meanwhile.
pub(super) struct Server {
    pub(super) scene: Scene,
    pub(super) refuses: fn(&ModelQuery) -> bool,
    pub(super) fault: ModelFault,
    others: OthersGet,
    pub(super) held: HeldTexts,
    pub(super) requests: Vec<ModelQuery>,
}

pub(super) fn refused(text: &str) -> ModelFault {
    ModelFault::Refused {
        text: text.to_string(),
        usage: None,
        hint: RefusalHint::default(),
    }
}

pub(super) fn texts(ask: &ModelQuery) -> String {
    let texts = ask.messages.iter().map(|message| match message {
        ChatMessage::System(text) | ChatMessage::User(text) => text.to_string(),
        ChatMessage::Tool { text, .. } => text.to_string(),
        ChatMessage::Assistant { text, .. } => text.to_string(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub(super) fn has_poison(ask: &ModelQuery) -> bool {
    texts(ask).contains("POISON")
}

impl Server {
    pub(super) fn new(fault: ModelFault, others: OthersGet) -> Server {
        let mut server = Server::fresh(fault, others);
        server.scene.prompt("hello");
        server.scene.say("hello yourself");
        server
    }

    /// One that has served nothing yet.
    pub(super) fn fresh(fault: ModelFault, others: OthersGet) -> Server {
        Server {
            scene: Scene::new(),
            refuses: has_poison,
            fault,
            others,
            held: HeldTexts::default(),
            requests: Vec::new(),
        }
    }

    /// Answers requests until one is served that is about the conversation. Returns how many it took.
    pub(super) fn serve(&mut self) -> usize {
        for count in 1..=20 {
            if self.scene.life.state() != LifeState::Running {
                return count - 1;
            }
            let ask = self.scene.asked().clone();
            self.requests.push(ask.clone());
            let is_refused = (self.refuses)(&ask);
            let result = match is_refused {
                true => Err(self.fault.clone()),
                false => Ok(ModelAnswer {
                    text: "fine".to_string(),
                    ..ModelAnswer::default()
                }),
            };
            let others = self.others;
            let asks = self.scene.asks().len();
            self.scene.replied(ask.work, "local", result, others);
            self.learn();
            if !is_refused && !ask.is_bare {
                return count;
            }
            while self.scene.asks().len() == asks && self.scene.life.state() == LifeState::Running {
                self.scene.ring();
            }
        }
        panic!("it was never served");
    }

    /// Asserts that no request was made again that was refused.
    fn assert_no_body_twice(&self) {
        let refused = self.requests.iter().filter(|ask| (self.refuses)(ask));
        let bodies: Vec<(String, Option<u32>)> =
            refused.map(|ask| (texts(ask), ask.max_tokens)).collect();
        for (place, body) in bodies.iter().enumerate() {
            assert!(!bodies[..place].contains(body), "{body:?}");
        }
    }

    /// Why the operator is needed because an order was not delivered.
    fn need(&self) -> Option<String> {
        let need = operator_need(&self.scene.life.status())?;
        (need.what == "not delivered").then(|| need.why.to_string())
    }

    pub(super) fn learn(&mut self) {
        let changes: Vec<HeldChange> = self
            .scene
            .effects
            .extract_if(.., |effect| matches!(effect, Effect::HeldBack(_)))
            .map(|effect| match effect {
                Effect::HeldBack(change) => change,
                _ => unreachable!("only these were taken"),
            })
            .collect();
        for change in changes {
            self.held.apply(change, MysisId(7), Moment(0));
        }
        self.scene.life.set_held(Arc::new(self.held.clone()));
    }
}

fn all_faults() -> [ModelFault; 5] {
    [
        refused("HTTP 400: Content Exists Risk"),
        refused("HTTP 403: Input was flagged"),
        transient(),
        ModelFault::Empty {
            text: "no choice".to_string(),
            usage: None,
        },
        // A guess of the provider's reader, which no shorter request can prove.
        ModelFault::TooLong {
            text: "HTTP 400: (no text); a long request may be the reason".to_string(),
            limit: None,
        },
    ]
}

#[test]
fn a_message_that_is_refused_is_held_back_and_it_plays_on_within_five_requests() {
    for others in [OthersGet::Served, OthersGet::Nobody, OthersGet::Unknown] {
        for fault in all_faults() {
            let mut server = Server::new(fault.clone(), others);
            server.scene.prompt("Rex says POISON");
            let count = server.serve();
            assert!(count <= 5, "{count} requests, {others:?}, {fault:?}");
            if matches!(fault, ModelFault::Refused { .. }) {
                server.assert_no_body_twice();
            }
            let last = texts(server.requests.last().expect("it asked"));
            assert!(last.contains(HELD_SENTENCE), "{last}");
            assert_eq!(server.held.all().len(), 1);
            assert_eq!(&*server.held.all()[0].text, "Rex says POISON");
            assert!(!server.held.all()[0].is_local);
            let codes = server.scene.host_codes();
            let notices = codes.iter().filter(|code| *code == "not_delivered");
            assert_eq!(notices.count(), 1, "{codes:?}");
            assert!(
                server
                    .need()
                    .is_some_and(|why| why.ends_with("Rex says POISON"))
            );
            // The row stays, and no later request holds its text.
            let rows = server.scene.rows();
            assert!(rows.iter().any(|row| &**row.text() == "Rex says POISON"));
            server.scene.prompt("go on");
            assert_eq!(server.serve(), 1);
            assert_eq!(server.need(), None, "the operator wrote anew");
        }
    }
}

#[test]
fn of_a_result_and_a_message_that_came_together_the_one_that_is_refused_is_found() {
    let poisons: [fn(&ModelQuery) -> bool; 3] = [
        |ask| texts(ask).contains("bad result"),
        |ask| texts(ask).contains("bad order"),
        |ask| texts(ask).contains("bad result") || texts(ask).contains("bad order"),
    ];
    for (place, poison) in poisons.into_iter().enumerate() {
        let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
        server.refuses = poison;
        server.scene.prompt("look");
        server.scene.want(&[("get_status", "{}")]);
        server.scene.leave();
        server.scene.prompt("bad order");
        server.scene.give_back("bad result");
        let count = server.serve();
        assert!(count <= 5 + 3 * place / 2, "{count} requests for {place}");
        let held: Vec<&str> = server.held.all().iter().map(|held| &*held.text).collect();
        let expected: &[&str] = [
            &["bad result"][..],
            &["bad order"],
            &["bad order", "bad result"],
        ][place];
        let mut held = held.clone();
        held.sort_unstable();
        assert_eq!(held, expected);
    }
}

#[test]
fn what_is_refused_for_its_size_is_halved_and_stays_so() {
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.refuses = |ask| texts(ask).len() > 12_000;
    server.scene.prompt(&"long ".repeat(4000));
    assert_eq!(server.serve(), 2, "whole, then half");
    let sizes: Vec<usize> = server.requests.iter().map(|ask| texts(ask).len()).collect();
    assert!(sizes[0] > 20_000 && sizes[1] < 11_000, "{sizes:?}");
    assert!(server.held.all().is_empty(), "nothing is held back for it");
    assert!(server.scene.host_codes().contains(&"learnt".to_string()));
    server.scene.prompt(&"longer ".repeat(4000));
    assert_eq!(server.serve(), 1, "the limit is known");
}

#[test]
fn a_fixed_text_that_is_refused_too_is_an_outage_and_no_fault() {
    for fault in [refused("HTTP 400: No models loaded"), transient()] {
        let mut server = Server::new(fault, OthersGet::Nobody);
        server.refuses = |_| true;
        server.scene.prompt("hello");
        for _ in 0..30 {
            let ask = server.scene.asked().clone();
            server.requests.push(ask.clone());
            let fault = server.fault.clone();
            server
                .scene
                .replied(ask.work, "local", Err(fault), OthersGet::Nobody);
            let asks = server.scene.asks().len();
            if server.scene.asked().work == ask.work {
                server.scene.ring();
            }
            assert_eq!(server.scene.life.state(), LifeState::Running, "{asks}");
        }
        assert!(server.held.all().is_empty());
        // It works again.
        server.refuses = |_| false;
        assert!(server.serve() <= 2);
    }
}

#[test]
fn one_whose_trials_failed_while_others_are_served_is_errored_and_says_what_was_tried() {
    let mut server = Server::new(refused("HTTP 403: no"), OthersGet::Served);
    server.refuses = |ask| !ask.is_bare;
    server.scene.prompt("hello again");
    assert!(server.serve() <= 8);
    assert_eq!(server.scene.life.state(), LifeState::Errored);
    let text = server.scene.life.status().fault.unwrap().text;
    assert!(
        text.contains("HTTP 403: no") && text.contains("without the newest messages"),
        "{text}"
    );
    assert!(server.held.all().is_empty());
}

#[test]
fn who_meets_a_text_that_another_one_tries_waits_for_what_it_finds_out() {
    waits_for_another(
        Server::new(refused("HTTP 400: no"), OthersGet::Served),
        true,
    );
    // A mission that stood before.
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.refuses = |_| false;
    let order = MysisOrder::Mission(mission("Rex says POISON"));
    server.scene.order(order);
    server.serve();
    server.refuses = has_poison;
    waits_for_another(server, false);
}

fn waits_for_another(mut server: Server, is_new: bool) {
    let text: Arc<str> = "Rex says POISON".into();
    let change = HeldChange::Suspect {
        provider: "local".into(),
        texts: vec![text.clone()],
        number: 1,
    };
    server.held.apply(change, MysisId(99), Moment(0));
    server.learn();
    server.scene.prompt(if is_new { &text } else { "go on" });
    let ask = server.scene.asked().clone();
    let asks = server.scene.asks().len();
    server.scene.replied(
        ask.work,
        "local",
        Err(server.fault.clone()),
        OthersGet::Served,
    );
    for _ in 0..5 {
        server.scene.ring();
        assert_eq!(server.scene.asks().len(), asks, "it only waits");
    }
}

#[test]
fn a_text_that_is_held_back_for_a_day_is_tried_once_and_released_or_held_for_another_day() {
    for is_cured in [true, false] {
        let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
        server.scene.prompt("Rex says POISON");
        server.serve();
        let mut held = server.held.all()[0].as_ref().clone();
        held.doubted_at = Timestamp(held.doubted_at.0 - 86_400_000);
        server.held.hold(Arc::new(held));
        server.learn();
        if is_cured {
            server.refuses = |_| false;
        }
        server.scene.prompt("Rex says POISON");
        assert_eq!(server.serve(), if is_cured { 1 } else { 2 });
        assert_eq!(server.held.all().len(), usize::from(!is_cured));
        server.scene.prompt("go on again");
        assert_eq!(server.serve(), 1);
        let writes = server.scene.effects.iter();
        let released = writes
            .filter_map(|effect| match effect {
                Effect::Record { writes, .. } => Some(writes),
                _ => None,
            })
            .flatten()
            .filter(|write| matches!(write, Write::ReleaseText(_)));
        assert_eq!(released.count(), usize::from(is_cured));
    }
}

/// A server whose Mysis got this result of `get_status`, which is refused.
pub(super) fn with_a_poisoned_result(result: &str) -> Server {
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.scene.prompt("look");
    server.scene.want(&[("get_status", "{}")]);
    server.scene.leave();
    server.scene.give_back(result);
    assert!(server.serve() <= 5);
    server
}

/// Plays turns that leave only a summary of what was seen before.
fn play_on(server: &mut Server) {
    for order in ["one", "two", "three"] {
        server.scene.prompt(order);
        server.scene.want(&[("mine", "{}")]);
        server.scene.leave();
        server.scene.give_back("mined");
        assert_eq!(server.serve(), 1, "{order}");
        let last = texts(server.requests.last().expect("it asked"));
        assert!(!last.contains("POISON"), "{last}");
    }
    let last = texts(server.requests.last().expect("it asked"));
    let line = last.lines().find(|line| line.starts_with("- get_status ("));
    let line = line.expect("a line of the summary");
    assert!(line.ends_with(HELD_SENTENCE), "{last}");
}

#[test]
fn a_result_that_is_held_back_stands_in_no_summary_of_the_game_either() {
    // One that fits into a request, and one that is shown in parts only.
    let long = format!("POISON {}", "and on ".repeat(20_000));
    for result in ["Rex says POISON", &long] {
        let mut server = with_a_poisoned_result(result);
        play_on(&mut server);
        // Nor after a restart.
        let stored = server.scene.writes().into_iter().rev();
        let stored = stored.filter_map(|write| match write {
            Write::SaveSnapshot { snapshot, .. } => Some(snapshot.digest.to_string()),
            _ => None,
        });
        assert_eq!(stored.take(1).collect::<Vec<_>>(), [HELD_SENTENCE]);
        // The next look is another text.
        server.scene.prompt("look again");
        server.scene.want(&[("get_status", "{}")]);
        server.scene.leave();
        server.scene.give_back("fuel 7");
        assert_eq!(server.serve(), 1);
    }
}

#[test]
fn a_summary_that_another_one_knows_already_leaves_out_what_is_held_back() {
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.refuses = |_| false;
    server.scene.prompt("look");
    server.scene.want(&[("get_status", "{}")]);
    server.scene.leave();
    server.scene.give_back("Rex says POISON");
    server.serve();
    let other = with_a_poisoned_result("Rex says POISON");
    server.held = other.held;
    server.learn();
    server.refuses = has_poison;
    play_on(&mut server);
}

#[test]
fn a_report_that_quotes_what_is_held_back_is_not_told_to_the_model() {
    let mut server = with_a_poisoned_result("Rex says POISON");
    let notices = "The routine ended because a step did not succeed: Rex says POISON.";
    server.scene.life.routines.report = Some(notices.into());
    server.scene.prompt("go on");
    assert_eq!(server.serve(), 1);
}

/// A Mysis whose model refuses these texts, as another Mysis found out.
fn after_a_verdict(texts: &[&str]) -> Server {
    let mut other = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    for text in texts {
        other.scene.prompt(text);
        other.serve();
    }
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.serve();
    server.held = other.held;
    server.learn();
    server
}

#[test]
fn an_order_that_is_known_to_be_refused_is_a_need_until_the_operator_acts() {
    let notices = |server: &Server| {
        let codes = server.scene.host_codes().into_iter();
        codes.filter(|code| code == "not_delivered").count()
    };
    let mut server = after_a_verdict(&["Rex says POISON", "mine POISON", "POISON is bad"]);
    server.scene.prompt("Rex says POISON");
    assert_eq!(server.serve(), 1, "nothing is tried again");
    server.scene.ring();
    assert_eq!(notices(&server), 1);
    let why = server.need().expect("a need");
    assert!(why.contains("your message was not delivered"), "{why}");
    assert!(why.contains(&server.held.all()[0].id()), "{why}");

    // Another message ends the need, also where the model answered neither.
    server.scene.prompt("Rex says POISON");
    server.scene.want(&[("mine", "{}")]);
    server.scene.leave();
    assert!(server.need().is_some());
    server.scene.prompt("mine on");
    assert_eq!((server.need(), notices(&server)), (None, 2));
    server.scene.give_back("mined");
    assert_eq!(server.serve(), 1);

    // A mission, and a note, until another one takes their place.
    let give = |server: &mut Server, text: &str| {
        server.scene.order(MysisOrder::Mission(mission(text)));
        server.serve();
    };
    server.scene.prompt("go on");
    server.serve();
    assert_eq!((server.need(), notices(&server)), (None, 2));
    give(&mut server, "mine POISON");
    let why = server.need().expect("a need");
    assert!(why.contains("your mission was not delivered"), "{why}");
    assert_eq!(notices(&server), 3);
    give(&mut server, "mine ore");
    assert_eq!(server.need(), None);
    server.scene.order(MysisOrder::Note("POISON is bad".into()));
    let why = server.need().expect("a need");
    assert!(why.contains("your note was not delivered"), "{why}");

    // One request tries a forgotten text again.
    let note = server.held.all()[2].forgotten();
    server.held.hold(Arc::new(note));
    server.learn();
    server.scene.handle(LifeInput::StillWaiting);
    assert_eq!((server.need(), notices(&server)), (None, 4));
    server.scene.prompt("go on");
    assert_eq!(server.serve(), 2, "with it, and without it again");
    server.scene.handle(LifeInput::StillWaiting);
    assert!(server.need().is_some());
    assert_eq!(notices(&server), 5);
    server.scene.prompt("and on");
    assert_eq!(server.serve(), 1);

    // A life that begins later knows of it, and says nothing again.
    let mut later = Scene::of(past());
    let order = "Rex says POISON";
    later.prompt(order);
    later.life.begin_with_held(Arc::new(server.held.clone()));
    later.handle(LifeInput::StillWaiting);
    assert!(operator_need(&later.life.status()).is_some_and(|need| need.what == "not delivered"));
    assert!(!later.host_codes().contains(&"not_delivered".to_string()));
}

#[test]
fn where_processes_share_a_database_a_trial_waits_until_they_admit_it() {
    for (is_admitted, text) in [(true, "a text of its own"), (false, "Rex says POISON")] {
        let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
        server.held.trials.is_shared = true;
        server.learn();
        server.scene.prompt("Rex says POISON");
        let ask = server.scene.asked().clone();
        server.scene.replied(
            ask.work,
            "local",
            Err(server.fault.clone()),
            OthersGet::Served,
        );
        server.learn();
        let asks = server.scene.asks().len();
        server.scene.ring();
        assert_eq!(server.scene.asks().len(), asks, "no process answered yet");
        let said = server.held.trials.claims();
        assert_eq!(said.len(), 1);
        // Another process makes a trial with this text.
        let mut other = HeldTexts::default();
        let change = HeldChange::Suspect {
            provider: "local".into(),
            texts: vec![text.into()],
            number: 1,
        };
        other.trials.is_shared = true;
        other.apply(change, MysisId(99), Moment(0));
        let notices = |claim| SharedTrial {
            claim,
            age: Duration::ZERO,
        };
        let mut all: Vec<SharedTrial> = other.trials.claims().into_iter().map(notices).collect();
        assert_eq!(said[0].is_admitted(&all), is_admitted);
        if is_admitted {
            all.extend(said.iter().cloned().map(notices));
        }
        server.held.trials.take_shared(&said, all, Moment(0));
        server.learn();
        server.scene.ring();
        assert_eq!(server.scene.asks().len() > asks, is_admitted, "{text}");
        if !is_admitted {
            // The verdict of the other process.
            let verdict = with_a_poisoned_result("Rex says POISON").held;
            server.held.hold(verdict.all()[0].clone());
            server.learn();
            server.scene.ring();
        }
        let last = texts(server.scene.asked());
        assert!(last.contains(HELD_SENTENCE), "{last}");
        assert_eq!(server.serve(), 1);
    }
}

#[test]
fn a_text_is_doubted_only_where_it_is_held_back() {
    let mut server = after_a_verdict(&["Rex says POISON"]);
    let mut held = server.held.all()[0].forgotten();
    held.provider = "another".into();
    server.held.hold(Arc::new(held));
    server.learn();
    server.refuses = |_| false;
    server.scene.prompt("Rex says POISON");
    assert_eq!(server.serve(), 1);
    assert_eq!(
        server.held.all().len(),
        2,
        "this server says nothing of another one"
    );
}

#[test]
fn a_text_that_is_doubted_while_the_network_fails_is_left_out_of_the_next_request() {
    let mut server = after_a_verdict(&["Rex says POISON"]);
    let held = server.held.all()[0].forgotten();
    server.held.hold(Arc::new(held));
    server.learn();
    server.scene.prompt("Rex says POISON");
    let ask = server.scene.asked().clone();
    assert!(has_poison(&ask));
    server.scene.replied(
        ask.work,
        "local",
        Err(ModelFault::Unreachable {
            text: "connection refused".to_string(),
        }),
        OthersGet::Served,
    );
    server.learn();
    assert!(!has_poison(server.scene.asked()));
}

#[test]
fn what_all_requests_contain_is_a_need_by_name() {
    // A mission that was served for long, and a note, which the server refuses from now on.
    for (is_note, what) in [(false, "your mission was"), (true, "your note was")] {
        for others in [OthersGet::Served, OthersGet::Refused, OthersGet::Nobody] {
            let mut server = Server::new(refused("HTTP 400: no"), others);
            server.refuses = |_| false;
            let text = match is_note {
                true => MysisOrder::Note("POISON is bad".into()),
                false => MysisOrder::Mission(mission("mine POISON")),
            };
            server.scene.order(text);
            server.scene.prompt("begin");
            server.serve();
            server.refuses = has_poison;
            server.scene.prompt("go on");
            let count = server.serve();
            assert!(count <= 8, "{count} requests, {others:?}");
            assert_eq!(server.scene.life.state(), LifeState::Running);
            let why = server.need().expect("a need");
            assert!(why.contains(what) && why.contains("POISON"), "{why}");
            assert_eq!(server.held.all().len(), 1);
            assert!(!server.held.all()[0].is_local, "it is so for all");
            if others == OthersGet::Served {
                server.assert_no_body_twice();
            }
            server.scene.prompt("and on");
            assert_eq!(server.serve(), 1);
        }
    }
}

#[test]
fn a_cause_that_no_trial_finds_costs_eight_requests_at_most_and_none_twice() {
    for others in [OthersGet::Served, OthersGet::Nobody, OthersGet::Unknown] {
        let mut server = Server::new(refused("HTTP 400: no"), others);
        let long = "mine ".repeat(5000);
        server.scene.order(MysisOrder::Mission(mission(&long)));
        server.serve();
        server.scene.order(MysisOrder::Note("be good".into()));
        server.scene.prompt("look");
        server.scene.want(&[("get_status", "{}")]);
        server.scene.leave();
        server.scene.prompt("an order");
        server.refuses = |ask| !ask.is_bare;
        let before = server.requests.len();
        server.scene.give_back("a result");
        server.serve();
        assert_eq!(server.scene.life.state(), LifeState::Errored, "{others:?}");
        let requests = server.requests.len() - before;
        assert!(requests <= 8, "{requests} requests, {others:?}");
        server.assert_no_body_twice();
        let text = server.scene.life.status().fault.unwrap().text;
        let tried = ["results", "messages", "its mission"];
        let named = tried.iter().all(|what| text.contains(what));
        assert!(
            named && text.contains("its system prompt and its tools"),
            "{text}"
        );
    }
}

#[test]
fn no_trial_is_made_for_a_credential_a_payment_or_while_a_stated_wait_runs() {
    let payment = |text: &str| ModelFault::OutOfService {
        text: text.to_string(),
        wait: Duration::from_secs(900),
        ends_by: ServiceReturn::Operator,
    };
    let faults = [
        ModelFault::Permanent {
            text: "HTTP 401: no key".to_string(),
        },
        payment("HTTP 402: Insufficient Balance"),
        ModelFault::Transient {
            text: "HTTP 402: too much in flight".to_string(),
            retry_after: None,
        },
    ];
    for fault in faults {
        let mut server = Server::new(fault.clone(), OthersGet::Served);
        server.scene.prompt("Rex says POISON");
        for _ in 0..6 {
            let ask = server.scene.asked().clone();
            assert!(has_poison(&ask), "{fault:?}");
            server
                .scene
                .replied(ask.work, "local", Err(fault.clone()), OthersGet::Served);
            if server.scene.life.state() != LifeState::Running {
                break;
            }
            server.scene.ring();
        }
        assert!(!server.scene.host_codes().contains(&"trial".to_string()));
    }
    let waits = [
        ModelFault::Transient {
            text: "HTTP 429: slow down".to_string(),
            retry_after: Some(Duration::from_secs(20)),
        },
        ModelFault::OutOfService {
            text: "HTTP 429: in three hours".to_string(),
            wait: Duration::from_secs(10_800),
            ends_by: ServiceReturn::Time,
        },
    ];
    for fault in waits {
        let mut server = Server::new(fault.clone(), OthersGet::Served);
        server.scene.prompt("Rex says POISON");
        for _ in 0..10 {
            if server.scene.host_codes().contains(&"trial".to_string()) {
                break;
            }
            let ask = server.scene.asked().clone();
            server
                .scene
                .replied(ask.work, "local", Err(fault.clone()), OthersGet::Served);
            if !server.scene.host_codes().contains(&"trial".to_string()) {
                server.scene.ring();
            }
        }
        assert!(server.scene.wait() >= Duration::from_secs(20), "{fault:?}");
        assert!(has_poison(server.scene.asked()), "the trial waits");
    }
}

#[test]
fn a_fixed_text_is_never_too_long_so_it_is_not_asked_again_and_again() {
    for others in [OthersGet::Served, OthersGet::Nobody] {
        let fault = ModelFault::TooLong {
            text: "HTTP 400: no such length of context".to_string(),
            limit: None,
        };
        let mut server = Server::new(fault.clone(), others);
        server.scene.prompt("hello");
        let mut at_once = 0;
        for _ in 0..20 {
            let (work, asks) = (server.scene.asked().work, server.scene.asks().len());
            let scene = &mut server.scene;
            scene.replied(work, "local", Err(fault.clone()), others);
            if scene.asks().len() > asks {
                at_once += 1;
            } else {
                at_once = 0;
                scene.ring();
            }
            assert!(at_once < 2, "no pause");
        }
        assert!(server.held.all().is_empty(), "nothing was proven");
    }
}

#[test]
fn what_was_tried_ends_with_its_turn() {
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    server.scene.prompt("POISON");
    let (work, fault) = (server.scene.asked().work, server.fault.clone());
    let scene = &mut server.scene;
    scene.replied(work, "local", Err(fault), OthersGet::Served);
    assert!(!has_poison(scene.asked()), "a trial");
    scene.order(MysisOrder::Stop);
    scene.order(MysisOrder::Start);
    assert!(has_poison(scene.asked()), "the whole request again");
}
