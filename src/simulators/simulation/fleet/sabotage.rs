//! Sabotage: mistakes in the simulated database, so that tests see the verdict find each.

use super::super::fleet_figures::FleetFault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// A process that cannot reach the database is told that its leases are renewed.
    RenewsWithoutTheServer,
    TakesWhatIsHeld,
    /// A new life has the incarnation of the one before.
    KeepsIncarnations,
    /// Each process gets the whole of every limit.
    GrantsAllToEach,
    /// The parts of a process that died never expire.
    KeepsPartsOfTheDead,
    /// An order that is done is carried out again.
    RepeatsOrders,
    /// Nobody takes what a dead process held.
    TakesNothing,
    /// A Mysis that is deleted stays, and so does its lease.
    KeepsDeleted,
    /// Orders are forgotten before they are carried out.
    ForgetsOrders,
    /// A home forgets with its process that it is frozen.
    ForgetsFreezes,
    /// A process takes what a frozen one held.
    TakesFromFrozen,
    /// Each process gets all tokens of a minute.
    GrantsTokensToEach,
    /// No process is told what all have spent.
    HidesSpending,
}

impl Sabotage {
    /// The faults that show the mistake soonest.
    pub(super) fn shown_by(self) -> &'static [FleetFault] {
        match self {
            Sabotage::RenewsWithoutTheServer => &[FleetFault::LongCut],
            Sabotage::TakesWhatIsHeld
            | Sabotage::GrantsAllToEach
            | Sabotage::GrantsTokensToEach
            | Sabotage::HidesSpending
            | Sabotage::RepeatsOrders => &[FleetFault::Drain],
            Sabotage::KeepsIncarnations
            | Sabotage::KeepsPartsOfTheDead
            | Sabotage::TakesNothing => &[FleetFault::Kill],
            Sabotage::KeepsDeleted | Sabotage::ForgetsOrders => &[FleetFault::Deletion],
            Sabotage::ForgetsFreezes | Sabotage::TakesFromFrozen => {
                &[FleetFault::Freeze, FleetFault::Kill]
            }
        }
    }
}
