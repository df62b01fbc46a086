//! Rare events, counted so that a suite can assert that they happened.

use actors::domain::event::{Activity, EventKind, SwarmEvent};
use actors::domain::state::LifeState;
use strum::{EnumCount, VariantArray};

/// An event that few runs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
pub enum RareEvent {
    /// A call was sent, and nobody knows its outcome.
    OutcomeUnknown,
    /// A call was never sent and never will be.
    NotExecuted,
    /// The actor of a Mysis died, and its successor reported it.
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
    /// The circuit of a provider opened after its failures.
    CircuitOpen,
    /// A provider works again.
    CircuitClosed,
    FallbackAsked,
    /// A Mysis paused because the budget was spent.
    BudgetPause,
    /// A Mysis was told that it makes no progress.
    NoProgress,
    /// A Mysis without progress got a new context.
    ContextAfresh,
    /// A Mysis without progress got another provider.
    OtherProvider,
    /// A Mysis was parked, since nothing helped.
    Parked,
    /// A Mysis held still because the game announced a restart.
    RestartPause,
    /// The game could not be used.
    GameDown,
    /// The game can be used again.
    GameUp,
    /// A turn was ended because it was too long.
    TurnLimit,
    /// The model's answer was empty.
    EmptyReply,
    /// A Mysis was errored by its provider.
    Errored,
    /// A process ended in good order.
    Closed,
    RoutineBegun,
    /// A call of a routine got lost, and the game showed that it was carried out.
    OutcomeProven,
}

impl RareEvent {
    /// All rare events.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// The rare event that this event is, if it is one.
    pub(super) fn of(event: &SwarmEvent) -> Option<RareEvent> {
        match &event.what {
            EventKind::Notice { code, .. } => RareEvent::of_code(code),
            EventKind::Stored(row) => row.host().and_then(|meta| RareEvent::of_code(&meta.code)),
            EventKind::StatusChanged(status) => {
                let is_restart = matches!(
                    &status.activity,
                    Activity::Paused(why) if why.contains("restarts")
                );
                is_restart.then_some(RareEvent::RestartPause)
            }
            EventKind::StateChanged { to, .. } => {
                (*to == LifeState::Errored).then_some(RareEvent::Errored)
            }
            EventKind::Shutdown => Some(RareEvent::Closed),
            EventKind::Roster(_)
            | EventKind::Turn(_)
            | EventKind::Mission(_)
            | EventKind::Condition(_)
            | EventKind::Learned(_) => None,
        }
    }

    /// The rare event of a notice with this code.
    fn of_code(code: &str) -> Option<RareEvent> {
        Some(match code {
            "crashed" => RareEvent::Crashed,
            "relaunches_spent" => RareEvent::RelaunchesSpent,
            "store_restarted" => RareEvent::StoreReplaced,
            "gate_restarted" => RareEvent::GateReplaced,
            "store_trouble" => RareEvent::StoreTrouble,
            "store_healed" => RareEvent::StoreHealed,
            "circuit_open" => RareEvent::CircuitOpen,
            "circuit_closed" => RareEvent::CircuitClosed,
            "budget_spent" => RareEvent::BudgetPause,
            "no_progress" => RareEvent::NoProgress,
            "fresh_start" => RareEvent::ContextAfresh,
            "other_provider" => RareEvent::OtherProvider,
            "parked" => RareEvent::Parked,
            "mcp_down" => RareEvent::GameDown,
            "mcp_up" => RareEvent::GameUp,
            "turn_limit" => RareEvent::TurnLimit,
            "empty_reply" => RareEvent::EmptyReply,
            "routine_started" => RareEvent::RoutineBegun,
            "outcome_proven" => RareEvent::OutcomeProven,
            _ => return None,
        })
    }
}
