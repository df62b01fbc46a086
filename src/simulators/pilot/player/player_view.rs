//! The player's view: the facts that its decisions use.

use crate::chance;
use crate::orders::PilotOrders;
use crate::request::{ChatEntry, PilotRequest};
use crate::situation::{Situation, is_query};

use super::step::WantedCall;

pub(super) struct PlayerView<'a> {
    pub(super) request: &'a PilotRequest<'a>,
    pub(super) orders: PilotOrders,
    pub(super) situation: Situation,
    pub(super) seed: u64,
}

const ROUNDS_PER_TURN: (u64, u64) = (3, 8);

/// The number of identical failures within a turn after which a call is given up.
const MAX_EQUAL_FAILURES: usize = 2;

impl PlayerView<'_> {
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.request.offers(tool)
    }

    pub(super) fn has_no_tools(&self) -> bool {
        !self.request.tools.iter().any(|tool| self.offers(tool))
    }

    /// The rounds of calls since the newest user message.
    pub(super) fn rounds(&self) -> u64 {
        let turn = self.request.turn().iter();
        turn.filter(
            |entry| matches!(entry, ChatEntry::Assistant { calls, .. } if !calls.is_empty()),
        )
        .count() as u64
    }

    /// Whether this turn has used all its rounds.
    pub(super) fn is_turn_over(&self) -> bool {
        self.rounds() >= self.rounds_allowed()
    }

    /// The number of rounds in this turn. It follows from the message that began it.
    pub(super) fn rounds_allowed(&self) -> u64 {
        let (fewest, most) = ROUNDS_PER_TURN;
        let bits = chance::fingerprint_of_turn(self.seed, self.request).bits();
        fewest + bits % (most - fewest + 1)
    }

    /// Whether the query was answered, or failed often enough, and no call changed the world after
    /// it.
    pub(super) fn has_asked(&self, tool: &str) -> bool {
        let since = self
            .situation
            .turn
            .iter()
            .rev()
            .take_while(|called| is_query(&called.tool));
        let mut failures = 0;
        for called in since.filter(|called| called.tool == tool) {
            if called.is_done {
                return true;
            }
            failures += 1;
        }
        failures >= MAX_EQUAL_FAILURES
    }

    pub(super) fn has_called(&self, tool: &str) -> bool {
        self.situation.turn.iter().any(|called| called.tool == tool)
    }

    /// Whether a call has changed the world in this turn.
    pub(super) fn has_acted(&self) -> bool {
        let mut turn = self.situation.turn.iter();
        turn.any(|called| called.is_done && !is_query(&called.tool))
    }

    /// Whether every call of this turn succeeded.
    pub(super) fn is_spotless(&self) -> bool {
        self.situation.turn.iter().all(|called| called.is_done)
    }

    /// Whether the query is offered and may bring a new answer.
    pub(super) fn can_ask(&self, tool: &str) -> bool {
        self.offers(tool) && !self.has_asked(tool)
    }

    pub(super) fn has_failed_enough(&self, call: &WantedCall) -> bool {
        let arguments = call.arguments.to_string();
        let same = self
            .situation
            .failures
            .iter()
            .filter(|failure| failure.tool == call.tool && failure.arguments == arguments);
        same.count() >= MAX_EQUAL_FAILURES
    }
}
