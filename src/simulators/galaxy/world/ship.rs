//! A ship: hull, tank, hold and modules.

use serde::{Deserialize, Serialize};

use super::{
    catalogue::{ModulePurpose, ModuleSpec, ShipClass},
    dice::Dice,
    empire::Empire,
    hold::Hold,
    id::Id,
};

/// The ship that a pilot flies. Every ship is a starter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlayerShip {
    pub(super) id: Id,
    make: Empire,
    pub(super) hull: u64,
    pub(super) fuel: u64,
    pub(super) cargo: Hold,
    /// The id of each module of the class, in its order.
    modules: Vec<Id>,
    pub(super) built: u64,
}

impl PlayerShip {
    /// A new starter with a full tank. `number` distinguishes the ships of one owner.
    pub(super) fn starter(make: Empire, dice: Dice, owner: Id, number: u64, now: u64) -> Self {
        let class = ShipClass::starter(make);
        let id = dice.id("ship", &[owner.roll_key(), number]);
        Self {
            id,
            make,
            hull: class.hull,
            fuel: class.fuel,
            cargo: Hold::default(),
            modules: (0..class.modules.len() as u64)
                .map(|slot| dice.id("module", &[id.roll_key(), slot]))
                .collect(),
            built: now,
        }
    }

    pub(super) fn class(&self) -> &'static ShipClass {
        ShipClass::starter(self.make)
    }

    pub(super) fn modules(&self) -> impl Iterator<Item = (Id, &'static ModuleSpec)> {
        let specs = self.class().modules.iter().map(|id| ModuleSpec::known(id));
        self.modules.iter().copied().zip(specs)
    }

    pub(super) fn space(&self) -> u64 {
        self.class().cargo.saturating_sub(self.cargo.used())
    }

    /// The sum of the power of its mining modules; 0 without any.
    pub(super) fn mining_power(&self) -> u64 {
        self.modules()
            .map(|(_, module)| match module.purpose {
                ModulePurpose::Mining { power, .. } => power,
                ModulePurpose::Weapon(_) => 0,
            })
            .sum()
    }

    pub(super) fn cpu_used(&self) -> u64 {
        self.modules().map(|(_, module)| module.cpu).sum()
    }

    pub(super) fn power_used(&self) -> u64 {
        self.modules().map(|(_, module)| module.power).sum()
    }

    pub(super) fn travel_ticks(&self, distance: f64) -> u64 {
        ceil_to_u64(distance / ship_speed(self.class())).max(1)
    }

    pub(super) fn travel_fuel(&self, distance: f64) -> u64 {
        ceil_to_u64(ship_speed(self.class()) * distance * 0.07).max(1)
    }

    pub(super) fn jump_ticks(&self) -> u64 {
        7_u64.saturating_sub(self.class().speed).max(1)
    }

    pub(super) fn jump_fuel(&self) -> u64 {
        ceil_to_u64(ship_speed(self.class()) * 10.0 * 0.10).max(1)
    }
}

fn ship_speed(class: &ShipClass) -> f64 {
    f64::from(u32::try_from(class.speed).unwrap_or(u32::MAX))
}
fn ceil_to_u64(number: f64) -> u64 {
    number.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starter(make: Empire) -> PlayerShip {
        PlayerShip::starter(make, Dice::new(1), Id::new(1), 0, 0)
    }

    #[test]
    fn a_speed_one_starter_jumps_in_six_ticks_for_one_fuel() {
        let ship = starter(Empire::Solarian);
        assert_eq!((ship.jump_ticks(), ship.jump_fuel()), (6, 1));
        assert_eq!((ship.travel_ticks(3.58), ship.travel_fuel(3.58)), (4, 1));
        assert_eq!(ship.travel_ticks(0.0), 1);
        let fast = starter(Empire::Outerrim);
        assert_eq!((fast.jump_ticks(), fast.jump_fuel()), (5, 2));
        assert_eq!(fast.travel_ticks(3.58), 2);
    }

    #[test]
    fn a_theoria_is_fitted_as_captured() {
        let ship = starter(Empire::Solarian);
        assert_eq!((ship.cpu_used(), ship.power_used()), (5, 11));
        assert_eq!((ship.mining_power(), ship.space()), (5, 70));
    }
}
