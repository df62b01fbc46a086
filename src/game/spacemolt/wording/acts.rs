//! Acts: what a call changed in the game.

use serde_json::{Map, Value};
use zoea_game::standing::Standing;
use zoea_text::figures::group_signed;

use super::Formatter;
use super::phrase::{
    counted, credits, followed, gauge, goods, hold, is_action, length, list, name, number, part,
    quantity_of, some, spelled, text, wallet, with_names,
};
use crate::standing::deal;

pub(super) const ACTS: &[(&str, Formatter)] = &[
    ("abandon_mission", |facts, _| {
        text(facts, "message").map(str::to_string)
    }),
    ("accept_mission", |facts, _| {
        let title = name(text(facts, "title")?);
        Some(format!("accepted the mission {title}"))
    }),
    ("attack", attack),
    ("buy", buy),
    ("cancel_order", cancel_order),
    ("complete_mission", complete_mission),
    ("craft", |facts, standing| {
        let made = quantity_of(facts, "quantity").filter(|_| facts.contains_key("output_id"))?;
        followed(format!("crafted {made}"), [hold(standing)])
    }),
    ("create_buy_order", |facts, standing| {
        create_order(facts, standing, ("bids for", "bought"))
    }),
    ("create_sell_order", |facts, standing| {
        create_order(facts, standing, ("offers", "sold"))
    }),
    ("deposit_items", deposit_items),
    ("dock", |facts, standing| {
        let base = name(text(facts, "base").or_else(|| text(facts, "base_name"))?);
        followed(format!("docked at {base}"), [gauge("fuel", standing.fuel)])
    }),
    ("jettison", |facts, standing| {
        let lost = quantity_of(facts, "quantity")?;
        followed(format!("threw out {lost}"), [hold(standing)])
    }),
    ("jump", jump),
    ("login", log_in),
    ("login_link_poll", log_in),
    ("login_token", log_in),
    ("loot_wreck", |facts, standing| {
        let taken = quantity_of(facts, "quantity")?;
        let is_empty = facts.get("wreck_empty") == Some(&Value::Bool(true));
        let emptied = is_empty.then(|| "the wreck is empty".to_string());
        followed(
            format!("took {taken} from a wreck"),
            [emptied, hold(standing)],
        )
    }),
    ("mine", mine),
    ("refuel", refuel),
    ("register", |facts, standing| {
        greeted(facts, standing, "registered")
    }),
    ("repair", |facts, standing| {
        let paid = some(facts, "cost").map(|cost| format!(" for {}", credits(cost)));
        let repaired = group_signed(number(facts, "repaired")?);
        let words = format!("repaired {repaired} hull{}", paid.unwrap_or_default());
        followed(words, [gauge("hull", standing.hull), wallet(standing)])
    }),
    ("scan", scan),
    ("sell", sell),
    ("trade_accept", |facts, standing| {
        followed(text(facts, "message")?.to_string(), [wallet(standing)])
    }),
    ("travel", travel),
    ("undock", |facts, standing| {
        let is_it = is_action(facts, "undock");
        is_it.then(|| followed("undocked".to_string(), [gauge("fuel", standing.fuel)]))?
    }),
    ("withdraw_items", withdraw_items),
];

fn mine(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let left = || some(facts, "remaining").map(|left| format!("{} left here", group_signed(left)));
    let words = match number(facts, "quantity")? {
        0 => "mined nothing".to_string(),
        _ => format!("mined {}", quantity_of(facts, "quantity")?),
    };
    followed(words, [hold(standing).or_else(left)])
}

fn travel(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    if is_action(facts, "arrived") {
        let place = place(facts, "poi", "poi_id")?;
        let others = some(facts, "online_players_count");
        let others = others.map(|count| format!("{} here", counted(count, "player")));
        return followed(
            format!("arrived at {place}"),
            [others, gauge("fuel", standing.fuel)],
        );
    }
    under_way(facts)
}

/// The answer of servers that do not hold it back until the arrival.
fn under_way(facts: &Map<String, Value>) -> Option<String> {
    let place = place(facts, "destination", "destination_id")?;
    let ticks = some(facts, "ticks").map(|ticks| format!("arrives in {}", counted(ticks, "tick")));
    followed(format!("travelling to {place}"), [ticks])
}

fn jump(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    if !is_action(facts, "jumped") {
        return under_way(facts);
    }
    let mut words = format!("jumped to {}", place(facts, "system", "system_id")?);
    if let Some(from) = text(facts, "from_system") {
        words += &format!(" from {}", name(from));
    }
    let is_first = some(facts, "exploration_xp").map(|_| "for the first time".to_string());
    followed(words, [is_first, gauge("fuel", standing.fuel)])
}

/// A place by its name, else by its id.
fn place(facts: &Map<String, Value>, named: &str, id: &str) -> Option<String> {
    let known = text(facts, named).map(name);
    known.or_else(|| text(facts, id).map(spelled))
}

fn sell(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let unsold = some(facts, "unsold").map(|left| format!("{} unsold", group_signed(left)));
    let words = match number(facts, "quantity_sold")? {
        0 => format!("sold no {}", goods(facts)?),
        _ => format!(
            "sold {} for {}",
            quantity_of(facts, "quantity_sold")?,
            credits(deal(facts)?.earned)
        ),
    };
    followed(words, [unsold, wallet(standing)])
}

fn buy(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let missing =
        some(facts, "unfilled").map(|left| format!("{} not to be had", group_signed(left)));
    let words = match number(facts, "quantity")? {
        0 => format!("bought no {}", goods(facts)?),
        _ => format!(
            "bought {} for {}",
            quantity_of(facts, "quantity")?,
            credits(number(facts, "total_cost")?)
        ),
    };
    followed(words, [missing, hold(standing), wallet(standing)])
}

fn create_order(
    facts: &Map<String, Value>,
    standing: &Standing,
    (verb, done): (&str, &str),
) -> Option<String> {
    let goods = quantity_of(facts, "quantity")?;
    let price = credits(number(facts, "price_each")?);
    let filled = some(facts, "quantity_filled");
    let filled = filled.map(|filled| format!("{} {done} at once", group_signed(filled)));
    followed(
        format!("{verb} {goods} at {price} each"),
        [filled, fee(facts), wallet(standing)],
    )
}

fn fee(facts: &Map<String, Value>) -> Option<String> {
    Some(format!("fee {}", credits(some(facts, "listing_fee")?)))
}

fn cancel_order(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    text(facts, "order_id")?;
    let back = part(facts, "returned_items").and_then(|items| quantity_of(items, "quantity"));
    let back = back.map(|items| format!("got {items} back"));
    followed("cancelled an order".to_string(), [back, wallet(standing)])
}

fn refuel(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let added = group_signed(number(facts, "fuel")?);
    let paid = some(facts, "cost").map(|cost| format!(" for {}", credits(cost)));
    let burnt = some(facts, "cells_used");
    let burnt = burnt.map(|cells| format!(" from {}", counted(cells, "fuel cell")));
    let from = paid.or(burnt).unwrap_or_default();
    followed(
        format!("took {added} fuel{from}"),
        [gauge("fuel", standing.fuel), wallet(standing)],
    )
}

fn deposit_items(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let stored = quantity_of(facts, "quantity")?;
    let total = number(facts, "storage_total");
    let total = total.map(|total| format!("{} stored there", group_signed(total)));
    followed(
        format!("put {stored} into the storage"),
        [total, hold(standing)],
    )
}

fn withdraw_items(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let taken = quantity_of(facts, "quantity")?;
    let left = number(facts, "storage_remaining");
    let left = left.map(|left| format!("{} left there", group_signed(left)));
    followed(
        format!("took {taken} from the storage"),
        [left, hold(standing)],
    )
}

fn complete_mission(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    let mut words = format!("completed the mission {}", name(text(facts, "title")?));
    if let Some(earned) = some(facts, "credits_earned") {
        words += &format!(" for {}", credits(earned));
    }
    followed(words, [wallet(standing)])
}

fn attack(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let target = text(facts, "target_name").or_else(|| text(facts, "target"))?;
    let more = text(facts, "message").map(str::to_string);
    Some(with_names(format!("attacks {}", name(target)), more))
}

fn scan(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    if facts.get("success")? != &Value::Bool(true) {
        return Some("the scan showed nothing".to_string());
    }
    let target = text(facts, "username").map_or("a ship without a name".to_string(), name);
    let class = text(facts, "ship_class").map(spelled);
    let figure = |key: &str| Some(format!("{key} {}", group_signed(number(facts, key)?)));
    let is_cloaked = facts.get("cloaked") == Some(&Value::Bool(true));
    let cloaked = is_cloaked.then(|| "cloaked".to_string());
    followed(
        format!("scanned {target}"),
        [class, cloaked, figure("hull"), figure("shield")],
    )
}

fn log_in(facts: &Map<String, Value>, standing: &Standing) -> Option<String> {
    greeted(facts, standing, "logged in")
}

fn greeted(facts: &Map<String, Value>, standing: &Standing, verb: &str) -> Option<String> {
    let player = part(facts, "player")?;
    let who = name(text(player, "username")?);
    let place = text(player, "docked_at_base").map(|base| format!("docked at {}", spelled(base)));
    let system = text(player, "current_system").map(|system| format!("in {}", spelled(system)));
    let trades = list(facts, "pending_trades").filter(|trades| !trades.is_empty());
    let trades = trades.map(|trades| counted(length(trades), "open trade"));
    followed(
        format!("{verb} as {who}"),
        [wallet(standing), place.or(system), trades],
    )
}
