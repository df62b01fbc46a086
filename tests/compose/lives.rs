//! Random lives of a Mysis: every request keeps all rules.

use actors::domain::message::CallStatus;
use proptest::prelude::*;
use proptest::sample::select;
use zoea_scenes::life::{Move, World, moves};

/// Counterexamples that were found once, reduced as far as possible.
#[test]
fn what_once_broke_a_rule_breaks_none() {
    use Move::{
        ClearNotes, Crash, Give, LinkDown, Mission, Outage, Prompt, Rest, Ring, Say, Start, Stop,
        Want,
    };
    let mine = || Want(vec![("mine", "{}", "a")]);
    let logout = || Want(vec![("logout", "{}", "a")]);
    let done = || Give(CallStatus::Done, 0);
    let lives = [
        // The first request had no row at all, so its answer had seen nothing.
        vec![
            Stop,
            Mission,
            Start,
            Prompt(0),
            Say(1),
            Prompt(0),
            mine(),
            Stop,
            Start,
        ],
        // An order came while the model worked on a continuation.
        vec![Prompt(0), Say(1), Ring, Prompt(0), Say(0)],
        vec![Prompt(0), Say(1), Ring, Prompt(0), Want(vec![])],
        vec![
            Prompt(0),
            logout(),
            Crash,
            Prompt(0),
            done(),
            Say(1),
            Ring,
            Prompt(0),
            Say(0),
        ],
        // A turn of a mission after one that a crash had cut off.
        vec![
            Prompt(0),
            Prompt(0),
            mine(),
            Prompt(0),
            Crash,
            Prompt(0),
            Mission,
            Say(1),
            mine(),
            ClearNotes,
            ClearNotes,
            done(),
        ],
        // The first notice of the runtime takes no room from the words before it.
        vec![Prompt(0), Say(1534), Stop, Start, Outage, LinkDown, Ring],
        // After a rest within a turn its request begins where it began.
        vec![Prompt(0), Say(1), Mission, Rest, Outage, Ring],
    ];
    for (moves, budget) in lives
        .iter()
        .flat_map(|moves| [(moves, 8192), (moves, 64 << 10)])
    {
        let outcome = World::run(moves, budget).map(|world| world.orders_lost);
        assert_eq!(outcome, Ok(0), "{moves:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_request_of_every_life_keeps_all_rules(
        moves in moves(),
        budget in select(vec![8192_usize, 64 << 10]),
    ) {
        let faults = moves.iter().any(|step| matches!(step, Move::Fault));
        match World::run(&moves, budget) {
            Ok(world) => prop_assert!(faults || !world.is_errored(), "nonsense is no fault"),
            Err(broken) => return Err(TestCaseError::fail(broken)),
        }
    }
}
