//! An operator at a dashboard, with a swarm behind it that answers at once.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::books::{BudgetUse, CostEntry, Day, SavedCalls};
use actors::domain::event::{EventKind, MysisRef, SwarmEvent};
use actors::domain::event_record::{
    EventId, EventRecord, EventRecordKind, OrderSource, OrderSummary, record_of,
};
use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::ids::MysisId;
use actors::domain::ids::{Now, Timestamp};
use actors::domain::message::Severity;
use actors::domain::order::{CompletedOrder, OrderResult};
use actors::domain::samples::{Flow, GameFacts, Minute, Sample, SampleQuery, SampleSeries};
use actors::domain::screen::{StoreAnswer, StoreQuery, SwarmSnapshot, UiEffect};
use actors::domain::swarm_books::{BooksQuery, EarnedEntry, SwarmBooks};
use actors::domain::system_map::{SystemMap, SystemMapBuilder, SystemMapQuery};
use actors::ports::{Archive, ArchiveFault};
use futures::FutureExt;
use futures::future::BoxFuture;
use zoea_tui::dashboard::input_event::{Input, ctrl, key, letter};
use zoea_tui::dashboard::{Dashboard, DashboardOptions};
use zoea_tui::dump;
use zoea_tui::theme::Depth;
use zoea_tui::view::{self, Picture};

use zoea_scenes::swarm::{START, Swarm, rules};

pub(crate) struct Operator {
    pub(crate) board: Dashboard,
    pub(crate) swarm: Swarm,
    pub(crate) now: Timestamp,
    /// How many systems the store knows.
    pub(crate) systems: usize,
    /// What was recorded, oldest first.
    pub(crate) records: Vec<EventRecord>,
}

impl Operator {
    /// Sits down before a swarm, an hour after it began.
    pub(crate) fn at(swarm: Swarm, size: (u16, u16)) -> Operator {
        let mut board = Dashboard::new(DashboardOptions {
            size,
            ..DashboardOptions::default()
        });
        let now = Timestamp(START.0 + 3_600_000);
        board.tick(Now::from_timestamp(now));
        let mut operator = Operator {
            board,
            swarm,
            now,
            systems: 40,
            records: Vec::new(),
        };
        let snapshot = operator.snapshot();
        operator.board.restore(snapshot);
        operator.prepare_frame();
        operator
    }

    /// The swarm as a new screen gets it.
    pub(crate) fn snapshot(&self) -> SwarmSnapshot {
        SwarmSnapshot {
            statuses: self
                .swarm
                .statuses
                .values()
                .cloned()
                .map(Arc::new)
                .collect(),
            mission: self.swarm.mission.clone(),
            rules: rules(),
            redactor: Arc::default(),
        }
    }

    /// Gives a new screen the swarm.
    pub(crate) fn restore(&mut self, snapshot: SwarmSnapshot) {
        self.board.tick(Now::from_timestamp(self.now));
        self.board.restore(snapshot);
        self.prepare_frame();
    }

    /// Presses keys: letters, and names of keys in angle brackets.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Operator {
        let mut rest = keys;
        while let Some(next) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            let press = match named.and_then(|(name, after)| Some((press(name)?, after))) {
                Some((press, after)) => {
                    rest = after;
                    press
                }
                None => {
                    rest = &rest[next.len_utf8()..];
                    letter(next)
                }
            };
            self.input(press.into());
        }
        self
    }

    pub(crate) fn input(&mut self, input: Input) {
        self.board.tick(Now::from_timestamp(self.now));
        self.board.on_input(input);
        self.prepare_frame();
    }

    /// Something happens in the swarm.
    pub(crate) fn receives(&mut self, text: &[SwarmEvent]) -> &mut Operator {
        for event in text {
            self.take_event(event);
        }
        self.prepare_frame();
        self
    }

    /// Something happens in the swarm now, to no Mysis in particular.
    pub(crate) fn happens(&mut self, what: EventKind) -> &mut Operator {
        let event = SwarmEvent {
            at: self.now,
            mysis: None,
            what,
        };
        self.receives(&[event])
    }

    /// Time goes by.
    pub(crate) fn waits(&mut self, time: Duration) {
        self.now = self.now.plus(time);
        self.board.tick(Now::from_timestamp(self.now));
        self.prepare_frame();
    }

    /// Tells the dashboard of an event, and of its record, as the Commander does.
    fn take_event(&mut self, event: &SwarmEvent) {
        self.board.on_event(event);
        let id = EventId(self.records.len() as i64 + 1);
        if let Some(record) = record_of(event, id) {
            self.record(record);
        }
    }

    /// Tells the dashboard of an order's record, as the Commander does.
    fn record_order(&mut self, summary: OrderSummary, answer: &OrderResult) {
        let statuses = self.swarm.statuses.values();
        let mut named = statuses.filter(|status| Some(&*status.name) == summary.name.as_deref());
        let mysis = named.next().map(|status| MysisRef {
            id: status.id,
            name: status.name.clone(),
        });
        let (summary, severity) = match answer {
            Ok(_) => (summary, Severity::Info),
            Err(why) => (summary.refused(why), Severity::Warn),
        };
        let row = match answer {
            Ok(CompletedOrder::Stored(seq)) => Some(*seq),
            Ok(_) | Err(_) => None,
        };
        self.record(EventRecord {
            id: EventId(self.records.len() as i64 + 1),
            at: self.now,
            kind: EventRecordKind::Order,
            mysis,
            severity,
            code: summary.code.into(),
            text: summary.text.into(),
            source: Some(OrderSource::Terminal),
            row,
            answered: None,
        });
    }

    /// Tells the dashboard what was just recorded.
    pub(crate) fn record(&mut self, record: EventRecord) {
        self.board.on_recorded(&record);
        self.records.push(record);
    }

    /// Does what the dashboard wants done, until it wants nothing more.
    pub(crate) fn prepare_frame(&mut self) {
        for _ in 0..100 {
            self.board.prepare_frame();
            let effects = self.board.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                self.fulfil(effect);
            }
        }
        panic!("the dashboard never comes to rest");
    }

    fn fulfil(&mut self, effect: UiEffect) {
        match effect {
            UiEffect::Order { id, order } => {
                let summary = OrderSummary::of(&order);
                let (answer, text) = self.swarm.order(order, self.now);
                for event in text {
                    self.take_event(&event);
                }
                if let Some(summary) = summary {
                    self.record_order(summary, &answer);
                }
                self.board.on_answer(id, answer);
            }
            UiEffect::Read { id, query } => {
                let read = self.read(query);
                self.board.on_read(id, read);
            }
            UiEffect::Write(_)
            | UiEffect::SumUp(_)
            | UiEffect::CheckSetup
            | UiEffect::Quit
            | UiEffect::QuitFor(_) => {}
        }
    }

    fn read(&self, query: StoreQuery) -> Result<StoreAnswer, String> {
        Ok(match query {
            StoreQuery::Page(page) => StoreAnswer::Page(at_once(self.swarm.stored.page(page))?),
            StoreQuery::Search(search) => {
                StoreAnswer::Search(at_once(self.swarm.stored.search(search))?)
            }
            StoreQuery::Samples(query) => StoreAnswer::Samples(made_series(&query)),
            StoreQuery::Books(query) => StoreAnswer::Books(made_books(&query)),
            StoreQuery::SystemMap(query) => StoreAnswer::SystemMap(made_map(self.systems, &query)),
            StoreQuery::Processes => StoreAnswer::Processes(made_processes()),
            StoreQuery::Events(query) => {
                let before = query.before.and_then(|before| {
                    let mut records = self.records.iter();
                    records.position(|record| record.id == before)
                });
                let end = before.unwrap_or(self.records.len());
                let page = self.records[end.saturating_sub(query.limit)..end].to_vec();
                StoreAnswer::Events(page)
            }
        })
    }

    pub(crate) fn picture(&self) -> Picture {
        view::paint(&self.board, Depth::True)
    }

    /// What is on the screen.
    pub(crate) fn text(&self) -> String {
        dump::render_text(&self.picture().buffer)
    }
}

fn at_once<T>(read: BoxFuture<'static, Result<T, ArchiveFault>>) -> Result<T, String> {
    let answer = read.now_or_never().expect("it is in memory");
    answer.map_err(|fault| fault.to_string())
}

fn press(name: &str) -> Option<KeyEvent> {
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "shift-left" => return Some(KeyEvent::new(KeyCode::Left, KeyModifiers::SHIFT)),
        "shift-up" => return Some(KeyEvent::new(KeyCode::Up, KeyModifiers::SHIFT)),
        "end" => KeyCode::End,
        "ctrl-c" => return Some(ctrl('c')),
        "ctrl-r" => return Some(ctrl('r')),
        "alt-enter" => return Some(KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)),
        _ => return None,
    };
    Some(key(code))
}

/// Books of Myses that each cost a little more than the one before. Every third one asks a provider without a price, and
/// one is deleted.
fn made_books(query: &BooksQuery) -> SwarmBooks {
    let days = query.first.0..=query.last.0;
    let deleted = MysisId(0x1f00);
    let myses = query.myses.iter().copied().chain([deleted]);
    let all = myses.zip(1_u64..).flat_map(|(mysis, place)| {
        let days = days.clone();
        days.map(move |day| (mysis, place, Day(day)))
    });
    let costs = all.clone().map(|(mysis, place, day)| {
        let has_price = place % 3 != 0;
        CostEntry {
            day,
            mysis,
            provider: if has_price { "openrouter" } else { "local" }.into(),
            spent: BudgetUse {
                calls: 40 + place,
                input: 1_204_000 + place * 70_001,
                cached: 900_300 + place * 40_000,
                output: 20_150 + place * 100,
                cost_micros: u64::from(has_price) * (310_000 + place * 83_000),
            },
        }
    });
    let earned = all.clone().filter(|(mysis, ..)| *mysis != deleted);
    let earned = earned.map(|(mysis, place, day)| EarnedEntry {
        day,
        mysis,
        credits: i64::try_from(place).expect("a few") * 1_700 - 3_000,
    });
    let spared = all.take(2).map(|(mysis, place, day)| SavedCalls {
        day,
        mysis,
        calls: 1_300 + place * 211,
    });
    SwarmBooks {
        costs: costs.collect(),
        earned: earned.collect(),
        saved: spared.collect(),
    }
}
/// The map of looks at so many systems, every second of which is somewhere between two others and tells no place.
fn made_map(systems: usize, query: &SystemMapQuery) -> SystemMap {
    let mut builder = SystemMapBuilder::new(query);
    for (text, command) in zoea_scenes::systems::looks(systems) {
        builder.add_result(command, &text, START);
    }
    builder.finish()
}

/// Samples of Myses that earn, each a little more than the one before, and of which each fails for a while.
fn made_series(query: &SampleQuery) -> Vec<SampleSeries> {
    let series = |mysis: Option<MysisId>| {
        let factor = mysis.map_or(10, |mysis| mysis.0);
        let samples = (0..i64::try_from(query.steps.count).unwrap()).map(|step| Sample {
            minute: Minute(query.steps.first.0 + step * query.steps.minutes),
            facts: GameFacts {
                credits: Some(500 + factor * step * 40),
                ..GameFacts::default()
            },
            flow: Flow {
                earned: Some(factor * (40 + step % 7 * 10)),
                tokens_in: 20_000,
                failures: u64::from(step % 20 < 3),
                ..Flow::default()
            },
        });
        SampleSeries {
            mysis,
            samples: samples.collect(),
        }
    };
    match query.is_sum {
        true => vec![series(None)],
        false => query
            .myses
            .iter()
            .map(|mysis| series(Some(*mysis)))
            .collect(),
    }
}

/// Three processes that live, and two that do not.
pub(crate) fn made_processes() -> Vec<FleetProcess> {
    let at = |hours: i64| Timestamp(START.0 - hours * 3_600_000);
    let process = |name: &str, state: ProcessState, running: u64, hours: i64| FleetProcess {
        name: name.into(),
        host: name.trim_end_matches("-2").into(),
        directory: "/home/ada/.zoea".into(),
        version: "0.1.0".into(),
        state,
        is_here: name == "box",
        capacity: 100,
        myses: running + 2,
        running,
        since: at(hours),
        until: (!state.is_up()).then(|| at(1)),
    };
    vec![
        process("box", ProcessState::Alive, 34, 30),
        process("box-2", ProcessState::Draining, 12, 3),
        process("eu-west-14-b.example", ProcessState::Frozen, 33, 9),
        process("us-1", ProcessState::Gone, 0, 200),
        process("us-2", ProcessState::Ended, 0, 200),
    ]
}
