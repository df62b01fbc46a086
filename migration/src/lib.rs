//! The schema, step by step. A shipped step never changes; a new need is a new step.
//!
//! Steps of a file are numbered one after the other. Steps that only a server needs have numbers of
//! their own. No step goes back: an older program needs the copy that was kept (decision 135).
//!
//! Steps use SQL only, and neither entities nor rules of the domain, so their meaning never
//! changes.

mod m20261121_000001_first_flight;
mod m20261122_000002_search;
mod m20261122_000003_sighting;
mod m20261122_000004_kept_session;
mod m20261122_000005_spending;
mod m20261122_000006_removed;
mod m20261122_000007_watch;
mod m20261123_000008_event;
mod m20261123_000009_call_task;
mod m20261123_000010_sample;
mod m20261124_000011_event_row;
mod m20261124_000012_working_set;
mod m20261124_000014_routine;
mod m20261124_000016_role;
mod m20261126_000017_spared;
mod m20261127_000018_held_text;
mod m20261127_000019_held_kind;
mod m20261127_000020_one_form;
mod m20261127_000021_memo;
mod server_steps;
mod step;

use sea_orm_migration::prelude::async_trait;
pub use sea_orm_migration::{MigrationTrait, MigratorTrait};

use server_steps::SERVER_STEPS;
use step::Step;

const FILE_STEPS: [Step; 19] = [
    m20261121_000001_first_flight::STEP,
    m20261122_000002_search::STEP,
    m20261122_000003_sighting::STEP,
    m20261122_000004_kept_session::STEP,
    m20261122_000005_spending::STEP,
    m20261122_000006_removed::STEP,
    m20261122_000007_watch::STEP,
    m20261123_000008_event::STEP,
    m20261123_000009_call_task::STEP,
    m20261123_000010_sample::STEP,
    m20261124_000011_event_row::STEP,
    m20261124_000012_working_set::STEP,
    m20261124_000014_routine::STEP,
    m20261124_000016_role::STEP,
    m20261126_000017_spared::STEP,
    m20261127_000018_held_text::STEP,
    m20261127_000019_held_kind::STEP,
    m20261127_000020_one_form::STEP,
    m20261127_000021_memo::STEP,
];

/// All steps of a file, oldest first.
#[derive(Debug)]
pub struct Migrator;

/// All steps of a server's database, oldest first: those of a file, and those for many processes on
/// one database.
#[derive(Debug)]
pub struct ServerMigrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        boxed(FILE_STEPS)
    }
}

#[async_trait::async_trait]
impl MigratorTrait for ServerMigrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut steps = boxed(FILE_STEPS);
        steps.extend(boxed(SERVER_STEPS));
        steps.sort_by(|one, other| one.name().cmp(other.name()));
        steps
    }
}

fn boxed<const N: usize>(steps: [Step; N]) -> Vec<Box<dyn MigrationTrait>> {
    let steps = steps.into_iter();
    steps
        .map(|step| Box::new(step) as Box<dyn MigrationTrait>)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(steps: &[Box<dyn MigrationTrait>]) -> Vec<String> {
        steps.iter().map(|step| step.name().to_string()).collect()
    }

    /// Databases store these names. A renamed step would be another step to them.
    #[test]
    fn steps_that_have_shipped_keep_their_names_and_their_order() {
        let shipped = [
            "m20261121_000001_first_flight",
            "m20261122_000002_search",
            "m20261122_000003_sighting",
            "m20261122_000004_kept_session",
            "m20261122_000005_lease",
            "m20261122_000005_spending",
            "m20261122_000006_removed",
            "m20261122_000007_watch",
        ];
        let steps = names(&ServerMigrator::migrations());
        assert_eq!(steps[..shipped.len()], shipped);
    }

    #[test]
    fn no_two_steps_of_a_file_have_one_number() {
        let number = |name: &String| name.split('_').nth(1).map(str::to_string);
        let numbers: Vec<_> = names(&Migrator::migrations()).iter().map(number).collect();
        assert!(numbers.iter().all(Option::is_some), "{numbers:?}");
        assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    }

    #[test]
    fn every_step_happens_as_a_whole_or_not_at_all() {
        for step in ServerMigrator::migrations() {
            assert_eq!(step.use_transaction(), Some(true), "{}", step.name());
        }
    }
}
