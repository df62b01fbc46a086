//! How fast the core is: composing a request, and making rows durable.
//!
//! `cargo bench --bench core`

use std::sync::Arc;

use actors::domain::compose::{Composition, Owner, choose_owner, compose};
use actors::domain::conversation::Conversation;
use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{Body, Call, CallStatus, ReplyMeta, ResultMeta, Row, Utterance};
use actors::domain::write::{Author, Batch, NewMysis, Profile, Recollection, Write};
use actors::ports::Ledger;
use divan::Bencher;
use zoea::ledger::SqlLedger;

fn main() {
    divan::main();
}

/// A result of 2 KB, as most of a game's are.
const RESULT: usize = 2048;

fn row(seq: i64, turn: i64, body: Body) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq),
        turn: TurnNumber(turn),
        body,
    })
}

/// Rows of turns with a prompt, a call, a result and a reply each.
fn rows(count: i64) -> Vec<Arc<Row>> {
    let said = |horizon, text: &str| Utterance {
        text: text.into(),
        reasoning: None,
        horizon: Seq(horizon),
        meta: ReplyMeta::default(),
    };
    (1..=count)
        .map(|seq| {
            let turn = (seq + 3) / 4;
            let body = match seq % 4 {
                1 => Body::Prompt {
                    text: "mine some ore and tell me how much".into(),
                },
                2 => Body::Call {
                    utterance: said(seq - 1, ""),
                    calls: vec![Call {
                        id: "call_abcdefghijklmnop".into(),
                        name: "mine".into(),
                        arguments: r#"{"quantity":3}"#.into(),
                        status: CallStatus::Done,
                        read_only: false,
                    }],
                },
                3 => Body::Result {
                    call: CallKey {
                        seq: Seq(seq - 1),
                        position: 0,
                    },
                    text: format!(r#"{{"ore":"{}"}}"#, "x".repeat(RESULT)).into(),
                    meta: ResultMeta {
                        call_id: "call_abcdefghijklmnop".into(),
                        tool: "mine".into(),
                        status: CallStatus::Done,
                        ms: 10,
                        tick: None,
                        bytes: RESULT as u64 + 10,
                    },
                },
                _ => Body::Reply(said(seq - 1, "I mined three units of iron ore.")),
            };
            row(seq, turn, body)
        })
        .collect()
}

#[divan::bench(args = [20, 2000])]
fn compose_from_rows(bencher: Bencher, count: i64) {
    let conversation = Conversation::recalled(Recollection {
        rows: rows(count),
        notes: Vec::new(),
        last: Seq(count),
    });
    let system = "You are alpha.\n".repeat(150);
    let owner = choose_owner(&conversation, None, 20, "Continue.".into());
    assert!(matches!(owner, Owner::Prompt(_)));
    bencher.bench(|| {
        compose(&Composition {
            system: &system,
            conversation: &conversation,
            owner: &owner,
            turn: TurnNumber(count / 4 + 1),
            continuation: "Continue.",
            budget: 64 << 10,
        })
    });
}

/// A ledger on a real file, with Myses in it.
struct Desk {
    runtime: tokio::runtime::Runtime,
    ledger: SqlLedger,
    next: i64,
    _directory: tempfile::TempDir,
}

impl Desk {
    fn new(myses: i64) -> Desk {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("zoea.db");
        let ledger = runtime.block_on(SqlLedger::open(&path)).expect("a ledger");
        let writes = (1..=myses)
            .map(|id| {
                Write::Create(Box::new(NewMysis {
                    id: MysisId(id),
                    profile: Profile {
                        name: format!("m{id}").into(),
                        provider: "local".into(),
                        model: None,
                        temperature: None,
                    },
                    at: Timestamp(0),
                }))
            })
            .collect();
        let create = Batch {
            author: Author::Commander,
            writes,
        };
        let created = runtime.block_on(ledger.commit(vec![create]));
        assert_eq!(created, [Ok(())]);
        Desk {
            runtime,
            ledger,
            next: 0,
            _directory: directory,
        }
    }

    /// One row for each of so many Myses, in one commit.
    fn append(&mut self, group: i64) {
        self.next += 1;
        let text: Arc<str> = "mine some ore and tell me how much".into();
        let batches = (1..=group)
            .map(|id| Batch {
                author: Author::Commander,
                writes: vec![Write::Append {
                    mysis: MysisId(id),
                    row: row(self.next, 1, Body::Prompt { text: text.clone() }),
                }],
            })
            .collect();
        let answers = self.runtime.block_on(self.ledger.commit(batches));
        assert!(answers.iter().all(Result::is_ok));
    }
}

/// One acknowledged append, alone and in groups (the time is for the whole group).
#[divan::bench(args = [1, 32])]
fn append_rows(bencher: Bencher, group: i64) {
    let mut desk = Desk::new(group);
    bencher.bench_local(|| desk.append(group));
}
