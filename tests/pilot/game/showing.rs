//! What the imitation shows: the market, the chart, the player and the ship.

use serde_json::{Value, json};

use super::Game;

impl Game {
    pub(super) fn quote(&self, item: &str, side: &str) -> i64 {
        let market = self.market();
        let quotes = market.as_array().unwrap();
        quotes
            .iter()
            .find(|quote| quote["item_id"] == item)
            .map_or(0, |quote| quote[side].as_i64().unwrap())
    }

    pub(super) fn market(&self) -> Value {
        let quote = |item: &str, bid: i64, ask: i64| json!({"item_id": item, "best_buy": bid, "best_sell": ask, "sell_quantity": if ask > 0 { 50 } else { 0 }});
        let ore = i64::from(!self.has_no_bids);
        if self.system == "outpost" {
            json!([
                quote("iron_ore", 4 * ore, 0),
                quote("steel_plate", 45, 0),
                quote("fuel_cell", 40, 50)
            ])
        } else {
            json!([
                quote("iron_ore", 3 * ore, 7),
                quote("copper_ore", 4 * ore, 0),
                quote("steel_plate", 15, 18)
            ])
        }
    }

    pub(super) fn lanes(&self) -> Vec<&'static str> {
        let home = self.home.map_or("", |home| home.system);
        match self.system.as_str() {
            "outpost" => vec![home, "rim"],
            "rim" => vec!["outpost"],
            _ => vec!["outpost"],
        }
    }

    /// Id, type and base of each point of interest.
    pub(super) fn pois(&self) -> Vec<(String, &'static str, Option<&'static str>)> {
        let Some(home) = self.home else {
            return Vec::new();
        };
        match self.system.as_str() {
            "outpost" => vec![
                ("outpost_star".into(), "sun", None),
                ("outpost_port".into(), "station", Some("outpost_station")),
                ("outpost_belt".into(), "asteroid_belt", None),
            ],
            "rim" => vec![
                ("rim_star".into(), "sun", None),
                ("rim_ice".into(), "ice_field", None),
            ],
            _ => vec![
                (format!("{}_star", home.system), "sun", None),
                (home.port.into(), "station", Some(home.base)),
                (format!("{}_gas", home.system), "gas_cloud", None),
                (home.belt.into(), "asteroid_belt", None),
            ],
        }
    }

    pub(super) fn base_id(&self) -> Option<&'static str> {
        self.pois()
            .into_iter()
            .find(|(id, _, _)| *id == self.poi)
            .and_then(|(_, _, base)| base)
    }

    pub(super) fn chart(&self) -> Value {
        let pois: Vec<Value> = self.pois().into_iter().map(|(id, kind, base)| {
            json!({"id": id, "name": id, "type": kind, "has_base": base.is_some(), "base_id": base})
        }).collect();
        let lanes: Vec<Value> = self
            .lanes()
            .into_iter()
            .map(|id| json!({"system_id": id, "distance": 400}))
            .collect();
        json!({"id": self.system, "name": self.system, "connections": lanes, "pois": pois})
    }

    pub(super) fn player(&self) -> Value {
        let mut player = json!({
            "username": "someone", "empire": self.home.map(|home| home.empire), "credits": self.credits,
            "current_system": self.system, "current_poi": self.poi,
        });
        if self.docked {
            player["docked_at_base"] = json!(self.base_id());
        }
        player
    }

    pub(super) fn ship(&self) -> Value {
        json!({"fuel": self.fuel, "max_fuel": 100, "cargo_used": self.used(), "cargo_capacity": self.hold(), "cargo": self.stacks()})
    }

    pub(super) fn stacks(&self) -> Value {
        self.cargo
            .iter()
            .map(|(item, quantity)| json!({"item_id": item, "quantity": quantity}))
            .collect()
    }

    pub(super) fn used(&self) -> i64 {
        self.cargo.values().sum()
    }

    pub(super) fn hold(&self) -> i64 {
        self.home.map_or(0, |home| home.hold)
    }
}
