//! Which tools requests offer, and how they change with what the model calls.

use zoea_spacemolt::basics::BASICS;

use super::*;
use crate::tool_filter::{ToolFilter, ToolFilters};
use crate::tool_offer::ToolListMode;
use crate::tool_search::{self, FIND_TOOLS};

/// The game: its basics, and many more tools.
fn game() -> Arc<Toolset> {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: "It does what it says, for everybody who calls it at the right time".into(),
        schema: r#"{"type":"object","properties":{}}"#.into(),
        read_only_hint: None,
    };
    let many: Vec<String> = (0..99).map(|number| format!("work_{number}")).collect();
    let others = ["craft", "tow_wreck"]
        .into_iter()
        .chain(many.iter().map(String::as_str));
    let tools = BASICS.into_iter().chain(others).map(tool);
    Arc::new(Toolset::new(tools.chain([tool_search::spec()])))
}

fn link(scene: &mut Scene, account: Option<&str>) {
    scene.hear(LifeInput::Linked {
        link: LinkState::Ok,
        tools: game(),
        account: account.map(Into::into),
    });
}

fn at_game(past: RestoreArgs) -> Scene {
    let mut scene = Scene::of(past);
    link(&mut scene, None);
    scene
}

fn offers(scene: &Scene, tool: &str) -> bool {
    scene.asked().tools.tools().get(tool).is_some()
}

/// The model calls a tool, and the game answers.
fn call(scene: &mut Scene, tool: &str) {
    scene.want(&[(tool, "{}")]);
    scene.leave();
    scene.give_back("done");
}

fn search(scene: &mut Scene, query: &str) -> String {
    scene.want(&[(FIND_TOOLS, &format!(r#"{{"query":"{query}"}}"#))]);
    let rows = scene.rows();
    rows.last().expect("a result").text().to_string()
}

/// What was stored, for another life.
fn stored(scene: &Scene) -> RestoreArgs {
    let writes = scene.writes();
    let memo = writes.iter().rev().find_map(|write| match write {
        Write::WorkingSet { memo, .. } => Some(memo.clone()),
        _ => None,
    });
    let rows = scene.rows();
    RestoreArgs {
        recollection: StoredHistory {
            last: rows.last().expect("a row").seq,
            rows,
            working_set: memo,
            ..StoredHistory::default()
        },
        ..past()
    }
}

#[test]
fn a_request_offers_the_basics_and_the_search() {
    let mut scene = at_game(past());
    scene.prompt("go");
    assert!(BASICS.iter().all(|basic| offers(&scene, basic)));
    assert!(offers(&scene, FIND_TOOLS) && !offers(&scene, "craft"));
    let bytes = scene.asked().tools.tools().bytes();
    assert!(bytes * 2 < game().bytes(), "{bytes}");
}

#[test]
fn a_tool_that_is_not_offered_is_called_all_the_same_and_offered_from_the_next_turn_on() {
    let mut scene = at_game(past());
    scene.prompt("go");
    call(&mut scene, "craft");
    assert_eq!(scene.result_status(), [CallStatus::Done]);
    assert!(!offers(&scene, "craft"), "not in the middle of a turn");
    scene.say("done");
    scene.prompt("more");
    assert!(offers(&scene, "craft"));
    assert_eq!(scene.host_codes(), ["tools_offered"]);
    scene.say("done");
    scene.prompt("more");
    assert_eq!(scene.host_codes(), ["tools_offered"], "told once");
}

#[test]
fn what_a_search_finds_is_in_the_next_request_and_nothing_leaves_the_program() {
    let mut scene = at_game(past());
    scene.prompt("go");
    let told = search(&mut scene, "tow a wreck");
    assert!(told.contains("tow_wreck"), "{told}");
    assert!(offers(&scene, "tow_wreck") && !offers(&scene, "craft"));
    assert!(
        !scene
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Call(_)))
    );
    let told = search(&mut scene, " ");
    assert_eq!(told, "Error: query cannot be empty");
    assert_eq!(
        scene.result_status(),
        [CallStatus::Done, CallStatus::Failed]
    );
}

#[test]
fn what_the_operator_denies_is_not_found_offered_or_called() {
    let mut rules = rules();
    rules.tools.filters = Arc::new(ToolFilters {
        swarm: ToolFilter {
            allow: None,
            deny: vec!["craft".into()],
        },
        ..ToolFilters::default()
    });
    let rules = Arc::new(rules);
    let mut scene = at_game(RestoreArgs { rules, ..past() });
    scene.prompt("go");
    let told = search(&mut scene, "craft");
    assert!(
        told.contains("no tool matches") && !told.contains("craft,"),
        "{told}"
    );
    scene.want(&[("craft", "{}")]);
    assert_eq!(
        scene.result_status(),
        [CallStatus::Done, CallStatus::NotExecuted]
    );
    let rows = scene.rows();
    let refused = rows.last().expect("a result").text().to_string();
    assert!(
        refused.starts_with("Error: not_allowed: the operator does not allow craft"),
        "{refused}"
    );
    scene.say("done");
    scene.prompt("more");
    assert!(!offers(&scene, "craft"));
}

#[test]
fn the_set_is_the_same_after_a_restart() {
    let mut scene = at_game(past());
    scene.prompt("go");
    search(&mut scene, "craft");
    call(&mut scene, "tow_wreck");
    let before = scene.asked().tools.clone();
    let mut again = at_game(stored(&scene));
    again.order(MysisOrder::Start);
    assert_eq!(again.asked().tools.selection(), before.selection());
    assert!(offers(&again, "craft") && !offers(&again, "tow_wreck"));
    again.say("done");
    again.prompt("more");
    assert!(offers(&again, "tow_wreck"));
}

#[test]
fn an_account_or_another_list_changes_the_tools_where_a_turn_begins() {
    let mut scene = at_game(past());
    scene.prompt("go");
    call(&mut scene, "register");
    link(&mut scene, Some("alpha"));
    call(&mut scene, "mine");
    assert!(offers(&scene, "register"));
    scene.say("done");
    scene.prompt("more");
    assert!(!offers(&scene, "register") && !offers(&scene, "login"));
    assert!(offers(&scene, "mine"));
    assert!(scene.host_codes().is_empty());
}

#[test]
fn a_reload_decides_whether_all_tools_are_sent() {
    let mut scene = at_game(past());
    let mut all = rules();
    all.tools.list = ToolListMode::All;
    scene.hear(LifeInput::RulesChanged {
        rules: Arc::new(all),
        redactor: Arc::default(),
    });
    scene.prompt("go");
    let tools = scene.asked().tools.tools().clone();
    assert_eq!(tools.tools().len(), game().tools().len() - 1);
    assert_eq!(tools.get("craft"), game().get("craft"));
    call(&mut scene, "craft");
    assert!(
        !scene
            .writes()
            .iter()
            .any(|write| matches!(write, Write::WorkingSet { .. }))
    );
}
