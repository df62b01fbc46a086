//! The parts of a life: its session, its figures, and the notices that were given.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::event::LinkState;
use crate::game::GameRef;
use crate::ids::{Moment, Timestamp, TurnNumber};
use crate::role_list::RoleLists;
use crate::state::Totals;
use crate::tool::Toolset;
use crate::tool_offer::ToolOffer;
use crate::working_set::WorkingSet;

use super::input::WriteId;

#[derive(Debug, Default)]
pub(super) struct SessionView {
    pub(super) account: Option<Arc<str>>,
    /// The game whose tools they are; nothing is said of one until it is known.
    pub(super) game: GameRef,
    pub(super) is_game_known: bool,
    pub(super) tools: Arc<Toolset>,
    pub(super) allowed: Arc<Toolset>,
    pub(super) offer: ToolOffer,
    /// What of them it uses beyond the basics.
    pub(super) working_set: WorkingSet,
    /// The lists that it is taken from, which all Myses of a role share.
    pub(super) lists: Arc<RoleLists>,
    pub(super) link: LinkState,
    pub(super) link_fault: Option<Arc<str>>,
    pub(super) link_since: Timestamp,
    pub(super) tick: Option<i64>,
}

/// The totals of a Mysis and the time of its last activity.
#[derive(Debug)]
pub(super) struct LifeFigures {
    pub(super) totals: Totals,
    pub(super) last_call_ms: Option<u64>,
    pub(super) created_at: Timestamp,
    pub(super) last_activity_at: Timestamp,
    pub(super) routine_timed: Moment,
    /// The turn that ended last in this life. It is not resumed, whatever its rows look like.
    pub(super) ended_turn: Option<TurnNumber>,
}

/// What the operator or the model was told already and is not told again.
#[derive(Debug, Default)]
pub(super) struct SentNotices {
    pub(super) is_away: bool,
    /// That this machine has no file descriptor left for it.
    pub(super) lacks_descriptor: bool,
    /// That its tools leave no room for a turn in the model's context.
    pub(super) lacks_context: bool,
    pub(super) has_text_calls: bool,
    /// The runtime notices in the last request, by code.
    pub(super) noticed: BTreeSet<&'static str>,
    /// The end of the pause that the operator was told last.
    pub(super) held_until: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentMark {
    /// Not marked. The call was certainly not executed.
    NotSent,
    /// Marked by the write that stored the call or the result before it. It has not left, and it may
    /// leave at any time.
    Marked,
    /// The mark is being written to the store.
    Writing(WriteId),
    Sent,
    /// The server works on the call. Its id is being written to the store.
    WritingTask(WriteId),
    /// The server works on the call, and its id is stored. The outcome can be asked for even after
    /// the program's death.
    InTask,
}
