//! The speed of the core: composing a request, also from a long history with the lookup, and whole turns.
//!
//! `cargo bench --bench core`

use std::sync::Arc;
use std::time::Duration;

use actors::domain::compose::{ComposedRequest, Composition, TurnOwner, choose_owner, compose};
use actors::domain::conversation::Conversation;
use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{CallRecord, CallStatus, ResultMeta, Row, RowBody, Utterance};
use actors::domain::record::StoredHistory;
use actors::ports::Archive;
use divan::Bencher;
use divan::counter::ItemsCount;

use zoea_scenes::history::composition;
use zoea_scenes::measured_ledger::MeasuredLedger;

fn main() {
    divan::main();
}

/// A result of 2 KB, the size of most results of a game.
const RESULT: usize = 2048;

fn row(seq: i64, turn: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq),
        turn: TurnNumber(turn),
        body,
    })
}

/// Rows of turns with a prompt, a call, a result and a reply each.
fn rows(count: i64) -> Vec<Arc<Row>> {
    let said = |seen_up_to, text: &str| Utterance {
        text: text.into(),
        reasoning: None,
        seen_up_to: Seq(seen_up_to),
        meta: Arc::default(),
    };
    (1..=count)
        .map(|seq| {
            let turn = (seq + 3) / 4;
            let body = match seq % 4 {
                1 => RowBody::Prompt {
                    text: "mine some ore and tell me how much".into(),
                },
                2 => RowBody::Call {
                    utterance: said(seq - 1, ""),
                    calls: vec![CallRecord {
                        id: "call_abcdefghijklmnop".into(),
                        name: "mine".into(),
                        arguments: r#"{"quantity":3}"#.into(),
                        status: CallStatus::Done,
                        read_only: false,
                        routine: None,
                    }],
                },
                3 => RowBody::Result {
                    call: CallKey {
                        seq: Seq(seq - 1),
                        position: 0,
                    },
                    text: format!(r#"{{"ore":"{}"}}"#, "x".repeat(RESULT)).into(),
                    meta: ResultMeta {
                        call_id: "call_abcdefghijklmnop".into(),
                        tool: "mine".into(),
                        status: CallStatus::Done,
                        ms: Some(10),
                        tick: None,
                        bytes: RESULT as u64 + 10,
                        game: actors::domain::game::GameRef::SpaceMolt,
                        kept: None,
                    },
                },
                _ => RowBody::Reply(said(seq - 1, "I mined three units of iron ore.")),
            };
            row(seq, turn, body)
        })
        .collect()
}

#[divan::bench(args = [20, 2000])]
fn compose_from_rows(bencher: Bencher, count: i64) {
    compose_history(bencher, rows(count), count);
}

fn compose_history(bencher: Bencher, rows: Vec<Arc<Row>>, count: i64) {
    let recollection = StoredHistory {
        rows,
        last: Seq(count),
        ..StoredHistory::default()
    };
    let conversation = Conversation::restore(recollection, BUDGET / 4);
    let system = system();
    bencher.bench(|| composed(&system, &conversation));
}

/// One whole turn of `count` rows: a prompt, and loops with results of 2 KB.
#[divan::bench(args = [20, 200])]
fn compose_a_long_turn(bencher: Bencher, count: i64) {
    let mut rows = rows(count);
    let first = rows.remove(0);
    let rows = rows
        .into_iter()
        .filter(|row| row.calls().len() + usize::from(row.result().is_some()) > 0)
        .map(|row| Row {
            turn: TurnNumber(1),
            ..Row::clone(&row)
        })
        .map(Arc::new);
    let rows = std::iter::once(first).chain(rows).collect();
    compose_history(bencher, rows, count);
}

const BUDGET: usize = 64 << 10;

fn system() -> String {
    "You are alpha.\n".repeat(150)
}

fn composed(system: &str, conversation: &Conversation) -> ComposedRequest {
    let owner = choose_owner(conversation, None, 20, "Continue.".into());
    assert!(matches!(owner, TurnOwner::Prompt(_)));
    compose(&Composition {
        budget: BUDGET,
        ..composition(system, conversation, &owner)
    })
}

/// A Mysis that reads its conversation back from the database and composes a request.
#[divan::bench(args = [100, 10_000, 1_000_000], sample_count = 50)]
fn compose_with_the_lookup(bencher: Bencher, count: i64) {
    let measured = MeasuredLedger::with_rows(count);
    let system = system();
    bencher.bench_local(|| {
        let recollection = measured
            .runtime
            .block_on(measured.ledger.load_history(MysisId(1)));
        let recollection = recollection.expect("the history");
        let mut conversation = Conversation::restore(recollection, BUDGET / 4);
        conversation.trim_window(20, None, None, Arc::clone);
        composed(&system, &conversation)
    });
}

/// Whole turns of one Mysis. The game and the model run in the same thread without network delay,
/// so the time is that of the turn and of the two simulated servers.
#[divan::bench(sample_count = 5)]
fn whole_turns_without_a_network(bencher: Bencher) {
    let options = zoea_simulation::SimulationOptions {
        seed: 1,
        length: Duration::from_secs(3600),
        processes: 1,
        myses: 1,
        wildness: 0.0,
        thinking: Duration::from_secs(4),
        with_all_faults: true,
        progress: None,
        is_loud: false,
        adapters: zoea::wiring::simulated::adapters(),
    };
    let turns = zoea_simulation::run(options).expect("a simulation").turns;
    bencher
        .counter(ItemsCount::new(turns))
        .bench(|| zoea_simulation::run(options));
}
