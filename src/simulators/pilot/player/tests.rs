//! Tests of the player's decisions, one situation at a time.

use serde_json::{Value, json};

use super::*;

const TOOLS: [&str; 18] = [
    "register",
    "login",
    "get_status",
    "get_system",
    "get_cargo",
    "travel",
    "jump",
    "mine",
    "dock",
    "undock",
    "sell",
    "refuel",
    "deposit_items",
    "distress_signal",
    "view_market",
    "get_missions",
    "get_active_missions",
    "complete_mission",
];

const ARGUMENTS: [(&str, &[&str]); 9] = [
    ("register", &["username", "empire", "registration_code"]),
    ("login", &["username", "password"]),
    ("travel", &["target_poi"]),
    ("jump", &["target_system"]),
    ("sell", &["item_id", "quantity"]),
    ("deposit_items", &["item_id", "quantity"]),
    ("complete_mission", &["mission_id"]),
    ("get_chat_history", &["channel", "limit"]),
    ("chat", &["channel", "content"]),
];

/// A tool with the arguments that it describes.
fn described(name: &str) -> Value {
    let known = ARGUMENTS.iter().find(|(tool, _)| *tool == name);
    let properties = known.map_or(&[][..], |(_, arguments)| arguments).iter();
    let properties: serde_json::Map<String, Value> = properties
        .map(|argument| ((*argument).to_owned(), json!({})))
        .collect();
    json!({"type": "function", "function": {"name": name, "parameters": {"properties": properties}}})
}

/// A tool whose schema was cut away.
fn bare(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name}})
}

/// A conversation: a prompt, an order, and calls with their results.
struct Talk {
    messages: Vec<Value>,
}

fn ordered(order: &str) -> Talk {
    Talk {
        messages: vec![
            json!({"role": "system", "content": "You are alpha."}),
            json!({"role": "user", "content": order}),
        ],
    }
}

impl Talk {
    fn then(mut self, tool: &str, arguments: Value, result: Value) -> Self {
        let id = self.messages.len().to_string();
        let text = match result.as_str() {
            Some(text) => text.to_owned(),
            None => result.to_string(),
        };
        self.messages.push(json!({"role": "assistant", "tool_calls": [
            {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}}]}));
        self.messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        self
    }

    /// Adds a status at a place of the system sol, with this fuel, credits and iron.
    fn at(self, poi: &str, docked: bool, fuel: i64, credits: i64, iron: i64) -> Self {
        let player = json!({"credits": credits, "current_system": "sol", "current_poi": poi,
            "docked_at_base": docked.then_some("command")});
        let ship = json!({"fuel": fuel, "max_fuel": 100, "cargo_used": iron, "cargo_capacity": 70,
            "cargo": [{"item_id": "iron_ore", "quantity": iron}]});
        let chart = json!({"system": {"id": "sol", "connections": [{"system_id": "sirius"}], "pois": [
            {"id": "sol_central", "type": "station", "has_base": true},
            {"id": "main_belt", "type": "asteroid_belt"}]}});
        self.then("get_system", json!({}), chart).then(
            "get_status",
            json!({}),
            json!({"player": player, "ship": ship}),
        )
    }

    /// The first call of the answer in short form, or its words.
    fn answer(&self) -> String {
        self.answer_with(TOOLS.map(described).to_vec())
    }

    /// The answer where the request offers these tools.
    fn answer_with(&self, tools: Vec<Value>) -> String {
        let body = json!({"messages": self.messages, "tools": tools});
        let habits = Habits {
            nonsense: 0.0,
            ..Habits::default()
        };
        let answer = answer_request(&PilotRequest::read(&body), &habits);
        match answer.calls.first() {
            Some(call) => format!("{} {}", call.name, call.arguments),
            None => answer.content.unwrap_or_default(),
        }
    }
}

#[test]
fn a_miner_does_what_its_place_and_hold_ask_for() {
    assert_eq!(ordered("Mine").answer(), "get_status {}");
    let to_belt = r#"travel {"target_poi":"main_belt"}"#;
    let to_base = r#"travel {"target_poi":"sol_central"}"#;
    let sells = r#"sell {"item_id":"iron_ore","quantity":70}"#;
    for ((poi, docked, fuel, credits, iron), expected) in [
        (("sol_central", true, 100, 100, 0), to_belt),
        (("main_belt", false, 100, 100, 0), "mine {}"),
        (("main_belt", false, 100, 100, 68), to_base),
        (("sol_central", false, 100, 100, 70), "dock {}"),
        (("sol_central", true, 100, 100, 70), sells),
        (("sol_central", true, 60, 100, 0), "refuel {}"),
        (("main_belt", false, 20, 500, 5), to_base),
        (("main_belt", false, 20, 10, 5), "mine {}"),
    ] {
        let talk = ordered("Mine").at(poi, docked, fuel, credits, iron);
        assert_eq!(talk.answer(), expected);
    }
}

/// Calls with their arguments, their errors, and the next steps.
const NEXT_STEPS: &str = r#"
mine | {} | cargo_full: Cargo hold is full | travel {"target_poi":"sol_central"}
mine | {} | docked: You must undock first. | undock {}
mine | {} | in_transit: mid-travel (~10s until arrival) | get_status {}
mine | {} | session_expired: Session expired. Log in again. | login {"password":"unknown","username":"unknown"}
travel | {"destination": "x"} | invalid_payload: Requires 'target_poi'. | mine {}
"#;

#[test]
fn errors_change_the_next_step() {
    for line in NEXT_STEPS.trim().lines() {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [tool, arguments, error, expected] = columns[..] else {
            panic!("{line}");
        };
        let arguments = serde_json::from_str(arguments).unwrap();
        let at_belt = ordered("Mine").at("main_belt", false, 100, 100, 10);
        let talk = at_belt.then(tool, arguments, json!(format!("Error: {error}")));
        assert_eq!(talk.answer(), expected);
    }
}

#[test]
fn what_nobody_buys_is_stored() {
    let unsold =
        json!({"item_id": "iron_ore", "quantity_sold": 0, "total_earned": 0, "unsold": 70});
    let talk = ordered("Mine").at("sol_central", true, 100, 100, 70).then(
        "sell",
        json!({"item_id": "iron_ore", "quantity": 70}),
        unsold,
    );
    assert_eq!(
        talk.answer(),
        r#"deposit_items {"item_id":"iron_ore","quantity":70}"#
    );
}

#[test]
fn an_empty_tank_in_space_is_a_call_for_help() {
    let talk = ordered("Explore").at("main_belt", false, 0, 500, 0);
    assert_eq!(talk.answer(), "distress_signal {}");
    let helped = talk.then("distress_signal", json!({}), json!({"message": "sent"}));
    assert!(helped.answer().contains("stranded"), "{}", helped.answer());
}

#[test]
fn what_keeps_failing_is_given_up_for_the_turn() {
    let failing = |talk: Talk| talk.then("mine", json!({}), json!("Error: weapon_jam: no"));
    let twice = failing(failing(ordered("Mine").at("main_belt", false, 100, 100, 0)));
    assert!(
        twice.answer().contains("keeps failing"),
        "{}",
        twice.answer()
    );
}

#[test]
fn the_code_that_is_named_is_used() {
    let mut talk = ordered("Mine. The registration code: REG-42.");
    talk.messages[0] =
        json!({"role": "system", "content": "You are alpha of the nebula. You have no account."});
    assert_eq!(
        talk.answer(),
        r#"register {"empire":"nebula","registration_code":"REG-42","username":"alpha"}"#
    );
}

#[test]
fn a_finished_mission_is_delivered_where_it_is_wanted() {
    let mission = json!({"missions": [{"mission_id": "5d0e", "title": "Iron", "objectives": [
        {"item_id": "iron_ore", "required": 30, "completed": false}]}]});
    let with = |docked, iron| {
        let poi = if docked { "sol_central" } else { "main_belt" };
        ordered("Do missions")
            .at(poi, docked, 100, 100, iron)
            .then("get_active_missions", json!({}), mission.clone())
            .answer()
    };
    assert_eq!(with(false, 10), "mine {}");
    assert_eq!(with(false, 30), r#"travel {"target_poi":"sol_central"}"#);
    assert_eq!(with(true, 30), r#"complete_mission {"mission_id":"5d0e"}"#);
}

#[test]
fn missions_that_are_given_again_are_left_to_a_routine_where_the_orders_say_so() {
    let supply = |id: &str, item: &str| json!({"mission_id": id, "title": id, "objectives": [{"item_id": item, "required": 30}]});
    let board = json!({"missions": [
        supply("survey", "star_map"), supply("iron_supply_run", "iron_ore"),
        supply("copper_requisition", "copper_ore"), supply("lithium_request", "lithium_ore")]});
    let routine = json!({"type": "function", "function": {"name": "zoea_routine_start",
        "parameters": {"properties": {"name": {}, "steps": {}, "guards": {}, "rounds": {}}}}});
    let tools = [TOOLS.map(described).to_vec(), vec![routine]].concat();
    let at_base = |order| ordered(order).at("sol_central", true, 100, 100, 0);
    let orders = "Do missions for credits. Leave what repeats to a routine.";
    assert_eq!(
        at_base(orders).answer_with(tools.clone()),
        "get_missions {}"
    );
    let looked = |order| at_base(order).then("get_missions", json!({}), board.clone());
    let started = looked(orders).answer_with(tools.clone());
    let given = started.strip_prefix("zoea_routine_start ").expect(&started);
    let routine: Value = serde_json::from_str(given).unwrap();
    let steps = routine["steps"].as_array().unwrap();
    let taken: Vec<&Value> = steps
        .iter()
        .map(|step| &step["arguments"]["mission_id"])
        .collect();
    assert_eq!(
        taken[..2],
        [&json!("iron_supply_run"), &json!("copper_requisition")]
    );
    assert!(taken.contains(&&json!("{mission}")), "{taken:?}");
    let by_hand = looked("Do missions for credits.").answer_with(tools);
    assert_eq!(by_hand, "get_active_missions {}");
}

#[test]
fn a_limit_of_tokens_cuts_the_answer() {
    let body = json!({"messages": [{"role": "user", "content": "ping"}], "max_tokens": 1});
    let answer = answer_request(&PilotRequest::read(&body), &Habits::default());
    assert_eq!(answer.finish, crate::PilotFinish::Length);
    assert_eq!(answer.token_count(), 1);
    assert!(!answer.content.unwrap().is_empty());
}

#[test]
fn a_place_that_stands_nowhere_in_the_request_is_asked_for() {
    let status = |poi: &str| {
        json!({"player": {"credits": 100, "current_system": "sol", "current_poi": poi},
            "ship": {"fuel": 100, "max_fuel": 100, "cargo_used": 70, "cargo_capacity": 70}})
    };
    // The ship is full and the home system is known by name, but no chart tells its base.
    let talk = ordered("Mine").then("get_status", json!({}), status("main_belt"));
    assert_eq!(talk.answer(), "get_system {}");
    let trader = ordered("Trade").then("get_status", json!({}), status("main_belt"));
    assert_eq!(trader.answer(), "get_system {}");
    // What an earlier request told is gone with it.
    let known = ordered("Mine").at("main_belt", false, 100, 100, 70);
    assert_eq!(known.answer(), r#"travel {"target_poi":"sol_central"}"#);
    assert_eq!(ordered("Mine").answer(), "get_status {}");
}

#[test]
fn a_tool_that_is_not_offered_is_not_called() {
    let talk = ordered("Mine").at("main_belt", false, 100, 100, 10);
    assert_eq!(talk.answer(), "mine {}");
    let others = TOOLS.iter().filter(|name| **name != "mine");
    let answer = talk.answer_with(others.map(|name| described(name)).collect());
    assert!(answer.contains("not among my tools"), "{answer}");
}

#[test]
fn the_name_of_an_argument_is_known_from_the_schema_or_from_a_refusal() {
    let bare_tools = || TOOLS.map(bare).to_vec();
    let full = ordered("Mine").at("main_belt", false, 100, 100, 70);
    assert_eq!(full.answer_with(bare_tools()), "travel {}");
    let refused = full.then(
        "travel",
        json!({}),
        json!("Error: invalid_payload: Requires 'target_poi'."),
    );
    assert_eq!(
        refused.answer_with(bare_tools()),
        r#"travel {"target_poi":"sol_central"}"#
    );
    // What stands in other results is a good guess, as it is for a model.
    let docked = ordered("Mine").at("sol_central", true, 100, 100, 70);
    assert_eq!(
        docked.answer_with(bare_tools()),
        r#"sell {"item_id":"iron_ore","quantity":70}"#
    );
}

#[test]
fn a_talker_listens_speaks_and_ends_its_turn() {
    let tools = || ["get_chat_history", "chat"].map(described).to_vec();
    let talk = ordered("Chat with whoever is around.");
    let listens = r#"get_chat_history {"channel":"local","limit":10}"#;
    assert_eq!(talk.answer_with(tools()), listens);
    let read = talk.then("get_chat_history", json!({}), json!({"messages": []}));
    let says = read.answer_with(tools());
    assert!(says.starts_with("chat {"), "{says}");
    let said = read.then("chat", json!({}), json!({"action": "chat"}));
    let ends = said.answer_with(tools());
    assert!(ends.starts_with("I have talked."), "{ends}");
}
