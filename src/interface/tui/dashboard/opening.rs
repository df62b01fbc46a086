//! Opens conversations and views, goes back from them, and carries out what views ask for.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::screen::{Successor, TerminalKind, UiEffect};

use super::Dashboard;
use super::action::TerminalAction;
use super::conversation::{Focus, ListBehind};
use super::help::HelpView;
use super::log::list::LogView;
use super::loops::take_loops;
use super::orders::UNDO;
use super::orders::questions::about_note;
use super::outbox::Request;
use super::overlay::Overlay;
use super::overlay::composer::ComposeTarget;
use super::overlay::layers::Layers;
use super::overlay::query::QueryScope;
use super::overlay::question::ActionToConfirm;
use super::processes;
use super::routine_editor::RoutineEditor;
use super::search::SearchView;
use super::summary::back_key;
use super::toolkit::view::{Opening, ViewContext};
use super::views::OPENING_KEYS;

impl Dashboard {
    pub(super) fn open(&mut self, id: MysisId) {
        let name = self.facts.name_of(id);
        self.table.select(id);
        let mut focus = Focus::new(id, name, self.facts.appearance.offset);
        focus.read_beside(&mut self.outbox);
        self.focus = Some(focus);
    }

    /// Opens the selected conversation, or folds the selected group.
    pub(super) fn open_selected(&mut self) {
        match self.table.selected() {
            Some(id) => self.open(id),
            None => self.table.toggle_fold(),
        }
    }

    /// Opens a conversation. Esc goes back from it to what is open now.
    fn open_from_list(&mut self, id: MysisId) {
        let behind = ListBehind {
            layers: std::mem::take(&mut self.layers),
            focus: self.focus.as_ref().map(Focus::mysis),
        };
        self.open(id);
        if let Some(focus) = &mut self.focus {
            focus.behind = Some(Box::new(behind));
        }
    }

    /// Goes back to the list from which the conversation was opened. Returns whether there was one.
    pub(super) fn return_to_list(&mut self) -> bool {
        let behind = self.focus.as_mut().and_then(|focus| focus.behind.take());
        let Some(behind) = behind else {
            return false;
        };
        self.focus = None;
        let roster = &self.facts.roster;
        if let Some(before) = behind.focus.filter(|id| roster.get(*id).is_some()) {
            self.open(before);
        }
        self.layers = behind.layers;
        // Answers that came meanwhile reached no view.
        self.forget_reads();
        true
    }

    pub(super) fn open_view(&mut self, opening: Opening) {
        match opening {
            Opening::View(new) => {
                let view = new(&self.facts, &self.targets());
                self.layers.open(view);
                self.poll_views();
            }
            Opening::Search => {
                let open = self.layers.view::<SearchView>();
                let text = open.map(|view| view.text_search().text().to_string());
                (self.layers).write_line(QueryScope::Swarm, &text.unwrap_or_default());
            }
        }
    }

    /// Searches a text in all conversations. A list that is open already gives way to it.
    pub(super) fn search_swarm(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.layers.close_view::<SearchView>();
        let view = SearchView::new(text, self.facts.now);
        self.layers.push_view(view);
        self.poll_views();
    }

    /// Selects a Mysis. The filter is dropped if it hides the Mysis.
    pub(super) fn show_in_table(&mut self, id: MysisId) {
        if !self.table.order().contains(&id) {
            self.table.clear_filter();
            self.update_table();
        }
        self.table.select(id);
    }

    /// Lets the views work.
    pub(super) fn with_views<T>(
        &mut self,
        work: impl FnOnce(&mut Layers, &mut ViewContext<'_>) -> T,
    ) -> T {
        let (targets, layout) = (self.targets(), self.layout());
        let mut context = ViewContext {
            facts: &self.facts,
            targets: &targets,
            layout: &layout,
            outbox: &mut self.outbox,
        };
        work(&mut self.layers, &mut context)
    }

    /// Brings all open views up to date.
    pub(super) fn poll_views(&mut self) {
        let keeps_older = self.layers.view::<LogView>().is_some();
        if self.facts.log.keeps_older() != keeps_older {
            Arc::make_mut(&mut self.facts.log).keep_older(keeps_older);
        }
        if !self.layers.all.is_empty() {
            self.with_views(|layers, context| layers.poll(context));
        }
    }

    /// Carries out what handlers and views put into the outbox for this screen.
    pub(super) fn carry_out_requests(&mut self) {
        loop {
            for (receipt, orders) in std::mem::take(&mut self.outbox.given) {
                Arc::make_mut(&mut self.facts.orders).take_given(receipt, orders);
            }
            for (tone, code, text) in std::mem::take(&mut self.outbox.notices) {
                self.facts.notify(tone, code, &text);
            }
            let Some(request) = self.outbox.requests.pop_front() else {
                return;
            };
            self.carry_out(request);
        }
    }

    fn carry_out(&mut self, request: Request) {
        match request {
            Request::Open(mysis, row) => {
                match self.layers.all.is_empty() {
                    true => self.open(mysis),
                    false => self.open_from_list(mysis),
                }
                if let (Some(focus), Some(row)) = (&mut self.focus, row) {
                    focus.transcript.go_to(row);
                }
            }
            Request::OpenHit(mysis, ..) if self.facts.roster.get(mysis).is_none() => {
                (self.outbox).say("the Mysis was deleted with its conversation");
            }
            Request::OpenHit(mysis, row, text) => {
                self.open_from_list(mysis);
                if let Some(focus) = &mut self.focus {
                    focus.find_text_at(&text, row, &mut self.outbox);
                }
            }
            Request::OpenView(name) => {
                if let Some(key) = OPENING_KEYS.iter().find(|key| key.action.name == name) {
                    self.open_view(key.gesture);
                }
            }
            Request::Compose(target) => {
                let composer = self.writing.composer(target);
                self.layers.push(Overlay::Compose(composer));
            }
            Request::Send(target, text) => self.send(target, &text),
            Request::Confirm(question) => self.layers.push(Overlay::Confirm(question)),
            Request::WriteLine(scope, text) => self.layers.write_line(scope, &text),
            Request::ShowSystem(system) => self.show_system(&system),
            Request::LookedAtLog => self.facts.looked.look(self.facts.now),
            Request::Withdraw(receipt) => {
                Arc::make_mut(&mut self.facts.orders).withdraw(receipt);
            }
            Request::EditRoutine(mysis, name) => {
                let (facts, outbox) = (&self.facts, &mut self.outbox);
                let editor = RoutineEditor::of(mysis, name.as_deref(), facts, outbox);
                self.layers.push_view(editor);
            }
            Request::Undo => self.undo_last(),
            Request::Find(text) => self.find_text(&text),
            Request::SearchSwarm(text) => self.search_swarm(&text),
            Request::ShowHelp => self.layers.open(Box::new(HelpView::of(self.help()))),
            Request::DismissErrors => Arc::make_mut(&mut self.facts.log).dismiss_all(),
            Request::ChangeLook(appearance) => self.facts.appearance = appearance,
            Request::Close => self.close(),
        }
    }

    /// Undoes the last order that can be undone.
    fn undo_last(&mut self) {
        let Some(step) = Arc::make_mut(&mut self.facts.orders).take_undo() else {
            return self.outbox.say("there is no order to undo");
        };
        let whom = match step.orders.len() {
            1 => step.what.to_string(),
            many => format!("{} for {many} myses", step.what),
        };
        let orders = step.orders.into_iter().map(|order| (None, order));
        (self.outbox).give(&self.facts, UNDO, whom.into(), orders);
    }

    pub(super) fn send(&mut self, target: ComposeTarget, text: &str) {
        let text: Arc<str> = text.into();
        let question = match &target {
            ComposeTarget::Notes(ids) => about_note(ids, &text),
            ComposeTarget::Swarm | ComposeTarget::Myses(_) => None,
        };
        match question {
            Some(question) => self.layers.push(Overlay::Confirm(question)),
            None => (self.writing).send(target, text, &self.facts, &mut self.outbox),
        }
    }

    /// Performs the action that the operator confirmed.
    pub(super) fn on_confirmed(&mut self, about: ActionToConfirm) {
        let (facts, outbox) = (&self.facts, &mut self.outbox);
        match about {
            ActionToConfirm::Delete(ids) => {
                let order = |name| Order::Delete { name, now: false };
                outbox.order_each(facts, "delete", &ids, order);
            }
            ActionToConfirm::Stop(ids) => {
                outbox.order_myses(facts, "stop", &ids, &MysisOrder::Stop);
            }
            ActionToConfirm::Start(ids) => {
                outbox.order_myses(facts, "start", &ids, &MysisOrder::Start);
            }
            ActionToConfirm::TryNow(ids) => {
                outbox.order_myses(facts, "try now", &ids, &MysisOrder::Retry);
            }
            ActionToConfirm::Note(ids, text) => {
                (self.writing).send(ComposeTarget::Notes(ids), text, facts, outbox);
            }
            ActionToConfirm::TakeLoops(ids) => take_loops(facts, outbox, &ids),
            ActionToConfirm::Thaw => {
                outbox.order(facts, "thaw", Order::Thaw);
            }
            ActionToConfirm::Drain(name) => processes::drain(facts, outbox, &name, true),
            ActionToConfirm::LeaveRoutine => self.layers.close_view::<RoutineEditor>(),
            ActionToConfirm::Suspend => outbox.actions.push(TerminalAction::Suspend),
            ActionToConfirm::Quit => self.close(),
        }
    }

    /// Goes back to what the question interrupted.
    pub(super) fn on_declined(&mut self, about: ActionToConfirm) {
        // What else was asked over is open still.
        if let ActionToConfirm::Note(ids, text) = about {
            let mut composer = self.writing.composer(ComposeTarget::Notes(ids));
            // A note of the palette may meet a draft. Undoing in the field brings that back.
            composer.field.replace(&text);
            self.writing.keep_draft(&composer);
            self.layers.push(Overlay::Compose(composer));
        }
    }

    /// Ends the program, and lets another one take its place.
    pub(super) fn leave_for(&mut self, successor: Successor) {
        self.facts.closing_since = Some(self.facts.now);
        self.outbox.effects.push(UiEffect::QuitFor(successor));
    }

    /// Ends the program, or only the connection of an attached terminal.
    pub(super) fn close(&mut self) {
        if self.facts.kind == TerminalKind::Own {
            self.facts.closing_since = Some(self.facts.now);
        }
        self.outbox.effects.push(UiEffect::Quit);
    }

    /// Shows the Myses of a system in the table.
    fn show_system(&mut self, system: &str) {
        // The name of the system alone, as a regex: a word would fit texts in which it occurs, too.
        let text = format!("~^{}$", system.replace('.', r"\."));
        (self.layers, self.focus) = (Layers::default(), None);
        self.table.clear_filter();
        self.table.change_filter(|filter| filter.set_text(&text));
        let key = back_key(&self.facts.keymap, false);
        self.outbox.say(&format!("in {system}; {key} shows all"));
    }
}
