//! The moves of a life, and histories of them.

use actors::domain::message::CallStatus;
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Debug)]
pub enum Move {
    Prompt(usize),
    Mission,
    ClearMission,
    Note,
    ClearNotes,
    /// The model answers with this many letters.
    Say(usize),
    /// The model asks for calls: tool, arguments and id of each.
    Want(Vec<(&'static str, &'static str, &'static str)>),
    /// The tool answers with this many letters.
    Give(CallStatus, usize),
    /// A call is about to leave, and its result does not come.
    Leave,
    Fault,
    /// The provider fails, and is asked again later.
    Outage,
    /// The timer that was set first runs out.
    Ring,
    /// A reminder for so many seconds later.
    Remind(i64),
    Start,
    Retry,
    Stop,
    /// The actor dies, and another one restores its life.
    Crash,
    /// It has heard nothing for a while, and then hears something.
    Rest,
    LinkDown,
    LinkUp,
}

pub fn moves() -> impl Strategy<Value = Vec<Move>> {
    let tool = select(vec![
        "mine",
        "travel",
        "get_status",
        "get_cargo",
        "get_notifications",
        "logout",
        "no_such_tool",
        "zoea_search_messages",
    ]);
    let arguments = select(vec!["{}", "{\"id\":1}", "[1]", "{\"a\":", ""]);
    let id = select(vec!["a", "b", "c:d|e", "", "a"]);
    let calls = proptest::collection::vec((tool, arguments, id), 0..=8);
    let size = prop_oneof![8 => 0..60_usize, 1 => 60..3000_usize, 1 => Just(40_000_usize)];
    let status = select(vec![
        CallStatus::Done,
        CallStatus::Done,
        CallStatus::Done,
        CallStatus::Failed,
        CallStatus::Unknown,
        CallStatus::NotExecuted,
    ]);
    let one = prop_oneof![
        3 => size.clone().prop_map(Move::Prompt),
        1 => Just(Move::Mission),
        1 => Just(Move::ClearMission),
        1 => Just(Move::Note),
        1 => Just(Move::ClearNotes),
        5 => size.clone().prop_map(Move::Say),
        6 => calls.prop_map(Move::Want),
        16 => (status, size).prop_map(|(status, size)| Move::Give(status, size)),
        1 => Just(Move::Leave),
        1 => Just(Move::Fault),
        1 => Just(Move::Outage),
        4 => Just(Move::Ring),
        1 => (0..60_i64).prop_map(Move::Remind),
        2 => Just(Move::Start),
        2 => Just(Move::Retry),
        1 => Just(Move::Stop),
        1 => Just(Move::Crash),
        2 => Just(Move::Rest),
        1 => Just(Move::LinkDown),
        1 => Just(Move::LinkUp),
    ];
    proptest::collection::vec(one, 0..80)
}
