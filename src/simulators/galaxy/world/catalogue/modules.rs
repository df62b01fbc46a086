//! Modules: the equipment in the slots of a starter ship.

use serde::Deserialize;

use super::{CATALOGUE, items::CatalogueItem};

#[derive(Debug, Deserialize)]
pub(crate) struct ModuleSpec {
    pub(crate) id: String,
    pub(crate) size: u64,
    pub(crate) cpu: u64,
    pub(crate) power: u64,
    #[serde(flatten)]
    pub(crate) purpose: ModulePurpose,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModulePurpose {
    Mining { power: u64, range: u64 },
    Weapon(WeaponSpec),
}

#[derive(Debug, Deserialize)]
pub(crate) struct WeaponSpec {
    pub(crate) damage: u64,
    pub(crate) kind: String,
    pub(crate) reach: u64,
    pub(crate) cooldown: u64,
}

impl ModuleSpec {
    /// The module type of an id that a ship class names.
    pub(crate) fn known(id: &str) -> &'static Self {
        CATALOGUE
            .modules
            .iter()
            .find(|module| module.id == id)
            .expect("ship classes carry modules of this table only; a test walks them all")
    }

    pub(crate) fn name(&self) -> &'static str {
        CatalogueItem::known(&self.id).name()
    }
}
