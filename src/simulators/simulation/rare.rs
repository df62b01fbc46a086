//! Rare events, counted so that a suite can assert that they happened.

use actors::domain::event::{Activity, EventKind, SwarmEvent};
use actors::domain::state::LifeState;
use strum::{Display, EnumCount, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumCount, VariantArray)]
pub enum RareEvent {
    /// A call was sent, and nobody knows its outcome.
    #[strum(serialize = "outcome of a call unknown")]
    OutcomeUnknown,
    #[strum(serialize = "call never sent")]
    NotExecuted,
    /// The actor of a Mysis died, and its successor reported it.
    #[strum(serialize = "crash of a Mysis reported")]
    Crashed,
    /// A Mysis was relaunched too often and stays errored.
    #[strum(serialize = "relaunched too often")]
    RelaunchesSpent,
    #[strum(serialize = "Store killed in a commit")]
    StoreKilledInCommit,
    /// A Store died and another one took its place.
    #[strum(serialize = "Store replaced")]
    StoreReplaced,
    /// A gate died and another one took its place.
    #[strum(serialize = "gate replaced")]
    GateReplaced,
    #[strum(serialize = "store could not write")]
    StoreTrouble,
    #[strum(serialize = "store wrote again")]
    StoreHealed,
    /// The circuit of a provider opened after its failures.
    #[strum(serialize = "provider taken out of service")]
    CircuitOpen,
    /// A provider works again.
    #[strum(serialize = "provider back in service")]
    CircuitClosed,
    #[strum(serialize = "fallback provider asked")]
    FallbackAsked,
    #[strum(serialize = "paused by a spent budget")]
    BudgetPause,
    #[strum(serialize = "told that it makes no progress")]
    NoProgress,
    #[strum(serialize = "got a new context")]
    ContextAfresh,
    #[strum(serialize = "got another provider")]
    OtherProvider,
    /// A Mysis was parked, since nothing helped.
    #[strum(serialize = "parked")]
    Parked,
    /// A Mysis held still because the game announced a restart.
    #[strum(serialize = "paused for a restart of the game")]
    RestartPause,
    #[strum(serialize = "game down")]
    GameDown,
    #[strum(serialize = "game up again")]
    GameUp,
    #[strum(serialize = "turn ended because it was too long")]
    TurnLimit,
    #[strum(serialize = "empty reply")]
    EmptyReply,
    #[strum(serialize = "errored")]
    Errored,
    #[strum(serialize = "program closed")]
    Closed,
    #[strum(serialize = "routine started")]
    RoutineBegun,
    /// A call of a routine got lost, and the game showed that it was carried out.
    #[strum(serialize = "lost call of a routine found to be done")]
    OutcomeProven,
}

impl RareEvent {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

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
