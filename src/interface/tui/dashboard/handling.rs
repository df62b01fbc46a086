//! Handles keys, pasted text and the mouse.

mod in_view;
mod pointing;

pub(super) use pointing::{WHEEL_LINES, wheel_direction};

use std::sync::Arc;

use actors::domain::order::MAX_ORDER_BYTES;
use actors::domain::screen::UiEffect;
use crossterm::event::{Event, KeyEvent};

use super::Dashboard;
use super::action::TerminalAction;
use super::appearance::MouseUse;
use super::choosing::choices_of;
use super::input_event::{Input, has_ctrl};
use super::keys::{GLOBAL_KEYS, GlobalAction, TargetAction};
use super::layout::bounded_size;
use super::loops::all_loops;
use super::orders::asked::answer_to_complete;
use super::orders::ordering;
use super::outbox::Request;
use super::overlay::Overlay;
use super::overlay::composer::ComposeTarget;
use super::overlay::form::MysisForm;
use super::overlay::palette::{CommandPalette, CompletionSources};
use super::overlay::query::QueryScope;
use super::views::OPENING_KEYS;

impl Dashboard {
    /// Whether effects or terminal actions wait to be taken.
    pub fn has_effects(&self) -> bool {
        !(self.outbox.effects.is_empty() && self.outbox.actions.is_empty())
    }

    pub fn take_effects(&mut self) -> Vec<UiEffect> {
        std::mem::take(&mut self.outbox.effects)
    }

    pub fn take_actions(&mut self) -> Vec<TerminalAction> {
        std::mem::take(&mut self.outbox.actions)
    }

    pub fn on_input(&mut self, input: Input) {
        self.update_table();
        let is_key = matches!(
            input,
            Input::Event(Event::Key(_) | Event::Mouse(_) | Event::Paste(_))
        );
        if is_key {
            let active = self.facts.looked.active();
            (self.banner.away).ask(&self.facts, active, &mut self.outbox);
            self.facts.looked.be_active(self.facts.now);
            self.stillness.note_key(self.facts.moment);
        }
        match input {
            Input::Event(event) => self.on_terminal_event(event),
            Input::Resumed => self.outbox.actions.push(TerminalAction::Redraw),
            Input::Performed(result) => self.on_performed(result),
            Input::Edited(edited) => self.on_edited(edited),
            Input::Gone => self.close(),
        }
        self.carry_out_requests();
        self.keep_choices();
    }

    /// Has the terminal keep what the operator chose about the views. A filter that is still being written is not
    /// kept.
    fn keep_choices(&mut self) {
        let is_written = |layer: &Overlay| matches!(layer, Overlay::Query(query) if query.within == QueryScope::Table);
        if !self.layers.all.iter().any(is_written) {
            (self.outbox).keep_choices(choices_of(&self.table, &self.facts));
        }
    }

    fn on_terminal_event(&mut self, event: Event) {
        match event {
            Event::Key(press) if self.facts.is_too_small() => self.press_in_small(press),
            Event::Key(press) => self.on_press(press),
            // Nobody sees where it would go.
            Event::Paste(_) | Event::Mouse(_) if self.facts.is_too_small() => {}
            Event::Paste(text) => self.paste(&text),
            Event::Mouse(mouse) => self.on_mouse(mouse),
            Event::Resize(columns, rows) => self.facts.size = bounded_size((columns, rows)),
            Event::FocusGained => self.facts.is_watched = true,
            Event::FocusLost => self.facts.is_watched = false,
        }
    }

    fn on_press(&mut self, press: KeyEvent) {
        self.first_minute.has_key = true;
        self.press_in_top_layer(press);
    }

    /// Handles a key in a terminal that is too small for the views: only keys for the program as a whole act, and
    /// answers to the question about it, which is shown. Over anything else that is open, which may be a
    /// text field, only those with Ctrl act.
    fn press_in_small(&mut self, press: KeyEvent) {
        if self.asks_about_program() {
            return self.on_press(press);
        }
        let is_meant = self.layers.all.is_empty() || has_ctrl(press);
        let action = self.facts.keymap.find(GLOBAL_KEYS, press);
        let action = action.filter(|_| is_meant);
        if let Some(action @ (GlobalAction::Quit | GlobalAction::Suspend | GlobalAction::Redraw)) =
            action
        {
            self.run_global(action);
        }
    }

    /// Whether the program asks if it shall quit or be suspended.
    pub fn asks_about_program(&self) -> bool {
        let Some(Overlay::Confirm(question)) = self.layers.all.last() else {
            return false;
        };
        question.about.is_about_program()
    }

    /// Handles the keys that concern the screen only, while an overlay without a text field has the
    /// keys.
    pub(super) fn press_over_layer(&mut self, press: KeyEvent) {
        if let Some(opening) = self.facts.keymap.find(&OPENING_KEYS, press) {
            return self.open_view(opening);
        }
        let action = self.facts.keymap.find(GLOBAL_KEYS, press);
        if let Some(
            action @ (GlobalAction::Freeze
            | GlobalAction::Dump
            | GlobalAction::Mouse
            | GlobalAction::Help
            | GlobalAction::Quit
            | GlobalAction::Suspend
            | GlobalAction::Redraw),
        ) = action
        {
            self.run_global(action);
        }
    }

    fn run_global(&mut self, gesture: GlobalAction) {
        let targets = self.targets();
        let (facts, outbox) = (&self.facts, &mut self.outbox);
        match gesture {
            GlobalAction::Broadcast => outbox.request(Request::Compose(ComposeTarget::Swarm)),
            GlobalAction::Palette => self.open_palette(""),
            GlobalAction::Freeze => ordering::freeze_or_thaw(facts, outbox),
            GlobalAction::Resume => ordering::resume(facts, &targets, outbox),
            GlobalAction::TakeLoops => {
                ordering::ask_to_take_loops(facts, outbox, all_loops(facts));
            }
            GlobalAction::Undo => outbox.request(Request::Undo),
            GlobalAction::Dump => outbox.actions.push(TerminalAction::Dump),
            GlobalAction::Mouse => self.toggle_mouse(),
            GlobalAction::Help => outbox.request(Request::ShowHelp),
            GlobalAction::Quit => ordering::quit(facts, outbox),
            GlobalAction::Suspend => ordering::suspend(facts, outbox),
            GlobalAction::Redraw => outbox.actions.push(TerminalAction::Redraw),
        }
    }

    fn run_on_targets(&mut self, gesture: TargetAction) {
        let targets = self.targets();
        let (ids, hidden) = (targets.in_hand.clone(), targets.hidden);
        if ids.is_empty() {
            return;
        }
        let target = self.target().cloned();
        let (facts, outbox) = (&self.facts, &mut self.outbox);
        match gesture {
            TargetAction::Message => outbox.request(Request::Compose(ComposeTarget::Myses(ids))),
            TargetAction::Note => outbox.request(Request::Compose(ComposeTarget::Notes(ids))),
            TargetAction::Start => ordering::start(facts, outbox, ids, hidden),
            TargetAction::Stop => ordering::stop(facts, outbox, ids, hidden),
            TargetAction::Delete => ordering::ask_to_delete(facts, outbox, ids),
            TargetAction::Configure => {
                if let (Some(status), Some(rules)) = (target, &facts.rules) {
                    let form = MysisForm::configure(rules, &status);
                    self.layers.push(Overlay::Form(Box::new(form)));
                }
            }
            TargetAction::Routine => ordering::take_loops_or_edit(facts, outbox, &targets),
            TargetAction::Answer => {
                // It opens the palette, with the answer to be completed.
                let line = target.map(|status| answer_to_complete(facts, status.id));
                match line {
                    Some(Ok(line)) => self.open_palette(&line),
                    Some(Err(why)) => outbox.say(&why),
                    None => {}
                }
            }
            TargetAction::Request => {
                if let Some(status) = target {
                    self.layers.ask_for_request(&status, outbox);
                }
            }
        }
    }

    fn open_palette(&mut self, line: &str) {
        let known = self.completion_sources();
        let mut palette = CommandPalette::new(&known);
        palette.paste(line, &known);
        self.layers.push(Overlay::Palette(Box::new(palette)));
    }

    fn toggle_mouse(&mut self) {
        let mouse = &mut self.facts.appearance.mouse;
        let words = match *mouse {
            MouseUse::Ours => {
                *mouse = MouseUse::Terminals;
                let key = self.facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Mouse);
                format!("the terminal has the mouse: select text with it; {key} takes it back")
            }
            MouseUse::Terminals => {
                *mouse = MouseUse::Ours;
                "the mouse selects and scrolls here".to_string()
            }
        };
        self.outbox.say(&words);
    }

    pub(super) fn dismiss(&mut self) -> bool {
        Arc::make_mut(&mut self.facts.log).dismiss()
    }

    fn paste(&mut self, text: &str) {
        // A text that no order may have would slow down each key until it is thrown away.
        if text.len() > MAX_ORDER_BYTES {
            let most = MAX_ORDER_BYTES >> 10;
            let words =
                format!("nothing was pasted: a text may have {most} KiB, and this one is longer");
            return self.outbox.say(&words);
        }
        let known = self.completion_sources();
        match self.layers.all.last_mut() {
            Some(Overlay::Compose(composer)) => {
                composer.field.insert(text);
                self.writing.keep_draft(composer);
            }
            Some(Overlay::Form(form)) => form.paste(text),
            Some(Overlay::Palette(palette)) => palette.paste(text, &known),
            Some(Overlay::View(view)) => view.paste(text),
            Some(Overlay::Query(query)) => {
                query.field.insert(&text.replace('\n', " "));
                let text = query.field.text().to_string();
                if query.within == QueryScope::Table {
                    self.table.change_filter(|filter| filter.set_text(&text));
                }
            }
            Some(Overlay::Confirm(_)) | None => {}
        }
    }

    pub(super) fn completion_sources(&self) -> CompletionSources {
        CompletionSources::of(&self.facts, self.focus.is_some())
    }
}
