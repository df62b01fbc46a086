//! Searches, and reading cut results in parts.

use super::*;

on_both!(
    search_is_literal_and_counts_what_case_hides,
    a_cut_result_is_found_by_the_calls_id_and_by_ours,
    what_is_indexed_and_what_is_not_yet_is_found_alike,
    what_no_model_may_read_no_mysis_finds,
    what_a_deleted_mysis_said_is_not_found_any_more,
);

async fn search_is_literal_and_counts_what_case_hides(books: Books) {
    let (ledger, _) = filled(&books).await;
    let search = |text: &str, within, case_sensitive| SearchQuery {
        text: text.to_string(),
        mysis: None,
        within,
        case_sensitive,
        sendable_only: false,
        until: None,
        limit: 10,
    };
    let count = async |search| ledger.search(search).await.unwrap();
    let hello = count(search("hello", SearchIn::Messages, true)).await;
    assert_eq!((hello.rows.len(), hello.ignoring_case), (0, 1));
    let hello = count(search("hello", SearchIn::Messages, false)).await;
    assert_eq!(hello.rows[0].1.seq, Seq(3));
    let because = count(search("be\"cause", SearchIn::Reasoning, true)).await;
    let places: Vec<Seq> = because.rows.iter().map(|(_, row)| row.seq).collect();
    assert_eq!(places, [Seq(5), Seq(9)]);
    assert_eq!(
        count(search("100%", SearchIn::Missions, true))
            .await
            .rows
            .len(),
        1
    );
    assert_eq!(
        count(search("f_i", SearchIn::Missions, true))
            .await
            .rows
            .len(),
        1
    );
    assert_eq!(
        count(search("fxi", SearchIn::Missions, true))
            .await
            .rows
            .len(),
        0
    );
}

async fn a_cut_result_is_found_by_the_calls_id_and_by_ours(books: Books) {
    let (ledger, _) = filled(&books).await;
    let piece = async |id: &str, offset, limit| {
        let asked = ResultQuery {
            mysis: ALPHA,
            call_id: id.to_string(),
            offset,
            limit,
        };
        ledger.result_of(asked).await.unwrap()
    };
    let whole = ResultPiece {
        text: "ore".to_string(),
        offset: 0,
        whole: 3,
    };
    for id in ["a:b|c", "call_5_0", "call_5_0x", "5.0"] {
        assert_eq!(piece(id, 0, 100).await, Some(whole.clone()), "{id}");
    }
    assert_eq!(piece("nothing", 0, 100).await, None);
    let end = piece("5.0", 1, 1).await.unwrap();
    assert_eq!((end.text.as_str(), end.offset, end.whole), ("r", 1, 3));
    let beyond = piece("5.0", u64::MAX, 1).await.unwrap();
    assert_eq!((beyond.text.as_str(), beyond.whole), ("", 3));
}

async fn what_is_indexed_and_what_is_not_yet_is_found_alike(books: Books) {
    let ledger = books.open().await;
    write(
        &ledger,
        vec![create(ALPHA, "alpha"), create(MysisId(8), "beta")],
    )
    .await
    .unwrap();
    let needles = [
        "\"quoted\" 100% a_b * NEAR(x) 'it''s' \\ --",
        "äöü €uro ΣΊΣΥΦΟΣ",
        "zq",
        "ø",
        "end zj",
        "nul\0byte",
    ];
    let texts = (1..=600).map(|number| match needles.get(number - 1) {
        Some(needle) => needle.to_string(),
        None => format!("row {number} mines iron"),
    });
    append_texts(&ledger, 1, texts).await;
    for is_indexed in [false, true] {
        if is_indexed {
            assert_eq!(keep_up(&ledger).await, 2);
        }
        for (place, needle) in (1..).zip(needles) {
            assert_eq!(
                places(&ledger, looking_for(needle)).await,
                [place],
                "{needle}"
            );
        }
        assert_eq!(places(&ledger, looking_for("\\ --")).await, [1]);
        assert_eq!(places(&ledger, looking_for("zj")).await, [5]);
        assert_eq!(places(&ledger, looking_for("row 77 ")).await, [77]);
        assert_eq!(places(&ledger, looking_for("a%b")).await, [] as [i64; 0]);
        let newest: Vec<i64> = (591..=600).collect();
        assert_eq!(places(&ledger, looking_for("mines iron")).await, newest);
        // Rows that came later than a time do not take the places of those before.
        let older = SearchQuery {
            until: Some(Timestamp(1_300)),
            ..looking_for("mines iron")
        };
        let until_then: Vec<i64> = (291..=300).collect();
        assert_eq!(places(&ledger, older.clone()).await, until_then);
        let all = SearchQuery {
            limit: 400,
            ..older
        };
        let all = ledger.search(all).await.unwrap();
        assert_eq!((all.rows.len(), all.may_have_more), (294, false));
        let some = ledger.search(looking_for("mines iron")).await.unwrap();
        assert!(some.may_have_more, "ten were asked for");
        let shouted = ledger.search(looking_for("ROW 77 ")).await.unwrap();
        assert_eq!((shouted.rows.len(), shouted.ignoring_case), (0, 1));
        let folded = SearchQuery {
            case_sensitive: false,
            ..looking_for("σίσυφος")
        };
        assert_eq!(places(&ledger, folded).await, [2]);
        for (mysis, count) in [(ALPHA, 1), (MysisId(8), 0)] {
            let own = SearchQuery {
                mysis: Some(mysis),
                ..looking_for("row 77 ")
            };
            assert_eq!(places(&ledger, own).await.len(), count);
        }
    }
    ledger.close().await;
    let again = books.open().await;
    assert!(
        again.maintenance().is_none(),
        "what is left does not pay yet"
    );
    assert_eq!(places(&again, looking_for("row 599")).await, [599]);
}

async fn what_no_model_may_read_no_mysis_finds(books: Books) {
    let (ledger, _) = filled(&books).await;
    let own = SearchQuery {
        sendable_only: true,
        mysis: Some(ALPHA),
        ..looking_for("retry")
    };
    assert_eq!(places(&ledger, looking_for("retry")).await, [7]);
    assert_eq!(places(&ledger, own).await, [] as [i64; 0]);
}

async fn what_a_deleted_mysis_said_is_not_found_any_more(books: Books) {
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    append_texts(
        &ledger,
        1,
        (1..=300).map(|number| format!("row {number} of alpha")),
    )
    .await;
    assert_eq!(keep_up(&ledger).await, 1);
    write(&ledger, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
    assert_eq!(
        places(&ledger, looking_for("of alpha")).await,
        [] as [i64; 0]
    );
    assert_eq!(keep_up(&ledger).await, 0);
}
