//! Tests of the known game state, result by result.

use super::*;
use crate::game::GameRef;
use crate::ids::Seq;

fn look(tool: &str, arguments: &str) -> SnapshotQuery {
    SnapshotQuery::of(GameRef::SpaceMolt, &tool.into(), &arguments.into()).expect("a snapshot tool")
}

fn result_of(text: &str) -> GameReading<'_> {
    GameReading::of(GameRef::SpaceMolt, text)
}

fn call(seq: i64) -> CallKey {
    CallKey {
        seq: Seq(seq),
        position: 0,
    }
}

fn even(at: i64) -> Now {
    Now::from_timestamp(Timestamp(at))
}

fn known() -> GameState {
    let mut game = GameState::default();
    game.on_tick(100, Moment(0));
    game.record_snapshot(
        look("get_cargo", "{}"),
        call(1),
        &result_of(r#"{"used":3}"#),
        None,
        even(0),
    );
    game.record_snapshot(
        look("get_status", "{}"),
        call(2),
        &result_of(r#"{"credits":9}"#),
        None,
        even(20_000),
    );
    game
}

#[test]
fn ages_are_those_of_the_moment_and_the_newest_stands_first() {
    let game = known();
    assert_eq!(
        game.summary(even(50_000), 1000, |_| false),
        "\nKnown of the game, at about tick 105:\
         \n- get_status (3 ticks ago): credits 9\
         \n- get_cargo (5 ticks ago): used 3"
    );
}

#[test]
fn what_the_request_shows_is_not_told_twice() {
    let game = known();
    let summary = game.summary(even(20_000), 1000, |shown| shown == call(2));
    assert!(summary.contains("- get_status (this tick): as shown above"));
    assert!(summary.contains("- get_cargo (2 ticks ago): used 3"));
}

#[test]
fn an_action_marks_what_it_may_have_changed_and_a_new_look_clears_the_mark() {
    let mut game = known();
    game.record_snapshot(
        look("get_map", "{}"),
        call(3),
        &result_of("{}"),
        None,
        even(20_000),
    );
    let mut marked = game.mark_stale(&"mine".into());
    marked.sort();
    assert_eq!(
        marked,
        ["get_cargo".into(), "get_status".into()] as [Arc<str>; 2]
    );
    assert!(
        game.mark_stale(&"travel".into()).is_empty(),
        "marked already"
    );
    let summary = game.summary(even(20_000), 1000, |_| false);
    assert!(summary.contains("get_cargo (2 ticks ago; mine may have changed it since)"));
    game.record_snapshot(
        look("get_cargo", "{}"),
        call(4),
        &result_of(r#"{"used":4}"#),
        None,
        even(20_000),
    );
    let summary = game.summary(even(20_000), 1000, |_| false);
    assert!(
        summary.contains("- get_cargo (this tick): used 4"),
        "{summary}"
    );
}

#[test]
fn looks_differ_by_their_arguments_and_equal_ones_replace_each_other() {
    let mut game = GameState::default();
    let text = |n: i64| format!(r#"{{"n":{n}}}"#);
    for (seq, arguments) in [(1, r#"{"a":1,"b":2}"#), (2, r#"{"b":2,"a":1}"#), (3, "{}")] {
        game.record_snapshot(
            look("get_poi", arguments),
            call(seq),
            &result_of(&text(seq)),
            None,
            even(seq),
        );
    }
    let calls: Vec<CallKey> = game.snapshots().iter().map(|known| known.call).collect();
    assert_eq!(calls, [call(2), call(3)]);
}

#[test]
fn it_is_bounded_in_number_and_in_size() {
    let mut game = GameState::default();
    for seq in 0..100 {
        let arguments = format!(r#"{{"id":"{}{seq}"}}"#, "x".repeat(500));
        let text = format!(r#"{{"a":"{}"}}"#, "y".repeat(5000));
        game.record_snapshot(
            look("get_base", &arguments),
            call(seq),
            &result_of(&text),
            None,
            even(seq),
        );
    }
    assert_eq!(game.snapshots().len(), MAX_SNAPSHOTS);
    for room in [0, 40, 100, 500, 2000] {
        let summary = game.summary(even(100), room, |_| false);
        assert!(escaped_len(&summary) <= room, "{room}");
    }
}

#[test]
fn it_is_recalled_as_it_was_and_forgotten_at_logout() {
    let mut game = known();
    game.mark_stale(&"mine".into());
    let again = GameState::restore(game.snapshots().to_vec(), even(20_000));
    assert_eq!(again.snapshots(), game.snapshots());
    assert_eq!(again.tick_at(Moment(30_000)), Some(103));
    game.forget();
    assert!(game.is_empty());
    assert_eq!(game.summary(even(0), 1000, |_| false), "");
}

#[test]
fn a_wall_clock_that_is_set_does_not_move_the_game_s_ticks() {
    for shift in [-60_000, -3_600_000, 20 * 365 * 86_400_000] {
        let shifted = Now {
            wall: Timestamp(50_000 + shift),
            moment: Moment(50_000),
        };
        let summary = known().summary(shifted, 1000, |_| false);
        assert!(summary.contains("at about tick 105"), "{shift}: {summary}");
        assert!(summary.contains("get_cargo (5 ticks ago)"), "{summary}");
    }
}
