//! Faults of Myses, by the kinds that decide what happens next.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::ids::Timestamp;

/// The kind of a fault. It alone decides about a relaunch (DESIGN 2).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum MysisFaultKind {
    /// The outside failed and may work again: timeouts, 5xx, 429, network, unreadable bodies.
    Transient,
    /// The outside refuses until a human changes something: 400, 401, 403, 404.
    Permanent,
    /// The Mysis' own actor panicked, failed or was killed.
    Crash,
    /// The store did not accept or return what the Mysis needs.
    Store,
}

crate::read_by_word!(pub MysisFaultKind);
crate::stored_by_word!(MysisFaultKind);

impl MysisFaultKind {
    /// The word in the database, in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A fault that ended a turn. It is remembered across restarts of the program.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct MysisFault {
    pub kind: MysisFaultKind,
    /// The text for the operator. It never contains a secret.
    #[serde(default)]
    pub text: Arc<str>,
    #[serde(default)]
    pub at: Timestamp,
}

impl fmt::Display for MysisFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.kind.as_str())
    }
}
