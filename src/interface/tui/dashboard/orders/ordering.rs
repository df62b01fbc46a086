//! Turns the operator's actions into orders, or into the questions before them.

use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::screen::TerminalKind;
use actors::domain::selector::SelectorWord;

use super::questions::{
    about_deletion, about_quitting, about_start, about_stop, about_suspending, about_thaw,
};
use crate::dashboard::action::TerminalAction;
use crate::dashboard::facts::Facts;
use crate::dashboard::loops::{all_loops, question_to_take, take_loops};
use crate::dashboard::outbox::{Outbox, Request};
use crate::dashboard::overlay::question::ConfirmDialog;
use crate::dashboard::targets::Targets;

/// Starts the Myses that ran when the program ended.
pub(crate) fn resume(facts: &Facts, targets: &Targets, outbox: &mut Outbox) {
    let ids = SelectorWord::Interrupted.select(&targets.candidates(facts));
    if ids.is_empty() {
        return outbox.say("no Mysis was interrupted, so there is nothing to resume");
    }
    outbox.order_myses(facts, "resume", &ids, &MysisOrder::Start);
}

/// Stops one Mysis at once, and asks before stopping several, or one that the filter hides.
pub(crate) fn stop(facts: &Facts, outbox: &mut Outbox, ids: Vec<MysisId>, hidden: usize) {
    if ids.len() > 1 || hidden > 0 {
        return outbox.request(Request::Confirm(about_stop(facts, ids, hidden)));
    }
    outbox.order_myses(facts, "stop", &ids, &MysisOrder::Stop);
}

/// Starts Myses at once, and asks before starting any that the filter hides.
pub(crate) fn start(facts: &Facts, outbox: &mut Outbox, ids: Vec<MysisId>, hidden: usize) {
    if hidden > 0 {
        return outbox.request(Request::Confirm(about_start(facts, ids, hidden)));
    }
    outbox.order_myses(facts, "start", &ids, &MysisOrder::Start);
}

pub(crate) fn ask_to_delete(facts: &Facts, outbox: &mut Outbox, ids: Vec<MysisId>) {
    if let Some(question) = about_deletion(facts, ids) {
        outbox.request(Request::Confirm(question));
    }
}

/// Asks before the loops of these Myses are taken.
pub(crate) fn ask_to_take_loops(facts: &Facts, outbox: &mut Outbox, ids: Vec<MysisId>) {
    match question_to_take(facts, &ids) {
        Ok(question) => outbox.request(Request::Confirm(question)),
        Err(why) => outbox.say(&why),
    }
}

/// Takes the loops of the Myses in hand; where none of them repeats one, shows the routine of the selected one. It
/// asks before it takes several, or any where the filter hides some.
pub(crate) fn take_loops_or_edit(facts: &Facts, outbox: &mut Outbox, targets: &Targets) {
    let repeating = all_loops(facts);
    let in_hand = targets.in_hand.iter().copied();
    let looping: Vec<MysisId> = in_hand.filter(|id| repeating.contains(id)).collect();
    match (&looping[..], targets.selected) {
        ([], Some(selected)) => outbox.request(Request::EditRoutine(selected, None)),
        ([], None) => {}
        ([_], _) if targets.hidden == 0 => take_loops(facts, outbox, &looping),
        (_, _) => ask_to_take_loops(facts, outbox, looping),
    }
}

/// Changes the routines of these Myses as written. What is no JSON is the name of a routine to show, and nothing stands
/// for the one that runs.
pub(crate) fn edit_routines(
    facts: &Facts,
    outbox: &mut Outbox,
    ids: &[MysisId],
    written: &str,
) -> Result<(), String> {
    if written.starts_with('{') {
        let order = MysisOrder::EditRoutine(written.into());
        outbox.order_myses(facts, "edit the routine", ids, &order);
        return Ok(());
    }
    let [id] = ids else {
        return Err("the routine of one Mysis at a time".to_string());
    };
    let name = Some(written.to_string()).filter(|name| !name.is_empty());
    outbox.request(Request::EditRoutine(*id, name));
    Ok(())
}

/// Freezes the swarm at once. Thawing it, which lets it spend again, asks first.
pub(crate) fn freeze_or_thaw(facts: &Facts, outbox: &mut Outbox) {
    match facts.frozen_since {
        None => {
            outbox.order(facts, "freeze", Order::Freeze);
        }
        Some(_) => outbox.request(Request::Confirm(about_thaw(facts))),
    }
}

/// Quits. It asks first while Myses run, but not in an attached terminal, whose end stops
/// nothing.
pub(crate) fn quit(facts: &Facts, outbox: &mut Outbox) {
    let question = match (facts.kind, facts.closing_since) {
        (TerminalKind::Attached, _) => None,
        (TerminalKind::Own, Some(_)) => return,
        (TerminalKind::Own, None) => about_quitting(facts),
    };
    outbox.request(question.map_or(Request::Close, Request::Confirm));
}

/// Suspends the process to the shell. It asks first while Myses run here, since they
/// stand still until the shell continues it; an attached terminal stops nothing.
pub(crate) fn suspend(facts: &Facts, outbox: &mut Outbox) {
    let question: Option<ConfirmDialog> = match facts.kind {
        TerminalKind::Own => about_suspending(facts),
        TerminalKind::Attached => None,
    };
    match question {
        Some(question) => outbox.request(Request::Confirm(question)),
        None => outbox.actions.push(TerminalAction::Suspend),
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::event::SwarmCondition;
    use actors::domain::ids::Timestamp;
    use actors::domain::order::{CompletedAction, CompletedOrder};
    use actors::domain::screen::{Successor, UiEffect};
    use actors::domain::state::LifeState;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::dashboard::tests::{Desk, order_of, orders_of, status};

    fn ctrl_z(desk: &mut Desk) -> Vec<UiEffect> {
        desk.press(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL))
    }

    #[test]
    fn a_suspended_swarm_stands_still_so_the_first_key_asks() {
        let suspends = |desk: &mut Desk| {
            let acts = desk.board.take_actions();
            acts.contains(&TerminalAction::Suspend)
        };
        let mut desk = Desk::new();
        desk.types("mhello");
        ctrl_z(&mut desk);
        let asked = desk.question().lines.join(" ");
        assert!(asked.contains("until `fg`"), "{asked}");
        assert!(!suspends(&mut desk));
        ctrl_z(&mut desk);
        assert!(suspends(&mut desk), "the key insists");
        assert_eq!(desk.composer().field.text(), "hello", "the draft stays");

        let mut left = Desk::new();
        ctrl_z(&mut left);
        assert_eq!(left.types("h"), [UiEffect::QuitFor(Successor::Headless)]);
        let mut idle = Desk::with(vec![status(1, "alpha", LifeState::Idle)]);
        ctrl_z(&mut idle);
        assert!(suspends(&mut idle), "nothing runs, so nothing is asked");
    }

    #[test]
    fn many_or_running_myses_are_deleted_by_their_number_only() {
        let idle = |id, name| status(id, name, LifeState::Idle);
        let mut desk = Desk::with(vec![
            idle(1, "m-10"),
            idle(2, "m-2"),
            idle(3, "m-1"),
            status(4, "m-3", LifeState::Running),
        ]);
        desk.types("*d");
        let asked = &desk.question().lines;
        assert_eq!(asked[0], "Delete 4 Myses? 1 of them runs.");
        assert_eq!(asked[1], "m-1, m-2, m-3, m-10");
        assert!(desk.types("y").is_empty(), "a habit is no answer");
        assert!(desk.types("3").is_empty());
        assert!(desk.key(KeyCode::Enter).is_empty(), "another number");
        desk.key(KeyCode::Backspace);
        desk.types("4");
        assert_eq!(desk.key(KeyCode::Enter).len(), 4);
    }

    /// What the keys of a hidden mark ask: alpha is marked, and the filter shows ceres alone.
    fn asked_of_hidden(keys: &str) -> (Desk, Vec<String>) {
        let mut desk = Desk::new();
        desk.types(" /ceres");
        desk.key(KeyCode::Enter);
        let effects = desk.types(keys);
        assert!(orders_of(&effects).is_empty(), "{keys}: {effects:?}");
        let lines = desk.question().lines.clone();
        (desk, lines)
    }

    #[test]
    fn a_key_asks_before_it_acts_upon_a_mark_that_the_filter_hides() {
        let hides = "It is marked, and the filter hides it.";
        let (mut desk, asked) = asked_of_hidden("s");
        assert_eq!(asked[..2], ["Stop alpha?", hides]);
        assert!(desk.types("n").is_empty());
        desk.types("s");
        assert_eq!(
            order_of(&desk.types("y")).1,
            MysisOrder::Stop.for_mysis("alpha")
        );
        let (mut desk, asked) = asked_of_hidden("r");
        assert_eq!(asked, ["Start alpha?", hides]);
        assert_eq!(
            order_of(&desk.types("y")).1,
            MysisOrder::Start.for_mysis("alpha")
        );
        let (mut desk, asked) = asked_of_hidden("t");
        assert_eq!(asked, ["Try now the servers of alpha?", hides]);
        assert_eq!(
            order_of(&desk.types("y")).1,
            MysisOrder::Retry.for_mysis("alpha")
        );
        let (_, asked) = asked_of_hidden(" s");
        let several = [
            "Stop 2 Myses?",
            "alpha, ceres",
            "The filter hides 1 of them.",
        ];
        assert_eq!(asked[..3], several);
        // A Mysis whose conversation is open is on the screen.
        let mut open = Desk::new();
        open.types(" /ceres");
        open.key(KeyCode::Enter);
        open.key(KeyCode::Enter);
        assert_eq!(
            order_of(&open.types("s")).1,
            MysisOrder::Stop.for_mysis("ceres")
        );
    }

    #[test]
    fn an_undone_stop_starts_those_that_ran() {
        let mut desk = Desk::new();
        desk.types("*s");
        let stops = orders_of(&desk.types("y"));
        assert_eq!(stops.len(), 3);
        for (id, _) in stops {
            let done = CompletedOrder::Done(CompletedAction::Stopped);
            desk.answers(id, Ok(done));
        }
        let (_, order) = order_of(&desk.types("U"));
        assert_eq!(order, MysisOrder::Start.for_mysis("alpha"));
    }

    #[test]
    fn the_question_about_a_thaw_ends_with_the_freeze() {
        let freeze = SwarmCondition::Freeze;
        let mut desk = Desk::new();
        desk.changes(freeze(Some(Timestamp(7))));
        desk.types("F");
        assert_eq!(desk.board.overlays().len(), 1);
        desk.changes(freeze(Some(Timestamp(7))));
        assert_eq!(desk.board.overlays().len(), 1, "nothing changed");
        desk.changes(freeze(None));
        assert!(desk.board.overlays().is_empty());
    }
}
