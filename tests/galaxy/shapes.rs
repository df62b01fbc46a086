//! Shapes: every result has the keys and types of the example that was captured or composed for it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::{Value, json};

use crate::clients::{Player, fast, start};

static EXAMPLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(zoea_spacemolt::EXAMPLE_RESULTS).unwrap());

/// Parts of an example that our result lacks, with the reason. A path that ends with `*` includes
/// everything below.
const ABSENT: [(&str, &str, &str); 6] = [
    (
        "get_trades",
        "outgoing[]*",
        "nobody can offer a trade here, so the list is empty",
    ),
    (
        "view_orders",
        "orders[]*",
        "nobody can place an order here, so the list is empty",
    ),
    (
        "forum_list",
        "threads[]*",
        "nobody can write to the forum here, so the list is empty",
    ),
    (
        "faction_list",
        "factions[]*",
        "nobody can found a faction here, so the list is empty",
    ),
    (
        "get_wrecks",
        "wrecks[]*",
        "nothing is ever shot here, so the list is empty",
    ),
    (
        "get_notifications",
        "notifications[].data.*",
        "what is in it depends on msg_type",
    ),
];

/// Objects whose keys are data: their values are compared, not their keys.
const MAPS: [&str; 6] = [
    "skills",
    "skill_xp",
    "xp_gained",
    "skill_xp_gained",
    "category_descriptions",
    "revealed_pois",
];

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// Every difference between an example and a result.
fn compare(path: &str, example: &Value, result: &Value, differences: &mut Vec<String>) {
    if kind(example) != kind(result) {
        differences.push(format!(
            "{path}: a {} where a {} should be",
            kind(result),
            kind(example)
        ));
        return;
    }
    let name = path.rsplit('.').next().unwrap_or_default();
    match (example, result) {
        (Value::Object(example), Value::Object(result)) if MAPS.contains(&name) => {
            if let (Some(example), Some(result)) = (example.values().next(), result.values().next())
            {
                compare(&format!("{path}.?"), example, result, differences);
            }
        }
        (Value::Object(example), Value::Object(result)) => {
            for (key, example) in example {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                match result.get(key) {
                    Some(result) => compare(&path, example, result, differences),
                    None => differences.push(path),
                }
            }
        }
        (Value::Array(example), Value::Array(result)) => {
            let path = format!("{path}[]");
            match (common(example), result.first()) {
                (Some(example), Some(result)) => compare(&path, &example, result, differences),
                (Some(_), None) => differences.push(format!("{path} is empty")),
                (None, _) => {}
            }
        }
        _ => {}
    }
}

/// The common structure of the elements of an example's list: keys that only some have are
/// optional.
fn common(list: &[Value]) -> Option<Value> {
    let mut common = list.first()?.clone();
    if let Value::Object(common) = &mut common {
        common.retain(|key, _| list.iter().all(|element| element.get(key).is_some()));
    }
    Some(common)
}

/// The exception that covers a difference.
fn exception(tool: &str, difference: &str) -> Option<usize> {
    ABSENT.iter().position(|(of, path, _)| {
        let is_path = match path.strip_suffix('*') {
            Some(start) => difference.starts_with(start),
            None => difference == *path,
        };
        *of == tool && is_path
    })
}

/// Two pilots, and the results compared so far.
struct Session {
    pilot: Player,
    seen: BTreeMap<&'static str, Vec<String>>,
    excused: BTreeSet<usize>,
}

impl Session {
    fn check(&mut self, tool: &'static str, result: &Value) {
        let example = &EXAMPLES["tools"][tool]["result"];
        assert!(example.is_object(), "no example of {tool}");
        let mut differences = Vec::new();
        compare("", example, result, &mut differences);
        differences.retain(|difference| match exception(tool, difference) {
            Some(exception) => {
                self.excused.insert(exception);
                false
            }
            None => true,
        });
        self.seen.insert(tool, differences);
    }

    async fn play(&mut self, tool: &'static str, arguments: Value) -> Value {
        let result = self.pilot.ok(tool, arguments).await;
        self.check(tool, &result);
        result
    }
}

async fn look_around(session: &mut Session) {
    for tool in [
        "get_status",
        "get_ship",
        "get_cargo",
        "get_system",
        "get_map",
        "get_skills",
        "list_ships",
        "completed_missions",
        "get_trades",
        "get_wrecks",
        "faction_list",
        "forum_list",
        "get_commands",
        "get_version",
    ] {
        session.play(tool, json!({})).await;
    }
    session
        .play("find_route", json!({ "target_system": "nova_terra" }))
        .await;
    session
        .play("search_systems", json!({ "query": "nova" }))
        .await;
    session.play("help", json!({ "command": "mine" })).await;
    session.play("get_guide", json!({ "guide": "miner" })).await;
    session
        .play("catalog", json!({ "type": "items", "search": "fuel" }))
        .await;
    session
        .play("captains_log_add", json!({ "entry": "hello" }))
        .await;
    session.play("captains_log_list", json!({})).await;
    session
        .play("captains_log_get", json!({ "index": 0 }))
        .await;
    session
        .play(
            "set_status",
            json!({ "status_message": "mining", "clan_tag": "OREX" }),
        )
        .await;
    session
        .play("claim", json!({ "registration_code": "C" }))
        .await;
    session
        .play("chat", json!({ "channel": "system", "content": "hello" }))
        .await;
    session
        .play("get_chat_history", json!({ "channel": "system" }))
        .await;
}

async fn at_the_station(session: &mut Session) {
    session.play("get_base", json!({})).await;
    session
        .play("view_market", json!({ "item_id": "iron_ore" }))
        .await;
    session.play("analyze_market", json!({})).await;
    session.play("view_orders", json!({})).await;
    session
        .play(
            "estimate_purchase",
            json!({ "item_id": "fuel_cell", "quantity": 1 }),
        )
        .await;
    session.play("get_missions", json!({})).await;
    session
        .play("buy", json!({ "item_id": "iron_ore", "quantity": 9 }))
        .await;
    session
        .play("craft", json!({ "recipe_id": "refine_steel" }))
        .await;
    session
        .play(
            "deposit_items",
            json!({ "item_id": "iron_ore", "quantity": 2 }),
        )
        .await;
    session.play("view_storage", json!({})).await;
    session
        .play(
            "withdraw_items",
            json!({ "item_id": "iron_ore", "quantity": 1 }),
        )
        .await;
    session
        .play("sell", json!({ "item_id": "iron_ore", "quantity": 1 }))
        .await;
    session
        .play("jettison", json!({ "item_id": "iron_ore", "quantity": 1 }))
        .await;
    session.play("repair", json!({})).await;
    let mission = session
        .play("accept_mission", json!({ "mission_id": "iron_supply_run" }))
        .await;
    session.play("get_active_missions", json!({})).await;
    session
        .play(
            "abandon_mission",
            json!({ "mission_id": mission["mission_id"] }),
        )
        .await;
    session
        .pilot
        .ok("accept_mission", json!({ "mission_id": "first_haul" }))
        .await;
}

async fn at_the_belt(session: &mut Session, other: &Player) {
    session.play("undock", json!({})).await;
    session
        .play("travel", json!({ "target_poi": "main_belt" }))
        .await;
    for _ in 0..12 {
        session.play("mine", json!({})).await;
    }
    session.play("get_poi", json!({})).await;
    session.play("get_nearby", json!({})).await;
    let near = session.pilot.ok("get_nearby", json!({})).await;
    session
        .play(
            "scan",
            json!({ "target_id": near["nearby"][0]["player_id"] }),
        )
        .await;
    other
        .ok("chat", json!({ "channel": "system", "content": "hello" }))
        .await;
    session.play("get_notifications", json!({})).await;
    session
        .pilot
        .ok("travel", json!({ "target_poi": "sol_central" }))
        .await;
    session.play("dock", json!({})).await;
    session.play("refuel", json!({})).await;
    session
        .play("complete_mission", json!({ "mission_id": "first_haul" }))
        .await;
    session.play("completed_missions", json!({})).await;
    session
        .pilot
        .ok("buy", json!({ "item_id": "fuel_cell", "quantity": 1 }))
        .await;
    session
        .play("jump", json!({ "target_system": "sirius" }))
        .await;
    session
        .play("use_item", json!({ "item_id": "fuel_cell" }))
        .await;
    session.play("self_destruct", json!({})).await;
}

#[tokio::test]
async fn every_result_has_the_shape_of_its_example() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let (other, _) = Player::register(&url, "Tessera Vow", "solarian").await;
    other
        .ok(
            "set_status",
            json!({ "status_message": "mining", "clan_tag": "OREX" }),
        )
        .await;
    other
        .ok("travel", json!({ "target_poi": "main_belt" }))
        .await;
    let (pilot, welcome) = Player::register(&url, "QuillArdent", "solarian").await;
    let mut session = Session {
        pilot,
        seen: BTreeMap::new(),
        excused: BTreeSet::new(),
    };
    session.check("register", &welcome);
    at_the_station(&mut session).await;
    at_the_belt(&mut session, &other).await;
    session
        .pilot
        .ok("travel", json!({ "target_poi": "main_belt" }))
        .await;
    session.pilot.ok("mine", json!({})).await;
    other
        .ok("chat", json!({ "channel": "system", "content": "hello" }))
        .await;
    look_around(&mut session).await;
    session
        .pilot
        .ok("travel", json!({ "target_poi": "sol_central" }))
        .await;
    session.pilot.ok("dock", json!({})).await;
    session.play("logout", json!({})).await;
    let credentials = json!({ "username": "QuillArdent", "password": welcome["password"] });
    session.play("login", credentials).await;
    let wrong: Vec<_> = session
        .seen
        .iter()
        .filter(|(_, differences)| !differences.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        session.excused.len(),
        ABSENT.len(),
        "an exception that excuses nothing has to go"
    );
    assert_eq!(session.seen.len(), 59, "{:?}", session.seen.keys());
}
