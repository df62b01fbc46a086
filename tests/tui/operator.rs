//! An operator at a dashboard, with a swarm behind it that answers at once.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;

use actors::domain::event::SwarmEvent;
use actors::domain::ids::MysisId;
use actors::domain::ids::{Now, Timestamp};
use actors::domain::samples::{Flow, GameFacts, Minute, Sample, SampleQuery, SampleSeries};
use actors::domain::screen::SwarmSnapshot;
use actors::domain::screen::UiEffect;
use actors::ports::{Archive, ArchiveFault};
use futures::FutureExt;
use futures::future::BoxFuture;
use zoea_tui::dashboard::input_event::{Input, ctrl, key, letter};
use zoea_tui::dashboard::{Dashboard, DashboardOptions};
use zoea_tui::dump;
use zoea_tui::theme::Depth;
use zoea_tui::view::{self, Picture};

use zoea_scenes::swarm::{START, Swarm, rules};

/// An operator.
pub(crate) struct Operator {
    pub(crate) board: Dashboard,
    pub(crate) swarm: Swarm,
    pub(crate) now: Timestamp,
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
        let mut operator = Operator { board, swarm, now };
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
    pub(crate) fn hears(&mut self, told: &[SwarmEvent]) -> &mut Operator {
        for event in told {
            self.board.on_event(event);
        }
        self.prepare_frame();
        self
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
                let (answer, told) = self.swarm.order(order, self.now);
                for event in told {
                    self.board.on_event(&event);
                }
                self.board.on_answer(id, answer);
            }
            UiEffect::Load { id: stamp, page } => {
                let page = at_once(self.swarm.stored.page(page));
                self.board.on_page(stamp, page);
            }
            UiEffect::Search { id: stamp, search } => {
                let found = at_once(self.swarm.stored.search(search));
                self.board
                    .on_search_result(stamp, found.map(|found| found.rows));
            }
            UiEffect::ReadSamples { id, query } => {
                self.board.on_samples(id, Ok(made_series(&query)));
            }
            UiEffect::Export { .. }
            | UiEffect::CheckSetup
            | UiEffect::Quit
            | UiEffect::QuitFor(_) => {}
        }
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
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "ctrl-c" => return Some(ctrl('c')),
        "alt-enter" => return Some(KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)),
        _ => return None,
    };
    Some(key(code))
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
