//! The places of Sol.

use super::super::{
    PoiKind,
    named::{GAS_DEPOSITS, ICE_DEPOSITS, NamedPlace, place, planet},
};

pub(super) static PLACES: [NamedPlace; 8] = [
    place("sol_star", "Sol", PoiKind::Sun, (0.0, 0.0)).saying("A yellow star."),
    planet("earth", "Earth", "terran", (1.0, 0.0)),
    place("sol_central", "Sol Central", PoiKind::Station, (1.1, 0.2))
        .saying("The ring above Earth.")
        .home(
            "confederacy_central_command",
            "Confederacy Central Command",
            "Administrative hub and main market of the Solarian core.",
        ),
    planet("mars", "Mars", "desert", (1.5, -0.3)),
    place("main_belt", "Main Belt", PoiKind::AsteroidBelt, (2.7, 3.4))
        .saying("Dense belt of iron-bearing rock inside the police cordon.")
        .mined(&[
            ("iron_ore", 70, 240_000),
            ("copper_ore", 45, 120_000),
            ("nickel_ore", 25, 48_000),
            ("titanium_ore", 12, 24_000),
            ("sol_alloy_ore", 1, 400),
            ("antimatter_containment_cell", 1, 60),
        ]),
    planet("jupiter", "Jupiter", "gas_giant", (4.6, -1.4)),
    place(
        "jovian_extraction_zone",
        "Jovian Extraction Zone",
        PoiKind::GasCloud,
        (4.8, -1.6),
    )
    .saying("Skimming lanes in the upper clouds of Jupiter.")
    .mined(GAS_DEPOSITS),
    place(
        "kuiper_ice_fields",
        "Kuiper Ice Fields",
        PoiKind::IceField,
        (5.4, 2.9),
    )
    .saying("Old ice at the rim of the system.")
    .mined(ICE_DEPOSITS),
];
