//! Properties: every request of every history keeps all rules at once.

use std::sync::Arc;

use actors::domain::compose::{
    TurnOwner, choose_owner, first_row_of_earlier_turns, row_in_earlier_turns,
};
use actors::domain::conversation::Conversation;
use actors::domain::ids::Seq;
use actors::domain::message::Row;
use proptest::prelude::*;

use zoea_scenes::history::{History, NUDGE, Step, Text, histories};
use zoea_scenes::request_rules::{is_taken_by_strict_providers, judge};

/// Makes each reply see at least as much as the reply before it.
fn let_nobody_forget(history: &mut History) {
    for step in &mut history.steps {
        if let Step::Reply(_, unseen) | Step::Call(_, _, unseen) = step {
            *unseen = unseen.map(|_| 0);
        }
    }
}

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

    /// Dropping rows from memory at the end of a turn changes no request. The replies of these
    /// histories never see less than earlier ones, as in a real conversation.
    #[test]
    fn the_window_loses_nothing_that_a_request_shows(history in histories()) {
        loses_nothing(history)?;
    }

    /// With little memory, replaced results are dropped first and the oldest words next. The
    /// requests still keep the rules.
    #[test]
    fn a_lightened_window_keeps_all_rules(history in histories()) {
        let mut asked = history.asked();
        let mut conversation = asked.recorded.conversation(history.budget);
        conversation.reduce_to(history.budget * 4);
        asked.composed = history.compose(&asked.recorded, &conversation, &asked.owner);
        let roomless = History { budget: history.budget, ..history };
        if let Err(broken) = judge(&roomless, &asked) {
            return Err(TestCaseError::fail(broken));
        }
    }

    /// A context reset loses no order that may own a turn and revives no answered one. Strict
    /// providers accept the request.
    #[test]
    fn a_conversation_begun_afresh_keeps_its_orders(
        mut history in histories(),
        place in 0.0..=1.0,
    ) {
        let_nobody_forget(&mut history);
        let recorded = history.recorded();
        let whole = recorded.conversation(history.budget);
        let mut afresh = whole.clone();
        afresh.begin_afresh(Seq((place * (whole.last_seq().0 + 1) as f64) as i64), history.window);
        let open = |of: &Conversation| of.unanswered_prompts().map(|row| row.seq).collect::<Vec<_>>();
        prop_assert_eq!(open(&afresh), open(&whole));
        let mission = recorded.mission.as_ref();
        let [owner, of_whole] = [&afresh, &whole]
            .map(|of| choose_owner(of, mission, history.window, NUDGE.into()));
        // With fewer rows in between, the newest direct message stays in reach at least as long.
        if !matches!(owner, TurnOwner::Prompt(_)) {
            prop_assert_eq!(&owner, &of_whole);
        }
        let composed = history.compose(&recorded, &afresh, &owner);
        if let Err(broken) = is_taken_by_strict_providers(&composed.messages) {
            return Err(TestCaseError::fail(broken));
        }
        prop_assert_eq!(composed.seen_up_to, whole.last_seq());
    }
}

/// Whether the request stays the same when the window on this history is trimmed.
fn loses_nothing(mut history: History) -> Result<(), TestCaseError> {
    let_nobody_forget(&mut history);
    let mut recorded = history.recorded();
    let newest = recorded
        .rows
        .iter()
        .filter(|row| row.utterance().is_some())
        .map(|row| row.turn);
    recorded.turn = newest.max().map_or(recorded.turn, |turn| {
        actors::domain::ids::TurnNumber(turn.0 + 1)
    });
    let whole = recorded.conversation(history.budget);
    let mut window = whole.clone();
    let share = history.earlier_bytes();
    let first = recorded
        .mission
        .as_ref()
        .and_then(|_| first_row_of_earlier_turns(&whole, recorded.turn, share));
    let shorten = |row: &Arc<Row>| row_in_earlier_turns(row, share);
    window.trim_window(history.window, None, first, shorten);
    let mission = recorded.mission.as_ref();
    let owner = choose_owner(&whole, mission, history.window, NUDGE.into());
    prop_assert_eq!(
        &owner,
        &choose_owner(&window, mission, history.window, NUDGE.into())
    );
    let mut expected = history.compose(&recorded, &whole, &owner);
    let mut shown = history.compose(&recorded, &window, &owner);
    // The number of omitted parts depends on how much is held in memory.
    expected.breakdown.reasoning_left_out = 0;
    shown.breakdown.reasoning_left_out = 0;
    prop_assert_eq!(shown, expected);
    Ok(())
}

#[test]
fn a_message_before_the_first_words_of_a_model_outlasts_a_restart() {
    let steps = vec![
        Step::Mission(Text::plain("mine")),
        Step::Peer(Text::plain("hello")),
        Step::Prompt(Text::plain("go")),
    ];
    let history = History {
        steps,
        budget: 8192,
        has_mission: true,
        window: 1,
        notices: Vec::new(),
    };
    loses_nothing(history).expect("the same request");
}
