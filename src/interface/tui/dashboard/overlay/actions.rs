//! The actions of overlays: what their keys do.

use super::Overlay;
use super::composer::{Composer, ComposerOutcome};
use super::form::FormOutcome;
use super::keys::{INSPECTOR_KEYS, InspectorAction, LIST_KEYS, ListAction};
use super::palette::{CommandPalette, PaletteOutcome};
use super::query::{Query, QueryOutcome, QueryScope};
use super::question::{ActionToConfirm, ConfirmAnswer, ConfirmDialog};
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::inspector::Inspector;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction, MOVEMENT_KEYS, Movement};
use crossterm::event::{KeyCode, KeyEvent};

impl Dashboard {
    /// Lets the topmost overlay handle the key. The overlay stays open unless the key closed it.
    pub(in crate::dashboard) fn press_in_layer(&mut self, layer: Overlay, press: KeyEvent) {
        match layer {
            Overlay::Compose(mut composer) => match composer.press(press, &self.history) {
                ComposerOutcome::Used => {
                    self.drafts.keep(&composer.target, composer.field.text());
                    self.overlays.push(Overlay::Compose(composer));
                }
                ComposerOutcome::Send(text) => self.send(composer.target, &text),
                ComposerOutcome::Leave => {}
                ComposerOutcome::Discard => self.discard_draft(composer),
                ComposerOutcome::Unused => {
                    self.overlays.push(Overlay::Compose(composer));
                    self.press_behind(press);
                }
            },
            Overlay::Form(mut form) => match form.press(press) {
                FormOutcome::Used => self.overlays.push(Overlay::Form(form)),
                FormOutcome::Give(order) => {
                    self.send_form(&mut form, order);
                    self.overlays.push(Overlay::Form(form));
                }
                FormOutcome::Leave => {}
            },
            Overlay::Confirm(mut question) => match self.answer_of(&mut question, press) {
                ConfirmAnswer::Yes => self.on_confirmed(question.about),
                ConfirmAnswer::LeaveRunning => self.leave_running(),
                ConfirmAnswer::No => {}
                ConfirmAnswer::Nothing => self.overlays.push(Overlay::Confirm(question)),
            },
            Overlay::Palette(palette) => self.press_in_palette(palette, press),
            Overlay::Query(query) => self.press_in_query(query, press),
            Overlay::Inspect(inspector) => self.press_in_entry(inspector, press),
            Overlay::Graphs(view) => self.press_in_graphs(view, press),
            Overlay::Books(view) => self.press_in_books(view, press),
            Overlay::Search(view) => self.press_in_search(view, press),
            Overlay::Map(view) => self.press_in_map(view, press),
            Overlay::Processes(view) => self.press_in_processes(view, press),
            Overlay::Routine(editor) => self.press_in_routine(editor, press),
            Overlay::Log(view) => self.press_in_log(view, press),
            Overlay::Help(top) => self.press_in_help(top, press),
        }
    }

    /// Throws away what was written. In this run it comes back with the history.
    fn discard_draft(&mut self, composer: Composer) {
        self.drafts.keep(&composer.target, "");
        let text = composer.field.text();
        if !text.trim().is_empty() {
            self.history.add(&self.redactor.clean(text));
            self.show_notice("the draft is thrown away; ↑ in a new one brings it back");
        }
    }

    /// Lets a key that the text field does not use scroll the view behind it.
    pub(in crate::dashboard) fn press_behind(&mut self, press: KeyEvent) {
        let scrolls = matches!(press.code, KeyCode::PageUp | KeyCode::PageDown);
        let action = self.keymap.find(GLOBAL_KEYS, press);
        let is_program =
            has_ctrl(press) && matches!(action, Some(GlobalAction::Suspend | GlobalAction::Redraw));
        if scrolls || is_program {
            self.press_in_view(press);
        }
    }

    fn press_in_palette(&mut self, mut palette: Box<CommandPalette>, press: KeyEvent) {
        match palette.press(press, &self.completion_sources(), &self.commands) {
            PaletteOutcome::Used => self.overlays.push(Overlay::Palette(palette)),
            PaletteOutcome::Leave => {}
            PaletteOutcome::Press(press) => self.press_in_view(press),
            PaletteOutcome::Run(line) => {
                if let Err(why) = self.run_command(&line) {
                    palette.complain(&why);
                    return self.overlays.push(Overlay::Palette(palette));
                }
                // The values of an answer are kept nowhere.
                if !line.starts_with("answer ") {
                    self.commands.add(&line);
                }
            }
        }
    }

    fn press_in_query(&mut self, mut query: Query, press: KeyEvent) {
        let queried = query.press(press);
        let text = query.field.text().to_string();
        match (queried, query.within) {
            (QueryOutcome::Changed, QueryScope::Table) => {
                self.table.change_filter(|filter| filter.set_text(&text));
                self.overlays.push(Overlay::Query(query));
            }
            (
                QueryOutcome::Changed,
                QueryScope::Conversation
                | QueryScope::Entry
                | QueryScope::Swarm
                | QueryScope::Routine
                | QueryScope::Log,
            )
            | (QueryOutcome::Unused, QueryScope::Swarm | QueryScope::Routine) => {
                self.overlays.push(Overlay::Query(query));
            }
            (QueryOutcome::Unused, _) => {
                if query.within != QueryScope::Log
                    && matches!(
                        press.code,
                        KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown
                    )
                {
                    self.press_in_view(press);
                }
                self.overlays.push(Overlay::Query(query));
            }
            (QueryOutcome::Done, QueryScope::Table) => {}
            (QueryOutcome::Leave, QueryScope::Table) => {
                self.table.change_filter(|filter| filter.set_text(""));
            }
            (QueryOutcome::Done, QueryScope::Conversation) => self.find_text(&text),
            (QueryOutcome::Leave, QueryScope::Conversation) => self.find_text(""),
            (QueryOutcome::Done, QueryScope::Swarm) => self.search_swarm(&text),
            (QueryOutcome::Leave, QueryScope::Swarm | QueryScope::Routine) => {}
            (QueryOutcome::Done, QueryScope::Routine) => self.start_written_routine(&text),
            (QueryOutcome::Done, QueryScope::Entry) => self.find_in_entry(&text),
            (QueryOutcome::Leave, QueryScope::Entry) => self.find_in_entry(""),
            (QueryOutcome::Done, QueryScope::Log) => self.find_in_log(&text),
            (QueryOutcome::Leave, QueryScope::Log) => self.find_in_log(""),
        }
    }

    fn find_in_entry(&mut self, text: &str) {
        if let Some(Overlay::Inspect(inspector)) = self.overlays.last_mut() {
            inspector.find(text);
        }
    }

    fn press_in_entry(&mut self, mut inspector: Box<Inspector>, press: KeyEvent) {
        let Some(gesture) = self.keymap.find(INSPECTOR_KEYS, press) else {
            if let Some(going) = self.keymap.find(MOVEMENT_KEYS, press) {
                inspector.move_to(going);
            }
            self.overlays.push(Overlay::Inspect(inspector));
            return self.press_over_layer(press);
        };
        match gesture {
            InspectorAction::Turn => inspector.turn(),
            InspectorAction::Open => inspector.open(),
            InspectorAction::Close => inspector.close(),
            InspectorAction::TurnAll => inspector.turn_all(),
            InspectorAction::NextMatch => inspector.next_match(Direction::Forth),
            InspectorAction::MatchBefore => inspector.next_match(Direction::Back),
            InspectorAction::Copy => self.copy(&inspector.text()),
            InspectorAction::Write => self.write(&inspector),
            InspectorAction::CopyAll => self.copy(&inspector.whole_text()),
            InspectorAction::Find => {
                let text = inspector
                    .text_search
                    .as_ref()
                    .map(|it| it.text().to_string());
                let query = Query::new(QueryScope::Entry, &text.unwrap_or_default());
                self.overlays.push(Overlay::Inspect(inspector));
                return self.overlays.push(Overlay::Query(query));
            }
            InspectorAction::Back => return,
        }
        self.overlays.push(Overlay::Inspect(inspector));
    }

    /// The key that opened a list also closes it.
    fn press_in_help(&mut self, top: usize, press: KeyEvent) {
        let page = self.page_of_list();
        let last = self.help_lines().saturating_sub(page);
        let is_back = self.keymap.find(LIST_KEYS, press) == Some(ListAction::Back);
        if is_back || self.keymap.find(GLOBAL_KEYS, press) == Some(GlobalAction::Help) {
            return;
        }
        let top = match self.going_in_list(press) {
            None => top,
            Some(Movement::Up) => top.saturating_sub(1),
            Some(Movement::Down) => top + 1,
            Some(Movement::PageUp) => top.saturating_sub(page),
            Some(Movement::PageDown) => top + page,
            Some(Movement::First) => 0,
            Some(Movement::Last) => last,
        };
        self.overlays.push(Overlay::Help(top.min(last)));
        self.press_over_list(press);
    }

    /// Lets global keys work over a list, except for those that would open a second list.
    pub(in crate::dashboard) fn press_over_list(&mut self, press: KeyEvent) {
        let gesture = self.keymap.find(GLOBAL_KEYS, press);
        let is_list = matches!(gesture, Some(GlobalAction::Log | GlobalAction::Help));
        if !is_list && self.keymap.find(LIST_KEYS, press).is_none() {
            self.press_over_layer(press);
        }
    }

    fn page_of_list(&self) -> usize {
        usize::from(self.size.1.saturating_sub(4)).max(1)
    }

    /// The movement of a key in a list. Lists have an additional key for the next page.
    fn going_in_list(&self, press: KeyEvent) -> Option<Movement> {
        if self.keymap.find(LIST_KEYS, press) == Some(ListAction::PageDown) {
            return Some(Movement::PageDown);
        }
        self.keymap.find(MOVEMENT_KEYS, press)
    }

    /// The answer of a key to a question. The key that asked about the program insists on it.
    fn answer_of(&self, question: &mut ConfirmDialog, press: KeyEvent) -> ConfirmAnswer {
        let answer = question.press(press);
        let insists = match self.keymap.find(GLOBAL_KEYS, press) {
            Some(GlobalAction::Quit) => question.about == ActionToConfirm::Quit,
            Some(GlobalAction::Suspend) => question.about == ActionToConfirm::Suspend,
            Some(_) | None => false,
        };
        if answer == ConfirmAnswer::Nothing && insists {
            return ConfirmAnswer::Yes;
        }
        answer
    }
}
