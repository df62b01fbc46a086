//! Trials of a refusal: whose fault it is, and what is held back for it.

use super::*;
use crate::held::{HELD_SENTENCE, HeldChange, HeldTexts};
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

fn has_poison(ask: &ModelQuery) -> bool {
    texts(ask).contains("POISON")
}

impl Server {
    fn new(fault: ModelFault, others: OthersGet) -> Server {
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
            self.scene.hear(LifeInput::Replied {
                work: ask.work,
                provider: "local".into(),
                result,
                ms: 5,
                others,
            });
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
            let last = texts(server.requests.last().expect("it asked"));
            assert!(last.contains(HELD_SENTENCE), "{last}");
            assert_eq!(server.held.all().len(), 1);
            assert_eq!(&*server.held.all()[0].text, "Rex says POISON");
            assert!(!server.held.all()[0].is_local);
            let codes = server.scene.host_codes();
            assert!(codes.contains(&"not_delivered".to_string()), "{codes:?}");
            // The row stays, and no later request holds its text.
            let rows = server.scene.rows();
            assert!(rows.iter().any(|row| &**row.text() == "Rex says POISON"));
            server.scene.prompt("go on");
            assert_eq!(server.serve(), 1);
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
            server.scene.hear(LifeInput::Replied {
                work: ask.work,
                provider: "local".into(),
                result: Err(fault),
                ms: 5,
                others: OthersGet::Nobody,
            });
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
    let mut server = Server::new(refused("HTTP 400: no"), OthersGet::Served);
    let text: Arc<str> = "Rex says POISON".into();
    server.held.suspect(
        &"local".into(),
        std::slice::from_ref(&text),
        MysisId(99),
        Moment(0),
    );
    server.learn();
    server.scene.prompt(&text);
    let ask = server.scene.asked().clone();
    let asks = server.scene.asks().len();
    server.scene.hear(LifeInput::Replied {
        work: ask.work,
        provider: "local".into(),
        result: Err(server.fault.clone()),
        ms: 5,
        others: OthersGet::Served,
    });
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
fn with_a_poisoned_result(result: &str) -> Server {
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
    let told = "The routine ended because a step did not succeed: Rex says POISON.";
    server.scene.life.routines.report = Some(told.into());
    server.scene.prompt("go on");
    assert_eq!(server.serve(), 1);
}
