//! The ship: its tank and its hold.

use std::collections::BTreeMap;

use serde_json::Value;

use super::outcome::{GameOutcome, ToolNews};

/// The ship, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KnownShip {
    pub(crate) fuel: Option<i64>,
    pub(crate) max_fuel: Option<i64>,
    pub(crate) used: Option<i64>,
    pub(crate) capacity: Option<i64>,
    /// The contents of the hold, by item.
    pub(crate) cargo: BTreeMap<String, i64>,
    /// Whether the cargo was listed and nothing was loaded since.
    pub(crate) is_listed: bool,
    /// Whether the server said that the hold is full, and nothing left it since.
    pub(crate) is_full: bool,
    /// The number of moves since the tank was read.
    pub(crate) blind_moves: u32,
    /// The fuel that the last refused move needed.
    needed: i64,
}

/// The free room up to which a hold counts as full.
const MAX_CROWDED_ROOM: i64 = 2;

impl KnownShip {
    /// Whether more mining is pointless.
    pub(crate) fn is_crowded(&self) -> bool {
        self.is_full || self.room().is_some_and(|room| room <= MAX_CROWDED_ROOM)
    }

    pub(crate) fn room(&self) -> Option<i64> {
        Some(self.capacity? - self.used?)
    }

    /// Whether the tank is too empty to move. An unread tank is not.
    pub(crate) fn is_dry(&self) -> bool {
        self.fuel.is_some_and(|fuel| fuel < self.needed.max(1))
    }

    /// Whether the fuel is below a share of the tank, in percent. Unknown fuel is not.
    pub(crate) fn has_less_fuel_than(&self, percent: i64) -> bool {
        match (self.fuel, self.max_fuel) {
            (Some(fuel), Some(most)) => fuel.saturating_mul(100) < most.saturating_mul(percent),
            (Some(fuel), None) => fuel < 5,
            (None, _) => false,
        }
    }

    /// The contents of the hold, without fuel for the ship itself.
    pub(crate) fn goods(&self) -> impl Iterator<Item = (&str, i64)> {
        self.cargo
            .iter()
            .filter(|(item, quantity)| **quantity > 0 && !is_fuel(item))
            .map(|(item, quantity)| (item.as_str(), *quantity))
    }

    pub(crate) fn has_fuel_cells(&self) -> bool {
        self.cargo
            .iter()
            .any(|(item, quantity)| *quantity > 0 && is_fuel(item))
    }

    pub(super) fn on_result(&mut self, news: &ToolNews<'_>) {
        match &news.outcome {
            GameOutcome::Done { facts, .. } => self.on_success(news, facts),
            GameOutcome::Failed { code, message } => self.on_failure(news, code, message),
            GameOutcome::Words => {}
        }
    }

    fn on_success(&mut self, news: &ToolNews<'_>, facts: &Value) {
        match news.asked.tool {
            "get_status" | "get_ship" | "login" | "register" => {
                self.learn_ship(&facts["ship"]);
                set_number(&mut self.used, &facts["cargo_used"]);
                set_number(&mut self.capacity, &facts["cargo_max"]);
                self.update_fullness();
            }
            "get_cargo" => {
                set_number(&mut self.used, &facts["used"]);
                set_number(&mut self.capacity, &facts["capacity"]);
                self.learn_cargo(&facts["cargo"]);
                self.update_fullness();
            }
            "mine" => {
                self.add_cargo(
                    text(&facts["resource_id"]),
                    whole_number(&facts["quantity"]),
                );
                self.is_listed = false;
            }
            "buy" => self.add_cargo(
                text(&facts["item_id"]),
                whole_number(&facts["delivered_to_cargo"]),
            ),
            "sell" => self.take_cargo(
                text(&facts["item_id"]),
                whole_number(&facts["quantity_sold"]),
            ),
            "withdraw_items" => self.add_cargo(
                news.text_argument("item_id").as_deref(),
                news.argument("quantity").as_ref().and_then(whole_number),
            ),
            "deposit_items" | "jettison" | "create_sell_order" => self.take_cargo(
                news.text_argument("item_id").as_deref(),
                news.argument("quantity").as_ref().and_then(whole_number),
            ),
            // The result does not tell which goods were delivered.
            "complete_mission" => {
                self.cargo.clear();
                self.used = None;
                self.is_listed = false;
                self.is_full = false;
            }
            "refuel" => self.learn_refuelling(facts),
            "travel" | "jump" => {
                self.fuel = self.fuel.map(|fuel| (fuel - 1).max(0));
                self.blind_moves += 1;
                self.needed = 0;
            }
            _ => {}
        }
    }

    fn learn_ship(&mut self, ship: &Value) {
        if ship["fuel"].is_number() {
            self.blind_moves = 0;
        }
        set_number(&mut self.fuel, &ship["fuel"]);
        set_number(&mut self.max_fuel, &ship["max_fuel"]);
        set_number(&mut self.used, &ship["cargo_used"]);
        set_number(&mut self.capacity, &ship["cargo_capacity"]);
        self.learn_cargo(&ship["cargo"]);
    }

    fn learn_cargo(&mut self, cargo: &Value) {
        let Some(stacks) = cargo.as_array() else {
            if self.used == Some(0) {
                self.cargo.clear();
                self.is_listed = true;
            }
            return;
        };
        self.cargo = stacks
            .iter()
            .filter_map(|stack| {
                Some((
                    text(&stack["item_id"])?.to_owned(),
                    whole_number(&stack["quantity"])?,
                ))
            })
            .collect();
        self.is_listed = true;
    }

    fn learn_refuelling(&mut self, facts: &Value) {
        set_number(&mut self.max_fuel, &facts["fuel_max"]);
        match (
            whole_number(&facts["fuel_now"]),
            whole_number(&facts["fuel"]),
        ) {
            (Some(now), _) => {
                self.fuel = Some(now);
                self.blind_moves = 0;
            }
            (None, Some(added)) => self.fuel = self.fuel.map(|fuel| fuel.saturating_add(added)),
            (None, None) => {}
        }
    }

    /// Updates the fullness. A listing outweighs an earlier error.
    fn update_fullness(&mut self) {
        if let Some(room) = self.room() {
            self.is_full = room <= 0;
        }
    }

    fn add_cargo(&mut self, item: Option<&str>, quantity: Option<i64>) {
        let (Some(item), Some(quantity)) = (item, quantity) else {
            return;
        };
        let held = self.cargo.entry(item.to_owned()).or_default();
        *held = held.saturating_add(quantity);
        self.used = self.used.map(|used| used.saturating_add(quantity));
    }

    fn take_cargo(&mut self, item: Option<&str>, quantity: Option<i64>) {
        let (Some(item), Some(quantity)) = (item, quantity) else {
            return;
        };
        if quantity <= 0 {
            return;
        }
        if let Some(held) = self.cargo.get_mut(item) {
            *held = held.saturating_sub(quantity).max(0);
        }
        self.used = self.used.map(|used| used.saturating_sub(quantity).max(0));
        self.is_full = false;
    }

    fn on_failure(&mut self, news: &ToolNews<'_>, code: &str, message: &str) {
        match (news.asked.tool, code) {
            (_, "cargo_full" | "no_cargo_space") => self.is_full = true,
            ("travel" | "jump", "no_fuel") => {
                let mut numbers = message
                    .split(|letter: char| !letter.is_ascii_digit())
                    .filter_map(|digits| digits.parse().ok());
                self.needed = numbers.next().unwrap_or(1);
                self.fuel = Some(numbers.next().unwrap_or(0));
            }
            ("refuel", "tank_full") => self.fuel = self.max_fuel.or(self.fuel),
            (_, "insufficient_items") => {
                if let Some(item) = news.text_argument("item_id") {
                    self.cargo.remove(&item);
                }
                self.is_listed = false;
            }
            _ => {}
        }
    }
}

fn is_fuel(item: &str) -> bool {
    item.ends_with("fuel_cell")
}

fn set_number(known: &mut Option<i64>, value: &Value) {
    if let Some(number) = whole_number(value) {
        *known = Some(number);
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

/// A number without its fraction, clamped so that sums of many numbers do not overflow.
#[expect(clippy::cast_possible_truncation, reason = "clamped before it is cast")]
pub(super) fn whole_number(value: &Value) -> Option<i64> {
    const MAX_NUMBER: f64 = 1e15;
    value
        .as_f64()
        .filter(|number| number.is_finite())
        .map(|number| number.clamp(-MAX_NUMBER, MAX_NUMBER) as i64)
}
