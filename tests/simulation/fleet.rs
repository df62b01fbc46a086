//! Several processes in one simulated world: seeds in which nothing may be lost, done twice or left
//! without a process, and mistakes on purpose that the verdict has to find.

use std::time::Duration;

use zoea_simulation::{
    Promise, Sabotage, SimulationOptions, SimulationVerdict, hush_simulated_panics, run_fleet,
};

/// Two Myses a process, for some minutes in which every kind of fault may strike.
fn options(seed: u64, processes: usize) -> SimulationOptions {
    SimulationOptions {
        processes,
        myses: processes * 2,
        length: Duration::from_secs(300),
        with_all_faults: true,
        ..super::options(seed)
    }
}

fn play(options: SimulationOptions, sabotage: Option<Sabotage>) -> SimulationVerdict {
    hush_simulated_panics();
    run_fleet(options, sabotage).expect("the simulation can be set up")
}

#[test]
fn several_processes_lose_nothing_and_do_nothing_twice_whatever_strikes_them() {
    for (seed, processes) in [(1, 2), (2, 3), (3, 5)] {
        let options = options(seed, processes);
        let verdict = play(options, None);
        assert!(verdict.is_good(), "{verdict}\nreplay: {options:?}");
        let fleet = verdict.fleet.expect("there are several");
        // A run in which nothing strikes would prove nothing.
        assert!(!fleet.struck.is_empty() && fleet.taken_over > 0, "{fleet}");
    }
}

#[test]
fn the_same_seed_gives_the_same_events_in_every_process() {
    // In some of these several Myses wait for the leases of their process (decision 275).
    for seed in [7, 13, 37] {
        let short = SimulationOptions {
            length: Duration::from_secs(120),
            ..options(seed, 3)
        };
        let (one, two) = (play(short, None), play(short, None));
        assert_eq!((one.digest, one.fleet), (two.digest, two.fleet), "{seed}");
    }
}

/// The promises that break when the simulated database makes this mistake.
fn broken_by(sabotage: Sabotage, seed: u64) -> Vec<Promise> {
    let violations = play(options(seed, 3), Some(sabotage)).violations;
    let promises = Promise::ALL.into_iter().chain(Promise::OF_FLEET);
    promises
        .filter(|promise| violations.count(*promise) > 0)
        .collect()
}

#[test]
fn the_verdict_finds_a_lease_that_is_renewed_without_the_database() {
    let broken = broken_by(Sabotage::RenewsWithoutTheServer, 3);
    assert!(broken.contains(&Promise::OneLife), "{broken:?}");
}

#[test]
fn the_verdict_finds_a_life_that_is_one_of_two_processes() {
    let broken = broken_by(Sabotage::KeepsIncarnations, 5);
    assert!(broken.contains(&Promise::OneLife), "{broken:?}");
}

#[test]
fn the_verdict_finds_a_limit_that_each_process_has_for_itself() {
    let broken = broken_by(Sabotage::GrantsAllToEach, 5);
    assert!(broken.contains(&Promise::Limits), "{broken:?}");
}

#[test]
fn the_verdict_finds_a_part_that_no_death_gives_back() {
    let broken = broken_by(Sabotage::KeepsPartsOfTheDead, 5);
    assert!(broken.contains(&Promise::Limits), "{broken:?}");
}

#[test]
fn the_verdict_finds_myses_that_nobody_takes_over() {
    let broken = broken_by(Sabotage::TakesNothing, 5);
    assert!(broken.contains(&Promise::TakenOver), "{broken:?}");
}

#[test]
fn the_verdict_finds_a_process_that_takes_what_another_one_holds() {
    let broken = broken_by(Sabotage::TakesWhatIsHeld, 5);
    assert!(broken.contains(&Promise::OneLife), "{broken:?}");
}

#[test]
fn the_verdict_finds_an_order_that_is_carried_out_again() {
    let broken = broken_by(Sabotage::RepeatsOrders, 5);
    assert!(broken.contains(&Promise::NotTwice), "{broken:?}");
}
