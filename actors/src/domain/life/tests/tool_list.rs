//! Which tools requests offer, and how they change with what the model calls.

use zoea_spacemolt::basics::BASICS;

use super::*;
use crate::role::{RoleBook, RoleRules};
use crate::role_list::{ListKey, ListNews, RoleLists};
use crate::routine::{ROUTINE_START, start_tool};
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
    scene.handle(LifeInput::Linked {
        link: LinkState::Ok,
        fault: None,
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
    RestoreArgs {
        recollection: scene.history_with(MemoKind::WorkingSet),
        ..past()
    }
}

/// What the Mysis told the list of its role since the last time.
fn news_of(scene: &mut Scene) -> Vec<(ListKey, ListNews)> {
    let news_of = scene
        .effects
        .extract_if(.., |effect| matches!(effect, Effect::ToolNews(..)));
    news_of
        .map(|effect| match effect {
            Effect::ToolNews(key, news) => (key, news),
            _ => unreachable!("only these were taken"),
        })
        .collect()
}

/// The list of the role has these commands.
fn list(scene: &mut Scene, commands: &[&str]) {
    news_of(scene);
    let commands = commands.iter().map(|name| (*name).into()).collect();
    let key = ListKey {
        provider: "local".into(),
        role: None,
    };
    let mut lists = RoleLists::default();
    lists.take(key, ListNews::Offered(commands), Moment(0));
    scene.life.set_lists(Arc::new(lists));
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
fn a_tool_that_is_not_offered_is_called_all_the_same_and_joins_with_the_list_of_its_role() {
    let mut scene = at_game(past());
    scene.prompt("go");
    let before = scene.asked().tools.tools().clone();
    news_of(&mut scene);
    for tool in ["craft", "no_such_tool"] {
        call(&mut scene, tool);
    }
    let key = ListKey {
        provider: "local".into(),
        role: None,
    };
    assert_eq!(
        news_of(&mut scene),
        [(key, ListNews::Called("craft".into()))]
    );
    scene.say("done");
    scene.prompt("more");
    assert_eq!(
        scene.asked().tools.tools(),
        &before,
        "the list of its role is as before"
    );
    assert!(scene.host_codes().is_empty());
    list(&mut scene, &["craft"]);
    call(&mut scene, "mine");
    assert!(!offers(&scene, "craft"), "not in the middle of a turn");
    scene.say("done");
    scene.prompt("more");
    assert!(offers(&scene, "craft"));
    let (now, before) = (scene.asked().tools.tools().tools(), before.tools());
    assert!(now.starts_with(before) && now.len() == before.len() + 1);
    assert_eq!(scene.host_codes(), ["tools_offered"]);
    scene.say("done");
    scene.prompt("more");
    assert_eq!(scene.host_codes(), ["tools_offered"], "reported once");
}

#[test]
fn what_a_search_finds_is_called_without_being_offered_and_nothing_leaves_the_program() {
    let mut scene = at_game(past());
    scene.prompt("go");
    let before = scene.asked().tools.tools().clone();
    let news_of = search(&mut scene, "tow a wreck");
    assert!(news_of.contains("tow_wreck"), "{news_of}");
    assert!(
        !scene
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Call(_)))
    );
    call(&mut scene, "tow_wreck");
    assert_eq!(scene.asked().tools.tools(), &before);
    scene.say("done");
    scene.prompt("more");
    let news_of = search(&mut scene, " ");
    assert_eq!(news_of, "Error: query cannot be empty");
    assert_eq!(
        scene.result_status(),
        [CallStatus::Done, CallStatus::Done, CallStatus::Failed]
    );
}

#[test]
fn what_is_searched_for_twice_and_not_called_is_offered_at_once() {
    let mut scene = at_game(past());
    scene.prompt("go");
    search(&mut scene, "tow a wreck");
    assert!(!offers(&scene, "tow_wreck"));
    news_of(&mut scene);
    search(&mut scene, "tow_wreck");
    assert!(offers(&scene, "tow_wreck"));
    let news: Vec<ListNews> = news_of(&mut scene)
        .into_iter()
        .map(|(_, news)| news)
        .collect();
    assert_eq!(news, [ListNews::Missed(vec!["tow_wreck".into()])]);
}

#[test]
fn the_tool_that_starts_routines_is_offered_where_the_mission_a_role_or_a_loop_asks_for_it() {
    let tools = game();
    let tools = tools.tools().iter().cloned().chain([start_tool()]);
    let tools = Arc::new(Toolset::new(tools));
    let mission = |text: &str| Mission {
        id: MissionId(3),
        text: text.into(),
        at: Timestamp(0),
    };
    for (text, joined, is_offered) in [
        ("Mine.", &[][..], false),
        ("Mine. Leave what repeats to a routine.", &[][..], true),
        ("Mine.", &[ROUTINE_START][..], true),
    ] {
        let mut scene = Scene::of(RestoreArgs {
            mission: Some(mission(text)),
            ..past()
        });
        list(&mut scene, joined);
        scene.link(LinkState::Ok, tools.clone());
        scene.order(MysisOrder::Start);
        assert_eq!(
            offers(&scene, ROUTINE_START),
            is_offered,
            "{text} {joined:?}"
        );
    }
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
    let news_of = search(&mut scene, "craft");
    assert!(
        news_of.contains("no tool matches") && !news_of.contains("craft,"),
        "{news_of}"
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
    list(&mut scene, &["tow_wreck", "craft"]);
    scene.prompt("go");
    call(&mut scene, "mine");
    let before = scene.asked().tools.clone();
    let mut again = at_game(stored(&scene));
    again.order(MysisOrder::Start);
    assert_eq!(again.asked().tools.selection(), before.selection());
    assert!(offers(&again, "craft"));
    again.say("done");
    news_of(&mut again);
    again.prompt("more");
    let offered = ListNews::Offered(vec!["tow_wreck".into(), "craft".into()]);
    assert_eq!(news_of(&mut again)[0].1, offered, "the others learn it");
    assert!(offers(&again, "craft"));
}

#[test]
fn an_account_changes_no_list() {
    let mut scene = at_game(past());
    scene.prompt("go");
    let before = scene.asked().tools.tools().clone();
    call(&mut scene, "register");
    link(&mut scene, Some("alpha"));
    call(&mut scene, "mine");
    scene.say("done");
    scene.prompt("more");
    assert_eq!(scene.asked().tools.tools(), &before);
    assert!(offers(&scene, "mine") && offers(&scene, "register"));
    assert!(scene.host_codes().is_empty());
}

#[test]
fn a_reload_decides_whether_all_tools_are_sent() {
    let mut scene = at_game(past());
    let mut all = rules();
    all.tools.list = ToolListMode::All;
    scene.reload(all);
    scene.prompt("go");
    let tools = scene.asked().tools.tools().clone();
    assert_eq!(tools.tools().len(), game().tools().len() - 1);
    assert_eq!(tools.get("craft"), game().get("craft"));
    call(&mut scene, "craft");
    assert_eq!(scene.memo_of(MemoKind::WorkingSet), None);
}

/// A Mysis of the role with this name, at the game, under a mission.
fn of_role(name: &str) -> Scene {
    let role = RoleRules {
        prompt: "You dig. ".repeat(40).into(),
        ..RoleRules::default()
    };
    let mut rules = rules();
    rules.system_prompt = None;
    rules.roles = Arc::new(RoleBook {
        roles: [("miner".into(), Arc::new(role))].into(),
        default: Some("miner".into()),
        ..RoleBook::default()
    });
    at_game(RestoreArgs {
        rules: Arc::new(rules),
        record: MysisRecord::new(MysisId(7), MysisProfile::of(name, "local"), Timestamp(0)),
        mission: Some(Mission {
            id: MissionId(3),
            text: "Mine ore and sell it where it is dear.".into(),
            at: Timestamp(0),
        }),
        ..past()
    })
}

/// What the model server reads, from its beginning on.
fn read_of(scene: &Scene) -> String {
    let asked = scene.asked();
    format!("{:?} {:?}", asked.tools.tools().tools(), asked.messages)
}

fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes());
    same.take_while(|(a, b)| a == b).count()
}

#[test]
fn myses_of_a_role_share_the_beginning_of_their_requests_also_after_an_hour() {
    let mut myses = ["alpha", "beta"].map(of_role);
    for scene in &mut myses {
        scene.order(MysisOrder::Start);
    }
    let firsts = myses.each_ref().map(read_of);
    let shared = common(&firsts[0], &firsts[1]);
    let all = firsts[0].len().min(firsts[1].len());
    assert!(shared * 100 >= all * 95, "{shared} of {all}");
    // They need different tools, one gets an account, and an hour passes.
    for (scene, tool) in myses.iter_mut().zip(["craft", "tow_wreck"]) {
        search(scene, tool);
        call(scene, tool);
        scene.say("done");
        scene.now += 3_600_000;
        scene.ring();
        call(scene, "mine");
    }
    link(&mut myses[0], Some("alpha"));
    for scene in &mut myses {
        scene.say("done");
        scene.ring();
    }
    let later = myses.each_ref().map(read_of);
    for (one, other) in [(&later[0], &later[1]), (&later[0], &firsts[1])] {
        let kept = common(one, other);
        assert!(kept * 100 >= shared * 95, "{kept} of {shared}");
    }
}
