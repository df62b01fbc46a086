//! Reading on: the part of a long result that a request omits can be read piece by piece, from a
//! real database.

use std::sync::Arc;

use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{CallRecord, CallStatus, ResultMeta, Row, RowBody, Utterance};
use actors::domain::model::ChatMessage;
use actors::domain::record::{MysisProfile, NewMysis};
use actors::domain::write::{Author, Batch, Write};
use actors::ports::{Archive, Ledger, ResultQuery, SearchIn, SearchQuery};
use zoea_ledger::SqlLedger;

use zoea_scenes::history::{Given, History, Step, Text, Wanted};
use zoea_scenes::request_rules::{judge, without_runtime_note};

const ALPHA: MysisId = MysisId(7);

/// A text as long as a map of the galaxy, with characters of every byte length.
fn map() -> Text {
    Text {
        unit: r#"{"name":"Söl","名":"🚀 needle"},"#.to_string(),
        times: 190_000 / 33,
    }
}

fn history() -> History {
    let call = Wanted {
        id: "same".to_string(),
        tool: "get_map".to_string(),
        arguments: Text::plain("{}"),
    };
    let given = Given {
        text: map(),
        is_error: false,
    };
    History {
        steps: vec![
            Step::Prompt(Text::plain("look at the map")),
            Step::Call(Text::plain(""), vec![call], Some(0)),
            Step::Results(vec![(0, given)]),
        ],
        budget: 64 << 10,
        has_mission: false,
        window: 20,
        notices: Vec::new(),
    }
}

async fn stored(rows: &[Arc<Row>]) -> (tempfile::TempDir, SqlLedger) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("zoea.db");
    let ledger = SqlLedger::open(&path).await.expect("a ledger");
    let create = Write::Create(Box::new(NewMysis {
        id: ALPHA,
        profile: MysisProfile::of("alpha", "local"),
        at: Timestamp(0),
    }));
    let append = |row: &Arc<Row>| Write::Append {
        mysis: ALPHA,
        row: row.clone(),
    };
    let writes = std::iter::once(create)
        .chain(rows.iter().map(append))
        .collect();
    let author = Author::Commander;
    let batch = Batch { author, writes };
    assert_eq!(ledger.commit(vec![batch]).await, [Ok(())]);
    (directory, ledger)
}

#[tokio::test]
async fn a_map_is_cut_with_a_note_and_its_rest_is_read_from_where_the_note_says() {
    let history = history();
    let asked = history.asked();
    judge(&history, &asked).unwrap();
    let shown = asked
        .composed
        .messages
        .iter()
        .find_map(|message| match message {
            ChatMessage::Tool { text, .. } => Some(text.clone()),
            ChatMessage::System(_) | ChatMessage::User(_) | ChatMessage::Assistant { .. } => None,
        });
    let shown = shown.expect("the result");
    let shown = without_runtime_note(&shown);
    assert!(
        shown.len() <= 16 << 10,
        "a quarter of the budget: {}",
        shown.len()
    );
    let whole = asked.recorded.rows[2].text().clone();
    let (kept, note) = shown.rsplit_once("\n[cut: ").expect("a note");
    let left_out = whole.len() - kept.len();
    assert_eq!(
        note,
        format!(
            r#"{left_out} of {} bytes left out; zoea_read_result {{"call_id":"2.0","offset":{}}} reads on]"#,
            whole.len(),
            kept.len()
        )
    );

    let (_directory, ledger) = stored(&asked.recorded.rows).await;
    let mut read = kept.to_string();
    while read.len() < whole.len() {
        let asked = ResultQuery {
            mysis: ALPHA,
            call_id: "2.0".to_string(),
            offset: read.len() as u64,
            limit: 8 << 10,
        };
        let piece = ledger.result_of(asked).await.unwrap().expect("the result");
        assert_eq!(piece.whole, whole.len() as u64);
        assert!(!piece.text.is_empty() && piece.text.len() <= 8 << 10);
        read.push_str(&piece.text);
    }
    assert_eq!(read, *whole);
    let found = ledger
        .search(SearchQuery {
            text: "needle".to_string(),
            mysis: Some(ALPHA),
            within: SearchIn::Messages,
            case_sensitive: true,
            limit: 5,
            sendable_only: false,
            until: None,
        })
        .await
        .unwrap();
    assert_eq!(found.rows.len(), 1, "the whole stays searchable");
}

#[tokio::test]
async fn a_repeated_id_names_its_newest_call_and_a_key_any_of_them() {
    let row = |seq, body| {
        Arc::new(Row {
            seq: Seq(seq),
            at: Timestamp(seq),
            turn: TurnNumber(1),
            body,
        })
    };
    let call = |seq| {
        let calls = vec![CallRecord {
            id: "same".into(),
            name: "mine".into(),
            arguments: "{}".into(),
            status: CallStatus::Recorded,
            read_only: false,
            routine: None,
        }];
        let utterance = Utterance::default();
        row(seq, RowBody::Call { utterance, calls })
    };
    let result = |seq: i64, text: &str| {
        let call = CallKey {
            seq: Seq(seq - 1),
            position: 0,
        };
        let meta = ResultMeta {
            call_id: "same".into(),
            tool: "mine".into(),
            status: CallStatus::Done,
            ms: Some(1),
            tick: None,
            bytes: text.len() as u64,
            game: actors::domain::game::GameRef::SpaceMolt,
            kept: None,
        };
        let text = text.into();
        row(seq, RowBody::Result { call, text, meta })
    };
    let rows = [call(1), result(2, "first"), call(3), result(4, "second")];
    let (_directory, ledger) = stored(&rows).await;
    for (call_id, text) in [("same", "second"), ("1.0", "first"), ("3.0", "second")] {
        let asked = ResultQuery {
            mysis: ALPHA,
            call_id: call_id.to_string(),
            offset: 0,
            limit: 100,
        };
        let piece = ledger.result_of(asked).await.unwrap().expect("the result");
        assert_eq!(piece.text, text, "{call_id}");
    }
    let of_another = ResultQuery {
        mysis: MysisId(8),
        call_id: "1.0".to_string(),
        offset: 0,
        limit: 100,
    };
    assert_eq!(ledger.result_of(of_another).await.unwrap(), None);
}
