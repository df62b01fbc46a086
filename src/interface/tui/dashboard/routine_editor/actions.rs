//! What opens, feeds and steers the editor of a routine.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::order::{CompletedOrder, MysisOrder, OrderRefusal};
use actors::domain::screen::OrderId;
use crossterm::event::{KeyCode, KeyEvent};
use serde_json::{Value, json};

use super::keys::{ROUTINE_KEYS, RoutineAction};
use super::{Awaited, EMPTY_ROUTINE, RoutineEditor};
use crate::dashboard::Dashboard;
use crate::dashboard::input_event::{has_alt, has_ctrl};
use crate::dashboard::orders::AnsweredOrder;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::query::{Query, QueryScope};
use crate::dashboard::overlay::question::{ActionToConfirm, ConfirmDialog};

/// The lines of a page.
const PAGE_LINES: usize = 10;

impl Dashboard {
    /// Changes the routines of these Myses as written. What is no JSON is the name of a routine to show, and nothing stands for
    /// the one that runs.
    pub(in crate::dashboard) fn edit_routines(
        &mut self,
        ids: &[MysisId],
        written: &str,
    ) -> Result<(), String> {
        if written.starts_with('{') {
            let order = MysisOrder::EditRoutine(written.into());
            self.order_myses("edit the routine", ids, &order);
            return Ok(());
        }
        let [id] = ids else {
            return Err("the routine of one Mysis at a time".to_string());
        };
        let name = Some(written).filter(|name| !name.is_empty());
        self.edit_routine(*id, name);
        Ok(())
    }

    /// Opens the editor with the routine of this name; without a name with the one that runs, else the newest.
    pub(in crate::dashboard) fn edit_routine(&mut self, mysis: MysisId, name: Option<&str>) {
        let mut editor = RoutineEditor::new(mysis);
        let asked = name.map_or(json!({}), |name| json!({"name": name}));
        let order = MysisOrder::EditRoutine(asked.to_string().into());
        let given = self.order_myses("read the routine", &[mysis], &order);
        editor.awaited = given.first().map(|id| (*id, Awaited::Text));
        self.overlays.push(Overlay::Routine(Box::new(editor)));
    }

    pub(in crate::dashboard) fn press_in_routine(
        &mut self,
        mut editor: Box<RoutineEditor>,
        press: KeyEvent,
    ) {
        // A letter is written, whatever was chosen for it.
        let is_letter =
            matches!(press.code, KeyCode::Char(_)) && !has_ctrl(press) && !has_alt(press);
        let action = self.keymap.find(ROUTINE_KEYS, press).filter(|_| !is_letter);
        match action {
            Some(RoutineAction::Save) => self.save_routine(&mut editor),
            Some(RoutineAction::Start) => return self.ask_who_starts(editor),
            Some(RoutineAction::NextMistake) => editor.go_to_next_mistake(),
            Some(RoutineAction::Back) => return self.leave_routine(editor),
            None if editor.is_loading() => {}
            None => {
                if !editor.write(press) {
                    self.press_behind(press);
                }
            }
        }
        self.overlays.push(Overlay::Routine(editor));
    }

    fn leave_routine(&mut self, editor: Box<RoutineEditor>) {
        if !editor.is_changed() {
            return;
        }
        let name = self.name_of(editor.mysis);
        self.overlays.push(Overlay::Routine(editor));
        self.overlays.push(Overlay::Confirm(ConfirmDialog::new(
            ActionToConfirm::LeaveRoutine,
            vec![
                format!("Leave the routine of {name} unsaved?"),
                "What you wrote is lost.".to_string(),
            ],
        )));
    }

    /// Leaves the editor without saving.
    pub(in crate::dashboard) fn drop_routine(&mut self) {
        let is_it = |layer: &Overlay| matches!(layer, Overlay::Routine(_));
        if let Some(place) = self.overlays.iter().rposition(is_it) {
            self.overlays.truncate(place);
        }
    }

    fn save_routine(&mut self, editor: &mut RoutineEditor) {
        let changes = match editor.changes() {
            Ok(changes) => changes,
            Err(why) => return editor.notice = Some(why),
        };
        let order = MysisOrder::EditRoutine(Value::Object(changes).to_string().into());
        let given = self.order_myses("edit the routine", &[editor.mysis], &order);
        editor.awaited = given.first().map(|id| (*id, Awaited::Saved));
        editor.notice = None;
    }

    fn ask_who_starts(&mut self, mut editor: Box<RoutineEditor>) {
        if editor.is_loading() {
            return self.overlays.push(Overlay::Routine(editor));
        }
        if editor.written().is_none() {
            editor.notice = Some("first mend what is wrong".to_string());
            return self.overlays.push(Overlay::Routine(editor));
        }
        let name = self.name_of(editor.mysis);
        self.overlays.push(Overlay::Routine(editor));
        let query = Query::new(QueryScope::Routine, &name);
        self.overlays.push(Overlay::Query(query));
    }

    /// Starts the text of the open editor with the Myses of these words. As long as it is the one that its Mysis has, that
    /// one starts it by its name, and so may go on where it stopped.
    pub(in crate::dashboard) fn start_written_routine(&mut self, words: &str) {
        let ids = self.parse_myses(words.trim());
        let Some(Overlay::Routine(mut editor)) = self.overlays.pop() else {
            return;
        };
        match (ids, editor.written()) {
            (Ok(ids), Some(written)) => {
                let is_own = |id: &MysisId| *id == editor.mysis && !editor.is_changed();
                let by_name = json!({"name": editor.name()}).to_string();
                let whole = Value::Object(written).to_string();
                let (own, others): (Vec<MysisId>, Vec<MysisId>) =
                    ids.iter().partition(|id| is_own(id));
                let mut given = Vec::new();
                for (ids, text) in [(own, by_name), (others, whole)] {
                    let order = MysisOrder::StartRoutine(text.into());
                    given.extend(self.order_myses("start the routine", &ids, &order));
                }
                editor.awaited = given.last().map(|id| (*id, Awaited::Started));
                editor.notice = None;
            }
            (Err(why), _) => editor.notice = Some(why),
            (Ok(_), None) => {}
        }
        self.overlays.push(Overlay::Routine(editor));
    }

    /// Takes the answer to an order that an editor gave. Returns whether it was one.
    pub(in crate::dashboard) fn answered_routine(
        &mut self,
        id: OrderId,
        outcome: &AnsweredOrder,
    ) -> bool {
        let editor = self.overlays.iter_mut().find_map(|layer| {
            let Overlay::Routine(editor) = layer else {
                return None;
            };
            let awaited = editor.awaited.take_if(|(awaited, _)| *awaited == id);
            awaited.map(|(_, what)| (editor, what))
        });
        let Some((editor, awaited)) = editor else {
            return false;
        };
        if awaited == Awaited::Text {
            // Nothing was ordered: the text was read, or the editor says why not.
            Arc::make_mut(&mut self.orders).withdraw(outcome.receipt);
        }
        match (&outcome.answer, awaited) {
            (Ok(CompletedOrder::Routine(routine)), _) => {
                let is_saved = awaited == Awaited::Saved;
                editor.take_routine(routine, is_saved);
                editor.notice = is_saved.then(|| "saved".to_string());
            }
            (Ok(_), Awaited::Started) => {
                editor.notice = Some(format!("started with {}", outcome.name))
            }
            (Ok(_), _) => {
                let told = "the process that runs it has not answered; it will once it can";
                editor.notice = Some(told.to_string());
            }
            (Err(OrderRefusal::BadEdit(told)), Awaited::Text) => {
                editor.show(EMPTY_ROUTINE.to_string());
                editor.notice = Some(told.join("; "));
            }
            (Err(OrderRefusal::BadEdit(told)), _) => editor.take_refusal(told),
            (Err(OrderRefusal::BadRoutine(told)), _) => {
                editor.take_refusal(told);
                editor.notice = Some(format!("not started with {}", outcome.name));
            }
            (Err(refusal), _) => editor.notice = Some(refusal.to_string()),
        }
        true
    }
}

impl RoutineEditor {
    /// Writes into the text or moves in it. Returns whether the key was of use.
    fn write(&mut self, press: KeyEvent) -> bool {
        match (press.code, has_ctrl(press)) {
            (KeyCode::Enter, _) => {
                let before = self.field.before();
                let line = before.rsplit('\n').next().unwrap_or_default();
                let indent = line.len() - line.trim_start_matches(' ').len();
                let new = format!("\n{}", " ".repeat(indent));
                self.field.insert(&new);
            }
            (KeyCode::Tab, _) => self.field.insert("  "),
            (KeyCode::Up, _) => self.go_up(1),
            (KeyCode::Down, _) => self.go_down(1),
            (KeyCode::PageUp, _) => self.go_up(PAGE_LINES),
            (KeyCode::PageDown, _) => self.go_down(PAGE_LINES),
            _ if self.field.press(press) => {}
            _ => return false,
        }
        if self.has_new_text() {
            self.judge();
        }
        true
    }

    fn go_up(&mut self, lines: usize) {
        for _ in 0..lines {
            self.field.up();
        }
    }

    fn go_down(&mut self, lines: usize) {
        for _ in 0..lines {
            self.field.down();
        }
    }

    /// Inserts a pasted text.
    pub(in crate::dashboard) fn paste(&mut self, text: &str) {
        if !self.is_loading() {
            self.field.insert(text);
            self.judge();
        }
    }
}

#[cfg(test)]
mod tests;
