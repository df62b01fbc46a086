//! A life that is rebuilt from what is stored.

use super::*;

fn row(seq: i64, turn: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq),
        turn: TurnNumber(turn),
        body,
    })
}

pub(super) fn call(name: &str, status: CallStatus, read_only: bool) -> CallRecord {
    CallRecord {
        id: name.into(),
        name: name.into(),
        arguments: "{}".into(),
        status,
        read_only,
        routine: None,
    }
}

pub(super) fn cut_short(calls: Vec<CallRecord>) -> RestoreArgs {
    let utterance = Utterance {
        seen_up_to: Seq(1),
        ..Utterance::default()
    };
    let rows = vec![
        row(1, 1, RowBody::Prompt { text: "go".into() }),
        row(2, 1, RowBody::Call { utterance, calls }),
    ];
    RestoreArgs {
        recollection: StoredHistory {
            last: Seq(2),
            rows,
            notes: vec![],
            ..StoredHistory::default()
        },
        ..past()
    }
}

#[test]
fn a_crash_leaves_honest_results_behind() {
    let mut scene = Scene::of(cut_short(vec![
        call("mine", CallStatus::Sent, false),
        call("travel", CallStatus::Recorded, false),
    ]));
    assert_eq!(
        scene.result_status(),
        [CallStatus::Unknown, CallStatus::NotExecuted]
    );
    assert_eq!(scene.life.state(), LifeState::Idle);
    scene.order(MysisOrder::Start);
    assert_eq!(scene.asks().len(), 1, "the turn goes on with the model");
    assert!(scene.asked().messages.contains(&user("go")));
}

#[test]
fn a_call_that_only_reads_is_made_again_after_a_crash() {
    let past = cut_short(vec![call("get_status", CallStatus::Sent, true)]);
    let mut scene = Scene::of(past);
    assert!(scene.result_status().is_empty());
    scene.order(MysisOrder::Start);
    let again = scene.call();
    assert_eq!(
        (&*again.tool, again.key),
        (
            "get_status",
            CallKey {
                seq: Seq(2),
                position: 0
            }
        )
    );
    scene.leave();
    scene.give_back("docked");
    assert_eq!(scene.asks().len(), 1);
}

#[test]
fn an_errored_mysis_comes_back_errored_with_its_fault() {
    let fault = MysisFault {
        kind: MysisFaultKind::Transient,
        text: "HTTP 503".into(),
        at: Timestamp(5),
    };
    let mut past = past();
    past.record.state = LifeState::Errored;
    past.record.fault = Some(fault.clone());
    let scene = Scene::of(past);
    assert_eq!(scene.life.status().fault, Some(fault));
    assert!(scene.rows().is_empty());
}

#[test]
fn a_crash_is_told_in_the_conversation_once() {
    let mut past = past();
    past.record.state = LifeState::Errored;
    past.crash = Some("the Mysis crashed: boom".into());
    let scene = Scene::of(past);
    let rows = scene.rows();
    assert_eq!(scene.host_codes(), ["crashed"]);
    assert_eq!(
        rows[0].host().map(|meta| meta.severity),
        Some(Severity::Error)
    );
}

#[test]
fn places_go_on_where_they_ended() {
    let result = RowBody::Result {
        call: CallKey {
            seq: Seq(2),
            position: 0,
        },
        text: "ore".into(),
        meta: ResultMeta {
            call_id: "mine".into(),
            tool: "mine".into(),
            status: CallStatus::Done,
            ms: Some(1),
            tick: Some(7),
            bytes: 3,
            game: crate::game::GameRef::SpaceMolt,
            kept: None,
        },
    };
    let mut past = cut_short(vec![call("mine", CallStatus::Done, false)]);
    past.recollection.rows.push(row(3, 1, result));
    past.recollection.last = Seq(3);
    let mut scene = Scene::of(past);
    assert_eq!(scene.life.status().tick, Some(7));
    assert_eq!(
        scene.prompt("more"),
        Some(Ok(CompletedOrder::Stored(Seq(4))))
    );
    assert_eq!(scene.asks().len(), 1);
}

#[test]
fn one_that_was_interrupted_says_so_until_it_is_started_and_is_counted_on() {
    let mut scene = Scene::of(RestoreArgs {
        is_interrupted: true,
        ..cut_short(vec![call("mine", CallStatus::Done, false)])
    });
    let status = scene.life.status();
    assert!(status.is_interrupted());
    let reason = "interrupted: it ran until 1970-01-01T00:00:00.002Z, when the program ended";
    assert_eq!(status.reason.as_deref(), Some(reason));
    let is_kept = scene.effects.iter().any(|effect| {
        let Effect::Record { writes, .. } = effect else {
            return false;
        };
        writes.iter().any(|write| {
            matches!(write, Write::State { state: LifeState::Idle, reason: Some(kept), .. }
                if &**kept == reason)
        })
    });
    assert!(is_kept, "the next run knows it, too");
    scene.order(MysisOrder::Start);
    let status = scene.life.status();
    assert_eq!((status.state, status.reason), (LifeState::Running, None));
}

#[test]
fn a_turn_that_was_cut_is_taken_up_while_it_may_ask_or_has_a_call_to_answer() {
    // The number of model calls that a turn may have. One was made.
    for (allowed, is_read_only, turn) in [(3, false, 1), (1, false, 2), (1, true, 1)] {
        let mut rules = rules();
        rules.max_model_calls = allowed;
        let mut scene = Scene::of(RestoreArgs {
            rules: Arc::new(rules),
            ..cut_short(vec![call("get_status", CallStatus::Sent, is_read_only)])
        });
        scene.order(MysisOrder::Start);
        assert_eq!(
            scene.life.turn,
            TurnNumber(turn),
            "{allowed} {is_read_only}"
        );
    }
}
