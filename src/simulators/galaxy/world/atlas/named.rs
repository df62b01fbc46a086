//! Places that are described by hand, and the functions that describe them.

use super::PoiKind;

/// A place that is described by hand.
pub(super) struct NamedPlace {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: PoiKind,
    pub(super) at: (f64, f64),
    pub(super) class: Option<&'static str>,
    pub(super) description: &'static str,
    /// Item id, richness and full amount of each deposit.
    pub(super) deposits: &'static [(&'static str, u64, u64)],
    pub(super) base: Option<NamedBase>,
}

/// A base that is described by hand.
pub(super) struct NamedBase {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) is_home: bool,
}

pub(super) const GAS_DEPOSITS: &[(&str, u64, u64)] = &[("hydrogen_gas", 60, 120_000)];
pub(super) const ICE_DEPOSITS: &[(&str, u64, u64)] =
    &[("water_ice", 65, 120_000), ("nitrogen_ice", 35, 48_000)];

/// A place without base and deposits.
pub(super) const fn place(
    id: &'static str,
    name: &'static str,
    kind: PoiKind,
    at: (f64, f64),
) -> NamedPlace {
    NamedPlace {
        id,
        name,
        kind,
        at,
        class: None,
        description: "",
        deposits: &[],
        base: None,
    }
}

/// A planet of this class.
pub(super) const fn planet(
    id: &'static str,
    name: &'static str,
    class: &'static str,
    at: (f64, f64),
) -> NamedPlace {
    NamedPlace {
        class: Some(class),
        ..place(id, name, PoiKind::Planet, at)
    }
}

impl NamedPlace {
    pub(super) const fn saying(self, description: &'static str) -> Self {
        Self {
            description,
            ..self
        }
    }

    pub(super) const fn mined(self, deposits: &'static [(&'static str, u64, u64)]) -> Self {
        Self { deposits, ..self }
    }

    /// The same place with an empire's capital station.
    pub(super) const fn home(
        self,
        id: &'static str,
        name: &'static str,
        description: &'static str,
    ) -> Self {
        let base = NamedBase {
            is_home: true,
            ..NamedBase::new(id, name, description)
        };
        Self {
            base: Some(base),
            ..self
        }
    }

    /// The same place with a station.
    pub(super) const fn based(
        self,
        id: &'static str,
        name: &'static str,
        description: &'static str,
    ) -> Self {
        Self {
            base: Some(NamedBase::new(id, name, description)),
            ..self
        }
    }
}

impl NamedBase {
    const fn new(id: &'static str, name: &'static str, description: &'static str) -> Self {
        Self {
            id,
            name,
            description,
            is_home: false,
        }
    }
}
