//! Tests of the dashboard through keys and events.

mod throwing_away;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{
    Activity, Elsewhere, EventKind, MysisRef, MysisStatus, RosterChange, SwarmCondition, SwarmEvent,
};
use actors::domain::event_record::{EventId, record_of};
use actors::domain::ids::{Lane, Moment, MysisId, Now, Seq, Timestamp, TurnNumber};
use actors::domain::last_request::{RequestByteCounts, SentRequest};
use actors::domain::message::{Row, RowBody, Severity, Utterance};
use actors::domain::order::{CompletedAction, CompletedOrder, MysisOrder, Order, OrderRefusal};
use actors::domain::outages::{OutageStage, ServerOutage, ServerOutages};
use actors::domain::reading::{PageFrom, PageQuery};
use actors::domain::record::{MysisProfile, MysisRecord};
use actors::domain::rules::{ProviderRules, SwarmRules};
use actors::domain::standing::{StandingConditions, StandingKind};
use actors::domain::state::LifeState;
use zoea_text::redact::Redactor;

use super::action::TerminalAction;
use super::frame_update::StatusLine;
use super::graphs::GraphView;
use super::input_event::{Input, key, letter};
use super::inspector::Inspector;
use super::log::list::LogView;
use super::outbox::Request;
use super::overlay::Overlay;
use super::overlay::composer::{ComposeTarget, Composer};
use super::overlay::query::{Query, QueryScope};
use super::overlay::question::ConfirmDialog;
use super::search::SearchView;
use super::view_choices::ViewChoices;
use super::{Dashboard, DashboardOptions};
use actors::domain::screen::ReadId;
use actors::domain::screen::SwarmSnapshot;
use actors::domain::screen::{OrderId, StoreAnswer, StoreQuery, Successor, UiEffect};
use crossterm::event::{KeyCode, KeyEvent};

/// Rules with two providers.
pub(super) fn rules() -> Arc<SwarmRules> {
    let provider = |model: &str| ProviderRules {
        model: model.into(),
        ..ProviderRules::default()
    };
    Arc::new(SwarmRules {
        nudges: ["a", "b", "c"].map(Into::into).to_vec(),
        providers: BTreeMap::from([
            ("local".into(), provider("qwen")),
            ("remote".into(), provider("deepseek")),
        ]),
        ..SwarmRules::default()
    })
}

pub(super) fn status(id: i64, name: &str, state: LifeState) -> Arc<MysisStatus> {
    let profile = MysisProfile::of(name, "local");
    let record = MysisRecord::new(MysisId(id), profile, Timestamp(0));
    let status = MysisStatus::from_record(&record, &rules(), Timestamp(0));
    Arc::new(MysisStatus {
        temperature: None,
        state,
        ..status
    })
}

/// A dashboard, with shorthands for keys and events.
pub(super) struct Desk {
    pub(super) board: Dashboard,
    /// The number of events so far.
    recorded: i64,
}

impl Desk {
    /// Three Myses: alpha runs, bravo is stopped, ceres is idle.
    pub(super) fn new() -> Desk {
        Desk::with(vec![
            status(1, "alpha", LifeState::Running),
            status(2, "bravo", LifeState::Stopped),
            status(3, "ceres", LifeState::Idle),
        ])
    }

    pub(super) fn with(statuses: Vec<Arc<MysisStatus>>) -> Desk {
        let mut board = Dashboard::new(DashboardOptions {
            size: (120, 40),
            // The operator is there already, so that no key has to keep it.
            choices: ViewChoices {
                looked: Some(1_000_000),
                ..ViewChoices::default()
            },
            ..DashboardOptions::default()
        });
        board.tick(Now::from_timestamp(Timestamp(1_000_000)));
        board.restore(SwarmSnapshot {
            statuses,
            mission: None,
            rules: rules(),
            redactor: Arc::default(),
        });
        board.prepare_frame();
        // Without a turn the new screen asks what the swarm uses.
        assert!(
            board
                .take_effects()
                .iter()
                .all(|effect| *effect == UiEffect::CheckSetup)
        );
        Desk { board, recorded: 0 }
    }

    pub(super) fn press(&mut self, press: KeyEvent) -> Vec<UiEffect> {
        self.board.on_input(Input::from(press));
        self.board.prepare_frame();
        self.board.take_effects()
    }

    /// Presses the keys of a text one after the other. Returns the effects of all.
    pub(super) fn types(&mut self, text: &str) -> Vec<UiEffect> {
        text.chars().flat_map(|it| self.press(letter(it))).collect()
    }

    pub(super) fn key(&mut self, code: KeyCode) -> Vec<UiEffect> {
        self.press(key(code))
    }

    pub(super) fn happens(&mut self, mysis: Option<(i64, &str)>, what: EventKind) {
        let event = SwarmEvent {
            at: Timestamp(1_000_000),
            mysis: mysis.map(|(id, name)| MysisRef {
                id: MysisId(id),
                name: name.into(),
            }),
            what,
        };
        self.board.on_event(&event);
        self.recorded += 1;
        if let Some(record) = record_of(&event, EventId(self.recorded)) {
            self.board.on_recorded(&record);
        }
        self.board.prepare_frame();
    }

    /// A Mysis tells its status.
    pub(super) fn reports(&mut self, status: Arc<MysisStatus>) {
        let (id, name) = (status.id.0, status.name.clone());
        self.happens(Some((id, &*name)), EventKind::StatusChanged(status));
    }

    /// A condition of the whole swarm changes.
    pub(super) fn changes(&mut self, condition: SwarmCondition) {
        self.happens(None, EventKind::Condition(condition));
    }

    pub(super) fn answers(&mut self, id: OrderId, answer: Result<CompletedOrder, OrderRefusal>) {
        self.board.on_answer(id, answer);
        self.board.prepare_frame();
    }

    pub(super) fn in_hand(&self) -> &str {
        self.board.target().map_or("", |status| &status.name)
    }

    pub(super) fn complaint(&self) -> &str {
        let status = self.board.facts.log.open_errors().next_back();
        status.map_or("", |message| &message.text)
    }

    /// What the operator was told last.
    pub(super) fn said(&self) -> &str {
        let said = self.board.facts.log.newest_notice();
        said.map_or("", |said| &said.text)
    }

    /// The topmost composer.
    pub(super) fn composer(&self) -> &Composer {
        let composer = self.board.overlays().last();
        let composer = composer.and_then(Overlay::try_as_compose_ref);
        composer.expect("a composer")
    }

    /// The topmost question.
    pub(super) fn question(&self) -> &ConfirmDialog {
        let question = self.board.overlays().last();
        let question = question.and_then(Overlay::try_as_confirm_ref);
        question.expect("a question")
    }
}

/// The single order among these effects.
pub(super) fn order_of(effects: &[UiEffect]) -> (OrderId, Order) {
    let orders = orders_of(effects);
    let [order] = &orders[..] else {
        panic!("one order was expected: {effects:?}");
    };
    order.clone()
}

pub(super) fn orders_of(effects: &[UiEffect]) -> Vec<(OrderId, Order)> {
    let mut orders = Vec::new();
    for effect in effects {
        if let UiEffect::Order { id, order } = effect {
            orders.push((*id, order.clone()));
        }
    }
    orders
}

/// The queries for pages of conversations among these effects.
pub(super) fn loads_of(effects: &[UiEffect]) -> Vec<(ReadId, PageQuery)> {
    let mut loads = Vec::new();
    for effect in effects {
        if let UiEffect::Read {
            id: stamp,
            query: StoreQuery::Page(page),
        } = effect
        {
            loads.push((*stamp, page.clone()));
        }
    }
    loads
}

pub(super) fn words(seq: i64, text: &str) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq),
        turn: TurnNumber(1),
        body: RowBody::Reply(Utterance {
            text: text.into(),
            ..Utterance::default()
        }),
    })
}

#[test]
fn a_message_is_written_sent_and_cleared() {
    let mut desk = Desk::new();
    desk.types("mhello");
    let (id, order) = order_of(&desk.key(KeyCode::Enter));
    let wanted = MysisOrder::Prompt("hello".into()).for_mysis("alpha");
    assert_eq!(order, wanted);
    assert!(desk.board.overlays().is_empty());
    desk.answers(id, Ok(CompletedOrder::Stored(Seq(4))));
    let receipt = desk.board.visible_receipt().unwrap();
    assert_eq!(receipt.progress(), "stored");
    desk.types("m");
    assert!(desk.composer().field.is_empty());
}

#[test]
fn a_refused_message_says_why_and_is_there_again() {
    let mut desk = Desk::new();
    desk.types("jmhello");
    let (id, _) = order_of(&desk.key(KeyCode::Enter));
    desk.answers(id, Err(OrderRefusal::Stopped));
    assert_eq!(
        desk.complaint(),
        "message bravo: mysis stopped - press 'r' to relaunch"
    );
    desk.types("m");
    assert_eq!(desk.composer().field.text(), "hello");
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Esc);
    assert_eq!(desk.complaint(), "");
}

#[test]
fn drafts_are_kept_for_each_mysis() {
    let mut desk = Desk::new();
    desk.types("mfirst");
    desk.key(KeyCode::Esc);
    desk.types("jmsecond");
    desk.key(KeyCode::Esc);
    desk.types("km");
    assert_eq!(desk.composer().field.text(), "first");
}

#[test]
fn what_is_written_stays_open_when_the_open_mysis_is_deleted() {
    for is_from_search in [false, true] {
        let mut desk = Desk::new();
        if is_from_search {
            desk.types("Sgold");
            desk.key(KeyCode::Enter);
            let request = Request::Open(MysisId(1), None);
            desk.board.outbox.request(request);
            desk.board.carry_out_requests();
        } else {
            desk.key(KeyCode::Enter);
        }
        assert!(desk.board.overlays().is_empty());
        desk.types("mhel");
        desk.happens(Some((1, "alpha")), EventKind::Roster(RosterChange::Deleted));
        assert!(desk.board.focus().is_none());
        desk.types("p");
        assert_eq!(desk.composer().field.text(), "help");
        desk.key(KeyCode::Esc);
        let is_back = desk.board.view::<SearchView>().is_some();
        assert_eq!(is_back, is_from_search);
    }
}

#[test]
fn the_line_of_an_inspector_goes_with_it() {
    let mut desk = Desk::new();
    desk.key(KeyCode::Enter);
    let line = Query::new(QueryScope::Entry, "ore");
    desk.board.layers.all.push(Overlay::Query(line));
    desk.happens(Some((1, "alpha")), EventKind::Roster(RosterChange::Deleted));
    assert!(desk.board.overlays().is_empty());
}

#[test]
fn an_order_for_a_mysis_that_is_gone_says_so() {
    let mut desk = Desk::new();
    desk.types("mhello");
    desk.happens(Some((1, "alpha")), EventKind::Roster(RosterChange::Deleted));
    assert!(orders_of(&desk.key(KeyCode::Enter)).is_empty());
    let words = "the Mysis was deleted meanwhile; nothing was ordered";
    assert_eq!(desk.said(), words);
    assert_eq!(desk.board.writing.history.to_lines(), "\"hello\"\n");
}

#[test]
fn start_stop_and_a_delete_that_asks() {
    let mut desk = Desk::new();
    let name = || "alpha".to_string();
    assert_eq!(
        order_of(&desk.types("s")).1,
        MysisOrder::Stop.for_mysis(name())
    );
    assert_eq!(
        order_of(&desk.types("r")).1,
        MysisOrder::Start.for_mysis(name())
    );
    assert!(desk.types("jd").is_empty());
    assert!(
        desk.key(KeyCode::Enter).is_empty(),
        "a delete wants a clear yes"
    );
    let name = || "bravo".to_string();
    assert_eq!(
        order_of(&desk.types("y")).1,
        Order::Delete {
            name: name(),
            now: false
        }
    );
}

#[test]
fn quitting_asks_while_myses_run() {
    let mut desk = Desk::new();
    assert!(desk.types("q").is_empty());
    assert!(desk.key(KeyCode::Enter).is_empty(), "it is not offered");
    assert!(desk.types("n").is_empty());
    assert_eq!(desk.types("qy"), [UiEffect::Quit]);
    let mut left = Desk::with(vec![status(1, "alpha", LifeState::Running)]);
    assert_eq!(left.types("qh"), [UiEffect::QuitFor(Successor::Headless)]);
    assert!(desk.types("q").is_empty(), "it closes already");
    let mut quiet = Desk::with(vec![status(1, "alpha", LifeState::Idle)]);
    assert_eq!(quiet.types("q"), [UiEffect::Quit]);
}

#[test]
fn the_selection_stays_on_its_mysis_and_moves_on_when_that_goes() {
    let mut desk = Desk::new();
    desk.types("j");
    assert_eq!(desk.in_hand(), "bravo");
    desk.reports(status(9, "aaa", LifeState::Idle));
    assert_eq!(desk.in_hand(), "bravo");
    desk.happens(Some((2, "bravo")), EventKind::Roster(RosterChange::Deleted));
    assert_eq!(desk.in_hand(), "ceres");
    // The one that came while keys were pressed stands at the end.
    desk.key(KeyCode::End);
    desk.happens(Some((9, "aaa")), EventKind::Roster(RosterChange::Deleted));
    assert_eq!(desk.in_hand(), "ceres");
}

#[test]
fn a_form_stays_until_its_order_is_carried_out() {
    let mut desk = Desk::new();
    desk.types("nzed");
    let (id, order) = order_of(&desk.key(KeyCode::Enter));
    assert_eq!(
        order,
        Order::Create {
            name: "zed".to_string(),
            provider: Some("local".to_string()),
            model: None,
            role: None,
            start: true
        }
    );
    desk.answers(id, Err(OrderRefusal::NameTaken("zed".to_string())));
    let Some(Overlay::Form(form)) = desk.board.overlays().last() else {
        panic!("the form is gone");
    };
    assert!(form.complaint.as_ref().unwrap().contains("exists already"));
    let (id, _) = order_of(&desk.key(KeyCode::Enter));
    desk.reports(status(4, "zed", LifeState::Idle));
    desk.answers(id, Ok(CompletedOrder::Created(MysisId(4))));
    assert!(desk.board.overlays().is_empty());
    assert_eq!(desk.in_hand(), "zed");
}

#[test]
fn a_new_mysis_that_comes_after_another_key_takes_no_row_out_of_hand() {
    let mut desk = Desk::new();
    desk.types(":new zed");
    let (id, _) = order_of(&desk.key(KeyCode::Enter));
    let later = Timestamp(1_000_100);
    desk.board.tick(Now::from_timestamp(later));
    desk.types("j");
    desk.reports(status(4, "zed", LifeState::Idle));
    desk.answers(id, Ok(CompletedOrder::Created(MysisId(4))));
    assert_eq!(desk.in_hand(), "bravo");
}

#[test]
fn a_conversation_is_read_from_its_end_and_marks_it_as_read() {
    let mut desk = Desk::new();
    desk.happens(Some((1, "alpha")), EventKind::Stored(words(7, "hello")));
    let is_unread = |desk: &Desk| desk.board.facts.roster.get(MysisId(1)).unwrap().is_unread();
    assert!(is_unread(&desk));
    let effects = desk.key(KeyCode::Enter);
    let loads = loads_of(&effects);
    let (stamp, page) = &loads[1];
    assert_eq!((page.mysis, page.from), (MysisId(1), PageFrom::Newest));
    let page = StoreAnswer::Page(vec![words(7, "hello")]);
    desk.board.on_read(*stamp, Ok(page));
    desk.board.prepare_frame();
    assert!(!is_unread(&desk));
    desk.happens(Some((1, "alpha")), EventKind::Roster(RosterChange::Deleted));
    assert!(desk.board.focus().is_none());
}

#[test]
fn an_error_of_the_program_stays_until_it_is_dismissed_and_what_lasts_is_in_the_banner() {
    let mut desk = Desk::new();
    let notice = |severity, code, text: &str| EventKind::Notice {
        severity,
        code,
        text: text.into(),
    };
    desk.happens(None, notice(Severity::Error, "reload_failed", "no file"));
    assert_eq!(desk.complaint(), "no file");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.complaint(), "");
    desk.happens(None, notice(Severity::Error, "store_trouble", "disk full"));
    assert_eq!(desk.complaint(), "");
    let mut standing = StandingConditions::default();
    let full = Some("disk full".into());
    standing.set(StandingKind::StoreTrouble, Timestamp(0), full);
    desk.changes(SwarmCondition::Standing(Arc::new(standing)));
    desk.key(KeyCode::Esc);
    assert_eq!(desk.board.banner_text(), "disk full");
    assert!(desk.board.title().contains("1 need you"));
    desk.changes(SwarmCondition::Standing(Arc::default()));
    assert_eq!(desk.board.banner_text(), "");
}

#[test]
fn taking_stock_forgets_who_is_gone() {
    let mut desk = Desk::new();
    desk.key(KeyCode::Enter);
    desk.board.restore(SwarmSnapshot {
        statuses: vec![status(2, "bravo", LifeState::Idle)],
        mission: Some("mine".into()),
        rules: rules(),
        redactor: Arc::default(),
    });
    desk.board.prepare_frame();
    assert!(desk.board.focus().is_none());
    assert_eq!(desk.in_hand(), "bravo");
    assert_eq!(desk.board.facts.counts.all, 1);
}

fn sent(body: &str) -> CompletedOrder {
    CompletedOrder::Request(Box::new(SentRequest {
        at: Timestamp(999_000),
        provider: "local".into(),
        body: body.into(),
        parts: RequestByteCounts {
            system: 7,
            tools: 3,
            ..RequestByteCounts::default()
        },
        change: None,
    }))
}

#[test]
fn the_request_last_sent_is_looked_into_letter_for_letter() {
    let mut desk = Desk::new();
    let (id, order) = order_of(&desk.types("x"));
    let name = "alpha".to_string();
    assert_eq!(order, Order::ShowRequest { name });
    assert!(desk.board.overlays().is_empty());
    let body = r#"{"model":"m","messages":[{"role":"user","content":"go"}]}"#;
    desk.answers(id, Ok(sent(body)));
    let inspector = desk.board.view::<Inspector>().expect("it is looked into");
    assert_eq!(inspector.whole_text(), body);
    assert!(inspector.title.starts_with("LAST REQUEST OF alpha"));
    desk.types("w");
    let written = desk.board.take_actions();
    assert!(
        matches!(&written[..], [TerminalAction::Write { text, .. }] if &**text == body),
        "{written:?}"
    );
}

#[test]
fn what_is_hidden_does_not_move_under_a_text_over_the_inspector_or_a_view() {
    let mut desk = Desk::new();
    let (id, _) = order_of(&desk.types("x"));
    desk.answers(id, Ok(sent("{}")));
    desk.types("/");
    desk.key(KeyCode::Down);
    desk.key(KeyCode::PageDown);
    assert_eq!(desk.in_hand(), "alpha");
    assert_eq!(desk.board.overlays().len(), 2);

    let mut desk = Desk::new();
    desk.types("L");
    let target = ComposeTarget::Swarm;
    desk.board.outbox.request(Request::Compose(target));
    desk.board.carry_out_requests();
    desk.key(KeyCode::PageDown);
    assert_eq!(desk.in_hand(), "alpha");
    assert_eq!(desk.board.overlays().len(), 2);
}

#[test]
fn a_mysis_that_sent_nothing_says_so_and_leaves_no_receipt() {
    let mut desk = Desk::new();
    let (id, _) = order_of(&desk.types("x"));
    desk.answers(id, Err(OrderRefusal::NothingSent));
    assert!(desk.board.overlays().is_empty());
    assert!(desk.board.facts.orders.receipts().is_empty());
    let why = format!("alpha: {}", OrderRefusal::NothingSent);
    assert_eq!(desk.said(), why);
}

#[test]
fn those_who_were_interrupted_are_one_trouble_that_one_key_mends() {
    let interrupted = |id, name: &str| {
        let mut one = MysisStatus::clone(&status(id, name, LifeState::Idle));
        one.reason = Some("interrupted: it ran until then".into());
        Arc::new(one)
    };
    let mut desk = Desk::with(vec![
        interrupted(1, "alpha"),
        status(2, "bravo", LifeState::Idle),
        interrupted(3, "ceres"),
    ]);
    let needs = &desk.board.facts.needs;
    assert_eq!(needs.len(), 1, "{needs:?}");
    let ids: Vec<MysisId> = needs[0].myses.iter().map(|mysis| mysis.id).collect();
    assert_eq!(ids, [MysisId(1), MysisId(3)]);
    let need = &needs[0];
    assert_eq!(
        (
            need.what,
            &*super::needs::key_of(need.remedy, &desk.board.facts.keymap)
        ),
        ("interrupted", "R")
    );
    let started: Vec<Order> = orders_of(&desk.types("R"))
        .into_iter()
        .map(|(_, order)| order)
        .collect();
    let start = |name: &str| MysisOrder::Start.for_mysis(name);
    assert_eq!(started, [start("alpha"), start("ceres")]);
    let mut nobody = Desk::new();
    assert!(orders_of(&nobody.types("R")).is_empty());
    assert!(nobody.said().contains("nothing to resume"));
}

#[test]
fn those_who_are_to_try_again_are_named_by_a_line() {
    let mut desk = Desk::with(vec![
        status(1, "alpha", LifeState::Running),
        status(2, "bravo", LifeState::Errored),
    ]);
    desk.types(":retry all");
    let orders = orders_of(&desk.key(KeyCode::Enter));
    let retry = |name: &str| MysisOrder::Retry.for_mysis(name);
    assert_eq!(orders.len(), 2);
    assert_eq!(
        (&orders[0].1, &orders[1].1),
        (&retry("alpha"), &retry("bravo"))
    );
    desk.answers(orders[0].0, Err(OrderRefusal::NothingToRetry));
    let done = CompletedOrder::Done(CompletedAction::Retried);
    desk.answers(orders[1].0, Ok(done));
    let receipt = desk.board.facts.orders.receipts().back().unwrap().clone();
    assert_eq!(
        (receipt.what, receipt.done, receipt.refused.len()),
        ("retry", 1, 1)
    );
    desk.types("U");
    assert!(desk.said().contains("there is no order to undo"));
}

#[test]
fn what_is_said_goes_after_its_time_although_the_wall_clock_is_set_back() {
    for shift in [-60_000, -3_600_000, 3_600_000] {
        let mut desk = Desk::new();
        desk.types("R");
        let at = |ms: i64| Now {
            wall: Timestamp(1_000_000 + ms + shift),
            moment: Moment(1_000_000 + ms),
        };
        desk.board.tick(at(7_000));
        assert!(
            matches!(desk.board.status_line(), StatusLine::Said(_)),
            "{shift}"
        );
        desk.board.tick(at(9_000));
        assert_eq!(desk.board.status_line(), StatusLine::Nothing, "{shift}");
    }
}

#[test]
fn who_waits_for_what_is_away_shows_for_whom_and_for_how_long() {
    let mut waits = MysisStatus::clone(&status(1, "alpha", LifeState::Running));
    let lane = Lane::Provider("local".into());
    waits.activity = Activity::Queueing(lane.clone());
    let mut desk = Desk::with(vec![Arc::new(waits)]);
    let doing = |desk: &Desk| {
        let member = desk.board.facts.roster.find_by_name("alpha").unwrap();
        super::table::cells::doing_text(&desk.board.facts, &member.status).0
    };
    assert_eq!(doing(&desk), "local busy 16:40");
    let outages = ServerOutages(vec![ServerOutage {
        lane,
        text: "HTTP 503".into(),
        since: Timestamp(900_000),
        next_try: Timestamp(1_004_000),
        needs_operator: false,
        stage: OutageStage::Away,
    }]);
    desk.changes(SwarmCondition::Outages(Arc::new(outages)));
    assert_eq!(doing(&desk), "local down 0:04 left");
    desk.changes(SwarmCondition::Outages(Arc::default()));
    assert_eq!(doing(&desk), "local busy 16:40");
}

#[test]
fn a_request_is_weighed_once_for_each_answer_of_the_model() {
    let mut desk = Desk::new();
    let (id, order) = order_of(&desk.key(KeyCode::Enter));
    assert!(matches!(order, Order::ShowRequest { .. }));
    assert!(orders_of(&desk.key(KeyCode::Down)).is_empty());
    desk.answers(id, Ok(sent("{}")));
    let parts = desk.board.focus().and_then(|focus| focus.weight.parts);
    assert_eq!(parts.map(|parts| parts.total_bytes()), Some(10));
    assert!(orders_of(&desk.key(KeyCode::Down)).is_empty());
    let mut later = (*status(1, "alpha", LifeState::Running)).clone();
    later.totals.tokens_in += 100;
    desk.reports(Arc::new(later));
    assert_eq!(orders_of(&desk.key(KeyCode::Down)).len(), 1);
}

#[test]
fn what_is_kept_of_what_was_written_holds_no_known_secret() {
    let mut desk = Desk::new();
    let redactor = Redactor::new(["hunter2-hunter2".into()]);
    desk.board.take_rules(rules(), Arc::new(redactor));
    desk.types("m");
    desk.types("use hunter2-hunter2 now");
    desk.key(KeyCode::Enter);
    let lines = desk.board.writing.history.to_lines();
    assert_eq!(lines, "\"use [redacted] now\"\n");
}

#[test]
fn the_budget_of_the_day_is_shown_until_the_day_is_over() {
    use actors::domain::books::Day;
    use actors::domain::budget::BudgetStatus;

    let mut board = Dashboard::new(DashboardOptions::default());
    let noon = Timestamp(20_000 * 86_400_000 + 43_200_000);
    board.tick(Now::from_timestamp(noon));
    assert_eq!(board.facts.budget_percent(), None);
    let spending = BudgetStatus {
        day: Day::of(noon),
        percent: Some(42),
        ..BudgetStatus::default()
    };
    board.on_event(&SwarmEvent {
        at: noon,
        mysis: None,
        what: EventKind::Condition(SwarmCondition::Budget(Arc::new(spending))),
    });
    assert_eq!(board.facts.budget_percent(), Some(42));
    board.tick(Now::from_timestamp(Day::of(noon).end_time()));
    assert_eq!(board.facts.budget_percent(), Some(0));
}

#[test]
fn the_help_has_the_keys_that_are_offered_while_something_is_written() {
    let mut desk = Desk::new();
    let chapters = desk.board.help();
    let lines = chapters.iter().flat_map(|chapter| &chapter.lines);
    let keys: Vec<&str> = lines.map(|line| &*line.keys).collect();
    desk.types("m");
    for (key, _) in desk.board.hints() {
        assert!(keys.iter().any(|it| it.contains(&key)), "{key}: {keys:?}");
    }
}

#[test]
fn help_begins_with_the_view_in_hand_and_goes_as_it_came() {
    let mut desk = Desk::new();
    let first = |desk: &Desk| desk.board.help()[0].title;
    desk.types("?");
    assert_eq!(first(&desk), "The table of Myses");
    desk.types("?");
    assert!(desk.board.overlays().is_empty());
    let (id, _) = order_of(&desk.types("x"));
    desk.answers(id, Ok(sent("{}")));
    desk.types("?");
    assert_eq!(first(&desk), "The inspected entry or request");
    assert_eq!(desk.board.overlays().len(), 2);
    desk.types("P");
    assert_eq!(desk.board.take_actions(), [TerminalAction::Dump]);
    desk.types("?");
    assert_eq!(desk.board.overlays().len(), 1);
    desk.types("L");
    assert!(desk.board.view::<LogView>().is_some());
    desk.types("LLq");
    assert_eq!(desk.board.overlays().len(), 1);
}

#[test]
fn the_end_names_for_whom_it_still_waits() {
    let mut desk = Desk::new();
    let under_way = |activity| {
        let mut one = (*status(1, "alpha", LifeState::Running)).clone();
        one.activity = activity;
        Arc::new(one)
    };
    desk.reports(under_way(Activity::Travelling));
    assert!(desk.board.facts.awaited_myses().is_empty());
    desk.types("qy");
    let waited = |desk: &Desk| desk.board.facts.awaited_myses().len();
    assert_eq!(waited(&desk), 1);
    assert_eq!(desk.board.status_line(), super::StatusLine::Closing);
    desk.reports(under_way(Activity::Resting));
    assert_eq!(waited(&desk), 0);
}

#[test]
fn a_freeze_and_an_end_concern_the_myses_of_this_process_alone() {
    let pausing = |id, name, elsewhere: Option<&str>| {
        let place = |process: &str| Elsewhere {
            process: process.into(),
            is_gone: false,
        };
        Arc::new(MysisStatus {
            activity: Activity::Pausing,
            elsewhere: elsewhere.map(|process| Arc::new(place(process))),
            ..MysisStatus::clone(&status(id, name, LifeState::Running))
        })
    };
    let mut desk = Desk::with(vec![
        pausing(1, "alpha", None),
        pausing(2, "bravo", None),
        pausing(3, "ceres", Some("box-2")),
    ]);
    let since = Some(Timestamp(1_000_000));
    desk.changes(SwarmCondition::Freeze(since));
    let facts = &desk.board.facts;
    let statuses = facts.roster.members().values().map(|member| &member.status);
    let held = statuses.map(|status| facts.is_held(status));
    assert_eq!(held.collect::<Vec<_>>(), [true, true, false]);
    desk.types("F");
    assert_eq!(
        desk.question().lines[1],
        "2 Myses run and continue where they paused."
    );
    desk.types("nqy");
    let waited = desk.board.facts.awaited_myses();
    let names: Vec<&str> = waited.iter().map(|status| &*status.name).collect();
    assert_eq!(names, ["alpha", "bravo"]);
}

#[test]
fn turns_of_before_are_no_turns_of_now_when_a_mysis_joins() {
    let with_turns = |id, name, turns| {
        let mut one = MysisStatus::clone(&status(id, name, LifeState::Running));
        one.totals.turns = turns;
        Arc::new(one)
    };
    let mut desk = Desk::with(vec![status(1, "alpha", LifeState::Running)]);
    desk.board.tick(Now::from_timestamp(Timestamp(1_011_000)));
    desk.reports(with_turns(2, "bravo", 4_000));
    let rate = |desk: &Desk| desk.board.facts.turn_rate.per_minute();
    assert_eq!(rate(&desk), Some(0));
    desk.reports(with_turns(2, "bravo", 4_002));
    assert_eq!(rate(&desk), Some(10), "two in eleven seconds");
}

#[test]
fn where_nothing_runs_a_minute_uses_no_tokens() {
    let with_tokens = |state| {
        let mut one = MysisStatus::clone(&status(1, "alpha", state));
        one.totals.tokens_in = 1_000;
        Arc::new(one)
    };
    let mut desk = Desk::with(vec![status(1, "alpha", LifeState::Running)]);
    desk.board.tick(Now::from_timestamp(Timestamp(1_011_000)));
    desk.reports(with_tokens(LifeState::Running));
    assert!(desk.board.facts.tokens_per_minute() > Some(0));
    desk.reports(with_tokens(LifeState::Stopped));
    assert_eq!(desk.board.facts.tokens_per_minute(), Some(0));
}

#[test]
fn g_goes_to_the_graphs_from_every_view_and_list() {
    let is_open = |desk: &Desk| {
        let top = desk
            .board
            .overlays()
            .last()
            .and_then(Overlay::try_as_view_ref);
        top.is_some_and(|view| (&**view as &dyn Any).is::<GraphView>())
    };
    let mut desk = Desk::new();
    desk.types("g?g");
    assert!(is_open(&desk));
    assert_eq!(desk.board.overlays().len(), 1, "the help is gone");
    desk.types("gg");
    assert!(is_open(&desk), "closed and open again");
    for before in ["L", "?", ":graphs"] {
        let mut desk = Desk::new();
        desk.types(before);
        match before {
            ":graphs" => drop(desk.key(KeyCode::Enter)),
            _ => drop(desk.types("g")),
        }
        assert!(is_open(&desk), "{before}");
    }
    let mut desk = Desk::new();
    desk.key(KeyCode::Enter);
    desk.types("g");
    assert!(is_open(&desk), "from a conversation");
}
