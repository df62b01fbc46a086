//! What a Mysis recalls after a start.

use actors::domain::memo::MemoKind;

use super::*;

on_both!(
    a_night_of_notices_does_not_push_out_what_was_said,
    states_faults_totals_and_the_mission_read_back,
    what_was_seen_of_the_game_is_taken_up_again_by_account,
    orders_that_nobody_answered_are_recalled_however_far_back_they_stand,
    what_the_watch_knows_is_kept_until_its_mysis_goes,
    steps_of_a_routine_do_not_push_out_what_was_said,
    each_of_a_swarm_that_asks_at_once_recalls_its_own,
);

/// What is stored of one Mysis of a swarm: an order, two notes of which the first was cleared, and a memo
/// of each kind.
fn life_of(mysis: MysisId) -> Vec<Write> {
    let text = |what: &str| Arc::from(format!("{what} of {mysis}"));
    let note = |what: &str| RowBody::Note { text: text(what) };
    let order = RowBody::Prompt {
        text: text("the order"),
    };
    let rows = [order, note("a cleared note"), note("a note")];
    let rows = (1..).zip(rows).map(|(seq, body)| Write::Append {
        mysis,
        row: row(seq, body),
    });
    let memos = MemoKind::ALL.iter().map(|kind| Write::Memo {
        mysis,
        kind: *kind,
        memo: text(kind.as_str()),
    });
    let cleared = Write::ClearNotes {
        mysis,
        upto: Seq(2),
    };
    let born = create(mysis, &format!("m{mysis}"));
    [born]
        .into_iter()
        .chain(rows)
        .chain([cleared])
        .chain(memos)
        .collect()
}

async fn each_of_a_swarm_that_asks_at_once_recalls_its_own(books: Books) {
    let (ledger, _) = filled(&books).await;
    let swarm: Vec<MysisId> = (100..150).map(MysisId).collect();
    for mysis in &swarm {
        write(&ledger, life_of(*mysis)).await.unwrap();
    }
    let asked = swarm
        .iter()
        .map(|mysis| (*mysis, tokio::spawn(ledger.load_history(*mysis))));
    let asked: Vec<_> = asked.collect();
    // Some are gone before they are answered, those among them that read for others.
    for (_, gone) in asked.iter().step_by(3) {
        gone.abort();
    }
    for (place, (mysis, asked)) in asked.into_iter().enumerate() {
        let Ok(recalled) = asked.await else {
            assert_eq!(place % 3, 0, "{mysis} has no answer");
            continue;
        };
        let recalled = recalled.unwrap();
        assert_eq!(recalled, ledger.load_history(mysis).await.unwrap());
        let texts = |rows: &[Arc<Row>]| -> Vec<String> {
            rows.iter().map(|row| row.text().to_string()).collect()
        };
        assert_eq!(texts(&recalled.rows)[0], format!("the order of {mysis}"));
        assert_eq!(texts(&recalled.notes), [format!("a note of {mysis}")]);
        for kind in MemoKind::ALL {
            let memo = format!("{} of {mysis}", kind.as_str());
            assert_eq!(recalled.memo(kind), Some(&*memo));
        }
        assert_eq!(recalled.profile.unwrap().name, format!("m{mysis}").into());
    }
}

#[tokio::test]
async fn one_whose_rows_cannot_be_read_keeps_no_other_one_from_its_own() {
    let books = Books::file();
    let (ledger, _) = filled(&books).await;
    let swarm: Vec<MysisId> = (100..140).map(MysisId).collect();
    for mysis in &swarm {
        write(&ledger, life_of(*mysis)).await.unwrap();
    }
    for broken in [
        "UPDATE mysis SET name = x'ff' WHERE id = 117",
        "UPDATE message SET content = x'ff' WHERE mysis_id = 118 AND seq = 3",
    ] {
        say(&ledger, broken).await;
    }
    let asked = swarm.iter().map(|mysis| ledger.load_history(*mysis));
    let recalled = futures::future::join_all(asked).await;
    for (mysis, recalled) in swarm.iter().zip(recalled) {
        let is_broken = [117, 118].contains(&mysis.0);
        assert_eq!(recalled.is_err(), is_broken, "{mysis}: {recalled:?}");
    }
}

async fn a_night_of_notices_does_not_push_out_what_was_said(books: Books) {
    let (ledger, rows) = filled(&books).await;
    let said = ledger.load_history(ALPHA).await.unwrap();
    let notice = |seq| {
        let meta = HostMeta {
            severity: Severity::Warn,
            code: "retry".into(),
            attempt: None,
            bill: None,
        };
        let text = "retry".into();
        row(seq, RowBody::Host { text, meta })
    };
    let first = rows.last().unwrap().seq.0 + 1;
    let notices: Vec<Write> = (first..first + 300)
        .map(|seq| append(&notice(seq)))
        .collect();
    write(&ledger, notices).await.unwrap();
    let after = ledger.load_history(ALPHA).await.unwrap();
    assert_eq!(after.last, Seq(first + 299));
    let sendable = |rows: Vec<Arc<Row>>| -> Vec<Arc<Row>> {
        let is_sendable = |row: &Arc<Row>| row.kind().is_some_and(RowKind::is_sendable);
        rows.into_iter().filter(is_sendable).collect()
    };
    assert!(!sendable(said.rows.clone()).is_empty());
    assert_eq!(sendable(after.rows), sendable(said.rows));
}

async fn states_faults_totals_and_the_mission_read_back(books: Books) {
    let (ledger, _) = filled(&books).await;
    let fault = MysisFault {
        kind: MysisFaultKind::Transient,
        text: "503".into(),
        at: Timestamp(99),
    };
    let totals = Totals {
        turns: 1,
        tokens_in: 2,
        tokens_out: 3,
        cost_micros: 4,
    };
    let state = Write::State {
        mysis: ALPHA,
        state: LifeState::Errored,
        reason: Some("503".into()),
        fault: Some(fault.clone()),
        at: Timestamp(99),
    };
    let set = Write::Totals {
        mysis: ALPHA,
        totals,
    };
    write(&ledger, vec![state, set]).await.unwrap();
    let swarm = ledger.swarm().await.unwrap();
    assert_eq!(swarm.myses[0].state, LifeState::Errored);
    assert_eq!(swarm.myses[0].fault, Some(fault));
    assert_eq!(swarm.myses[0].totals, totals);
    assert_eq!(swarm.myses[0].profile.temperature, Some(0.5));
    assert_eq!(swarm.mission.map(|mission| mission.id), Some(MissionId(3)));
    let cleared = Write::ClearMission {
        mission: MissionId(3),
        at: Timestamp(100),
    };
    write(&ledger, vec![cleared]).await.unwrap();
    assert_eq!(ledger.swarm().await.unwrap().mission, None);
}

async fn what_was_seen_of_the_game_is_taken_up_again_by_account(books: Books) {
    let (ledger, _) = filled(&books).await;
    let seen = |tool: &str, seq, digest: &str| SnapshotResult {
        look: SnapshotQuery {
            tool: tool.into(),
            arguments: "{}".into(),
        },
        call: CallKey {
            seq: Seq(seq),
            position: 0,
        },
        digest: digest.into(),
        tick: Some(seq),
        at: Timestamp(seq),
        stale_by: None,
    };
    let saved_snapshots = |account: &str, snapshot: SnapshotResult| Write::SaveSnapshot {
        mysis: ALPHA,
        account: account.into(),
        snapshot: Box::new(snapshot),
    };
    let stale = |by: &str| Write::Stale {
        mysis: ALPHA,
        account: "one".into(),
        tools: vec!["get_cargo".into()],
        by: by.into(),
    };
    let write = async |writes: Vec<Write>| {
        assert_eq!(write(&ledger, writes).await, Ok(()));
    };
    write(vec![
        saved_snapshots("one", seen("get_cargo", 1, "empty")),
        saved_snapshots("one", seen("get_cargo", 2, "full")),
        saved_snapshots("one", seen("get_status", 3, "fine")),
        saved_snapshots("two", seen("get_cargo", 4, "other")),
        stale("mine"),
        stale("sell"),
    ])
    .await;
    let mut known = ledger.load_history(ALPHA).await.unwrap().snapshots;
    known.sort_by_key(|(_, snapshot)| snapshot.at);
    let cargo = SnapshotResult {
        stale_by: Some("mine".into()),
        ..seen("get_cargo", 2, "full")
    };
    assert_eq!(
        known,
        [
            ("one".into(), cargo),
            ("one".into(), seen("get_status", 3, "fine")),
            ("two".into(), seen("get_cargo", 4, "other")),
        ]
    );
    let account = "one".into();
    write(vec![Write::ForgetSnapshots {
        mysis: ALPHA,
        account,
    }])
    .await;
    assert_eq!(ledger.load_history(ALPHA).await.unwrap().snapshots.len(), 1);
    write(vec![Write::Delete { mysis: ALPHA }]).await;
    assert_eq!(ledger.load_history(ALPHA).await.unwrap().snapshots.len(), 0);
}

async fn orders_that_nobody_answered_are_recalled_however_far_back_they_stand(books: Books) {
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    let prompt = |seq| row(seq, RowBody::Prompt { text: "do".into() });
    let mut rows = vec![
        prompt(1),
        row(2, RowBody::Reply(said("done", 1))),
        prompt(3),
        prompt(4),
    ];
    rows.push(row(5, RowBody::Reply(said("", 4))));
    rows.extend((6..=300).map(|seq| row(seq, RowBody::Audit { text: "x".into() })));
    write(&ledger, rows.iter().map(append).collect())
        .await
        .unwrap();
    let recalled = ledger.load_history(ALPHA).await.unwrap().rows;
    assert_eq!(recalled.len(), 197);
    let prompts = recalled
        .iter()
        .filter(|row| row.kind() == Some(RowKind::Prompt));
    let prompts: Vec<Seq> = prompts.map(|row| row.seq).collect();
    assert_eq!(prompts, [Seq(1), Seq(3), Seq(4)], "each once");
}

async fn what_the_watch_knows_is_kept_until_its_mysis_goes(books: Books) {
    let (ledger, _) = filled(&books).await;
    let watched = |memo: &str| Write::Memo {
        mysis: ALPHA,
        kind: MemoKind::Watch,
        memo: memo.into(),
    };
    assert_eq!(
        ledger
            .load_history(ALPHA)
            .await
            .unwrap()
            .memo(MemoKind::Watch),
        None
    );
    for memo in ["{\"rung\":1}", "{\"rung\":2}"] {
        write(&ledger, vec![watched(memo)]).await.unwrap();
        let recalled = ledger.load_history(ALPHA).await.unwrap();
        assert_eq!(recalled.memo(MemoKind::Watch), Some(memo));
    }
    let gone = Write::Delete { mysis: ALPHA };
    write(&ledger, vec![gone, create(ALPHA, "alpha")])
        .await
        .unwrap();
    assert_eq!(
        ledger
            .load_history(ALPHA)
            .await
            .unwrap()
            .memo(MemoKind::Watch),
        None
    );
}

async fn steps_of_a_routine_do_not_push_out_what_was_said(books: Books) {
    let (ledger, rows) = filled(&books).await;
    let said = ledger.load_history(ALPHA).await.unwrap();
    let first = rows.last().unwrap().seq.0 + 1;
    let steps = (first..first + 400).step_by(2).flat_map(|seq| {
        let call = CallRecord {
            routine: Some("ore".into()),
            ..mining("r1.1.1")
        };
        let step = RowBody::Call {
            utterance: Utterance::default(),
            calls: vec![call],
        };
        let meta = mined("r1.1.1", "{}");
        let call = CallKey {
            seq: Seq(seq),
            position: 0,
        };
        let text = "{}".into();
        let result = RowBody::Result { call, text, meta };
        [append(&row(seq, step)), append(&row(seq + 1, result))]
    });
    let memo = Write::Memo {
        mysis: ALPHA,
        kind: MemoKind::Routines,
        memo: "cursor".into(),
    };
    write(&ledger, steps.chain([memo]).collect()).await.unwrap();
    let after = ledger.load_history(ALPHA).await.unwrap();
    assert_eq!(after.memo(MemoKind::Routines), Some("cursor"));
    let step = after.rows.last().map(|row| row.seq.0 - 1);
    let stored = after.rows.iter().find(|row| Some(row.seq.0) == step);
    let routine = stored.and_then(|row| row.routine());
    assert_eq!(routine.map(|name| &**name), Some("ore"));
    let recalled: Vec<Seq> = after.rows.iter().map(|row| row.seq).collect();
    for row in said.rows.iter().filter(|row| row.is_sendable()) {
        assert!(recalled.contains(&row.seq), "{}", row.seq);
    }
    let gone = Write::Delete { mysis: ALPHA };
    let again = vec![gone, create(ALPHA, "alpha")];
    write(&ledger, again).await.unwrap();
    assert_eq!(
        ledger
            .load_history(ALPHA)
            .await
            .unwrap()
            .memo(MemoKind::Routines),
        None
    );
}
