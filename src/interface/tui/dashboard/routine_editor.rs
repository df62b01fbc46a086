//! The editor of a routine: its whole text, with every mistake at its place before anything is stored.

mod actions;
mod keys;
mod laid_out;
mod mistakes;
mod view;

pub use actions::SPEC;

use actors::domain::ids::MysisId;
use actors::domain::screen::OrderId;
use serde_json::{Map, Value};

use super::text::field::TextField;
use laid_out::laid_out;
use mistakes::{Mistake, place_of, read_text};

/// What a Mysis without a routine is shown.
const EMPTY_ROUTINE: &str = "\
{
  \"name\": \"\",
  \"rounds\": 20,
  \"steps\": [
    {\"tool\": \"\"}
  ]
}";

#[derive(Clone, Debug, Default)]
pub struct RoutineEditor {
    pub mysis: MysisId,
    field: TextField,
    /// The text as it was read or saved last.
    saved: String,
    /// The routine as the Mysis has it; `None` until it is read, and if it knows none.
    known: Option<Map<String, Value>>,
    /// What is wrong with the text.
    mistakes: Vec<Mistake>,
    /// What the Mysis found wrong with it when it was to be saved or started.
    refused: Vec<Mistake>,
    /// What was said last, below the text.
    notice: Option<String>,
    /// The orders that are not answered yet.
    awaited: Vec<(OrderId, Awaited)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Awaited {
    Text,
    /// That this text is stored.
    Saved(String),
    Started,
}

impl RoutineEditor {
    fn new(mysis: MysisId) -> RoutineEditor {
        RoutineEditor {
            mysis,
            ..RoutineEditor::default()
        }
    }

    /// Whether the text is still to come.
    fn is_loading(&self) -> bool {
        self.has_awaited(|awaited| *awaited == Awaited::Text)
    }

    /// Whether a text that was sent is still to be stored.
    fn is_saving(&self) -> bool {
        self.has_awaited(|awaited| matches!(awaited, Awaited::Saved(_)))
    }

    fn has_awaited(&self, is_it: impl Fn(&Awaited) -> bool) -> bool {
        self.awaited.iter().any(|(_, awaited)| is_it(awaited))
    }

    /// Whether the text is another one than the stored one.
    fn is_changed(&self) -> bool {
        self.field.text() != self.saved
    }

    fn name(&self) -> Option<&str> {
        self.known.as_ref()?.get("name")?.as_str()
    }

    fn show(&mut self, text: String) {
        self.field = TextField::with_text(&text);
        self.field.go_to_line(0);
        self.saved = text;
        self.judge();
    }

    /// Takes the routine as the Mysis has it now. The layout of a text that was sent stays, and what was written since
    /// is not saved.
    fn take_routine(&mut self, routine: &str, sent: Option<String>) {
        let Ok(Value::Object(known)) = serde_json::from_str(routine) else {
            return;
        };
        let text = laid_out(&Value::Object(known.clone()));
        self.known = Some(known);
        match sent {
            Some(sent) => self.saved = sent,
            None => self.show(text),
        }
    }

    /// Finds what is wrong with the text. What the Mysis said of an earlier text counts no more.
    fn judge(&mut self) {
        self.refused.clear();
        self.notice = None;
        self.mistakes = read_text(self.field.text()).err().unwrap_or_default();
    }

    /// The routine that the text is; `None` if something is wrong with it.
    fn written(&self) -> Option<Map<String, Value>> {
        read_text(self.field.text()).ok()
    }

    /// What the text changes in the stored routine: the members that differ, and null for those that are gone. What
    /// somebody else changed meanwhile stays.
    ///
    /// # Errors
    /// Why it cannot be saved.
    fn changes(&self) -> Result<Map<String, Value>, String> {
        let known = self.known.as_ref();
        let known = known.ok_or("it is not stored yet; starting it stores it".to_string())?;
        let written = self
            .written()
            .ok_or("first correct the mistakes".to_string())?;
        if written.get("name") != known.get("name") {
            let why = "saving keeps the old name; starting makes a routine of the new name";
            return Err(why.to_string());
        }
        let mut changes: Map<String, Value> = written
            .iter()
            .filter(|(member, value)| known.get(*member) != Some(*value))
            .map(|(member, value)| (member.clone(), value.clone()))
            .collect();
        let gone = known.keys().filter(|member| !written.contains_key(*member));
        changes.extend(gone.map(|member| (member.clone(), Value::Null)));
        if changes.is_empty() {
            return Err("nothing is changed".to_string());
        }
        changes.extend(
            known
                .get_key_value("name")
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        Ok(changes)
    }

    fn take_refusal(&mut self, reasons: &[String]) {
        let text = self.field.text();
        let refused = reasons.iter().map(|reason| place_of(text, reason));
        self.refused = refused.collect();
        self.notice = None;
    }

    fn all_mistakes(&self) -> Vec<&Mistake> {
        let mut all: Vec<&Mistake> = self.mistakes.iter().chain(&self.refused).collect();
        all.sort_by_key(|mistake| mistake.line.unwrap_or(usize::MAX));
        all
    }

    fn go_to_next_mistake(&mut self) {
        let here = self.field.before().matches('\n').count();
        let mistakes = self.all_mistakes().into_iter();
        let lines: Vec<usize> = mistakes.filter_map(|mistake| mistake.line).collect();
        let next = lines.iter().find(|line| **line > here).or(lines.first());
        if let Some(line) = next.copied() {
            self.field.go_to_line(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::ids::MysisId;

    use super::*;

    const ROUTINE: &str = r#"{"name":"ore","rounds":20,"steps":[{"tool":"mine","most":9}],
        "guards":[{"value":"fuel","op":">","number":20}]}"#;

    fn editor() -> RoutineEditor {
        let mut editor = RoutineEditor::new(MysisId(1));
        editor.take_routine(ROUTINE, None);
        editor
    }

    fn write(editor: &mut RoutineEditor, old: &str, new: &str) {
        let text = editor.field.text();
        assert!(text.contains(old), "{text}");
        editor.field.replace(&text.replace(old, new));
        editor.judge();
    }

    fn lines(editor: &RoutineEditor) -> Vec<(Option<usize>, &str)> {
        let all = editor.all_mistakes().into_iter();
        all.map(|mistake| (mistake.line, &*mistake.text)).collect()
    }

    #[test]
    fn only_what_differs_is_saved_and_what_is_gone_is_taken_away() {
        let mut editor = editor();
        assert!(!editor.is_changed());
        assert_eq!(editor.changes(), Err("nothing is changed".to_string()));
        write(&mut editor, "\"most\": 9", "\"most\": 30");
        let expected = serde_json::json!({"name": "ore", "steps": [{"tool": "mine", "most": 30}]});
        assert_eq!(editor.changes().map(Value::Object), Ok(expected));
        write(&mut editor, "  \"rounds\": 20,\n", "");
        let changes = editor.changes().unwrap();
        assert_eq!(changes.get("rounds"), Some(&Value::Null));
        assert!(!changes.contains_key("guards"));
        let text = editor.field.text().to_string();
        editor.take_routine(
            r#"{"name":"ore","steps":[{"tool":"mine","most":30}],"rounds":20}"#,
            Some(text.clone()),
        );
        assert_eq!((editor.field.text(), editor.is_changed()), (&*text, false));
    }

    #[test]
    fn another_name_is_started_and_not_saved() {
        let mut editor = editor();
        write(&mut editor, "\"ore\"", "\"gold\"");
        assert!(editor.changes().unwrap_err().contains("keeps the old name"));
        assert_eq!(lines(&editor), []);
        let mut fresh = RoutineEditor::new(MysisId(1));
        fresh.show(EMPTY_ROUTINE.to_string());
        assert!(fresh.changes().unwrap_err().contains("not stored yet"));
        assert!(!lines(&fresh).is_empty(), "a name and a tool are missing");
    }

    #[test]
    fn every_mistake_stands_at_its_line_and_the_cursor_goes_from_one_to_the_next() {
        let mut editor = editor();
        write(&mut editor, "\"op\": \">\"", "\"op\": \"over\"");
        write(&mut editor, "\"most\": 9", "\"most\": 900");
        let places: Vec<Option<usize>> = lines(&editor).iter().map(|(line, _)| *line).collect();
        assert_eq!(places, [Some(4), Some(7)], "{}", editor.field.text());
        editor.go_to_next_mistake();
        assert_eq!(editor.field.before().matches('\n').count(), 4);
        editor.go_to_next_mistake();
        assert_eq!(editor.field.before().matches('\n').count(), 7);
        editor.go_to_next_mistake();
        assert_eq!(editor.field.before().matches('\n').count(), 4);
    }

    #[test]
    fn what_the_mysis_finds_wrong_stands_at_its_place_until_the_text_changes() {
        let mut editor = editor();
        editor.take_refusal(&["steps 1: there is no tool mine".to_string()]);
        assert_eq!(
            lines(&editor),
            [(Some(4), "steps 1: there is no tool mine")]
        );
        write(&mut editor, "20", "30");
        assert_eq!(lines(&editor), []);
    }
}
