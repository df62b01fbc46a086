//! The schema, step by step. A step that has shipped never changes; a new need is a new step.
//!
//! Steps know SQL only: no entity and no rule of the domain, so that they mean the same for ever.

mod m20261121_000001_first_flight;
mod m20261122_000002_search;
mod m20261122_000003_sighting;
mod m20261122_000004_kept_session;
mod m20261122_000005_lease;
mod m20261122_000005_spending;
mod m20261122_000006_removed;
mod m20261122_000007_watch;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::{MigrationTrait, async_trait};

/// All steps of a file, oldest first.
#[derive(Debug)]
pub struct Migrator;

/// All steps of a server's database, oldest first: those of a file, and what only many processes
/// on one database need.
#[derive(Debug)]
pub struct ServerMigrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_first_flight::Migration),
            Box::new(m20261122_000002_search::Migration),
            Box::new(m20261122_000003_sighting::Migration),
            Box::new(m20261122_000004_kept_session::Migration),
            Box::new(m20261122_000005_spending::Migration),
            Box::new(m20261122_000006_removed::Migration),
            Box::new(m20261122_000007_watch::Migration),
        ]
    }
}

#[async_trait::async_trait]
impl MigratorTrait for ServerMigrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut steps = Migrator::migrations();
        steps.push(Box::new(m20261122_000005_lease::Migration));
        steps.sort_by(|one, other| one.name().cmp(other.name()));
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_happens_as_a_whole_or_not_at_all() {
        for step in ServerMigrator::migrations() {
            assert_eq!(step.use_transaction(), Some(true), "{}", step.name());
        }
    }
}
