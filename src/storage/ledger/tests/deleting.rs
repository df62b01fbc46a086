//! Copies of deleted Myses.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use actors::domain::ids::Moment;
use actors::domain::screen::ExportFormat;
use actors::ports::DeletedMyses;
use actors::secrets::Secrets;

use super::checking::findings;
use super::retention::{Hand, left_before, reply, said_at, two_days_in, within};
use super::*;
use crate::export::{ExportOrder, export_to_file};
use crate::import::import_file;
use crate::{DeletedCopies, restore};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

on_both!(
    a_conversation_whose_oldest_rows_were_removed_comes_back_sound,
    the_books_agree_with_the_rows_of_an_older_and_of_a_newer_export,
    what_was_brought_back_is_told_although_nothing_can_be_read_after_it,
);

fn copies_in(ledger: &SqlLedger, place: &Path) -> DeletedCopies {
    DeletedCopies::new(ledger.clone(), place.to_path_buf(), Secrets::default())
}

async fn delete(ledger: &SqlLedger) {
    let deleted = write(ledger, vec![Write::Delete { mysis: ALPHA }]);
    deleted.await.unwrap();
}

async fn export(ledger: &SqlLedger, file: &Path) {
    let order = ExportOrder {
        mysis: None,
        format: ExportFormat::JsonLines,
        names_account: false,
    };
    let secrets = Secrets::default();
    let exported = export_to_file(ledger, order, file, &secrets).await;
    exported.unwrap();
}

async fn import(ledger: &SqlLedger, file: &Path) {
    let scratch = file.parent().unwrap();
    import_file(ledger, file, scratch, vec![]).await.unwrap();
}

async fn assert_sound(books: &Books) {
    let found = findings(books).await;
    assert!(found.iter().all(Result::is_ok), "{found:?}");
}

async fn a_conversation_whose_oldest_rows_were_removed_comes_back_sound(books: Books) {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let ledger = two_days_in(&books).await;
    ledger.set_retention(within(24), Hand::at(48));
    keep_up(&ledger).await;
    let left = left_before(&ledger, i64::MAX).await;
    let removed = ledger.reach(None).await.unwrap().removed;
    assert!(removed > 0, "there is a gap");
    export(&ledger, &file("all.jsonl")).await;
    let copies = copies_in(&ledger, &file("deleted"));
    copies.keep(ALPHA).await.unwrap();
    delete(&ledger).await;
    copies.bring_back("alpha").await.unwrap();
    assert_eq!(left_before(&ledger, i64::MAX).await, left);
    assert_eq!(ledger.reach(None).await.unwrap().removed, removed);
    assert_sound(&books).await;
    if matches!(books, Books::File(_)) {
        ledger.back_up(&file("copy.db")).await.unwrap();
    }

    let fresh = Books::file();
    let ledger = fresh.open().await;
    import(&ledger, &file("all.jsonl")).await;
    assert_sound(&fresh).await;
    ledger.back_up(&file("fresh.db")).await.unwrap();
    let restored = file("zoea.db");
    restore(&file("fresh.db"), &restored).await.unwrap();
    let ledger = SqlLedger::open(&restored).await.unwrap();
    assert_eq!(left_before(&ledger, i64::MAX).await, left);
    assert_eq!(ledger.reach(None).await.unwrap().removed, removed);
}

async fn the_books_agree_with_the_rows_of_an_older_and_of_a_newer_export(books: Books) {
    let directory = tempfile::tempdir().unwrap();
    let [older, newer] = ["older", "newer"].map(|name| directory.path().join(name));
    let (ledger, _) = filled(&books).await;
    export(&ledger, &older).await;
    let later = said_at(73, 10, reply("on another day", 9));
    write(&ledger, vec![append(&later)]).await.unwrap();
    export(&ledger, &newer).await;
    let spent = ledger.books(Day(0)).await.unwrap();
    delete(&ledger).await;
    import(&ledger, &older).await;
    assert_eq!(ledger.books(Day(0)).await.unwrap(), spent);
    assert_sound(&books).await;

    // Here the books know the first day alone.
    let fresh = Books::file();
    let ledger = fresh.open().await;
    import(&ledger, &older).await;
    delete(&ledger).await;
    import(&ledger, &newer).await;
    assert_eq!(ledger.books(Day(0)).await.unwrap(), spent);
    assert_sound(&fresh).await;
}

async fn what_was_brought_back_is_told_although_nothing_can_be_read_after_it(books: Books) {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("deleted");
    let (ledger, _) = filled(&books).await;
    let copies = copies_in(&ledger, &place);
    copies.keep(ALPHA).await.unwrap();
    delete(&ledger).await;
    ledger.inner.readers.inner().close().await.unwrap();
    let back = copies.bring_back("alpha").await.unwrap();
    assert_eq!((back.id, &*back.profile.name), (ALPHA, "alpha"));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[tokio::test]
async fn copies_that_cannot_be_looked_at_are_not_called_missing() {
    let books = Books::file();
    let ledger = books.open().await;
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("deleted");
    let copies = copies_in(&ledger, &place);
    let missing = copies.bring_back("alpha").await.unwrap_err();
    assert!(missing.starts_with("no copy of `alpha`"), "{missing}");
    // Whoever runs the tests may read every directory, but not this.
    fs::write(&place, "").unwrap();
    let refused = copies.bring_back("alpha").await.unwrap_err();
    assert!(refused.contains("Not a directory"), "{refused}");
}

#[tokio::test]
async fn the_times_for_which_two_programs_saw_a_copy_are_added_up() {
    let books = Books::file();
    let ledger = books.open().await;
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("alpha@1.jsonl");
    // It has the date of its making.
    fs::write(&copy, "").unwrap();
    let first = copies_in(&ledger, directory.path());
    first.remove_old(Moment(0));
    first.remove_old(Moment(13 * HOUR));
    let second = copies_in(&ledger, directory.path());
    second.remove_old(Moment(0));
    second.remove_old(Moment(11 * HOUR));
    assert!(copy.exists());
    second.remove_old(Moment(13 * HOUR));
    assert!(!copy.exists());
}

#[tokio::test]
async fn a_copy_goes_once_it_was_seen_for_a_day_whatever_the_wall_clock_says() {
    let books = Books::file();
    let ledger = books.open().await;
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    let copies = copies_in(&ledger, place);
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
