//! Prices: what a unit of an item brought or cost, as results told last.

use std::borrow::Cow;
use std::collections::BTreeMap;

use zoea_game::reading::UnitPrice;

use crate::game::GameReading;

/// The most items whose prices are remembered. The one that was seen longest ago makes room.
const MAX_ITEMS: usize = 32;
const MAX_ITEM_BYTES: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ItemPrice {
    brings: Option<i64>,
    costs: Option<i64>,
    /// The place of its newest sight among all.
    seen: u64,
}

/// An item, what a unit brings, and what it costs.
pub(super) type PriceForm<'a> = (Cow<'a, str>, Option<i64>, Option<i64>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenPrices {
    items: BTreeMap<String, ItemPrice>,
    sights: u64,
}

impl SeenPrices {
    /// What a unit brings; `None` if that was not seen.
    pub(super) fn brings(&self, item: &str) -> Option<i64> {
        self.items.get(item)?.brings
    }

    /// What a unit costs; `None` if that was not seen.
    pub(super) fn costs(&self, item: &str) -> Option<i64> {
        self.items.get(item)?.costs
    }

    /// Takes the good result of a command. Returns whether it told of prices.
    pub fn take(&mut self, command: &str, reading: &GameReading<'_>) -> bool {
        if !matches!(command, "sell" | "buy" | "view_market") {
            return false;
        }
        let Some(facts) = reading.facts() else {
            return false;
        };
        let before = self.sights;
        let prices = facts.prices(command);
        // Of a long market only what is known already is read.
        let is_short = prices.len() <= MAX_ITEMS;
        for price in prices {
            if is_short || self.items.contains_key(price.item) {
                self.see(price);
            }
        }
        self.sights != before
    }

    fn see(&mut self, price: UnitPrice<'_>) {
        let (item, brings, costs) = (price.item, price.brings, price.costs);
        if item.len() > MAX_ITEM_BYTES || brings.or(costs).is_none() {
            return;
        }
        self.sights = self.sights.saturating_add(1);
        let known = self.items.entry(item.to_string()).or_default();
        known.brings = brings.or(known.brings);
        known.costs = costs.or(known.costs);
        known.seen = self.sights;
        if self.items.len() > MAX_ITEMS {
            let oldest = self.items.iter().min_by_key(|(_, known)| known.seen);
            let oldest = oldest.map(|(item, _)| item.clone());
            self.items.retain(|item, _| Some(item) != oldest.as_ref());
        }
    }

    /// The prices as they are stored, those that were seen last at the end.
    pub(super) fn form(&self) -> Vec<PriceForm<'_>> {
        let mut items: Vec<(&String, &ItemPrice)> = self.items.iter().collect();
        items.sort_by_key(|(_, known)| known.seen);
        let forms = items.into_iter();
        forms
            .map(|(item, known)| (item.into(), known.brings, known.costs))
            .collect()
    }

    pub(super) fn restore(stored: Vec<PriceForm<'_>>) -> SeenPrices {
        let mut book = SeenPrices::default();
        for (item, brings, costs) in stored.into_iter().take(MAX_ITEMS) {
            book.sights += 1;
            let known = ItemPrice {
                brings,
                costs,
                seen: book.sights,
            };
            book.items.insert(item.into_owned(), known);
        }
        book
    }
}
