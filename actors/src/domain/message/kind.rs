//! Kinds: what a row of a conversation is, and what follows from that (DESIGN 4).

/// The kind of a row, as stored and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// See [`super::Body::Prompt`].
    Prompt,
    /// See [`super::Body::Mission`].
    Mission,
    /// See [`super::Body::Peer`].
    Peer,
    /// See [`super::Body::Note`].
    Note,
    /// See [`super::Body::Reply`].
    Reply,
    /// See [`super::Body::Call`].
    Call,
    /// See [`super::Body::Result`].
    Result,
    /// See [`super::Body::Host`].
    Host,
    /// See [`super::Body::Audit`].
    Audit,
}

impl Kind {
    /// Every kind, in the order of DESIGN 4.
    pub const ALL: [Kind; 9] = [
        Kind::Prompt,
        Kind::Mission,
        Kind::Peer,
        Kind::Note,
        Kind::Reply,
        Kind::Call,
        Kind::Result,
        Kind::Host,
        Kind::Audit,
    ];

    /// The word of DESIGN 4.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Prompt => "prompt",
            Kind::Mission => "mission",
            Kind::Peer => "peer",
            Kind::Note => "note",
            Kind::Reply => "reply",
            Kind::Call => "call",
            Kind::Result => "result",
            Kind::Host => "host",
            Kind::Audit => "audit",
        }
    }

    /// Reads the word back; `None` for a kind that this version does not know.
    #[must_use]
    pub fn parse(text: &str) -> Option<Kind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The role of DESIGN 4; `None` where the row is no part of the model's conversation.
    #[must_use]
    pub fn role(self) -> Option<&'static str> {
        match self {
            Kind::Prompt | Kind::Mission | Kind::Peer => Some("user"),
            Kind::Note => Some("system"),
            Kind::Reply | Kind::Call => Some("assistant"),
            Kind::Result => Some("tool"),
            Kind::Host | Kind::Audit => None,
        }
    }

    /// Who the row comes from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Kind::Prompt => "direct",
            Kind::Mission => "broadcast",
            Kind::Peer => "swarm",
            Kind::Note => "operator",
            Kind::Reply | Kind::Call => "model",
            Kind::Result => "tool",
            Kind::Host | Kind::Audit => "runtime",
        }
    }

    /// The allow-list: whether a row of this kind may be sent to the model at all.
    #[must_use]
    pub fn is_sendable(self) -> bool {
        self.role().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_read_back_and_follow_the_table_of_the_design() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::parse("hologram"), None);
        assert!(!Kind::Host.is_sendable());
        assert!(!Kind::Audit.is_sendable());
        assert!(Kind::Note.is_sendable());
    }
}
