//! The JSON of events, answers and Myses as scripts know it, with every member and every word.

use actors::domain::books::BudgetUse;
use actors::domain::budget::BudgetStatus;
use actors::domain::event::{RosterChange, SwarmCondition};
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};
use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::held::{HeldKind, HeldText};
use actors::domain::ids::MissionId;
use actors::domain::last_request::SentRequest;
use actors::domain::needs::NeedBook;
use actors::domain::outages::{OutageStage, ServerOutage};
use actors::domain::question::Question;
use actors::domain::record::GameAccount;
use actors::domain::silence::{SilenceNotice, SilenceScope};
use actors::domain::standing::{StandingConditions, StandingKind};
use serde_json::json;
use zoea_golden::{every, hold_json, kept};

use super::*;

/// The status of a Mysis that has all that it may have, as its process tells it others.
fn status() -> MysisStatus {
    let json = kept("status.json");
    actors::domain::status_memo::from_text(MysisId(7), &json).expect("a status")
}

fn question() -> Question {
    let choice = json!({"type": "string", "enum": ["a"], "enumNames": ["A"]});
    let fields = json!({
        "text": {"type": "string", "title": "T", "description": "D", "minLength": 1, "maxLength": 9, "format": "email", "default": "x@y.z"},
        "number": {"type": "number", "minimum": 0.5, "maximum": 2},
        "whole": {"type": "integer"},
        "flag": {"type": "boolean"},
        "one": choice,
        "several": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["a"]}},
    });
    let schema = json!({"type": "object", "properties": fields, "required": ["text"]});
    let asked = json!({"message": "Which?", "requestedSchema": schema});
    Question::read("game", &asked).expect("a question")
}

#[test]
fn a_mysis_keeps_its_members() {
    let status = MysisStatus {
        activity: Activity::Asked(Arc::new(question())),
        ..status()
    };
    let line = MysisStatusJson::new(&status, true, &ServerOutages::default(), Timestamp(9));
    hold_json("mysis-list.json", &to_value(&line.in_process(Some("here"))));
}

fn events() -> Vec<EventKind> {
    let state = |to| EventKind::StateChanged {
        from: LifeState::Idle,
        to,
        reason: Some("why".into()),
    };
    let text = || Arc::<str>::from("text");
    let account = GameAccount {
        username: text(),
        password: text(),
    };
    let silence = SilenceNotice {
        scope: SilenceScope::Swarm,
        text: text(),
    };
    every!(EventKind:
        Roster => [
            EventKind::Roster(RosterChange::Created),
            EventKind::Roster(RosterChange::Deleted),
            EventKind::Roster(RosterChange::TakenOver),
            EventKind::Roster(RosterChange::MovedAway),
        ],
        StateChanged => [state(LifeState::Running), state(LifeState::Errored)],
        Turn => [
            EventKind::Turn(TurnEvent::Started { turn: TurnNumber(1) }),
            EventKind::Turn(TurnEvent::Ended { turn: TurnNumber(1) }),
            EventKind::Turn(TurnEvent::ModelReplied { usage: Some(USAGE), ms: 4 }),
            EventKind::Turn(TurnEvent::ToolCalled { tool: text(), call_id: text() }),
            EventKind::Turn(TurnEvent::ToolReturned { tool: text(), call_id: text(), is_error: true, ms: Some(4) }),
        ],
        Stored => [
            EventKind::Stored(Arc::new(row(RowBody::Prompt { text: text() }))),
            EventKind::Stored(Arc::new(row(notice(None, None)))),
        ],
        Mission => [EventKind::Mission(Some(text())), EventKind::Mission(None)],
        StatusChanged => [EventKind::StatusChanged(Arc::new(status()))],
        Condition => [
            EventKind::Condition(SwarmCondition::Budget(Arc::default())),
            EventKind::Condition(SwarmCondition::Outages(Arc::default())),
            EventKind::Condition(SwarmCondition::Silence(Some(Arc::new(silence)))),
            EventKind::Condition(SwarmCondition::Standing(Arc::default())),
            EventKind::Condition(SwarmCondition::Freeze(None)),
        ],
        Learned => [EventKind::Learned(account)],
        Notice => [EventKind::Notice { severity: Severity::Warn, code: "disk", text: text() }],
        Shutdown => [EventKind::Shutdown],
    )
    .into()
}

#[test]
fn events_of_a_headless_run_keep_their_words() {
    let lines = events().into_iter().filter_map(|what| {
        let mysis = Some(MysisRef {
            id: MysisId(10),
            name: "alpha".into(),
        });
        let at = Timestamp(0);
        EventJson::of(&SwarmEvent { at, mysis, what }).map(|line| to_value(&line))
    });
    hold_json("headless.json", &lines.collect());
}

#[test]
fn answers_to_orders_keep_their_words() {
    let actions = every!(CompletedAction:
        Started, Retried, Stopped, Deleted, Configured, NotesCleared, RoutineStarted, RoutineStopped, ReminderCancelled,
        Answered,
        Declined, Cancelled, Drained, Undrained, Forgotten, BudgetRaised,
    );
    let names = |name: &str| vec![name.into()];
    let answers = every!(CompletedOrder:
        Created => [CompletedOrder::Created(MysisId(7))],
        Done => [],
        Undeleted => [CompletedOrder::Undeleted { name: "a".into(), account: None }],
        Stored => [CompletedOrder::Stored(Seq(4))],
        Broadcast => [CompletedOrder::Broadcast {
            mission: MissionId(1),
            delivered: names("a"),
            missed: names("b"),
            elsewhere: names("c"),
        }],
        MissionCleared => [CompletedOrder::MissionCleared(true)],
        Request => [CompletedOrder::Request(Box::new(SentRequest {
            at: Timestamp(0),
            provider: "local".into(),
            body: "{}".into(),
            parts: Default::default(),
            change: None,
        }))],
        Routine => [CompletedOrder::Routine(r#"{"name":"mine"}"#.into())],
        AccountsPooled => [CompletedOrder::AccountsPooled(2)],
        Reloaded => [CompletedOrder::Reloaded(Reloaded {
            at_once: vec!["[budget]".to_string()],
            after_a_restart: vec!["[tui]".to_string()],
        })],
        Passed => [CompletedOrder::Passed("other".into())],
        Frozen => [CompletedOrder::Frozen(Some(Timestamp(0))), CompletedOrder::Frozen(None)],
        Reminded => [CompletedOrder::Reminded { id: "alpha:3".into(), at: Timestamp(70) }],
    );
    let all = actions.map(CompletedOrder::Done).into_iter().chain(answers);
    let lines = all.map(|done| order_answer(&done));
    hold_json("orders-answered.json", &lines.collect());
}

#[test]
fn the_program_its_servers_and_its_processes_keep_their_members() {
    let mut standing = StandingConditions::default();
    for kind in StandingKind::ALL {
        standing.set(kind, Timestamp(0), Some("text".into()));
    }
    let outage = ServerOutage {
        lane: Lane::Provider("local".into()),
        text: "HTTP 503".into(),
        since: Timestamp(0),
        next_try: Timestamp(5),
        needs_operator: true,
        stage: OutageStage::Away,
    };
    let spending = BudgetStatus {
        swarm: BudgetUse::default(),
        percent: Some(3),
        ..BudgetStatus::default()
    };
    let mut needs = NeedBook::default();
    let errored = MysisStatus {
        state: LifeState::Errored,
        ..status()
    };
    needs.take_status(&errored, Timestamp(0));
    let status = ProgramStatusJson {
        version: "0.1.0".into(),
        pid: 7,
        process: Some("here".into()),
        started_at: "1970-01-01T00:00:00.000Z".into(),
        mission: Some("mine".to_string()),
        trouble: None,
        warnings: WarningJson::list(&standing),
        needs: needs
            .list(Timestamp(0))
            .into_iter()
            .map(Into::into)
            .collect(),
        frozen_since: None,
        silence: None,
        states: [("idle".into(), 1)].into(),
        arrival: None,
        away: vec![OutageJson::new(&outage, Timestamp(0))],
        doubtful: Vec::new(),
        proxied: vec![ProxiedServerJson {
            server: "game".to_string(),
            address: "https://game".to_string(),
            proxy: "http://proxy".to_string(),
            variable: "HTTPS_PROXY".into(),
        }],
        credits: Some(1200),
        earned_last_hour: None,
        number: None,
        today: SpendingJson::new(&spending, Timestamp(0)),
        myses: Vec::new(),
    };
    let states = every!(ProcessState: Alive, Draining, Frozen, Ended, Gone);
    let processes = states.map(|state| FleetProcess {
        name: "p".into(),
        host: "h".into(),
        directory: "/d".into(),
        version: "0.1.0".into(),
        state,
        is_here: true,
        capacity: 1,
        myses: 2,
        running: 3,
        since: Timestamp(0),
        until: Some(Timestamp(1)),
    });
    let processes = processes
        .each_ref()
        .map(|process| to_value(&ProcessJson::from(process)));
    hold_json(
        "program.json",
        &json!({"status": to_value(&status), "processes": processes}),
    );
}

#[test]
fn what_is_held_back_and_events_of_before_keep_their_members() {
    let held = HeldText {
        kind: HeldKind::Text,
        provider: "p".into(),
        model: "m".into(),
        text: "a text".into(),
        mysis: MysisId(7),
        seq: Seq(5),
        is_local: false,
        said: "HTTP 400".into(),
        proof: "1 with it failed".into(),
        at: Timestamp(0),
        doubted_at: Timestamp(0),
    };
    let held = [held];
    let kinds = every!(EventRecordKind: State, Notice, Need, Order);
    let sources = every!(OrderSource:
        Terminal, AttachedTerminal, Control, CommandLine, Configuration, Signal, Program,
    );
    let records = kinds
        .into_iter()
        .cycle()
        .zip(sources)
        .map(|(kind, source)| {
            let record = EventRecord {
                id: EventId(1),
                at: Timestamp(0),
                kind,
                mysis: None,
                severity: Severity::Info,
                code: "stop".into(),
                text: "text".into(),
                source: Some(source),
                row: Some(Seq(1)),
                answered: Some(Seq(2)),
            };
            to_value(&EventRecordJson::new(3, &record))
        });
    let records: Vec<Value> = records.collect();
    let held = to_value(&HeldTextJson::list(&held, |_| Some("alpha")));
    hold_json(
        "held-and-events.json",
        &json!({"held": held, "events": records}),
    );
}

#[test]
fn the_report_of_a_proof_keeps_its_members() {
    let report = |verdict| {
        to_value(&ModelCheckReport {
            provider: "local".to_string(),
            server: "http://127.0.0.1".to_string(),
            model: "m".to_string(),
            verdict,
            checks: vec![ModelCheckStep {
                name: "call",
                ok: Some(true),
                detail: "well".to_string(),
            }],
            learnt: vec!["one".to_string()],
            context: ProvenContext::default(),
            speed: ProvenSpeed::default(),
            usage: Some(ReportedUsage {
                is_reported: true,
                cached: 1,
            }),
            spent: CheckSpending::default(),
        })
    };
    let (why, remedy) = ("w".to_string(), "r".to_string());
    let verdicts = every!(CheckVerdict:
        Plays => [CheckVerdict::Plays],
        CannotPlay => [CheckVerdict::CannotPlay { why, remedy }],
    );
    let reports = verdicts.map(report);
    hold_json("proof.json", &reports.into_iter().collect());
}
