//! The actions of overlays: what their keys do.

use std::sync::Arc;

use super::Overlay;
use super::composer::{Composer, ComposerOutcome};
use super::form::FormOutcome;
use super::palette::{CommandPalette, PaletteOutcome};
use super::query::{Query, QueryOutcome, QueryScope};
use super::question::{ActionToConfirm, ConfirmAnswer, ConfirmDialog};
use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::search;
use crossterm::event::{KeyCode, KeyEvent};

impl Dashboard {
    pub(in crate::dashboard) fn open_composer(&self) -> Option<&Composer> {
        self.overlays.iter().find_map(Overlay::composer)
    }

    /// Lets the topmost overlay handle the key. The overlay stays open unless the key closed it.
    pub(in crate::dashboard) fn press_in_layer(&mut self, layer: Overlay, press: KeyEvent) {
        match layer {
            Overlay::Compose(mut composer) => match composer.press(press, &self.history) {
                ComposerOutcome::Used => {
                    self.drafts.keep(&composer.target, composer.field.text());
                    self.overlays.push(Overlay::Compose(composer));
                }
                ComposerOutcome::Edit => {
                    let text = composer.field.text().into();
                    self.actions.push(TerminalAction::Edit(text));
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
            Overlay::View(view) => self.press_in_open_view(view, press),
        }
    }

    /// Takes over what the operator's editor made of the text. The composer may be gone by then.
    pub(in crate::dashboard) fn on_edited(&mut self, edited: Result<Arc<str>, String>) {
        let text = match edited {
            Ok(text) => text,
            Err(why) => return self.show_notice(&why),
        };
        match self.overlays.last_mut() {
            Some(Overlay::Compose(composer)) => {
                composer.field.replace(&text);
                self.drafts.keep(&composer.target, &text);
            }
            Some(_) | None => {
                self.history.add(&self.redactor.clean(&text));
                self.show_notice("the composer is closed; ↑ in a new one brings your text back");
            }
        }
    }

    /// Throws away what was written. In this run it comes back with the history.
    fn discard_draft(&mut self, composer: Composer) {
        self.drafts.keep(&composer.target, "");
        let text = composer.field.text();
        if !text.trim().is_empty() {
            self.history.add(&self.redactor.clean(text));
            self.show_notice("the draft is discarded; ↑ in a new one brings it back");
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
            (QueryOutcome::Done, QueryScope::Swarm) => search::search_swarm(self, &text),
            (QueryOutcome::Leave, QueryScope::Swarm) => {}
            (QueryOutcome::Done, QueryScope::Entry | QueryScope::Routine | QueryScope::Log) => {
                self.give_line(Some(&text));
            }
            (QueryOutcome::Leave, QueryScope::Entry | QueryScope::Routine | QueryScope::Log) => {
                self.give_line(None);
            }
        }
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
