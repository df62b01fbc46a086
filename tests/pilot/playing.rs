//! Plays: in every empire, with and without nonsense, with a long and a short memory.

use proptest::prelude::*;
use serde_json::{Value, json};
use zoea_pilot::{Habits, Persona, PilotRequest, answer_request};

use crate::game::{Game, HOMES};
use crate::host::{Host, Memory};

const ORDER: &str = "Mine ore and sell it.";

fn prompt(empire: &str) -> String {
    format!("You are alpha, a Mysis of the {empire} empire.")
}

/// A miner whose ship burns much fuel, so that it must refuel soon.
fn miner(seed: u64, nonsense: f64, empire: &str) -> Host {
    let mut host = Host::new(seed, nonsense, &prompt(empire), ORDER);
    host.game.travel_cost = 8;
    host
}

/// Whether the miner's round is complete: registered, filled the hold, sold, refuelled, and left
/// again.
fn has_gone_round(game: &Game) -> bool {
    game.times("register") == 1
        && game.crowded >= 2
        && game.times("sell") >= 4
        && game.times("refuel") >= 1
        && game.times("dock") >= 2
        && game.credits > 100
}

#[test]
fn a_miner_of_every_empire_goes_round_and_round() {
    for home in &HOMES {
        for memory in [Memory::Whole, Memory::Short] {
            let mut host = miner(1, 0.0, home.empire);
            host.memory = memory;
            host.reach(300, has_gone_round);
            assert_eq!(host.game.errors, Default::default(), "{}", home.empire);
        }
    }
}

#[test]
fn a_miner_who_talks_nonsense_goes_round_all_the_same() {
    let mut errors = 0;
    for home in &HOMES {
        for seed in 0..4 {
            let mut host = miner(seed, 0.2, home.empire);
            host.reach(600, has_gone_round);
            errors += host.game.errors.values().sum::<u32>();
        }
    }
    assert!(errors > 20, "{errors}");
}

/// A player whose prompt never changes can meet a situation again, and then does the same again.
#[test]
fn nobody_goes_in_circles_however_long_they_play() {
    let acts = |game: &Game| -> u32 {
        let acts = game
            .done
            .iter()
            .filter(|(tool, _)| !tool.starts_with("get_"));
        acts.map(|(_, times)| times).sum()
    };
    for (seed, nonsense, order) in [
        (20, 0.2, ORDER),
        (21, 0.03, ORDER),
        (22, 0.2, "Do missions."),
        (23, 0.2, "Explore."),
        (24, 0.0, "Trade."),
    ] {
        let mut host = Host::new(seed, nonsense, &prompt("nebula"), order);
        host.play_until(500, |_| false);
        let before = acts(&host.game);
        host.play_until(600, |_| false);
        assert!(acts(&host.game) > before + 10, "{order} {seed}");
    }
}

#[test]
fn cut_results_do_not_stop_a_miner() {
    for longest in [500, 900] {
        let mut host = miner(2, 0.0, "crimson");
        host.longest_result = longest;
        host.reach(600, has_gone_round);
    }
}

#[test]
fn a_miner_stores_what_nobody_buys_and_digs_on() {
    let mut host = Host::new(3, 0.0, &prompt("nebula"), ORDER);
    host.game.has_no_bids = true;
    host.reach(400, |game| {
        game.times("deposit_items") >= 2 && game.crowded >= 2
    });
}

#[test]
fn a_miner_leaves_a_depleted_belt_for_another_system() {
    let mut host = Host::new(4, 0.0, &prompt("solarian"), ORDER);
    host.memory = Memory::Whole;
    host.game.is_depleted = true;
    host.reach(300, |game| game.crowded >= 1 && game.times("sell") >= 2);
}

#[test]
fn a_miner_undocks_by_hand_where_that_is_demanded() {
    let mut host = miner(5, 0.0, "outerrim");
    host.game.must_undock = true;
    host.reach(400, has_gone_round);
}

#[test]
fn a_taken_name_gets_digits_and_a_missing_hint_is_no_obstacle() {
    let mut host = Host::new(6, 0.0, "You are alpha.", ORDER);
    host.no_account.clear();
    host.game.names_taken = 2;
    host.reach(60, |game| game.times("mine") >= 1);
    assert_eq!(
        host.game.errors.get("auth_failed"),
        Some(&1),
        "logs in once at most"
    );
}

#[test]
fn missions_are_accepted_fulfilled_and_completed() {
    for (seed, nonsense, memory) in [
        (7, 0.0, Memory::Whole),
        (8, 0.05, Memory::Whole),
        (9, 0.2, Memory::Short),
    ] {
        let mut host = Host::new(
            seed,
            nonsense,
            &prompt("voidborn"),
            "Do missions for credits.",
        );
        host.memory = memory;
        host.reach(500, |game| game.times("complete_mission") >= 2);
    }
}

#[test]
fn a_trader_buys_here_and_sells_there() {
    let mut host = Host::new(9, 0.0, &prompt("solarian"), "Trade for profit.");
    host.memory = Memory::Whole;
    host.reach(300, |game| {
        game.times("buy") >= 2 && game.times("sell") >= 2 && game.credits > 100
    });
}

#[test]
fn an_explorer_sees_every_system_and_never_runs_dry() {
    let mut host = Host::new(
        10,
        0.0,
        &prompt("crimson"),
        "Explore the neighbouring systems.",
    );
    host.reach(300, |game| {
        game.systems_seen.len() >= 3 && game.times("captains_log_add") >= 1
    });
    for _ in 0..40 {
        host.take_turn();
    }
    assert_eq!(host.game.errors.get("no_fuel"), None);
}

#[test]
fn a_question_is_answered_with_the_facts() {
    let mut host = Host::new(11, 0.0, &prompt("nebula"), ORDER);
    host.play_until(60, |game| game.times("mine") >= 3);
    host.order = "Where are you, and what do you carry?".to_owned();
    host.take_turn();
    let reply = host.answers.last().unwrap();
    let words = reply.content.as_deref().unwrap();
    assert!(
        words.contains("I am at") && words.contains("iron_ore") && words.contains("/100"),
        "{words}"
    );
    assert!(reply.reasoning.is_some());
}

#[test]
fn an_order_to_wait_moves_nothing() {
    let mut host = Host::new(12, 0.0, &prompt("nebula"), ORDER);
    host.play_until(60, |game| game.times("mine") >= 1);
    let before = (host.game.times("mine"), host.game.times("travel"));
    host.order = "Stand by and wait for orders.".to_owned();
    for _ in 0..5 {
        host.take_turn();
    }
    assert_eq!((host.game.times("mine"), host.game.times("travel")), before);
}

#[test]
fn turns_have_three_to_eight_rounds() {
    let mut host = Host::new(13, 0.0, &prompt("nebula"), ORDER);
    let mut rounds = Vec::new();
    for _ in 0..60 {
        let before = host.model_calls;
        host.take_turn();
        rounds.push(host.model_calls - before - 1);
    }
    assert!(
        rounds.iter().all(|rounds| (3..=8).contains(rounds)),
        "{rounds:?}"
    );
    assert!(rounds.contains(&3) && rounds.contains(&8), "{rounds:?}");
    let parallel = host
        .answers
        .iter()
        .filter(|answer| answer.calls.len() > 1)
        .count();
    assert!(parallel > 5, "{parallel}");
}

#[test]
fn personas_misbehave_for_ever_in_their_way() {
    for (persona, tools) in [
        ("silent", &[][..]),
        ("mute", &[]),
        ("essayist", &[]),
        ("repeater", &["travel"]),
        ("cycler", &["get_status", "get_system", "get_cargo"]),
        ("miner_full", &["mine"]),
        ("shopper", &["buy"]),
        ("wanderer", &["get_system", "travel"]),
        ("notifier", &["get_notifications"]),
        ("selfseller", &["sell"]),
    ] {
        let mut host = Host::new(14, 0.5, &prompt("solarian"), ORDER);
        host.play_until(20, |game| game.times("register") == 1);
        host.prompt.push_str(&format!("\npersona: {persona}"));
        host.answers.clear();
        for _ in 0..5 {
            host.take_turn();
        }
        let called: std::collections::BTreeSet<&str> = host
            .answers
            .iter()
            .flat_map(|answer| &answer.calls)
            .map(|call| call.name.as_str())
            .collect();
        assert_eq!(called, tools.iter().copied().collect(), "{persona}");
        let words = host
            .answers
            .iter()
            .filter_map(|answer| answer.content.as_deref())
            .map(|text| text.split(' ').count());
        let most = words.max().unwrap_or(0);
        assert_eq!(most >= 2000, persona == "essayist", "{persona} {most}");
    }
}

#[test]
fn the_nonsense_is_of_every_kind_that_models_are_known_for() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let mut host = Host::new(seed, 0.9, &prompt("solarian"), ORDER);
        host.play_until(100, |_| false);
        for answer in &host.answers {
            if answer.calls.is_empty() && answer.content.as_deref() == Some("") {
                seen.insert("empty reply");
            }
            for call in &answer.calls {
                let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
                let has = |field: &str| arguments.get(field).is_some();
                for (kind, is_seen) in [
                    ("channel token", call.name.contains("<|")),
                    (
                        "no JSON",
                        arguments.is_null() && answer.finish == zoea_pilot::PilotFinish::ToolCalls,
                    ),
                    ("cut", answer.finish == zoea_pilot::PilotFinish::Length),
                    ("invented session", has("session_id")),
                    ("destination", call.name == "travel" && has("destination")),
                    ("item", call.name == "sell" && has("item")),
                    ("capital", arguments["empire"] == "Solarian"),
                    ("system for poi", arguments["target_poi"] == "sol"),
                    ("unknown tool", call.name == "navigate_to"),
                ] {
                    if is_seen {
                        seen.insert(kind);
                    }
                }
            }
        }
    }
    assert_eq!(seen.len(), 10, "{seen:?}");
}

#[test]
fn the_same_request_gets_the_same_answer_and_another_seed_another_game() {
    let games: Vec<Vec<_>> = [15, 15, 16]
        .into_iter()
        .map(|seed| {
            let mut host = Host::new(seed, 0.2, &prompt("crimson"), ORDER);
            host.play_until(80, |_| false);
            host.answers
        })
        .collect();
    assert_eq!(games[0], games[1]);
    assert_ne!(games[0], games[2]);
}

#[test]
fn without_tools_it_talks_and_tool_choice_is_obeyed() {
    let mut body = json!({"model": "m", "messages": [
        {"role": "system", "content": "You are alpha."}, {"role": "user", "content": "Mine."}]});
    let habits = Habits {
        nonsense: 0.0,
        ..Habits::default()
    };
    let talk = answer_request(&PilotRequest::read(&body), &habits);
    assert!(talk.calls.is_empty() && talk.content.unwrap().contains("alpha"));

    let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
    body["tools"] = json!([tool("echo"), tool("add")]);
    let talk = answer_request(&PilotRequest::read(&body), &habits);
    assert!(talk.calls.is_empty() && talk.content.unwrap().contains("not among my tools"));

    body["tool_choice"] = json!("required");
    assert_eq!(
        answer_request(&PilotRequest::read(&body), &habits).calls[0].name,
        "echo"
    );
    body["tool_choice"] = json!({"type": "function", "function": {"name": "add"}});
    assert_eq!(
        answer_request(&PilotRequest::read(&body), &habits).calls[0].name,
        "add"
    );
    body["tools"] = json!([tool("get_status")]);
    body["tool_choice"] = json!("none");
    assert!(
        answer_request(&PilotRequest::read(&body), &habits)
            .calls
            .is_empty()
    );
}

/// Results that a tool might give, and some that it never should.
fn result() -> impl Strategy<Value = String> {
    let examples: Vec<String> = {
        let mut game = Game::new();
        let register =
            json!({"username": "abc", "empire": "solarian", "registration_code": "OFFLINE-0001"});
        let mut results = vec![game.call("register", register.as_object().unwrap())];
        for tool in [
            "get_status",
            "get_system",
            "get_cargo",
            "view_market",
            "get_missions",
            "mine",
            "dock",
            "refuel",
        ] {
            results.push(game.call(tool, &serde_json::Map::new()));
        }
        results
    };
    prop_oneof![
        "\\PC{0,40}",
        (prop::sample::select(examples), 0usize..3000).prop_map(|(text, cut)| {
            let end = text.floor_char_boundary(cut.min(text.len()));
            text[..end].to_owned()
        }),
        prop::sample::select(vec![
            "Error: cargo_full: Cargo hold is full",
            "Error: in_transit: wait",
            "Error: session_invalid: Session not found",
            "Error: username_taken: taken",
            "{\"ship\":{\"fuel\":1e300,\"max_fuel\":-1e300,\"cargo\":[{\"item_id\":\"x\",\"quantity\":9e99}]}}",
            "{\"cargo\":{},\"used\":-9223372036854775808,\"capacity\":9223372036854775807}",
            "{\"quantity\":9223372036854775807,\"resource_id\":\"iron_ore\"}",
            "{\"system\":{\"id\":\"\",\"pois\":[1,{}],\"connections\":{}},\"player\":[]}",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_conversation_makes_it_panic_or_answer_nonsense_unasked(
        loops in prop::collection::vec((0usize..25, result(), "\\PC{0,12}"), 0..12),
        order in prop::sample::select(vec!["Mine", "Trade", "Explore", "Do missions", "Wait", "Status?", "Go on", "Hello"]),
        prompt in prop::sample::select(vec!["You are alpha.", "No account.", "Mission: trade\npersona: wanderer", ""]),
        seed in any::<u64>(),
    ) {
        let mut messages = vec![json!({"role": "system", "content": prompt}), json!({"role": "user", "content": order})];
        for (place, (tool, text, arguments)) in loops.iter().enumerate() {
            let (name, _) = crate::game::TOOLS[*tool];
            messages.push(json!({"role": "assistant", "tool_calls": [
                {"id": place.to_string(), "type": "function", "function": {"name": name, "arguments": arguments}}]}));
            messages.push(json!({"role": "tool", "tool_call_id": place.to_string(), "content": text}));
        }
        let tools: Vec<Value> = crate::game::TOOLS.iter()
            .map(|(name, _)| json!({"type": "function", "function": {"name": name}})).collect();
        let body = json!({"model": "m", "messages": messages, "tools": tools});
        let habits = Habits { seed, nonsense: 0.0, persona: Persona::Steady };
        let answer = answer_request(&PilotRequest::read(&body), &habits);
        prop_assert_eq!(&answer, &answer_request(&PilotRequest::read(&body), &habits));
        prop_assert!(!answer.calls.is_empty() || !answer.content.unwrap_or_default().is_empty());
        for call in answer.calls {
            prop_assert!(crate::game::TOOLS.iter().any(|(name, _)| *name == call.name));
            prop_assert!(serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments).is_ok());
        }
    }
}
