//! Items: goods that a hold can contain, with their base values.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct CatalogueItem(u8);

/// The kind of an item. For a resource it also says where it can be mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, VariantArray)]
pub(crate) enum ItemCategory {
    Ore,
    Gas,
    Ice,
    Refined,
    Component,
    Consumable,
    Module,
}

/// The effect of using one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemRemedy {
    Fuel(u64),
    Hull(u64),
}

struct ItemSpec {
    id: &'static str,
    name: &'static str,
    category: ItemCategory,
    size: u64,
    value: u64,
}

impl CatalogueItem {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(ITEMS.len())
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
        &ITEMS[usize::from(self.0)]
    }

    pub(crate) fn id(self) -> &'static str {
        self.spec().id
    }

    pub(crate) fn name(self) -> &'static str {
        self.spec().name
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

    /// The number of this item in the name of a roll.
    pub(crate) fn roll_key(self) -> u64 {
        u64::from(self.0)
    }

    pub(crate) fn remedy(self) -> Option<ItemRemedy> {
        match self.id() {
            "fuel_cell" => Some(ItemRemedy::Fuel(20)),
            "premium_fuel_cell" => Some(ItemRemedy::Fuel(50)),
            "military_fuel_cell" => Some(ItemRemedy::Fuel(100)),
            "repair_kit" => Some(ItemRemedy::Hull(50)),
            _ => None,
        }
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
        match self {
            Self::Ore => "ore",
            Self::Gas => "gas",
            Self::Ice => "ice",
            Self::Refined => "refined",
            Self::Component => "component",
            Self::Consumable => "consumable",
            Self::Module => "module",
        }
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

const fn item_spec(
    id: &'static str,
    name: &'static str,
    category: ItemCategory,
    size: u64,
    value: u64,
) -> ItemSpec {
    ItemSpec {
        id,
        name,
        category,
        size,
        value,
    }
}

static ITEMS: &[ItemSpec] = &[
    item_spec("iron_ore", "Iron Ore", ItemCategory::Ore, 1, 5),
    item_spec("lead_ore", "Lead Ore", ItemCategory::Ore, 1, 5),
    item_spec("carbon_ore", "Carbon Ore", ItemCategory::Ore, 1, 4),
    item_spec("aluminum_ore", "Aluminum Ore", ItemCategory::Ore, 1, 6),
    item_spec("copper_ore", "Copper Ore", ItemCategory::Ore, 1, 8),
    item_spec("silicon_ore", "Silicon Ore", ItemCategory::Ore, 1, 10),
    item_spec("lithium_ore", "Lithium Ore", ItemCategory::Ore, 1, 18),
    item_spec("nickel_ore", "Nickel Ore", ItemCategory::Ore, 1, 20),
    item_spec("vanadium_ore", "Vanadium Ore", ItemCategory::Ore, 1, 22),
    item_spec("titanium_ore", "Titanium Ore", ItemCategory::Ore, 1, 25),
    item_spec("cobalt_ore", "Cobalt Ore", ItemCategory::Ore, 1, 25),
    item_spec("silver_ore", "Silver Ore", ItemCategory::Ore, 1, 28),
    item_spec("tungsten_ore", "Tungsten Ore", ItemCategory::Ore, 1, 30),
    item_spec("gold_ore", "Gold Ore", ItemCategory::Ore, 1, 45),
    item_spec("iridium_ore", "Iridium Ore", ItemCategory::Ore, 1, 90),
    item_spec("uranium_ore", "Uranium Ore", ItemCategory::Ore, 1, 150),
    item_spec("platinum_ore", "Platinum Ore", ItemCategory::Ore, 1, 175),
    item_spec("palladium_ore", "Palladium Ore", ItemCategory::Ore, 1, 200),
    item_spec(
        "plasma_residue",
        "Plasma Residue",
        ItemCategory::Ore,
        1,
        280,
    ),
    item_spec("sol_alloy_ore", "Sol Alloy Ore", ItemCategory::Ore, 1, 300),
    item_spec("darksteel", "Darksteel", ItemCategory::Ore, 1, 350),
    item_spec(
        "energy_crystal",
        "Energy Crystal",
        ItemCategory::Ore,
        1,
        350,
    ),
    item_spec(
        "antimatter_containment_cell",
        "Antimatter Containment Cell",
        ItemCategory::Ore,
        1,
        800,
    ),
    item_spec("hydrogen_gas", "Hydrogen Gas", ItemCategory::Gas, 1, 8),
    item_spec("water_ice", "Water Ice", ItemCategory::Ice, 1, 12),
    item_spec("nitrogen_ice", "Nitrogen Ice", ItemCategory::Ice, 1, 15),
    item_spec("steel_plate", "Steel Plate", ItemCategory::Refined, 1, 18),
    item_spec(
        "copper_wiring",
        "Copper Wiring",
        ItemCategory::Refined,
        1,
        21,
    ),
    item_spec(
        "liquid_hydrogen",
        "Liquid Hydrogen",
        ItemCategory::Refined,
        1,
        25,
    ),
    item_spec(
        "titanium_alloy",
        "Titanium Alloy",
        ItemCategory::Refined,
        1,
        100,
    ),
    item_spec(
        "circuit_board",
        "Circuit Board",
        ItemCategory::Component,
        1,
        200,
    ),
    item_spec("fuel_cell", "Fuel Cell", ItemCategory::Consumable, 1, 43),
    item_spec(
        "premium_fuel_cell",
        "Premium Fuel Cell",
        ItemCategory::Consumable,
        2,
        120,
    ),
    item_spec(
        "military_fuel_cell",
        "Military Fuel Cell",
        ItemCategory::Consumable,
        3,
        390,
    ),
    item_spec("repair_kit", "Repair Kit", ItemCategory::Consumable, 1, 270),
    item_spec(
        "cargo_expander_i",
        "Cargo Expander I",
        ItemCategory::Module,
        10,
        160,
    ),
    item_spec(
        "autocannon_i",
        "Autocannon I",
        ItemCategory::Module,
        10,
        710,
    ),
    item_spec(
        "em_disruptor_i",
        "EM Disruptor I",
        ItemCategory::Module,
        10,
        900,
    ),
    item_spec(
        "mining_laser_i",
        "Mining Laser I",
        ItemCategory::Module,
        10,
        1600,
    ),
    item_spec(
        "shield_booster_i",
        "Shield Booster I",
        ItemCategory::Module,
        10,
        1700,
    ),
    item_spec(
        "pulse_laser_i",
        "Pulse Laser I",
        ItemCategory::Module,
        10,
        2500,
    ),
    item_spec(
        "survey_scanner_i",
        "Survey Scanner I",
        ItemCategory::Module,
        10,
        4400,
    ),
];

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
