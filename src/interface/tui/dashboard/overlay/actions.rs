//! The actions of overlays: what their keys do.

use std::sync::Arc;

use super::Overlay;
use super::composer::ComposerOutcome;
use super::form::FormOutcome;
use super::palette::commands::{CommandContext, run_command};
use super::palette::{CommandPalette, PaletteOutcome};
use super::query::{Query, QueryOutcome, QueryScope};
use super::question::{ActionToConfirm, ConfirmAnswer, ConfirmDialog};
use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::toolkit::view::Pressed;
use actors::domain::screen::Successor;
use crossterm::event::{KeyCode, KeyEvent};

impl Dashboard {
    /// Lets the topmost layer handle the key, which stays open unless the key closes it; without one, the view.
    pub(crate) fn press_in_top_layer(&mut self, press: KeyEvent) {
        let pressed = self.with_views(|layers, context| layers.press(context, press));
        if let Some(pressed) = pressed {
            self.carry_out_requests();
            match pressed {
                Pressed::Passes => self.press_over_layer(press),
                Pressed::Scrolls => self.press_behind(press),
                Pressed::Stays | Pressed::Closes => {}
            }
            return self.poll_views();
        }
        match self.layers.all.pop() {
            Some(layer) => self.press_in_layer(layer, press),
            None => self.press_in_view(press),
        }
    }

    fn press_in_layer(&mut self, layer: Overlay, press: KeyEvent) {
        match layer {
            Overlay::Compose(mut composer) => match composer.press(press, &self.writing.history) {
                ComposerOutcome::Used => {
                    self.writing.keep_draft(&composer);
                    self.layers.push(Overlay::Compose(composer));
                }
                ComposerOutcome::Edit => {
                    let text = composer.field.text().into();
                    self.outbox.actions.push(TerminalAction::Edit(text));
                    self.layers.push(Overlay::Compose(composer));
                }
                ComposerOutcome::Send(text) => self.send(composer.target, &text),
                ComposerOutcome::Leave => {}
                ComposerOutcome::Discard => {
                    (self.writing).discard(&composer, &self.facts, &mut self.outbox);
                }
                ComposerOutcome::Unused => {
                    self.layers.push(Overlay::Compose(composer));
                    self.press_behind(press);
                }
            },
            Overlay::Form(mut form) => match form.press(press) {
                FormOutcome::Used => self.layers.push(Overlay::Form(form)),
                FormOutcome::Give(order) => {
                    form.send(order, &self.facts, &mut self.outbox);
                    self.layers.push(Overlay::Form(form));
                }
                FormOutcome::Leave => {}
            },
            Overlay::Confirm(mut question) => match self.answer_of(&mut question, press) {
                ConfirmAnswer::Yes => self.on_confirmed(question.about),
                ConfirmAnswer::LeaveRunning => self.leave_for(Successor::Headless),
                ConfirmAnswer::No => self.on_declined(question.about),
                ConfirmAnswer::Nothing => self.layers.push(Overlay::Confirm(question)),
            },
            Overlay::Palette(palette) => self.press_in_palette(palette, press),
            Overlay::Query(query) => self.press_in_query(query, press),
            // A view handles its keys among the layers.
            Overlay::View(_) => self.layers.push(layer),
        }
    }

    /// Takes over what the operator's editor made of the text. The composer may be gone by then.
    pub(crate) fn on_edited(&mut self, edited: Result<Arc<str>, String>) {
        let text = match edited {
            Ok(text) => text,
            Err(why) => return self.outbox.say(&why),
        };
        match self.layers.all.last_mut() {
            Some(Overlay::Compose(composer)) => {
                composer.field.replace(&text);
                self.writing.keep_draft(composer);
            }
            Some(_) | None => {
                self.writing.remember(&self.facts, &text);
                (self.outbox).say("the composer is closed; ↑ in a new one brings your text back");
            }
        }
    }

    /// Lets a key that the text field does not use scroll the view behind it, unless a layer hides that.
    fn press_behind(&mut self, press: KeyEvent) {
        let is_seen = self.layers.all.iter().all(Overlay::is_thin);
        let scrolls = is_seen && matches!(press.code, KeyCode::PageUp | KeyCode::PageDown);
        let action = self.facts.keymap.find(GLOBAL_KEYS, press);
        let is_program =
            has_ctrl(press) && matches!(action, Some(GlobalAction::Suspend | GlobalAction::Redraw));
        if scrolls || is_program {
            self.press_in_view(press);
        }
    }

    fn press_in_palette(&mut self, mut palette: Box<CommandPalette>, press: KeyEvent) {
        match palette.press(press, &self.completion_sources(), &self.writing.commands) {
            PaletteOutcome::Used => self.layers.push(Overlay::Palette(palette)),
            PaletteOutcome::Leave => {}
            PaletteOutcome::Press(press) => self.press_in_view(press),
            PaletteOutcome::Run(line) => {
                if let Err(why) = self.run_command(&line) {
                    palette.complain(&why);
                    return self.layers.push(Overlay::Palette(palette));
                }
                // The values of an answer are kept nowhere.
                if !line.starts_with("answer ") {
                    self.writing.commands.add(&line);
                }
            }
        }
    }

    pub(crate) fn run_command(&mut self, line: &str) -> Result<(), String> {
        let targets = self.targets();
        let mut context = CommandContext {
            facts: &self.facts,
            targets: &targets,
            table: &mut self.table,
            outbox: &mut self.outbox,
        };
        run_command(&mut context, line)
    }

    fn press_in_query(&mut self, mut query: Query, press: KeyEvent) {
        let (outcome, within) = (query.press(press), query.within);
        let text = query.field.text().to_string();
        let text = match outcome {
            QueryOutcome::Changed => {
                if within == QueryScope::Table {
                    self.table.change_filter(|filter| filter.set_text(&text));
                }
                return self.layers.push(Overlay::Query(query));
            }
            QueryOutcome::Unused => {
                let moves = matches!(
                    press.code,
                    KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown
                );
                if moves && matches!(within, QueryScope::Table | QueryScope::Conversation) {
                    self.press_in_view(press);
                }
                return self.layers.push(Overlay::Query(query));
            }
            QueryOutcome::Done => Some(text),
            QueryOutcome::Leave => None,
        };
        match (within, text) {
            (QueryScope::Table, Some(_)) | (QueryScope::Swarm, None) => {}
            (QueryScope::Table, None) => self.table.change_filter(|filter| filter.set_text("")),
            (QueryScope::Conversation, text) => self.find_text(&text.unwrap_or_default()),
            (QueryScope::Swarm, Some(text)) => self.search_swarm(&text),
            (QueryScope::Entry | QueryScope::Routine | QueryScope::Log, text) => {
                self.take_line(text.as_deref());
            }
        }
    }

    /// The answer of a key to a question. The key that asked about the program insists on it.
    fn answer_of(&self, question: &mut ConfirmDialog, press: KeyEvent) -> ConfirmAnswer {
        let answer = question.press(press);
        let insists = match self.facts.keymap.find(GLOBAL_KEYS, press) {
            Some(GlobalAction::Quit) => question.about == ActionToConfirm::Quit,
            Some(GlobalAction::Suspend) => question.about == ActionToConfirm::Suspend,
            Some(_) | None => false,
        };
        if answer == ConfirmAnswer::Nothing && insists {
            return ConfirmAnswer::Yes;
        }
        answer
    }

    /// Gives the topmost view what was written into the line over it.
    fn take_line(&mut self, text: Option<&str>) {
        self.with_views(|layers, context| layers.take_line(context, text));
        self.poll_views();
    }

    pub(crate) fn find_text(&mut self, text: &str) {
        match &mut self.focus {
            Some(focus) => focus.find_text(text, &self.facts.keymap, &mut self.outbox),
            None => self.outbox.say("open a conversation first"),
        }
    }
}
