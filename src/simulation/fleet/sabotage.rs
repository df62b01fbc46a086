//! Sabotage: mistakes in the simulated database, so that tests see the verdict find each.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// A process that cannot reach the database is told that its leases are renewed.
    RenewsWithoutTheServer,
    /// A process takes what another one holds.
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
}
