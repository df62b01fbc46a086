//! Several processes in one simulated world: seeds in which nothing may be lost, done twice or left
//! without a process, and mistakes on purpose that the verdict has to find.

use std::time::Duration;

use zoea_simulation::{
    FleetFault, FleetFigures, Promise, Sabotage, SimulationOptions, SimulationVerdict,
    hush_simulated_panics, run_fleet,
};

fn options(seed: u64, processes: usize) -> SimulationOptions {
    SimulationOptions {
        processes,
        myses: processes * 2,
        length: Duration::from_secs(500),
        with_all_faults: true,
        ..super::options(seed)
    }
}

fn play(options: SimulationOptions, sabotage: Option<Sabotage>) -> SimulationVerdict {
    hush_simulated_panics();
    run_fleet(options, sabotage).expect("the simulation can be set up")
}

fn good(seed: u64, processes: usize) -> FleetFigures {
    let options = options(seed, processes);
    let verdict = play(options, None);
    assert!(verdict.is_good(), "{verdict}\nreplay: {options:?}");
    verdict.fleet.expect("there are several")
}
