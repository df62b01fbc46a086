//! Growth: what of a request a provider's cache still has from the one before.
//!
//! The life is long and scripted: a mission, and turns that look, mine, sell and end with words.

use std::io::Write;

use actors::domain::compose::RUNTIME_NOTE_LINE;
use actors::domain::message::CallStatus;
use actors::domain::model::ChatMessage;

use zoea_scenes::life::{Move, World};

const BUDGET: usize = 64 << 10;
const TURNS: usize = 40;
const RESTARTED_TURNS: usize = 24;

type Calls = Vec<(&'static str, &'static str, &'static str)>;

/// A turn: looks, and actions whose results have different lengths. Some end without words.
fn turn(number: usize) -> Vec<Move> {
    let one = |tool: &'static str| -> Calls { vec![(tool, "{}", "a")] };
    let loops = [
        (one("get_status"), 1100),
        (one("mine"), 260),
        (
            vec![("mine", "{}", "b"), ("get_cargo", "{}", "c")],
            300 + number % 7 * 150,
        ),
        (one("travel"), 180 + number % 5 * 400),
    ];
    let mut moves = Vec::new();
    for (calls, size) in loops.iter().cycle().skip(number % 3).take(4) {
        let count = calls.len();
        moves.push(Move::Want(calls.clone()));
        moves.extend((0..count).map(|_| Move::Give(CallStatus::Done, *size)));
    }
    // The fifth message of a turn is its last one.
    moves.push(match number % 6 {
        5 => Move::Want(one("get_cargo")),
        _ => Move::Say(160),
    });
    moves.push(Move::Give(CallStatus::Done, 400));
    moves.push(Move::Ring);
    moves
}

fn life(turns: usize) -> Vec<Move> {
    let mut moves = vec![Move::Mission];
    moves.extend((0..turns).flat_map(turn));
    moves
}

/// The messages in one text, in which each begins with its role, and the bytes before the runtime
/// note.
fn text(messages: &[ChatMessage]) -> (String, usize) {
    let shown = |message: &ChatMessage| match message {
        ChatMessage::System(text) => format!("\nsystem {text}"),
        ChatMessage::User(text) => format!("\nuser {text}"),
        ChatMessage::Assistant { text, calls, .. } => format!("\nassistant {text} {calls:?}"),
        ChatMessage::Tool { call_id, text } => format!("\ntool {call_id} {text}"),
    };
    let all: String = messages.iter().map(shown).collect();
    let note = all.rfind(&format!("\n\n{RUNTIME_NOTE_LINE}"));
    let kept = note.unwrap_or(all.len());
    (all, kept)
}

/// What a cache has of the requests of a life.
#[derive(Debug, Default)]
struct Shared {
    /// The bytes of all requests but the first.
    bytes: usize,
    /// Those with which the request before began, too.
    in_turns: usize,
    between_turns: usize,
    /// The bytes of the first requests of turns.
    of_firsts: usize,
    /// The turns at which the request began anew behind the system message and the mission.
    restarts: usize,
    /// The assistant messages in the last request.
    remembered: usize,
}

fn shared(world: &World) -> Shared {
    let mut shared = Shared::default();
    for pair in world.asked.windows(2) {
        let (before, kept) = text(&pair[0].1);
        let (now, _) = text(&pair[1].1);
        let same = before.bytes().zip(now.bytes());
        let same = same.take_while(|(a, b)| a == b).count();
        shared.bytes += now.len();
        if pair[0].0 == pair[1].0 {
            assert!(same >= kept, "{same} of {kept} bytes\n{before}\n\n{now}");
            shared.in_turns += same;
        } else {
            shared.between_turns += same;
            shared.of_firsts += now.len();
            shared.restarts += usize::from(same < 300);
        }
    }
    let last = world.asked.last().expect("a request");
    let words = |message: &&ChatMessage| matches!(message, ChatMessage::Assistant { .. });
    shared.remembered = last.1.iter().filter(words).count();
    shared
}

#[test]
fn requests_of_a_turn_grow_at_their_end_and_earlier_turns_stay_for_long() {
    let world = World::run(&life(TURNS), BUDGET).expect("all rules are kept");
    let shared = shared(&world);
    let text = format!("{} requests, {shared:?}\n", world.asked.len());
    std::io::stdout()
        .write_all(text.as_bytes())
        .expect("stdout");
    assert!(world.asked.len() > TURNS * 4, "{}", world.asked.len());
    let of_all = (shared.in_turns + shared.between_turns) * 100 / shared.bytes;
    assert!(of_all >= 80, "{of_all} % of all bytes: {shared:?}");
    let of_firsts = shared.between_turns * 100 / shared.of_firsts;
    assert!(
        of_firsts >= 30,
        "{of_firsts} % of first requests: {shared:?}"
    );
    assert!(shared.restarts <= TURNS / 3, "{shared:?}");
    assert!(shared.remembered >= 12, "{shared:?}");
}

/// The earlier turns are a function of the stored rows: another process sends the same.
#[test]
fn a_restart_between_two_turns_changes_no_request() {
    let text = |moves: &[Move]| {
        let world = World::run(moves, BUDGET).expect("all rules are kept");
        let messages = world.asked.iter().map(|(_, messages)| text(messages));
        // The results of a made-up life are numbered by its moves.
        let without_note = messages.map(|(all, kept)| all[..kept].replace(char::is_numeric, ""));
        without_note.collect::<Vec<_>>()
    };
    let expected = text(&life(RESTARTED_TURNS));
    for restarted in [1, 7, 18] {
        let mut moves = vec![Move::Mission];
        for number in 0..RESTARTED_TURNS {
            if number == restarted {
                // The pause before this turn is cut off.
                moves.pop();
                moves.extend([Move::Crash, Move::Start]);
            }
            moves.extend(turn(number));
        }
        let text = text(&moves);
        assert_eq!(text.len(), expected.len());
        let other = text.iter().zip(&expected).position(|(a, b)| a != b);
        let shown = other.map(|place| (&text[place], &expected[place]));
        assert_eq!(shown, None, "restarted before turn {restarted}");
    }
}
