//! Databases of every earlier version are migrated in place, after a copy is made.

use std::path::{Path, PathBuf};
use std::time::Instant;

use migration::{Migrator, MigratorTrait};

use zoea_rig::sqlite;
use zoea_rig::{Home, Process, lines};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/storage/fixtures")
        .join(name)
}

/// The schema version that this program writes.
fn newest() -> usize {
    Migrator::migrations().len()
}

/// A home with a database of the first schema.
fn old_home() -> Home {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    std::fs::copy(fixture("first-flight.db"), home.file("zoea.db")).expect("the fixture");
    home
}

#[test]
fn a_database_of_version_1_keeps_every_row_and_a_copy_is_named() {
    let home = old_home();
    let output = home.run(&["mysis", "list", "--json"]);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{notes}");
    let copy = home.file("zoea.db.version-1");
    let expected = format!(
        "note: the database was brought from version 1 to version {}; a copy as it was is kept in {}\n",
        newest(),
        copy.display()
    );
    assert_eq!(notes, expected);
    assert_eq!(
        sqlite::all_texts(&copy),
        sqlite::all_texts(&fixture("first-flight.db"))
    );
    for name in ["alpha", "beta"] {
        let listed = std::fs::read_to_string(fixture(&format!("first-flight.{name}.jsonl")));
        assert_eq!(
            home.lines(&["log", name, "--limit", "0", "--json"]),
            lines(&listed.expect("what version 1 told"))
        );
    }
    let books = home.json(&["books", "--days", "0", "--json"]);
    for name in ["alpha", "beta"] {
        let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
        let inputs = rows
            .iter()
            .filter_map(|row| row["metadata"]["usage"]["input"].as_u64());
        let lines = books.as_array().expect("a list").iter();
        let booked = lines.filter(|line| line["mysis"] == name);
        let booked = booked.filter_map(|line| line["tokens_in"].as_u64());
        assert_eq!(booked.sum::<u64>(), inputs.sum::<u64>(), "{name}");
    }
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["state"], &alpha["account"]),
        (&"errored".into(), &"alpha".into())
    );
    let found = home.lines(&["search", "never sell the ship: 100%", "--json"]);
    assert_eq!(found.len(), 1);
    let again = home.run(&["mysis", "list"]);
    assert!(again.stderr.is_empty(), "it is reported once");
    assert!(!home.file("zoea.db.version-1.2").exists());
    assert_eq!(
        sqlite::column(&home.file("zoea.db"), "PRAGMA integrity_check"),
        ["ok"]
    );
}

/// Homes after a kill in the middle of a run: rows of each kind, a mission, books, calls of unknown outcome; the
/// later one with events, samples, a routine and an account in the pool, too.
const HOMES: [&str; 2] = ["home-of-42a53f2.db", "home-of-b2ee1945.db"];

/// A home with the database of such a fixture.
fn home_of(name: &str) -> Home {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    std::fs::copy(fixture(name), home.file("zoea.db")).expect("the fixture");
    home
}

#[test]
fn the_databases_of_earlier_builds_are_read_whole() {
    for name in HOMES {
        let (home, old) = (home_of(name), fixture(name));
        for name in ["alpha", "beta"] {
            let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
            let listed = rows.iter().map(|row| row["content"].as_str().unwrap_or(""));
            let query = format!(
                "SELECT COALESCE(mission.content, message.content) FROM message \
                 JOIN mysis ON mysis.id = message.mysis_id \
                 LEFT JOIN mission ON mission.id = message.mission_id \
                 WHERE mysis.name = '{name}' ORDER BY seq"
            );
            let stored = sqlite::column(&old, &query);
            assert!(stored.len() > 20, "{name}: {}", stored.len());
            let listed = listed.take(stored.len()).collect::<Vec<_>>();
            assert_eq!(listed, stored, "{name}");
            assert_eq!(home.mysis(name)["account"], name);
        }
        let mission = sqlite::column(
            &old,
            "SELECT content FROM mission ORDER BY number DESC LIMIT 1",
        );
        assert_eq!(home.ok(&["mission", "show"]), format!("{}\n", mission[0]));
        let booked: u64 = sqlite::column(&old, "SELECT SUM(input) || '' FROM spending")[0]
            .parse()
            .expect("a sum");
        let books = home.json(&["books", "--days", "0", "--json"]);
        let lines = books.as_array().expect("a list").iter();
        let tokens = lines.filter_map(|line| line["tokens_in"].as_u64());
        assert_eq!(tokens.sum::<u64>(), booked);
        let checked = home.ok(&["db", "check"]);
        assert!(!checked.contains("failed"), "{checked}");
    }
    let (home, old) = (home_of(HOMES[1]), fixture(HOMES[1]));
    let texts = |events: Vec<serde_json::Value>| -> Vec<String> {
        let texts = events
            .iter()
            .map(|event| event["text"].as_str().unwrap_or("").to_string());
        texts.collect()
    };
    let events = texts(home.lines(&["events", "--limit", "0", "--json"]));
    let stored = sqlite::column(&old, "SELECT text FROM event ORDER BY number");
    assert_eq!(events[..stored.len()], stored);
    let accounts = home.json(&["accounts", "list", "--json"]);
    let quill = accounts.as_array().expect("a list").iter();
    assert!(
        quill.clone().any(|account| account["username"] == "quill"),
        "{accounts}"
    );
    let routine = home.ok(&["routine", "show", "alpha", "berth"]);
    assert!(routine.contains("undock"), "{routine}");
    let packed = "SELECT hex(packed) FROM sample ORDER BY mysis_id, hour";
    assert_eq!(
        sqlite::column(&home.file("zoea.db"), packed),
        sqlite::column(&old, packed)
    );
}

#[test]
fn what_builds_of_before_wrote_in_another_form_is_written_anew() {
    let home = home_of(HOMES[1]);
    let database = home.file("zoea.db");
    let run = r#"{"goods":[["iron_ore",3]],"calls":1}"#;
    sqlite::execute(
        &database,
        &format!(
            "UPDATE mysis SET working_set = '{}'; INSERT INTO watch SELECT id, '{}' FROM mysis; \
             UPDATE routine SET memo = '{}'; UPDATE message SET horizon = NULL WHERE kind IN ('reply', 'call'); \
             UPDATE message SET metadata = json_set(metadata, '$.bytes', 5) WHERE kind = 'result' AND seq > 7; \
             UPDATE message SET metadata = '{{' WHERE kind = 'result' AND seq < 7; PRAGMA journal_mode = DELETE",
            r#"{"craft":{"turn":7,"offered":true},"tow":{"turn":9,"offered":false},"odd":7}"#,
            r#"{"since":50,"taken":[3,60],"missions":7,"ship":8}"#,
            format_args!(r#"{{"run":{run},"paused":{run},"known":[]}}"#),
        ),
    );
    let odd = "SELECT count(*) || '' FROM message WHERE metadata = '{'";
    let odd_before = sqlite::column(&database, odd);
    home.ok(&["mysis", "list"]);
    let of = |query: &str| sqlite::column(&database, query);
    assert_eq!(
        of("SELECT DISTINCT working_set FROM mysis"),
        [r#"["craft"]"#]
    );
    let watch = r#"{"since":50,"taken":[3,60],"missions":[7],"ship":[8],"at":60}"#;
    assert_eq!(of("SELECT DISTINCT memo FROM watch"), [watch]);
    let run = r#"{"calls":1,"due":[["iron_ore",3]]}"#;
    let routine = format!(r#"{{"run":{run},"paused":{run},"known":[]}}"#);
    assert_eq!(of("SELECT DISTINCT memo FROM routine"), [routine]);
    let unseen =
        "SELECT count(*) || '' FROM message WHERE kind IN ('reply', 'call') AND horizon IS NOT seq";
    assert_eq!(of(unseen), ["0"]);
    assert_eq!(
        of("SELECT count(*) || '' FROM message WHERE metadata LIKE '%\"bytes\"%'"),
        ["0"]
    );
    assert_eq!(of(odd), odd_before, "what is no JSON stays as it is");
}

#[test]
fn a_program_that_is_killed_while_it_brings_a_database_up_to_date_loses_nothing() {
    let all = |home: &Home| {
        let listed = [
            &["log", "alpha", "--limit", "0", "--json"][..],
            &["log", "beta", "--limit", "0", "--json"],
            &["events", "--limit", "0", "--json"],
            &["books", "--days", "0", "--json"],
            &["accounts", "list", "--json"],
        ];
        listed.map(|command| home.ok(command))
    };
    for name in HOMES {
        let undisturbed = home_of(name);
        let begun = Instant::now();
        undisturbed.ok(&["mysis", "list"]);
        let (step, expected) = (begun.elapsed() / 12, all(&undisturbed));
        for part in 0..12 {
            let home = home_of(name);
            let mut opening = Process::spawn(home.command(&["mysis", "list"]));
            let killed = Instant::now() + step * part;
            while Instant::now() < killed && !opening.has_ended() {
                std::thread::yield_now();
            }
            // Its end is a kill.
            drop(opening);
            assert_eq!(
                all(&home),
                expected,
                "{name}, killed after {:?}",
                step * part
            );
        }
    }
}

#[test]
fn a_step_that_breaks_off_has_not_happened() {
    let home = old_home();
    let database = home.file("zoea.db");
    let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    sqlite::execute(&database, "CREATE TABLE indexed (x)");
    let before = sqlite::column(&database, schema);
    let (status, error) = home.fails(&["mysis", "list"]);
    assert_eq!(status, 1);
    assert!(error.contains("indexed"), "{error}");
    assert_eq!(sqlite::column(&database, schema), before);
    assert_eq!(
        sqlite::column(&database, "SELECT version FROM seaql_migrations").len(),
        1
    );
    sqlite::execute(&database, "DROP TABLE indexed");
    home.ok(&["mysis", "list"]);
    assert_eq!(
        home.lines(&["log", "alpha", "--limit", "0", "--json"])
            .len(),
        25
    );
    assert!(
        home.file("zoea.db.version-1.2").exists(),
        "no copy is written over"
    );
}

#[test]
fn a_newer_database_and_another_programs_are_refused_and_left_alone() {
    let home = old_home();
    home.ok(&["mysis", "list"]);
    let database = home.file("zoea.db");
    sqlite::execute(
        &database,
        "INSERT INTO seaql_migrations VALUES ('m2999_000001_future', 1); \
         PRAGMA journal_mode = DELETE;",
    );
    let before = std::fs::read(&database).expect("the database");
    let (_, error) = home.fails(&["mysis", "list"]);
    assert!(
        error.contains("written by a newer version of zoea"),
        "{error}"
    );
    assert!(error.contains("--home"), "{error}");
    assert_eq!(
        sqlite::column(&database, "SELECT COUNT(*) || '' FROM seaql_migrations"),
        [(newest() + 1).to_string()]
    );
    assert_eq!(
        before.len(),
        std::fs::read(&database).expect("the database").len()
    );

    let other = Home::new();
    other.configure("http://127.0.0.1:9/v1", "", "");
    sqlite::execute(&other.file("zoea.db"), "CREATE TABLE memories (id)");
    let (_, error) = other.fails(&["mysis", "list"]);
    assert!(error.contains("zoea import"), "{error}");
    let tables = "SELECT name FROM sqlite_schema ORDER BY name";
    assert_eq!(sqlite::column(&other.file("zoea.db"), tables), ["memories"]);
}

#[test]
fn from_every_earlier_version_the_schema_becomes_that_of_a_new_database() {
    let schema = "SELECT name || ' ' || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let fresh = Home::new();
    fresh.configure("http://127.0.0.1:9/v1", "", "");
    fresh.ok(&["mysis", "list"]);
    let expected = sqlite::column(&fresh.file("zoea.db"), schema);
    for version in 1..newest() {
        let home = Home::new();
        home.configure("http://127.0.0.1:9/v1", "", "");
        sqlite::migrate(
            &home.file("zoea.db"),
            u32::try_from(version).expect("a version"),
        );
        home.ok(&["mysis", "list"]);
        assert_eq!(
            sqlite::column(&home.file("zoea.db"), schema),
            expected,
            "from {version}"
        );
        assert!(home.file(&format!("zoea.db.version-{version}")).exists());
    }
}
