//! Reference data that never changes: items, modules, ships, skills and recipes.

mod items;
mod modules;
mod recipes;
mod ships;
mod skills;

pub(super) use items::{CatalogueItem, ItemCategory, ItemRemedy};
pub(super) use modules::{ModulePurpose, ModuleSpec};
pub(super) use recipes::Recipe;
pub(super) use ships::ShipClass;
pub(super) use skills::{Skill, xp_for_next};
