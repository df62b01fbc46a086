//! Properties of the recorder and of the stored form, and what a Mysis' results come to.

mod levels;

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use crate::game::{GameReading, GameRef};
use crate::ids::{CallKey, Moment, Now, Seq, TurnNumber};
use crate::message::{CallRecord, CallStatus, ReplyMeta, ResultMeta, Row, RowBody, Utterance};
use crate::model::TokenUsage;

use super::*;

/// 2026-03-11, at the beginning of a minute and of an hour.
const START: i64 = 1_773_252_000_000;

fn result_of(text: &str) -> GameReading<'_> {
    GameReading::of(GameRef::SpaceMolt, text)
}

/// A Mysis' conversation, and the recorder that counts it.
struct Scene {
    recorder: SampleRecorder,
    rows: Vec<Arc<Row>>,
    now: i64,
    stored: BTreeMap<Hour, PackedHour>,
}

impl Scene {
    fn new() -> Scene {
        Scene {
            recorder: SampleRecorder::restore(&StoredSamples::default(), &[], now_at(START)),
            rows: Vec::new(),
            now: START,
            stored: BTreeMap::new(),
        }
    }

    fn go(&mut self, ms: i64, is_waiting: bool) {
        self.now += ms;
        self.recorder.advance(now_at(self.now), is_waiting);
    }

    fn append(&mut self, body: RowBody) -> Arc<Row> {
        let row = Arc::new(Row {
            seq: Seq(i64::try_from(self.rows.len()).unwrap() + 1),
            at: Timestamp(self.now),
            turn: TurnNumber(1),
            body,
        });
        self.rows.push(row.clone());
        row
    }

    fn call(&mut self, tool: &str, arguments: &str, status: CallStatus, text: &str) {
        let call = CallRecord {
            id: "id".into(),
            name: tool.into(),
            arguments: arguments.into(),
            status,
            read_only: tool.starts_with("get_"),
            routine: None,
        };
        let row = self.append(RowBody::Call {
            utterance: said(100, 10, 7),
            calls: vec![call.clone()],
        });
        self.recorder.count(&row, None);
        let meta = ResultMeta {
            call_id: "id".into(),
            tool: tool.into(),
            status,
            ms: Some(3),
            tick: None,
            bytes: 0,
            game: GameRef::SpaceMolt,
            kept: None,
        };
        let key = CallKey {
            seq: row.seq,
            position: 0,
        };
        let text = text.into();
        let row = self.append(RowBody::Result {
            call: key,
            text,
            meta,
        });
        let reading = GameReading::of(GameRef::SpaceMolt, row.text());
        self.recorder.count(&row, Some((&call, &reading)));
    }

    fn done(&mut self, tool: &str, arguments: &str, result: serde_json::Value) {
        self.call(tool, arguments, CallStatus::Done, &result.to_string());
    }

    fn balance(&mut self, credits: i64) {
        let status = json!({"player": {"credits": credits, "current_system": "sol", "current_poi": "main_belt"}});
        self.done("get_status", "{}", status);
    }

    fn save(&mut self, is_last: bool) -> usize {
        let hours = self.recorder.take_unsaved(Moment(self.now), is_last);
        let count = hours.len();
        for hour in hours {
            self.stored.insert(hour.hour, hour);
        }
        count
    }

    /// The process is killed, and the next one begins.
    fn restart(&mut self) {
        let mut stored = StoredSamples {
            cost: self.recorder.figures().cost,
            ..StoredSamples::default()
        };
        self.stored.values().for_each(|hour| stored.keep(hour));
        self.recorder = SampleRecorder::restore(&stored, &self.rows, now_at(self.now));
    }

    fn samples(&self) -> Vec<Sample> {
        let hours = self.stored.values();
        hours.flat_map(|hour| hour.samples().unwrap()).collect()
    }

    fn sum(&self) -> Flow {
        let mut sum = Flow::default();
        for sample in self.samples() {
            sum.add(&sample.flow);
        }
        sum
    }

    fn facts(&self) -> &GameFacts {
        &self.recorder.figures().facts
    }

    fn earned(&self) -> Option<i64> {
        let figures = self.recorder.figures();
        figures.earned_last_hour(Timestamp(self.now))
    }
}

fn now_at(at: i64) -> Now {
    Now::from_timestamp(Timestamp(at))
}

fn said(input: u64, output: u64, cost: u64) -> Utterance {
    Utterance {
        text: "".into(),
        reasoning: None,
        seen_up_to: Seq(0),
        meta: ReplyMeta {
            usage: Some(TokenUsage {
                input,
                output,
                cached: input / 2,
            }),
            ms: Some(5),
            model: "m".into(),
            provider: "p".into(),
            finish_reason: None,
            cost_micros: Some(cost),
            echo: None,
            is_from_text: false,
        }
        .into(),
    }
}

#[test]
fn what_was_never_told_is_unknown_and_not_zero() {
    let mut scene = Scene::new();
    scene.done("dock", "{}", json!({"action": "dock"}));
    assert_eq!(scene.earned(), None);
    assert_eq!(scene.recorder.figures().earned_since_start(), None);
    scene.save(true);
    let samples = scene.samples();
    let expected = GameFacts {
        docked: Some(true),
        ..GameFacts::default()
    };
    assert_eq!(
        (samples[0].facts.clone(), samples[0].flow.earned),
        (expected, None)
    );
    assert_eq!(
        (samples[0].flow.model_calls, samples[0].flow.tool_calls),
        (1, 1)
    );
    assert_eq!(samples[0].flow.tokens_in, 100);
}

#[test]
fn it_earns_what_its_balance_changes_by() {
    let mut scene = Scene::new();
    scene.balance(1000);
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(1000), Some(0))
    );
    scene.done("sell", "{}", json!({"total_earned": 36}));
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(1036), Some(36))
    );
    scene.done("refuel", "{}", json!({"fuel": 3, "cost": 6}));
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(1030), Some(30))
    );
    assert_eq!(scene.recorder.figures().earned_since_start(), Some(30));
    // A resting order was filled meanwhile.
    scene.balance(1130);
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(1130), Some(130))
    );
    // A change with its own balance counts once.
    let sold = json!({"details": {"total_earned": 5}, "player": {"credits": 1135}});
    scene.done("sell", "{}", sold);
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(1135), Some(135))
    );
}

#[test]
fn what_is_moved_or_given_is_no_gain_for_either() {
    let mut giver = Scene::new();
    giver.balance(1000);
    giver.done(
        "send_gift",
        r#"{"recipient":"b","credits":400}"#,
        json!({"action": "send_gift"}),
    );
    assert_eq!(
        (giver.facts().credits, giver.earned()),
        (Some(600), Some(0))
    );
    giver.balance(600);
    assert_eq!(giver.earned(), Some(0));
    let mut taker = Scene::new();
    taker.balance(50);
    taker.done(
        "withdraw_credits",
        r#"{"amount":400}"#,
        json!({"action": "withdraw_credits"}),
    );
    taker.balance(450);
    assert_eq!(
        (taker.facts().credits, taker.earned()),
        (Some(450), Some(0))
    );
    // A trade: what the other one gave is not told, only the balance.
    taker.done(
        "trade_accept",
        r#"{"trade_id":"t"}"#,
        json!({"your_credits": 950}),
    );
    assert_eq!(
        (taker.facts().credits, taker.earned()),
        (Some(950), Some(0))
    );
    taker.done("sell", "{}", json!({"total_earned": 7}));
    taker.balance(957);
    assert_eq!(taker.earned(), Some(7));
}

#[test]
fn while_an_offer_stands_only_told_deals_are_earned() {
    let mut scene = Scene::new();
    scene.balance(1000);
    let offer = r#"{"target_id":"b","credits":300}"#;
    scene.done("trade_offer", offer, json!({"trade_id": "t"}));
    scene.go(60_000, false);
    scene.done("sell", "{}", json!({"total_earned": 10}));
    scene.balance(1010);
    assert_eq!(scene.earned(), Some(10));
    // Only now it was accepted.
    scene.go(60_000, false);
    scene.balance(710);
    assert_eq!(scene.earned(), Some(10));
    scene.go(6 * 60_000, false);
    scene.balance(710);
    scene.balance(700);
    assert_eq!(scene.earned(), Some(0), "later changes count again");
}

#[test]
fn a_gift_whose_outcome_is_unknown_is_no_loss() {
    let mut scene = Scene::new();
    scene.balance(1000);
    let gift = r#"{"recipient":"b","credits":400}"#;
    scene.call("send_gift", gift, CallStatus::Unknown, "outcome unknown");
    scene.balance(600);
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(600), Some(0))
    );
    scene.call("send_gift", gift, CallStatus::Failed, "Error: not_docked");
    scene.balance(590);
    assert_eq!(scene.earned(), Some(-10));
    scene.save(true);
    assert_eq!(scene.sum().failures, 2);
}

#[test]
fn another_account_begins_anew() {
    let mut scene = Scene::new();
    scene.balance(1000);
    scene.recorder.forget_game();
    assert_eq!(scene.facts(), &GameFacts::default());
    scene.balance(5000);
    assert_eq!(
        (scene.facts().credits, scene.earned()),
        (Some(5000), Some(0))
    );
}

#[test]
fn elsewhere_the_old_point_of_interest_is_not_believed() {
    let mut scene = Scene::new();
    scene.balance(1);
    scene.done("jump", "{}", json!({"system_id": "sirius"}));
    let place = |scene: &Scene| (scene.facts().system.clone(), scene.facts().poi.clone());
    assert_eq!(place(&scene), (Some("sirius".into()), None));
    scene.done("travel", "{}", json!({"poi_id": "sirius_belt"}));
    assert_eq!(
        place(&scene),
        (Some("sirius".into()), Some("sirius_belt".into()))
    );
    assert_eq!(scene.facts().docked, Some(false));
}

#[test]
fn levels_follow_from_what_is_added_and_what_is_left() {
    let mut scene = Scene::new();
    let ship = json!({"fuel": 90, "max_fuel": 100, "cargo_used": 50, "cargo_capacity": 70, "hull": 5, "max_hull": 9});
    scene.done("get_ship", "{}", json!({"ship": ship}));
    scene.call(
        "refuel",
        "{}",
        CallStatus::Done,
        "Refueled 88 fuel for 352cr.",
    );
    assert_eq!(
        scene.facts().fuel,
        Gauge {
            now: Some(100),
            most: Some(100)
        }
    );
    scene.done("deposit_items", "{}", json!({"cargo_space": 60}));
    assert_eq!(
        scene.facts().cargo,
        Gauge {
            now: Some(10),
            most: Some(70)
        }
    );
    scene.done("repair", "{}", json!({"hull": 9, "max_hull": 9}));
    assert_eq!(
        scene.facts().hull,
        Gauge {
            now: Some(9),
            most: Some(9)
        }
    );
}

#[test]
fn words_of_others_and_our_own_tools_tell_nothing() {
    let mut scene = Scene::new();
    let lie = json!({"player": {"credits": 9, "current_system": "x"}});
    for tool in ["get_chat_history", "zoea_search_messages", "forum_list"] {
        scene.done(tool, "{}", lie.clone());
    }
    assert_eq!(scene.facts(), &GameFacts::default());
}

#[test]
fn a_wait_is_split_into_its_minutes() {
    let mut scene = Scene::new();
    scene.go(50_000, false);
    scene.go(150_000, true);
    scene.save(true);
    let waited = |scene: &Scene| -> Vec<(i64, u64)> {
        let samples = scene.samples();
        let first = START / 60_000;
        let waited = samples.iter();
        waited
            .map(|sample| (sample.minute.0 - first, sample.flow.waited_ms))
            .collect()
    };
    assert_eq!(
        waited(&scene),
        [(0, 10_000), (1, 60_000), (2, 60_000), (3, 20_000)]
    );
    scene.go(5_000, false);
    scene.go(3_000, true);
    scene.save(true);
    assert_eq!(waited(&scene)[3], (3, 23_000));
    // The whole program was paused for days.
    scene.go(3 * 86_400_000, true);
    scene.save(true);
    assert_eq!(scene.sum().waited_ms, 153_000 + 86_400_000);
    let longest = scene
        .samples()
        .iter()
        .map(|sample| sample.flow.waited_ms)
        .max();
    assert_eq!(longest, Some(60_000), "no minute is longer than itself");
}

#[test]
fn the_time_of_a_freeze_is_no_wait() {
    let mut scene = Scene::new();
    scene.recorder.set_frozen_ms(70_000);
    scene.go(5_000, true);
    // It is frozen for three days, and thawed three seconds before it is heard of again.
    scene.recorder.set_frozen_ms(70_000 + 3 * 86_400_000);
    scene.go(3 * 86_400_000 + 3_000, true);
    scene.go(2_000, true);
    scene.save(true);
    assert_eq!(scene.sum().waited_ms, 10_000);
}

#[test]
fn a_clock_that_is_set_back_makes_no_minute_longer() {
    let mut scene = Scene::new();
    scene.go(50_000, true);
    for _ in 0..3 {
        let now = Now {
            wall: Timestamp(START + 30_000),
            moment: Moment(scene.now + 20_000),
        };
        scene.recorder.advance(now, true);
        scene.now += 20_000;
    }
    scene.save(true);
    assert_eq!(scene.sum().waited_ms, 60_000);
}

#[test]
fn it_is_stored_with_other_writes_after_some_time_and_with_each_minute() {
    let mut scene = Scene::new();
    assert_eq!(scene.save(true), 0, "nothing happened");
    scene.balance(4);
    assert_eq!(scene.save(false), 1, "the first one");
    scene.balance(5);
    assert_eq!(scene.save(false), 0, "too soon");
    scene.go(10_000, false);
    assert_eq!(scene.save(false), 1);
    assert_eq!(scene.save(true), 0, "nothing new");
    scene.balance(6);
    scene.go(60_000, false);
    assert!(scene.recorder.has_unsaved_minute());
    assert_eq!(scene.save(false), 1);
    scene.balance(7);
    scene.go(3_600_000, false);
    assert_eq!(scene.save(false), 1, "the hour that is over");
    scene.go(3_600_000, false);
    assert_eq!(scene.save(true), 0, "an idle hour has no row");
    assert_eq!((scene.samples().len(), scene.sum().tool_calls), (2, 4));
}

#[test]
fn after_a_restart_nothing_is_stored_that_is_stored_already() {
    let mut scene = Scene::new();
    scene.balance(5);
    scene.save(true);
    scene.now += 7_200_000;
    scene.restart();
    assert!(!scene.recorder.has_unsaved_minute());
    assert_eq!(scene.save(true), 0);
    assert_eq!(scene.facts().credits, Some(5), "the facts of then");
}

#[test]
fn after_a_clock_that_was_ahead_each_row_is_counted_once() {
    let mut scene = Scene::new();
    scene.balance(100);
    scene.save(true);
    scene.now += 10 * 3_600_000;
    scene.done("sell", "{}", json!({"total_earned": 5}));
    scene.save(true);
    // The clock is set right, which is still later than the first hour.
    scene.now -= 7 * 3_600_000;
    scene.go(0, false);
    scene.done("sell", "{}", json!({"total_earned": 7}));
    scene.save(true);
    for _ in 0..3 {
        scene.restart();
        scene.go(70_000, false);
        scene.save(true);
    }
    let sum = scene.sum();
    assert_eq!(
        (sum.tool_calls, sum.model_calls, sum.earned),
        (3, 3, Some(12))
    );
    assert_eq!(scene.facts().credits, Some(112));
    // So it is when it was killed before anything was stored at the right time.
    scene.now += 20 * 3_600_000;
    scene.balance(112);
    scene.save(true);
    scene.now -= 15 * 3_600_000;
    scene.restart();
    scene.done("sell", "{}", json!({"total_earned": 8}));
    scene.save(true);
    scene.restart();
    scene.save(true);
    let sum = scene.sum();
    assert_eq!((sum.tool_calls, sum.earned), (5, Some(20)));
}

#[test]
fn rows_that_are_not_there_are_not_counted_in_place_of_others() {
    let mut scene = Scene::new();
    scene.balance(100);
    scene.balance(110);
    scene.save(true);
    // An export that began before the last rows were written.
    scene.rows.truncate(2);
    scene.restart();
    scene.done("sell", "{}", json!({"total_earned": 5}));
    assert_eq!(scene.save(false), 1, "at once");
    scene.restart();
    scene.save(true);
    assert_eq!(scene.sum().tool_calls, 3);
    assert_eq!(scene.sum().earned, Some(15));
}

#[test]
fn a_gift_whose_outcome_is_unknown_is_no_loss_after_a_restart_either() {
    for is_saved in [true, false] {
        let mut scene = Scene::new();
        scene.balance(1000);
        scene.save(true);
        let gift = r#"{"recipient":"b","credits":400}"#;
        scene.call("send_gift", gift, CallStatus::Unknown, "outcome unknown");
        if is_saved {
            scene.save(true);
        }
        scene.restart();
        scene.balance(600);
        scene.restart();
        scene.balance(590);
        assert_eq!(scene.earned(), Some(-10), "{is_saved}");
    }
}

#[test]
fn the_first_rows_are_stored_at_once_so_that_no_kill_leaves_them_uncounted() {
    let mut scene = Scene::new();
    scene.balance(5);
    assert_eq!(scene.save(false), 1);
    scene.balance(9);
    assert_eq!(scene.save(false), 0, "too soon");
    scene.restart();
    scene.save(true);
    assert_eq!(scene.sum().tool_calls, 2);
    assert_eq!(scene.sum().earned, Some(4));
}

#[test]
fn rows_of_an_older_program_tell_facts_and_are_not_counted() {
    let mut scene = Scene::new();
    scene.balance(5);
    scene.done("sell", "{}", json!({"total_earned": 36}));
    scene.restart();
    assert_eq!((scene.facts().credits, scene.save(true)), (Some(41), 0));
    scene.balance(51);
    assert_eq!(scene.earned(), Some(10));
}

#[test]
fn the_trend_is_that_of_the_last_hour_whenever_it_is_read() {
    let mut scene = Scene::new();
    scene.balance(0);
    for minute in 1..=59 {
        scene.go(60_000, false);
        scene.balance(minute * 10);
    }
    let figures = scene.recorder.figures().clone();
    let now = Timestamp(scene.now);
    let points = figures.trend.points(now);
    assert_eq!((points[0], points[1], points[29]), (10, 20, 20));
    assert_eq!(figures.earned_last_hour(now), Some(590));
    let later = now.plus(Duration::from_secs(50 * 60));
    assert_eq!(figures.earned_last_hour(later), Some(100));
    assert_eq!(
        figures.earned_last_hour(now.plus(Duration::from_secs(7200))),
        Some(0)
    );
    let back = Timestamp(scene.now - 120_000);
    assert_eq!(figures.earned_last_hour(back), Some(590));
    assert_eq!(figures.cost_today(now), 60 * 7);
    assert_eq!(figures.cost_today(now.plus(Duration::from_secs(86_400))), 0);
}

#[test]
fn tokens_without_a_price_are_told_beside_those_with_one() {
    let mut scene = Scene::new();
    let mut replies = |cost| {
        let mut reply = said(100, 10, 0);
        Arc::make_mut(&mut reply.meta).cost_micros = cost;
        let row = scene.append(RowBody::Reply(reply));
        scene.recorder.count(&row, None);
    };
    // One that is free of charge, one with a price, and one without.
    replies(Some(0));
    replies(Some(9));
    replies(None);
    scene.save(true);
    let sum = scene.sum();
    assert_eq!((sum.cost_micros, sum.tokens_unpriced), (9, 110));
    assert_eq!((sum.tokens_in, sum.model_calls), (300, 3));
}

#[test]
fn packed_samples_keep_their_form() {
    let gauge = |now, most| Gauge { now, most };
    let first = Sample {
        minute: Hour(7).first_minute(),
        facts: GameFacts {
            credits: Some(-900),
            system: Some("sol".into()),
            poi: Some("belt".into()),
            docked: Some(true),
            fuel: gauge(Some(80), Some(100)),
            cargo: gauge(Some(300), None),
            hull: gauge(None, Some(95)),
            ..GameFacts::default()
        },
        flow: Flow {
            earned: Some(-3),
            tokens_in: 1000,
            tokens_cached: 900,
            tokens_out: 80,
            cost_micros: 7,
            model_calls: 6,
            tool_calls: 5,
            failures: 4,
            waited_ms: 61_000,
            tokens_unpriced: 2,
        },
    };
    let mut second = first.clone();
    second.minute = Minute(first.minute.0 + 59);
    second.facts.docked = Some(false);
    second.facts.poi = Some("sol".into());
    second.flow = Flow::default();
    let samples = vec![first, second];
    let packed = PackedHour::of_samples(Hour(7), 12, &samples);
    assert_eq!(packed.samples().unwrap(), samples);
    let digits = packed.bytes.iter().map(|byte| format!("{byte:02x}"));
    zoea_golden::hold("samples.hex", &digits.collect::<String>());
}

#[test]
fn bytes_that_are_no_samples_are_an_error() {
    let of = |bytes: &[u8]| PackedHour {
        hour: Hour(1),
        upto: 0,
        bytes: bytes.into(),
    };
    for bytes in [
        &[][..],
        &[3],
        &[2, 60, 0],
        &[2, 0],
        &[2, 0, 2, 1, 70],
        &[2, 0, 0x80, 0x80, 0x40],
    ] {
        assert_eq!(of(bytes).samples(), Err(PackingFault), "{bytes:?}");
    }
    assert_eq!(of(&[2]).samples(), Ok(Vec::new()));
}

fn any_gauge() -> impl Strategy<Value = Gauge> {
    (any::<Option<u32>>(), any::<Option<u32>>()).prop_map(|(now, most)| Gauge { now, most })
}

fn any_place() -> impl Strategy<Value = Option<Arc<str>>> {
    prop::option::of("[a-c]{1,2}|é{3}").prop_map(|place| place.map(Arc::from))
}

prop_compose! {
    fn any_sample()(
        minute in 0_i64..60,
        credits in prop::option::of(0..1_000_000_000_000_000_i64),
        number in any::<Option<i32>>().prop_map(|number| number.map(i64::from)),
        number_name in any_place(),
        places in (any_place(), any_place()),
        docked in any::<Option<bool>>(),
        gauges in (any_gauge(), any_gauge(), any_gauge()),
        earned in prop::option::of(-1_000_000_000_000_000..1_000_000_000_000_000_i64),
        sums in prop::array::uniform9(prop_oneof![Just(0), 0..100_u64, 0..1_000_000_000_000_u64]),
    ) -> Sample {
        let (system, poi) = places;
        let (fuel, cargo, hull) = gauges;
        let [tokens_in, tokens_cached, tokens_out, cost_micros, model_calls, tool_calls, failures, waited_ms, tokens_unpriced] = sums;
        Sample {
            minute: Minute(minute + 60 * 7),
            facts: GameFacts { credits, system, poi, docked, fuel, cargo, hull, number, number_name, ..GameFacts::default() },
            flow: Flow { earned, tokens_in, tokens_cached, tokens_out, cost_micros, model_calls, tool_calls, failures, waited_ms, tokens_unpriced },
        }
    }
}

/// A step of a Mysis' life.
#[derive(Clone, Debug)]
enum Step {
    Goes(i64, bool),
    Sells(u32),
    Looks,
    Gives(u32),
    Fails,
    Saves,
    Restarts,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..200_000_i64, any::<bool>()).prop_map(|(ms, waits)| Step::Goes(ms, waits)),
        3 => (0..500_u32).prop_map(Step::Sells),
        2 => Just(Step::Looks),
        1 => (0..500_u32).prop_map(Step::Gives),
        1 => Just(Step::Fails),
        2 => Just(Step::Saves),
        1 => Just(Step::Restarts),
    ]
}

proptest! {
    #[test]
    fn packed_samples_read_as_they_were(mut samples in prop::collection::vec(any_sample(), 1..70)) {
        samples.sort_by_key(|sample| sample.minute);
        samples.dedup_by_key(|sample| sample.minute);
        let packed = PackedHour::of_samples(Hour(7), 12, &samples);
        prop_assert_eq!(packed.samples().unwrap(), samples.clone());
        let sum = packed.sum().unwrap().unwrap();
        prop_assert_eq!(&sum.facts, &samples.last().unwrap().facts);
        prop_assert_eq!(sum.minute, Hour(7).first_minute());
        let calls: u64 = samples.iter().map(|sample| sample.flow.tool_calls).sum();
        prop_assert_eq!(sum.flow.tool_calls, calls);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [2].into_iter().chain(bytes).collect();
        let _ = PackedHour { hour: Hour(7), upto: 0, bytes }.samples();
    }

    /// However often it is saved and killed, each call and each credit is counted once.
    #[test]
    fn everything_is_counted_once(steps in prop::collection::vec(any_step(), 0..60)) {
        let mut scene = Scene::new();
        let (mut balance, mut earned, mut calls, mut failures, mut waited) = (1000, 0, 1, 0, 0);
        scene.balance(balance);
        scene.save(true);
        let mut is_restarted = false;
        for step in steps {
            match step {
                Step::Goes(ms, waits) => {
                    scene.go(ms, waits);
                    waited += if waits { ms } else { 0 };
                    continue;
                }
                Step::Sells(by) => {
                    balance += i64::from(by);
                    earned += i64::from(by);
                    scene.done("sell", "{}", json!({"total_earned": by}));
                }
                Step::Looks => scene.balance(balance),
                Step::Gives(by) => {
                    // Nobody gives what it does not have.
                    let by = i64::from(by).min(balance);
                    balance -= by;
                    let gift = format!(r#"{{"recipient":"b","credits":{by}}}"#);
                    scene.done("send_gift", &gift, json!({"action": "send_gift"}));
                }
                Step::Fails => {
                    failures += 1;
                    scene.call("sell", "{}", CallStatus::Failed, "Error: not_docked");
                }
                Step::Saves => {
                    scene.save(false);
                    continue;
                }
                Step::Restarts => {
                    scene.restart();
                    is_restarted = true;
                    continue;
                }
            }
            calls += 1;
        }
        scene.save(true);
        let sum = scene.sum();
        prop_assert_eq!((sum.tool_calls, sum.model_calls), (calls, calls));
        prop_assert_eq!(sum.failures, failures);
        prop_assert_eq!((sum.tokens_in, sum.tokens_out, sum.cost_micros), (calls * 100, calls * 10, calls * 7));
        prop_assert_eq!(sum.earned.unwrap_or(0), earned);
        prop_assert_eq!(scene.facts().credits, Some(balance));
        let minutes: Vec<Minute> = scene.samples().iter().map(|sample| sample.minute).collect();
        prop_assert!(minutes.is_sorted(), "{:?}", minutes);
        if is_restarted {
            // A wait that was not saved yet is lost.
            prop_assert!(sum.waited_ms <= u64::try_from(waited).unwrap());
        } else {
            prop_assert_eq!(sum.waited_ms, u64::try_from(waited).unwrap());
        }
    }
}

#[test]
fn a_login_tells_of_credits_place_and_hold_and_what_was_earned_meanwhile_once() {
    let mut scene = Scene::new();
    let login = |credits: i64| {
        json!({"player": {"credits": credits, "current_system": "krynn"},
            "ship": {"cargo_used": 12, "cargo_capacity": 50}})
        .to_string()
    };
    scene
        .recorder
        .take_login(&result_of(&login(100)), Timestamp(scene.now));
    let figures = scene.recorder.figures().clone();
    assert_eq!(figures.facts.credits, Some(100));
    assert_eq!(figures.facts.system.as_deref(), Some("krynn"));
    assert_eq!(figures.facts.cargo.now, Some(12));
    assert_eq!(figures.value.earned, 0, "the first balance is no gain");
    // Goods were sold while it was away, and the first look tells the same.
    scene
        .recorder
        .take_login(&result_of(&login(150)), Timestamp(scene.now));
    scene.call("get_status", "{}", CallStatus::Done, &login(150));
    let figures = scene.recorder.figures().clone();
    assert_eq!(
        (figures.facts.credits, figures.value.earned),
        (Some(150), 50)
    );
    scene
        .recorder
        .take_login(&result_of("Welcome back!"), Timestamp(scene.now));
    assert_eq!(scene.recorder.figures().facts.credits, Some(150));
}
