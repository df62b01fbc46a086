//! Standing: what a result tells of a player's money, place and ship. What it does not tell is `None`.

use serde::{Deserialize, Serialize, Serializer};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub credits: Option<i64>,
    pub deal: Option<Deal>,
    pub system: Option<String>,
    /// The id of the point of interest.
    pub poi: Option<String>,
    pub docked: Option<bool>,
    pub fuel: Gauge,
    /// The fuel that was added, where the level is not told.
    pub fuel_added: Option<u32>,
    /// Whether the fuel may have changed in another way, where the level is not told.
    pub has_other_fuel: bool,
    /// The used space of the hold.
    pub cargo: Gauge,
    /// The free space of the hold, where the used space is not told.
    pub cargo_free: Option<u32>,
    /// What happened to the goods in the hold. It counts where neither space is told.
    pub goods: GoodsChange,
    pub sizes: Vec<(String, u32)>,
    pub hull: Gauge,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deal {
    pub earned: i64,
    pub spent: i64,
}

impl Deal {
    /// Credits earned minus credits spent.
    #[must_use]
    pub fn net(self) -> i64 {
        self.earned.saturating_sub(self.spent)
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct Gauge {
    pub now: Option<u32>,
    pub most: Option<u32>,
}

/// As a list, which reads as one, too.
impl Serialize for Gauge {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.now, self.most).serialize(to)
    }
}

impl Gauge {
    /// This gauge, with the other's figures where it has none.
    #[must_use]
    pub fn or(self, other: Gauge) -> Gauge {
        Gauge {
            now: self.now.or(other.now),
            most: self.most.or(other.most),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GoodsChange {
    #[default]
    None,
    /// So many units of an item came into the hold; negative if they left it.
    Moved { item: String, units: i64 },
    /// It may have changed them, and does not tell how.
    Unknown,
}

/// Credits that a call moves between a wallet and a storage or another player. They are neither
/// earned nor spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// So many come into the wallet; negative if they leave it.
    Amount(i64),
    /// The call does not tell how many.
    Unknown,
    /// An offer that another player may accept within [`OFFER_MINUTES`]. Nothing tells whether.
    Offer,
}

/// How long an offer of a trade stands, with a minute for the clocks.
pub const OFFER_MINUTES: u64 = 6;
