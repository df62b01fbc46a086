//! The guides to mining, trading and exploring.

use serde_json::json;

use super::super::{CommandArguments, GameAnswer, GameRefusal, World};

pub(crate) fn get_guide(_: &World, arguments: CommandArguments) -> GameAnswer {
    let wanted = arguments.text_or_empty("guide")?;
    if wanted.is_empty() {
        let names = GUIDES.map(|(name, _)| name);
        return Ok(json!({
            "guides": names,
            "hint": "Call get_guide with 'guide' set to one of these.",
        }));
    }
    let found = GUIDES.iter().find(|(name, _)| *name == wanted);
    let Some((name, content)) = found else {
        return Err(GameRefusal::invalid_payload(format!(
            "Unknown guide '{wanted}'. Must be one of: {}.",
            GUIDES.map(|(name, _)| name).join(", ")
        )));
    };
    let others: Vec<&str> = GUIDES
        .iter()
        .map(|(other, _)| *other)
        .filter(|other| other != name)
        .collect();
    Ok(json!({
        "guide": name,
        "content": content,
        "hint": format!("Other guides: {}", others.join(", ")),
    }))
}

const GUIDES: [(&str, &str); 5] = [
    (
        "miner",
        "# Miner guide\n\n\
         1. `get_system` lists the places of your system. One of type asteroid_belt is your belt.\n\
         2. `travel` there with `target_poi`. A docked ship undocks by itself.\n\
         3. `mine` until the answer is cargo_full: about 25 pulls with a starter.\n\
         4. `travel` back to the place with a base and `dock`.\n\
         5. `get_missions`: a supply mission pays many times what the market pays for the ore. \
         `accept_mission`, then `complete_mission` once you carry what it asks for.\n\
         6. `get_cargo`, then `sell` each item. Prices fall as you sell and recover with time.\n\
         7. `refuel`, and write what you learnt with `captains_log_add`.\n\n\
         A mining laser works in belts only; gas and ice need harvesters.\n",
    ),
    (
        "trader",
        "# Trader guide\n\n\
         1. `view_market` shows what a station buys (best_buy) and sells (best_sell).\n\
         2. `analyze_market` names what it pays best for.\n\
         3. `estimate_purchase` tells what buying would cost, `buy` and `sell` trade at once.\n\
         4. Capitals pay steadily; outlying stations pay more for some goods and nothing for others.\n\
         5. `craft` turns ore into plates and wiring at any station.\n",
    ),
    (
        "pirate-hunter",
        "# Pirate hunter guide\n\n\
         Pirates keep to lawless systems. `scan` a ship before anything else, keep your tank full, \
         and remember that police answer attacks wherever the police level is above 0.\n",
    ),
    (
        "explorer",
        "# Explorer guide\n\n\
         1. `get_map` lists all systems, `search_systems` finds one by part of its name.\n\
         2. `find_route` tells the jumps and the fuel to anywhere.\n\
         3. `jump` goes to a connected system only; each one takes a few ticks and a unit of fuel.\n\
         4. Every system that is new to you gives experience.\n\
         5. Stations are rare out there: turn back while you have fuel for the way home.\n",
    ),
    (
        "base-builder",
        "# Base builder guide\n\n\
         Facilities are built at stations with `facility`. Save your credits first: store goods with \
         `deposit_items`, and see what you have with `view_storage`.\n",
    ),
];
