//! Processes that share the Myses of one database while they run.

use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::event_record::OrderSource;
use actors::domain::ids::FleetOrderId;
use actors::domain::record::{MysisProfile, MysisRecord};
use actors::ports::{
    Fleet, FleetNeighbours, FleetOrder, FleetOrders, FleetReport, FleetStep, OrderOutcome,
};

use super::beside::until_it_waits;
use super::leases::{expire, homes, names, opened};
use super::*;
use crate::ProcessFacts;
use crate::write_lock::WriteLock;

fn facts() -> ProcessFacts {
    ProcessFacts {
        host: "here".into(),
        directory: "/home".into(),
        version: "1".into(),
    }
}

pub(super) fn frozen() -> FleetReport {
    FleetReport {
        is_frozen: true,
        ..FleetReport::default()
    }
}

/// A step of a process that runs everything that it takes, and gives nothing back.
pub(super) async fn step(ledger: &SqlLedger) -> FleetStep {
    step_with(ledger, FleetReport::default()).await
}

pub(super) async fn step_with(ledger: &SqlLedger, report: FleetReport) -> FleetStep {
    let fleet = ledger.fleet(facts()).expect("a process of a fleet");
    let report = FleetReport {
        capacity: 100,
        ..report
    };
    fleet.step(report).await.unwrap()
}

pub(super) fn taken(step: &FleetStep) -> Vec<String> {
    let names = step
        .taken
        .iter()
        .map(|mysis| mysis.profile.name.to_string());
    names.collect()
}

/// Creates so many Myses that run, `m1` and so on.
async fn create_running(ledger: &SqlLedger, count: i64) {
    for id in 1..=count {
        let state = Write::State {
            mysis: MysisId(id),
            state: LifeState::Running,
            reason: None,
            fault: None,
            at: Timestamp(1),
        };
        let made = vec![create(MysisId(id), &format!("m{id}")), state];
        write(ledger, made).await.unwrap();
    }
}

fn let_go(ids: impl IntoIterator<Item = i64>) -> FleetReport {
    FleetReport {
        let_go: ids.into_iter().map(MysisId).collect(),
        ..FleetReport::default()
    }
}

#[tokio::test]
async fn a_process_that_joins_gets_its_share_of_what_runs_as_soon_as_it_is_given_back() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    create_running(&one, 6).await;
    write(&one, vec![create(ALPHA, "resting")]).await.unwrap();
    assert_eq!(step(&one).await.surplus, 0, "it is alone");
    let other = opened(&books, "other").await;
    assert_eq!(names(&other).await, [] as [&str; 0], "others live");
    assert_eq!(step(&other).await.taken, [], "nothing is free");
    assert_eq!(step(&one).await.surplus, 3);
    let given = step_with(&one, let_go(1..=3)).await;
    assert_eq!(
        (given.surplus, given.lost, given.taken),
        (0, vec![], vec![])
    );
    let found = step(&other).await;
    assert_eq!(taken(&found), ["m1", "m2", "m3"]);
    assert!(
        found
            .taken
            .iter()
            .all(|mysis| mysis.state == LifeState::Running)
    );
    // It is told until it has arrived.
    let arrived = FleetReport {
        arrived: vec![MysisId(1), MysisId(2)],
        ..FleetReport::default()
    };
    assert_eq!(taken(&step_with(&other, arrived).await), ["m3"]);
    let held = homes(&other).await;
    assert_eq!(held.iter().filter(|home| **home == "one").count(), 4);
}

#[tokio::test]
async fn what_a_process_leaves_behind_is_shared_out_to_those_that_run() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    let third = opened(&books, "third").await;
    create_running(&third, 6).await;
    for ledger in [&one, &other, &third] {
        step(ledger).await;
    }
    third.close().await;
    assert_eq!(taken(&step(&one).await), ["m1", "m2", "m3"]);
    assert_eq!(taken(&step(&other).await), ["m4", "m5", "m6"]);
    // One that ends without a word: its leases have to expire.
    drop(other);
    assert_eq!(step(&one).await.taken.len(), 3);
    expire(&one).await;
    let gone = "UPDATE process SET expires_at = clock_timestamp() WHERE home = 'other'";
    one.inner.writer.execute_unprepared(gone).await.unwrap();
    let all = ["m1", "m2", "m3", "m4", "m5", "m6"];
    assert_eq!(taken(&step(&one).await), all);
}

#[tokio::test]
async fn a_process_whose_name_another_one_takes_at_the_same_moment_gets_the_next_one() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    let tx = one.inner.writer.begin(WriteLock::Own).await.unwrap();
    let taking = "INSERT INTO process (home, owner, host, directory, version, capacity, is_frozen, name, \
                  started_at, expires_at) VALUES ('third', 'third', 'here', '/', '1', 1, FALSE, 'here', \
                  clock_timestamp(), clock_timestamp())";
    tx.execute_unprepared(taking).await.unwrap();
    let mut stepping = Box::pin(step(&other));
    until_it_waits(&one, &mut stepping).await;
    tx.commit().await.unwrap();
    stepping.await;
    let processes = other.processes().await.unwrap();
    let here = processes.iter().find(|process| process.is_here).unwrap();
    assert_eq!(&*here.name, "here-2");
}

#[tokio::test]
async fn what_a_frozen_process_holds_stays_with_its_home_over_its_end() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    create_running(&one, 2).await;
    let other = opened(&books, "other").await;
    step(&other).await;
    assert_eq!(step_with(&one, frozen()).await.surplus, 0);
    one.close().await;
    expire(&other).await;
    assert_eq!(step(&other).await.taken, []);
    other.close().await;
    let third = opened(&books, "third").await;
    assert_eq!(names(&third).await, [] as [&str; 0]);
    // One that ends before it has said anything of itself.
    let brief = opened(&books, "one").await;
    assert_eq!(names(&brief).await, ["m1", "m2"]);
    drop(brief);
    expire(&third).await;
    assert_eq!(step(&third).await.taken, []);
    let again = opened(&books, "one").await;
    assert_eq!(names(&again).await, ["m1", "m2"]);
    step(&again).await;
    step(&third).await;
    assert_eq!(step(&again).await.surplus, 1, "it is thawed");
}

#[tokio::test]
async fn what_a_frozen_process_held_returns_to_its_home_or_is_given_free_by_an_order() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    create_running(&one, 2).await;
    step_with(&one, frozen()).await;
    let other = opened(&books, "other").await;
    step(&other).await;
    // It ends without a word, and nobody can know that it has ended.
    let again = opened(&books, "one").await;
    assert_eq!(step_with(&again, frozen()).await.taken, []);
    expire(&again).await;
    assert_eq!(step(&other).await.taken, []);
    let back = step_with(&again, frozen()).await;
    assert_eq!(taken(&back), ["m1", "m2"]);
    again.close().await;
    expire(&other).await;
    assert_eq!(step(&other).await.taken, []);
    // Its home is lost: whoever knows that gives them to the others.
    let owner = &again.inner.tenant.as_ref().unwrap().owner;
    let asked = format!("SELECT name FROM process WHERE owner = '{owner}'");
    let asked = sea_orm::Statement::from_string(sea_orm::DbBackend::Postgres, asked);
    let row = other.inner.readers.query_one_raw(asked).await.unwrap();
    let name: String = row.unwrap().try_get_by_index(0).unwrap();
    let fleet = other.fleet(facts()).unwrap();
    assert!(fleet.drain(name.as_str().into(), true).await.unwrap());
    let held = step(&other).await;
    assert_eq!(taken(&held), ["m1", "m2"]);
}

#[tokio::test]
async fn a_late_write_of_an_earlier_life_is_refused_when_its_process_has_the_mysis_again() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    create_running(&one, 1).await;
    let mysis = MysisId(1);
    let by = |incarnation, writes| Batch {
        author: Author::Mysis(mysis, Incarnation(incarnation)),
        writes,
    };
    let fence = |number| Write::Fence {
        mysis,
        incarnation: Incarnation(number),
    };
    let called = || vec![Write::Called { mysis }];
    one.commit(vec![by(1, vec![fence(1)])])
        .await
        .remove(0)
        .unwrap();
    step(&one).await;
    step(&other).await;
    expire(&one).await;
    assert_eq!(taken(&step(&other).await), ["m1"]);
    other
        .commit(vec![by(2, vec![fence(2)])])
        .await
        .remove(0)
        .unwrap();
    assert_eq!(step(&one).await.lost, [mysis]);
    // It died and lived again here meanwhile, which never was stored.
    one.shut_out(mysis, Incarnation(4));
    expire(&one).await;
    // As long as its earlier life is not let go, it is not taken again.
    assert_eq!(step(&one).await.taken, []);
    expire(&one).await;
    let step = step_with(&one, let_go([1])).await;
    assert_eq!(taken(&step), ["m1"]);
    let newest = step.taken[0].incarnation;
    assert_eq!(newest, Incarnation(3), "the next one is nobody's");
    for late in 1..=newest.0 {
        // The second one is that of the other process, too.
        for writes in [called(), vec![fence(late)]] {
            let late = one.commit(vec![by(late, writes)]).await.remove(0);
            assert_eq!(late, Err(LedgerFault::Fenced));
        }
    }
    one.commit(vec![by(4, vec![fence(4)])])
        .await
        .remove(0)
        .unwrap();
    one.commit(vec![by(4, called())]).await.remove(0).unwrap();
}

#[tokio::test]
async fn the_newest_life_that_is_stored_is_over_where_its_mysis_is_taken() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    create_running(&one, 1).await;
    let mysis = MysisId(1);
    let writes = |number| Batch {
        author: Author::Mysis(mysis, Incarnation(number)),
        writes: vec![Write::Called { mysis }],
    };
    let fence = Write::Fence {
        mysis,
        incarnation: Incarnation(1),
    };
    let begun = Batch {
        writes: vec![fence],
        ..writes(1)
    };
    one.commit(vec![begun]).await.remove(0).unwrap();
    step(&one).await;
    step(&other).await;
    // The other process takes it, and is gone before it has written anything of it.
    expire(&one).await;
    assert_eq!(taken(&step(&other).await), ["m1"]);
    assert_eq!(step(&one).await.lost, [mysis]);
    expire(&other).await;
    expire(&one).await;
    assert_eq!(taken(&step_with(&one, let_go([1])).await), ["m1"]);
    let late = one.commit(vec![writes(1)]).await.remove(0);
    assert_eq!(late, Err(LedgerFault::Fenced));
    one.commit(vec![writes(2)]).await.remove(0).unwrap();
}

#[tokio::test]
async fn a_drained_process_gives_back_all_and_takes_nothing() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    create_running(&one, 4).await;
    step(&one).await;
    step(&other).await;
    let drain = "UPDATE process SET is_draining = TRUE WHERE home = 'one'";
    one.inner.writer.execute_unprepared(drain).await.unwrap();
    let drained = step(&one).await;
    assert_eq!((drained.surplus, drained.is_draining), (4, true));
    step_with(&one, let_go(1..=4)).await;
    assert_eq!(step(&one).await.taken, []);
    assert_eq!(step(&other).await.taken.len(), 4);
}

#[tokio::test]
async fn a_process_of_an_older_version_is_named_by_its_host_and_drained_by_that_name() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    create_running(&one, 2).await;
    step(&one).await;
    step(&other).await;
    let older = "UPDATE process SET name = NULL WHERE home = 'one'";
    one.inner.writer.execute_unprepared(older).await.unwrap();
    let listed = other.inner.processes().await.unwrap();
    assert!(
        listed
            .iter()
            .any(|process| &*process.name == "here (older)"),
        "{listed:?}"
    );
    let status_with = neighbours_of(&other, FleetReport::default())
        .await
        .processes;
    assert!(
        status_with
            .iter()
            .any(|process| &*process.name == "here (older)")
    );
    let tenant = other.inner.tenant.as_ref().unwrap();
    let drained = tenant.drain("here (older)", true).await;
    assert!(drained.unwrap());
    assert!(step(&one).await.is_draining);
}

#[tokio::test]
async fn the_mission_and_the_passwords_of_what_is_taken_come_with_it() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    create_running(&one, 1).await;
    let account = GameAccount {
        username: "captain".into(),
        password: "open-sesame".into(),
    };
    let saved = Write::SaveAccount {
        mysis: MysisId(1),
        account,
        at: Timestamp(1),
    };
    let mission = Mission {
        id: MissionId(3),
        text: "mine".into(),
        at: Timestamp(5),
    };
    write(&one, vec![saved, Write::Mission(mission.clone())])
        .await
        .unwrap();
    let other = opened(&books, "other").await;
    step(&other).await;
    one.close().await;
    let found = step(&other).await;
    assert_eq!(found.mission, Some(mission));
    assert_eq!(found.passwords, [Arc::from("open-sesame")]);
    assert_eq!(found.taken[0].account.as_deref(), Some("captain"));
    write(&other, vec![Write::Called { mysis: MysisId(1) }])
        .await
        .unwrap();
}

#[tokio::test]
async fn a_file_and_a_command_are_of_no_fleet() {
    let file = Books::file();
    assert!(file.open().await.fleet(facts()).is_none());
    let Some(Books::Server(address)) = Books::server() else {
        return;
    };
    let command = SqlLedger::open_server(&address, "home".into(), ProcessKind::Command).await;
    assert!(command.unwrap().fleet(facts()).is_none());
}

/// A status for the other processes.
pub(super) fn status_with(id: i64, name: &str, words: &str) -> Arc<MysisStatus> {
    let record = MysisRecord::new(MysisId(id), MysisProfile::of(name, "local"), Timestamp(1));
    let rules = actors::domain::rules::SwarmRules::default();
    let first = MysisStatus::from_record(&record, &rules, Timestamp(2));
    Arc::new(MysisStatus {
        last_words: words.into(),
        ..first
    })
}

async fn neighbours_of(ledger: &SqlLedger, report: FleetReport) -> FleetNeighbours {
    let found = step_with(ledger, report).await.neighbours;
    *found.expect("there are other processes")
}

/// The words that other processes tell, by name.
fn words(found: &FleetNeighbours) -> Vec<String> {
    let statuses = found.statuses.iter().map(|of| &of.status);
    statuses
        .map(|of| format!("{}: {}", of.name, of.last_words))
        .collect()
}

#[tokio::test]
async fn each_process_reads_what_the_others_tell_and_only_what_is_new() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    create_running(&one, 3).await;
    let report_of = |statuses: Vec<Arc<MysisStatus>>| FleetReport {
        statuses,
        ..FleetReport::default()
    };
    let alone = step_with(&one, report_of(vec![status_with(1, "m1", "x")])).await;
    assert_eq!(alone.neighbours, None, "nobody else wants to know");
    let other = opened(&books, "other").await;
    step(&other).await;
    let statuses = vec![
        status_with(1, "m1", "ore\0"),
        status_with(2, "m2", "gas"),
        status_with(9, "m9", "not mine"),
    ];
    let signs = neighbours_of(&one, report_of(statuses)).await.processes;
    let names: Vec<&str> = signs.iter().map(|sign| &*sign.name).collect();
    assert_eq!(names, ["here-2", "here"], "each has a name of its own");
    assert!(signs.iter().all(|sign| sign.is_alive));
    assert!(!signs[0].is_here && signs[1].is_here);

    let found = neighbours_of(&other, FleetReport::default()).await;
    assert_eq!(words(&found), ["m1: ore\0", "m2: gas"]);
    let unshared: Vec<&str> = found.unshared.iter().map(|of| &*of.profile.name).collect();
    assert_eq!(unshared, ["m3"], "nobody told of it");
    assert_eq!(found.places.as_ref().map(Vec::len), Some(3));
    let knows = FleetReport {
        read_to: found.read_to,
        known: 3,
        ..FleetReport::default()
    };
    let found = neighbours_of(&other, knows.clone()).await;
    assert_eq!(
        (words(&found), found.places),
        (vec![], None),
        "nothing is new"
    );
    neighbours_of(&one, report_of(vec![status_with(2, "m2", "ice")])).await;
    let found = neighbours_of(&other, knows.clone()).await;
    assert_eq!(words(&found), ["m2: ice"]);
    assert!(
        neighbours_of(&one, FleetReport::default())
            .await
            .statuses
            .is_empty()
    );

    // A Mysis that is deleted is missed at once, and a process that ends is told.
    write(&one, vec![Write::Delete { mysis: MysisId(3) }])
        .await
        .unwrap();
    let found = neighbours_of(&other, knows).await;
    assert_eq!(found.places.map(|places| places.len()), Some(2));
    one.close().await;
    let signs = neighbours_of(&other, FleetReport::default())
        .await
        .processes;
    assert_eq!(signs.iter().filter(|sign| sign.is_alive).count(), 1);
}

#[tokio::test]
async fn a_process_that_lives_is_seen_however_many_began_and_ended_since() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    step(&one).await;
    step(&other).await;
    let ended = "INSERT INTO process (home, owner, host, directory, version, capacity, is_frozen, name, \
                 started_at, expires_at) SELECT 'third', 'third ' || n, 'there', '/', '1', 1, FALSE, \
                 'there ' || n, clock_timestamp() + interval '1 hour', clock_timestamp() \
                 FROM generate_series(1, 500) AS n";
    one.inner.writer.execute_unprepared(ended).await.unwrap();
    let signs = neighbours_of(&one, FleetReport::default()).await.processes;
    assert_eq!(signs.iter().filter(|sign| sign.is_alive).count(), 2);
}

#[tokio::test]
async fn an_order_is_read_by_the_process_of_its_mysis_until_it_is_done() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    create_running(&one, 2).await;
    step(&one).await;
    let order = |id: i64, mysis: i64| {
        Arc::new(FleetOrder {
            id: FleetOrderId(id),
            mysis: MysisId(mysis),
            source: Some(OrderSource::Terminal),
            content: "\"\\u0000\"".into(),
        })
    };
    let given = FleetReport {
        given: vec![order(20, 1), order(10, 1), order(30, 2), order(40, 9)],
        ..FleetReport::default()
    };
    // Giving it again changes nothing.
    step_with(&other, given.clone()).await;
    let found = step_with(&other, given).await.orders;
    assert_eq!(found.open, [], "they are for another process");
    let ids =
        |orders: &FleetOrders| -> Vec<i64> { orders.open.iter().map(|order| order.id.0).collect() };
    let found = step(&one).await.orders;
    assert_eq!(
        ids(&found),
        [20, 10, 30],
        "in the order in which they were given"
    );
    assert_eq!(found.open[0], *order(20, 1));

    // Done with what its Mysis wrote, answered later; a refusal is done with its answer.
    let done = Write::OrderDone {
        mysis: MysisId(1),
        order: FleetOrderId(20),
    };
    write(&one, vec![done]).await.unwrap();
    assert_eq!(ids(&step(&one).await.orders), [10, 30]);
    let awaits = FleetReport {
        awaited: [20, 10, 30, 40].map(FleetOrderId).into(),
        ..FleetReport::default()
    };
    let known = step_with(&other, awaits.clone()).await.orders.outcomes;
    let missing = OrderOutcome::Missing(FleetOrderId(40));
    let only = std::slice::from_ref(&missing);
    assert_eq!(known, only, "its mysis is not there");
    let answers = |answers: &[(i64, &str)]| FleetReport {
        answers: answers
            .iter()
            .map(|(id, text)| (FleetOrderId(*id), Arc::from(*text)))
            .collect(),
        ..FleetReport::default()
    };
    // Who does not hold the lease refuses nothing.
    step_with(&other, answers(&[(10, "not mine")])).await;
    step_with(&one, answers(&[(20, "stored"), (10, "refused")])).await;
    step_with(&one, answers(&[(20, "again")])).await;
    assert_eq!(ids(&step(&one).await.orders), [30]);
    let known = step_with(&other, awaits).await.orders.outcomes;
    let answered = |id, text: &str| OrderOutcome::Answered(FleetOrderId(id), text.into());
    assert_eq!(
        known,
        [answered(20, "stored"), answered(10, "refused"), missing]
    );

    // Whoever takes the Mysis takes what is not done.
    one.close().await;
    assert_eq!(taken(&step(&other).await), ["m1", "m2"]);
    assert_eq!(ids(&step(&other).await.orders), [30]);
    let settled = FleetReport {
        settled: [20, 10].map(FleetOrderId).into(),
        ..FleetReport::default()
    };
    step_with(&other, settled).await;
    let left = "SELECT id FROM fleet_order";
    let left = other
        .inner
        .writer
        .query_all_raw(sea_orm::Statement::from_string(
            sea_orm::DbBackend::Postgres,
            left.to_string(),
        ));
    assert_eq!(left.await.unwrap().len(), 1);
}
