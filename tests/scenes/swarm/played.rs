//! What Myses of a made-up swarm had and earned in the game.

use actors::domain::game::GameRef;
use actors::domain::ids::{CallKey, Moment, MysisId, Now, Seq, Timestamp, TurnNumber};
use actors::domain::message::{CallStatus, ResultMeta, Row, RowBody};
use actors::domain::number::NamedNumber;
use actors::domain::samples::{
    Flow, GameFacts, Gauge, Hour, Minute, PackedHour, Sample, SampleRecorder, StoredSamples,
};

use super::Swarm;

impl Swarm {
    /// A Mysis has so many credits, and earned these sums so many minutes ago.
    pub fn has_earned(&mut self, id: MysisId, credits: i64, sums: &[(i64, i64)], at: Timestamp) {
        let facts = GameFacts {
            credits: Some(credits),
            system: Some("sol".into()),
            poi: Some("main_belt".into()),
            fuel: gauge(80, 100),
            cargo: gauge(12, 70),
            ..GameFacts::default()
        };
        let mut stored = StoredSamples::default();
        for hour in [Hour::of(at).0 - 1, Hour::of(at).0].map(Hour) {
            let sample = |(ago, earned): &(i64, i64)| Sample {
                minute: Minute(Minute::of(at).0 - ago),
                facts: facts.clone(),
                flow: Flow {
                    earned: Some(*earned),
                    ..Flow::default()
                },
            };
            let mut samples: Vec<Sample> = sums.iter().map(sample).collect();
            samples.retain(|sample| sample.minute.hour() == hour);
            samples.sort_by_key(|sample| sample.minute);
            stored.keep(&PackedHour::of_samples(hour, 0, &samples));
        }
        let now = Now {
            wall: at,
            moment: Moment(0),
        };
        let recorder = SampleRecorder::restore(&stored, &[], now);
        let status = self.statuses.get_mut(&id).expect("it stands");
        status.figures = recorder.figures().clone();
    }

    /// A Mysis with tools of no game told these levels of a number, so many minutes ago, the oldest first.
    pub fn has_counted(&mut self, id: MysisId, levels: &[(i64, i64)], at: Timestamp) {
        let now = Now {
            wall: at,
            moment: Moment(0),
        };
        let mut recorder = SampleRecorder::restore(&StoredSamples::default(), &[], now);
        let named = NamedNumber::parse("count_notes/total");
        for (ago, level) in levels {
            let body = RowBody::Result {
                call: CallKey {
                    seq: Seq(1),
                    position: 0,
                },
                text: format!("{{\"total\":{level}}}").into(),
                meta: ResultMeta {
                    call_id: "1".into(),
                    tool: "count_notes".into(),
                    status: CallStatus::Done,
                    ms: Some(1),
                    tick: None,
                    bytes: 0,
                    game: GameRef::AnyTools,
                    kept: None,
                },
            };
            let row = Row {
                seq: Seq(2),
                at: Timestamp(at.0 - ago * 60_000),
                turn: TurnNumber(1),
                body,
            };
            recorder.take_number(&row, named.as_ref());
        }
        let status = self.statuses.get_mut(&id).expect("it stands");
        status.figures = recorder.figures().clone();
    }
}

fn gauge(now: u32, most: u32) -> Gauge {
    Gauge {
        now: Some(now),
        most: Some(most),
    }
}
