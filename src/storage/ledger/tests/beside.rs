//! Processes that write beside each other: what one of them commits late is missed by nobody.

use sea_orm::{DbBackend, Statement};

use super::fleet::{status_with, step, step_with, taken};
use super::leases::{expire, opened};
use super::*;
use crate::commit::apply_write;
use crate::index::STEP_ROWS;
use crate::write_lock::WriteLock;
use crate::writer::Tx;
use actors::domain::reading::EventQuery;
use actors::ports::FleetReport;

const BETA: MysisId = MysisId(8);

/// Two processes with a Mysis each, alpha and beta.
async fn two() -> Option<(SqlLedger, SqlLedger)> {
    let books = Books::server()?;
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    write(&other, vec![create(BETA, "beta")]).await.unwrap();
    Some((one, other))
}

fn says(mysis: MysisId, seq: i64, text: &str) -> Write {
    Write::Append {
        mysis,
        row: row(seq, RowBody::Prompt { text: text.into() }),
    }
}

/// A transaction that has written this and is not committed.
async fn unfinished(ledger: &SqlLedger, lock: WriteLock, write: &Write) -> Tx {
    let tx = ledger.inner.begin(lock).await.unwrap();
    apply_write(&tx, write).await.unwrap();
    tx
}

/// Waits until this waits for a lock. If it is over before, that is too early.
pub(super) async fn until_it_waits<T: std::fmt::Debug>(
    ledger: &SqlLedger,
    work: impl Future<Output = T>,
) {
    let waits = async {
        let query = "SELECT FROM pg_stat_activity \
                     WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let asked = || Statement::from_string(DbBackend::Postgres, query);
        let readers = &ledger.inner.readers;
        while readers.query_all_raw(asked()).await.unwrap().is_empty() {}
    };
    tokio::select! {
        early = work => panic!("it did not wait: {early:?}"),
        () = waits => {}
    }
}

async fn index(ledger: &SqlLedger) {
    // The first step may only find out whom it has to wait for.
    for _ in 0..2 {
        ledger.inner.count_waiting().await.unwrap();
        while ledger.inner.waiting.load(Ordering::Relaxed) > 0 {
            ledger.inner.update_index().await;
        }
    }
}

#[tokio::test]
async fn a_process_writes_for_its_myses_while_another_one_has_not_committed() {
    let Some((one, other)) = two().await else {
        return;
    };
    let early = unfinished(&one, WriteLock::Own, &says(ALPHA, 1, "early")).await;
    write(&other, vec![says(BETA, 1, "late")]).await.unwrap();
    early.commit().await.unwrap();
    assert_eq!(one.load_history(ALPHA).await.unwrap().last, Seq(1));
}

#[tokio::test]
async fn a_row_that_becomes_visible_after_later_ones_is_searched_and_indexed() {
    let Some((one, other)) = two().await else {
        return;
    };
    write(&other, vec![says(BETA, 1, "a needle before")])
        .await
        .unwrap();
    let early = unfinished(&one, WriteLock::Own, &says(ALPHA, 1, "a needle between")).await;
    write(&other, vec![says(BETA, 2, "a needle after")])
        .await
        .unwrap();
    index(&other).await;
    let found = || async {
        let search = looking_for("a needle");
        let rows = other.search(search).await.unwrap().rows;
        let text = |(_, row): (MysisId, Arc<Row>)| row.text().to_string();
        rows.into_iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(found().await, ["a needle before", "a needle after"]);
    early.commit().await.unwrap();
    let all = ["a needle before", "a needle between", "a needle after"];
    assert_eq!(found().await, all, "of rows that are not indexed");
    index(&other).await;
    assert_eq!(found().await, all, "of the index");
    let asked = Statement::from_string(
        DbBackend::Postgres,
        "SELECT FROM message WHERE id NOT IN (SELECT id FROM message_text)",
    );
    let missing = other.inner.readers.query_all_raw(asked).await.unwrap();
    assert_eq!(missing.len(), 0, "none is left out of the index");
}

#[tokio::test]
async fn a_row_that_is_removed_while_it_is_indexed_is_in_neither_place() {
    let Some((one, other)) = two().await else {
        return;
    };
    // More than one step's rows, so that the second step knows already how far it may go.
    append_texts(&one, 1, (0..STEP_ROWS + 9).map(|_| "gone".to_string())).await;
    write(&other, vec![says(BETA, 1, "kept")]).await.unwrap();
    assert_eq!(other.inner.index_step().await.unwrap(), STEP_ROWS);
    let removing = Write::Delete { mysis: ALPHA };
    let removal = unfinished(&one, WriteLock::Common, &removing).await;
    let mut indexing = Box::pin(other.inner.index_step());
    until_it_waits(&one, &mut indexing).await;
    removal.commit().await.unwrap();
    assert_eq!(indexing.await.unwrap(), 1);
    let asked = Statement::from_string(DbBackend::Postgres, "SELECT body FROM message_text");
    let left = other.inner.readers.query_all_raw(asked).await.unwrap();
    assert_eq!(left.len(), 1, "the row that is kept");
}

fn event(id: i64) -> Write {
    Write::Event(Box::new(notice(id)))
}

#[tokio::test]
async fn events_of_all_processes_are_numbered_in_the_order_in_which_they_become_visible() {
    let Some((one, other)) = two().await else {
        return;
    };
    let first = unfinished(&one, WriteLock::Common, &event(1)).await;
    let mut second = Box::pin(write(&other, vec![event(2)]));
    until_it_waits(&one, &mut second).await;
    first.commit().await.unwrap();
    second.await.unwrap();
    let events = one.events(EventQuery::newest(10)).await.unwrap();
    let ids: Vec<i64> = events.iter().map(|event| event.id.0).collect();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn one_account_is_given_to_one_of_two_processes() {
    let Some((one, other)) = two().await else {
        return;
    };
    let pooled = Write::PoolAccount {
        account: actors::domain::record::PoolAccount {
            account: GameAccount {
                username: "captain".into(),
                password: "open-sesame".into(),
            },
            owner: None,
        },
        at: Timestamp(1),
    };
    write(&one, vec![pooled]).await.unwrap();
    let (first, second) = tokio::join!(
        one.claim_account(ALPHA, Timestamp(2)),
        other.claim_account(BETA, Timestamp(2))
    );
    let given = [first.unwrap(), second.unwrap()];
    assert_eq!(given.iter().flatten().count(), 1, "{given:?}");
}

#[tokio::test]
async fn a_mysis_is_taken_over_once_its_last_write_has_ended() {
    let Some((one, other)) = two().await else {
        return;
    };
    step(&other).await;
    let last = unfinished(&one, WriteLock::Own, &says(ALPHA, 1, "last")).await;
    // Its lease runs out while it writes.
    expire(&other).await;
    let mut taking = Box::pin(step(&other));
    until_it_waits(&one, &mut taking).await;
    last.commit().await.unwrap();
    assert_eq!(taken(&taking.await), ["alpha"]);
    let rows = other.load_history(ALPHA).await.unwrap().rows;
    assert_eq!(rows.len(), 1, "its new process has all that it wrote");
}

#[tokio::test]
async fn a_command_writes_while_no_process_does() {
    let Some(books) = Books::server() else {
        return;
    };
    let address = books.address();
    let one = opened(&books, "one").await;
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    let command = SqlLedger::open_server(address, "home".into(), ProcessKind::Command).await;
    let command = command.unwrap();
    let unfinished = unfinished(&one, WriteLock::Own, &says(ALPHA, 1, "last")).await;
    let mut ordering = Box::pin(write(&command, vec![says(ALPHA, 2, "order")]));
    until_it_waits(&one, &mut ordering).await;
    unfinished.commit().await.unwrap();
    let refused = ordering.await;
    assert!(
        matches!(refused, Err(LedgerFault::Refused(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn statuses_get_their_places_in_the_order_in_which_they_become_visible() {
    let Some((one, other)) = two().await else {
        return;
    };
    for ledger in [&one, &other] {
        step(ledger).await;
    }
    let locked = "SELECT pg_advisory_xact_lock(8241530019)";
    let early = one.inner.writer.begin_with(locked).await.unwrap();
    let status = "INSERT INTO mysis_status (mysis_id, owner, place, at, status) \
                  SELECT mysis_id, owner, nextval('mysis_status_place'), clock_timestamp(), '{}' \
                  FROM lease WHERE mysis_id = 7";
    early.execute_unprepared(status).await.unwrap();
    let report = FleetReport {
        statuses: vec![status_with(8, "beta", "late")],
        ..FleetReport::default()
    };
    let mut telling = Box::pin(step_with(&other, report));
    until_it_waits(&one, &mut telling).await;
    early.commit().await.unwrap();
    let read = telling.await.neighbours.unwrap().read_to;
    assert_eq!(read, 1, "the status that was written first is read");
    let read = step(&one).await.neighbours.unwrap().read_to;
    assert_eq!(read, 2);
}

#[tokio::test]
async fn an_order_that_becomes_visible_after_a_later_one_is_read_all_the_same() {
    let Some((one, other)) = two().await else {
        return;
    };
    for ledger in [&one, &other] {
        step(ledger).await;
    }
    let order = |id: i64| {
        format!(
            "INSERT INTO fleet_order (id, mysis_id, giver, source, content, given_at) \
             VALUES ({id}, 7, 'giver', 'terminal', 'text', clock_timestamp())"
        )
    };
    let tx = other.inner.begin(WriteLock::Own).await.unwrap();
    tx.execute_unprepared(&order(1)).await.unwrap();
    let later = &other.inner.tenant.as_ref().unwrap().limits_writer;
    later.execute_unprepared(&order(2)).await.unwrap();
    let open = || async {
        let orders = step(&one).await.orders.open;
        orders.iter().map(|order| order.id.0).collect::<Vec<_>>()
    };
    assert_eq!(open().await, [2]);
    tx.commit().await.unwrap();
    assert_eq!(open().await, [1, 2]);
}
