//! The five home systems, place by place.

use super::{
    PoiKind,
    places::{NamedBase, NamedPlace},
};

/// A capital system's description and places.
pub(super) fn of(id: &str) -> Option<(&'static str, &'static [NamedPlace])> {
    match id {
        "sol" => Some(("Capital system of the Solarian Confederacy.", &SOL)),
        "nexus_prime" => Some(("Capital system of the Voidborn Collective.", &NEXUS_PRIME)),
        "krynn" => Some(("Capital system of the Crimson Pact.", &KRYNN)),
        "haven" => Some(("Capital system of the Nebula Trade Federation.", &HAVEN)),
        "frontier" => Some(("Capital system of the Outer Rim Explorers.", &FRONTIER)),
        _ => None,
    }
}

const fn place(
    id: &'static str,
    name: &'static str,
    kind: PoiKind,
    at: (f64, f64),
    description: &'static str,
) -> NamedPlace {
    NamedPlace {
        id,
        name,
        kind,
        at,
        class: None,
        description,
        deposits: &[],
        base: None,
    }
}

const fn planet(
    id: &'static str,
    name: &'static str,
    class: &'static str,
    at: (f64, f64),
) -> NamedPlace {
    NamedPlace {
        class: Some(class),
        ..place(id, name, PoiKind::Planet, at, "")
    }
}

const fn mined(place: NamedPlace, deposits: &'static [(&'static str, u64, u64)]) -> NamedPlace {
    NamedPlace { deposits, ..place }
}

const fn based(
    place: NamedPlace,
    id: &'static str,
    name: &'static str,
    description: &'static str,
) -> NamedPlace {
    NamedPlace {
        base: Some(NamedBase {
            id,
            name,
            description,
            is_home: true,
        }),
        ..place
    }
}

const GAS: &[(&str, u64, u64)] = &[("hydrogen_gas", 60, 120_000)];
const ICE: &[(&str, u64, u64)] = &[("water_ice", 65, 120_000), ("nitrogen_ice", 35, 48_000)];

static SOL: [NamedPlace; 8] = [
    place(
        "sol_star",
        "Sol",
        PoiKind::Sun,
        (0.0, 0.0),
        "A yellow star.",
    ),
    planet("earth", "Earth", "terran", (1.0, 0.0)),
    based(
        place(
            "sol_central",
            "Sol Central",
            PoiKind::Station,
            (1.1, 0.2),
            "The ring above Earth.",
        ),
        "confederacy_central_command",
        "Confederacy Central Command",
        "Administrative hub and main market of the Solarian core.",
    ),
    planet("mars", "Mars", "desert", (1.5, -0.3)),
    mined(
        place(
            "main_belt",
            "Main Belt",
            PoiKind::AsteroidBelt,
            (2.7, 3.4),
            "Dense belt of iron-bearing rock inside the police cordon.",
        ),
        &[
            ("iron_ore", 70, 240_000),
            ("copper_ore", 45, 120_000),
            ("nickel_ore", 25, 48_000),
            ("titanium_ore", 12, 24_000),
            ("sol_alloy_ore", 1, 400),
            ("antimatter_containment_cell", 1, 60),
        ],
    ),
    planet("jupiter", "Jupiter", "gas_giant", (4.6, -1.4)),
    mined(
        place(
            "jovian_extraction_zone",
            "Jovian Extraction Zone",
            PoiKind::GasCloud,
            (4.8, -1.6),
            "Skimming lanes in the upper clouds of Jupiter.",
        ),
        GAS,
    ),
    mined(
        place(
            "kuiper_ice_fields",
            "Kuiper Ice Fields",
            PoiKind::IceField,
            (5.4, 2.9),
            "Old ice at the rim of the system.",
        ),
        ICE,
    ),
];

static NEXUS_PRIME: [NamedPlace; 5] = [
    place(
        "nexus_star",
        "Nexus Star",
        PoiKind::Sun,
        (0.0, 0.0),
        "A white dwarf.",
    ),
    based(
        place(
            "the_core",
            "The Core",
            PoiKind::Station,
            (1.4, 0.6),
            "A machine the size of a moon.",
        ),
        "central_nexus",
        "Central Nexus",
        "Where the Voidborn think together.",
    ),
    mined(
        place(
            "material_harvesters",
            "Material Harvesters",
            PoiKind::AsteroidBelt,
            (3.2, 3.2),
            "Rock that the harvesters have opened already.",
        ),
        &[
            ("iron_ore", 60, 240_000),
            ("silicon_ore", 45, 120_000),
            ("copper_ore", 30, 120_000),
            ("cobalt_ore", 15, 24_000),
            ("energy_crystal", 1, 400),
        ],
    ),
    mined(
        place(
            "stellar_siphon",
            "Stellar Siphon",
            PoiKind::GasCloud,
            (2.2, -3.1),
            "A stream of gas.",
        ),
        GAS,
    ),
    mined(
        place(
            "cryogenic_reserve",
            "Cryogenic Reserve",
            PoiKind::IceField,
            (5.1, 1.4),
            "Stored cold.",
        ),
        ICE,
    ),
];

static KRYNN: [NamedPlace; 7] = [
    place(
        "krynns_fury",
        "Krynn's Fury",
        PoiKind::Sun,
        (0.0, 0.0),
        "A red giant.",
    ),
    planet("krynn_prime", "Krynn Prime", "desert", (1.2, -0.4)),
    based(
        place(
            "war_citadel",
            "War Citadel",
            PoiKind::Station,
            (1.6, -0.5),
            "A fortress in orbit.",
        ),
        "crimson_war_citadel",
        "Crimson War Citadel",
        "Arsenal, court and market of the Crimson Pact.",
    ),
    mined(
        place(
            "war_materials",
            "War Materials",
            PoiKind::AsteroidBelt,
            (3.6, 1.5),
            "Ore for the forges, guarded closely.",
        ),
        &[
            ("iron_ore", 65, 240_000),
            ("titanium_ore", 30, 48_000),
            ("cobalt_ore", 20, 48_000),
            ("plasma_residue", 2, 800),
            ("darksteel", 1, 400),
        ],
    ),
    mined(
        place(
            "furnace_vents",
            "Furnace Vents",
            PoiKind::GasCloud,
            (0.9, 2.4),
            "Hot gas off the star.",
        ),
        GAS,
    ),
    mined(
        place(
            "shattered_comet_graves",
            "Shattered Comet Graves",
            PoiKind::IceField,
            (5.3, -2.2),
            "Comets broken for target practice.",
        ),
        ICE,
    ),
    place(
        "blood_arena",
        "Blood Arena",
        PoiKind::Relic,
        (2.4, -1.9),
        "Where quarrels end.",
    ),
];

static HAVEN: [NamedPlace; 8] = [
    place(
        "haven_star",
        "Haven Star",
        PoiKind::Sun,
        (0.0, 0.0),
        "A mild orange star.",
    ),
    planet("haven_prime", "Haven Prime", "ocean", (0.9, 0.3)),
    based(
        place(
            "grand_exchange",
            "Grand Exchange",
            PoiKind::Station,
            (1.2, 0.5),
            "Halls without end.",
        ),
        "grand_exchange_station",
        "Grand Exchange Station",
        "The largest market of known space.",
    ),
    mined(
        place(
            "commerce_fields",
            "Commerce Fields",
            PoiKind::AsteroidBelt,
            (3.4, 3.2),
            "Claims sold by the hour.",
        ),
        &[
            ("iron_ore", 65, 240_000),
            ("copper_ore", 50, 120_000),
            ("nickel_ore", 30, 48_000),
        ],
    ),
    mined(
        place(
            "trade_winds",
            "Trade Winds",
            PoiKind::GasCloud,
            (2.6, -2.4),
            "Gas, by the tonne.",
        ),
        GAS,
    ),
    mined(
        place(
            "frostmarket_flats",
            "Frostmarket Flats",
            PoiKind::IceField,
            (5.0, -0.8),
            "Ice, by the tonne.",
        ),
        ICE,
    ),
    place(
        "merchant_docks",
        "Merchant Docks",
        PoiKind::Relic,
        (1.8, 1.9),
        "Berths of old houses.",
    ),
    place(
        "federation_vaults",
        "Federation Vaults",
        PoiKind::Relic,
        (1.3, -1.1),
        "Sealed.",
    ),
];

static FRONTIER: [NamedPlace; 7] = [
    place(
        "frontier_star",
        "Frontier Star",
        PoiKind::Sun,
        (0.0, 0.0),
        "A young blue star.",
    ),
    based(
        place(
            "mobile_capital",
            "Mobile Capital",
            PoiKind::Station,
            (1.3, 0.4),
            "It moved here once.",
        ),
        "frontier_station",
        "Frontier Station",
        "Last harbour before the dark.",
    ),
    mined(
        place(
            "pioneer_fields",
            "Pioneer Fields",
            PoiKind::AsteroidBelt,
            (4.4, 3.9),
            "A wide belt that few have charted.",
        ),
        &[
            ("iron_ore", 60, 240_000),
            ("copper_ore", 40, 120_000),
            ("lithium_ore", 25, 48_000),
            ("silver_ore", 6, 12_000),
        ],
    ),
    mined(
        place(
            "drifters_haze",
            "Drifter's Haze",
            PoiKind::GasCloud,
            (2.8, -1.7),
            "Thin and wide.",
        ),
        GAS,
    ),
    mined(
        place(
            "icecap_drift",
            "Icecap Drift",
            PoiKind::IceField,
            (5.2, 0.9),
            "Slow bergs.",
        ),
        ICE,
    ),
    place(
        "veil_nebula",
        "Veil Nebula",
        PoiKind::Nebula,
        (4.1, -3.6),
        "Nothing to see through it.",
    ),
    place(
        "scout_docks",
        "Scout Docks",
        PoiKind::Relic,
        (1.9, 1.2),
        "Where expeditions are fitted out.",
    ),
];
