//! Handles keys, pasted text and the mouse.

mod pointing;

pub(super) use pointing::{WHEEL_LINES, wheel_direction};

use actors::domain::ids::MysisId;
use actors::domain::order::MysisOrder;
use actors::domain::screen::UiEffect;
use actors::domain::selector::{Candidate, SelectorWord};

use super::Dashboard;
use super::action::TerminalAction;
use super::appearance::MouseUse;
use super::conversation::keys::FOCUS_KEYS;
use super::first_minute::keys::FIRST_KEYS;
use super::help::HelpView;
use super::input_event::{Input, has_ctrl};
use super::keys::{GLOBAL_KEYS, GlobalAction, MOVEMENT_KEYS, TARGET_KEYS, TargetAction};
use super::layout::bounded_size;
use super::overlay::Overlay;
use super::overlay::composer::ComposeTarget;
use super::overlay::form::MysisForm;
use super::overlay::palette::{CommandPalette, CompletionSources};
use super::overlay::query::QueryScope;
use super::table::keys::TABLE_KEYS;
use super::text::tone::Tone;
use super::toolkit::view::Opening;
use super::views::OPENING_KEYS;
use crossterm::event::{Event, KeyEvent};

impl Dashboard {
    /// Whether effects or terminal actions wait to be taken.
    #[must_use]
    pub fn has_effects(&self) -> bool {
        !(self.effects.is_empty() && self.actions.is_empty())
    }

    /// Takes the effects that others have to carry out.
    pub fn take_effects(&mut self) -> Vec<UiEffect> {
        std::mem::take(&mut self.effects)
    }

    /// Takes the actions that the terminal has to perform.
    pub fn take_actions(&mut self) -> Vec<TerminalAction> {
        std::mem::take(&mut self.actions)
    }

    pub fn on_input(&mut self, input: Input) {
        self.update_table();
        let is_key = matches!(
            input,
            Input::Event(Event::Key(_) | Event::Mouse(_) | Event::Paste(_))
        );
        if is_key {
            self.ask_about_absence(self.looked.active());
            self.looked.be_active(self.now);
            self.stillness.note_key(self.moment);
        }
        match input {
            Input::Event(event) => self.on_terminal_event(event),
            Input::Resumed => self.actions.push(TerminalAction::Redraw),
            Input::Performed(result) => self.on_performed(result),
            Input::Edited(edited) => self.on_edited(edited),
            Input::Gone => self.close(),
        }
        let choices = self.take_new_choices();
        self.actions
            .extend(choices.map(TerminalAction::KeepChoices));
    }

    fn on_terminal_event(&mut self, event: Event) {
        match event {
            Event::Key(press) if self.is_too_small() => self.press_in_small(press),
            Event::Key(press) => self.on_press(press),
            // Nobody sees where it would go.
            Event::Paste(_) | Event::Mouse(_) if self.is_too_small() => {}
            Event::Paste(text) => self.paste(&text),
            Event::Mouse(mouse) => self.on_mouse(mouse),
            Event::Resize(columns, rows) => self.size = bounded_size((columns, rows)),
            Event::FocusGained => self.is_watched = true,
            Event::FocusLost => self.is_watched = false,
        }
    }

    fn on_press(&mut self, press: KeyEvent) {
        self.first_minute.note_key();
        if let Some(layer) = self.overlays.pop() {
            return self.press_in_layer(layer, press);
        }
        self.press_in_view(press);
    }

    /// Handles a key in a terminal that is too small for the views: only keys for the program as a whole act, and
    /// answers to the question about it, which is shown. Over anything else that is open, which may be a
    /// text field, only those with Ctrl act.
    fn press_in_small(&mut self, press: KeyEvent) {
        if self.asks_about_program() {
            return self.on_press(press);
        }
        let is_meant = self.overlays.is_empty() || has_ctrl(press);
        match self.keymap.find(GLOBAL_KEYS, press).filter(|_| is_meant) {
            Some(action @ (GlobalAction::Quit | GlobalAction::Suspend | GlobalAction::Redraw)) => {
                self.run_global(action)
            }
            Some(
                GlobalAction::Broadcast
                | GlobalAction::Palette
                | GlobalAction::Freeze
                | GlobalAction::Resume
                | GlobalAction::TakeLoops
                | GlobalAction::Undo
                | GlobalAction::Dump
                | GlobalAction::Mouse
                | GlobalAction::Help,
            )
            | None => {}
        }
    }

    /// Whether the program asks if it shall quit or be suspended.
    #[must_use]
    pub fn asks_about_program(&self) -> bool {
        let Some(Overlay::Confirm(question)) = self.overlays.last() else {
            return false;
        };
        question.about.is_about_program()
    }

    pub(super) fn press_in_view(&mut self, press: KeyEvent) {
        if self.offers_first_steps()
            && let Some(action) = self.keymap.find(FIRST_KEYS, press)
        {
            return self.run_first_step(action);
        }
        if let Some(gesture) = self.keymap.find(GLOBAL_KEYS, press) {
            return self.run_global(gesture);
        }
        if let Some(Opening(open)) = self.keymap.find(&OPENING_KEYS, press) {
            return open(self);
        }
        if let Some(gesture) = self.keymap.find(TARGET_KEYS, press) {
            return self.run_on_targets(gesture);
        }
        let movement = self.keymap.find(MOVEMENT_KEYS, press);
        if self.focus.is_some() {
            movement.inspect(|movement| self.go_in_focus(*movement));
            if let Some(gesture) = self.keymap.find(FOCUS_KEYS, press) {
                self.run_in_focus(gesture);
            }
        } else {
            movement.inspect(|movement| self.table.go(*movement));
            if let Some(gesture) = self.keymap.find(TABLE_KEYS, press) {
                self.run_in_table(gesture);
            }
        }
    }

    /// Handles the keys that concern the screen only, while an overlay without a text field has the
    /// keys.
    pub(super) fn press_over_layer(&mut self, press: KeyEvent) {
        if let Some(Opening(open)) = self.keymap.find(&OPENING_KEYS, press) {
            return open(self);
        }
        let Some(gesture) = self.keymap.find(GLOBAL_KEYS, press) else {
            return;
        };
        match gesture {
            GlobalAction::Freeze
            | GlobalAction::Dump
            | GlobalAction::Mouse
            | GlobalAction::Help
            | GlobalAction::Quit
            | GlobalAction::Suspend
            | GlobalAction::Redraw => self.run_global(gesture),
            GlobalAction::Broadcast
            | GlobalAction::Palette
            | GlobalAction::Resume
            | GlobalAction::TakeLoops
            | GlobalAction::Undo => {}
        }
    }

    fn run_global(&mut self, gesture: GlobalAction) {
        match gesture {
            GlobalAction::Broadcast => self.compose(ComposeTarget::Swarm),
            GlobalAction::Palette => {
                let palette = CommandPalette::new(&self.completion_sources());
                self.overlays.push(Overlay::Palette(Box::new(palette)));
            }
            GlobalAction::Freeze => self.freeze_or_thaw(),
            GlobalAction::Resume => self.resume(),
            GlobalAction::TakeLoops => self.ask_to_take_loops(self.all_loops()),
            GlobalAction::Undo => self.undo_last(),
            GlobalAction::Dump => self.dump(),
            GlobalAction::Mouse => self.toggle_mouse(),
            GlobalAction::Help => self.open_view(|_| HelpView::default()),
            GlobalAction::Quit => self.quit(),
            GlobalAction::Suspend => self.suspend(),
            GlobalAction::Redraw => self.redraw(),
        }
    }

    fn run_on_targets(&mut self, gesture: TargetAction) {
        let ids = self.targets();
        if ids.is_empty() {
            return;
        }
        match gesture {
            TargetAction::Message => self.compose(ComposeTarget::Myses(ids)),
            TargetAction::Note => self.compose(ComposeTarget::Notes(ids)),
            TargetAction::Start => {
                self.order_myses("start", &ids, &MysisOrder::Start);
            }
            TargetAction::Stop => self.stop(ids),
            TargetAction::Delete => self.ask_to_delete(ids),
            TargetAction::Configure => self.configure(),
            TargetAction::Routine => self.take_loops_or_edit(&ids),
            TargetAction::Answer => self.answer_target(),
            TargetAction::Request => self.look_into_request(),
        }
    }

    /// Starts the Myses that ran when the program ended.
    pub(super) fn resume(&mut self) {
        let ids = SelectorWord::Interrupted.select(&self.candidates());
        if ids.is_empty() {
            return self.show_notice("no Mysis was interrupted, so there is nothing to resume");
        }
        self.order_myses("resume", &ids, &MysisOrder::Start);
    }

    /// Stops one Mysis at once, and asks before stopping several.
    pub(super) fn stop(&mut self, ids: Vec<MysisId>) {
        if ids.len() > 1 {
            return self.ask_to_stop(ids);
        }
        self.order_myses("stop", &ids, &MysisOrder::Stop);
    }

    fn configure(&mut self) {
        let Some(status) = self.target() else {
            return;
        };
        if let Some(rules) = &self.rules {
            let form = MysisForm::configure(rules, status);
            self.overlays.push(Overlay::Form(Box::new(form)));
        }
    }

    fn toggle_mouse(&mut self) {
        let (mouse, words) = match self.appearance.mouse {
            MouseUse::Ours => {
                let key = self.keymap.key_of(GLOBAL_KEYS, GlobalAction::Mouse);
                let words =
                    format!("the terminal has the mouse: select text with it; {key} takes it back");
                (MouseUse::Terminals, words)
            }
            MouseUse::Terminals => {
                let words = "the mouse selects and scrolls here".to_string();
                (MouseUse::Ours, words)
            }
        };
        self.appearance.mouse = mouse;
        self.show_notice(&words);
    }

    /// Writes the screen to files.
    pub(super) fn dump(&mut self) {
        self.actions.push(TerminalAction::Dump);
    }

    /// Draws the whole screen again.
    pub(super) fn redraw(&mut self) {
        self.actions.push(TerminalAction::Redraw);
    }

    pub(super) fn show_notice(&mut self, text: &str) {
        self.notify_operator(Tone::Hint, "said", text);
    }

    pub(super) fn dismiss(&mut self) -> bool {
        std::sync::Arc::make_mut(&mut self.log).dismiss()
    }

    fn paste(&mut self, text: &str) {
        let known = self.completion_sources();
        match self.overlays.last_mut() {
            Some(Overlay::Compose(composer)) => {
                composer.field.insert(text);
                self.drafts.keep(&composer.target, composer.field.text());
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

    /// The names that the palette completes from.
    pub(super) fn completion_sources(&self) -> CompletionSources {
        let names = self.roster.members().values();
        let mut myses: Vec<String> = names.map(|member| member.status.name.to_string()).collect();
        myses.sort_by(|a, b| zoea_text::natural::compare_natural(a, b));
        let providers = self.rules.iter().flat_map(|rules| rules.providers.keys());
        let keymap = &self.keymap;
        let mut gestures = if self.focus.is_some() {
            keymap.action_help(FOCUS_KEYS)
        } else {
            keymap.action_help(TABLE_KEYS)
        };
        gestures.extend(keymap.action_help(TARGET_KEYS));
        gestures.extend(keymap.action_help(GLOBAL_KEYS));
        gestures.extend(keymap.action_help(&OPENING_KEYS));
        CompletionSources {
            myses,
            providers: providers.map(ToString::to_string).collect(),
            roles: self
                .rules
                .as_ref()
                .map(|rules| rules.roles.words())
                .unwrap_or_default(),
            gestures,
        }
    }

    /// All Myses, as selectors see them.
    pub(super) fn candidates(&self) -> Vec<Candidate<'_, MysisId>> {
        let (marked, in_hand) = (self.table.marks(), self.targets());
        let mut candidates = Vec::new();
        for (id, member) in self.roster.members() {
            candidates.push(Candidate {
                is_marked: marked.contains(id),
                is_in_hand: in_hand.contains(id),
                ..Candidate::of(*id, &member.status)
            });
        }
        candidates
    }
}
