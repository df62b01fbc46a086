//! Tests of cycles of calls and of failures that recur for days, call by call.

use std::sync::Arc;
use std::time::Duration;

use crate::game::{GameReading, GameRef};
use crate::ids::Moment;
use crate::message::CallStatus;
use crate::progress::FinishedCall;
use crate::progress::call_pattern::CallPattern;

/// The longest cycle that is detected, and how often it must be repeated.
const LONGEST: usize = 8;
const ROUNDS: usize = 6;

fn call(
    call_pattern: &mut CallPattern,
    tool: &str,
    status: CallStatus,
    text: &str,
    at: Moment,
) -> bool {
    let (tool, arguments): (Arc<str>, Arc<str>) = (tool.into(), "{}".into());
    let reading = GameReading::of(GameRef::SpaceMolt, text);
    let called = FinishedCall {
        tool: &tool,
        arguments: &arguments,
        read_only: tool.starts_with("look"),
        status,
        reading: &reading,
    };
    call_pattern.on_call(&called, at)
}

fn fail(call_pattern: &mut CallPattern, tool: &str, text: &str, at: Moment) -> bool {
    call(call_pattern, tool, CallStatus::Failed, text, at)
}

fn after(seconds: u64) -> Moment {
    Moment(1_000_000).plus(Duration::from_secs(seconds))
}

#[test]
fn a_circle_is_one_once_it_was_gone_round_six_times() {
    for period in 1..=LONGEST + 1 {
        let mut call_pattern = CallPattern::default();
        for number in 0..period * ROUNDS {
            let is_circling = call_pattern.is_circling();
            assert!(!is_circling, "{period} calls, after {number}");
            let tool = format!("tool{}", number % period);
            call(&mut call_pattern, &tool, CallStatus::Done, "", after(0));
        }
        assert_eq!(
            call_pattern.is_circling(),
            period <= LONGEST,
            "{period} calls"
        );
        let circle: Vec<String> = (0..period).map(|place| format!("tool{place}")).collect();
        if period <= LONGEST {
            assert_eq!(call_pattern.cycle_tools(), circle);
            call(&mut call_pattern, "other", CallStatus::Done, "", after(0));
            assert!(!call_pattern.is_circling(), "it broke off");
        }
    }
}

#[test]
fn a_call_that_failed_is_not_the_one_that_was_answered() {
    let mut call_pattern = CallPattern::default();
    for _ in 0..5 {
        call(&mut call_pattern, "mine", CallStatus::Done, "", after(0));
    }
    fail(&mut call_pattern, "mine", "no", after(0));
    assert!(!call_pattern.is_circling());
}

#[test]
fn whoever_only_looks_and_sees_harms_nobody() {
    let looks = |tool: &str, status| {
        let mut call_pattern = CallPattern::default();
        call(&mut call_pattern, "mine", CallStatus::Done, "", after(0));
        for _ in 1..LONGEST {
            call(&mut call_pattern, "look", CallStatus::Done, "", after(0));
        }
        assert!(!call_pattern.is_harmless(), "a deed is among the newest");
        call(&mut call_pattern, tool, status, "", after(0));
        call_pattern.is_harmless()
    };
    assert!(looks("look", CallStatus::Done));
    assert!(looks("get_notifications", CallStatus::Done));
    assert!(!looks("look", CallStatus::Failed));
    assert!(!looks("mine", CallStatus::Done));
}

#[test]
fn a_failure_is_told_once_it_came_often_for_a_day_and_then_after_twice_as_often() {
    // The least number of failures, and the least number of hours.
    for (times, hours, is_reported) in [
        (23, 30, false),
        (24, 22, false),
        (24, 23, true),
        (24, 30, true),
        (25, 30, false),
        (48, 30, true),
        (72, 30, false),
        (96, 30, true),
        (120, 30, false),
    ] {
        let mut call_pattern = CallPattern::default();
        for _ in 1..times {
            fail(
                &mut call_pattern,
                "craft",
                "Error: cannot_craft: 3 missing",
                after(0),
            );
            call_pattern.due = None;
        }
        fail(
            &mut call_pattern,
            "craft",
            "Error: cannot_craft: 4 missing",
            after(hours * 3600),
        );
        let facts = is_reported.then(|| {
            format!(
                "{hours} hours: craft failed {times} times with cannot_craft, and never succeeded"
            )
        });
        assert_eq!(
            call_pattern.due.take(),
            facts,
            "{times} times, {hours} hours"
        );
        assert_eq!(call_pattern.due.take(), None, "said once");
    }
}

#[test]
fn failures_are_told_apart_by_tool_and_code_and_end_with_a_success() {
    let mut call_pattern = CallPattern::default();
    let texts = [
        ("craft", "Error: cannot_craft: 3 missing"),
        ("craft", "  Error: cannot_craft\nmore"),
        ("craft", "Error: no_base: here"),
        ("dock", "Error: no_base: here"),
        ("dock", "after 17 tries"),
        ("dock", "after 18 tries"),
    ];
    for (tool, text) in texts {
        fail(&mut call_pattern, tool, text, after(0));
    }
    let known = |call_pattern: &CallPattern| -> Vec<(String, String, u32)> {
        let recurring_failures = call_pattern.recurring_failures.iter();
        recurring_failures
            .map(|ailment| {
                (
                    ailment.tool.to_string(),
                    ailment.code.to_string(),
                    ailment.times,
                )
            })
            .collect()
    };
    let of = |tool: &str, code: &str, times| (tool.to_string(), code.to_string(), times);
    let dock = [of("dock", "no_base", 1), of("dock", "after  tries", 2)];
    let craft = [of("craft", "cannot_craft", 2), of("craft", "no_base", 1)];
    assert_eq!(known(&call_pattern), [&craft[..], &dock[..]].concat());
    call(
        &mut call_pattern,
        "craft",
        CallStatus::Unknown,
        "",
        after(1),
    );
    call(
        &mut call_pattern,
        "craft",
        CallStatus::NotExecuted,
        "",
        after(1),
    );
    assert_eq!(known(&call_pattern).len(), 4, "that says nothing of it");
    call(&mut call_pattern, "craft", CallStatus::Done, "", after(1));
    assert_eq!(known(&call_pattern), dock);
}

#[test]
fn of_more_failures_than_eight_the_one_goes_that_came_longest_ago() {
    let mut call_pattern = CallPattern::default();
    for number in 0..8 {
        fail(
            &mut call_pattern,
            &format!("t{number}"),
            "no",
            after(number),
        );
    }
    fail(&mut call_pattern, "t0", "no", after(10));
    assert_eq!(call_pattern.recurring_failures.len(), 8);
    fail(&mut call_pattern, "t8", "no", after(11));
    let tools: Vec<&str> = call_pattern
        .recurring_failures
        .iter()
        .map(|ailment| &*ailment.tool)
        .collect();
    assert_eq!(tools, ["t0", "t2", "t3", "t4", "t5", "t6", "t7", "t8"]);
    let many = call_pattern
        .recurring_failures
        .iter()
        .cycle()
        .take(9)
        .cloned()
        .collect();
    assert_eq!(CallPattern::restore(many).recurring_failures.len(), 8);
}

#[test]
fn a_failure_that_comes_seldom_is_kept_at_once() {
    for (seconds, is_kept) in [(0, false), (599, false), (600, true), (3600, true)] {
        let mut call_pattern = CallPattern::default();
        assert!(
            !fail(&mut call_pattern, "craft", "no", after(0)),
            "the first one"
        );
        assert_eq!(
            fail(&mut call_pattern, "craft", "no", after(seconds)),
            is_kept
        );
    }
}
