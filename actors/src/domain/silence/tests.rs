//! Tests of what a Mysis' silence is, and of when it is told.

use super::*;

fn source() -> ModelSource {
    ModelSource {
        provider: "local".into(),
        model: "qwen".into(),
    }
}

fn after(turns: u32, is_expected: bool, step: impl Fn(&mut Silence)) -> Silence {
    let mut silence = Silence::default();
    for turn in 1..=turns {
        silence.begin_turn(is_expected);
        step(&mut silence);
        silence.end_turn(Timestamp(i64::from(turn)));
    }
    silence
}

#[test]
fn three_turns_of_words_are_told_with_an_excerpt_and_what_helps() {
    let speak = |silence: &mut Silence| silence.record_words("I would\nmine now", false, source());
    assert_eq!(after(2, true, speak).since(), None);
    let silence = after(5, true, speak);
    assert_eq!(silence.since(), Some(Timestamp(3)));
    assert_eq!(
        silence.why(),
        "no tool call succeeded in its first 3 turns: it writes text and calls no tool: \
         \"I would mine now\"; choose a model that is made to call tools; `zoea doctor --prove` \
         says more"
    );
    assert_eq!((silence.answers(), silence.has_called()), (5, false));
}

#[test]
fn words_that_nobody_expects_a_call_of_do_not_count_and_written_calls_do() {
    for (is_written, expected) in [(false, None), (true, Some(Timestamp(3)))] {
        let silence = after(3, false, |silence| {
            silence.record_words("<tool_call>mine", is_written, source());
        });
        assert_eq!(silence.since(), expected);
        assert_eq!(silence.finding().is_some(), is_written);
    }
    let silence = after(3, true, |silence| {
        silence.record_words("[call]", true, source())
    });
    assert!(
        silence
            .why()
            .contains("it writes its calls as text: \"[call]\"")
    );
    assert!(silence.why().contains("--jinja"), "{}", silence.why());
}

#[test]
fn failed_calls_are_told_with_the_last_error() {
    let silence = after(3, true, |silence| {
        silence.record_failure(
            &"mine".into(),
            "Error: not_at_belt:\n\u{1b}[31mtravel first",
        );
    });
    assert!(silence.has_called() && silence.since().is_some());
    let why = silence.why();
    let text = "every call failed, the last one mine: \"Error: not_at_belt: ";
    assert!(why.contains(text) && !why.contains('\u{1b}'), "{why}");
}

#[test]
fn an_excerpt_is_short_whatever_was_written() {
    let long = "é".repeat(10_000);
    let silence = after(3, true, |silence| {
        silence.record_words(&long, false, source())
    });
    let count = silence.why().chars().filter(|sign| *sign == 'é').count();
    assert_eq!(count, MAX_EXCERPT_CHARS);
    assert!(silence.why().contains("…\""));
}
