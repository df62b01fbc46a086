//! Turns the operator's actions into orders.

use std::sync::Arc;

use actors::domain::budget::BudgetLimits;
use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};

use super::{BROADCAST, NewOrder};
use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::composer::{ComposeTarget, Composer, note_tokens};
use crate::dashboard::overlay::form::{FormPurpose, MysisForm};
use crate::dashboard::overlay::question::{ActionToConfirm, ConfirmDialog, NumberToType};
use crate::dashboard::processes;
use crate::dashboard::routine_editor::RoutineEditor;
use actors::domain::screen::TerminalKind;
use actors::domain::screen::{OrderId, Successor, UiEffect};
use zoea_text::figures::group_digits;
use zoea_text::natural::compare_natural;

/// The most names in a question about several Myses.
const NAMES_IN_QUESTION: usize = 12;
/// The most tokens that a note adds to every request without a question.
const MAX_QUIET_NOTE_TOKENS: u64 = 1_000;
const MOST_DELETED_BY_KEY: usize = 3;

impl Dashboard {
    /// Gives each Mysis its own order, all under one receipt.
    pub(in crate::dashboard) fn order_each(
        &mut self,
        what: &'static str,
        ids: &[MysisId],
        order: impl Fn(String) -> Order,
    ) -> Vec<OrderId> {
        let known: Vec<MysisId> = ids
            .iter()
            .copied()
            .filter(|id| self.roster.get(*id).is_some())
            .collect();
        let whom = match known[..] {
            [] => return Vec::new(),
            [id] => self.name_of(id),
            _ => format!("{} myses", known.len()).into(),
        };
        let receipt = Arc::make_mut(&mut self.orders).begin(what, whom, self.moment);
        let given = known.iter().map(|id| {
            let order = order(self.name_of(*id).to_string());
            self.give_order(receipt, order, Some(*id))
        });
        given.collect()
    }

    /// Gives the same order to each of these Myses, under one receipt.
    pub(in crate::dashboard) fn order_myses(
        &mut self,
        what: &'static str,
        ids: &[MysisId],
        order: &MysisOrder,
    ) -> Vec<OrderId> {
        self.order_each(what, ids, |name| order.clone().for_mysis(name))
    }

    /// Gives one order that is not for a known Mysis.
    pub(in crate::dashboard) fn order_once(
        &mut self,
        what: &'static str,
        whom: &str,
        order: Order,
    ) -> OrderId {
        let receipt = Arc::make_mut(&mut self.orders).begin(what, whom.into(), self.moment);
        self.give_order(receipt, order, None)
    }

    /// Lets a text that is held back be tried again.
    pub(in crate::dashboard) fn forget_held(&mut self, id: &str) {
        let order = Order::ForgetHeld { id: id.to_string() };
        self.order_once("forget", id, order);
    }

    /// Raises the cap of the day to a typed amount.
    pub(in crate::dashboard) fn raise_budget(&mut self, amount: &str) -> Result<(), String> {
        let order = Order::RaiseBudget(BudgetLimits::parse(amount)?);
        self.order_once("raise the budget", "the swarm", order);
        Ok(())
    }

    fn give_order(&mut self, receipt: u64, order: Order, mysis: Option<MysisId>) -> OrderId {
        let before = mysis.and_then(|id| self.roster.get(id));
        let before = before.map(|member| &*member.status);
        let given = NewOrder {
            order: &order,
            mysis,
            inverse: order.inverse(before, self.mission.as_ref()),
        };
        let id = Arc::make_mut(&mut self.orders).give(receipt, given);
        self.effects.push(UiEffect::Order { id, order });
        id
    }

    /// Undoes the last order that can be undone.
    pub(in crate::dashboard) fn undo_last(&mut self) {
        let Some(step) = self.undo.take() else {
            return self.show_notice("there is no order to undo");
        };
        let whom = match step.orders.len() {
            1 => step.what.to_string(),
            many => format!("{} for {many} myses", step.what),
        };
        let receipt = Arc::make_mut(&mut self.orders).begin("undo", whom.into(), self.moment);
        for order in step.orders {
            self.give_order(receipt, order, None);
        }
    }

    pub(in crate::dashboard) fn send(&mut self, target: ComposeTarget, text: &str) {
        let text: Arc<str> = text.into();
        if let ComposeTarget::Notes(ids) = &target
            && note_tokens(&text) > MAX_QUIET_NOTE_TOKENS
        {
            return self.ask_for_note(ids.clone(), text);
        }
        self.send_now(target, text);
    }

    /// Asks before a note that makes every request much longer.
    fn ask_for_note(&mut self, ids: Vec<MysisId>, text: Arc<str>) {
        let (tokens, count) = (group_digits(note_tokens(&text)), ids.len());
        let lines = vec![
            format!("Add about {tokens} tokens to every request?"),
            match count {
                1 => "The note stays until it is cleared.".to_string(),
                _ => format!("The note stays with {count} Myses until it is cleared."),
            },
        ];
        let about = ActionToConfirm::Note(ids, text);
        let dialog = ConfirmDialog::new(about, lines);
        self.overlays.push(Overlay::Confirm(dialog));
    }

    pub(in crate::dashboard) fn send_now(&mut self, target: ComposeTarget, text: Arc<str>) {
        // The history file must not contain a secret. The store redacts the sent text itself.
        self.history.add(&self.redactor.clean(&text));
        self.actions
            .push(TerminalAction::KeepHistory(self.history.clone()));
        self.drafts.keep(&target, "");
        let ids = match &target {
            ComposeTarget::Swarm => {
                let order = Order::Broadcast {
                    text: text.to_string(),
                };
                vec![self.order_once(BROADCAST, "the swarm", order)]
            }
            ComposeTarget::Myses(ids) => {
                self.order_myses("message", ids, &MysisOrder::Prompt(text.clone()))
            }
            ComposeTarget::Notes(ids) => {
                self.order_myses("note", ids, &MysisOrder::Note(text.clone()))
            }
        };
        for id in ids {
            self.sent.insert(id, (target.clone(), text.clone()));
        }
    }

    pub(in crate::dashboard) fn send_form(&mut self, form: &mut MysisForm, order: Order) {
        let id = match (&form.purpose, &order) {
            (FormPurpose::Configure { mysis, .. }, _) => {
                let ids = self.order_each("configure", &[*mysis], |_| order.clone());
                ids.first().copied()
            }
            (FormPurpose::Create, Order::Create { name, .. }) => {
                let name = name.clone();
                Some(self.order_once("create", &name, order))
            }
            (FormPurpose::Create, _) => None,
        };
        form.complaint = None;
        form.awaited = id;
    }

    /// Opens a composer with the draft for this target.
    pub(in crate::dashboard) fn compose(&mut self, target: ComposeTarget) {
        let draft = self.drafts.get(&target).to_string();
        self.overlays
            .push(Overlay::Compose(Composer::new(target, &draft)));
    }

    /// Asks before these Myses are deleted. More than three, or one that runs, are confirmed by typing
    /// their number.
    pub(in crate::dashboard) fn ask_to_delete(&mut self, ids: Vec<MysisId>) {
        let running = self.roster.running_among(&ids);
        let mut names: Vec<Arc<str>> = ids.iter().map(|id| self.name_of(*id)).collect();
        names.sort_by(|a, b| compare_natural(a, b));
        let mut lines = Vec::new();
        match (&names[..], running) {
            ([], _) => return,
            ([name], 0) => lines.push(format!("Delete {name}?")),
            ([name], _) => lines.push(format!("Delete the running {name}?")),
            (_, running) => {
                let run = match running {
                    0 => "none of them runs".to_string(),
                    1 => "1 of them runs".to_string(),
                    running => format!("{running} of them run"),
                };
                lines.push(format!("Delete {} Myses? {run}.", names.len()));
                let more = if names.len() > NAMES_IN_QUESTION {
                    ", …"
                } else {
                    ""
                };
                let first = &names[..names.len().min(NAMES_IN_QUESTION)];
                lines.push(format!("{}{more}", first.join(", ")));
            }
        }
        let key = self.keymap.key_of(GLOBAL_KEYS, GlobalAction::Undo);
        lines.push(format!(
            "The conversation goes with it. {key} brings it back for a day."
        ));
        lines.push("A game account returns to the pool.".to_string());
        let is_heavy = running > 0 || ids.len() > MOST_DELETED_BY_KEY;
        self.overlays.push(Overlay::Confirm(ConfirmDialog {
            number: is_heavy.then(|| NumberToType::new(ids.len())),
            ..ConfirmDialog::new(ActionToConfirm::Delete(ids), lines)
        }));
    }

    pub(in crate::dashboard) fn ask_to_stop(&mut self, ids: Vec<MysisId>) {
        let lines = vec![
            format!("Stop {} Myses?", ids.len()),
            "Each is stopped at once, in the middle of its turn.".to_string(),
        ];
        self.overlays.push(Overlay::Confirm(ConfirmDialog::new(
            ActionToConfirm::Stop(ids),
            lines,
        )));
    }

    /// Quits. It asks first while Myses run, but not in an attached terminal, whose end stops
    /// nothing.
    pub(in crate::dashboard) fn quit(&mut self) {
        if self.kind == TerminalKind::Attached {
            return self.close();
        }
        if self.closing.is_some() {
            return;
        }
        let all = self.roster.counts().running;
        let running = self.roster.running_here();
        if running == 0 {
            return self.close();
        }
        let who = match (running, all == running) {
            (1, true) => "1 Mysis runs, and stops with the program.".to_string(),
            (running, true) => format!("All {running} Myses that run stop with the program."),
            (running, false) => format!(
                "{running} of {all} Myses run here. They stop, or another process takes them up."
            ),
        };
        self.overlays.push(Overlay::Confirm(ConfirmDialog::new(
            ActionToConfirm::Quit,
            vec![
                format!("Quit? {who}"),
                "Requests already sent are awaited; nothing is lost.".to_string(),
                "h: they go on without a terminal, and `zoea attach` opens one.".to_string(),
            ],
        )));
    }

    /// Suspends the process suspend to the shell. It asks first while Myses run here, since they
    /// stand still until the shell continues it; an attached terminal stops nothing.
    pub(in crate::dashboard) fn suspend(&mut self) {
        let running = match self.kind {
            TerminalKind::Own => self.roster.running_here(),
            TerminalKind::Attached => 0,
        };
        if running == 0 {
            return self.actions.push(TerminalAction::Suspend);
        }
        let key = self.keymap.key_of(GLOBAL_KEYS, GlobalAction::Suspend);
        let who = match running {
            1 => "the one Mysis that runs here".to_string(),
            running => format!("all {running} Myses that run here"),
        };
        self.overlays.push(Overlay::Confirm(ConfirmDialog::new(
            ActionToConfirm::Suspend,
            vec![
                format!("Suspend? This stops {who} until `fg`."),
                "Calls in flight may end with an unknown outcome meanwhile.".to_string(),
                "h: close this terminal and keep them running; `zoea attach` opens another."
                    .to_string(),
                format!("{key} again: stop."),
            ],
        )));
    }

    /// Performs the action that the operator confirmed.
    pub(in crate::dashboard) fn on_confirmed(&mut self, about: ActionToConfirm) {
        match about {
            ActionToConfirm::Delete(ids) => {
                self.order_each("delete", &ids, |name| Order::Delete { name, now: false });
            }
            ActionToConfirm::Stop(ids) => {
                self.order_myses("stop", &ids, &MysisOrder::Stop);
            }
            ActionToConfirm::Note(ids, text) => self.send_now(ComposeTarget::Notes(ids), text),
            ActionToConfirm::TakeLoops(ids) => self.take_loops(&ids),
            ActionToConfirm::Thaw => {
                self.order_once("thaw", "the swarm", Order::Thaw);
            }
            ActionToConfirm::Drain(name) => processes::drain(self, &name, true),
            ActionToConfirm::LeaveRoutine => self.close_view::<RoutineEditor>(),
            ActionToConfirm::Suspend => self.actions.push(TerminalAction::Suspend),
            ActionToConfirm::Quit => self.close(),
        }
    }

    /// Ends the program, and lets the swarm go on in another one without a terminal.
    pub(in crate::dashboard) fn leave_running(&mut self) {
        self.closing = Some(self.now);
        self.effects.push(UiEffect::QuitFor(Successor::Headless));
    }

    /// Ends the program, or only the connection of an attached terminal.
    pub(in crate::dashboard) fn close(&mut self) {
        if self.kind == TerminalKind::Own {
            self.closing = Some(self.now);
        }
        self.effects.push(UiEffect::Quit);
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::state::LifeState;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::dashboard::tests::{Desk, status};

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
        let Some(Overlay::Confirm(question)) = desk.board.overlays().last() else {
            panic!("a question stands over the composer");
        };
        let asked = question.lines.join(" ");
        assert!(asked.contains("until `fg`"), "{asked}");
        assert!(!suspends(&mut desk));
        ctrl_z(&mut desk);
        assert!(suspends(&mut desk), "the key insists");
        assert!(
            desk.board.overlays()[0].composer().is_some(),
            "the draft stays"
        );

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
        let Some(Overlay::Confirm(question)) = desk.board.overlays().last() else {
            panic!("it asks");
        };
        assert_eq!(question.lines[0], "Delete 4 Myses? 1 of them runs.");
        assert_eq!(question.lines[1], "m-1, m-2, m-3, m-10");
        assert!(desk.types("y").is_empty(), "a habit is no answer");
        assert!(desk.types("3").is_empty());
        assert!(desk.key(KeyCode::Enter).is_empty(), "another number");
        desk.key(KeyCode::Backspace);
        desk.types("4");
        assert_eq!(desk.key(KeyCode::Enter).len(), 4);
    }
}
