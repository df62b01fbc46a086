//! The places of Frontier.

use super::super::{
    PoiKind,
    named::{GAS_DEPOSITS, ICE_DEPOSITS, NamedPlace, place},
};

pub(super) static PLACES: [NamedPlace; 7] = [
    place("frontier_star", "Frontier Star", PoiKind::Sun, (0.0, 0.0)).saying("A young blue star."),
    place(
        "mobile_capital",
        "Mobile Capital",
        PoiKind::Station,
        (1.3, 0.4),
    )
    .saying("It moved here once.")
    .home(
        "frontier_station",
        "Frontier Station",
        "Last harbour before the dark.",
    ),
    place(
        "pioneer_fields",
        "Pioneer Fields",
        PoiKind::AsteroidBelt,
        (4.4, 3.9),
    )
    .saying("A wide belt that few have charted.")
    .mined(&[
        ("iron_ore", 60, 240_000),
        ("copper_ore", 40, 120_000),
        ("lithium_ore", 25, 48_000),
        ("silver_ore", 6, 12_000),
    ]),
    place(
        "drifters_haze",
        "Drifter's Haze",
        PoiKind::GasCloud,
        (2.8, -1.7),
    )
    .saying("Thin and wide.")
    .mined(GAS_DEPOSITS),
    place(
        "icecap_drift",
        "Icecap Drift",
        PoiKind::IceField,
        (5.2, 0.9),
    )
    .saying("Slow bergs.")
    .mined(ICE_DEPOSITS),
    place("veil_nebula", "Veil Nebula", PoiKind::Nebula, (4.1, -3.6))
        .saying("Nothing to see through it."),
    place("scout_docks", "Scout Docks", PoiKind::Relic, (1.9, 1.2))
        .saying("Where expeditions are fitted out."),
];
