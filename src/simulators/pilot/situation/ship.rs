//! The ship: its tank and its hold.

use std::collections::BTreeMap;

use serde_json::Value;
use zoea_game::Reading;
use zoea_game::standing::{Gauge, Standing};
use zoea_spacemolt::ResultFacts;

use super::outcome::{GameOutcome, ToolNews};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KnownShip {
    pub(crate) fuel: Option<i64>,
    pub(crate) max_fuel: Option<i64>,
    pub(crate) used: Option<i64>,
    pub(crate) capacity: Option<i64>,
    pub(crate) cargo: BTreeMap<String, i64>,
    /// Whether the cargo was listed and nothing was loaded since.
    pub(crate) is_listed: bool,
    /// Whether the server said that the hold is full, and nothing left it since.
    pub(crate) is_full: bool,
    /// The number of moves since the tank was read.
    pub(crate) blind_moves: u32,
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

    fn on_success(&mut self, news: &ToolNews<'_>, facts: &ResultFacts) {
        match news.asked.tool {
            "get_status" | "get_ship" | "login" | "register" => {
                let standing = news.standing(facts);
                if standing.fuel.now.is_some() {
                    self.blind_moves = 0;
                }
                take_gauge(standing.fuel, &mut self.fuel, &mut self.max_fuel);
                self.learn_hold(&standing, facts);
            }
            "get_cargo" => self.learn_hold(&news.standing(facts), facts),
            "mine" => {
                self.add_cargo(news.moved(facts));
                self.is_listed = false;
            }
            "buy" => self.add_cargo(news.moved(facts)),
            "sell" => self.take_cargo(news.moved(facts).map(|(item, units)| (item, -units))),
            "withdraw_items" => self.add_cargo(named(news)),
            "deposit_items" | "jettison" | "create_sell_order" => self.take_cargo(named(news)),
            // The result does not tell which goods were delivered.
            "complete_mission" => {
                self.cargo.clear();
                self.used = None;
                self.is_listed = false;
                self.is_full = false;
            }
            "refuel" => self.learn_refuelling(&news.standing(facts)),
            "travel" | "jump" => {
                self.fuel = self.fuel.map(|fuel| (fuel - 1).max(0));
                self.blind_moves += 1;
                self.needed = 0;
            }
            _ => {}
        }
    }

    fn learn_hold(&mut self, standing: &Standing, facts: &ResultFacts) {
        take_gauge(standing.cargo, &mut self.used, &mut self.capacity);
        match facts.goods() {
            Some(goods) => {
                let stacks = goods.into_iter().map(|one| (one.item, one.quantity));
                self.cargo = stacks.collect();
                self.is_listed = true;
            }
            None if self.used == Some(0) => {
                self.cargo.clear();
                self.is_listed = true;
            }
            None => {}
        }
        self.update_fullness();
    }

    fn learn_refuelling(&mut self, standing: &Standing) {
        if standing.fuel.now.is_some() {
            self.blind_moves = 0;
        } else if let Some(added) = standing.fuel_added {
            self.fuel = self.fuel.map(|fuel| fuel.saturating_add(added.into()));
        }
        take_gauge(standing.fuel, &mut self.fuel, &mut self.max_fuel);
    }

    /// Updates the fullness. A listing outweighs an earlier error.
    fn update_fullness(&mut self) {
        if let Some(room) = self.room() {
            self.is_full = room <= 0;
        }
    }

    fn add_cargo(&mut self, goods: Option<(String, i64)>) {
        let Some((item, quantity)) = goods else {
            return;
        };
        let held = self.cargo.entry(item).or_default();
        *held = held.saturating_add(quantity);
        self.used = self.used.map(|used| used.saturating_add(quantity));
    }

    fn take_cargo(&mut self, goods: Option<(String, i64)>) {
        let Some((item, quantity)) = goods.filter(|(_, quantity)| *quantity > 0) else {
            return;
        };
        if let Some(held) = self.cargo.get_mut(&item) {
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

fn named(news: &ToolNews<'_>) -> Option<(String, i64)> {
    let quantity = news.argument("quantity").as_ref().and_then(whole_number);
    news.text_argument("item_id").zip(quantity)
}

fn take_gauge(facts: Gauge, now: &mut Option<i64>, most: &mut Option<i64>) {
    *now = facts.now.map(i64::from).or(*now);
    *most = facts.most.map(i64::from).or(*most);
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
