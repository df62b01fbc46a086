//! The metrics of turns (`gen_ai.invoke_agent.*`, `gen_ai.execute_tool.*`), counted from events.

use std::collections::BTreeMap;

use actors::domain::event::{SwarmEvent, TurnNews};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::{CallStatus, RowBody};

use super::text::{CALL_SECONDS_BOUNDS, Histogram, MetricsPage};

/// The upper bounds of a turn's duration, in seconds.
const SECONDS_BOUNDS: [f64; 14] = [
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
];
/// The upper bounds of the calls of a turn.
const CALLS_BOUNDS: [f64; 12] = [
    0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0,
];
pub(super) struct TurnMetrics {
    open: BTreeMap<MysisId, TurnCount>,
    seconds: Histogram,
    model_calls: Histogram,
    tool_calls: Histogram,
    tool_seconds: [Histogram; 2],
}

struct TurnCount {
    since: Timestamp,
    model_calls: u32,
    tool_calls: u32,
}

impl Default for TurnMetrics {
    fn default() -> TurnMetrics {
        TurnMetrics {
            open: BTreeMap::new(),
            seconds: Histogram::new(&SECONDS_BOUNDS),
            model_calls: Histogram::new(&CALLS_BOUNDS),
            tool_calls: Histogram::new(&CALLS_BOUNDS),
            tool_seconds: [(); 2].map(|()| Histogram::new(&CALL_SECONDS_BOUNDS)),
        }
    }
}

impl TurnMetrics {
    pub(super) fn on_event(&mut self, event: &SwarmEvent) {
        let Some(who) = &event.mysis else {
            return;
        };
        let Some(news) = event.what.turn_news() else {
            return;
        };
        match news {
            TurnNews::Started(_) => {
                let count = TurnCount {
                    since: event.at,
                    model_calls: 0,
                    tool_calls: 0,
                };
                self.open.insert(who.id, count);
            }
            TurnNews::Ended(_) => {
                if let Some(turn) = self.open.remove(&who.id) {
                    self.seconds.observe(seconds(event.at.since(turn.since)));
                    self.model_calls.observe(f64::from(turn.model_calls));
                    self.tool_calls.observe(f64::from(turn.tool_calls));
                }
            }
            // The steps of a routine are no answers of the model.
            TurnNews::Stored(row) if row.routine().is_some() => {}
            TurnNews::Stored(row) => self.on_row(who.id, &row.body),
            // A turn that goes on later has no duration that says anything.
            TurnNews::Halted { .. } | TurnNews::Deleted => drop(self.open.remove(&who.id)),
        }
    }

    fn on_row(&mut self, mysis: MysisId, body: &RowBody) {
        let turn = self.open.get_mut(&mysis);
        match body {
            RowBody::Reply(_) | RowBody::Call { .. } => {
                turn.into_iter().for_each(|turn| turn.model_calls += 1);
            }
            RowBody::Result { meta, .. } => {
                turn.into_iter().for_each(|turn| turn.tool_calls += 1);
                let Some(took) = meta.ms.map(seconds) else {
                    return;
                };
                match meta.status {
                    CallStatus::Done => self.tool_seconds[0].observe(took),
                    CallStatus::Failed => self.tool_seconds[1].observe(took),
                    CallStatus::Recorded
                    | CallStatus::Sent
                    | CallStatus::Unknown
                    | CallStatus::NotExecuted => {}
                }
            }
            RowBody::Prompt { .. }
            | RowBody::Mission { .. }
            | RowBody::Peer { .. }
            | RowBody::Note { .. }
            | RowBody::Host { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => {}
        }
    }

    pub(super) fn write(&self, page: &mut MetricsPage) {
        let name = "gen_ai_invoke_agent_duration_seconds";
        page.write_head(
            name,
            "histogram",
            "Duration of turns that ended without an interruption.",
        );
        page.write_histogram(name, &[], &self.seconds);
        let name = "gen_ai_invoke_agent_inference_calls";
        page.write_head(name, "histogram", "Model answers in a turn.");
        page.write_histogram(name, &[], &self.model_calls);
        let name = "gen_ai_invoke_agent_tool_calls";
        page.write_head(name, "histogram", "Tool calls in a turn.");
        page.write_histogram(name, &[], &self.tool_calls);
        let name = "gen_ai_execute_tool_duration_seconds";
        page.write_head(name, "histogram", "Duration of answered tool calls.");
        let [good, failed] = &self.tool_seconds;
        page.write_histogram(name, &[], good);
        page.write_histogram(name, &[("error_type", "tool_error")], failed);
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody waits for so long")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use actors::domain::event::{EventKind, MysisRef, TurnEvent};
    use actors::domain::ids::TurnNumber;
    use actors::domain::state::LifeState;

    use super::*;

    #[test]
    fn a_turn_that_was_stopped_overnight_is_no_turn_of_ten_hours() {
        const HOUR: i64 = 3_600_000;
        let mut metrics = TurnMetrics::default();
        let mut notify = |at: i64, what: EventKind| {
            metrics.on_event(&SwarmEvent {
                at: Timestamp(at),
                mysis: Some(MysisRef {
                    id: MysisId(1),
                    name: "alpha".into(),
                }),
                what,
            });
        };
        let state = |from, to| EventKind::StateChanged {
            from,
            to,
            reason: None,
        };
        let (first, second) = (TurnNumber(1), TurnNumber(2));
        notify(0, EventKind::Turn(TurnEvent::Started { turn: first }));
        notify(1000, state(LifeState::Running, LifeState::Stopped));
        notify(10 * HOUR, state(LifeState::Stopped, LifeState::Running));
        notify(
            10 * HOUR + 1000,
            EventKind::Turn(TurnEvent::Ended { turn: first }),
        );
        notify(
            10 * HOUR + 2000,
            EventKind::Turn(TurnEvent::Started { turn: second }),
        );
        notify(
            10 * HOUR + 4000,
            EventKind::Turn(TurnEvent::Ended { turn: second }),
        );
        let mut page = MetricsPage::default();
        metrics.write(&mut page);
        let text = page.into_text();
        for line in [
            "gen_ai_invoke_agent_duration_seconds_count 1",
            "gen_ai_invoke_agent_duration_seconds_sum 2",
        ] {
            assert!(text.lines().any(|known| known == line), "{text}");
        }
    }
}
