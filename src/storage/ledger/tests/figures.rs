//! Figures that cannot be true make no books unreadable.

use super::*;
use crate::{DatabaseLocation, check};
use actors::domain::bounds::MAX_SUM;

on_both!(
    spoilt_books_are_read_and_found,
    no_bill_is_so_large_that_the_books_cannot_take_it,
);

async fn checked(books: &Books, name: &str) -> Result<String, String> {
    let file;
    let place = match books {
        Books::File(directory) => {
            file = directory.path().join("zoea.db");
            DatabaseLocation::File(&file)
        }
        Books::Server(address) => DatabaseLocation::Server(address),
    };
    let checked = check(&place).await.unwrap();
    let mut checked = checked.into_iter();
    checked
        .find(|(found, _)| *found == name)
        .expect("it is checked")
        .1
}

fn reply(seq: i64, tokens: u64) -> Arc<Row> {
    let mut said = said("yes", seq - 1);
    let meta = Arc::make_mut(&mut said.meta);
    meta.usage = Some(TokenUsage {
        input: tokens,
        output: tokens,
        cached: tokens,
    });
    meta.cost_micros = Some(tokens);
    row(seq, RowBody::Reply(said))
}

async fn spoil(ledger: &SqlLedger, books: &Books, sql: &str) {
    // SQLite stored a sum that exceeds an integer as a real number.
    let sum = match books {
        Books::File(_) => "18446744073709551615.0",
        Books::Server(_) => "9223372036854775807",
    };
    let sql = sql.replace("SUM", sum);
    say(ledger, &sql).await;
}

async fn spoilt_books_are_read_and_found(books: Books) {
    let (ledger, _) = filled(&books).await;
    // The rows contain the reported figures. The two replies before have 10 tokens in and 2 out
    // each.
    let absurd = [reply(10, u64::MAX), reply(11, (1 << 63) - 1), reply(12, 7)];
    write(&ledger, absurd.iter().map(append).collect())
        .await
        .unwrap();
    let before = ledger.books(Day(0)).await.unwrap()[0].spent;
    assert_eq!(
        (before.input, before.output, before.cost_micros),
        (27, 11, 7)
    );
    let spoilt = "UPDATE spending SET input = SUM, output = 9223372036854775807, cached = -5, \
                  cost_micros = SUM; \
                  UPDATE mysis SET tokens_in = 9223372036854775807, turns = 4";
    for sql in spoilt.split("; ") {
        spoil(&ledger, &books, sql).await;
    }
    // The books can be read, and adding to them does not fail.
    let read = ledger.books(Day(0)).await.unwrap();
    assert_eq!((read[0].spent.calls, read[0].spent.input), (5, 0));
    assert_eq!(ledger.swarm().await.unwrap().myses[0].totals.tokens_in, 0);
    ledger.close().await;
    let found = checked(&books, "figures").await.unwrap_err();
    assert!(found.contains("used on 1970-01-01 of local"), "{found}");
    assert!(
        found.contains("used in all") && found.contains("counts as nothing"),
        "{found}"
    );
    assert!(checked(&books, "books").await.is_ok());
}

async fn no_bill_is_so_large_that_the_books_cannot_take_it(books: Books) {
    let (ledger, _) = filled(&books).await;
    let most = format!("UPDATE spending SET input = {MAX_SUM}, calls = {MAX_SUM}");
    spoil(&ledger, &books, &most).await;
    for seq in 10..14 {
        write(&ledger, vec![append(&reply(seq, 100_000_000))])
            .await
            .unwrap();
    }
    let spent = ledger.books(Day(0)).await.unwrap()[0].spent;
    assert_eq!((spent.input, spent.calls), (MAX_SUM, MAX_SUM));
    assert_eq!(spent.output, 400_000_004);
    let totals = Totals {
        turns: u64::MAX,
        tokens_in: u64::MAX,
        tokens_out: 1 << 63,
        cost_micros: (1 << 63) - 1,
    };
    write(
        &ledger,
        vec![Write::Totals {
            mysis: ALPHA,
            totals,
        }],
    )
    .await
    .unwrap();
    let stored = ledger.swarm().await.unwrap().myses[0].totals;
    assert_eq!((stored.turns, stored.cost_micros), (MAX_SUM, MAX_SUM));
    // More calls than one statement accepts.
    let many = row(
        14,
        RowBody::Call {
            utterance: said("", 13),
            calls: vec![mining("c"); 10_000],
        },
    );
    write(&ledger, vec![append(&many)]).await.unwrap();
    let read = ledger.load_history(ALPHA).await.unwrap();
    assert_eq!(read.rows.last().unwrap().calls().len(), 10_000);
    ledger.close().await;
}
