//! Deposits: the amounts that miners have taken, and how they grow back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    atlas::{AtlasPoi, Deposit, PoiIx},
    catalogue::CatalogueItem,
    reserve::{DrawnAmount, Recovery},
};

/// The amounts taken, by place and item. An untouched deposit has no entry.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Deposits(BTreeMap<PoiIx, BTreeMap<CatalogueItem, DrawnAmount>>);

impl Deposits {
    pub(super) fn remaining(&self, poi: PoiIx, deposit: &Deposit, now: u64) -> u64 {
        let drawn = self.0.get(&poi).and_then(|taken| taken.get(&deposit.item));
        let missing = drawn.map_or(0, |drawn| drawn.missing_at(deposit_recovery(deposit), now));
        deposit.full.saturating_sub(missing)
    }

    /// The deposit that a pull hits. A richer one comes up more often, an empty one never.
    pub(super) fn pick_deposit<'a>(
        &self,
        (ix, poi): (PoiIx, &'a AtlasPoi),
        roll: &mut fastrand::Rng,
        now: u64,
    ) -> Option<&'a Deposit> {
        let live = |deposit: &&Deposit| self.remaining(ix, deposit, now) > 0;
        let total: u64 = poi
            .deposits
            .iter()
            .filter(live)
            .map(|deposit| deposit.richness)
            .sum();
        if total == 0 {
            return None;
        }
        let mut at = roll.u64(..total);
        poi.deposits.iter().filter(live).find(|deposit| {
            let is_hit = at < deposit.richness;
            at = at.saturating_sub(deposit.richness);
            is_hit
        })
    }

    pub(super) fn draw_units(&mut self, poi: PoiIx, deposit: &Deposit, amount: u64, now: u64) {
        self.0
            .entry(poi)
            .or_default()
            .entry(deposit.item)
            .or_default()
            .draw(amount, deposit_recovery(deposit), now);
    }
}

/// The growth of a deposit. Common ore grows back within the hour, expensive ore within the day.
fn deposit_recovery(deposit: &Deposit) -> Recovery {
    let is_common = deposit.item.value() <= 30;
    Recovery {
        steady: deposit.full / 4000,
        share: if is_common { 60 } else { 2000 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{atlas::Atlas, dice::Dice};

    fn main_belt(atlas: &Atlas) -> (PoiIx, &AtlasPoi) {
        let sol = atlas.find_system("sol").unwrap();
        let belt = atlas.find_poi(sol, "main_belt").unwrap();
        (belt, atlas.poi(belt))
    }

    #[test]
    fn rich_deposits_come_up_more_often() {
        let atlas = Atlas::new(Dice::new(1));
        let belt = main_belt(&atlas);
        let deposits = Deposits::default();
        let mut roll = fastrand::Rng::with_seed(1);
        let mut hits: BTreeMap<&str, u32> = BTreeMap::new();
        for _ in 0..1000 {
            let hit = deposits.pick_deposit(belt, &mut roll, 1).unwrap();
            *hits.entry(hit.item.id()).or_default() += 1;
        }
        assert!(hits["iron_ore"] > hits["copper_ore"]);
        assert!(hits["copper_ore"] > hits["nickel_ore"]);
    }

    #[test]
    fn an_exhausted_place_gives_nothing_until_it_has_grown_back() {
        let atlas = Atlas::new(Dice::new(1));
        let belt = main_belt(&atlas);
        let mut deposits = Deposits::default();
        let mut roll = fastrand::Rng::with_seed(1);
        for deposit in &belt.1.deposits {
            deposits.draw_units(belt.0, deposit, deposit.full, 5);
        }
        assert!(deposits.pick_deposit(belt, &mut roll, 5).is_none());
        assert!(deposits.pick_deposit(belt, &mut roll, 50).is_some());
    }
}
