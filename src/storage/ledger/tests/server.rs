//! Properties of a server's database only.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actors::domain::record::PoolAccount;
use sea_orm::{DbBackend, Statement};

use super::golden::texts;
use super::leases::{opened, prompt};
use super::*;
use crate::connection::READ_CONNECTIONS;
use crate::write_lock::WriteLock;

/// The address of a test's own database with a role of few rights.
fn guarded(more: &str) -> Option<(String, ServerAddress)> {
    let url = zoea_rig::postgres::database()?;
    let name = url.rsplit_once('/')?.1.to_string();
    let role = format!("role_{name}");
    zoea_rig::postgres::execute(&url, &format!("CREATE ROLE {role} LOGIN;{more}"));
    let address = url.replace("zoea:", &format!("{role}:"));
    Some((url, ServerAddress::parse(&address).unwrap()))
}

async fn refusal(address: &ServerAddress) -> String {
    SqlLedger::open_server(address, "home".into(), ProcessKind::Resident)
        .await
        .err()
        .unwrap()
        .to_string()
}

#[test]
fn an_address_shows_no_password() {
    let url = "postgres://quill:open%20sesame@example.org:5433/books?sslmode=require";
    let address = ServerAddress::parse(url).unwrap();
    assert_eq!(
        address.to_string(),
        "postgres://quill@example.org:5433/books"
    );
    let shown = format!("{address:?}");
    assert!(!shown.contains("sesame"), "{shown}");
    for wrong in [
        "postgres://quill:sesame@h:port/d",
        "postgres://q:sesame@h/d?sslmode=x",
    ] {
        let refused = ServerAddress::parse(wrong).unwrap_err().to_string();
        assert!(!refused.contains("sesame"), "{refused}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_and_a_database_that_is_not_there_are_told() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let url = format!("postgres://quill:sesame@127.0.0.1:{port}/books");
    let refused = refusal(&ServerAddress::parse(&url).unwrap()).await;
    assert!(refused.contains("refused"), "{refused}");
    assert!(refused.contains("store.database_url"), "{refused}");
    assert!(!refused.contains("sesame"), "{refused}");
    let Some(url) = zoea_rig::postgres::database() else {
        return;
    };
    let refused = refusal(&ServerAddress::parse(&format!("{url}_not")).unwrap()).await;
    assert!(refused.contains("does not exist"), "{refused}");
    assert!(!refused.contains("sesame"), "{refused}");
}

#[tokio::test]
async fn a_wrong_password_is_told_and_not_shown() {
    let Some(url) = zoea_rig::postgres::database() else {
        return;
    };
    zoea_rig::postgres::execute(
        &url,
        "DROP ROLE IF EXISTS guarded;CREATE ROLE guarded LOGIN PASSWORD 'right-one'",
    );
    let address = url.replace("zoea:", "guarded:");
    let refused = refusal(&ServerAddress::parse(&address).unwrap()).await;
    assert!(
        refused.contains("password authentication failed"),
        "{refused}"
    );
    assert!(!refused.contains("sesame"), "{refused}");
}

#[tokio::test]
async fn a_missing_right_to_create_the_extension_is_told_with_the_remedy() {
    let Some((url, address)) = guarded("GRANT ALL ON SCHEMA public TO PUBLIC") else {
        return;
    };
    let refused = refusal(&address).await;
    assert!(refused.contains("CREATE EXTENSION pg_trgm"), "{refused}");
    zoea_rig::postgres::execute(
        &url,
        "CREATE SCHEMA kept;GRANT USAGE ON SCHEMA kept TO PUBLIC;CREATE EXTENSION pg_trgm SCHEMA kept",
    );
    let ledger = SqlLedger::open_server(&address, "home".into(), ProcessKind::Resident)
        .await
        .unwrap();
    ledger.close().await;
    assert_eq!(
        zoea_rig::postgres::column(&url, "SELECT upto::text FROM indexed"),
        ["0"]
    );
}

#[tokio::test]
async fn another_programs_database_and_other_letters_are_refused() {
    let Some(url) = zoea_rig::postgres::database() else {
        return;
    };
    zoea_rig::postgres::execute(&url, "CREATE TABLE invoice (id INT)");
    let refused = refusal(&ServerAddress::parse(&url).unwrap()).await;
    assert!(refused.contains("`invoice`"), "{refused}");
    assert!(refused.contains("store.database_url"), "{refused}");
    zoea_rig::postgres::execute(
        &url,
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'",
    );
    let (server, _) = url.rsplit_once('/').unwrap();
    let refused = refusal(&ServerAddress::parse(&format!("{server}/latin")).unwrap()).await;
    assert!(refused.contains("LATIN1"), "{refused}");
}

#[tokio::test]
async fn a_connection_is_encrypted_where_the_server_can() {
    let Some(url) = zoea_rig::postgres::database() else {
        return;
    };
    if zoea_rig::postgres::column(&url, "SHOW ssl") != ["on"] {
        return;
    }
    let address = ServerAddress::parse(&format!("{url}?sslmode=require")).unwrap();
    let ledger = SqlLedger::open_server(&address, "home".into(), ProcessKind::Resident)
        .await
        .unwrap();
    let encrypted = "SELECT count(*)::text FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                     WHERE ssl AND datname = current_database() AND application_name = 'zoea'";
    assert_ne!(zoea_rig::postgres::column(&url, encrypted), ["0"]);
    ledger.close().await;
    let address = ServerAddress::parse(&format!("{url}?sslmode=verify-full")).unwrap();
    let refused = refusal(&address).await;
    assert!(refused.contains("certificate"), "{refused}");
}

#[tokio::test]
async fn a_letter_that_a_server_cannot_keep_is_replaced() {
    let Some(books) = Books::server() else {
        return;
    };
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    append_texts(&ledger, 1, ["nul\0byte".to_string()].into_iter()).await;
    let rows = ledger.load_history(ALPHA).await.unwrap().rows;
    assert_eq!(&**rows[0].text(), "nul\u{fffd}byte");
    let asked = ResultQuery {
        mysis: ALPHA,
        call_id: "no\0where".to_string(),
        offset: 0,
        limit: 10,
    };
    assert_eq!(ledger.result_of(asked).await.unwrap(), None);
}

#[tokio::test]
async fn two_that_open_a_new_database_at_once_do_not_disturb_each_other() {
    let Some(books) = Books::server() else {
        return;
    };
    let address = books.address();
    let (one, other) = tokio::join!(
        SqlLedger::open_server(address, "one".into(), ProcessKind::Resident),
        SqlLedger::open_server(address, "other".into(), ProcessKind::Resident)
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    write(&one, vec![create(ALPHA, "alpha")]).await.unwrap();
    assert_eq!(other.swarm().await.unwrap().myses.len(), 0);
    assert_eq!(other.names_held_by_others().await.unwrap(), ["alpha"]);
    let taken = write(&other, vec![create(MysisId(8), "alpha")]).await;
    assert_eq!(taken, Err(LedgerFault::NameTaken));
}

#[tokio::test]
async fn maintenance_that_gets_no_answer_ends() {
    let Some(books) = Books::server() else {
        return;
    };
    let (one, other) = (opened(&books, "one").await, opened(&books, "other").await);
    let held = other.inner.begin(WriteLock::All).await.unwrap();
    let began = std::time::Instant::now();
    // From here on time passes as soon as all wait for the server.
    tokio::time::pause();
    one.inner.update_index().await;
    tokio::time::resume();
    assert!(began.elapsed() < Duration::from_secs(3));
    held.commit().await.unwrap();
}

#[tokio::test]
async fn a_server_that_was_away_is_used_again() {
    let Some(books) = Books::server() else {
        return;
    };
    let address = books.address();
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    let name = address.to_string();
    let name = name.rsplit_once('/').unwrap().1;
    let url = zoea_rig::postgres::database().unwrap();
    let cut = format!(
        "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE datname = '{name}'"
    );
    assert!(zoea_rig::postgres::column(&url, &cut).len() > 1);
    let cut_off = write(&ledger, vec![create(MysisId(8), "beta")]).await;
    assert!(
        matches!(cut_off, Ok(()) | Err(LedgerFault::Unavailable(_))),
        "{cut_off:?}"
    );
    write(&ledger, vec![create(MysisId(8), "beta")])
        .await
        .unwrap();
    assert_eq!(ledger.swarm().await.unwrap().myses.len(), 2);
}

/// A snapshot of a query with many characters that do not compress.
fn long_look(length: usize) -> SnapshotResult {
    let letters = (0..length).map(|place| char::from(b'!' + (place * place / 7 % 90) as u8));
    SnapshotResult {
        look: SnapshotQuery {
            tool: "get_map".into(),
            arguments: letters.collect::<String>().into(),
        },
        call: CallKey {
            seq: Seq(1),
            position: 0,
        },
        digest: "far".into(),
        tick: None,
        at: Timestamp(1),
        stale_by: None,
    }
}

#[tokio::test]
async fn what_is_too_long_to_be_looked_for_does_not_hold_the_books_up() {
    for books in Books::server().into_iter().chain([Books::file()]) {
        let ledger = books.open().await;
        write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
        for length in [1900, 20_000] {
            let saved_snapshots = Write::SaveSnapshot {
                mysis: ALPHA,
                account: "one".into(),
                snapshot: Box::new(long_look(length)),
            };
            write(&ledger, vec![saved_snapshots]).await.unwrap();
        }
        let account = GameAccount {
            username: long_look(20_000).look.arguments,
            password: "secret-secret".into(),
        };
        let pooled = Write::PoolAccount {
            account: PoolAccount {
                account,
                owner: None,
            },
            at: Timestamp(1),
        };
        let pooled = write(&ledger, vec![pooled]).await;
        let may_be = matches!(pooled, Ok(()) | Err(LedgerFault::Refused(_)));
        assert!(may_be, "{pooled:?}");
        assert!(
            !ledger
                .load_history(ALPHA)
                .await
                .unwrap()
                .snapshots
                .is_empty()
        );
    }
}

#[tokio::test]
async fn what_builds_of_before_wrote_in_another_form_is_written_anew() {
    let Some(books) = Books::server() else {
        return;
    };
    let (ledger, _) = filled(&books).await;
    let run = r#"{"goods":[["iron_ore",3]]}"#;
    for statement in [
        "DELETE FROM seaql_migrations WHERE version LIKE '%one_form'",
        r#"UPDATE mysis SET working_set = '{"craft":{"offered":true},"tow":{"offered":false},"odd":7}'"#,
        r#"INSERT INTO watch SELECT id, '{"since":50,"taken":[3,60],"missions":7,"ship":8}' FROM mysis"#,
        &format!(r#"INSERT INTO routine SELECT id, '{{"run":{run},"paused":{run}}}' FROM mysis"#),
        "UPDATE message SET horizon = NULL WHERE kind IN ('reply', 'call')",
        r#"UPDATE message SET metadata = (metadata::jsonb || '{"bytes":5}')::text WHERE kind = 'result'"#,
    ] {
        ledger
            .inner
            .writer
            .execute_unprepared(statement)
            .await
            .unwrap();
    }
    ledger.close().await;
    let ledger = books.open().await;
    let run = r#"{"due":[["iron_ore",3]]}"#;
    for (query, expected) in [
        ("SELECT working_set FROM mysis", r#"["craft"]"#),
        (
            "SELECT memo FROM watch",
            r#"{"since":50,"taken":[3,60],"missions":[7],"ship":[8],"at":60}"#,
        ),
        (
            "SELECT memo FROM routine",
            &format!(r#"{{"run":{run},"paused":{run}}}"#),
        ),
        (
            "SELECT json_agg(seq = horizon)::text FROM message WHERE kind IN ('reply', 'call')",
            "[true, true]",
        ),
        (
            "SELECT json_agg(metadata LIKE '%bytes%')::text FROM message WHERE kind = 'result'",
            "[false]",
        ),
    ] {
        let listed = texts(&ledger, query).await;
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&listed[0]), read(expected), "{query}");
    }
    ledger.close().await;
}

#[tokio::test]
async fn statements_that_get_no_answer_end_and_hold_nothing_up() {
    let Some(books) = Books::server() else {
        return;
    };
    let ledger = books.open().await;
    let writing = ledger.inner.begin(WriteLock::Own).await.unwrap();
    let reading = ledger.inner.readers.begin().await.unwrap();
    let asked = || Statement::from_string(DbBackend::Postgres, "SELECT pg_sleep(60)");
    let began = std::time::Instant::now();
    // From here on time passes as soon as all wait for the server.
    tokio::time::pause();
    let written = writing.query_one_raw(asked()).await;
    let read = reading.query_one_raw(asked()).await;
    for given_up in [written, read] {
        let why = given_up.err().unwrap().to_string();
        assert!(why.contains("no answer within 30s"), "{why}");
    }
    drop((writing, reading));
    ledger.close().await;
    tokio::time::resume();
    assert!(began.elapsed() < Duration::from_secs(20));
}

/// A proxy in front of the server of an address. While it is told to, each connection falls silent
/// after its next COMMIT is answered: nothing is carried any more, and nothing is closed.
fn silencing_proxy(address: &ServerAddress) -> (ServerAddress, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let shown = address.to_string();
    let place = shown.rsplit('@').next().unwrap();
    let (server, database) = place.split_once('/').unwrap();
    let (server, port) = (server.to_string(), listener.local_addr().unwrap().port());
    let url = format!("postgres://zoea:sesame@127.0.0.1:{port}/{database}?sslmode=disable");
    let silences = Arc::new(AtomicBool::new(false));
    let told = silences.clone();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut server = TcpStream::connect(&server).unwrap();
            let (mut answers, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut answers, &mut to));
            let told = told.clone();
            std::thread::spawn(move || {
                let (mut piece, mut is_silent) = ([0; 65536], false);
                while let Ok(read @ 1..) = client.read(&mut piece) {
                    let said = &piece[..read];
                    if !is_silent && server.write_all(said).is_err() {
                        return;
                    }
                    is_silent |= told.load(Ordering::SeqCst) && said.ends_with(b"COMMIT\0");
                }
            });
        }
    });
    (ServerAddress::parse(&url).unwrap(), silences)
}

#[tokio::test]
async fn a_connection_that_falls_silent_when_it_is_given_back_takes_no_place() {
    let Some(books) = Books::server() else {
        return;
    };
    let (address, silences) = silencing_proxy(books.address());
    let ledger = SqlLedger::open_server(&address, "home".into(), ProcessKind::Resident);
    let ledger = ledger.await.unwrap();
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    silences.store(true, Ordering::SeqCst);
    write(&ledger, vec![prompt(1)]).await.unwrap();
    for _ in 0..READ_CONNECTIONS {
        let read = ledger.load_history(ALPHA).await;
        read.unwrap();
        // From here on time passes as soon as all wait for the server.
        tokio::time::pause();
        // It may have got a connection that is silent.
        let _ = ledger.load_history(ALPHA).await;
        tokio::time::resume();
    }
    silences.store(false, Ordering::SeqCst);
    tokio::time::pause();
    // As above.
    let _ = write(&ledger, vec![prompt(2)]).await;
    let _ = ledger.load_history(ALPHA).await;
    tokio::time::resume();
    write(&ledger, vec![prompt(2)]).await.unwrap();
    assert_eq!(ledger.load_history(ALPHA).await.unwrap().last, Seq(2));
    ledger.close().await;
}

#[tokio::test]
async fn a_connection_that_the_server_closed_in_a_pause_costs_no_write() {
    let Some(books) = Books::server() else {
        return;
    };
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    let name = books.address().to_string();
    let name = name.rsplit_once('/').unwrap().1;
    let url = zoea_rig::postgres::database().unwrap();
    let cut = format!(
        "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE datname = '{name}'"
    );
    assert!(zoea_rig::postgres::column(&url, &cut).len() > 1);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    write(&ledger, vec![prompt(1)]).await.unwrap();
}
