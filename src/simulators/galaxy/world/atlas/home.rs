//! The five home systems.

mod frontier;
mod haven;
mod krynn;
mod nexus_prime;
mod sol;

use super::named::NamedPlace;

/// A capital system's description and places.
pub(super) fn home_places(id: &str) -> Option<(&'static str, &'static [NamedPlace])> {
    match id {
        "sol" => Some(("Capital system of the Solarian Confederacy.", &sol::PLACES)),
        "nexus_prime" => Some((
            "Capital system of the Voidborn Collective.",
            &nexus_prime::PLACES,
        )),
        "krynn" => Some(("Capital system of the Crimson Pact.", &krynn::PLACES)),
        "haven" => Some((
            "Capital system of the Nebula Trade Federation.",
            &haven::PLACES,
        )),
        "frontier" => Some((
            "Capital system of the Outer Rim Explorers.",
            &frontier::PLACES,
        )),
        _ => None,
    }
}
