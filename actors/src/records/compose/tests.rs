//! Tests of sizes and cuts to the byte: what fits stays complete, and the rest is cut no more than
//! necessary.

use std::sync::Arc;

use serde_json::{Value, json};

use super::budget::{MIN_EXCERPT_BYTES, fit_parts};
use super::part::{OrderKind, Pair, PairResult, RequestPart, SpokenPart};
use super::statistics::request_breakdown;
use super::*;
use crate::game_state::SnapshotResult;
use crate::ids::{CallKey, MissionId, Timestamp};
use crate::message::{CallRecord, CallStatus, Row, RowBody};
use crate::model::ChatCall;
use crate::record::StoredHistory;
use crate::snapshot_query::SnapshotQuery;

fn order(text: &str, is_owner: bool) -> RequestPart {
    RequestPart::from_order(text.into(), OrderKind::Prompt, is_owner)
}

fn reply(text: &str) -> RequestPart {
    reply_of(7, text)
}

fn reply_of(seq: i64, text: &str) -> RequestPart {
    RequestPart::Spoken(SpokenPart {
        seq: Seq(seq),
        text: Excerpt::from_whole(text.into()),
        pairs: Vec::new(),
        echo: None,
    })
}

fn pair(position: u16, arguments: &str, result: Option<&str>) -> Pair {
    let seq = Seq(7);
    Pair {
        key: CallKey { seq, position },
        id: format!("\"{position}").into(),
        tool: "mine".into(),
        name: "mine".into(),
        arguments: Excerpt::from_whole(arguments.into()),
        echo: "".into(),
        result: result.map(|text| PairResult {
            text: Excerpt::from_whole(text.into()),
            is_error: false,
            game: crate::game::GameRef::SpaceMolt,
        }),
    }
}

fn looped(text: &str, pairs: Vec<Pair>) -> RequestPart {
    RequestPart::Spoken(SpokenPart {
        seq: Seq(7),
        text: Excerpt::from_optional(text.into()),
        pairs,
        echo: None,
    })
}

fn size(parts: &[RequestPart]) -> usize {
    parts.iter().map(render::part_bytes).sum()
}

/// A message in OpenAI's form.
fn in_json(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::System(text) => json!({"role": "system", "content": &**text}),
        ChatMessage::User(text) => json!({"role": "user", "content": &**text}),
        ChatMessage::Assistant { text, calls, .. } => {
            let content = (!text.is_empty()).then_some(&**text);
            let mut json = json!({"role": "assistant", "content": content});
            if !calls.is_empty() {
                let calls = calls.iter().map(|call| {
                    let function = json!({"name": &*call.name, "arguments": &*call.arguments});
                    json!({"id": &*call.id, "type": "function", "function": function})
                });
                json["tool_calls"] = calls.collect();
            }
            json
        }
        ChatMessage::Tool { call_id, text } => {
            json!({"role": "tool", "content": &**text, "tool_call_id": &**call_id})
        }
    }
}

fn in_json_bytes(messages: &[ChatMessage]) -> usize {
    let messages: Vec<Value> = messages.iter().map(in_json).collect();
    Value::from(messages).to_string().len()
}

fn chat_call(id: &str) -> ChatCall {
    ChatCall {
        id: id.into(),
        name: "travel".into(),
        arguments: r#"{"to":"é"}"#.into(),
    }
}

fn assistant(text: &str, calls: &[&str]) -> ChatMessage {
    ChatMessage::Assistant {
        text: text.into(),
        calls: calls.iter().map(|id| chat_call(id)).collect(),
        echo: None,
    }
}

fn one_of_each() -> Vec<ChatMessage> {
    vec![
        ChatMessage::System("you are \"alpha\"".into()),
        ChatMessage::User("go\n".into()),
        assistant("on my way", &[]),
        assistant("", &["a\"1", "a2"]),
        ChatMessage::Tool {
            call_id: "a\"1".into(),
            text: "arrived\t".into(),
        },
        assistant("and now", &["a3"]),
    ]
}

#[test]
fn the_size_of_messages_is_that_of_their_json() {
    let messages = one_of_each();
    for count in 0..=messages.len() {
        let messages = &messages[..count];
        assert_eq!(wire_bytes(messages), in_json_bytes(messages), "{count}");
    }
    for message in messages {
        assert_eq!(
            wire::message_bytes(&message),
            in_json(&message).to_string().len()
        );
    }
}

#[test]
fn a_part_takes_its_messages_with_a_comma_each_and_an_order_a_bridge_too() {
    let both = || vec![pair(0, "{}", Some("ore")), pair(1, r#"{"a":1}"#, None)];
    for (part, more) in [
        (order("g\no", true), shape::bridge_bytes()),
        (reply("well\n"), 0),
        (looped("look:", both()), 0),
        (looped("", both()), 0),
        (looped("", vec![pair(0, "{}", None)]), 0),
    ] {
        let messages = render::render_part(&part);
        let with_commas: usize = messages
            .iter()
            .map(|message| wire::message_bytes(message) + 1)
            .sum();
        assert_eq!(render::part_bytes(&part), with_commas + more, "{part:?}");
    }
}

#[test]
fn an_aside_may_take_an_eighth_of_a_small_request_and_two_kib_of_a_large_one() {
    let allowed = [0, 800, 8 << 10, 16 << 10, (16 << 10) + 8, 1 << 20].map(note_allowance);
    assert_eq!(allowed, [0, 100, 1 << 10, 2 << 10, 2 << 10, 2 << 10]);
}

#[test]
fn ids_that_no_provider_takes_back_are_replaced_by_one_of_ours() {
    let ids = |given: &[&str]| -> Vec<String> {
        let calls: Vec<CallRecord> = given
            .iter()
            .map(|id| CallRecord {
                id: (*id).into(),
                name: "mine".into(),
                arguments: "{}".into(),
                status: CallStatus::Done,
                read_only: false,
                routine: None,
            })
            .collect();
        let ids = wire::unique_ids(Seq(1007), &calls);
        ids.iter().map(ToString::to_string).collect()
    };
    let (longest, longer) = ("x".repeat(8192), "x".repeat(8193));
    assert_eq!(ids(&[&longest]), [longest.as_str()]);
    assert_eq!(ids(&[&longer]), ["c00700000"]);
    assert_eq!(ids(&["a\u{1}"]), ["c00700000"]);
    let quotes = ["\"".repeat(4096), "\"".repeat(4097)];
    assert_eq!(ids(&[&quotes[0], &quotes[1]]), [&quotes[0], "c00700001"]);
    let many = ids(&[""; 40]);
    assert_eq!((&*many[9], &*many[10]), ("c00700009", "c0070000a"));
    assert_eq!(
        (&*many[35], &*many[36], &*many[39]),
        ("c0070000z", "c00700010", "c00700013")
    );
    // An id of our own form that is used already is not given twice.
    assert_eq!(
        ids(&["", "c00700000", ""]),
        ["c00700003", "c00700000", "c00700002"]
    );
    assert_eq!(ids(&["", "c00700000", "c00700003"])[0], "c00700006");
}

#[test]
fn only_an_object_is_taken_for_arguments() {
    for text in ["null", "7", "{", "{}x", "", "  "] {
        assert!(!wire::is_object(text), "{text}");
    }
    assert!(wire::is_object("{}") && wire::is_object(" {\"a\": {}} "));
}

#[test]
fn a_text_is_cut_where_it_is_a_byte_too_long_and_then_to_what_fits() {
    let nothing = |_: usize| String::new();
    let whole = || Excerpt::from_whole("x".repeat(300).into());
    let mut exact = whole();
    exact.shorten(300, nothing);
    assert!(exact.is_whole() && exact.size() == 300);
    let mut cut = whole();
    cut.shorten(299, nothing);
    // The number in the note could have been one digit longer.
    assert_eq!(cut.size(), 298, "{}", cut.text());
    assert!(!cut.is_whole());
    // Cutting it to the same length again changes nothing.
    let before = cut.clone();
    cut.shorten(before.size(), nothing);
    assert_eq!(cut, before);
    // A hint counts with its JSON escapes.
    for cap in [200, 250] {
        let mut hinted = whole();
        hinted.shorten(cap, |kept| format!("; {{\"offset\":\"{kept}\"}} reads on"));
        assert!(
            (cap - 8..=cap).contains(&hinted.size()),
            "{} of {cap}",
            hinted.size()
        );
    }
    assert_eq!(
        Excerpt::from_beginning("".into(), 0).text().as_ref(),
        "(empty)"
    );
    let mut lost = Excerpt::from_beginning("".into(), 9);
    lost.shorten(100, nothing);
    assert_eq!(lost.text().as_ref(), "\n[cut: 9 of 9 bytes left out]");
    assert!(
        Excerpt::from_beginning("abc".into(), 2).is_whole(),
        "no text has less than is here"
    );
    let mut replaced = whole();
    replaced.replace("\"");
    assert!(replaced.is_whole() && replaced.size() == 2);
}

fn fitted(parts: &[RequestPart], room: usize) -> Vec<RequestPart> {
    let mut parts = parts.to_vec();
    fit_parts(&mut parts, room);
    parts
}

#[test]
fn what_fits_to_the_byte_stays_and_a_byte_less_costs_the_oldest_that_may_go() {
    let small = "x".repeat(100);
    let words = |count: i64| (0..count).map(|n| reply_of(n + 1, &format!("{n:03}{small}")));
    let orders = |count: usize| (0..count).map(|n| order(&format!("{n:03}{small}"), n == 1));
    let pairs =
        |count: u16| -> Vec<Pair> { (0..count).map(|n| pair(n, "{}", Some(&small))).collect() };
    let earlier = || looped("", pairs(2));
    for (parts, left) in [
        // Replies are dropped, oldest first, and several at once.
        (
            [vec![order("go", true)], words(9).collect()].concat(),
            [vec![order("go", true)], words(9).skip(3).collect()].concat(),
        ),
        // A loop is dropped as a whole, and the newest stays.
        (
            vec![order("go", true), earlier(), looped("", pairs(3))],
            vec![order("go", true), looped("", pairs(3))],
        ),
        // The oldest call of the last loop is dropped.
        (
            vec![order("go", true), looped("", pairs(9))],
            vec![order("go", true), looped("", pairs(9).split_off(1))],
        ),
        // The oldest order that is neither the owner nor the newest is dropped.
        (orders(9).collect(), orders(9).skip(1).collect()),
        (
            orders(9).skip(1).collect(),
            orders(9).skip(1).take(1).chain(orders(9).skip(3)).collect(),
        ),
    ] {
        let room = size(&parts);
        assert_eq!(fitted(&parts, room), parts, "all of it fits");
        assert_eq!(fitted(&parts, room - 1), left);
        let next = size(&left);
        assert_eq!(fitted(&parts, next), left, "and no more than that");
    }
}

#[test]
fn the_owner_the_newest_order_and_a_call_of_the_last_loop_stay() {
    let text = "x".repeat(5000);
    let parts = vec![
        order(&text, false),
        order(&text, true),
        reply(&text),
        looped(
            &text,
            vec![pair(0, "{}", Some(&text)), pair(1, "{}", Some(&text))],
        ),
        order(&text, false),
        order(&text, false),
    ];
    for (room, least) in [(1200, 180), (2000, 440), (3000, 1200)] {
        let left = fitted(&parts, room);
        assert!(size(&left) <= room, "{} of {room}", size(&left));
        let RequestPart::Order(owner) = &left[0] else {
            panic!("{left:?}");
        };
        // The owner is cut in halves, as far as necessary.
        assert!(
            owner.is_owner && owner.text.size() > least,
            "{} in {room}",
            owner.text.size()
        );
        assert!(matches!(&left[1], RequestPart::Spoken(said) if said.pairs[0].key.position == 1));
        // Of the others the newest stays, and one more if it still fits.
        let others = &left[2..];
        let is_other =
            |part: &RequestPart| matches!(part, RequestPart::Order(order) if !order.is_owner);
        assert!((1..=2).contains(&others.len()) && others.iter().all(is_other));
    }
}

#[test]
fn long_texts_are_cut_to_a_share_of_the_room_before_anything_goes() {
    let room = 64 << 10;
    let text = |bytes: usize| "x".repeat(bytes);
    let arguments = |bytes: usize| format!(r#"{{"a":"{}"}}"#, text(bytes - r#"{"a":""}"#.len()));
    // Inside JSON each quotation mark of the arguments takes one byte more.
    let quoted = |bytes: usize| arguments(bytes - 4);
    for (part, share) in [
        (reply as fn(&str) -> RequestPart, 4),
        (|text| order(text, false), 2),
        (|text| order(text, true), 2),
        (|text| looped(text, vec![pair(0, "{}", None)]), 4),
        (|text| looped("", vec![pair(0, "{}", Some(text))]), 4),
    ] {
        let exact = [part(&text(room / share))];
        assert_eq!(fitted(&exact, room), exact);
        let left = fitted(&[part(&text(room / share + 1))], room);
        let before = size(&exact);
        assert!(
            (before - 100..=before).contains(&size(&left)),
            "{} of {before}",
            size(&left)
        );
    }
    let called = |arguments: &str| vec![looped("", vec![pair(0, arguments, None)])];
    let exact = called(&quoted(room / 4));
    assert_eq!(fitted(&exact, room), exact);
    let longer = quoted(room / 4 + 1);
    let stub = format!(
        r#"{{"_cut":"{} bytes of arguments left out"}}"#,
        longer.len()
    );
    assert_eq!(fitted(&called(&longer), room), called(&stub));
}

#[test]
fn a_cut_result_says_where_the_rest_can_be_read() {
    let room = 8 << 10;
    let parts = [looped("", vec![pair(3, "{}", Some(&"x".repeat(9000)))])];
    let left = fitted(&parts, room);
    let RequestPart::Spoken(found) = &left[0] else {
        panic!("a loop stays one");
    };
    let text = found.pairs[0].result.as_ref().unwrap().text.text().clone();
    let kept = text.chars().take_while(|c| *c == 'x').count();
    let hint = format!(r#"zoea_read_result {{"call_id":"7.3","offset":{kept}}} reads on]"#);
    assert!(text.ends_with(&hint), "{}", &text[kept..]);
}

#[test]
fn many_orders_are_cut_alike_and_stay_longer_than_words() {
    let parts: Vec<RequestPart> = (0..20)
        .map(|n| order(&format!("{n:03}{}", "x".repeat(4000)), n == 0))
        .chain([reply(&"y".repeat(4000))])
        .collect();
    let left = fitted(&parts, 8 << 10);
    assert!(size(&left) <= 8 << 10);
    let sizes = left.iter().filter_map(|part| match part {
        RequestPart::Order(order) if !order.is_owner => Some(order.text.size()),
        RequestPart::Order(_) | RequestPart::Spoken(_) => None,
    });
    let sizes: Vec<usize> = sizes.collect();
    assert!(
        sizes.len() > 1
            && sizes
                .iter()
                .all(|size| (MIN_EXCERPT_BYTES * 2 - 20..=MIN_EXCERPT_BYTES * 2).contains(size)),
        "{sizes:?}"
    );
}

fn row(seq: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq),
        turn: TurnNumber(1),
        body,
    })
}

fn noted(notes: &[&str]) -> Conversation {
    let notes = (1..).zip(notes).map(|(seq, text)| {
        let text = (*text).into();
        row(seq, RowBody::Note { text })
    });
    let recollection = StoredHistory {
        notes: notes.collect(),
        ..StoredHistory::default()
    };
    Conversation::restore(recollection, 4096)
}

/// The system message of a request with the smallest budget.
fn system_of(prompt: &str, notes: &[&str]) -> String {
    let conversation = noted(notes);
    let composed = compose(&composition(prompt, &conversation, &[]));
    let ChatMessage::System(text) = &composed.messages[0] else {
        panic!("{:?}", composed.messages[0]);
    };
    text.to_string()
}

pub(super) fn composition<'a>(
    system: &'a str,
    conversation: &'a Conversation,
    notices: &'a [String],
) -> Composition<'a> {
    static OWNER: std::sync::LazyLock<TurnOwner> =
        std::sync::LazyLock::new(|| TurnOwner::Nudge("go".into()));
    Composition {
        system,
        role: "",
        identity: "",
        names: None,
        conversation,
        owner: &OWNER,
        mission: None,
        earlier_bytes: 0,
        turn: TurnNumber(2),
        continuation: "go on",
        notices,
        game: None,
        now: Now::default(),
        budget: MIN_BUDGET_BYTES,
    }
}

#[test]
fn the_system_prompt_may_take_half_the_request_with_its_frame_and_comma() {
    let frame = r#"{"role":"system","content":""},"#.len();
    let most = MIN_BUDGET_BYTES / 2 - frame;
    let exact = "p".repeat(most);
    assert_eq!(system_of(&exact, &[]), exact);
    let cut = system_of(&"p".repeat(most + 1), &[]);
    assert!(cut.len() <= most && cut.len() > most - 60, "{}", cut.len());
    assert!(cut.contains("[cut: "));
}

#[test]
fn of_notes_that_do_not_all_fit_the_newest_stay_in_their_order() {
    assert_eq!(system_of("p", &["one", " ", "two"]), "p\n\none\n\ntwo");
    let frame = r#"{"role":"system","content":""},"#.len();
    let most = MIN_BUDGET_BYTES / 2 - frame;
    let separator = r"\n\n".len();
    // The remaining space where one more note can begin, and one byte less.
    for (left, is_begun) in [
        (MIN_EXCERPT_BYTES * 2, true),
        (MIN_EXCERPT_BYTES * 2 - 1, false),
    ] {
        let newest = "n".repeat(most - 1 - separator - separator - left);
        let text = system_of("p", &["oldest", &newest]);
        let begins = if is_begun {
            "p\n\noldest\n\nn"
        } else {
            "p\n\nn"
        };
        assert!(text.starts_with(begins), "{left}: {}", &text[..20]);
        assert!(text.ends_with(&newest));
    }
}

#[test]
fn every_byte_of_a_request_is_counted_under_what_it_is() {
    let conversation = noted(&["never\nsell"]);
    let composition = composition("you are alpha", &conversation, &[]);
    let of = |kind: OrderKind, text: &str| RequestPart::from_order(text.into(), kind, false);
    let parts = [
        of(OrderKind::Prompt, "1\n"),
        of(OrderKind::Mission, "22\n"),
        of(OrderKind::Peer, "333\n"),
        of(OrderKind::Nudge, "4444\n"),
        of(OrderKind::Continuation, "55555\n"),
        reply("666666\n"),
        reply("6"),
        looped(
            "7\n",
            vec![pair(0, "{}", Some("88\n")), pair(1, "{}", Some("9"))],
        ),
        looped("", vec![pair(0, "{}", None)]),
    ];
    let counted = request_breakdown(&composition, &parts, (1000, 70));
    let notes = r"never\nsell".len();
    let expected = Breakdown {
        system_prompt: 1000 - notes,
        notes,
        prompts: 3,
        missions: 4,
        peers: 5,
        nudges: 6,
        continuations: 7,
        runtime_note: 70,
        replies: 8 + 1,
        calls: 3 + 3 * ("mine".len() + "{}".len()),
        results: 4 + 1,
        reasoning_left_out: 0,
    };
    assert_eq!(counted, expected);
    assert_eq!(counted.of_operator(), notes + 3 + 4);
    assert_eq!(counted.of_runtime(), 1000 - notes + 6 + 7 + 70);
    assert_eq!(counted.of_model(), 9 + 21);
    // Cut notes take the space that the prompt leaves.
    let cut = request_breakdown(&composition, &[], ("you are alpha".len() + 4, 0));
    assert_eq!((cut.system_prompt, cut.notes), ("you are alpha".len(), 4));
}

#[test]
fn an_aside_is_told_where_there_is_something_to_tell() {
    let conversation = noted(&[]);
    let last = |notices: &[String]| {
        let composed = compose(&composition("p", &conversation, notices));
        let last = composed.messages.last().cloned();
        (last, composed.breakdown.runtime_note)
    };
    assert_eq!(last(&[]), (Some(ChatMessage::User("go".into())), 0));
    let sent = format!("{RUNTIME_NOTE_LINE}\none\ntwo");
    let both = last(&["one".to_string(), "two".to_string()]);
    let expected = ChatMessage::User(format!("go\n\n{sent}").into());
    assert_eq!(both, (Some(expected), sent.len() + 2));
    let (_, long) = last(&["x".repeat(9000)]);
    let most = note_allowance(MIN_BUDGET_BYTES);
    assert!((most - 60..=most).contains(&long), "{long}");
    let game = GameState::default();
    let mut knows_nothing = composition("p", &conversation, &[]);
    knows_nothing.game = Some(&game);
    assert_eq!(compose(&knows_nothing).breakdown.runtime_note, 0);
}

#[test]
fn what_is_told_of_the_game_has_no_control_characters() {
    let conversation = noted(&[]);
    let known = SnapshotResult {
        look: SnapshotQuery {
            tool: "get_nearby".into(),
            arguments: "{}".into(),
        },
        call: CallKey {
            seq: Seq(0),
            position: 0,
        },
        digest: "name Rex\u{7}\u{1b}[2J".into(),
        tick: None,
        at: Timestamp(0),
        stale_by: None,
    };
    let game = GameState::restore(vec![known], Now::default());
    let mut knowing = composition("p", &conversation, &[]);
    knowing.game = Some(&game);
    let composed = compose(&knowing);
    let Some(ChatMessage::User(text)) = composed.messages.last() else {
        panic!("{:?}", composed.messages);
    };
    assert!(text.ends_with("): name Rex??[2J"), "{text}");
    let line = text.find(RUNTIME_NOTE_LINE).expect("a note");
    let note = zoea_text::json_size::escaped_len(&text[line..]);
    assert_eq!(composed.breakdown.runtime_note, note);
}

#[test]
fn the_turn_is_about_the_oldest_message_without_an_answer_then_the_mission_then_the_newest_one() {
    let mission = crate::record::Mission {
        id: MissionId(3),
        text: "mine".into(),
        at: Timestamp(0),
    };
    let prompt = |seq: i64| row(seq, RowBody::Prompt { text: "go".into() });
    let answered = |seq: i64| {
        let said = crate::message::Utterance {
            text: "yes".into(),
            seen_up_to: Seq(seq),
            ..Default::default()
        };
        row(seq, RowBody::Reply(said))
    };
    let owner = |rows: &[Arc<Row>], has_mission: bool, window: usize| {
        let recollection = StoredHistory {
            rows: rows.to_vec(),
            ..StoredHistory::default()
        };
        let conversation = Conversation::restore(recollection, 4096);
        choose_owner(
            &conversation,
            has_mission.then_some(&mission),
            window,
            "up".into(),
        )
    };
    let rows = [prompt(1), prompt(2), answered(3)];
    let of_mission = TurnOwner::Mission {
        id: MissionId(3),
        text: "mine".into(),
    };
    assert_eq!(owner(&rows[..2], true, 9), TurnOwner::Prompt(Seq(1)));
    assert_eq!(owner(&rows, true, 9), of_mission);
    assert_eq!(owner(&rows, false, 9), TurnOwner::Prompt(Seq(2)));
    assert_eq!(owner(&rows, false, 1), TurnOwner::Nudge("up".into()));
}

#[test]
fn the_order_that_a_turn_is_about_is_the_one_that_is_not_left_out() {
    let orders: Vec<String> = (1..=40)
        .map(|n| format!("order {n:02} {}", "x".repeat(500)))
        .collect();
    let rows = (1..).zip(&orders).map(|(seq, text)| {
        let text = text.as_str().into();
        row(seq, RowBody::Prompt { text })
    });
    let recollection = StoredHistory {
        rows: rows.collect(),
        last: Seq(40),
        ..StoredHistory::default()
    };
    let conversation = Conversation::restore(recollection, 4096);
    let owner = TurnOwner::Prompt(Seq(3));
    let composed = compose(&Composition {
        owner: &owner,
        ..composition("p", &conversation, &[])
    });
    let ChatMessage::User(text) = composed.messages.last().unwrap() else {
        panic!("{composed:?}");
    };
    assert!(
        text.starts_with(&orders[2]),
        "the whole of it, at the beginning"
    );
    assert!(
        text.contains("order 40") && !text.contains("order 04"),
        "{text}"
    );
    assert_eq!(composed.seen_up_to, Seq(40));
}

/// A conversation of two turns: a call with its result, then words.
fn of_two_turns() -> Conversation {
    let call = CallRecord {
        id: "a".into(),
        name: "mine".into(),
        arguments: "{}".into(),
        status: CallStatus::Done,
        read_only: false,
        routine: None,
    };
    let utterance = crate::message::Utterance::default();
    let meta = crate::message::ResultMeta {
        call_id: "a".into(),
        tool: "mine".into(),
        status: CallStatus::Done,
        ms: Some(1),
        tick: None,
        bytes: 3,
        game: crate::game::GameRef::SpaceMolt,
        kept: None,
    };
    let key = CallKey {
        seq: Seq(1),
        position: 0,
    };
    let said = crate::message::Utterance {
        text: "mined".into(),
        seen_up_to: Seq(2),
        ..Default::default()
    };
    let calls = vec![call];
    let rows = vec![
        row(1, RowBody::Call { utterance, calls }),
        row(
            2,
            RowBody::Result {
                call: key,
                text: "ore".into(),
                meta,
            },
        ),
        row(3, RowBody::Reply(said)),
        row(
            4,
            RowBody::Prompt {
                text: "and you?".into(),
            },
        ),
    ];
    let recollection = StoredHistory {
        rows,
        last: Seq(4),
        ..StoredHistory::default()
    };
    Conversation::restore(recollection, 4096)
}

#[test]
fn the_mission_and_the_role_stand_first_and_the_identity_last_in_every_turn() {
    let mission = crate::record::Mission {
        id: MissionId(3),
        text: "find ore".into(),
        at: Timestamp(0),
    };
    let of_mission = TurnOwner::Mission {
        id: mission.id,
        text: mission.text.clone(),
    };
    let (fresh, old) = (noted(&[]), of_two_turns());
    let composed = |conversation: &Conversation, owner: &TurnOwner, identity: &str| {
        let composed = compose(&Composition {
            role: "[your role] dig",
            identity,
            owner,
            mission: Some(&mission),
            turn: TurnNumber(9),
            ..composition("rules", conversation, &[])
        });
        composed.messages
    };
    let head = "find ore\n\n[your role] dig";
    for (conversation, owner) in [
        (&fresh, &of_mission),
        (&old, &of_mission),
        (&old, &TurnOwner::Prompt(Seq(4))),
    ] {
        let messages = composed(conversation, owner, "I am alpha");
        assert_eq!(messages[0], ChatMessage::System("rules".into()));
        let ChatMessage::User(first) = &messages[1] else {
            panic!("{messages:?}");
        };
        assert!(first.starts_with(head), "{messages:?}");
        let (ChatMessage::User(last) | ChatMessage::Tool { text: last, .. }) =
            messages.last().unwrap()
        else {
            panic!("{messages:?}");
        };
        assert!(last.ends_with("\n\n[from the runtime, not an order]\nI am alpha"));
        let texts = messages.iter().map(|message| format!("{message:?}"));
        let missions = texts.filter(|text| text.contains("find ore")).count();
        assert_eq!(missions, 1, "{messages:?}");
    }
    // Two Myses under one mission: their requests differ in the last line alone.
    let texts = ["alpha", "beta"].map(|name| format!("{:?}", composed(&fresh, &of_mission, name)));
    let same = texts[0].bytes().zip(texts[1].bytes());
    let same = same.take_while(|(a, b)| a == b).count();
    assert!(texts[0][same..].len() < 10, "{texts:?}");
    // Where the turn is about a nudge the role alone stands first.
    let nudged = compose(&Composition {
        role: "dig",
        turn: TurnNumber(9),
        ..composition("rules", &old, &[])
    });
    assert_eq!(nudged.messages[1], ChatMessage::User("dig".into()));
}
