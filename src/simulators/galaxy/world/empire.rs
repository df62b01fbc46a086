//! The five empires: their ids, names and home systems.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Empire {
    Solarian,
    Voidborn,
    Crimson,
    Nebula,
    Outerrim,
}

impl Empire {
    pub(super) const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    pub(super) fn id(self) -> &'static str {
        self.into()
    }

    /// The line about this empire in the refusal of a wrong one.
    pub(super) fn summary(self) -> &'static str {
        match self {
            Self::Solarian => "Solarian Confederacy, miners and traders around Sol",
            Self::Voidborn => "Voidborn Collective, engineers of shields and stealth",
            Self::Crimson => "Crimson Pact, warriors with heavy armor",
            Self::Nebula => "Nebula Trade Federation, merchants with the largest holds",
            Self::Outerrim => "Outer Rim Explorers, scouts with fast ships and long range",
        }
    }

    #[cfg(test)]
    pub(super) fn home_system(self) -> &'static str {
        match self {
            Self::Solarian => "sol",
            Self::Voidborn => "nexus_prime",
            Self::Crimson => "krynn",
            Self::Nebula => "haven",
            Self::Outerrim => "frontier",
        }
    }

    pub(super) fn home_base(self) -> &'static str {
        match self {
            Self::Solarian => "confederacy_central_command",
            Self::Voidborn => "central_nexus",
            Self::Crimson => "crimson_war_citadel",
            Self::Nebula => "grand_exchange_station",
            Self::Outerrim => "frontier_station",
        }
    }
}
