//! Memos: what a Mysis writes down for its next life, one text of each kind, each in place of the one
//! before. A new kind needs no table, no write and no reader of its own (CONTRIBUTING).

pub mod reminder;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use reminder::{Reminder, Reminders};

/// What a memo is about. A new life reads it from [`super::record::StoredHistory::memos`].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum MemoKind {
    /// The checkpoint of the stall detection.
    Watch,
    WorkingSet,
    Tier,
    /// Its routines, with the cursor of the one that runs.
    Routines,
    Reminders,
}

crate::read_by_word!(pub MemoKind);

impl MemoKind {
    /// The word for it in the database and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Checks a memo that comes from elsewhere.
    pub fn check(self, memo: &str) -> Result<(), String> {
        match self {
            // They are not taken from elsewhere.
            MemoKind::Watch | MemoKind::WorkingSet | MemoKind::Tier | MemoKind::Routines => Ok(()),
            MemoKind::Reminders => Reminders::from_memo(Some(memo)).map(drop),
        }
    }

    /// Whether exports and copies of deleted Myses hold it. What a Mysis learns again by playing stays
    /// where it is.
    #[must_use]
    pub fn is_exported(self) -> bool {
        match self {
            MemoKind::Watch | MemoKind::WorkingSet | MemoKind::Tier | MemoKind::Routines => false,
            MemoKind::Reminders => true,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct ShownMemos {
    /// The one that is due first at the front; `None` if it is not known which wait.
    pub reminders: Option<Arc<[Reminder]>>,
}

/// The memo of each kind of which one was written.
pub type Memos = BTreeMap<MemoKind, Arc<str>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for kind in MemoKind::ALL {
            assert_eq!(MemoKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(MemoKind::parse("dream"), None);
    }
}
