//! Tests of the stall detection turn by turn: what it finds, what it ignores, and what a restart
//! restores.

mod habits;
mod outcomes;
mod thresholds;

use std::time::Duration;

use super::*;
use crate::game::GameRef;

const BLATANT: u32 = 5;
const MEANS: EscalationOptions = EscalationOptions {
    has_succeeded: false,
    has_other_provider: true,
    may_park: true,
};

/// A detector and its clock. Each call takes ten seconds.
struct Scene {
    watch: StallDetector,
    rules: ProgressRules,
    intent: OrderIntent,
    options: EscalationOptions,
    now: Moment,
    /// By how much the wall clock is ahead.
    ahead: i64,
    /// The turn, the way in which it is stuck by then, and the step.
    verdicts: Vec<(u32, Option<StallKind>, Option<EscalationStep>)>,
    turns: u32,
}

impl Scene {
    fn new() -> Scene {
        Scene {
            watch: StallDetector::default(),
            rules: ProgressRules::default(),
            intent: OrderIntent::Works,
            options: MEANS,
            now: Moment(1_000_000),
            ahead: 1_773_254_527_042,
            verdicts: Vec::new(),
            turns: 0,
        }
    }

    fn call(&mut self, tool: &str, arguments: &str, answer: Result<&str, &str>) {
        self.now = self.now.plus(Duration::from_secs(10));
        let (status, text) = match answer {
            Ok(text) => (CallStatus::Done, text),
            Err(text) => (CallStatus::Failed, text),
        };
        let reading = GameReading::of(GameRef::SpaceMolt, text);
        let called = FinishedCall {
            tool: &tool.into(),
            arguments: &arguments.into(),
            read_only: tool.starts_with("get_"),
            status,
            reading: &reading,
        };
        self.watch.on_call(called, self.now);
    }

    fn end(&mut self) {
        self.now = self.now.plus(Duration::from_secs(10));
        self.turns += 1;
        let verdict = self.watch.turn_ended(TurnEnd {
            rules: &self.rules,
            no_progress_limit: BLATANT,
            intent: self.intent,
            options: self.options,
            now: self.both(),
        });
        if let Some(verdict) = verdict {
            let way = self.watch.stuck().map(|stuck| stuck.way);
            self.verdicts.push((self.turns, way, verdict.step));
        }
    }

    fn both(&self) -> Now {
        Now {
            wall: Timestamp(self.now.0 + self.ahead),
            moment: self.now,
        }
    }

    fn rungs(&self) -> Vec<EscalationStep> {
        self.verdicts
            .iter()
            .filter_map(|(_, _, step)| *step)
            .collect()
    }
}

fn status(credits: i64, used: i64, poi: &str) -> String {
    format!(
        r#"{{"player":{{"credits":{credits},"current_system":"sol","current_poi":"{poi}",
        "skills":{{"mining":1}}}},"ship":{{"cargo_used":{used},"class_id":"a","modules":[]}}}}"#
    )
}

#[test]
fn whoever_gets_nowhere_is_told_begun_afresh_asked_elsewhere_and_parked() {
    let mut scene = Scene::new();
    for _ in 0..200 {
        scene.call("get_status", "{}", Ok(&status(1203, 0, "belt")));
        scene.call("dock", "{}", Err("Error: no_base: no station here"));
        scene.end();
    }
    let rungs = [
        EscalationStep::Notified,
        EscalationStep::ContextReset,
        EscalationStep::OtherProvider,
        EscalationStep::Parked,
    ];
    assert_eq!(scene.rungs(), rungs);
    assert_eq!(scene.watch.escalation_step(), EscalationStep::Parked);
    let notice = scene.watch.notice().unwrap();
    assert!(notice.contains("credits 1,203"), "{notice}");
}

#[test]
fn without_another_provider_and_without_leave_to_park_those_rungs_are_left_out() {
    let mut scene = Scene::new();
    scene.options.has_other_provider = false;
    scene.options.may_park = false;
    for _ in 0..300 {
        scene.end();
    }
    assert_eq!(
        scene.rungs(),
        [EscalationStep::Notified, EscalationStep::ContextReset]
    );
    assert_eq!(
        scene.verdicts[0],
        (
            BLATANT,
            Some(StallKind::OnlyText),
            Some(EscalationStep::Notified)
        )
    );
}

#[test]
fn whatever_gets_better_takes_it_a_step_down() {
    let mut scene = Scene::new();
    scene.call("get_status", "{}", Ok(&status(100, 0, "belt")));
    for _ in 0..90 {
        scene.end();
    }
    assert!(scene.watch.escalation_step() >= EscalationStep::ContextReset);
    let mut credits = 100;
    for expected in [
        EscalationStep::ContextReset,
        EscalationStep::Notified,
        EscalationStep::Unescalated,
        EscalationStep::Unescalated,
    ] {
        if scene.watch.escalation_step() == EscalationStep::OtherProvider
            || credits > 100
            || expected == EscalationStep::Notified
        {
            credits += 10;
            scene.call("get_status", "{}", Ok(&status(credits, 0, "belt")));
            scene.end();
        }
        assert!(
            scene.watch.escalation_step() <= expected,
            "{:?}",
            scene.watch.escalation_step()
        );
    }
    assert_eq!(scene.watch.notice(), None);
    assert_eq!(scene.watch.stuck(), None);
}

#[test]
fn circles_of_up_to_eight_calls_are_seen_and_those_that_earn_are_not() {
    for period in 1..=8 {
        for earned in [0, 5] {
            let mut scene = Scene::new();
            scene.rules.turns = 1000;
            let result = format!(r#"{{"action":"sell","total_earned":{earned},"total_cost":3}}"#);
            for turn in 0..80 {
                for call in 0..3 {
                    let place = (turn * 3 + call) % period;
                    let arguments = format!(r#"{{"n":{place}}}"#);
                    scene.call("sell", &arguments, Ok(&result));
                }
                scene.end();
            }
            let circles = scene
                .verdicts
                .iter()
                .any(|(_, way, _)| *way == Some(StallKind::Looping));
            assert_eq!(circles, earned == 0, "period {period}, earned {earned}");
        }
    }
}

#[test]
fn going_to_and_fro_is_no_gain_and_new_places_are() {
    for places in [2, 1000] {
        let mut scene = Scene::new();
        for turn in 0..200 {
            let result = format!(r#"{{"action":"arrived","poi_id":"p{}"}}"#, turn % places);
            scene.call("travel", &format!("{}", turn % places), Ok(&result));
            scene.end();
        }
        assert_eq!(
            scene.verdicts.is_empty(),
            places == 1000,
            "{:?}",
            scene.verdicts
        );
    }
}

#[test]
fn cargo_that_was_paid_for_is_no_gain() {
    let mut scene = Scene::new();
    for round in 0..200 {
        scene.call(
            "buy",
            "{}",
            Ok(r#"{"action":"buy","quantity":1,"total_cost":4}"#),
        );
        scene.call("jettison", "{}", Ok("{}"));
        scene.call(
            "get_status",
            "{}",
            Ok(&status(1000 - round, round % 2, "x")),
        );
        scene.end();
    }
    assert!(scene.rungs().contains(&EscalationStep::Parked));
}

#[test]
fn one_who_waits_as_ordered_is_left_alone_but_for_what_fails() {
    for (intent, answer, expected) in [
        (OrderIntent::Waits, Ok(r#"{"count":0}"#), false),
        (OrderIntent::Works, Ok(r#"{"count":0}"#), true),
        (OrderIntent::Waits, Err("Error: no: never"), true),
    ] {
        let mut scene = Scene::new();
        scene.intent = intent;
        scene.call("get_status", "{}", Ok(&status(1, 0, "x")));
        for turn in 0..200 {
            if turn % 3 > 0 {
                scene.call("get_notifications", "{}", answer);
            }
            scene.end();
        }
        assert_eq!(
            !scene.verdicts.is_empty(),
            expected,
            "{intent:?} {answer:?}"
        );
    }
}

#[test]
fn whatever_counts_down_is_waited_for() {
    let mut scene = Scene::new();
    scene.call("get_status", "{}", Ok(&status(1, 0, "x")));
    for left in (0..300).rev() {
        let jobs = format!(r#"{{"jobs":[{{"recipe":"steel","runs_remaining":{left}}}]}}"#);
        scene.call("get_jobs", "{}", Ok(&jobs));
        scene.end();
    }
    assert_eq!(scene.verdicts, []);
}

#[test]
fn seconds_are_not_enough_to_judge_by() {
    let mut scene = Scene::new();
    scene.rules.at_least = Duration::from_secs(86_400);
    for _ in 0..300 {
        scene.call("get_status", "{}", Ok(&status(1, 0, "x")));
        scene.end();
    }
    assert_eq!(scene.verdicts, []);
}

#[test]
fn a_server_of_which_nothing_is_known_is_not_judged_by_its_answers() {
    for answers in [3, 100_000] {
        let mut scene = Scene::new();
        for turn in 0..200 {
            let answer = format!("line {}", turn % answers);
            scene.call("read_line", &format!("{turn}"), Ok(&answer));
            scene.end();
        }
        assert_eq!(scene.verdicts, [], "{answers} answers");
        assert!(scene.watch.take_unjudged_notice(&scene.rules).is_some());
    }
}

#[test]
fn one_failure_an_hour_is_told_after_a_day_although_all_else_goes_well() {
    let mut scene = Scene::new();
    let mut memo = String::new();
    let mut told = Vec::new();
    for hour in 0..49 {
        scene.call("craft", "{}", Err("Error: cannot_craft: 3 missing"));
        scene.call("get_status", "{}", Ok(&status(hour, 0, "x")));
        scene.end();
        told.extend(scene.watch.notice().cloned());
        assert_eq!(scene.watch.stuck(), None);
        scene.watch.on_order(scene.now);
        scene.now = scene.now.plus(Duration::from_secs(3600));
        if let Some(due) = scene.watch.due_checkpoint(scene.both()) {
            memo = due;
        }
        if hour % 10 == 9 {
            // The program is killed and started again.
            scene.watch = StallDetector::restore(&memo, scene.both());
        }
    }
    assert_eq!((scene.verdicts.len(), told.len()), (2, 2));
    for (notice, times) in told.iter().zip([24, 48]) {
        let failure = format!("craft failed {times} times with cannot_craft");
        assert!(notice.contains(&failure), "{notice}");
    }
    zoea_golden::hold_text("stall-checkpoint.json", &memo);
    scene.call("craft", "{}", Ok("{}"));
    assert_eq!(scene.watch.call_pattern.recurring_failures, []);
}

#[test]
fn a_memo_brings_back_what_was_counted() {
    let mut scene = Scene::new();
    for turn in 0..70 {
        scene.call("get_status", "{}", Ok(&status(7, 3, "belt")));
        scene.call("dock", &format!("{turn}"), Err("Error: no_base: none"));
        scene.end();
    }
    scene.watch.reset_context(Seq(44));
    let memo = scene.watch.due_checkpoint(scene.both()).unwrap();
    assert!(memo.len() < 2048, "{} bytes", memo.len());
    let mut recalled = StallDetector::restore(&memo, scene.both());
    assert_eq!(recalled.escalation_step(), scene.watch.escalation_step());
    assert_eq!(recalled.context_reset(), Seq(44));
    assert_eq!(recalled.checkpoint(scene.both()), memo);
    assert_eq!(recalled.due_checkpoint(scene.both()), None, "nothing new");
    assert_eq!(
        StallDetector::restore("nonsense", scene.both()),
        StallDetector::default()
    );
    // The first status after it is no gain, because no change was seen.
    scene.watch = recalled;
    scene.call("get_status", "{}", Ok(&status(7, 3, "belt")));
    scene.end();
    assert!(scene.watch.escalation_step() > EscalationStep::Unescalated);
}

/// The verdicts about a Mysis that only talks and fails for an hour. The wall clock is shifted
/// after ten minutes. With `is_restarted`, the program is restarted then.
fn verdicts_at(
    shift: i64,
    is_restarted: bool,
) -> Vec<(u32, Option<StallKind>, Option<EscalationStep>)> {
    let mut scene = Scene::new();
    for turn in 0..60 {
        if turn == 15 {
            let memo = scene.watch.checkpoint(scene.both());
            scene.ahead += shift;
            if is_restarted {
                // Another process has another monotonic clock.
                scene.now = Moment(100);
                scene.ahead = 1_773_254_527_042 + 600_000 + shift;
                scene.watch = StallDetector::restore(&memo, scene.both());
            }
        }
        scene.call("dock", &format!("{turn}"), Err("Error: no_base: none"));
        scene.now = scene.now.plus(Duration::from_secs(20));
        scene.end();
    }
    scene.verdicts
}

#[test]
fn a_wall_clock_that_is_set_parks_nobody_sooner_or_later() {
    for is_restarted in [false, true] {
        let verdicts = verdicts_at(0, is_restarted);
        assert!(!verdicts.is_empty());
        for shift in [-60_000, -3_600_000, 3_600_000, 20 * 365 * 86_400_000] {
            let shifted = verdicts_at(shift, is_restarted);
            assert_eq!(shifted, verdicts, "by {shift} ms, {is_restarted}");
        }
    }
}

#[test]
fn switched_off_it_says_nothing() {
    let mut scene = Scene::new();
    scene.rules.is_on = false;
    for _ in 0..100 {
        scene.end();
    }
    assert_eq!(scene.verdicts, []);
}

#[test]
fn what_cannot_be_read_is_never_taken_for_no_gain_and_is_said_once() {
    for knows_json in [false, true] {
        let mut scene = Scene::new();
        if knows_json {
            scene.call("get_status", "{}", Ok(&status(1203, 0, "belt")));
            scene.end();
        }
        let mut said = Vec::new();
        for turn in 0..200 {
            // A successful trade, reported as text, and a query that always has the same answer.
            let sold = format!("Sold 4 copper ore. You have {} cr.", 1203 + turn * 16);
            scene.call("mine", "{}", Ok(&sold));
            scene.call("get_base", "{}", Ok("Sol Central, services: market, fuel"));
            scene.end();
            said.extend(scene.watch.take_unjudged_notice(&scene.rules));
        }
        assert_eq!(scene.verdicts, [], "it does well");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("repetition and failures"), "{said:?}");
        let again = StallDetector::restore(&scene.watch.checkpoint(scene.both()), scene.both());
        let again = again.clone().take_unjudged_notice(&scene.rules);
        assert_eq!(again, None, "not again after a restart");
    }
}

#[test]
fn failures_and_words_alone_are_found_where_nothing_can_be_read() {
    let mut fails = Scene::new();
    let mut talks = Scene::new();
    let mut circles = Scene::new();
    for turn in 0..60 {
        fails.call(
            "mine",
            &format!("{{\"n\":{turn}}}"),
            Err("the drill is stuck"),
        );
        fails.end();
        talks.end();
        for _ in 0..4 {
            circles.call("look", "{}", Ok("You see a wall."));
        }
        circles.end();
    }
    let ways = |scene: &Scene| scene.verdicts.first().and_then(|(_, way, _)| *way);
    assert_eq!(ways(&fails), Some(StallKind::AllCallsFail));
    assert_eq!(ways(&talks), Some(StallKind::OnlyText));
    assert_eq!(ways(&circles), Some(StallKind::Looping));
}

#[test]
fn answers_that_can_be_read_again_are_judged_again() {
    let mut scene = Scene::new();
    scene.call("get_status", "{}", Ok(&status(1203, 0, "belt")));
    scene.end();
    for turn in 0..60 {
        scene.call("get_news", "{}", Ok(&format!("news of day {turn}")));
        scene.end();
    }
    assert_eq!(scene.verdicts, []);
    for _ in 0..60 {
        scene.call("get_status", "{}", Ok(&status(1203, 0, "belt")));
        scene.call("get_news", "{\"n\":1}", Ok("no news"));
        scene.call("wave", "{}", Ok(r#"{"action":"wave"}"#));
        scene.end();
    }
    assert!(!scene.verdicts.is_empty());
}

/// In the second interface actions may answer in words that nobody has captured.
#[test]
fn turns_of_actions_in_unknown_words_are_not_judged() {
    let mut scene = Scene::new();
    let status = "Quill [nebula] | 2,750cr | Sol\nFuel: 87/130 | Cargo: 30/100\n";
    scene.call("get_status", "{}", Ok(status));
    scene.end();
    for turn in 0..200 {
        scene.call("get_status", "{}", Ok(status));
        for pull in 0..3 {
            let text = format!("Mined {pull} ore in turn {turn}.");
            scene.call("mine", "{}", Ok(&text));
        }
        scene.end();
    }
    assert_eq!(scene.verdicts, []);
    let notice = scene.watch.take_unjudged_notice(&scene.rules).unwrap();
    assert!(notice.contains("finds no figures"), "{notice}");
}
