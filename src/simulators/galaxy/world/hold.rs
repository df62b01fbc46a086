//! A hold: items and their quantities, in a ship or in a station's storage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalogue::CatalogueItem;

/// Quantities by item. No entry is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Hold(BTreeMap<CatalogueItem, u64>);

impl Hold {
    pub(super) fn used(&self) -> u64 {
        self.items().map(|(item, count)| item.size() * count).sum()
    }

    pub(super) fn count(&self, item: CatalogueItem) -> u64 {
        self.0.get(&item).copied().unwrap_or_default()
    }

    pub(super) fn items(&self) -> impl Iterator<Item = (CatalogueItem, u64)> {
        self.0.iter().map(|(item, count)| (*item, *count))
    }

    pub(super) fn put(&mut self, item: CatalogueItem, count: u64) {
        if count > 0 {
            *self.0.entry(item).or_default() += count;
        }
    }

    /// Takes out `count`, or as many as there are. Returns the number taken.
    pub(super) fn take(&mut self, item: CatalogueItem, count: u64) -> u64 {
        let held = self.count(item);
        let taken = held.min(count);
        if taken == held {
            self.0.remove(&item);
        } else {
            self.0.insert(item, held - taken);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_comes_out_than_went_in() {
        let (iron, cell) = (
            CatalogueItem::known("iron_ore"),
            CatalogueItem::known("premium_fuel_cell"),
        );
        let mut hold = Hold::default();
        hold.put(iron, 3);
        hold.put(cell, 2);
        hold.put(iron, 0);
        assert_eq!(hold.used(), 7);
        assert_eq!(hold.take(iron, 2), 2);
        assert_eq!(hold.take(iron, 5), 1);
        assert_eq!(hold.take(iron, 1), 0);
        assert_eq!(hold.items().collect::<Vec<_>>(), [(cell, 2)]);
    }
}
