//! Tests: which members are null and which are absent, and in which order they are printed.

mod golden;

use std::sync::Arc;

use actors::domain::event::{Activity, EventKind, MysisRef, MysisStatus, SwarmEvent, TurnEvent};
use actors::domain::ids::{CallKey, Lane, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ReplyMeta, ResultMeta, Row, RowBody, Severity, Utterance,
};
use actors::domain::model::{Charge, TokenUsage};
use actors::domain::order::{CompletedAction, CompletedOrder, Reloaded};
use actors::domain::outages::ServerOutages;
use actors::domain::record::{MysisProfile, MysisRecord};
use actors::domain::rules::SwarmRules;
use actors::domain::state::LifeState;

use super::*;

const USAGE: TokenUsage = TokenUsage {
    input: 5,
    output: 3,
    cached: 1,
};

fn row(body: RowBody) -> Row {
    Row {
        seq: Seq(7),
        at: Timestamp(0),
        turn: TurnNumber(2),
        body,
    }
}

fn reply(usage: Option<TokenUsage>, cost_micros: Option<u64>) -> Utterance {
    Utterance {
        text: "I mine".into(),
        reasoning: None,
        seen_up_to: Seq(6),
        meta: ReplyMeta {
            usage,
            ms: Some(12),
            model: "m".into(),
            provider: "local".into(),
            finish_reason: None,
            cost_micros,
            ..ReplyMeta::default()
        }
        .into(),
    }
}

fn notice(attempt: Option<u32>, bill: Option<Charge>) -> RowBody {
    RowBody::Host {
        text: "no answer".into(),
        meta: HostMeta {
            severity: Severity::Warn,
            code: "retry".into(),
            attempt,
            bill,
        },
    }
}

fn metadata(body: RowBody) -> String {
    let row = row(body);
    let metadata = RowMetadataJson::of(&row);
    metadata.map_or_else(String::new, |metadata| to_value(&metadata).to_string())
}

#[test]
fn metadata_leave_out_what_is_not_there() {
    assert_eq!(
        metadata(RowBody::Reply(reply(None, None))),
        r#"{"finish_reason":null,"model":"m","ms":12,"provider":"local","usage":null}"#
    );
    assert_eq!(
        metadata(RowBody::Reply(reply(Some(USAGE), Some(9)))),
        r#"{"cost_micros":9,"finish_reason":null,"model":"m","ms":12,"provider":"local","usage":{"cached":1,"input":5,"output":3}}"#
    );
    assert_eq!(
        metadata(notice(None, None)),
        r#"{"code":"retry","severity":"warn"}"#
    );
    let charge = Charge {
        provider: "local".into(),
        usage: USAGE,
        cost_micros: None,
    };
    assert_eq!(
        metadata(notice(Some(2), Some(charge))),
        r#"{"attempt":2,"code":"retry","cost_micros":null,"provider":"local","severity":"warn","usage":{"cached":1,"input":5,"output":3}}"#
    );
    let text = "mine".into();
    assert_eq!(metadata(RowBody::Prompt { text }), "");
}

#[test]
fn a_row_has_all_its_members() {
    let call = |arguments: &str| CallRecord {
        id: "c1".into(),
        name: "mine".into(),
        arguments: arguments.into(),
        status: CallStatus::Done,
        read_only: false,
        routine: None,
    };
    let row = row(RowBody::Call {
        utterance: reply(None, None),
        calls: vec![call(r#"{"b":1,"a":2}"#), call("[1]")],
    });
    let meta = r#"{"finish_reason":null,"model":"m","ms":12,"provider":"local","usage":null}"#;
    assert_eq!(
        to_value(&RowJson::from(&row)).to_string(),
        format!(
            "{{\"at\":\"1970-01-01T00:00:00.000Z\",\"content\":\"I mine\",\"kind\":\"call\",\"metadata\":{meta},\
             \"reasoning\":null,\"role\":\"assistant\",\"sender\":null,\"seq\":7,\"source\":\"model\",\
             \"tool_call_id\":null,\"tool_calls\":[\
             {{\"arguments\":{{\"a\":2,\"b\":1}},\"id\":\"c1\",\"name\":\"mine\",\"status\":\"done\"}},\
             {{\"arguments\":\"[1]\",\"id\":\"c1\",\"name\":\"mine\",\"status\":\"done\"}}]}}"
        )
    );
}

#[test]
fn an_event_names_its_mysis_where_it_has_one() {
    let line = |mysis: Option<MysisRef>, what: EventKind| {
        let at = Timestamp(0);
        let event = SwarmEvent { at, mysis, what };
        EventJson::of(&event).map(|line| to_value(&line).to_string())
    };
    let alpha = MysisRef {
        id: MysisId(10),
        name: "alpha".into(),
    };
    let head = r#""at":"1970-01-01T00:00:00.000Z""#;
    assert_eq!(
        line(
            Some(alpha.clone()),
            EventKind::Turn(TurnEvent::Started {
                turn: TurnNumber(1)
            })
        ),
        Some(format!(
            "{{{head},\"event\":\"turn_started\",\"mysis\":\"alpha\",\"mysis_id\":\"{}\"}}",
            alpha.id
        ))
    );
    assert_eq!(
        line(None, EventKind::Mission(None)),
        Some(format!("{{{head},\"event\":\"mission\",\"text\":null}}"))
    );
    let (usage, ms) = (None, 4);
    assert_eq!(
        line(None, EventKind::Turn(TurnEvent::ModelReplied { usage, ms })),
        Some(format!(
            "{{{head},\"event\":\"model_replied\",\"ms\":4,\"usage\":null}}"
        ))
    );
    let json = EventKind::Notice {
        severity: Severity::Warn,
        code: "disk",
        text: "full".into(),
    };
    assert_eq!(
        line(None, json),
        Some(format!(
            "{{{head},\"code\":\"disk\",\"event\":\"host\",\"seq\":null,\"severity\":\"warn\",\"text\":\"full\"}}"
        ))
    );
    let result = RowBody::Result {
        call: CallKey {
            seq: Seq(3),
            position: 0,
        },
        text: "ok".into(),
        meta: ResultMeta {
            call_id: "c1".into(),
            tool: "mine".into(),
            status: CallStatus::Failed,
            ms: Some(1),
            tick: None,
            bytes: 2,
            game: actors::domain::game::GameRef::SpaceMolt,
            kept: None,
        },
    };
    assert_eq!(
        metadata(result.clone()),
        r#"{"bytes":2,"call_id":"c1","is_error":true,"ms":1,"status":"failed","tick":null,"tool":"mine"}"#
    );
    assert_eq!(
        line(None, EventKind::Stored(Arc::new(row(result)))),
        Some(format!(
            "{{{head},\"event\":\"message\",\"kind\":\"result\",\"seq\":7}}"
        ))
    );
}

#[test]
fn an_order_is_answered_with_what_came_of_it() {
    let answer = |done: CompletedOrder| order_answer(&done).to_string();
    for (action, word) in [
        (CompletedAction::Started, "started"),
        (CompletedAction::Retried, "retried"),
        (CompletedAction::Stopped, "stopped"),
        (CompletedAction::Deleted, "deleted"),
        (CompletedAction::Configured, "configured"),
        (CompletedAction::NotesCleared, "cleared"),
    ] {
        let json = answer(CompletedOrder::Done(action));
        assert_eq!(json, format!("{{\"{word}\":true}}"));
    }
    assert_eq!(answer(CompletedOrder::Stored(Seq(4))), r#"{"seq":4}"#);
    assert_eq!(
        answer(CompletedOrder::MissionCleared(false)),
        r#"{"cleared":false}"#
    );
    let reloaded = CompletedOrder::Reloaded(Reloaded {
        at_once: vec!["[budget]".to_string()],
        after_a_restart: Vec::new(),
    });
    assert_eq!(
        answer(reloaded),
        r#"{"after_a_restart":[],"at_once":["[budget]"]}"#
    );
    let pooled = CompletedOrder::AccountsPooled(2);
    let imported = |short: &[String]| imported_accounts(&pooled, short).to_string();
    assert_eq!(imported(&[]), r#"{"accounts":2}"#);
    assert_eq!(
        imported(&["ada".to_string()]),
        r#"{"accounts":2,"short_passwords":["ada"]}"#
    );
}

#[test]
fn while_the_swarm_is_frozen_only_what_had_left_goes_on() {
    let json = |state, activity| {
        let record = MysisRecord::new(MysisId(1), MysisProfile::of("m", "p"), Timestamp(0));
        let status = MysisStatus {
            state,
            activity,
            ..MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(0))
        };
        let line = MysisStatusJson::new(&status, false, &ServerOutages::default(), Timestamp(0));
        let line = to_value(&line.when_frozen(&status));
        line["activity"].as_str().unwrap().to_string()
    };
    let lane = || Lane::Provider("p".into());
    for stands in [
        Activity::Queueing(lane()),
        Activity::Connecting,
        Activity::CoolingDown(lane(), "HTTP 503".into()),
        Activity::Pausing,
        Activity::Waiting,
        Activity::Done,
    ] {
        assert_eq!(json(LifeState::Running, stands), "frozen");
    }
    let calls = Activity::CallingTool("mine".into());
    assert_eq!(json(LifeState::Running, calls), "calling mine");
    assert_eq!(json(LifeState::Idle, Activity::Resting), "resting");
}
