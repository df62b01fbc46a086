//! The keys of a swarm without a Mysis.

use crate::dashboard::input_event::letter;
use crate::dashboard::keys::{Binding, bind};

/// What a key does while there is no Mysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstStep {
    PlayOffline,
    SetUp,
}

/// The keys of a swarm without a Mysis. They go before those of the table, which has nothing to sort then.
#[rustfmt::skip]
pub const FIRST_KEYS: &[Binding<FirstStep>] = &[
    bind("offline", &[letter('o')], FirstStep::PlayOffline, "play offline", "play offline: no key, no account, no network"),
    bind("setup", &[letter('i')], FirstStep::SetUp, "set up", "set up a model server, a tool server and a daily cap"),
];
