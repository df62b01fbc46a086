//! What the operator is told of a text that is held back, and the names that it has in every process.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ids::Timestamp;

use super::{HeldText, MAX_SHOWN, own_words_of};

/// An order of the operator that a model does not get.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct UndeliveredOrder {
    pub since: Timestamp,
    /// Which one, what helps, and why.
    pub why: Arc<str>,
}

impl HeldText {
    /// The name by which the operator forgets it: eight hexadecimal digits, the same in each process.
    pub fn id(&self) -> String {
        let parts = [self.kind.as_str(), &self.provider, &self.model, &self.text];
        let hash = hash_of(parts.iter().flat_map(|part| part.bytes().chain([0xff])));
        format!("{:08x}", (hash ^ (hash >> 32)) & 0xffff_ffff)
    }

    pub fn undelivered(&self, what: &str) -> UndeliveredOrder {
        let said: String = self.said.chars().take(MAX_SHOWN).collect();
        let why = format!(
            "your {what} was not delivered; rephrase it, or allow it again with `zoea held forget {}`: model {} \
             of provider {} refuses it ({said}): {}",
            self.id(),
            self.model,
            self.provider,
            self.shown()
        );
        UndeliveredOrder {
            since: self.at,
            why: why.into(),
        }
    }
}

/// FNV-1a: the same in each process.
pub(super) fn hash_of(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What stands for a text among trials.
pub(super) fn text_hash(text: &str) -> i64 {
    let hash = hash_of(own_words_of(text).bytes());
    i64::from_ne_bytes(hash.to_ne_bytes())
}
