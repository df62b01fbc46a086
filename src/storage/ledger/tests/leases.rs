//! Two processes share one database.

use sea_orm::{DbBackend, Statement};

use super::fleet::{frozen, step, step_with, taken};
use super::*;

pub(super) fn prompt(seq: i64) -> Write {
    append(&row(seq, RowBody::Prompt { text: "do".into() }))
}

/// Opens a shared database from a home.
pub(super) async fn opened(books: &Books, home: impl Into<HomeClaim>) -> SqlLedger {
    SqlLedger::open_server(books.address(), home.into(), ProcessKind::Resident)
        .await
        .unwrap()
}

/// The next process of a home in which these are known to be gone.
pub(super) fn after(gone: &[&SqlLedger]) -> HomeClaim {
    let owner = |ledger: &&SqlLedger| ledger.inner.tenant.as_ref().unwrap().owner.clone();
    let owners: Vec<String> = gone.iter().map(owner).collect();
    let home = &gone[0].inner.tenant.as_ref().unwrap().home;
    HomeClaim::new(home, &owners)
}

/// The same for one command.
async fn visited(books: &Books, home: impl Into<HomeClaim>) -> SqlLedger {
    let command_process =
        SqlLedger::open_server(books.address(), home.into(), ProcessKind::Command).await;
    command_process.unwrap()
}

pub(super) async fn homes(ledger: &SqlLedger) -> Vec<String> {
    let asked = Statement::from_string(DbBackend::Postgres, "SELECT home FROM lease ORDER BY home");
    let rows = ledger.inner.readers.query_all_raw(asked).await.unwrap();
    let homes = rows.iter().map(|row| row.try_get_by_index(0).unwrap());
    homes.collect()
}

pub(super) async fn names(ledger: &SqlLedger) -> Vec<String> {
    let myses = ledger.swarm().await.unwrap().myses;
    let names = myses.iter().map(|mysis| mysis.profile.name.to_string());
    names.collect()
}

fn is_refused(answer: &Result<(), LedgerFault>) -> bool {
    matches!(answer, Err(LedgerFault::Refused(why)) if why.contains("another zoea process"))
}

pub(super) async fn expire(ledger: &SqlLedger) {
    let sql = "UPDATE lease SET expires_at = clock_timestamp() - interval '1 second'";
    ledger.inner.writer.execute_unprepared(sql).await.unwrap();
}

#[tokio::test]
async fn each_mysis_belongs_to_one_process() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    let other = opened(&books, "other").await;
    write(&other, vec![create(MysisId(8), "beta")])
        .await
        .unwrap();
    assert_eq!(
        (names(&one).await, names(&other).await),
        (vec!["alpha".to_string()], vec!["beta".to_string()])
    );
    assert_eq!(one.names_held_by_others().await.unwrap(), ["beta"]);
    let answers = other
        .commit(vec![
            batch(vec![prompt(1)]),
            batch(vec![Write::Called { mysis: MysisId(8) }]),
        ])
        .await;
    assert_eq!(answers, [Err(LedgerFault::Fenced), Ok(())]);
    let claimed = other.claim_account(ALPHA, Timestamp(1)).await;
    assert_eq!(claimed, Err(LedgerFault::Fenced));
    write(&one, vec![prompt(1)]).await.unwrap();
    one.close().await;
    other.close().await;
    let third = opened(&books, "third").await;
    assert_eq!(names(&third).await, ["alpha", "beta"]);
}

#[tokio::test]
async fn an_expired_lease_is_taken_over_and_its_former_owner_writes_no_more() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    expire(&one).await;
    // An expired lease stays ours until another process takes it. A renewal extends it again.
    write(&one, vec![prompt(1)]).await.unwrap();
    step(&one).await;
    let other = opened(&books, "other").await;
    assert_eq!(names(&other).await, [] as [&str; 0]);
    assert_eq!(step(&other).await.taken, []);
    expire(&one).await;
    assert_eq!(taken(&step(&other).await), ["alpha"]);
    assert_eq!(names(&other).await, ["alpha"]);
    assert_eq!(write(&one, vec![prompt(2)]).await, Err(LedgerFault::Fenced));
    let late = step(&one).await;
    assert_eq!((late.lost, late.safe_until), (vec![ALPHA], None));
    one.close().await;
    write(&other, vec![prompt(2)]).await.unwrap();
    assert_eq!(other.load_history(ALPHA).await.unwrap().last, Seq(2));
}

#[tokio::test]
async fn what_a_process_imports_while_it_runs_is_held_like_what_it_creates() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    let bulk_import = one.bulk_import().await.unwrap();
    bulk_import.write(&create(ALPHA, "alpha")).await.unwrap();
    bulk_import.commit().await.unwrap();
    assert_eq!(one.inner.tenant.as_ref().unwrap().held().count(), 1);
    assert_eq!(step(&one).await.taken, [], "who imported it knows of it");
    let other = opened(&books, "other").await;
    assert_eq!(step(&other).await.taken, []);
    expire(&one).await;
    assert_eq!(taken(&step(&other).await), ["alpha"]);
    assert_eq!(step(&one).await.lost, [ALPHA], "its loss is noticed");
}

#[tokio::test]
async fn a_process_takes_over_at_once_what_one_of_its_home_left_that_is_known_to_be_gone() {
    let Some(books) = Books::server() else {
        return;
    };
    let before = opened(&books, "one").await;
    write(&before, vec![create(ALPHA, "alpha")]).await.unwrap();
    step(&before).await;
    let after = opened(&books, after(&[&before])).await;
    assert_eq!(processes(&after).await, 0, "the one before is forgotten");
    assert_eq!(names(&after).await, ["alpha"]);
    let late = write(&before, vec![prompt(1)]).await;
    assert_eq!(late, Err(LedgerFault::Fenced));
    write(&after, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
    write(&after, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
}

/// The number of processes that said that they live.
async fn processes(ledger: &SqlLedger) -> usize {
    let asked = Statement::from_string(DbBackend::Postgres, "SELECT owner FROM process");
    let rows = ledger.inner.readers.query_all_raw(asked).await.unwrap();
    rows.len()
}

/// A clone of a machine, or a start after one of the machine: the home's name is the same, and nobody can
/// know whether the process of before is gone.
#[tokio::test]
async fn of_its_own_home_a_process_takes_only_what_has_expired_while_nothing_more_is_known() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    step(&one).await;
    let other = opened(&books, "one").await;
    assert_eq!(names(&other).await, [] as [&str; 0]);
    assert_eq!(processes(&other).await, 1, "the one that may live stays");
    assert_eq!(step(&other).await.taken, []);
    let early = write(&other, vec![prompt(1)]).await;
    assert_eq!(early, Err(LedgerFault::Fenced));
    let command = visited(&books, "one").await;
    assert_eq!(names(&command).await, [] as [&str; 0]);
    assert!(is_refused(&write(&command, vec![prompt(1)]).await));
    write(&one, vec![prompt(1)]).await.unwrap();
    assert_eq!(step(&one).await.lost, []);
    expire(&one).await;
    assert_eq!(taken(&step(&other).await), ["alpha"]);
    assert_eq!(step(&one).await.lost, [ALPHA]);
    expire(&other).await;
    assert_eq!(names(&opened(&books, "one").await).await, ["alpha"]);
}

#[tokio::test]
async fn what_a_frozen_process_let_expire_is_for_commands_of_its_home_alone_and_stays_there() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    step_with(&one, frozen()).await;
    one.close().await;
    let elsewhere = opened(&books, "other").await;
    expire(&elsewhere).await;
    let command = visited(&books, "copy").await;
    assert_eq!(command.names_held_by_others().await.unwrap(), ["alpha"]);
    assert!(is_refused(&write(&command, vec![prompt(1)]).await));
    for (number, home) in [(1, after(&[&one])), (2, "one".into())] {
        let command = visited(&books, home).await;
        assert_eq!(names(&command).await, ["alpha"]);
        write(&command, vec![prompt(number)]).await.unwrap();
    }
    assert_eq!(step(&elsewhere).await.taken, []);
    assert_eq!(names(&opened(&books, "one").await).await, ["alpha"]);
}

#[tokio::test]
async fn a_command_takes_no_lease_whatever_it_reads_or_writes() {
    let Some(books) = Books::server() else {
        return;
    };
    let command_process = visited(&books, "one").await;
    let beta = MysisId(8);
    let made = vec![create(ALPHA, "alpha"), create(beta, "beta"), prompt(1)];
    write(&command_process, made).await.unwrap();
    assert_eq!(names(&command_process).await, ["alpha", "beta"]);
    assert_eq!(homes(&command_process).await, [] as [&str; 0]);
    assert_eq!(command_process.maintenance_interval(), None);
    // A process that comes to run the Myses at that moment gets them all, and the command can no
    // longer write.
    let runs = opened(&books, "other").await;
    assert_eq!(names(&runs).await, ["alpha", "beta"]);
    assert!(is_refused(&write(&command_process, vec![prompt(2)]).await));
    let claimed = command_process.claim_account(beta, Timestamp(1)).await;
    assert!(
        matches!(claimed, Err(LedgerFault::Refused(_))),
        "{claimed:?}"
    );
    let bulk_import = command_process.bulk_import().await.unwrap();
    let taken = bulk_import.write(&prompt(2)).await;
    assert!(is_refused(&taken), "{taken:?}");
    drop(bulk_import);
    assert_eq!(names(&command_process).await, [] as [&str; 0]);
    assert_eq!(
        command_process.names_held_by_others().await.unwrap(),
        ["alpha", "beta"]
    );
    command_process.close().await;
    write(&runs, vec![prompt(2)]).await.unwrap();
    assert_eq!(homes(&runs).await, ["other", "other"]);
}

#[tokio::test]
async fn a_lease_that_was_left_behind_ends_with_what_a_command_writes_and_not_with_what_it_reads() {
    let Some(books) = Books::server() else {
        return;
    };
    let beta = MysisId(8);
    let late = opened(&books, "one").await;
    write(&late, vec![create(ALPHA, "alpha"), create(beta, "beta")])
        .await
        .unwrap();
    expire(&late).await;
    let command_process = visited(&books, "other").await;
    assert_eq!(names(&command_process).await, ["alpha", "beta"]);
    // The writes that a command makes for every Mysis that it reads.
    let shut_out = [ALPHA, beta].map(|mysis| Write::Fence {
        mysis,
        incarnation: Incarnation(3),
    });
    write(&command_process, shut_out.into()).await.unwrap();
    assert_eq!(homes(&command_process).await, ["one", "one"]);
    write(&command_process, vec![prompt(1)]).await.unwrap();
    assert_eq!(homes(&command_process).await, ["one"]);
    let fenced = write(&late, vec![prompt(1)]).await;
    assert_eq!(fenced, Err(LedgerFault::Fenced));
    write(&late, vec![Write::Called { mysis: beta }])
        .await
        .unwrap();
    // A command in the home of a killed process does not wait for the leases to expire.
    let after = visited(&books, after(&[&late])).await;
    assert_eq!(names(&after).await, ["alpha", "beta"]);
    write(&after, vec![Write::Called { mysis: beta }])
        .await
        .unwrap();
    assert_eq!(homes(&after).await, [] as [&str; 0]);
}
