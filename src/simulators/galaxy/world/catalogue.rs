//! Reference data that never changes: items, modules, ships, skills and recipes, as `catalogue.toml` has them.

mod items;
mod modules;
mod recipes;
mod ships;
mod skills;

use std::sync::LazyLock;

use serde::Deserialize;

pub(super) use items::{CatalogueItem, ItemCategory, ItemRemedy};
pub(super) use modules::{ModulePurpose, ModuleSpec};
pub(super) use recipes::Recipe;
pub(super) use ships::ShipClass;
pub(super) use skills::{Skill, xp_for_next};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    items: Vec<items::ItemSpec>,
    modules: Vec<ModuleSpec>,
    ships: Vec<ShipClass>,
    recipes: Vec<Recipe>,
    skills: Vec<skills::SkillSpec>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    toml::from_str(include_str!("catalogue/catalogue.toml"))
        .expect("the catalogue is a part of the program; a test reads all of it")
});
