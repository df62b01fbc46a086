//! Handles keys in the table, in a conversation and in an empty swarm, when no layer is over them.

use actors::domain::screen::Successor;
use crossterm::event::KeyEvent;

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Panel;
use crate::dashboard::conversation::FocusOutcome;
use crate::dashboard::conversation::keys::{FOCUS_KEYS, FocusAction};
use crate::dashboard::first_minute::{FIRST_KEYS, FirstStep, obstacle};
use crate::dashboard::inspector::Inspector;
use crate::dashboard::keys::{GLOBAL_KEYS, MOVEMENT_KEYS, Movement, TARGET_KEYS};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::form::MysisForm;
use crate::dashboard::table::TableOutcome;
use crate::dashboard::table::keys::{TABLE_KEYS, TableAction};
use crate::dashboard::views::OPENING_KEYS;

impl Dashboard {
    pub(crate) fn press_in_view(&mut self, press: KeyEvent) {
        let keymap = &self.facts.keymap;
        if self.offers_first_steps()
            && let Some(step) = keymap.find(FIRST_KEYS, press)
        {
            return self.run_first_step(step);
        }
        if let Some(gesture) = keymap.find(GLOBAL_KEYS, press) {
            return self.run_global(gesture);
        }
        if let Some(opening) = keymap.find(&OPENING_KEYS, press) {
            return self.open_view(opening);
        }
        if let Some(gesture) = keymap.find(TARGET_KEYS, press) {
            return self.run_on_targets(gesture);
        }
        let movement = keymap.find(MOVEMENT_KEYS, press);
        if self.focus.is_some() {
            let gesture = keymap.find(FOCUS_KEYS, press);
            self.press_in_focus(movement, gesture);
        } else {
            let gesture = keymap.find(TABLE_KEYS, press);
            movement.inspect(|movement| self.table.go(*movement));
            if let Some(gesture) = gesture {
                self.run_in_table(gesture);
            }
        }
    }

    fn press_in_focus(&mut self, movement: Option<Movement>, gesture: Option<FocusAction>) {
        let layout = self.layout();
        let Some(focus) = &mut self.focus else {
            return;
        };
        if let Some(movement) = movement {
            focus.go(movement, layout.body.height);
        }
        let Some(gesture) = gesture else {
            return;
        };
        match focus.run(gesture, &self.facts.keymap, &mut self.outbox) {
            FocusOutcome::Used => {}
            FocusOutcome::Inspect(row) => {
                let inspector = Inspector::of(row, self.facts.appearance.offset);
                self.layers.push_view(inspector);
            }
            FocusOutcome::StepInTimeline(_) if layout.timeline.height == 0 => {
                self.outbox.say("the timeline needs a taller terminal");
            }
            FocusOutcome::StepInTimeline(is_later) => {
                focus.step_in_timeline(is_later, &mut self.outbox);
            }
            FocusOutcome::TurnPanel => {
                self.facts.appearance.panel = match layout.panel.width {
                    0 => Panel::Shown,
                    1.. => Panel::Hidden,
                };
            }
            FocusOutcome::OpenBeside(by) => {
                if let Some(id) = self.table.beside(focus.mysis(), by) {
                    self.open(id);
                }
            }
            FocusOutcome::Back => self.back_in_focus(),
        }
    }

    fn back_in_focus(&mut self) {
        let mut focus = self.focus.as_mut();
        if focus.as_mut().is_some_and(|focus| focus.stop_seeking()) || self.return_to_list() {
            return;
        }
        let mut focus = self.focus.as_mut();
        if focus.as_mut().is_some_and(|focus| focus.unselect()) || self.dismiss() {
            return;
        }
        self.focus = None;
    }

    fn run_in_table(&mut self, gesture: TableAction) {
        match (self.table).run(gesture, &self.facts, &mut self.outbox) {
            TableOutcome::Used => {}
            TableOutcome::OpenSelected => self.open_selected(),
            TableOutcome::Create => {
                if let Some(rules) = &self.facts.rules {
                    let form = MysisForm::create(rules);
                    self.layers.push(Overlay::Form(Box::new(form)));
                }
            }
            // The amount has to be typed.
            TableOutcome::RaiseBudget => self.open_palette("budget "),
            TableOutcome::Show(mysis) => self.show_in_table(mysis),
            TableOutcome::Back if self.dismiss() || self.banner.hide(&self.facts) => {}
            TableOutcome::Back if !self.table.marks().is_empty() => self.table.mark_only([]),
            TableOutcome::Back => self.table.clear_filter(),
        }
    }

    /// Ends the program in good order, and lets another one take its place in this terminal.
    fn run_first_step(&mut self, step: FirstStep) {
        if let Some(why) = obstacle(&self.facts, step) {
            return self.outbox.say(why);
        }
        self.leave_for(match step {
            FirstStep::PlayOffline => Successor::OfflinePlay,
            FirstStep::SetUp => Successor::Setup,
        });
    }
}
