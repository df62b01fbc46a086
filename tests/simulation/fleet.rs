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
    // In some of these several Myses wait for the leases of their process (decision 9).
    for seed in [7, 13, 37] {
        let short = SimulationOptions {
            length: Duration::from_secs(120),
            ..options(seed, 3)
        };
        let (one, two) = (play(short, None), play(short, None));
        assert_eq!((one.digest, one.fleet), (two.digest, two.fleet), "{seed}");
    }
}

/// Whether the promise breaks when the simulated database makes this mistake, in one of some seeds:
/// which one shows it changes with each change of what the program does.
fn is_found(sabotage: Sabotage, promise: Promise) -> bool {
    let breaks = |seed| {
        let verdict = play(options(seed, 3), Some(sabotage));
        verdict.violations.count(promise) > 0
    };
    [5, 3, 1, 2, 4, 6, 7, 8].into_iter().any(breaks)
}

#[test]
fn the_verdict_finds_a_lease_that_is_renewed_without_the_database() {
    assert!(is_found(Sabotage::RenewsWithoutTheServer, Promise::OneLife));
}

#[test]
fn the_verdict_finds_a_life_that_is_one_of_two_processes() {
    assert!(is_found(Sabotage::KeepsIncarnations, Promise::OneLife));
}

#[test]
fn the_verdict_finds_a_limit_that_each_process_has_for_itself() {
    assert!(is_found(Sabotage::GrantsAllToEach, Promise::Limits));
}

#[test]
fn the_verdict_finds_a_part_that_no_death_gives_back() {
    assert!(is_found(Sabotage::KeepsPartsOfTheDead, Promise::Limits));
}

#[test]
fn the_verdict_finds_myses_that_nobody_takes_over() {
    assert!(is_found(Sabotage::TakesNothing, Promise::TakenOver));
}

#[test]
fn the_verdict_finds_a_process_that_takes_what_another_one_holds() {
    assert!(is_found(Sabotage::TakesWhatIsHeld, Promise::OneLife));
}

#[test]
fn the_verdict_finds_an_order_that_is_carried_out_again() {
    assert!(is_found(Sabotage::RepeatsOrders, Promise::NotTwice));
}

#[test]
fn the_verdict_finds_a_deleted_mysis_that_stays() {
    assert!(is_found(Sabotage::KeepsDeleted, Promise::Deletions));
}

#[test]
fn the_verdict_finds_a_deletion_that_is_promised_and_forgotten() {
    assert!(is_found(Sabotage::ForgetsOrders, Promise::Deletions));
}

#[test]
fn the_verdict_finds_a_home_that_forgets_with_its_process_that_it_is_frozen() {
    assert!(is_found(Sabotage::ForgetsFreezes, Promise::Frozen));
}

#[test]
fn the_verdict_finds_a_process_that_takes_what_a_frozen_one_held() {
    assert!(is_found(Sabotage::TakesFromFrozen, Promise::Frozen));
}

#[test]
fn the_verdict_finds_tokens_of_a_minute_that_each_process_has_for_itself() {
    assert!(is_found(Sabotage::GrantsTokensToEach, Promise::Limits));
}

#[test]
fn the_verdict_finds_processes_that_do_not_know_what_the_others_spent() {
    assert!(is_found(Sabotage::HidesSpending, Promise::Limits));
}
