//! Items: goods that a hold can contain, with their base values.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::CATALOGUE;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct CatalogueItem(u8);

/// The kind of an item. For a resource it also says where it can be mined.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Deserialize, EnumCount, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum ItemCategory {
    Ore,
    Gas,
    Ice,
    Refined,
    Component,
    Consumable,
    Module,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ItemRemedy {
    Fuel(u64),
    Hull(u64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ItemSpec {
    id: String,
    name: String,
    category: ItemCategory,
    size: u64,
    value: u64,
    restores: Option<ItemRemedy>,
}

impl CatalogueItem {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(CATALOGUE.items.len())
    }

    /// The item with this id or full name, letter for letter.
    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::all().find(|item| item.id() == text || item.name() == text)
    }

    /// The item of an id that the program's own tables name.
    pub(crate) fn known(id: &str) -> Self {
        Self::find(id).expect("our tables name items of the catalogue only; a test walks them all")
    }

    fn spec(self) -> &'static ItemSpec {
        &CATALOGUE.items[usize::from(self.0)]
    }

    pub(crate) fn id(self) -> &'static str {
        &self.spec().id
    }

    pub(crate) fn name(self) -> &'static str {
        &self.spec().name
    }

    pub(crate) fn category(self) -> ItemCategory {
        self.spec().category
    }

    /// The units of hold that one item takes.
    pub(crate) fn size(self) -> u64 {
        self.spec().size
    }

    /// The base value in credits. Prices vary around it.
    pub(crate) fn value(self) -> u64 {
        self.spec().value
    }

    pub(crate) fn roll_key(self) -> u64 {
        u64::from(self.0)
    }

    pub(crate) fn remedy(self) -> Option<ItemRemedy> {
        self.spec().restores
    }

    pub(crate) fn description(self) -> String {
        match (self.remedy(), self.category()) {
            (Some(ItemRemedy::Fuel(amount)), _) => format!("Restores {amount} fuel."),
            (Some(ItemRemedy::Hull(amount)), _) => format!("Restores {amount} hull."),
            (None, ItemCategory::Ore) => "Raw ore from a belt.".to_owned(),
            (None, ItemCategory::Gas) => "Gas from a cloud.".to_owned(),
            (None, ItemCategory::Ice) => "Ice from an ice field.".to_owned(),
            (None, ItemCategory::Refined) => "Refined material.".to_owned(),
            (None, ItemCategory::Component) => "A part that others are built from.".to_owned(),
            (None, ItemCategory::Consumable) => "Used up when used.".to_owned(),
            (None, ItemCategory::Module) => "A module that ships carry in a slot.".to_owned(),
        }
    }
}

impl ItemCategory {
    pub(crate) const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    pub(crate) fn id(self) -> &'static str {
        self.into()
    }
}

impl From<CatalogueItem> for String {
    fn from(item: CatalogueItem) -> Self {
        item.id().to_owned()
    }
}

impl TryFrom<String> for CatalogueItem {
    type Error = String;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::find(&id).ok_or_else(|| format!("unknown item `{id}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_found_by_its_id_and_by_its_name() {
        for item in CatalogueItem::all() {
            assert_eq!(CatalogueItem::find(item.id()), Some(item));
            assert_eq!(CatalogueItem::find(item.name()), Some(item));
            assert!(item.size() > 0 && item.value() > 0);
        }
        assert_eq!(CatalogueItem::find(""), None);
    }
}
