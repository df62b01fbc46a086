//! What the caller tells of the game beside the results: its note, and the report of a routine.
//!
//! The note fills what the conversation leaves open, and replaces nothing of it. A report replaces
//! what was known before its routine.

use super::Situation;

const NOTE_LINE: &str = "[from the runtime, not an order]";
const STATUS_LINE: &str = "- get_status (";
/// What stands with the age of a result that an action may have outdated.
const OUTDATED: &str = "may have changed it since";
const REPORT_LINE: &str = "Now: at ";

impl Situation {
    /// Reads the caller's note, if this is one. What an action may have changed is left out; the
    /// size of tank and hold stays.
    pub(super) fn on_note(&mut self, text: &str) {
        if !text.starts_with(NOTE_LINE) {
            return;
        }
        let facts = text.lines().find_map(|line| line.strip_prefix(STATUS_LINE));
        let Some((age, digest)) = facts.and_then(|facts| facts.split_once("): ")) else {
            return;
        };
        let value = |name: &str| {
            let mut pairs = digest.split(", ").filter_map(|pair| pair.split_once(' '));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        let number = |name: &str| value(name).and_then(|number| number.parse::<i64>().ok());
        let ship = &mut self.ship;
        ship.max_fuel = ship.max_fuel.or_else(|| number("ship.max_fuel"));
        ship.capacity = ship.capacity.or_else(|| number("ship.cargo_capacity"));
        if age.contains(OUTDATED) {
            return;
        }
        ship.fuel = ship.fuel.or_else(|| number("ship.fuel"));
        ship.used = ship.used.or_else(|| number("ship.cargo_used"));
        self.trades.credits = self.trades.credits.or_else(|| number("player.credits"));
        let Some(poi) = value("player.current_poi") else {
            return;
        };
        let place = &mut self.place;
        if place.poi.get_or_insert_with(|| poi.to_owned()) == poi {
            let docked = value("player.docked_at_base").is_some();
            place.docked = place.docked.or(Some(docked));
        }
    }

    /// Reads where the report of a routine says that the ship is. A report that names no base says
    /// too little to act on.
    pub(super) fn on_report(&mut self, text: &str) {
        let facts = text.lines().find_map(|line| line.strip_prefix(REPORT_LINE));
        let Some((poi, gauges)) = facts.and_then(|facts| facts.split_once(" (docked), ")) else {
            return;
        };
        self.place.poi = Some(poi.to_owned());
        self.place.docked = Some(true);
        for gauge in gauges.trim_end_matches('.').split(", ") {
            let Some((name, value)) = gauge.split_once(' ') else {
                continue;
            };
            let (now, most) = value.split_once('/').unwrap_or((value, ""));
            let (now, most) = (now.parse::<i64>().ok(), most.parse::<i64>().ok());
            match name {
                "fuel" => (self.ship.fuel, self.ship.max_fuel) = (now, most),
                "cargo" => (self.ship.used, self.ship.capacity) = (now, most),
                "credits" => {
                    self.trades.credits = now;
                    self.trades.is_stale = false;
                }
                _ => {}
            }
        }
    }
}
