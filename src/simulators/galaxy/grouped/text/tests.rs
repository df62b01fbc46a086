//! The texts against those that clients captured: the same kinds of lines, the same columns.

use zoea_spacemolt::results::read_facts;

use super::*;

fn captured(action: &str) -> Vec<String> {
    let all: Value = serde_json::from_str(zoea_spacemolt::CAPTURED_RESULTS).unwrap();
    let examples = all["examples"].as_array().unwrap();
    let texts = examples
        .iter()
        .filter(|example| example["arguments"]["action"] == action)
        .flat_map(|example| {
            let whole = example["result"]["content"][0]["text"].as_str();
            let short = example["texts"].as_array().into_iter().flatten();
            whole.into_iter().chain(short.filter_map(Value::as_str))
        });
    texts.map(str::to_owned).collect()
}

/// The headings of tables with their columns.
fn tables(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(2)
        .filter(|pair| pair[0].ends_with(':') && pair[1].contains('\t'))
        .map(|pair| {
            let label = pair[0].split([' ', ':']).next().unwrap();
            (label.to_owned(), pair[1].to_owned())
        })
        .collect()
}

fn state() -> Value {
    json!({
        "player": {"username": "Quill", "empire": "nebula", "credits": 2750},
        "ship": {
            "name": "Prospect", "class_id": "prospect", "hull": 95, "max_hull": 95, "shield": 50,
            "max_shield": 50, "shield_recharge": 1, "armor": 4, "speed": 1, "fuel": 87,
            "max_fuel": 130, "cargo_used": 22, "cargo_capacity": 100, "cpu_used": 4,
            "cpu_capacity": 13, "power_used": 10, "power_capacity": 26,
        },
        "modules": [{"id": "4f1c", "type_id": "mining_laser_i", "type": "mining", "size": 10,
            "wear_status": "Pristine", "mining_power": 5}],
        "cargo": [{"item_id": "iron_ore", "name": "Iron Ore", "quantity": 22, "size": 1}],
        "location": {
            "system_name": "Sol", "docked_at": "earth_station", "security_status": "High",
            "connections": ["a", "b"],
            "resources": [{"name": "Iron Ore", "richness": 5, "remaining": 7}],
            "nearby_players": [{"username": "Pilot 1", "ship_class": "prospect"}],
        },
        "missions": {"max_missions": 5, "active": [{"title": "Fetch", "type": "delivery"}]},
        "queue": {"has_pending": false},
        "skills": {"mining": {"level": 3, "xp": 1162, "next_level_xp": 1585}},
        "current_tick": 1_333_537,
    })
}

#[test]
fn the_tables_have_the_captured_columns() {
    let state = state();
    let market = json!({"base": "Earth", "categories": ["ore"], "items": [{
        "category": "ore", "item_id": "iron_ore", "item_name": "Iron Ore", "best_sell": 1000,
        "best_buy": 0, "sell_quantity": 10, "buy_quantity": 0,
    }]});
    let system = json!({"system": {
        "id": "sol", "name": "Sol", "empire": "solarian", "security_status": "High",
        "pois": [{"id": "p", "name": "P", "type": "sun", "online": 0}],
        "connections": [{"system_id": "a", "name": "A", "distance": 3}],
    }});
    let insights = json!({"station": "Earth", "skill_level": 1, "insights": [{
        "priority": 1, "category": "demand", "item": "Iron Ore", "item_id": "iron_ore", "message": "pays"}]});
    let poi = json!({"poi": {"id": "b", "name": "B", "type": "asteroid_belt"},
        "resources": state["location"]["resources"]});
    for (action, answer) in [
        ("get_status", &state),
        ("get_location", &state),
        ("get_skills", &state),
        ("view_market", &market),
        ("get_system", &system),
        ("analyze_market", &insights),
        ("get_poi", &poi),
    ] {
        let known: Vec<_> = captured(action)
            .iter()
            .flat_map(|text| tables(text))
            .collect();
        let ours = tables(&render(action, answer, Some(&state)));
        assert!(!ours.is_empty(), "{action}");
        for table in ours {
            // A docked ship has no belt around it in the captures of the place.
            if action != "get_location" || table.0 != "Resources" {
                assert!(
                    known.contains(&table),
                    "{action}: {table:?} is not among {known:?}"
                );
            }
        }
    }
}

#[test]
fn what_is_told_is_what_the_world_answered() {
    let state = state();
    let text = render("get_status", &state, None);
    assert!(
        text.starts_with("Quill [nebula] | 2,750cr | Sol\nShip: Prospect (prospect) | Hull: 95/95")
    );
    let facts = Value::Object(read_facts(&text).unwrap());
    for name in [
        "fuel",
        "max_fuel",
        "hull",
        "shield",
        "cargo_used",
        "cargo_capacity",
    ] {
        assert_eq!(facts["ship"][name], state["ship"][name], "{name}");
    }
    assert_eq!(facts["player"]["credits"], 2750);
    assert_eq!(facts["player"]["docked_at_base"], "earth_station");
    assert_eq!(facts["skills"], state["skills"]);
    assert_eq!(facts["ship"]["cargo"][0]["item_id"], "iron_ore");
    assert_eq!(facts["missions"][0]["title"], "Fetch (delivery)");
    let hold = render("get_cargo", &state, None);
    let known = captured("get_cargo");
    assert_eq!(hold.lines().next(), known[0].lines().next());
    assert_eq!(
        read_facts(&hold).unwrap()["ship"]["cargo"][0]["quantity"],
        22
    );
}

#[test]
fn outcomes_read_as_captured() {
    let sold = json!({"quantity_sold": 6, "item": "Gold Ore", "total_earned": 12, "fills": []});
    assert_eq!(render("sell", &sold, None), captured("sell")[0]);
    let unsold =
        json!({"quantity_sold": 0, "item": "Palladium Ore", "total_earned": 0, "unsold": 7});
    assert_eq!(render("sell", &unsold, None), captured("sell")[4]);
    let docked = json!({"base": "Market Prime Exchange"});
    assert_eq!(render("dock", &docked, None), captured("dock")[0]);
    let fuel = json!({"source": "station", "fuel": 88, "cost": 352});
    assert_eq!(render("refuel", &fuel, None), captured("refuel")[0]);
    let nothing = json!({"missions": []});
    assert_eq!(
        render("get_active_missions", &nothing, None),
        captured("get_active_missions")[0]
    );
    let quiet = json!({"notifications": [], "count": 0});
    assert_eq!(
        render("get_notifications", &quiet, None),
        captured("get_notifications")[0]
    );
    let estimate = json!({"quantity_requested": 1, "item": "Mining Laser III", "total_cost": 0,
        "available": 0, "unfilled": 1});
    assert_eq!(
        render("estimate_purchase", &estimate, None),
        captured("estimate_purchase")[0]
    );
}

#[test]
fn what_nobody_captured_is_the_object_of_the_http_interface() {
    let mined = json!({"resource_id": "iron_ore", "quantity": 3, "message": "Mined."});
    let text = render("mine", &mined, Some(&state()));
    let facts = read_facts(&text).unwrap();
    assert_eq!(facts["quantity"], 3);
    assert_eq!(facts["message"], "Mined.");
    assert_eq!(facts["ship"]["cargo_used"], 22);
    let listed = json!({"missions": [{"title": "Fetch"}]});
    assert_eq!(
        render("get_active_missions", &listed, None),
        listed.to_string()
    );
}

#[test]
fn notifications_are_told_as_a_table_that_holds_all_of_them() {
    let warning = json!({"id": "1f", "type": "system", "msg_type": "server_restart_warning",
        "timestamp": "2026-03-11T18:42:01Z", "data": {"seconds_until_restart": 60}});
    let chat = json!({"id": "2e", "type": "chat", "msg_type": "chat_message",
        "timestamp": "2026-03-11T18:42:02Z", "data": {"content": "a\tb\nNotifications (1):"}});
    let answer = json!({"notifications": [chat, warning], "count": 2, "remaining": 0});
    let facts = read_facts(&render("get_notifications", &answer, None)).unwrap();
    assert_eq!(facts["count"], 2);
    for (read, sent) in [(0, &chat), (1, &warning)] {
        assert_eq!(facts["notifications"][read]["msg_type"], sent["msg_type"]);
        assert_eq!(facts["notifications"][read]["data"], sent["data"]);
    }
}
