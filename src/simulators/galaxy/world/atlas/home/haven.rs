//! The places of Haven.

use super::super::{
    PoiKind,
    named::{GAS_DEPOSITS, ICE_DEPOSITS, NamedPlace, place, planet},
};

pub(super) static PLACES: [NamedPlace; 8] = [
    place("haven_star", "Haven Star", PoiKind::Sun, (0.0, 0.0)).saying("A mild orange star."),
    planet("haven_prime", "Haven Prime", "ocean", (0.9, 0.3)),
    place(
        "grand_exchange",
        "Grand Exchange",
        PoiKind::Station,
        (1.2, 0.5),
    )
    .saying("Halls without end.")
    .home(
        "grand_exchange_station",
        "Grand Exchange Station",
        "The largest market of known space.",
    ),
    place(
        "commerce_fields",
        "Commerce Fields",
        PoiKind::AsteroidBelt,
        (3.4, 3.2),
    )
    .saying("Claims sold by the hour.")
    .mined(&[
        ("iron_ore", 65, 240_000),
        ("copper_ore", 50, 120_000),
        ("nickel_ore", 30, 48_000),
    ]),
    place("trade_winds", "Trade Winds", PoiKind::GasCloud, (2.6, -2.4))
        .saying("Gas, by the tonne.")
        .mined(GAS_DEPOSITS),
    place(
        "frostmarket_flats",
        "Frostmarket Flats",
        PoiKind::IceField,
        (5.0, -0.8),
    )
    .saying("Ice, by the tonne.")
    .mined(ICE_DEPOSITS),
    place(
        "merchant_docks",
        "Merchant Docks",
        PoiKind::Relic,
        (1.8, 1.9),
    )
    .saying("Berths of old houses."),
    place(
        "federation_vaults",
        "Federation Vaults",
        PoiKind::Relic,
        (1.3, -1.1),
    )
    .saying("Sealed."),
];
