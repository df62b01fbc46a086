//! Stations and resource fields outside the home systems, as captures name them.

use super::{
    PoiKind,
    named::{NamedPlace, place},
};

/// The position of an outpost in its system.
const DOCK_POSITION: (f64, f64) = (1.5, 0.5);

/// System ids and the outpost of each.
pub(super) static ALL: [(&str, NamedPlace); 10] = [
    (
        "alpha_centauri",
        place(
            "alpha_centauri_colonial",
            "Alpha Centauri Colonial",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "alpha_centauri_colonial_station",
            "Alpha Centauri Colonial Station",
            "The first station that Sol built outside its own system.",
        ),
    ),
    (
        "sirius",
        place(
            "sirius_observatory",
            "Sirius Observatory",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "sirius_observatory_station",
            "Sirius Observatory Station",
            "Astronomers, and those who sell to them.",
        ),
    ),
    (
        "nova_terra",
        place(
            "nova_terra_port",
            "Nova Terra Port",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "nova_terra_central",
            "Nova Terra Central",
            "A port for a new world.",
        ),
    ),
    (
        "market_prime",
        place(
            "market_prime_plaza",
            "Market Prime Plaza",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "market_prime_exchange",
            "Market Prime Exchange",
            "Where the Federation learns its prices.",
        ),
    ),
    (
        "gold_run",
        place(
            "gold_run_hub",
            "Gold Run Hub",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "gold_run_extraction_hub",
            "Gold Run Extraction Hub",
            "It buys what the mineral fields give.",
        ),
    ),
    (
        "gold_run",
        place(
            "gold_run_mineral_fields",
            "Gold Run Mineral Fields",
            PoiKind::AsteroidBelt,
            (3.3, 2.1),
        )
        .saying("Rock with precious veins.")
        .mined(&[
            ("carbon_ore", 48, 60_000),
            ("vanadium_ore", 46, 30_000),
            ("palladium_ore", 30, 2_000),
            ("gold_ore", 25, 6_000),
        ]),
    ),
    (
        "cargo_lanes",
        place(
            "cargo_lanes_depot",
            "Cargo Lanes Depot",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "cargo_lanes_freight_depot",
            "Cargo Lanes Freight Depot",
            "Containers as far as the eye reaches.",
        ),
    ),
    (
        "the_levy",
        place(
            "the_levy_customs",
            "The Levy Customs",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "the_levy_customs_station",
            "The Levy Customs Station",
            "Papers, please.",
        ),
    ),
    (
        "the_anvil",
        place(
            "the_anvil_forge",
            "The Anvil Forge",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "the_anvil_arsenal",
            "The Anvil Arsenal",
            "Where the Pact has its guns made.",
        ),
    ),
    (
        "traders_rest",
        place(
            "traders_rest_resort",
            "Trader's Rest Resort",
            PoiKind::Station,
            DOCK_POSITION,
        )
        .based(
            "traders_rest_resort_station",
            "Trader's Rest Resort Station",
            "A pool, a bar, a market.",
        ),
    ),
];
