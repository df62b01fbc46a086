//! A write that is repeated, because the answer to its commit was lost, changes nothing.

use actors::domain::held::{HeldKind, HeldText};
use actors::domain::memo::MemoKind;
use actors::domain::record::{
    AccountRecord, PoolAccount, ProfileChange, SavedSession, StoredHistory,
};
use actors::domain::samples::{Hour, PackedHour};
use actors::ports::{EventQuery, SwarmRecord};
use sea_orm::{ConnectionTrait, Statement};

use super::super::StoredMission;
use super::*;

on_both!(whatever_is_repeated_after_a_lost_answer_changes_nothing);

/// Everything that readers see.
#[derive(Debug, PartialEq)]
struct Seen {
    swarm: SwarmRecord,
    past: Vec<StoredHistory>,
    accounts: Vec<AccountRecord>,
    sessions: Vec<Option<SavedSession>>,
    missions: Vec<StoredMission>,
    books: Vec<actors::domain::books::CostEntry>,
    events: Vec<EventRecord>,
    calls: Vec<String>,
}

async fn seen(ledger: &SqlLedger) -> Seen {
    let mut past = Vec::new();
    let mut sessions = Vec::new();
    for mysis in [ALPHA, MysisId(8)] {
        past.push(ledger.load_history(mysis).await.unwrap());
        sessions.push(ledger.saved_session(mysis).await.unwrap());
    }
    let calls = Statement::from_string(
        ledger.inner.dialect.backend(),
        "SELECT seq || ' ' || status || ' ' || coalesce(sent_at, 0) || ' ' || coalesce(task, '-') \
         FROM tool_call ORDER BY seq",
    );
    let calls = ledger.inner.readers.query_all_raw(calls).await.unwrap();
    Seen {
        swarm: ledger.swarm().await.unwrap(),
        past,
        accounts: ledger.accounts().await.unwrap(),
        sessions,
        missions: ledger.missions(None, 0).await.unwrap(),
        books: ledger.books(Day(0)).await.unwrap(),
        events: ledger.events(EventQuery::newest(100)).await.unwrap(),
        calls: calls
            .iter()
            .map(|row| row.try_get_by_index(0).unwrap())
            .collect(),
    }
}

/// Writes of every kind, in an order that matters.
pub(super) fn of_every_kind() -> Vec<Write> {
    let beta = MysisId(8);
    let mission = |number| Mission {
        id: MissionId(number),
        text: format!("mission {number}").into(),
        at: Timestamp(number),
    };
    let snapshot = SnapshotResult {
        look: SnapshotQuery {
            tool: "get_status".into(),
            arguments: "{}".into(),
        },
        call: CallKey {
            seq: Seq(5),
            position: 0,
        },
        digest: "seen".into(),
        tick: Some(1),
        at: Timestamp(5),
        stale_by: None,
    };
    let account = GameAccount {
        username: "Quill".into(),
        password: "secret-secret".into(),
    };
    let mut writes = vec![
        create(ALPHA, "alpha"),
        create(beta, "beta"),
        create(MysisId(9), "gamma"),
        Write::Fence {
            mysis: ALPHA,
            incarnation: Incarnation(2),
        },
        Write::Mission(mission(3)),
    ];
    writes.extend(conversation().iter().take(5).map(append));
    let sent = Write::CallSent {
        mysis: ALPHA,
        call: snapshot.call,
        at: Timestamp(7),
    };
    let held = Write::CallHeld {
        mysis: ALPHA,
        call: snapshot.call,
    };
    writes.extend([sent.clone(), held, sent]);
    writes.push(Write::CallTask {
        mysis: ALPHA,
        call: snapshot.call,
        task: Some("task-1".into()),
    });
    writes.extend(conversation().iter().skip(5).map(append));
    writes.extend([
        Write::State {
            mysis: ALPHA,
            state: LifeState::Running,
            reason: None,
            fault: None,
            at: Timestamp(8),
        },
        Write::Called { mysis: beta },
        Write::Configure {
            mysis: beta,
            change: ProfileChange {
                provider: Some("other".into()),
                model: Some(None),
                role: Some(Some("miner".into())),
                follows_role: Some(false),
                ..ProfileChange::default()
            },
        },
        Write::Totals {
            mysis: ALPHA,
            totals: Totals::default(),
        },
        Write::ClearNotes {
            mysis: ALPHA,
            upto: Seq(1),
        },
        Write::Stale {
            mysis: ALPHA,
            account: "Quill".into(),
            tools: vec!["get_status".into()],
            by: "mine".into(),
        },
        Write::SaveSnapshot {
            mysis: ALPHA,
            account: "Quill".into(),
            snapshot: Box::new(snapshot.clone()),
        },
        Write::SaveSnapshot {
            mysis: beta,
            account: "Quill".into(),
            snapshot: Box::new(snapshot),
        },
        Write::ForgetSnapshots {
            mysis: beta,
            account: "Quill".into(),
        },
        Write::SaveAccount {
            mysis: ALPHA,
            account: account.clone(),
            at: Timestamp(9),
        },
        Write::PoolAccount {
            account: PoolAccount {
                account: GameAccount {
                    username: "Drake".into(),
                    ..account
                },
                owner: None,
            },
            at: Timestamp(10),
        },
        Write::KeepSession {
            mysis: ALPHA,
            session: Some(SavedSession {
                resume_token: "token".into(),
                account: None,
            }),
        },
        Write::Samples {
            mysis: ALPHA,
            hour: PackedHour {
                hour: Hour(7),
                upto: 3,
                bytes: Arc::new([1, 0, 0]),
            },
        },
        Write::OrderDone {
            mysis: ALPHA,
            order: actors::domain::ids::FleetOrderId(5),
        },
        // The cleared mission is not the one that is in force afterwards.
        Write::ClearMission {
            mission: MissionId(3),
            at: Timestamp(11),
        },
        Write::Mission(mission(4)),
        Write::HoldText(held_text(7)),
        Write::HoldText(held_text(8)),
        Write::ReleaseText(held_text(8)),
        Write::Delete { mysis: MysisId(9) },
        Write::Event(Box::new(EventRecord {
            at: Timestamp(12),
            kind: EventRecordKind::Order,
            code: "stop".into(),
            text: "said".into(),
            ..notice(1)
        })),
    ]);
    writes.extend(MemoKind::ALL.iter().map(|kind| Write::Memo {
        mysis: ALPHA,
        kind: *kind,
        memo: memo_of(*kind).into(),
    }));
    writes
}

/// What the golden forms hold of each kind.
fn memo_of(kind: MemoKind) -> &'static str {
    match kind {
        MemoKind::Watch | MemoKind::Routines => "memo",
        MemoKind::WorkingSet | MemoKind::Tier => "{}",
        MemoKind::Reminders => r#"{"last":3,"waiting":[{"number":3,"at":70,"text":"go home"}]}"#,
    }
}

fn held_text(row: i64) -> Arc<HeldText> {
    Arc::new(HeldText {
        kind: HeldKind::Text,
        provider: "p".into(),
        model: "m".into(),
        text: format!("text {row}").into(),
        mysis: ALPHA,
        seq: Seq(row),
        is_local: false,
        said: "HTTP 400".into(),
        proof: "1 with it failed".into(),
        at: Timestamp(row),
        doubted_at: Timestamp(row),
    })
}

/// The number of a write's kind. A new kind must also be added above.
fn kind(write: &Write) -> usize {
    match write {
        Write::Create(_) => 0,
        Write::Configure { .. } => 1,
        Write::Delete { .. } => 2,
        Write::Fence { .. } => 3,
        Write::State { .. } => 4,
        Write::Called { .. } => 5,
        Write::Append { .. } => 6,
        Write::CallSent { .. } => 7,
        Write::Totals { .. } => 8,
        Write::ClearNotes { .. } => 9,
        Write::SaveSnapshot { .. } => 10,
        Write::Stale { .. } => 11,
        Write::ForgetSnapshots { .. } => 12,
        Write::Mission(_) => 13,
        Write::ClearMission { .. } => 14,
        Write::SaveAccount { .. } => 15,
        Write::KeepSession { .. } => 16,
        Write::Memo { .. } => 17,
        Write::PoolAccount { .. } => 18,
        Write::Event(_) => 19,
        Write::CallTask { .. } => 20,
        Write::Samples { .. } => 21,
        Write::OrderDone { .. } => 22,
        Write::CallHeld { .. } => 23,
        Write::HoldText(_) => 24,
        Write::ReleaseText(_) => 25,
    }
}

async fn whatever_is_repeated_after_a_lost_answer_changes_nothing(books: Books) {
    let writes = of_every_kind();
    let kinds: std::collections::BTreeSet<usize> = writes.iter().map(kind).collect();
    assert_eq!(kinds.len(), 26, "each kind");
    let ledger = books.open().await;
    // Many batches in one commit, as the Store sends them.
    let group = |writes: &[Write]| -> Vec<Batch> {
        let each = writes.iter().map(|write| batch(vec![write.clone()]));
        each.collect()
    };
    for upto in 1..=writes.len() {
        let all_well = vec![Ok(()); upto];
        assert_eq!(ledger.commit(group(&writes[..upto])).await, all_well);
        let before = seen(&ledger).await;
        assert_eq!(
            ledger.commit(group(&writes[..upto])).await,
            all_well,
            "repeated, {:?} is refused",
            writes[upto - 1]
        );
        assert_eq!(
            seen(&ledger).await,
            before,
            "repeated up to {:?}",
            writes[upto - 1]
        );
    }
    let claim = || ledger.claim_account(MysisId(8), Timestamp(20));
    let claimed = claim().await.unwrap();
    assert!(claimed.is_some());
    let before = seen(&ledger).await;
    assert_eq!(claim().await, Ok(claimed));
    assert_eq!(seen(&ledger).await, before);
}
