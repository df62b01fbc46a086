//! Items: what can lie in a hold, with its base value.

use serde::{Deserialize, Serialize};

/// An item of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Item(u8);

/// What kind of item it is; also where a deposit of it can be worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    Ore,
    Gas,
    Ice,
    Refined,
    Component,
    Consumable,
    Module,
}

/// What using one of it restores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    Fuel(u64),
    Hull(u64),
}

struct Spec {
    id: &'static str,
    name: &'static str,
    category: Category,
    size: u64,
    value: u64,
}

impl Item {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(ITEMS.len())
    }

    /// By id or full name, letter for letter.
    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::all().find(|item| item.id() == text || item.name() == text)
    }

    /// An item that our own tables name.
    pub(crate) fn known(id: &str) -> Self {
        Self::find(id).expect("our tables name items of the catalogue only; a test walks them all")
    }

    fn spec(self) -> &'static Spec {
        &ITEMS[usize::from(self.0)]
    }

    pub(crate) fn id(self) -> &'static str {
        self.spec().id
    }

    pub(crate) fn name(self) -> &'static str {
        self.spec().name
    }

    pub(crate) fn category(self) -> Category {
        self.spec().category
    }

    /// Units of hold that one of it takes.
    pub(crate) fn size(self) -> u64 {
        self.spec().size
    }

    /// Credits that one of it is worth; prices float around this.
    pub(crate) fn value(self) -> u64 {
        self.spec().value
    }

    /// A number that stands for this item in the name of a roll.
    pub(crate) fn part(self) -> u64 {
        u64::from(self.0)
    }

    pub(crate) fn remedy(self) -> Option<Remedy> {
        match self.id() {
            "fuel_cell" => Some(Remedy::Fuel(20)),
            "premium_fuel_cell" => Some(Remedy::Fuel(50)),
            "military_fuel_cell" => Some(Remedy::Fuel(100)),
            "repair_kit" => Some(Remedy::Hull(50)),
            _ => None,
        }
    }

    pub(crate) fn description(self) -> String {
        match (self.remedy(), self.category()) {
            (Some(Remedy::Fuel(amount)), _) => format!("Restores {amount} fuel."),
            (Some(Remedy::Hull(amount)), _) => format!("Restores {amount} hull."),
            (None, Category::Ore) => "Raw ore from a belt.".to_owned(),
            (None, Category::Gas) => "Gas from a cloud.".to_owned(),
            (None, Category::Ice) => "Ice from an ice field.".to_owned(),
            (None, Category::Refined) => "Refined material.".to_owned(),
            (None, Category::Component) => "A part that others are built from.".to_owned(),
            (None, Category::Consumable) => "Used up when used.".to_owned(),
            (None, Category::Module) => "A module that ships carry in a slot.".to_owned(),
        }
    }
}

impl Category {
    pub(crate) const ALL: [Self; 7] = [
        Self::Ore,
        Self::Gas,
        Self::Ice,
        Self::Refined,
        Self::Component,
        Self::Consumable,
        Self::Module,
    ];

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

impl From<Item> for String {
    fn from(item: Item) -> Self {
        item.id().to_owned()
    }
}

impl TryFrom<String> for Item {
    type Error = String;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::find(&id).ok_or_else(|| format!("unknown item `{id}`"))
    }
}

const fn item(
    id: &'static str,
    name: &'static str,
    category: Category,
    size: u64,
    value: u64,
) -> Spec {
    Spec {
        id,
        name,
        category,
        size,
        value,
    }
}

static ITEMS: &[Spec] = &[
    item("iron_ore", "Iron Ore", Category::Ore, 1, 5),
    item("lead_ore", "Lead Ore", Category::Ore, 1, 5),
    item("carbon_ore", "Carbon Ore", Category::Ore, 1, 4),
    item("aluminum_ore", "Aluminum Ore", Category::Ore, 1, 6),
    item("copper_ore", "Copper Ore", Category::Ore, 1, 8),
    item("silicon_ore", "Silicon Ore", Category::Ore, 1, 10),
    item("lithium_ore", "Lithium Ore", Category::Ore, 1, 18),
    item("nickel_ore", "Nickel Ore", Category::Ore, 1, 20),
    item("vanadium_ore", "Vanadium Ore", Category::Ore, 1, 22),
    item("titanium_ore", "Titanium Ore", Category::Ore, 1, 25),
    item("cobalt_ore", "Cobalt Ore", Category::Ore, 1, 25),
    item("silver_ore", "Silver Ore", Category::Ore, 1, 28),
    item("tungsten_ore", "Tungsten Ore", Category::Ore, 1, 30),
    item("gold_ore", "Gold Ore", Category::Ore, 1, 45),
    item("iridium_ore", "Iridium Ore", Category::Ore, 1, 90),
    item("uranium_ore", "Uranium Ore", Category::Ore, 1, 150),
    item("platinum_ore", "Platinum Ore", Category::Ore, 1, 175),
    item("palladium_ore", "Palladium Ore", Category::Ore, 1, 200),
    item("plasma_residue", "Plasma Residue", Category::Ore, 1, 280),
    item("sol_alloy_ore", "Sol Alloy Ore", Category::Ore, 1, 300),
    item("darksteel", "Darksteel", Category::Ore, 1, 350),
    item("energy_crystal", "Energy Crystal", Category::Ore, 1, 350),
    item(
        "antimatter_containment_cell",
        "Antimatter Containment Cell",
        Category::Ore,
        1,
        800,
    ),
    item("hydrogen_gas", "Hydrogen Gas", Category::Gas, 1, 8),
    item("water_ice", "Water Ice", Category::Ice, 1, 12),
    item("nitrogen_ice", "Nitrogen Ice", Category::Ice, 1, 15),
    item("steel_plate", "Steel Plate", Category::Refined, 1, 18),
    item("copper_wiring", "Copper Wiring", Category::Refined, 1, 21),
    item(
        "liquid_hydrogen",
        "Liquid Hydrogen",
        Category::Refined,
        1,
        25,
    ),
    item(
        "titanium_alloy",
        "Titanium Alloy",
        Category::Refined,
        1,
        100,
    ),
    item(
        "circuit_board",
        "Circuit Board",
        Category::Component,
        1,
        200,
    ),
    item("fuel_cell", "Fuel Cell", Category::Consumable, 1, 43),
    item(
        "premium_fuel_cell",
        "Premium Fuel Cell",
        Category::Consumable,
        2,
        120,
    ),
    item(
        "military_fuel_cell",
        "Military Fuel Cell",
        Category::Consumable,
        3,
        390,
    ),
    item("repair_kit", "Repair Kit", Category::Consumable, 1, 270),
    item(
        "cargo_expander_i",
        "Cargo Expander I",
        Category::Module,
        10,
        160,
    ),
    item("autocannon_i", "Autocannon I", Category::Module, 10, 710),
    item(
        "em_disruptor_i",
        "EM Disruptor I",
        Category::Module,
        10,
        900,
    ),
    item(
        "mining_laser_i",
        "Mining Laser I",
        Category::Module,
        10,
        1600,
    ),
    item(
        "shield_booster_i",
        "Shield Booster I",
        Category::Module,
        10,
        1700,
    ),
    item("pulse_laser_i", "Pulse Laser I", Category::Module, 10, 2500),
    item(
        "survey_scanner_i",
        "Survey Scanner I",
        Category::Module,
        10,
        4400,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_found_by_its_id_and_by_its_name() {
        for item in Item::all() {
            assert_eq!(Item::find(item.id()), Some(item));
            assert_eq!(Item::find(item.name()), Some(item));
            assert!(item.size() > 0 && item.value() > 0);
        }
        assert_eq!(Item::find(""), None);
    }
}
