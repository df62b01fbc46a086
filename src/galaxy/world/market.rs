//! Station markets: finite books of bids and asks whose prices drift and which fill up again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    atlas::{Atlas, BaseIx},
    catalogue::{Category, Item},
    dice::Dice,
    reserve::{Drawn, Recovery},
};

/// Which side of a book: bids are what a seller gets, asks are what a buyer pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Bids,
    Asks,
}

/// So many at this price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) price: u64,
    pub(super) quantity: u64,
}

/// What traders have taken out of the books.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Markets(BTreeMap<BaseIx, BTreeMap<Item, Taken>>);

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Taken {
    bids: Drawn,
    asks: Drawn,
}

/// A book as it stands when nobody has traded.
struct Book {
    price: u64,
    depth: u64,
    side: Side,
}

/// A look at one base's market at one moment.
#[derive(Clone, Copy)]
pub(super) struct Stall<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) dice: Dice,
    pub(super) base: BaseIx,
    pub(super) now: u64,
}

impl Markets {
    /// The open levels of one side, best price first.
    pub(super) fn levels(&self, stall: Stall, item: Item, side: Side) -> Vec<Level> {
        let Some(book) = stall.book(item, side) else {
            return Vec::new();
        };
        let taken = self.0.get(&stall.base).and_then(|base| base.get(&item));
        let drawn = taken.map(|taken| match side {
            Side::Bids => taken.bids,
            Side::Asks => taken.asks,
        });
        book.levels(
            drawn
                .unwrap_or_default()
                .missing(book.recovery(), stall.now),
        )
    }

    /// What trading so many would come to, level by level.
    pub(super) fn fills(&self, stall: Stall, item: Item, side: Side, quantity: u64) -> Vec<Level> {
        let mut wanted = quantity;
        let mut fills = Vec::new();
        for level in self.levels(stall, item, side) {
            let quantity = level.quantity.min(wanted);
            wanted -= quantity;
            if quantity > 0 {
                fills.push(Level { quantity, ..level });
            }
        }
        fills
    }

    /// Takes what was traded out of the book.
    pub(super) fn take(&mut self, stall: Stall, item: Item, side: Side, quantity: u64) {
        let Some(book) = stall.book(item, side) else {
            return;
        };
        let taken = self
            .0
            .entry(stall.base)
            .or_default()
            .entry(item)
            .or_default();
        let drawn = match side {
            Side::Bids => &mut taken.bids,
            Side::Asks => &mut taken.asks,
        };
        drawn.draw(quantity, book.recovery(), stall.now);
    }
}

impl Stall<'_> {
    /// The undisturbed book, if the base trades this item on this side at all.
    fn book(self, item: Item, side: Side) -> Option<Book> {
        let percent = match side {
            Side::Bids => self.bid_percent(item)?,
            Side::Asks => self.ask_percent(item)?,
        };
        let mood = self.dice.mood([self.base.part(), item.part()], self.now);
        let depth = match side {
            Side::Bids => (6000 / item.value()).clamp(20, 3000),
            Side::Asks => (4000 / item.value()).clamp(10, 2000),
        };
        Some(Book {
            price: (item.value() * percent * mood / 10_000).max(1),
            depth,
            side,
        })
    }

    /// What the base pays, in percent of the base value. Home stations want everything that a belt
    /// gives; elsewhere about every second item has no bid at all, and some are wanted badly.
    fn bid_percent(self, item: Item) -> Option<u64> {
        if item.category() == Category::Module {
            return None;
        }
        if self.atlas.base(self.base).is_home {
            return Some(65);
        }
        let mut roll = self.dice.roll("demand", &[self.base.part(), item.part()]);
        roll.bool().then(|| roll.u64(40..=105))
    }

    fn ask_percent(self, item: Item) -> Option<u64> {
        let base = self.atlas.base(self.base);
        match item.category() {
            Category::Consumable | Category::Refined => Some(115),
            Category::Ore => {
                let system = self.atlas.system(self.atlas.poi(base.poi).system);
                let mut deposits = system
                    .pois
                    .iter()
                    .flat_map(|poi| &self.atlas.poi(*poi).deposits);
                deposits
                    .any(|deposit| deposit.item == item && item.value() <= 50)
                    .then_some(125)
            }
            Category::Gas | Category::Ice | Category::Component | Category::Module => None,
        }
    }
}

impl Book {
    /// Percent of the best price and of the depth. The last bid is low and deep: even a swarm
    /// that sells all day finds somebody to take it.
    fn ladder(&self) -> [(u64, u64); 3] {
        match self.side {
            Side::Bids => [(100, 100), (70, 200), (40, 6000)],
            Side::Asks => [(100, 100), (115, 100), (140, 200)],
        }
    }

    fn levels(&self, mut missing: u64) -> Vec<Level> {
        let mut levels = Vec::new();
        for (price, depth) in self.ladder() {
            let full = self.depth * depth / 100;
            let gone = missing.min(full);
            missing -= gone;
            if full > gone {
                levels.push(Level {
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

    fn stall(atlas: &Atlas, empire: Empire, now: u64) -> Stall<'_> {
        Stall {
            atlas,
            dice: Dice::new(1),
            base: atlas.home_base(empire),
            now,
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
                    let bids = markets.levels(stall, deposit.item, Side::Bids);
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
        let iron = Item::known("iron_ore");
        let now = stall(&atlas, Empire::Solarian, OPENING_TICK);
        let best = markets.levels(now, iron, Side::Bids)[0];
        markets.take(now, iron, Side::Bids, best.quantity);
        assert!(markets.levels(now, iron, Side::Bids)[0].price < best.price);
        let later = stall(&atlas, Empire::Solarian, OPENING_TICK + 3000);
        let back = markets.levels(later, iron, Side::Bids)[0].quantity;
        assert_eq!(back, best.quantity);
    }

    #[test]
    fn fills_stop_where_the_book_ends() {
        let atlas = Atlas::new(Dice::new(1));
        let markets = Markets::default();
        let cell = Item::known("fuel_cell");
        let stall = stall(&atlas, Empire::Nebula, OPENING_TICK);
        let asks = markets.levels(stall, cell, Side::Asks);
        let fills = markets.fills(stall, cell, Side::Asks, u64::MAX);
        assert_eq!(fills, asks);
        assert!(
            markets
                .fills(stall, Item::known("mining_laser_i"), Side::Asks, 1)
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
            let stall = Stall {
                base: atlas.find_base(base).unwrap(),
                ..stall(&atlas, Empire::Solarian, OPENING_TICK)
            };
            for item in Item::all() {
                let asks = markets.levels(stall, item, Side::Asks);
                let bids = markets.levels(stall, item, Side::Bids);
                if let (Some(ask), Some(bid)) = (asks.first(), bids.first()) {
                    assert!(ask.price >= bid.price, "{base} {item:?}");
                }
            }
        }
    }
}
