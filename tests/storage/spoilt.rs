//! Homes that an earlier build damaged by storing absurd figures: every command works, and these figures
//! count as nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use zoea_rig::Home;
use zoea_rig::sqlite;

/// The database of 42a53f2 with two answers of 2^63-1 and 2^64-1 tokens.
fn spoilt() -> Home {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
    home.ok(&["mysis", "create", "alpha"]);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time");
    let now = i64::try_from(now.as_millis()).expect("a moment");
    let usage = |tokens: &str| {
        format!(
            r#"{{"ms":5,"model":"m","provider":"pilot","usage":{{"cached":0,"input":{tokens},"output":3}}}}"#
        )
    };
    let row = |seq: i64, tokens: &str| {
        format!(
            "INSERT INTO message (mysis_id, seq, at, turn, kind, content, metadata, horizon) \
             SELECT id, {seq}, {now}, 1, 'reply', 'all well', '{}', 0 FROM mysis;",
            usage(tokens)
        )
    };
    let day = now / 86_400_000;
    let statements = format!(
        "{}{}{}\
         INSERT INTO spending SELECT {day}, id, 'pilot', 3, 1.8446744073709552e19, 9, 0, 0 FROM mysis;\
         UPDATE mysis SET turns = 3, tokens_in = 9223372036854775807, tokens_out = 9;",
        row(1, "9223372036854775807"),
        row(2, "18446744073709551615"),
        row(3, "40"),
    );
    sqlite::execute(&home.file("zoea.db"), &statements);
    home
}

#[test]
fn a_spoilt_home_works_with_every_command() {
    let home = spoilt();
    let (_, said) = home.fails(&["db", "check"]);
    assert!(said.contains("1 of 8 checks failed"), "{said}");
    let copy = home.path().with_file_name("copy.db");
    let copy = copy.to_str().expect("letters");
    for arguments in [
        &["status"][..],
        &["books"],
        &["log", "alpha"],
        &["export"],
        &["mysis", "list"],
        &["run", "--headless", "--for", "100ms"],
        &["db", "backup", copy],
        &["db", "restore", copy],
        &["status"],
    ] {
        home.ok(arguments);
    }
    let books = home.json(&["books", "--json"]);
    assert_eq!(books[0]["tokens_in"], 0, "{books}");
    assert_eq!(
        (&books[0]["calls"], &books[0]["tokens_out"]),
        (&3.into(), &9.into())
    );
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["tokens_in"], &alpha["turns"]),
        (&0.into(), &3.into())
    );
}
