//! The parts of a life: its session with the game, its figures, and what was told already.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::event::LinkState;
use crate::ids::Timestamp;
use crate::state::Totals;
use crate::tool::Toolset;

/// What a Mysis knows of its session with the game.
#[derive(Debug)]
pub(super) struct SessionView {
    pub(super) account: Option<Arc<str>>,
    pub(super) tools: Arc<Toolset>,
    pub(super) link: LinkState,
    pub(super) link_since: Timestamp,
    pub(super) tick: Option<i64>,
}

impl SessionView {
    /// None is open yet; the account and the tick are those of the life before.
    pub(super) fn unopened(
        account: Option<Arc<str>>,
        tick: Option<i64>,
        now: Timestamp,
    ) -> SessionView {
        SessionView {
            account,
            tools: Arc::default(),
            link: LinkState::None,
            link_since: now,
            tick,
        }
    }
}

/// What a Mysis has used up, and when it last did something.
#[derive(Debug)]
pub(super) struct LifeFigures {
    pub(super) totals: Totals,
    pub(super) last_call_ms: Option<u64>,
    pub(super) last_activity_at: Timestamp,
}

/// What the operator or the model was told already, and is not told again.
#[derive(Debug, Default)]
pub(super) struct ToldNotices {
    /// Whether it waits for a provider that is away.
    pub(super) is_away: bool,
    /// Whether this machine has no descriptor left for it.
    pub(super) lacks_descriptor: bool,
    /// What the model was told about the runtime in the last request, by code.
    pub(super) noticed: BTreeSet<&'static str>,
    /// The end of the pause that the operator was told of last.
    pub(super) held_until: Option<Timestamp>,
}
