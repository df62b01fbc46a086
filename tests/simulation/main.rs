//! The simulation: many seeds, none of which may lose a message, repeat a mutation, make an invalid
//! request or leave a Mysis behind.
//!
//! `zoea simulate --seed N --days D --myses N --wildness W` replays one and runs longer ones.

mod zoo;

use std::collections::BTreeMap;
use std::time::Duration;

use zoea::simulation::{Options, Strike, Verdict, hush_simulated_panics, run};

/// How many seeds each of the threads below plays; `ZOEA_SEEDS` says otherwise.
const SEEDS: u64 = 100;

fn options(seed: u64) -> Options {
    Options {
        seed,
        length: Duration::from_secs(600),
        myses: 2,
        wildness: 20.0,
        thinking: Duration::from_secs(4),
        on_day: None,
        is_loud: false,
    }
}

fn play(options: Options) -> Verdict {
    hush_simulated_panics();
    run(options).expect("the simulation can be set up")
}

/// Plays so many seeds from this one on, and says what struck.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "settings are the program's; this is how much a test does, and what it did"
)]
fn play_all(first: u64) {
    let seeds = std::env::var("ZOEA_SEEDS").map_or(SEEDS, |text| text.parse().expect("a number"));
    let mut struck: BTreeMap<Strike, u64> = BTreeMap::new();
    let mut orders = 0;
    for seed in first..first + seeds {
        let verdict = play(options(seed));
        assert!(verdict.is_good(), "{verdict}\nreplay: {:?}", options(seed));
        for (strike, times) in &verdict.struck {
            *struck.entry(*strike).or_default() += times;
        }
        orders += verdict.orders.1;
    }
    println!("{seeds} seeds from {first}: {orders} orders acknowledged, struck: {struck:?}");
    // A suite that struck nothing would prove nothing.
    for strike in [
        Strike::ProcessKill,
        Strike::ActorKill,
        Strike::CommitRefused,
        Strike::CommitAnswerLost,
        Strike::ModelTransient,
        Strike::GameAnswerLost,
        Strike::GameRequestLost,
        Strike::GameSessionLost,
    ] {
        assert!(struck.contains_key(&strike), "{strike:?} never struck");
    }
    assert!(orders > 0);
}

#[test]
fn one_half_of_the_seeds_is_good() {
    play_all(1);
}

#[test]
fn the_other_half_of_the_seeds_is_good() {
    play_all(100_001);
}

#[test]
fn the_same_seed_gives_the_same_events() {
    let (one, two) = (play(options(7)), play(options(7)));
    assert_eq!(one.digest, two.digest);
    assert_eq!(one.struck, two.struck);
    assert_ne!(one.digest, play(options(8)).digest);
}
