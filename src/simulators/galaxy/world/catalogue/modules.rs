//! Modules: the equipment in the slots of a starter ship.

use super::items::CatalogueItem;

/// The fixed figures of a module type.
#[derive(Debug)]
pub(crate) struct ModuleSpec {
    pub(crate) id: &'static str,
    pub(crate) size: u64,
    pub(crate) cpu: u64,
    pub(crate) power: u64,
    pub(crate) purpose: ModulePurpose,
}

#[derive(Debug)]
pub(crate) enum ModulePurpose {
    Mining { power: u64, range: u64 },
    Weapon(WeaponSpec),
}

/// The figures of a weapon.
#[derive(Debug)]
pub(crate) struct WeaponSpec {
    pub(crate) damage: u64,
    pub(crate) kind: &'static str,
    pub(crate) reach: u64,
    pub(crate) cooldown: u64,
}

impl ModuleSpec {
    /// The module type of an id that a ship class names.
    pub(crate) fn known(id: &str) -> &'static Self {
        MODULES
            .iter()
            .find(|module| module.id == id)
            .expect("ship classes carry modules of this table only; a test walks them all")
    }

    pub(crate) fn name(&self) -> &'static str {
        CatalogueItem::known(self.id).name()
    }
}

static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        id: "mining_laser_i",
        size: 10,
        cpu: 2,
        power: 5,
        purpose: ModulePurpose::Mining { power: 5, range: 1 },
    },
    ModuleSpec {
        id: "pulse_laser_i",
        size: 10,
        cpu: 3,
        power: 6,
        purpose: ModulePurpose::Weapon(WeaponSpec {
            damage: 10,
            kind: "energy",
            reach: 3,
            cooldown: 1,
        }),
    },
    ModuleSpec {
        id: "em_disruptor_i",
        size: 10,
        cpu: 4,
        power: 7,
        purpose: ModulePurpose::Weapon(WeaponSpec {
            damage: 6,
            kind: "em",
            reach: 2,
            cooldown: 1,
        }),
    },
    ModuleSpec {
        id: "autocannon_i",
        size: 10,
        cpu: 3,
        power: 4,
        purpose: ModulePurpose::Weapon(WeaponSpec {
            damage: 8,
            kind: "kinetic",
            reach: 2,
            cooldown: 1,
        }),
    },
];
