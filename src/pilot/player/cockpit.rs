//! What the player has before its eyes when it decides.

use crate::pilot::chance;
use crate::pilot::orders::Orders;
use crate::pilot::request::{Entry, Request};
use crate::pilot::situation::Situation;

use super::step::Call;

/// The request, and what was made of it.
pub(super) struct Cockpit<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) orders: Orders,
    pub(super) situation: Situation,
    pub(super) seed: u64,
}

/// The fewest and the most rounds of calls in a turn.
const ROUNDS: (u64, u64) = (3, 8);

/// So many identical failures within a turn are enough.
const ENOUGH: usize = 2;

impl Cockpit<'_> {
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.request.offers(tool)
    }

    pub(super) fn has_no_tools(&self) -> bool {
        !self.request.tools.iter().any(|tool| self.offers(tool))
    }

    /// The rounds of calls since the newest user message.
    pub(super) fn rounds(&self) -> u64 {
        let turn = self.request.turn().iter();
        turn.filter(|entry| matches!(entry, Entry::Assistant { calls, .. } if !calls.is_empty()))
            .count() as u64
    }

    /// Whether this turn has had its rounds; how many those are follows from what began it.
    pub(super) fn is_turn_over(&self) -> bool {
        let (fewest, most) = ROUNDS;
        let bits = chance::fingerprint_of_turn(self.seed, self.request).bits();
        self.rounds() >= fewest + bits % (most - fewest + 1)
    }

    /// Whether the tool was called in this turn and nothing that changes the world was called after it.
    pub(super) fn has_asked(&self, tool: &str) -> bool {
        self.request
            .turn()
            .iter()
            .rev()
            .filter_map(|entry| match entry {
                Entry::Result { asked, .. } => Some(asked.tool),
                Entry::System(_) | Entry::User(_) | Entry::Assistant { .. } => None,
            })
            .take_while(|called| is_query(called))
            .any(|called| called == tool)
    }

    /// Whether the tool was called in this turn at all.
    pub(super) fn has_called(&self, tool: &str) -> bool {
        self.request.turn().iter().any(|entry| match entry {
            Entry::Result { asked, .. } => asked.tool == tool,
            Entry::System(_) | Entry::User(_) | Entry::Assistant { .. } => false,
        })
    }

    /// Whether the question can be asked with some hope of a new answer.
    pub(super) fn can_ask(&self, tool: &str) -> bool {
        self.offers(tool) && !self.has_asked(tool)
    }

    /// Whether this very call has failed often enough in this turn.
    pub(super) fn has_failed_enough(&self, call: &Call) -> bool {
        let arguments = call.arguments.to_string();
        let same = self
            .situation
            .troubles
            .iter()
            .filter(|trouble| trouble.tool == call.tool && trouble.arguments == arguments);
        same.count() >= ENOUGH
    }
}

/// Whether calling the tool leaves the world as it is.
pub(super) fn is_query(tool: &str) -> bool {
    const QUERIES: [&str; 9] = [
        "get_",
        "view_",
        "captains_log",
        "zoea_",
        "find_",
        "search_",
        "estimate",
        "help",
        "catalog",
    ];
    QUERIES.iter().any(|start| tool.starts_with(start))
}
