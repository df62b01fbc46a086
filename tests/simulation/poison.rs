//! Texts that the model's server refuses, in every shape and by every way: they stop no Mysis, and take
//! nothing from those that they do not reach. All shapes and ways run on demand.

use std::time::Duration;

use zoea_measures::poison_suite::{PoisonOptions, PoisonWay, play};
use zoea_simulation::{PoisonMistake, PoisonShape, Promise, SimulationVerdict};

fn options(mistake: Option<PoisonMistake>) -> PoisonOptions {
    PoisonOptions {
        seed: 1,
        myses: 4,
        length: Duration::from_secs(400),
        mistake,
        adapters: zoea::wiring::simulated::adapters(),
    }
}

/// What is wrong with a run, beside an undisturbed one.
fn complaints(
    verdict: &SimulationVerdict,
    undisturbed: &SimulationVerdict,
    most: u64,
) -> Vec<String> {
    let mut wrong = verdict.violations.texts().to_vec();
    let poison = &verdict.poison;
    for (name, before) in &undisturbed.poison.served {
        let served = poison.served.get(name).copied().unwrap_or(0);
        if !poison.hit.contains(name) && served.abs_diff(*before) > 1 {
            wrong.push(format!(
                "{name} is served {served} times in place of {before}"
            ));
        }
    }
    let stopped = poison.refused.union(&poison.errored);
    wrong.extend(stopped.map(|name| format!("{name} does not play on")));
    // An answer with nothing in it is paid and is followed by a trial: each is a notice.
    if poison.most_events > 2 * most {
        wrong.push(format!("{} notices", poison.most_events));
    }
    wrong
}

/// Plays with a text that is refused, and with one that is not. `most` requests may fail for it.
#[expect(clippy::print_stdout, reason = "the figures are worth a look")]
fn beside_undisturbed(
    mistake: Option<PoisonMistake>,
    way: PoisonWay,
    shapes: &[PoisonShape],
    most: u64,
) -> Vec<(PoisonShape, SimulationVerdict, Vec<String>)> {
    let run =
        |mistake, shape| play(&options(mistake), way, shape).expect("the simulation can be set up");
    let undisturbed = run(None, None);
    assert!(undisturbed.is_good(), "{undisturbed}");
    let shapes = shapes.iter().map(|shape| {
        let verdict = run(mistake, Some(*shape));
        let wrong = complaints(&verdict, &undisturbed, most);
        println!(
            "{way:?} {shape:?} {mistake:?}: {:?} {wrong:?}",
            verdict.poison
        );
        (*shape, verdict, wrong)
    });
    shapes.collect()
}

/// Those of which each is told in another way: refused, failed, and an answer with nothing in it.
const FEW: [PoisonShape; 3] = [
    PoisonShape::Risk,
    PoisonShape::ServerError,
    PoisonShape::Empty,
];

#[test]
fn a_refused_order_and_the_refused_words_of_a_player_stop_no_mysis() {
    let shapes = [PoisonShape::Risk, PoisonShape::ServerError];
    stops_no_mysis(&[
        (PoisonWay::Order, &shapes, 5),
        (PoisonWay::Words, &shapes, 5),
    ]);
}

#[ignore = "takes a minute: cargo test --test simulation -- --ignored poison"]
#[test]
fn a_refused_text_stops_no_mysis_and_takes_nothing_from_the_others() {
    stops_no_mysis(&[
        (PoisonWay::Order, &PoisonShape::ALL, 5),
        (PoisonWay::Result, &PoisonShape::ALL, 5),
        (PoisonWay::Words, &FEW, 5),
        (PoisonWay::OrderAndResult, &FEW, 8),
    ]);
}

fn stops_no_mysis(ways: &[(PoisonWay, &[PoisonShape], u64)]) {
    for (way, shapes, most) in ways.iter().copied() {
        for (shape, verdict, wrong) in beside_undisturbed(None, way, shapes, most) {
            let poison = &verdict.poison;
            assert_eq!(wrong, Vec::<String>::new(), "{way:?} {shape:?}");
            assert!(
                poison.played_on > 0,
                "{way:?} {shape:?}: nothing was refused"
            );
            assert!(
                poison.most_requests <= most,
                "{way:?} {shape:?}: {poison:?}"
            );
        }
    }
}

#[test]
fn a_mistake_about_refused_texts_is_found() {
    // Others are seen to wait only where it takes long.
    for (mistake, shape, is_promised) in [
        (PoisonMistake::NoTrials, PoisonShape::Risk, true),
        (PoisonMistake::HoldsNothingBack, PoisonShape::Risk, false),
        (PoisonMistake::OthersWait, PoisonShape::ServerError, false),
    ] {
        let shapes = [shape];
        for (_, verdict, wrong) in beside_undisturbed(Some(mistake), PoisonWay::Order, &shapes, 5) {
            assert!(!wrong.is_empty(), "{mistake:?}: {verdict}");
            let broken = verdict.violations.count(Promise::PlaysOn);
            assert!(broken > 0 || !is_promised, "{mistake:?}: {verdict}");
        }
    }
}
