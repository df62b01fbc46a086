//! Rare: what a swarm seldom comes to, counted, so that a suite can say that it was there.

use actors::domain::event::{Activity, EventKind, State, SwarmEvent};

/// What is seldom seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rare {
    /// A call was sent and nobody knows what came of it.
    OutcomeUnknown,
    /// A call was never sent and never will be.
    NotExecuted,
    /// The actor of a Mysis died and its successor told so.
    Crashed,
    /// A Mysis was relaunched too often and stays errored.
    RelaunchesSpent,
    /// The Store was killed while a commit was under way.
    StoreKilledInCommit,
    /// A Store died and another one took its place.
    StoreReplaced,
    /// A gate died and another one took its place.
    GateReplaced,
    /// The store could not write.
    StoreTrouble,
    /// The store can write again.
    StoreHealed,
    /// A provider failed so often that it is left alone.
    CircuitOpen,
    /// A provider works again.
    CircuitClosed,
    /// Another provider was asked in place of one that is left alone.
    FallbackAsked,
    /// A Mysis pauses because the budget is spent.
    BudgetPause,
    /// A Mysis was told that it gets nowhere.
    NoProgress,
    /// A Mysis began afresh, since it got nowhere.
    ContextAfresh,
    /// Another provider was asked since a Mysis got nowhere.
    OtherProvider,
    /// A Mysis was put to rest, since nothing helped.
    Parked,
    /// A Mysis holds still since the game announced a restart.
    RestartPause,
    /// The game could not be used.
    GameDown,
    /// The game can be used again.
    GameUp,
    /// A turn was ended because it was too long.
    TurnLimit,
    /// The model said nothing.
    EmptyReply,
    /// A Mysis was errored by its provider.
    Errored,
    /// A process ended in good order.
    Closed,
}

impl Rare {
    /// All of them.
    pub const ALL: [Rare; 24] = [
        Rare::OutcomeUnknown,
        Rare::NotExecuted,
        Rare::Crashed,
        Rare::RelaunchesSpent,
        Rare::StoreKilledInCommit,
        Rare::StoreReplaced,
        Rare::GateReplaced,
        Rare::StoreTrouble,
        Rare::StoreHealed,
        Rare::CircuitOpen,
        Rare::CircuitClosed,
        Rare::FallbackAsked,
        Rare::BudgetPause,
        Rare::NoProgress,
        Rare::ContextAfresh,
        Rare::OtherProvider,
        Rare::Parked,
        Rare::RestartPause,
        Rare::GameDown,
        Rare::GameUp,
        Rare::TurnLimit,
        Rare::EmptyReply,
        Rare::Errored,
        Rare::Closed,
    ];

    /// What an event tells of.
    pub(super) fn of(event: &SwarmEvent) -> Option<Rare> {
        match &event.what {
            EventKind::Notice { code, .. } => Rare::of_code(code),
            EventKind::Stored(row) => row.host().and_then(|meta| Rare::of_code(&meta.code)),
            EventKind::Standing(standing) => {
                let is_restart = matches!(
                    &standing.activity,
                    Activity::Paused(why) if why.contains("restarts")
                );
                is_restart.then_some(Rare::RestartPause)
            }
            EventKind::StateChanged { to, .. } => (*to == State::Errored).then_some(Rare::Errored),
            EventKind::Shutdown => Some(Rare::Closed),
            EventKind::Created
            | EventKind::Deleted
            | EventKind::TurnStarted
            | EventKind::ModelReplied { .. }
            | EventKind::ToolCalled { .. }
            | EventKind::ToolReturned { .. }
            | EventKind::Mission(_)
            | EventKind::Spending(_)
            | EventKind::Weather(_)
            | EventKind::Learned(_) => None,
        }
    }

    /// By the stable word of a notice.
    fn of_code(code: &str) -> Option<Rare> {
        Some(match code {
            "crashed" => Rare::Crashed,
            "relaunches_spent" => Rare::RelaunchesSpent,
            "store_restarted" => Rare::StoreReplaced,
            "gate_restarted" => Rare::GateReplaced,
            "store_trouble" => Rare::StoreTrouble,
            "store_healed" => Rare::StoreHealed,
            "circuit_open" => Rare::CircuitOpen,
            "circuit_closed" => Rare::CircuitClosed,
            "budget_spent" => Rare::BudgetPause,
            "no_progress" => Rare::NoProgress,
            "fresh_start" => Rare::ContextAfresh,
            "other_provider" => Rare::OtherProvider,
            "parked" => Rare::Parked,
            "mcp_down" => Rare::GameDown,
            "mcp_up" => Rare::GameUp,
            "turn_limit" => Rare::TurnLimit,
            "empty_reply" => Rare::EmptyReply,
            _ => return None,
        })
    }
}
