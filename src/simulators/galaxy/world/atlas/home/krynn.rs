//! The places of Krynn.

use super::super::{
    PoiKind,
    named::{GAS_DEPOSITS, ICE_DEPOSITS, NamedPlace, place, planet},
};

pub(super) static PLACES: [NamedPlace; 7] = [
    place("krynns_fury", "Krynn's Fury", PoiKind::Sun, (0.0, 0.0)).saying("A red giant."),
    planet("krynn_prime", "Krynn Prime", "desert", (1.2, -0.4)),
    place("war_citadel", "War Citadel", PoiKind::Station, (1.6, -0.5))
        .saying("A fortress in orbit.")
        .home(
            "crimson_war_citadel",
            "Crimson War Citadel",
            "Arsenal, court and market of the Crimson Pact.",
        ),
    place(
        "war_materials",
        "War Materials",
        PoiKind::AsteroidBelt,
        (3.6, 1.5),
    )
    .saying("Ore for the forges, guarded closely.")
    .mined(&[
        ("iron_ore", 65, 240_000),
        ("titanium_ore", 30, 48_000),
        ("cobalt_ore", 20, 48_000),
        ("plasma_residue", 2, 800),
        ("darksteel", 1, 400),
    ]),
    place(
        "furnace_vents",
        "Furnace Vents",
        PoiKind::GasCloud,
        (0.9, 2.4),
    )
    .saying("Hot gas off the star.")
    .mined(GAS_DEPOSITS),
    place(
        "shattered_comet_graves",
        "Shattered Comet Graves",
        PoiKind::IceField,
        (5.3, -2.2),
    )
    .saying("Comets broken for target practice.")
    .mined(ICE_DEPOSITS),
    place("blood_arena", "Blood Arena", PoiKind::Relic, (2.4, -1.9)).saying("Where quarrels end."),
];
