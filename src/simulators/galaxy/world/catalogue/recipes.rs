//! Recipes of a station's workshop.

use serde::Deserialize;

use super::{CATALOGUE, items::CatalogueItem};

/// One recipe: its inputs and its output.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recipe {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) category: String,
    /// Item ids and quantities.
    inputs: Vec<(String, u64)>,
    output: (String, u64),
}

impl Recipe {
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        CATALOGUE.recipes.iter()
    }

    pub(crate) fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|recipe| recipe.id == id)
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = (CatalogueItem, u64)> {
        self.inputs
            .iter()
            .map(|(id, count)| (CatalogueItem::known(id), *count))
    }

    pub(crate) fn output(&self) -> (CatalogueItem, u64) {
        (CatalogueItem::known(&self.output.0), self.output.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_name_items_of_the_catalogue() {
        for recipe in Recipe::all() {
            assert!(recipe.inputs().all(|(_, count)| count > 0));
            assert!(recipe.output().1 > 0);
            assert!(std::ptr::eq(Recipe::find(&recipe.id).unwrap(), recipe));
        }
    }
}
