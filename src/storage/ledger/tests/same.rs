//! Searches find the same in both databases.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// Characters that are special to one of the databases, or whose lower case is unusual.
const PIECES: &str = "(%|_|\\\\|'|\"|\\*|a|b|ore|Ore|ORE|iron|É|é|ß|İ|i|K|k|ς|σ|Σ|\u{0}|\u{301}|🚀| |100%|[a-z]{1,4}|\\PC)";

/// Texts of a few common parts, so that they have much in common.
fn texts(count: usize, pieces: std::ops::Range<usize>) -> Vec<String> {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    // The replacement character is left out, because the databases differ there.
    let text = prop::collection::vec(PIECES, pieces)
        .prop_map(|pieces| pieces.concat().replace(char::REPLACEMENT_CHARACTER, "x"));
    (0..count)
        .map(|_| text.new_tree(&mut runner).unwrap().current())
        .collect()
}

fn searches() -> Vec<SearchQuery> {
    let beta = MysisId(8);
    texts(40, 1..4)
        .into_iter()
        .zip([None, Some(ALPHA), Some(beta)].into_iter().cycle())
        .flat_map(|(text, mysis)| {
            [true, false].map(|case_sensitive| SearchQuery {
                text: text.clone(),
                mysis,
                within: SearchIn::Messages,
                case_sensitive,
                sendable_only: false,
                until: None,
                limit: 20,
            })
        })
        .collect()
}

/// The hits of a search, and the number of rows that differ only in case.
type Finding = (Vec<(i64, i64)>, usize);

async fn findings(ledger: &SqlLedger) -> Vec<Finding> {
    let mut findings = Vec::new();
    for search in searches() {
        let found = ledger.search(search).await.unwrap();
        let places = found.rows.iter().map(|(id, row)| (id.0, row.seq.0));
        findings.push((places.collect(), found.ignoring_case));
    }
    findings
}

/// The hits while nothing is indexed, then while most is.
async fn found_in(books: &Books) -> [Vec<Finding>; 2] {
    let ledger = books.open().await;
    let myses = [(ALPHA, "alpha"), (MysisId(8), "beta")];
    let mut writes: Vec<Write> = myses.map(|(id, name)| create(id, name)).into();
    for (seq, text) in (1..).zip(texts(280, 3..12)) {
        let mysis = myses[usize::from(seq % 3 == 0)].0;
        let row = row(seq, RowBody::Prompt { text: text.into() });
        writes.push(Write::Append { mysis, row });
    }
    write(&ledger, writes).await.unwrap();
    let before = findings(&ledger).await;
    assert_eq!(keep_up(&ledger).await, 1);
    [before, findings(&ledger).await]
}

fn assert_same(one: &[Finding], other: &[Finding]) {
    for ((one, other), search) in one.iter().zip(other).zip(searches()) {
        assert_eq!(one, other, "{search:?}");
    }
}

#[tokio::test]
async fn both_databases_find_the_same() {
    let [before, after] = found_in(&Books::file()).await;
    let hits: usize = before.iter().map(|(places, _)| places.len()).sum();
    assert!(hits > 150, "{hits}: the searches find too little");
    assert_same(&before, &after);
    if let Some(books) = Books::server() {
        let on_a_server = found_in(&books).await;
        assert_same(&on_a_server[0], &before);
        assert_same(&on_a_server[1], &before);
    }
}
