//! The places that are described by hand, as `places.toml` has them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::PoiKind;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedSystem {
    id: String,
    /// Where there is one, the system has no other places.
    pub(super) description: Option<String>,
    pub(super) places: Vec<NamedPlace>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedPlace {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: PoiKind,
    pub(super) at: (f64, f64),
    pub(super) class: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    /// Item id, richness and full amount of each deposit.
    #[serde(default)]
    pub(super) deposits: Vec<(String, u64, u64)>,
    pub(super) base: Option<NamedBase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedBase {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    /// Whether it is an empire's capital station.
    #[serde(default)]
    pub(super) is_home: bool,
}

#[derive(Deserialize)]
struct NamedSystems {
    systems: Vec<NamedSystem>,
}

static NAMED: LazyLock<NamedSystems> = LazyLock::new(|| {
    toml::from_str(include_str!("places.toml"))
        .expect("the places are a part of the program; a test reads all of them")
});

pub(super) fn named_system(id: &str) -> Option<&'static NamedSystem> {
    NAMED.systems.iter().find(|system| system.id == id)
}
