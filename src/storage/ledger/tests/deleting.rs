//! Copies of deleted Myses.

use std::fs;
use std::time::SystemTime;

use actors::domain::ids::Moment;
use actors::secrets::Secrets;

use super::*;
use crate::DeletedCopies;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn a_copy_goes_once_it_was_seen_for_a_day_whatever_the_wall_clock_says() {
    let books = Books::file();
    let ledger = books.open().await;
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    let copies = DeletedCopies::new(ledger, place.to_path_buf(), Secrets::default());
    // By the wall clock all of them are very old.
    let put = |name: &str| {
        let file = fs::File::create(place.join(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    };
    let left = || {
        let entries = fs::read_dir(place).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let others = ["alpha@1.md", "notes.jsonl"];
    for name in others
        .into_iter()
        .chain(["alpha@1.jsonl", "beta@1.jsonl.part"])
    {
        put(name);
    }
    copies.remove_old(Moment(0));
    put("gamma@2.jsonl");
    copies.remove_old(Moment(HOUR));
    // Clones know what the others have seen.
    copies.clone().remove_old(Moment(DAY));
    let all = [
        "alpha@1.jsonl",
        "alpha@1.md",
        "beta@1.jsonl.part",
        "gamma@2.jsonl",
        "notes.jsonl",
    ];
    assert_eq!(left(), all);
    copies.remove_old(Moment(DAY + 1));
    assert_eq!(left(), ["alpha@1.md", "gamma@2.jsonl", "notes.jsonl"]);
    copies.remove_old(Moment(DAY + HOUR + 1));
    assert_eq!(left(), others);
}
