//! Looks: what a call told of the ship, the place, the market and the missions.

use serde_json::{Map, Value};
use zoea_game::standing::Standing;
use zoea_text::figures::group_signed;

use super::Formatter;
use super::phrase::{
    all_of, count_of, counted, credits, followed, gauge, goods, joined, length, list, name,
    name_of, named, number, part, quantity_of, some, spelled, text, wallet, with_names,
};

pub(super) const LOOKS: &[(&str, Formatter)] = &[
    ("analyze_market", |facts, _| {
        all_of(facts, "insights", "insight", |one| {
            text(one, "message").map(name)
        })
    }),
    ("catalog", |facts, _| {
        let entry = text(facts, "type").map_or("entry", |kind| kind.trim_end_matches('s'));
        found(facts, ("total", entry), "items")
    }),
    ("completed_missions", |facts, _| {
        missions(list(facts, "missions")?, "completed mission", "")
    }),
    ("estimate_purchase", |facts, _| {
        let wanted = quantity_of(facts, "quantity_requested")?;
        let cost = credits(number(facts, "total_cost")?);
        let missing =
            some(facts, "unfilled").map(|left| format!("{} not to be had", group_signed(left)));
        followed(format!("{wanted} would cost {cost}"), [missing])
    }),
    ("find_route", find_route),
    ("get_active_missions", |facts, _| {
        missions(list(facts, "missions")?, "active mission", "")
    }),
    ("get_base", |facts, _| {
        let base = part(facts, "base").and_then(name_of)?;
        followed(base, [count_of(facts, "services", "service")])
    }),
    ("get_cargo", get_cargo),
    ("get_location", status),
    ("get_map", get_map),
    ("get_missions", |facts, _| {
        missions(list(facts, "missions")?, "mission", " on offer")
    }),
    ("get_nearby", get_nearby),
    ("get_player", |facts, _| {
        let who = name(text(facts, "username")?);
        followed(
            who,
            [number(facts, "credits").map(|sum| format!("wallet {}", credits(sum)))],
        )
    }),
    ("get_poi", get_poi),
    ("get_queue", |facts, _| {
        Some(match facts.get("has_pending")?.as_bool()? {
            true => "an action is under way".to_string(),
            false => "no action is under way".to_string(),
        })
    }),
    ("get_ship", get_ship),
    ("get_skills", get_skills),
    ("get_status", status),
    ("get_system", get_system),
    ("get_version", |facts, _| {
        let day = text(facts, "release_date").map(|day| format!(" of {day}"));
        let version = text(facts, "version")?;
        Some(format!(
            "the game is version {version}{}",
            day.unwrap_or_default()
        ))
    }),
    ("get_wrecks", |facts, _| {
        let wrecks = list(facts, "wrecks")?;
        let described = named(wrecks, |wreck| text(wreck, "ship_class").map(spelled));
        let here = format!("{} here", counted(length(wrecks), "wreck"));
        Some(with_names(here, described))
    }),
    ("list_ships", |facts, _| {
        all_of(facts, "ships", "ship", name_of)
    }),
    ("search_systems", |facts, _| {
        found(facts, ("total_found", "system"), "systems")
    }),
    ("view_market", view_market),
    ("view_orders", view_orders),
    ("view_storage", |facts, _| {
        let items = list(facts, "items")?;
        let held = named(items, |item| quantity_of(item, "quantity"));
        let money = some(facts, "credits").map(credits);
        let all = joined([held, money]).unwrap_or_else(|| "nothing".to_string());
        Some(format!("in the storage: {all}"))
    }),
];

fn found(facts: &Map<String, Value>, (total, one): (&str, &str), all: &str) -> Option<String> {
    let total = format!("{} found", counted(number(facts, total)?, one));
    Some(with_names(total, named(list(facts, all)?, name_of)))
}

/// A state: who, with how much, where, and in which condition.
pub(super) fn status(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let player = part(facts, "player");
    let who = player.and_then(|player| text(player, "username")).map(name);
    let all = joined([
        wallet(standing),
        place(facts, standing),
        gauge("fuel", standing.fuel),
        gauge("hold", standing.cargo),
        gauge("hull", standing.hull),
    ])?;
    Some(match who {
        Some(who) => format!("{who}: {all}"),
        None => all,
    })
}

fn place(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let player = part(facts, "player");
    let base = player.and_then(|player| text(player, "docked_at_base"));
    let system = standing.system.as_deref().map(spelled);
    let place = match (base, standing.poi.as_deref()) {
        (Some(base), _) => Some(format!("docked at {}", spelled(base))),
        (None, Some(poi)) => Some(format!("at {}", spelled(poi))),
        (None, None) => None,
    };
    match (place, system) {
        (Some(place), Some(system)) => Some(format!("{place} in {system}")),
        (Some(place), None) => Some(place),
        (None, Some(system)) => Some(format!("in {system}")),
        (None, None) => None,
    }
}

fn get_ship(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let ship = part(facts, "ship")?;
    let fitted = list(facts, "modules").or_else(|| list(ship, "modules"));
    followed(
        name_of(ship)?,
        [
            gauge("fuel", standing.fuel),
            gauge("hold", standing.cargo),
            gauge("hull", standing.hull),
            fitted.map(|modules| counted(length(modules), "module")),
        ],
    )
}

fn get_cargo(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let cargo = list(facts, "cargo")?;
    let goods = named(cargo, |item| quantity_of(item, "quantity"));
    let level = gauge("hold", standing.cargo).unwrap_or_else(|| "hold".to_string());
    let goods = goods.unwrap_or_else(|| "empty".to_string());
    let wallet = wallet(standing).map(|wallet| format!("; {wallet}"));
    Some(format!("{level}: {goods}{}", wallet.unwrap_or_default()))
}

/// A look from a ship under way, which tells of nothing else.
fn in_transit(facts: &Map<String, Value>) -> Option<String> {
    if facts.get("in_transit") != Some(&Value::Bool(true)) {
        return None;
    }
    let to = text(facts, "to_system").map(|to| format!(" to {}", name(to)));
    let left =
        some(facts, "ticks_remaining").map(|ticks| format!("{} left", counted(ticks, "tick")));
    followed(format!("under way{}", to.unwrap_or_default()), [left])
}

fn get_system(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    if let Some(words) = in_transit(facts) {
        return Some(words);
    }
    let system = part(facts, "system")?;
    let places = count_of(system, "pois", "place");
    let lanes = list(system, "connections");
    let near = lanes.map(|lanes| {
        let count = format!("{} near", counted(length(lanes), "system"));
        with_names(count, named(lanes, name_of))
    });
    Some(with_names(name_of(system)?, joined([places, near])))
}

fn get_poi(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    if let Some(words) = in_transit(facts) {
        return Some(words);
    }
    let poi = part(facts, "poi")?;
    let mut words = name_of(poi)?;
    if let Some(kind) = text(poi, "type") {
        words += &format!(" ({})", spelled(kind));
    }
    let resources = list(facts, "resources").unwrap_or_default();
    let resource = |one: &Map<String, Value>| {
        let left = number(one, "remaining").filter(|left| *left >= 0);
        let left = left.map(|left| format!(" {}", group_signed(left)));
        Some(format!("{}{}", goods(one)?, left.unwrap_or_default()))
    };
    let base = part(facts, "base").and_then(name_of);
    let base = base.map(|base| format!("with the base {base}"));
    Some(with_names(
        words,
        joined([base, named(resources, resource)]),
    ))
}

fn get_nearby(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    if let Some(words) = in_transit(facts) {
        return Some(words);
    }
    let count = number(facts, "count")?;
    let names = named(list(facts, "nearby")?, name_of);
    let here = match count {
        0 => "no other player here".to_string(),
        _ => with_names(format!("{} here", counted(count, "player")), names),
    };
    let pirates = some(facts, "pirate_count").map(|count| counted(count, "pirate"));
    followed(here, [pirates])
}

fn get_map(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let Some(systems) = list(facts, "systems") else {
        // A single system is asked for by its id.
        text(facts, "system_id")?;
        let near = count_of(facts, "connections", "system");
        return followed(name_of(facts)?, [near.map(|count| format!("{count} near"))]);
    };
    let is_visited = |system: &&Value| system.get("visited") == Some(&Value::Bool(true));
    let visited = systems.iter().filter(is_visited).count();
    Some(format!(
        "a map of {}, {visited} visited",
        counted(length(systems), "system")
    ))
}

fn find_route(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let target = text(facts, "target_system").map(spelled);
    if facts.get("found")? != &Value::Bool(true) {
        let target = target.map(|target| format!(" to {target}"));
        return Some(format!("no route{} is known", target.unwrap_or_default()));
    }
    let stops = list(facts, "route").unwrap_or_default();
    let last = stops.last().and_then(Value::as_object).and_then(name_of);
    let jumps = counted(number(facts, "total_jumps")?, "jump");
    let fuel = number(facts, "estimated_fuel").map(|fuel| format!("{} fuel", group_signed(fuel)));
    followed(format!("{jumps} to {}", last.or(target)?), [fuel])
}

fn get_skills(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let skills = part(facts, "skills")?;
    let level = |skill: &Value| skill.as_i64().or_else(|| skill.get("level")?.as_i64());
    let mut levels: Vec<(i64, String)> = Vec::new();
    for (id, skill) in skills {
        levels.push((level(skill)?, spelled(id)));
    }
    levels.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
    let best = levels.iter().take(5);
    let described: Vec<String> = best.map(|(level, id)| format!("{id} {level}")).collect();
    let count = counted(i64::try_from(levels.len()).unwrap_or(i64::MAX), "skill");
    Some(with_names(
        count,
        (!described.is_empty()).then(|| described.join(", ")),
    ))
}

fn missions(missions: &[Value], one: &str, where_from: &str) -> Option<String> {
    if missions.is_empty() {
        return Some(format!("no {one}s{where_from}"));
    }
    let count = counted(length(missions), one) + where_from;
    let described = named(missions, |mission| {
        let title = name_of(mission)?;
        let done = mission.get("percent_complete").and_then(Value::as_f64);
        Some(match done {
            Some(done) => format!("{title} ({done:.0} %)"),
            None => title,
        })
    });
    Some(with_names(count, described))
}

fn view_market(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let items = list(facts, "items")?;
    let base = text(facts, "base").map(|base| format!(" at {}", name(base)));
    let [Value::Object(item)] = items else {
        // The text of the second interface tells the place, and how many there are, in its heading.
        let count = counted(length(items), "item");
        return base.map(|base| format!("the market{base} has {count}"));
    };
    let base = base.unwrap_or_default();
    let pays = some(item, "best_buy").map(|price| format!("pays {}", credits(price)));
    let asks = some(item, "best_sell").map(|price| format!("asks {}", credits(price)));
    let prices = joined([pays, asks]).unwrap_or_else(|| "does not trade it".to_string());
    Some(format!("{}: the market{base} {prices}", goods(item)?))
}

fn view_orders(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let orders = list(facts, "orders")?;
    let count = number(facts, "total").unwrap_or_else(|| length(orders));
    if count == 0 {
        return Some("no orders".to_string());
    }
    let described = named(orders, |order| {
        let side = text(order, "side").or_else(|| text(order, "order_type"))?;
        let goods = quantity_of(order, "remaining").or_else(|| quantity_of(order, "quantity"))?;
        let price = credits(number(order, "price_each")?);
        Some(format!("{side} {goods} at {price}"))
    });
    Some(with_names(counted(count, "order"), described))
}
