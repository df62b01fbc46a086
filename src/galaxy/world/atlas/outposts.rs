//! The stations and fields outside the home systems that captures name.

use super::{
    PoiKind,
    places::{NamedBase, NamedPlace},
};

const fn outpost(
    poi: &'static str,
    poi_name: &'static str,
    base: &'static str,
    name: &'static str,
    description: &'static str,
) -> NamedPlace {
    NamedPlace {
        id: poi,
        name: poi_name,
        kind: PoiKind::Station,
        at: (1.5, 0.5),
        class: None,
        description: "",
        deposits: &[],
        base: Some(NamedBase {
            id: base,
            name,
            description,
            is_home: false,
        }),
    }
}

/// System ids and what stands there.
pub(super) static ALL: [(&str, NamedPlace); 10] = [
    (
        "alpha_centauri",
        outpost(
            "alpha_centauri_colonial",
            "Alpha Centauri Colonial",
            "alpha_centauri_colonial_station",
            "Alpha Centauri Colonial Station",
            "The first station that Sol built outside its own system.",
        ),
    ),
    (
        "sirius",
        outpost(
            "sirius_observatory",
            "Sirius Observatory",
            "sirius_observatory_station",
            "Sirius Observatory Station",
            "Astronomers, and those who sell to them.",
        ),
    ),
    (
        "nova_terra",
        outpost(
            "nova_terra_port",
            "Nova Terra Port",
            "nova_terra_central",
            "Nova Terra Central",
            "A port for a new world.",
        ),
    ),
    (
        "market_prime",
        outpost(
            "market_prime_plaza",
            "Market Prime Plaza",
            "market_prime_exchange",
            "Market Prime Exchange",
            "Where the Federation learns its prices.",
        ),
    ),
    (
        "gold_run",
        outpost(
            "gold_run_hub",
            "Gold Run Hub",
            "gold_run_extraction_hub",
            "Gold Run Extraction Hub",
            "It buys what the mineral fields give.",
        ),
    ),
    (
        "gold_run",
        NamedPlace {
            id: "gold_run_mineral_fields",
            name: "Gold Run Mineral Fields",
            kind: PoiKind::AsteroidBelt,
            at: (3.3, 2.1),
            class: None,
            description: "Rock with precious veins.",
            deposits: &[
                ("carbon_ore", 48, 60_000),
                ("vanadium_ore", 46, 30_000),
                ("palladium_ore", 30, 2_000),
                ("gold_ore", 25, 6_000),
            ],
            base: None,
        },
    ),
    (
        "cargo_lanes",
        outpost(
            "cargo_lanes_depot",
            "Cargo Lanes Depot",
            "cargo_lanes_freight_depot",
            "Cargo Lanes Freight Depot",
            "Containers as far as the eye reaches.",
        ),
    ),
    (
        "the_levy",
        outpost(
            "the_levy_customs",
            "The Levy Customs",
            "the_levy_customs_station",
            "The Levy Customs Station",
            "Papers, please.",
        ),
    ),
    (
        "the_anvil",
        outpost(
            "the_anvil_forge",
            "The Anvil Forge",
            "the_anvil_arsenal",
            "The Anvil Arsenal",
            "Where the Pact has its guns made.",
        ),
    ),
    (
        "traders_rest",
        outpost(
            "traders_rest_resort",
            "Trader's Rest Resort",
            "traders_rest_resort_station",
            "Trader's Rest Resort Station",
            "A pool, a bar, a market.",
        ),
    ),
];
