//! Memos: what a Mysis writes down for its next life, one text of each kind, each in place of the one
//! before. A new kind needs no table, no write and no reader of its own (CONTRIBUTING).

pub mod reminder;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use reminder::{Reminder, Reminders};

/// What a memo is about. A new life reads it from [`super::record::StoredHistory::memos`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub enum MemoKind {
    /// The checkpoint of the stall detection.
    Watch,
    WorkingSet,
    Tier,
    /// Its routines, with the cursor of the one that runs.
    Routines,
    Reminders,
}

impl MemoKind {
    pub const ALL: &'static [MemoKind] = Self::VARIANTS;

    /// The word for it in the database and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            MemoKind::Watch => "watch",
            MemoKind::WorkingSet => "working_set",
            MemoKind::Tier => "tier",
            MemoKind::Routines => "routines",
            MemoKind::Reminders => "reminders",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<MemoKind> {
        let mut all = Self::ALL.iter().copied();
        all.find(|kind| kind.as_str() == word)
    }

    /// Checks a memo that comes from elsewhere.
    ///
    /// # Errors
    /// It is not understood; the text says why.
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memos(BTreeMap<MemoKind, Arc<str>>);

impl Memos {
    /// The memo of a kind; `None` if none was written.
    #[must_use]
    pub fn get(&self, kind: MemoKind) -> Option<&str> {
        self.0.get(&kind).map(|memo| &**memo)
    }

    /// Keeps a memo in place of the one before.
    pub fn keep(&mut self, kind: MemoKind, memo: Arc<str>) {
        self.0.insert(kind, memo);
    }
}

impl FromIterator<(MemoKind, Arc<str>)> for Memos {
    fn from_iter<T: IntoIterator<Item = (MemoKind, Arc<str>)>>(memos: T) -> Memos {
        Memos(memos.into_iter().collect())
    }
}

impl IntoIterator for Memos {
    type Item = (MemoKind, Arc<str>);
    type IntoIter = std::collections::btree_map::IntoIter<MemoKind, Arc<str>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for kind in MemoKind::ALL {
            assert_eq!(MemoKind::parse(kind.as_str()), Some(*kind));
        }
        assert_eq!(MemoKind::parse("dream"), None);
    }
}
