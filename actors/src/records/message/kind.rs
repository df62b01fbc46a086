//! The kinds of rows and their properties (docs/design/requests.md).

use strum::{EnumCount, IntoStaticStr, VariantArray};

/// Each is a variant of [`super::RowBody`], in the order of docs/design/requests.md.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum RowKind {
    Prompt,
    Mission,
    Peer,
    Note,
    Reply,
    Call,
    Result,
    Host,
    Audit,
}

crate::read_by_word!(pub RowKind);

impl RowKind {
    /// The word of docs/design/requests.md.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The role of docs/design/requests.md; `None` if the row is not part of the model's conversation.
    #[must_use]
    pub fn role(self) -> Option<&'static str> {
        match self {
            RowKind::Prompt | RowKind::Mission | RowKind::Peer => Some("user"),
            RowKind::Note => Some("system"),
            RowKind::Reply | RowKind::Call => Some("assistant"),
            RowKind::Result => Some("tool"),
            RowKind::Host | RowKind::Audit => None,
        }
    }

    /// The author of the row.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            RowKind::Prompt => "direct",
            RowKind::Mission => "broadcast",
            RowKind::Peer => "swarm",
            RowKind::Note => "operator",
            RowKind::Reply | RowKind::Call => "model",
            RowKind::Result => "tool",
            RowKind::Host | RowKind::Audit => "runtime",
        }
    }

    #[must_use]
    pub fn is_sendable(self) -> bool {
        self.role().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_the_table_of_the_design() {
        assert!(!RowKind::Host.is_sendable());
        assert!(!RowKind::Audit.is_sendable());
        assert!(RowKind::Note.is_sendable());
    }
}
