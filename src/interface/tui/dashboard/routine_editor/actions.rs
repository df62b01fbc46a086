//! What opens, feeds and steers the editor of a routine.

use actors::domain::ids::MysisId;
use actors::domain::order::{CompletedOrder, MysisOrder, OrderRefusal};
use actors::domain::screen::OrderId;
use crossterm::event::{KeyCode, KeyEvent};
use serde_json::{Value, json};

use super::keys::{ROUTINE_KEYS, RoutineAction};
use super::{Awaited, EMPTY_ROUTINE, RoutineEditor, view};
use crate::dashboard::facts::Facts;
use crate::dashboard::input_event::{has_alt, has_ctrl};
use crate::dashboard::keys::KeyTable;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::orders::AnsweredOrder;
use crate::dashboard::outbox::{Outbox, Request};
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::overlay::question::{ActionToConfirm, ConfirmDialog};
use crate::dashboard::text::field::TextField;
use crate::dashboard::toolkit::view::{Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

const PAGE_LINES: usize = 10;

pub const SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("The text of a routine", ROUTINE_KEYS),
    moves: false,
};

impl RoutineEditor {
    /// An editor that reads the routine of this name; without a name the one that runs, else the newest.
    pub(crate) fn of(
        mysis: MysisId,
        name: Option<&str>,
        facts: &Facts,
        outbox: &mut Outbox,
    ) -> RoutineEditor {
        let mut editor = RoutineEditor::new(mysis);
        let asked = name.map_or(json!({}), |name| json!({"name": name}));
        let order = MysisOrder::EditRoutine(asked.to_string().into());
        let given = outbox.order_myses(facts, "read the routine", &[mysis], &order);
        let asked = given.first().map(|id| (*id, Awaited::Text));
        editor.awaited.extend(asked);
        editor
    }
}

impl View for RoutineEditor {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        // A letter is written, whatever was chosen for it.
        let is_letter =
            matches!(press.code, KeyCode::Char(_)) && !has_ctrl(press) && !has_alt(press);
        let action = context.facts.keymap.find(ROUTINE_KEYS, press);
        match action.filter(|_| !is_letter) {
            Some(RoutineAction::Save) => self.save(context),
            Some(RoutineAction::Start) => self.ask_who_starts(context),
            Some(RoutineAction::NextMistake) => self.go_to_next_mistake(),
            Some(RoutineAction::Back) => return self.leave(context),
            None if self.is_loading() => {}
            None => {
                if !self.write(press) {
                    return Pressed::Scrolls;
                }
            }
        }
        Pressed::Stays
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(facts, self, layout, painter);
    }

    fn take_answer(
        &mut self,
        context: &mut ViewContext<'_>,
        id: OrderId,
        outcome: &AnsweredOrder,
    ) -> bool {
        let place = self.awaited.iter().position(|(given, _)| *given == id);
        let Some(place) = place else {
            return false;
        };
        let (_, awaited) = self.awaited.remove(place);
        if awaited == Awaited::Text {
            // Nothing was ordered: the text was read, or the editor says why not.
            context.outbox.request(Request::Withdraw(outcome.receipt));
        }
        self.take_outcome(awaited, outcome);
        true
    }

    /// A lost answer is awaited no more, so that the text can be saved again.
    fn forget_reads(&mut self) {
        (self.awaited).retain(|(_, awaited)| *awaited == Awaited::Text);
    }

    /// Starts the text with the Myses of these words.
    fn take_line(&mut self, context: &mut ViewContext<'_>, text: Option<&str>) {
        if let Some(words) = text {
            self.start(context, words);
        }
    }

    fn paste(&mut self, text: &str) {
        if !self.is_loading() {
            self.field.insert(text);
            self.judge();
        }
    }
}

impl RoutineEditor {
    fn leave(&self, context: &mut ViewContext<'_>) -> Pressed {
        if !self.is_changed() {
            return Pressed::Closes;
        }
        let name = context.facts.name_of(self.mysis);
        let lines = vec![
            format!("Discard the changes to the routine of {name}?"),
            "What you wrote is lost.".to_string(),
        ];
        let dialog = ConfirmDialog::new(ActionToConfirm::LeaveRoutine, lines);
        context.outbox.request(Request::Confirm(dialog));
        Pressed::Stays
    }

    fn save(&mut self, context: &mut ViewContext<'_>) {
        if self.is_saving() {
            // What differs from the stored routine is known once that has answered.
            self.notice = Some("the text sent before is not stored yet".to_string());
            return;
        }
        let changes = match self.changes() {
            Ok(changes) => changes,
            Err(why) => return self.notice = Some(why),
        };
        let order = MysisOrder::EditRoutine(Value::Object(changes).to_string().into());
        let what = "edit the routine";
        let given = (context.outbox).order_myses(context.facts, what, &[self.mysis], &order);
        let sent = self.field.text().to_string();
        let sent = given.first().map(|id| (*id, Awaited::Saved(sent)));
        self.awaited.extend(sent);
        self.notice = None;
    }

    fn ask_who_starts(&mut self, context: &mut ViewContext<'_>) {
        if self.is_loading() {
            return;
        }
        if self.written().is_none() {
            self.notice = Some("first correct the mistakes".to_string());
            return;
        }
        let name = context.facts.name_of(self.mysis).to_string();
        (context.outbox).request(Request::WriteLine(QueryScope::Routine, name));
    }

    /// Starts the text with the Myses of these words. As long as it is the one that its Mysis has, that
    /// one starts it by its name, and so may go on where it stopped.
    fn start(&mut self, context: &mut ViewContext<'_>, words: &str) {
        match (
            context.targets.parse(context.facts, words.trim()),
            self.written(),
        ) {
            (Ok(ids), Some(written)) => {
                let is_own = |id: &MysisId| *id == self.mysis && !self.is_changed();
                let by_name = json!({"name": self.name()}).to_string();
                let whole = Value::Object(written).to_string();
                let (own, others): (Vec<MysisId>, Vec<MysisId>) =
                    ids.iter().partition(|id| is_own(id));
                let mut given = Vec::new();
                for (ids, text) in [(own, by_name), (others, whole)] {
                    let order = MysisOrder::StartRoutine(text.into());
                    let what = "start the routine";
                    given.extend(
                        context
                            .outbox
                            .order_myses(context.facts, what, &ids, &order),
                    );
                }
                let started = given.last().map(|id| (*id, Awaited::Started));
                self.awaited.extend(started);
                self.notice = None;
            }
            (Err(why), _) => self.notice = Some(why),
            (Ok(_), None) => {}
        }
    }

    fn take_outcome(&mut self, awaited: Awaited, outcome: &AnsweredOrder) {
        match (&outcome.answer, awaited) {
            (Ok(CompletedOrder::Routine(routine)), Awaited::Saved(sent)) => {
                self.take_routine(routine, Some(sent));
                let words = match self.is_changed() {
                    true => "saved, but not what you wrote since",
                    false => "saved",
                };
                self.notice = Some(words.to_string());
            }
            (Ok(CompletedOrder::Routine(routine)), Awaited::Text | Awaited::Started) => {
                self.take_routine(routine, None);
                self.notice = None;
            }
            (Ok(_), Awaited::Started) => {
                self.notice = Some(format!("started with {}", outcome.name))
            }
            (Ok(_), _) => {
                let words = "the process that runs it has not answered yet";
                self.notice = Some(words.to_string());
            }
            (Err(OrderRefusal::BadEdit(mistakes)), Awaited::Text) => {
                self.show(EMPTY_ROUTINE.to_string());
                self.notice = Some(mistakes.join("; "));
            }
            (Err(OrderRefusal::BadEdit(mistakes)), _) => self.take_refusal(mistakes),
            (Err(OrderRefusal::BadRoutine(mistakes)), _) => {
                self.take_refusal(mistakes);
                self.notice = Some(format!("not started with {}", outcome.name));
            }
            (Err(refusal), _) => self.notice = Some(refusal.to_string()),
        }
    }

    /// Writes into the text or moves in it. Returns whether the key was of use.
    fn write(&mut self, press: KeyEvent) -> bool {
        let before = self.field.text().to_string();
        match (press.code, has_ctrl(press)) {
            (KeyCode::Enter, _) => {
                let line = self.field.before().rsplit('\n').next().unwrap_or_default();
                let indent = line.len() - line.trim_start_matches(' ').len();
                let new = format!("\n{}", " ".repeat(indent));
                self.field.insert(&new);
            }
            (KeyCode::Tab, _) => self.field.insert("  "),
            (KeyCode::Up, _) => self.step(1, TextField::up),
            (KeyCode::Down, _) => self.step(1, TextField::down),
            (KeyCode::PageUp, _) => self.step(PAGE_LINES, TextField::up),
            (KeyCode::PageDown, _) => self.step(PAGE_LINES, TextField::down),
            _ if self.field.press(press) => {}
            _ => return false,
        }
        if self.field.text() != before {
            self.judge();
        }
        true
    }

    fn step(&mut self, lines: usize, step: fn(&mut TextField) -> bool) {
        for _ in 0..lines {
            step(&mut self.field);
        }
    }
}

#[cfg(test)]
mod tests;
