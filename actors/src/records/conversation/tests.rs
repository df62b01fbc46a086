//! Tests of the window: which rows stay, which are dropped, and which count as answered.

use std::sync::Arc;

use super::*;
use crate::ids::{MissionId, Timestamp};
use crate::message::{CallStatus, ResultMeta, RowBody, Utterance};
use crate::model::Echo;

fn row(seq: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq),
        turn: TurnNumber(seq / 10),
        body,
    })
}

fn prompt(seq: i64) -> Arc<Row> {
    row(seq, RowBody::Prompt { text: "go".into() })
}

fn mission(seq: i64) -> Arc<Row> {
    let (id, text) = (MissionId(seq), "mine".into());
    row(seq, RowBody::Mission { id, text })
}

fn note(seq: i64) -> Arc<Row> {
    row(
        seq,
        RowBody::Note {
            text: "never sell".into(),
        },
    )
}

fn peer(seq: i64) -> Arc<Row> {
    let (sender, text) = ("beta".into(), "hello".into());
    row(seq, RowBody::Peer { sender, text })
}

/// A message of the model that had seen the rows up to `seen_up_to`.
fn words(text: &str, seen_up_to: i64) -> Utterance {
    Utterance {
        text: text.into(),
        seen_up_to: Seq(seen_up_to),
        ..Utterance::default()
    }
}

fn reply(seq: i64, seen_up_to: i64) -> Arc<Row> {
    row(seq, RowBody::Reply(words("done", seen_up_to)))
}

fn nothing(seq: i64, seen_up_to: i64) -> Arc<Row> {
    row(seq, RowBody::Reply(words(" ", seen_up_to)))
}

fn calls(seq: i64, tools: &[&str]) -> Arc<Row> {
    let calls = tools.iter().map(|tool| CallRecord {
        id: "id".into(),
        name: (*tool).into(),
        arguments: "{}".into(),
        read_only: false,
        status: CallStatus::Sent,
        routine: None,
    });
    let (utterance, calls) = (words("", seq), calls.collect());
    row(seq, RowBody::Call { utterance, calls })
}

fn result(seq: i64, call: i64, position: u16, text: &str) -> Arc<Row> {
    let body = RowBody::Result {
        call: CallKey {
            seq: Seq(call),
            position,
        },
        text: text.into(),
        meta: ResultMeta {
            call_id: "id".into(),
            tool: "tool".into(),
            status: CallStatus::Done,
            ms: Some(1),
            tick: None,
            bytes: text.len() as u64,
            game: crate::game::GameRef::SpaceMolt,
            kept: None,
        },
    };
    row(seq, body)
}

fn conversation(rows: Vec<Arc<Row>>) -> Conversation {
    let recollection = StoredHistory {
        rows,
        ..StoredHistory::default()
    };
    Conversation::restore(recollection, 1000)
}

fn places(conversation: &Conversation) -> Vec<i64> {
    conversation.rows().map(|row| row.seq.0).collect()
}

const NOBODY: [i64; 0] = [];

fn unanswered(conversation: &Conversation) -> Vec<i64> {
    conversation
        .unanswered_prompts()
        .map(|row| row.seq.0)
        .collect()
}

#[test]
fn words_answer_the_messages_that_they_had_seen() {
    let rows = |end: Arc<Row>| vec![prompt(1), prompt(2), prompt(3), end];
    assert_eq!(unanswered(&conversation(rows(reply(4, 3)))), NOBODY);
    assert_eq!(unanswered(&conversation(rows(reply(4, 2)))), [3]);
    assert_eq!(unanswered(&conversation(rows(reply(4, 0)))), [1, 2, 3]);
    assert_eq!(unanswered(&conversation(rows(nothing(4, 3)))), [1, 2, 3]);
    let open = conversation(rows(calls(4, &["mine"])));
    assert_eq!(unanswered(&open), [1, 2, 3], "a call is no answer");
    assert_eq!(unanswered(&conversation(vec![mission(1), peer(2)])), NOBODY);
}

#[test]
fn how_often_the_model_spoke_is_known_of_the_newest_turn() {
    let spoken = conversation(vec![
        reply(9, 8),
        calls(11, &["mine"]),
        result(12, 11, 0, "ore"),
        nothing(13, 12),
        reply(14, 13),
    ]);
    assert_eq!(spoken.utterances_in(TurnNumber(1)), 3);
    assert_eq!(
        spoken.utterances_in(TurnNumber(0)),
        0,
        "of older ones nothing"
    );
    assert_eq!(spoken.utterances_in(TurnNumber(2)), 0);
    assert_eq!(spoken.last_utterance().map(|row| row.seq), Some(Seq(14)));
    let next = conversation(vec![calls(11, &["mine"]), reply(21, 20)]);
    assert_eq!(next.utterances_in(TurnNumber(2)), 1);
}

#[test]
fn a_call_is_open_until_it_has_a_result_or_was_given_up() {
    let open = |rows: Vec<Arc<Row>>| -> Vec<(i64, u16)> {
        let open = conversation(rows).open_calls().into_iter();
        open.map(|open| (open.key.seq.0, open.key.position))
            .collect()
    };
    let three = || calls(1, &["mine", "sell", "dock"]);
    assert_eq!(open(vec![three()]), [(1, 0), (1, 1), (1, 2)]);
    assert_eq!(open(vec![three(), result(2, 1, 1, "")]), [(1, 0), (1, 2)]);
    let answered = (0..3).map(|place| result(2 + i64::from(place), 1, place, ""));
    assert_eq!(open(std::iter::once(three()).chain(answered).collect()), []);
    let mut given_up = (*three()).clone();
    if let RowBody::Call { calls, .. } = &mut given_up.body {
        calls[0].status = CallStatus::NotExecuted;
    }
    assert_eq!(open(vec![given_up.into()]), [(1, 1), (1, 2)]);
}

#[test]
fn the_newest_message_is_looked_for_among_rows_that_are_sent() {
    let found = |window: usize| {
        let rows = vec![prompt(1), prompt(2), mission(3), nothing(4, 3), reply(5, 4)];
        let of = conversation(rows);
        of.newest_prompt_within(window).map(|row| row.seq.0)
    };
    assert_eq!(
        [found(0), found(2), found(3), found(9)],
        [None, None, Some(2), Some(2)]
    );
}

#[test]
fn notes_are_kept_beside_the_rows_until_they_are_cleared() {
    let mut noted = conversation(vec![]);
    noted.push(&note(1));
    noted.push(&prompt(2));
    assert_eq!((noted.notes().len(), noted.last_seq()), (1, Seq(2)));
    noted.clear_notes();
    assert_eq!(noted.notes().len(), 0);
    let host = row(3, RowBody::Audit { text: "x".into() });
    noted.push(&host);
    assert_eq!(noted.last_seq(), Seq(3), "its place is given out");
    assert_eq!(places(&noted), [1, 2], "it is not held");
}

#[test]
fn between_two_turns_what_is_needed_is_the_order_the_last_words_and_the_loop_before() {
    let trimmed = |rows: Vec<Arc<Row>>, window: usize, open: Option<i64>| {
        let mut of = conversation(rows);
        of.trim_window(window, open.map(TurnNumber), None, Arc::clone);
        places(&of)
    };
    let rows = || {
        vec![
            prompt(1),
            calls(2, &["mine"]),
            result(3, 2, 0, "ore"),
            reply(4, 3),
            calls(11, &["sell"]),
            result(12, 11, 0, "sold"),
            calls(13, &["dock", "fuel"]),
            result(14, 13, 0, "docked"),
            reply(21, 20),
            reply(31, 30),
        ]
    };
    // The loop at 13 has a call without a result.
    assert_eq!(trimmed(rows(), 0, None), [11, 12, 13, 14, 21, 31]);
    assert_eq!(
        trimmed(rows(), 100, None),
        places(&conversation(rows())),
        "the order is in reach"
    );
    let with = |more: Arc<Row>| [rows(), vec![more]].concat();
    assert_eq!(
        trimmed(with(prompt(41)), 1, None),
        [11, 12, 13, 14, 21, 31, 41]
    );
    // If a turn is open, the reply before it counts, and all of its rows.
    assert_eq!(
        trimmed(with(reply(41, 40)), 0, Some(4)),
        [11, 12, 13, 14, 21, 31, 41]
    );
    assert_eq!(
        trimmed(with(reply(41, 40)), 0, Some(1)),
        [2, 3, 4, 11, 12, 13, 14, 21, 31, 41]
    );
    // If the last message is a call, the loop before it stays, too.
    let cut = rows().split_off(1);
    let cut = [&cut[..2], &cut[3..5]].concat();
    assert_eq!(trimmed(cut, 0, None), [2, 3, 11, 12]);
    // The newest mission stays.
    let missions = [vec![mission(0)], vec![mission(1)], rows().split_off(4)].concat();
    assert_eq!(trimmed(missions, 0, None), [1, 11, 12, 13, 14, 21, 31]);
    assert_eq!(
        trimmed(vec![peer(1), peer(2)], 0, None),
        [1, 2],
        "nobody spoke"
    );
}

#[test]
fn of_more_than_a_hundred_orders_the_oldest_and_the_newest_stay() {
    for (orders, expected) in [
        (100, (1..=100).collect::<Vec<i64>>()),
        (101, (1..=101).collect()),
        (102, std::iter::once(1).chain(3..=102).collect()),
        (150, std::iter::once(1).chain(51..=150).collect()),
    ] {
        let mut of = conversation((1..=orders).map(prompt).collect());
        of.trim_window(0, None, None, Arc::clone);
        assert_eq!(places(&of), expected);
    }
}

#[test]
fn a_conversation_that_begins_afresh_keeps_the_orders_that_may_own_a_turn() {
    let afresh = |rows: Vec<Arc<Row>>, at: i64, window: usize| {
        let mut of = conversation(rows);
        of.begin_afresh(Seq(at), window);
        (places(&of), unanswered(&of))
    };
    let rows = || {
        vec![
            mission(1),
            mission(2),
            prompt(3),
            reply(4, 3),
            calls(5, &["mine"]),
            result(6, 5, 0, "ore"),
            prompt(7),
            nothing(8, 7),
            peer(9),
            reply(10, 9),
        ]
    };
    assert_eq!(afresh(rows(), 9, 0), (vec![2, 9, 10], vec![]));
    assert_eq!(afresh(rows(), 9, 100), (vec![2, 7, 9, 10], vec![]));
    assert_eq!(
        afresh(rows(), 1, 0).0.len(),
        10,
        "it begins with its first row"
    );
    assert_eq!(afresh(vec![], 1, 0), (vec![], vec![]));
    // Orders that a dropped reply answered remain answered, and no others do.
    let mut rows = rows();
    rows.pop();
    assert_eq!(afresh(rows.clone(), 10, 100), (vec![2, 7], vec![7]));
    rows.insert(6, reply(7, 6));
    rows[7] = prompt(8);
    rows[8] = nothing(9, 8);
    assert_eq!(afresh(rows.clone(), 11, 100), (vec![2, 8], vec![8]));
    rows.push(reply(10, 8));
    assert_eq!(
        afresh(rows, 11, 100),
        (vec![2, 8], vec![]),
        "it is answered"
    );
}

#[test]
fn a_long_conversation_is_lightened_as_far_as_it_must_be() {
    let text = |letter: &str| letter.repeat(100);
    let rows = || {
        vec![
            prompt(1),
            row(2, RowBody::Reply(words(&text("a"), 1))),
            calls(3, &["get_status"]),
            result(4, 3, 0, &text("b")),
            row(5, RowBody::Reply(words(&text("c"), 4))),
            calls(6, &["get_status"]),
            result(7, 6, 0, &text("d")),
        ]
    };
    let light = |bytes: usize| {
        let mut of = conversation(rows());
        of.reduce_to(bytes);
        let texts = of.rows().map(|row| row.text().len()).collect::<Vec<_>>();
        (of.held_bytes(), places(&of), texts)
    };
    // The order, two calls of two bytes each, and four texts.
    let all = 2 + 4 + 400;
    assert_eq!(conversation(rows()).held_bytes(), all);
    let whole = vec![2, 100, 0, 100, 100, 0, 100];
    assert_eq!(light(all), (all, (1..=7).collect(), whole));
    // The older snapshot is emptied first.
    let emptied = vec![2, 100, 0, 0, 100, 0, 100];
    assert_eq!(
        light(all - 1),
        (all - 100, (1..=7).collect(), emptied.clone())
    );
    assert_eq!(light(all - 100), (all - 100, (1..=7).collect(), emptied));
    // Then the oldest replies are dropped, as many as necessary.
    assert_eq!(light(all - 101).1, [1, 3, 4, 5, 6, 7]);
    assert_eq!(light(all - 200).1, [1, 3, 4, 5, 6, 7]);
    assert_eq!(light(all - 202).1, [1, 4, 5, 6, 7]);
    assert_eq!(
        light(0),
        (2 + 2 + 100, vec![1, 6, 7], vec![2, 0, 100]),
        "the newest loop stays"
    );
}

#[test]
fn of_a_result_and_of_arguments_so_many_bytes_count_as_are_held() {
    let mut of = conversation(vec![]);
    of.limit_results(50);
    let long = result(2, 1, 0, &"é".repeat(40));
    of.push(&long);
    let held: Vec<usize> = of.rows().map(|row| row.text().len()).collect();
    assert_eq!((held, of.held_bytes()), (vec![50], 50));
    of.limit_results(49);
    assert_eq!(of.held_bytes(), 49);
    of.push(&long);
    let held: Vec<usize> = of.rows().map(|row| row.text().len()).collect();
    assert_eq!(held, [50, 48], "no letter is cut in two");
    let exact = result(3, 1, 1, &"x".repeat(49));
    of.push(&exact);
    assert!(of.rows().any(|row| Arc::ptr_eq(row, &exact)), "it fits");
}

#[test]
fn what_the_model_thought_is_counted_while_its_words_are_held() {
    let thought = |seq: i64, thought: &str| {
        let said = Utterance {
            reasoning: Some(thought.into()),
            ..words("well", seq - 1)
        };
        row(seq, RowBody::Reply(said))
    };
    let mut of = conversation(vec![thought(11, "hm"), thought(21, "aha!")]);
    assert_eq!(of.reasoning_bytes(), 6);
    let is_held = |row: &Arc<Row>| row.utterance().is_some_and(|said| said.reasoning.is_some());
    assert!(!of.rows().any(is_held));
    of.trim_window(0, None, None, Arc::clone);
    assert_eq!((places(&of), of.reasoning_bytes()), (vec![21], 4));
}

#[test]
fn of_reasoning_that_may_go_back_the_newest_is_held_and_drops_no_row() {
    let thought = "t".repeat(crate::bounds::MAX_REASONING_SENT / 2);
    let thinks = |seq: i64| {
        let mut said = words("done", seq);
        Arc::make_mut(&mut said.meta).echo = Some(Arc::new(Echo {
            reasoning: thought.as_str().into(),
            ..Echo::default()
        }));
        row(seq, RowBody::Reply(said))
    };
    let mut of = conversation((1..=4).map(thinks).collect());
    let bytes = of.held_bytes();
    of.reduce_to(bytes);
    let held = of.rows().map(|row| {
        let echo = row.utterance().and_then(|said| said.meta.echo.as_ref());
        echo.map_or(0, |echo| echo.reasoning.len())
    });
    let half = thought.len();
    assert_eq!(held.collect::<Vec<_>>(), [0, 0, half, half]);
    assert_eq!(bytes, 4 * "done".len());
}
