//! What one process writes down, another one reads as it was.

use super::*;
use crate::books::Day;
use crate::event::{Activity, LastToolCall, LinkState};
use crate::fault::{MysisFault, MysisFaultKind};
use crate::held::UndeliveredOrder;
use crate::ids::{Lane, Timestamp, TurnNumber};
use crate::memo::ShownMemos;
use crate::memo::reminder::Reminder;
use crate::model::AnswerProgress;
use crate::progress::{StallKind, Stuck};
use crate::question::{Question, QuestionWants};
use crate::record::MysisRecord;
use crate::routine::{CircleOffer, RoutineStatus, RunSource};
use crate::rules::SwarmRules;
use crate::samples::{CurrentFigures, EarnedTrend, GameFacts, Gauge, NumberFigures, ValueSums};
use crate::silence::Silence;
use crate::state::{LifeState, Totals};
use crate::tier::TierPlace;
use proptest::prelude::*;

fn status() -> MysisStatus {
    let record = MysisRecord::new(MysisId(7), MysisProfile::of("alpha", "local"), Timestamp(5));
    MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(9))
}

fn read_back(status: &MysisStatus) -> MysisStatus {
    from_text(status.id, &to_text(status)).expect("it reads back")
}

#[test]
fn a_status_reads_back_as_it_was() {
    let own_profile = MysisProfile {
        role: Some("miner".into()),
        follows_role: false,
        ..MysisProfile::of("alpha", "local")
    };
    let full = MysisStatus {
        profile: Arc::new(MysisProfile {
            model: Some("small".into()),
            ..own_profile.clone()
        }),
        own_profile: Arc::new(own_profile),
        lacks_role: true,
        tier: Some(TierPlace {
            tier: 2,
            why: "3 calls of a turn failed".into(),
            since: TurnNumber(41),
        }),
        temperature: Some(0.7),
        state: LifeState::Running,
        reason: Some("why".into()),
        fault: Some(MysisFault {
            kind: MysisFaultKind::Permanent,
            text: "401".into(),
            at: Timestamp(3),
        }),
        activity_until: Some(Timestamp(99)),
        account: Some("player".into()),
        link: LinkState::NoAccess,
        tick: Some(-4),
        nudges: Some(3),
        totals: Totals {
            turns: 1,
            tokens_in: 2,
            tokens_out: 3,
            cost_micros: 4,
        },
        stuck: Some(Stuck {
            since: Timestamp(1),
            turns: 40,
            way: StallKind::Looping,
            tool: Some("mine".into()),
        }),
        silence: Some(Arc::new(Silence::as_shared(
            Timestamp(2),
            Some("it writes text and calls no tool".into()),
        ))),
        failing: Some(Arc::new(crate::failing_calls::FailingCalls {
            calls: 50,
            errors: [("mine: no_ore".into(), 30), ("sell: \"x\"".into(), 10)].into(),
            since: Timestamp(8),
        })),
        last_words: "ore\u{0}\n\"and\" more".into(),
        last_tool_call: Some(Arc::new(LastToolCall {
            tool: "mine".into(),
            is_error: true,
            gist: "no".into(),
        })),
        last_call_ms: Some(u64::MAX),
        figures: Arc::new(CurrentFigures {
            facts: GameFacts {
                credits: Some(-5),
                system: Some("sol".into()),
                docked: Some(true),
                fuel: Gauge {
                    now: Some(4),
                    most: None,
                },
                is_fuel_old: true,
                ..GameFacts::default()
            },
            trend: EarnedTrend::of_parts(77, (0..30).map(|point| point * 10 - 40)),
            number: Some(NumberFigures {
                name: "total".into(),
                level: -12,
                changes: EarnedTrend::of_parts(78, (0..30).map(|point| 7 - point)),
            }),
            value: ValueSums {
                earned: -1,
                with_gain: 2,
                cost_micros: 3,
                tokens_unpriced: 4,
            },
            cost: (Day(20_000), 6),
        }),
        routine: Some(Arc::new(RoutineStatus {
            name: "mining".into(),
            source: RunSource::Operator,
            round: 1,
            rounds: 2,
            step: "step 2 of 9: mine".into(),
            calls: 3,
            earned: -4,
            earned_an_hour: Some(5),
        })),
        circle: Some(Arc::new(CircleOffer {
            name: "mine-sell".into(),
            earned: 1240,
            rounds: 3,
            calls: 24,
            steps: "mine, sell all".into(),
        })),
        memos: ShownMemos {
            reminders: Some(
                [Reminder {
                    number: 3,
                    at: Timestamp(70),
                    text: "go home".into(),
                }]
                .into(),
            ),
        },
        saved_calls: Some(77),
        undelivered: Some(Arc::new(UndeliveredOrder {
            since: Timestamp(8),
            why: "your message was not delivered".into(),
        })),
        ..status()
    };
    assert_eq!(read_back(&full), full);
    assert_eq!(
        full.silence.as_ref().map(|silence| silence.why()),
        read_back(&full).silence.map(|silence| silence.why())
    );
    assert_eq!(read_back(&status()), status());
    zoea_golden::hold_text("status.json", &to_text(&full));
}

#[test]
fn every_activity_reads_back() {
    let arrived = AnswerProgress {
        words: 1,
        thoughts: 2,
    };
    let all = zoea_golden::every!(Activity:
        Resting => [Activity::Resting],
        Rebuilding => [Activity::Rebuilding],
        Pausing => [Activity::Pausing],
        Waiting => [Activity::Waiting],
        Done => [Activity::Done],
        Queueing => [
            Activity::Queueing(Lane::Provider("local".into())),
            Activity::Queueing(Lane::Logins),
            Activity::Queueing(Lane::Game),
        ],
        Connecting => [Activity::Connecting],
        AwaitingLogin => [Activity::AwaitingLogin("a link".into())],
        CallingModel => [Activity::CallingModel],
        Answering => [Activity::Answering(arrived)],
        CoolingDown => [Activity::CoolingDown(Lane::Game, "503".into())],
        CallingTool => [Activity::CallingTool("mine".into())],
        Asked => [Activity::Asked(Arc::new(Question {
            number: 3,
            server: "game".into(),
            message: "which ship?".into(),
            wants: QuestionWants::Visit("https://game/ships".into()),
        }))],
        Travelling => [Activity::Travelling],
        Mining => [Activity::Mining],
        Fighting => [Activity::Fighting],
        InTransit => [Activity::InTransit],
        OnCooldown => [Activity::OnCooldown],
        Recording => [Activity::Recording],
        Paused => [Activity::Paused("budget".into())],
    );
    let forms: Vec<Value> = all
        .iter()
        .map(|one| serde_json::to_value(one).expect("JSON"))
        .collect();
    zoea_golden::hold_json("activities.json", &forms.into());
    // A question is answered at the process that has it.
    for activity in all.into_iter().filter(|one| one.question().is_none()) {
        let status = MysisStatus {
            activity: activity.clone(),
            ..status()
        };
        assert_eq!(read_back(&status).activity, activity);
    }
}

#[test]
fn what_another_version_wrote_is_read_as_far_as_it_is_understood() {
    let read = from_text(
        MysisId(7),
        r#"{"name":"alpha","state":"dreaming","activity":{"knits":1},"figures":7,"tick":4,"own_model":3,"role":"miner"}"#,
    );
    let read = read.expect("it has a name");
    assert_eq!((&*read.name, read.state), ("alpha", LifeState::Idle));
    assert_eq!(read.activity, Activity::Resting);
    assert_eq!(
        (read.tick, read.profile.role.as_deref()),
        (Some(4), Some("miner"))
    );
    assert_eq!(read.own_profile, read.profile);
    for none in ["", "[]", "{}", "{\"name\":\"\"}", "null", "{\"name\":7}"] {
        assert_eq!(from_text(MysisId(7), none), None, "{none}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in r#"\{("name":"a",)?("[a-z_]{1,9}":[\[{"0-9a-z,:}\]-]{0,9},?){0,4}\}"#) {
        let _ = from_text(MysisId(1), &text);
    }
}
