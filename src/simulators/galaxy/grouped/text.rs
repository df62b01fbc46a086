//! The second interface's answers in text, in the forms that clients have captured.

mod cells;
mod trade;

use serde_json::{Map, Value, json};

use cells::{elements, field_row, list_row, members, money, table, thousands, word};
use trade::{estimate, insights, market, sale};

use crate::world::title_case;

/// The actions whose successful answers clients have captured. Of the lists, only the empty ones
/// of missions and notifications are known; of refuelling, only that from a station.
const CAPTURED: [&str; 16] = [
    "analyze_market",
    "dock",
    "estimate_purchase",
    "get_active_missions",
    "get_cargo",
    "get_location",
    "get_notifications",
    "get_poi",
    "get_skills",
    "get_state",
    "get_status",
    "get_system",
    "login",
    "refuel",
    "sell",
    "view_market",
];

/// Whether the form of an action's answer is known. For all others the galaxy guesses.
pub(super) fn is_captured(action: &str) -> bool {
    CAPTURED.contains(&action)
}

/// Renders the answer of the world. Where it is made of the state after it, that is given.
pub(crate) fn render(action: &str, answer: &Value, state: Option<&Value>) -> String {
    // Whoever picks a character at the link is logged in.
    let action = match action {
        "login_link_poll" if answer["session_id"].is_string() => "login",
        _ => action,
    };
    let captured = is_captured(action).then(|| captured_text(action, answer, state));
    captured.flatten().unwrap_or_else(|| match (action, state) {
        ("get_player", _) => answer["player"].to_string(),
        ("get_queue", _) => answer["queue"].to_string(),
        (_, Some(state)) => state_delta(answer, state).to_string(),
        (_, None) => answer.to_string(),
    })
}

/// The guess for a mutation: the object of the HTTP interface, with all sections that it may have
/// changed.
fn state_delta(details: &Value, state: &Value) -> Value {
    let sections = ["player", "ship", "cargo", "location", "queue", "skills"];
    let sections = sections.map(|name| (name.to_owned(), state[name].clone()));
    let mut delta: Map<String, Value> = sections.into_iter().collect();
    let message = details["message"].as_str().unwrap_or("Done.");
    delta.insert("message".to_owned(), message.into());
    delta.insert("details".to_owned(), details.clone());
    json!(delta)
}

fn captured_text(action: &str, answer: &Value, state: Option<&Value>) -> Option<String> {
    Some(match action {
        "get_status" | "get_state" => status(answer),
        "get_location" => place(answer),
        "get_cargo" => cargo(answer),
        "get_skills" => skills(&answer["skills"]),
        "get_system" => system(answer)?,
        "get_poi" => poi(answer)?,
        "get_active_missions" if is_empty(&answer["missions"]) => "No active missions.".to_owned(),
        "get_notifications" if is_empty(&answer["notifications"]) => "No notifications.".to_owned(),
        // A guess: nobody has captured a list of them.
        "get_notifications" => notifications(&answer["notifications"]),
        "view_market" => market(answer, state),
        "analyze_market" => insights(answer),
        "estimate_purchase" => estimate(answer),
        "login" => login(answer),
        "sell" => sale(answer),
        "dock" => format!("Docked at {}.", word(&answer["base"])),
        "refuel" if answer["source"] == "station" => format!(
            "Refueled {} fuel for {}.",
            word(&answer["fuel"]),
            money(&answer["cost"])
        ),
        _ => return None,
    })
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty)
}

fn status(state: &Value) -> String {
    let (player, ship, place) = (&state["player"], &state["ship"], &state["location"]);
    let gauge = |now: &str, most: &str| format!("{}/{}", word(&ship[now]), word(&ship[most]));
    let mut text = format!(
        "{} [{}] | {} | {}\n",
        word(&player["username"]),
        word(&player["empire"]),
        money(&player["credits"]),
        word(&place["system_name"])
    );
    text += &format!(
        "Ship: {} ({}) | Hull: {} | Shield: {} (+{}/tick) | Armor: {} | Speed: {}\n",
        word(&ship["name"]),
        word(&ship["class_id"]),
        gauge("hull", "max_hull"),
        gauge("shield", "max_shield"),
        word(&ship["shield_recharge"]),
        word(&ship["armor"]),
        word(&ship["speed"])
    );
    text += &format!(
        "Fuel: {} | Cargo: {} | CPU: {} | Power: {}\n",
        gauge("fuel", "max_fuel"),
        gauge("cargo_used", "cargo_capacity"),
        gauge("cpu_used", "cpu_capacity"),
        gauge("power_used", "power_capacity")
    );
    text += &surroundings(place);
    text += &table(
        "Modules",
        "id\ttype\tslot\tsize\twear\tstats",
        &state["modules"],
        module_row,
    );
    text += &cargo_table(&state["cargo"], "Cargo");
    let skills: Vec<Value> = members(&state["skills"])
        .map(|(name, skill)| json!([name, skill["level"], skill["xp"], skill["next_level_xp"]]))
        .collect();
    text += &table(
        "Skills",
        "skill\tlevel\txp\tnext_level",
        &json!(skills),
        list_row,
    );
    let missions = &state["missions"];
    let active = elements(&missions["active"]);
    if !active.is_empty() {
        let most = word(&missions["max_missions"]);
        text += &format!("Active missions ({}/{most}):\n", active.len());
        for mission in active {
            text += &format!(
                "- {} ({})\n",
                word(&mission["title"]),
                word(&mission["type"])
            );
        }
    }
    text
}

fn place(state: &Value) -> String {
    format!(
        "{}\nCredits: {}\n{}",
        word(&state["location"]["system_name"]),
        money(&state["player"]["credits"]),
        surroundings(&state["location"])
    )
}

/// The lines about the place. Whether a ship is under way is a guess.
fn surroundings(place: &Value) -> String {
    let mut text = String::new();
    if place["docked_at"].is_string() {
        text += &format!("Docked at: {}\n", word(&place["docked_at"]));
    }
    if place["in_transit"] == true {
        text += &format!(
            "In transit until tick {}\n",
            word(&place["transit_arrival_tick"])
        );
    }
    text += &format!("Security: {}\n", word(&place["security_status"]));
    let lanes: Vec<String> = elements(&place["connections"]).iter().map(word).collect();
    text += &format!("Connections: {}\n", lanes.join(", "));
    text += &resources(&place["resources"]);
    text += &table(
        "Nearby players",
        "name\tship\tfaction\tcombat\tstatus",
        &place["nearby_players"],
        |player| {
            let name = word(&player["username"]);
            format!("{name}\t{}\t\t\tonline", word(&player["ship_class"]))
        },
    );
    text
}

fn resources(list: &Value) -> String {
    let columns = "resource\trichness\tremaining\tsupports_power";
    table("Resources", columns, list, |resource| {
        let row = field_row(resource, &["name", "richness", "remaining"]);
        format!("{row}\t1")
    })
}

fn module_row(module: &Value) -> String {
    let slot = if module["type"] == "weapon" {
        "weapon"
    } else {
        "utility"
    };
    let stats = match module["mining_power"].as_u64() {
        Some(power) => format!("mining_power:{power}"),
        None => format!("damage:{}", word(&module["damage"])),
    };
    let ids = field_row(module, &["id", "type_id"]);
    let state = field_row(module, &["size", "wear_status"]);
    format!("{ids}\t{slot}\t{state}\t{stats}")
}

/// The hold. The live server's heading says 0/0 with goods aboard.
fn cargo(state: &Value) -> String {
    let table = cargo_table(&state["cargo"], "");
    let rows = table.split_once('\n').map_or("", |(_, rows)| rows);
    format!(
        "Cargo: 0/0 used, 0 available.\n{rows}\nCredits: {}",
        money(&state["player"]["credits"])
    )
}

fn cargo_table(cargo: &Value, label: &str) -> String {
    let items = elements(cargo);
    if items.is_empty() {
        return String::new();
    }
    let mut text = format!("{label} ({} items):\nitem\tqty\tsize\n", items.len());
    for item in items {
        let (name, quantity) = (word(&item["name"]), thousands(&item["quantity"]));
        text += &format!("{name}\t{quantity}\t{}\n", word(&item["size"]));
    }
    text
}

fn skills(skills: &Value) -> String {
    let count = members(skills).count();
    let mut text =
        format!("Skills ({count} trained, 0-100 scale):\nskill\tname\tcategory\tlevel\tprogress\n");
    for (id, skill) in members(skills) {
        let name = title_case(id);
        text += &format!(
            "{id}\t{name}\t\t{}/100\t{}/{} XP\n",
            word(&skill["level"]),
            thousands(&skill["xp"]),
            thousands(&skill["next_level_xp"])
        );
    }
    text
}

/// A system; `None` for a ship under way.
fn system(answer: &Value) -> Option<String> {
    let system = &answer["system"];
    let id = system["id"].as_str()?;
    let mut text = format!(
        "System: {} ({id}) | Empire: {} | Security: {}\n",
        word(&system["name"]),
        word(&system["empire"]),
        word(&system["security_status"])
    );
    let columns = "id\tname\ttype\tclass\tbase\tonline";
    text += &table("POIs", columns, &system["pois"], |poi| {
        field_row(poi, &["id", "name", "type", "class", "base_name", "online"])
    });
    text += &table(
        "Connections",
        "system_id\tname\tdistance",
        &system["connections"],
        |lane| field_row(lane, &["system_id", "name", "distance"]) + " GU",
    );
    Some(text)
}

/// A place; `None` for a ship under way.
fn poi(answer: &Value) -> Option<String> {
    let poi = &answer["poi"];
    let id = poi["id"].as_str()?;
    let head = format!(
        "POI: {} ({id}) | Type: {}",
        word(&poi["name"]),
        word(&poi["type"])
    );
    Some(format!("{head}\n{}", resources(&answer["resources"])))
}

/// Notifications as a table, with their data as JSON, in which no tab and no new line stands.
fn notifications(notices: &Value) -> String {
    let columns = "id\ttype\tmsg_type\ttimestamp\tdata";
    let rows = table("Notifications", columns, notices, |one| {
        let row = field_row(one, &["id", "type", "msg_type", "timestamp"]);
        format!("{row}\t{}", one["data"])
    });
    rows.trim_end().to_owned()
}

fn login(answer: &Value) -> String {
    let release = &answer["release_info"];
    let mut text = format!(
        "Welcome back, {}! Session ID: {}\nLatest release: v{}",
        word(&answer["player"]["username"]),
        word(&answer["session_id"]),
        word(&release["version"])
    );
    for note in elements(&release["notes"]) {
        text += &format!("\n  - {}", word(note));
    }
    text
}

#[cfg(test)]
mod tests;
