//! Station markets: limited books of bids and asks. Prices drift, and the books fill up again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    atlas::{Atlas, BaseIx},
    catalogue::{CatalogueItem, ItemCategory},
    dice::Dice,
    reserve::{DrawnAmount, Recovery},
};

/// A side of an order book. A seller gets bids, a buyer pays asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarketSide {
    Bids,
    Asks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PriceLevel {
    pub(super) price: u64,
    pub(super) quantity: u64,
}

/// The units that trades have taken out of the books.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Markets(BTreeMap<BaseIx, BTreeMap<CatalogueItem, TakenAmounts>>);

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct TakenAmounts {
    bids: DrawnAmount,
    asks: DrawnAmount,
}

/// The order book of an item before any trade.
struct OrderBook {
    price: u64,
    depth: u64,
    side: MarketSide,
}

#[derive(Clone, Copy)]
pub(super) struct MarketView<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) dice: Dice,
    pub(super) base: BaseIx,
    pub(super) now: u64,
    /// What it pays, in percent of what it used to.
    pub(super) pays: u64,
}

impl Markets {
    /// The levels of one side that are still open, best price first.
    pub(super) fn levels(
        &self,
        stall: MarketView,
        item: CatalogueItem,
        side: MarketSide,
    ) -> Vec<PriceLevel> {
        let Some(book) = stall.order_book(item, side) else {
            return Vec::new();
        };
        let taken = self.0.get(&stall.base).and_then(|base| base.get(&item));
        let drawn = taken.map(|taken| match side {
            MarketSide::Bids => taken.bids,
            MarketSide::Asks => taken.asks,
        });
        book.levels(
            drawn
                .unwrap_or_default()
                .missing_at(book.recovery(), stall.now),
        )
    }

    /// The levels that a trade of this size would use.
    pub(super) fn fills(
        &self,
        stall: MarketView,
        item: CatalogueItem,
        side: MarketSide,
        quantity: u64,
    ) -> Vec<PriceLevel> {
        let mut wanted = quantity;
        let mut fills = Vec::new();
        for level in self.levels(stall, item, side) {
            let quantity = level.quantity.min(wanted);
            wanted -= quantity;
            if quantity > 0 {
                fills.push(PriceLevel { quantity, ..level });
            }
        }
        fills
    }

    pub(super) fn take_traded(
        &mut self,
        stall: MarketView,
        item: CatalogueItem,
        side: MarketSide,
        quantity: u64,
    ) {
        let Some(book) = stall.order_book(item, side) else {
            return;
        };
        let taken = self
            .0
            .entry(stall.base)
            .or_default()
            .entry(item)
            .or_default();
        let drawn = match side {
            MarketSide::Bids => &mut taken.bids,
            MarketSide::Asks => &mut taken.asks,
        };
        drawn.draw(quantity, book.recovery(), stall.now);
    }
}

impl MarketView<'_> {
    /// The book before any trade, if the base trades this item on this side.
    fn order_book(self, item: CatalogueItem, side: MarketSide) -> Option<OrderBook> {
        let percent = match side {
            MarketSide::Bids => self.bid_percent(item)? * self.pays / 100,
            MarketSide::Asks => self.ask_percent(item)?,
        };
        let mood = self
            .dice
            .price_mood([self.base.roll_key(), item.roll_key()], self.now);
        let depth = match side {
            MarketSide::Bids => (6000 / item.value()).clamp(20, 3000),
            MarketSide::Asks => (4000 / item.value()).clamp(10, 2000),
        };
        Some(OrderBook {
            price: (item.value() * percent * mood / 10_000).max(1),
            depth,
            side,
        })
    }

    /// The best bid in percent of the base value. Home stations bid for everything from belts.
    /// Elsewhere about half of the items have no bid, and some have a high one.
    fn bid_percent(self, item: CatalogueItem) -> Option<u64> {
        if item.category() == ItemCategory::Module {
            return None;
        }
        if self.atlas.base(self.base).is_home {
            return Some(65);
        }
        let mut roll = self
            .dice
            .roll("demand", &[self.base.roll_key(), item.roll_key()]);
        roll.bool().then(|| roll.u64(40..=105))
    }

    fn ask_percent(self, item: CatalogueItem) -> Option<u64> {
        let base = self.atlas.base(self.base);
        match item.category() {
            ItemCategory::Consumable | ItemCategory::Refined => Some(115),
            ItemCategory::Ore => {
                let system = self.atlas.system(self.atlas.poi(base.poi).system);
                let mut deposits = system
                    .pois
                    .iter()
                    .flat_map(|poi| &self.atlas.poi(*poi).deposits);
                deposits
                    .any(|deposit| deposit.item == item && item.value() <= 50)
                    .then_some(125)
            }
            ItemCategory::Gas
            | ItemCategory::Ice
            | ItemCategory::Component
            | ItemCategory::Module => None,
        }
    }
}

impl OrderBook {
    /// Percent of the best price, and percent of the depth, for each level. The last bid is low and
    /// deep, so a swarm that sells all day still finds a buyer.
    fn ladder(&self) -> [(u64, u64); 3] {
        match self.side {
            MarketSide::Bids => [(100, 100), (70, 200), (40, 6000)],
            MarketSide::Asks => [(100, 100), (115, 100), (140, 200)],
        }
    }

    fn levels(&self, mut missing: u64) -> Vec<PriceLevel> {
        let mut levels = Vec::new();
        for (price, depth) in self.ladder() {
            let full = self.depth * depth / 100;
            let gone = missing.min(full);
            missing -= gone;
            if full > gone {
                levels.push(PriceLevel {
                    price: (self.price * price / 100).max(1),
                    quantity: full - gone,
                });
            }
        }
        levels
    }

    fn recovery(&self) -> Recovery {
        Recovery {
            steady: (self.depth / 40).max(1),
            share: 200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{calendar::OPENING_TICK, empire::Empire};

    fn stall(atlas: &Atlas, empire: Empire, now: u64) -> MarketView<'_> {
        MarketView {
            atlas,
            dice: Dice::new(1),
            base: atlas.home_base(empire),
            now,
            pays: 100,
        }
    }

    #[test]
    fn every_home_bids_for_what_its_belt_gives() {
        let atlas = Atlas::new(Dice::new(1));
        let markets = Markets::default();
        for empire in Empire::ALL {
            let stall = stall(&atlas, empire, OPENING_TICK);
            let home = atlas.system(atlas.poi(atlas.base(stall.base).poi).system);
            for poi in &home.pois {
                for deposit in &atlas.poi(*poi).deposits {
                    let bids = markets.levels(stall, deposit.item, MarketSide::Bids);
                    assert!(bids[0].price < deposit.item.value());
                    assert!(bids[0].quantity > 0);
                }
            }
        }
    }

    #[test]
    fn selling_lowers_the_price_and_time_brings_it_back() {
        let atlas = Atlas::new(Dice::new(1));
        let mut markets = Markets::default();
        let iron = CatalogueItem::known("iron_ore");
        let now = stall(&atlas, Empire::Solarian, OPENING_TICK);
        let best = markets.levels(now, iron, MarketSide::Bids)[0];
        markets.take_traded(now, iron, MarketSide::Bids, best.quantity);
        assert!(markets.levels(now, iron, MarketSide::Bids)[0].price < best.price);
        let later = stall(&atlas, Empire::Solarian, OPENING_TICK + 3000);
        let back = markets.levels(later, iron, MarketSide::Bids)[0].quantity;
        assert_eq!(back, best.quantity);
    }

    #[test]
    fn fills_stop_where_the_book_ends() {
        let atlas = Atlas::new(Dice::new(1));
        let markets = Markets::default();
        let cell = CatalogueItem::known("fuel_cell");
        let stall = stall(&atlas, Empire::Nebula, OPENING_TICK);
        let asks = markets.levels(stall, cell, MarketSide::Asks);
        let fills = markets.fills(stall, cell, MarketSide::Asks, u64::MAX);
        assert_eq!(fills, asks);
        assert!(
            markets
                .fills(
                    stall,
                    CatalogueItem::known("mining_laser_i"),
                    MarketSide::Asks,
                    1
                )
                .is_empty()
        );
    }

    #[test]
    fn no_base_pays_more_than_it_asks() {
        let atlas = Atlas::new(Dice::new(1));
        let markets = Markets::default();
        for base in [
            "central_nexus",
            "gold_run_extraction_hub",
            "market_prime_exchange",
        ] {
            let stall = MarketView {
                base: atlas.find_base(base).unwrap(),
                ..stall(&atlas, Empire::Solarian, OPENING_TICK)
            };
            for item in CatalogueItem::all() {
                let asks = markets.levels(stall, item, MarketSide::Asks);
                let bids = markets.levels(stall, item, MarketSide::Bids);
                if let (Some(ask), Some(bid)) = (asks.first(), bids.first()) {
                    assert!(ask.price >= bid.price, "{base} {item:?}");
                }
            }
        }
    }
}
