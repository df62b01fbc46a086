//! Properties: every request of every history keeps all rules at once.

use actors::domain::compose::choose_owner;
use proptest::prelude::*;

use super::history::{History, NUDGE, Step, histories};
use super::judge::judge;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 80,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_request_keeps_all_rules(history in histories()) {
        let asked = history.asked();
        if let Err(broken) = judge(&history, &asked) {
            return Err(TestCaseError::fail(broken));
        }
    }

    #[test]
    fn the_same_history_gives_the_same_request(history in histories()) {
        prop_assert_eq!(history.asked().composed, history.asked().composed);
    }

    /// What is dropped from memory at the end of a turn changes no request. Of what the model had
    /// seen when it spoke, only what can be is tried: never less than before.
    #[test]
    fn the_window_loses_nothing_that_a_request_shows(mut history in histories()) {
        for step in &mut history.steps {
            if let Step::Reply(_, unseen) | Step::Call(_, _, unseen) = step {
                *unseen = unseen.map(|_| 0);
            }
        }
        let mut told = history.told();
        let newest = told.rows.iter().filter(|row| row.utterance().is_some()).map(|row| row.turn);
        told.turn = newest.max().map_or(told.turn, |turn| actors::domain::ids::TurnNumber(turn.0 + 1));
        let whole = told.conversation(history.budget);
        let mut window = whole.clone();
        window.trim(history.window, None);
        let mission = told.mission.as_ref();
        let owner = choose_owner(&whole, mission, history.window, NUDGE.into());
        prop_assert_eq!(&owner, &choose_owner(&window, mission, history.window, NUDGE.into()));
        let expected = history.compose(&told, &whole, &owner);
        prop_assert_eq!(history.compose(&told, &window, &owner), expected);
    }

    /// Where memory is short, superseded results go first and the oldest words next; what is sent
    /// keeps the rules all the same.
    #[test]
    fn a_lightened_window_keeps_all_rules(history in histories()) {
        let mut asked = history.asked();
        let mut conversation = asked.told.conversation(history.budget);
        conversation.lighten(history.budget * 4);
        asked.composed = history.compose(&asked.told, &conversation, &asked.owner);
        let roomless = History { budget: history.budget, ..history };
        if let Err(broken) = judge(&roomless, &asked) {
            return Err(TestCaseError::fail(broken));
        }
    }
}
