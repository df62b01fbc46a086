//! The worst input that a model server, a game server and a client of the control interface can
//! send: none of it takes more than 64 MB beside the program's usual memory. The system's own
//! figures are measured.

mod game_server;
mod measured;
mod model_server;
mod server;

use std::fs;

use serde_json::{Value, json};

use zoea_rig::Home;

use game_server::{OF_CALLS, OF_LISTS};
use measured::Measured;
use model_server::OF_MODELS;
use server::{MB, list};

/// The number of rows in the long conversation, and the length of each: together more than any
/// input may take.
const ROWS: i64 = 160;
const ROW_BYTES: usize = 250 << 10;

/// Stores a Mysis with a long conversation in a home.
fn put_long_conversation(home: &Home) {
    let (id, at) = ("0000000000000007", "2026-03-11T18:42:07.042Z");
    let mysis = json!({"record": "mysis", "id": id, "name": "long", "provider": "pilot",
        "state": "idle", "turns": 0, "tokens_in": 0, "tokens_out": 0, "cost_micros": 0, "notes_after": 0, "created_at": at});
    let row = |seq: i64| {
        let text = "ore ".repeat(ROW_BYTES / 4);
        json!({"record": "row", "mysis_id": id, "seq": seq, "at": at, "turn": 0, "kind": "audit",
            "content": text, "metadata": {}})
    };
    let rows = (1..=ROWS).map(|seq| row(seq).to_string());
    let lines: Vec<String> = [mysis.to_string()].into_iter().chain(rows).collect();
    let file = home.file("long.jsonl");
    fs::write(&file, lines.join("\n")).expect("a file");
    home.ok(&["import", file.to_str().expect("text")]);
}

fn places(rows: &[Value]) -> Vec<i64> {
    let places = rows.iter().map(|row| row["seq"].as_i64().expect("a place"));
    places.collect()
}

#[test]
fn however_long_a_conversation_is_it_is_read_and_written_out_in_pieces() {
    let mut measured = Measured::start(put_long_conversation);
    let all: Vec<i64> = (1..=ROWS).collect();
    let page = |measured: &mut Measured, key: &str, from: i64| {
        let asked = json!({"name": "long", "limit": 0, key: from});
        places(&measured.rows(key, "read_log", &asked))
    };
    let whole = json!({"name": "long", "limit": 0});
    let newest = places(&measured.rows("a whole log", "read_log", &whole));
    assert!(newest.len() > 1 && newest.len() < all.len(), "{newest:?}");
    assert_eq!(newest.last(), Some(&ROWS));
    let mut backwards = newest;
    while backwards[0] > 1 {
        let mut older = page(&mut measured, "before_seq", backwards[0]);
        assert!(!older.is_empty());
        older.extend(backwards);
        backwards = older;
    }
    assert_eq!(backwards, all);
    let mut forwards = Vec::new();
    loop {
        let last = forwards.last().copied().unwrap_or(0);
        let newer = page(&mut measured, "after_seq", last);
        if newer.is_empty() {
            break;
        }
        forwards.extend(newer);
    }
    assert_eq!(forwards, all);
    let both = json!({"name": "long", "after_seq": 1, "before_seq": 9}).to_string();
    let answer = measured.call("both", "read_log", &both);
    assert!(answer.contains("not both"), "{answer}");

    let search = json!({"query": "ore", "in": "messages,reasoning,missions", "limit": 0});
    let found = places(&measured.rows("a search", "search", &search));
    assert!(found.len() > 1 && found.len() < all.len(), "{found:?}");
    assert_eq!(found.last(), Some(&ROWS));
    for format in ["jsonl", "md"] {
        let file = measured.home.file(&format!("out.{format}"));
        let asked = json!({"file": file, "mysis": "long", "format": format});
        let answer = measured.call(format, "export", &asked.to_string());
        assert!(answer.contains("160"), "{answer}");
        let written = fs::metadata(file).expect("a file").len();
        assert!(written > 39 * MB as u64, "{written}");
    }
    // A command sends as many requests as it needs.
    let limit = ROWS.to_string();
    let shown = measured
        .home
        .lines(&["log", "long", "--limit", &limit, "--json"]);
    assert_eq!(places(&shown), all);
    measured.note("a command".to_string());
    measured.judge();
}

#[test]
fn no_input_of_a_server_or_a_client_takes_more_than_64_mb() {
    let mut measured = Measured::start(|_| {});
    for name in OF_MODELS {
        measured.play(name, None, 2);
    }
    for name in OF_LISTS {
        measured.play(name, None, 1);
    }
    for name in OF_CALLS {
        measured.play(name, Some("mine"), 2);
    }
    measured.play("objects in a text", Some("get_map"), 2);
    let eight = 8 * MB - 1024;
    let (first, (piece, times), last) = list("[", (r#"{"a":0}"#, eight), "]");
    measured.order("objects", &format!("{first}{}{last}", piece.repeat(times)));
    let text = "ä".repeat(eight / 2 - 100);
    measured.order(
        "a long text",
        &json!({"name": "alpha", "text": text}).to_string(),
    );
    let escaped = "\\u00e4".repeat(MB);
    measured.order(
        "a text in escapes",
        &format!(r#"{{"name":"alpha","text":"{escaped}"}}"#),
    );
    measured.order("lists in lists", &"[".repeat(eight));

    assert!(measured.taken.len() >= 20);
    measured.judge();
}
