//! The places of Nexus Prime.

use super::super::{
    PoiKind,
    named::{GAS_DEPOSITS, ICE_DEPOSITS, NamedPlace, place},
};

pub(super) static PLACES: [NamedPlace; 5] = [
    place("nexus_star", "Nexus Star", PoiKind::Sun, (0.0, 0.0)).saying("A white dwarf."),
    place("the_core", "The Core", PoiKind::Station, (1.4, 0.6))
        .saying("A machine the size of a moon.")
        .home(
            "central_nexus",
            "Central Nexus",
            "Where the Voidborn think together.",
        ),
    place(
        "material_harvesters",
        "Material Harvesters",
        PoiKind::AsteroidBelt,
        (3.2, 3.2),
    )
    .saying("Rock that the harvesters have opened already.")
    .mined(&[
        ("iron_ore", 60, 240_000),
        ("silicon_ore", 45, 120_000),
        ("copper_ore", 30, 120_000),
        ("cobalt_ore", 15, 24_000),
        ("energy_crystal", 1, 400),
    ]),
    place(
        "stellar_siphon",
        "Stellar Siphon",
        PoiKind::GasCloud,
        (2.2, -3.1),
    )
    .saying("A stream of gas.")
    .mined(GAS_DEPOSITS),
    place(
        "cryogenic_reserve",
        "Cryogenic Reserve",
        PoiKind::IceField,
        (5.1, 1.4),
    )
    .saying("Stored cold.")
    .mined(ICE_DEPOSITS),
];
