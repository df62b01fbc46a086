//! Tests with servers that repeat themselves: each call of the model comes out once.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::*;

/// A call as the model means it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Meant {
    name: &'static str,
    arguments: &'static str,
}

/// How a server sends the arguments of one call.
#[derive(Clone, Copy, Debug)]
enum Sending {
    Pieces,
    Cumulative,
    Whole,
    WholeAgain,
    WholeThriceInOnePiece,
    PiecesThenWhole,
    PiecesAgain,
    FirstPieceAgain,
    EachPieceTwice,
    EmptyThenWhole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ids {
    Own,
    Missing,
    Empty,
    Equal,
}

/// What comes when the model has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Nothing,
    AllAgain,
    AllAgainWithoutIndex,
    /// Under the indexes after the last one.
    AllAgainElsewhere,
    MessageBesideDelta,
    MessageInEachChunk,
}

#[derive(Clone, Debug)]
struct Stream {
    calls: Vec<(Meant, Sending, Vec<Index>)>,
    ids: Ids,
    ending: Ending,
    /// Which call sends its next piece.
    order: Vec<Index>,
    /// Whether id and name stand in every piece.
    is_wordy: bool,
    has_words: bool,
}

const NAMES: [&str; 3] = ["mine", "get_status", "sell"];
const ARGUMENTS: [&str; 6] = [
    "{}",
    r#"{"a":1}"#,
    r#"{"a":{"a":11}}"#,
    r#"{"text":"{\"a\":1}{\"a\":1}","n":[1,1,1]}"#,
    r#"{"to":"é🚀 sol","deep":{"deep":{"deep":{}}}}"#,
    "{ \"a\" : 2 }",
];

fn streams() -> impl Strategy<Value = Stream> {
    use Sending::*;
    let sendings = select(vec![
        Pieces,
        Cumulative,
        Whole,
        WholeAgain,
        WholeThriceInOnePiece,
        PiecesThenWhole,
        PiecesAgain,
        FirstPieceAgain,
        EachPieceTwice,
        EmptyThenWhole,
    ]);
    let meant = (select(&NAMES[..]), select(&ARGUMENTS[..]));
    let meant = meant.prop_map(|(name, arguments)| Meant { name, arguments });
    let cuts = prop::collection::vec(any::<Index>(), 0..4);
    let calls = prop::collection::vec((meant, sendings, cuts), 1..5);
    let ids = select(vec![Ids::Own, Ids::Missing, Ids::Empty, Ids::Equal]);
    let ending = select(vec![
        Ending::Nothing,
        Ending::AllAgain,
        Ending::AllAgainWithoutIndex,
        Ending::AllAgainElsewhere,
        Ending::MessageBesideDelta,
        Ending::MessageInEachChunk,
    ]);
    let order = prop::collection::vec(any::<Index>(), 40);
    (calls, ids, ending, order, any::<bool>(), any::<bool>()).prop_map(
        |(mut calls, ids, mut ending, order, is_wordy, has_words)| {
            if ids == Ids::Equal {
                // Equal calls with one id are one call.
                calls.sort_by(|(one, ..), (other, ..)| one.cmp(other));
                calls.dedup_by(|(one, ..), (other, ..)| one == other);
            }
            if ending == Ending::AllAgainElsewhere && !matches!(ids, Ids::Own | Ids::Equal) {
                // Without an id, another index is another call.
                ending = Ending::AllAgain;
            }
            Stream {
                calls,
                ids,
                ending,
                order,
                is_wordy,
                has_words,
            }
        },
    )
}

fn pieces(arguments: &str, sending: Sending, cuts: &[Index]) -> Vec<String> {
    let places = arguments.char_indices().map(|(place, _)| place).skip(1);
    let places: Vec<usize> = places.collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&places)).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let begins = [0].into_iter().chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([arguments.len()]);
    let ends: Vec<usize> = ends.collect();
    let parts = begins
        .zip(&ends)
        .map(|(begin, end)| arguments[begin..*end].to_string());
    let mut parts: Vec<String> = parts.collect();
    let whole = arguments.to_string();
    match sending {
        Sending::Pieces => {}
        Sending::Cumulative => {
            parts = ends
                .iter()
                .map(|end| arguments[..*end].to_string())
                .collect();
        }
        Sending::Whole => parts = vec![whole],
        Sending::WholeAgain => parts = vec![whole.clone(), whole],
        Sending::WholeThriceInOnePiece => parts = vec![whole.repeat(3)],
        Sending::PiecesThenWhole => parts.push(whole),
        Sending::PiecesAgain => parts.extend(parts.clone()),
        Sending::FirstPieceAgain => parts.insert(0, parts[0].clone()),
        Sending::EachPieceTwice => {
            parts = parts
                .into_iter()
                .flat_map(|part| [part.clone(), part])
                .collect();
        }
        Sending::EmptyThenWhole => parts = vec!["{}".to_string(), whole],
    }
    parts
}

impl Stream {
    fn id(&self, call: usize) -> Option<String> {
        match self.ids {
            Ids::Own => Some(format!("call_{call}")),
            Ids::Missing => None,
            Ids::Empty => Some(String::new()),
            Ids::Equal => Some("call_0".to_string()),
        }
    }

    fn whole(&self, call: usize, index: Option<usize>) -> Value {
        let (meant, ..) = &self.calls[call];
        let function = json!({"name": meant.name, "arguments": meant.arguments});
        let mut whole = json!({"type": "function", "function": function});
        if let Some(id) = self.id(call) {
            whole["id"] = json!(id);
        }
        if let Some(index) = index {
            whole["index"] = json!(index);
        }
        whole
    }

    /// All calls, with their indexes moved.
    fn all(&self, shift: Option<usize>) -> Vec<Value> {
        (0..self.calls.len())
            .map(|call| self.whole(call, shift.map(|shift| call + shift)))
            .collect()
    }

    fn chunks(&self) -> Vec<Value> {
        let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
        for (call, (meant, sending, cuts)) in self.calls.iter().enumerate() {
            let mut pieces = pieces(meant.arguments, *sending, cuts);
            pieces.reverse();
            rows.push((call, pieces));
        }
        let mut chunks = Vec::new();
        if self.has_words {
            chunks.push(json!({"delta": {"content": "I mine now."}}));
        }
        let (mut begun, mut order) = (vec![false; rows.len()], self.order.iter().cycle());
        while !rows.is_empty() {
            let place = order.next().expect("a cycle").index(rows.len());
            let (call, pieces) = &mut rows[place];
            let mut function = json!({"arguments": pieces.pop().expect("there is one")});
            let mut delta = json!({"index": call});
            if !std::mem::replace(&mut begun[*call], true) || self.is_wordy {
                function["name"] = json!(self.calls[*call].0.name);
                delta["id"] = json!(self.id(*call));
            }
            delta["function"] = function;
            chunks.push(json!({"delta": {"tool_calls": [delta]}}));
            if pieces.is_empty() {
                rows.remove(place);
            }
        }
        self.end(chunks)
    }

    fn end(&self, mut chunks: Vec<Value>) -> Vec<Value> {
        let words = self.has_words.then_some("I mine now.");
        let all = |shift| json!({"content": words, "tool_calls": self.all(shift)});
        let mut last = json!({"delta": {}, "finish_reason": "tool_calls"});
        match self.ending {
            Ending::Nothing => {}
            Ending::AllAgain => last["delta"] = all(Some(0)),
            Ending::AllAgainWithoutIndex => last["delta"] = all(None),
            Ending::AllAgainElsewhere => last["delta"] = all(Some(self.calls.len())),
            Ending::MessageBesideDelta => last["message"] = all(None),
            Ending::MessageInEachChunk => {
                last["message"] = all(None);
                let others = chunks.iter_mut();
                others.for_each(|chunk| chunk["message"] = all(None));
            }
        }
        chunks.push(last);
        chunks
    }
}

fn read_stream(chunks: &[Value]) -> ModelAnswer {
    let mut answer = ReceivedAnswer::default();
    for chunk in chunks {
        answer.add(&json!({"choices": [chunk]}).to_string());
    }
    answer
        .into_model_answer(&Redactor::default())
        .expect("an answer")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_call_of_a_stream_that_repeats_itself_comes_out_once(stream in streams()) {
        let answer = read_stream(&stream.chunks());
        let read: Vec<(&str, &str)> = answer.calls.iter()
            .map(|call| (call.name.as_str(), call.arguments.as_str()))
            .collect();
        let meant: Vec<(&str, &str)> = stream.calls.iter()
            .map(|(meant, ..)| (meant.name, meant.arguments))
            .collect();
        prop_assert_eq!(read, meant);
        let words = if stream.has_words { "I mine now." } else { "" };
        prop_assert_eq!(answer.text, words);
    }
}

/// The calls of a message in one piece, as name, arguments and id.
fn calls_of(calls: Value) -> Vec<(String, String, String)> {
    let answer = answer(json!({"content": null, "tool_calls": calls}));
    let calls = answer.calls.into_iter();
    calls
        .map(|call| (call.name, call.arguments, call.id))
        .collect()
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "mine", "arguments": arguments}})
}

#[test]
fn in_one_piece_the_same_call_is_one_and_equal_ones_with_ids_of_their_own_are_two() {
    let same = calls_of(json!([call("a", "{}"), call("a", "{}"), call("a", "")]));
    assert_eq!(same.len(), 1, "{same:?}");
    let spaced = calls_of(json!([call("a", r#"{"a":1}"#), call("a", r#"{ "a": 1 }"#)]));
    assert_eq!(spaced.len(), 1, "{spaced:?}");
    for two in [
        json!([call("a", "{}"), call("b", "{}")]),
        json!([call("", "{}"), call("", "{}")]),
        // A server that gives all calls one id.
        json!([call("a", r#"{"a":1}"#), call("a", r#"{"a":2}"#)]),
    ] {
        assert_eq!(calls_of(two.clone()).len(), 2, "{two}");
    }
    let thrice = calls_of(json!([call("a", r#"{"a":1}{"a":1}{"a":1}"#)]));
    assert_eq!(thrice[0].1, r#"{"a":1}"#);
}

#[test]
fn no_values_are_built_of_arguments_that_are_too_long() {
    let spaced = |spaces: usize| format!("{{{}}}", " ".repeat(spaces));
    assert!(are_equal("{}", &spaced(8)) && are_equal("", &spaced(8)));
    let long = spaced(bounds::MAX_ARGUMENTS_BYTES);
    assert!(!are_equal("{}", &long) && !are_equal(&long, ""));
    assert!(are_equal(&long, &long));
}

/// An answer that is long and not repeated, and comes whole again with its end.
#[test]
fn what_is_said_again_whole_at_the_end_is_no_answer_without_an_end() {
    let mut seed = 7_u64;
    let mut letter = |_: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b"abcdefghijklmnopqrstuvwxyz"[(seed >> 33) as usize % 26])
    };
    let thought: String = (0..40 << 10).map(&mut letter).collect();
    let said: String = (0..40 << 10).map(&mut letter).collect();
    let delta = json!({"content": said, "reasoning_content": thought});
    let answer = read_stream(&[
        json!({"delta": delta}),
        json!({"delta": delta, "finish_reason": "stop"}),
    ]);
    assert_eq!(answer.refusal, None);
    assert_eq!((answer.text, answer.reasoning), (said, Some(thought)));
}

#[test]
fn what_can_mean_several_things_is_left_to_the_model() {
    for odd in [
        r#"{"a":1}{"a":2}"#,
        r#"{"a":1}{"#,
        r#"{"a":1"#,
        "{}[]",
        "1 1",
    ] {
        let calls = calls_of(json!([call("a", odd)]));
        assert_eq!(calls[0].1, odd, "as it came");
    }
}

/// Ollama's older versions: one index for all calls, and no ids.
#[test]
fn another_name_at_the_index_of_a_complete_call_begins_another_one() {
    let piece = |name: &str| {
        let function = json!({"name": name, "arguments": "{}"});
        json!({"delta": {"tool_calls": [{"index": 0, "id": "", "function": function}]}})
    };
    let answer = read_stream(&[piece("mine"), piece("scan"), piece("scan")]);
    let names: Vec<&str> = answer.calls.iter().map(|call| &*call.name).collect();
    assert_eq!(names, ["mine", "scan"]);
}

#[test]
fn a_last_message_fills_in_what_did_not_come_in_pieces() {
    let whole = json!({"content": "Now.", "tool_calls": [call("a", "{}")]});
    let answer = read_stream(&[
        json!({"delta": {"reasoning_content": "why"}}),
        json!({"delta": {}, "message": whole, "finish_reason": "tool_calls"}),
    ]);
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("Now.", 1));
    assert_eq!(answer.reasoning.as_deref(), Some("why"));
}
