//! Roles: what a request contains because of them, and how they change.

use super::*;
use crate::budget::BudgetLimits;
use crate::role::{RoleBook, RoleRoutine, RoleRules};
use crate::routine::{ROUTINE_START, start_tool};
use crate::tool_filter::ToolFilter;

fn miner() -> RoleRules {
    RoleRules {
        prompt: "You mine.".into(),
        provider: Some("cheap".into()),
        tools: ToolFilter {
            allow: Some(vec!["mine".into(), "get_*".into()]),
            deny: Vec::new(),
        },
        routines: vec![RoleRoutine {
            name: "dig".into(),
            text: Ok(r#"{"name": "dig", "rounds": 2, "steps": [{"tool": "mine"}]}"#.into()),
        }],
        budget: BudgetLimits {
            tokens: Some(5_000),
            cost_micros: None,
        },
        ..RoleRules::default()
    }
}

fn rules_with(roles: &[(&str, RoleRules)], default: Option<&str>) -> SwarmRules {
    let mut rules = rules();
    let cheap = ProviderRules {
        model: "small".into(),
        ..ProviderRules::default()
    };
    rules.providers.insert("cheap".into(), cheap);
    let roles = roles.iter();
    rules.roles = Arc::new(RoleBook {
        roles: roles
            .map(|(name, role)| (Arc::from(*name), Arc::new(role.clone())))
            .collect(),
        default: default.map(Into::into),
        ..RoleBook::default()
    });
    rules
}

fn change(scene: &mut Scene, rules: SwarmRules) {
    scene.reload(rules);
}

fn configure(scene: &mut Scene, provider: Option<&str>, model: Option<&str>, role: Option<&str>) {
    let word = |word: Option<&str>| word.map(ToString::to_string);
    let order = MysisOrder::configure(word(provider), word(model), None, word(role));
    assert_eq!(
        scene.order(order),
        Some(Ok(CompletedOrder::Done(CompletedAction::Configured)))
    );
}

fn at(rules: SwarmRules) -> Scene {
    let mut scene = Scene::under(rules);
    let tools = ["mine", "sell", "get_status"].map(bare_tool);
    scene.link(
        LinkState::Ok,
        Arc::new(Toolset::new(tools.into_iter().chain([start_tool()]))),
    );
    scene
}

fn offered(scene: &Scene) -> Vec<&str> {
    let tools = scene.asked().tools.tools().tools();
    tools.iter().map(|tool| &*tool.name).collect()
}

fn system(scene: &Scene) -> &str {
    let ChatMessage::System(text) = &scene.asked().messages[0] else {
        panic!("the first message is the system prompt");
    };
    text
}

fn first_message(scene: &Scene) -> &str {
    let ChatMessage::User(text) = &scene.asked().messages[1] else {
        panic!("the second message is a user's");
    };
    text
}

#[test]
fn a_role_gives_prompt_tools_provider_routines_and_budget() {
    let mut scene = at(rules_with(&[("miner", miner())], Some("miner")));
    scene.prompt("go");
    assert_eq!(system(&scene), "you are alpha");
    let first = "[your role]\nYou mine.\n[end of your role]\n\ngo";
    assert_eq!(first_message(&scene), first);
    assert_eq!(offered(&scene), ["mine", "get_status", ROUTINE_START]);
    let start = scene.asked().tools.tools().get(ROUTINE_START).cloned();
    let start = start.expect("the tool is offered").description;
    assert!(start.ends_with("By name alone: dig"), "{start}");
    let route = &scene.asked().routes[0];
    assert_eq!((&*route.provider, &*route.model), ("cheap", "small"));
    assert_eq!(scene.asked().limits.tokens, Some(5_000));
    let status = scene.life.status();
    assert_eq!(status.profile.role.as_deref(), Some("miner"));
    assert!(!status.lacks_role && &*status.own_profile.provider == "local");
    scene.want(&[(ROUTINE_START, r#"{"name": "dig"}"#)]);
    assert_eq!(
        &*scene.call().tool,
        "mine",
        "the operator's file is started"
    );
}

#[test]
fn without_a_role_nothing_is_different() {
    let mut scene = at(rules_with(&[("miner", miner())], None));
    scene.prompt("go");
    assert_eq!(system(&scene), "you are alpha");
    assert_eq!(first_message(&scene), "go");
    assert_eq!(offered(&scene), ["mine", "sell", "get_status"]);
    assert_eq!(&*scene.asked().routes[0].provider, "local");
    assert_eq!(scene.asked().limits, BudgetLimits::default());
}

#[test]
fn a_role_is_given_and_taken_by_an_order_and_what_the_operator_names_goes_before_it() {
    let mut scene = at(rules_with(&[("miner", miner())], None));
    configure(&mut scene, None, None, Some("miner"));
    scene.prompt("go");
    assert_eq!(&*scene.asked().routes[0].provider, "cheap");
    // A model alone is one of the provider in force.
    configure(&mut scene, None, Some("large"), None);
    scene.say("hm");
    scene.ring();
    let route = &scene.asked().routes[0];
    assert_eq!((&*route.provider, &*route.model), ("cheap", "large"));
    configure(&mut scene, Some("local"), None, None);
    scene.say("hm");
    scene.ring();
    assert_eq!(&*scene.asked().routes[0].provider, "local");
    assert_eq!(offered(&scene), ["mine", "get_status", ROUTINE_START]);
    configure(&mut scene, None, None, Some("none"));
    scene.say("hm");
    scene.ring();
    assert_eq!(system(&scene), "you are alpha");
    assert_eq!(offered(&scene).len(), 3);
}

#[test]
fn a_reload_changes_a_role_and_without_it_the_mysis_plays_on() {
    let mut scene = at(rules_with(&[("miner", miner())], Some("miner")));
    scene.prompt("go");
    let other = RoleRules {
        prompt: "You mine ice.".into(),
        ..RoleRules::default()
    };
    change(&mut scene, rules_with(&[("miner", other)], Some("miner")));
    scene.say("hm");
    scene.ring();
    assert_eq!(system(&scene), "you are alpha");
    assert!(first_message(&scene).contains("You mine ice."));
    assert_eq!(&*scene.asked().routes[0].provider, "local");
    assert_eq!(offered(&scene).len(), 3);
    change(&mut scene, rules_with(&[], Some("miner")));
    scene.say("hm");
    scene.ring();
    assert_eq!(system(&scene), "you are alpha");
    let status = scene.life.status();
    assert!(status.lacks_role && status.state == LifeState::Running);
    assert_eq!(status.profile.role.as_deref(), Some("miner"));
}
