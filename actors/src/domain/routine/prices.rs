//! Prices: what a unit of an item brought or cost, as results told last.

use serde::{Deserialize, Serialize};
use zoea_game::reading::UnitPrice;

use crate::game::GameReading;

/// The most items whose prices are remembered. The one that was seen longest ago makes room.
const MAX_ITEMS: usize = 32;
const MAX_ITEM_BYTES: usize = 64;

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
struct ItemPrice {
    item: String,
    brings: Option<i64>,
    costs: Option<i64>,
}

zoea_records::stored_as_list!(ItemPrice: item, brings, costs);

/// The prices of items, those that were seen last at the end.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct SeenPrices(Vec<ItemPrice>);

impl SeenPrices {
    fn find(&self, item: &str) -> Option<&ItemPrice> {
        self.0.iter().find(|known| known.item == item)
    }

    /// What a unit brings; `None` if that was not seen.
    pub(super) fn brings(&self, item: &str) -> Option<i64> {
        self.find(item)?.brings
    }

    /// What a unit costs; `None` if that was not seen.
    pub(super) fn costs(&self, item: &str) -> Option<i64> {
        self.find(item)?.costs
    }

    /// Takes the good result of a command.
    pub fn take(&mut self, command: &str, reading: &GameReading<'_>) {
        if !matches!(command, "sell" | "buy" | "view_market") {
            return;
        }
        let Some(facts) = reading.facts() else {
            return;
        };
        let prices = facts.prices(command);
        // Of a long market only what is known already is read.
        let is_short = prices.len() <= MAX_ITEMS;
        for price in prices {
            if is_short || self.find(price.item).is_some() {
                self.see(price);
            }
        }
    }

    fn see(&mut self, price: UnitPrice<'_>) {
        let (item, brings, costs) = (price.item, price.brings, price.costs);
        if item.len() > MAX_ITEM_BYTES || brings.or(costs).is_none() {
            return;
        }
        let known = self.find(item);
        let seen = ItemPrice {
            item: item.to_string(),
            brings: brings.or(known.and_then(|known| known.brings)),
            costs: costs.or(known.and_then(|known| known.costs)),
        };
        self.0.retain(|known| known.item != item);
        self.0.push(seen);
        let surplus = self.0.len().saturating_sub(MAX_ITEMS);
        self.0.drain(..surplus);
    }
}
