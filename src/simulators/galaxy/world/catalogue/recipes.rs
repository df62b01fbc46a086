//! Recipes of a station's workshop.

use super::items::CatalogueItem;

/// One recipe: its inputs and its output.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    /// Item ids and quantities.
    inputs: &'static [(&'static str, u64)],
    output: (&'static str, u64),
}

impl Recipe {
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        RECIPES.iter()
    }

    pub(crate) fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|recipe| recipe.id == id)
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = (CatalogueItem, u64)> + use<> {
        self.inputs
            .iter()
            .map(|(id, count)| (CatalogueItem::known(id), *count))
    }

    pub(crate) fn output(&self) -> (CatalogueItem, u64) {
        (CatalogueItem::known(self.output.0), self.output.1)
    }
}

static RECIPES: &[Recipe] = &[
    Recipe {
        id: "basic_iron_smelting",
        name: "Basic Iron Smelting",
        category: "Refining",
        inputs: &[("iron_ore", 10)],
        output: ("steel_plate", 1),
    },
    Recipe {
        id: "refine_steel",
        name: "Refine Steel",
        category: "Refining",
        inputs: &[("iron_ore", 5)],
        output: ("steel_plate", 2),
    },
    Recipe {
        id: "basic_copper_processing",
        name: "Basic Copper Processing",
        category: "Refining",
        inputs: &[("copper_ore", 8)],
        output: ("copper_wiring", 1),
    },
    Recipe {
        id: "process_copper_wiring",
        name: "Process Copper Wiring",
        category: "Refining",
        inputs: &[("copper_ore", 4)],
        output: ("copper_wiring", 2),
    },
    Recipe {
        id: "forge_titanium_alloy",
        name: "Forge Titanium Alloy",
        category: "Refining",
        inputs: &[("titanium_ore", 3), ("steel_plate", 1)],
        output: ("titanium_alloy", 1),
    },
    Recipe {
        id: "fabricate_circuit_boards",
        name: "Fabricate Circuit Boards",
        category: "Components",
        inputs: &[("copper_ore", 3), ("silicon_ore", 2), ("energy_crystal", 1)],
        output: ("circuit_board", 2),
    },
    Recipe {
        id: "craft_fuel_cell",
        name: "Craft Fuel Cell",
        category: "Consumables",
        inputs: &[("liquid_hydrogen", 2), ("steel_plate", 1)],
        output: ("fuel_cell", 1),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_name_items_of_the_catalogue() {
        for recipe in Recipe::all() {
            assert!(recipe.inputs().all(|(_, count)| count > 0));
            assert!(recipe.output().1 > 0);
            assert!(std::ptr::eq(Recipe::find(recipe.id).unwrap(), recipe));
        }
    }
}
