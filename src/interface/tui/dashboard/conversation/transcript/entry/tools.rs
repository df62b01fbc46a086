//! Entries of tools: calls and their results.

use std::sync::Arc;

use serde_json::Value;

use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, StyledSpan, Tone};
use crate::dashboard::text::tree::{Fold, Tree, in_short, split_json};
use crate::dashboard::text::width;
use actors::domain::message::{CallRecord, CallStatus, ResultMeta, Utterance};
use actors::domain::result_words::result_in_words;
use zoea_text::clean::{clean_text, one_line};

use super::{EntryBuilder, MAX_LINES, ResultForm, call_summary, has_words, joined};

/// The most lines of a folded result: its words on a narrow screen, and its text.
const MAX_WORDS_LINES: usize = 6;
const MAX_RAW_LINES: usize = 6;

impl EntryBuilder<'_> {
    pub(crate) fn add_calls(&mut self, utterance: &Utterance, calls: &[CallRecord]) -> Tone {
        let speaks = has_words(utterance);
        if speaks {
            self.add_speaker(utterance);
            self.add_reasoning(utterance.reasoning.as_ref());
            if !utterance.text.trim().is_empty() {
                self.add_words(&utterance.text);
            }
        }
        calls.iter().for_each(|call| self.add_call(call));
        if !speaks && let Some(mut line) = self.lines.first().cloned() {
            self.push_dim(&mut line, &call_summary(utterance));
            self.lines[0] = line;
        }
        if speaks { Tone::Mysis } else { Tone::Tool }
    }

    fn add_call(&mut self, call: &CallRecord) {
        let name = one_line(&call.name);
        let mut line = StyledLine::of("⚙ ", Tone::Tool);
        let room = self.look.columns.saturating_sub(2);
        line.push(width::clip(&name, room), Tone::Tool);
        let arguments: Option<Value> = serde_json::from_str(&call.arguments).ok();
        let Some(Value::Object(members)) = arguments else {
            self.lines.push(line);
            self.lines.push(StyledLine::of(
                "  arguments are not a JSON object:",
                Tone::Fault,
            ));
            return self.add_wrapped(&clean_text(&call.arguments), Tone::Fault, 3, "  ");
        };
        if self.look.fold == Fold::Open && !members.is_empty() {
            self.lines.push(line);
            self.add_tree(&Tree::of_value(&Value::Object(members)));
            return;
        }
        self.push_pairs(&mut line, &members);
        self.lines.push(line);
    }

    /// Adds `name=value` for as many members as fit.
    fn push_pairs(&mut self, line: &mut StyledLine, members: &serde_json::Map<String, Value>) {
        let mut taken = width::of(&line.text());
        for (name, value) in members {
            let (text, tone) = in_short(value);
            let (name, text) = (one_line(name), one_line(&text));
            let before = taken + width::of(&name) + 2;
            let room = self.look.columns.saturating_sub(before);
            if room < 4 {
                line.push(" …", Tone::Dim);
                self.folds = true;
                return;
            }
            let text = width::clip(&text, room);
            self.folds |=
                text.ends_with('…') || matches!(value, Value::Array(_) | Value::Object(_));
            taken = before + width::of(&text);
            line.push(format!(" {name}="), Tone::Name);
            line.push(text, tone);
        }
    }

    pub(crate) fn add_result(&mut self, text: &Arc<str>, meta: &ResultMeta) -> Tone {
        let (sign, word, tone) = status_sign(meta.status);
        let sign = format!("{sign} ");
        let name = one_line(&meta.tool);
        let took = figures::took(meta.ms);
        let tick = meta.tick.map(|tick| format!("tick {tick}"));
        let tick = tick.unwrap_or_default();
        if (self.look.fold, self.look.results) == (Fold::Closed, ResultForm::Words) {
            self.add_in_words(&sign, text, meta);
            self.add_behind(&joined(&[&name, word, &took, &tick]));
            return tone;
        }
        let mut line = StyledLine::of(sign, tone);
        let room = self.look.columns.saturating_sub(2);
        line.push(width::clip(&name, room), tone);
        let size = figures::size(meta.bytes);
        self.push_dim(&mut line, &joined(&[word, &took, &size, &tick]));
        self.lines.push(line);
        match self.look.fold {
            Fold::Open => self.add_opened(text, meta),
            Fold::Closed => {
                let raw = clean_text(text);
                self.add_wrapped(raw.trim_end(), tone_of_text(meta), MAX_RAW_LINES, "  ");
            }
        }
        tone
    }

    fn add_in_words(&mut self, sign: &str, text: &str, meta: &ResultMeta) {
        // The words leave most of the text out.
        self.folds = true;
        let (_, _, tone) = status_sign(meta.status);
        let words = result_in_words(meta.game, &meta.tool, meta.status, text);
        let first = self.lines.len();
        self.add_wrapped(&words, tone_of_text(meta), MAX_WORDS_LINES, "  ");
        // The sign stands in the indent of the first line.
        if let Some(line) = self.lines.get_mut(first) {
            line.spans[0] = StyledSpan::new(sign, tone);
        }
    }

    /// Adds a remark behind the last line, or below it where there is no room.
    fn add_behind(&mut self, remark: &str) {
        let taken = self.lines.last().map_or(0, |line| width::of(&line.text()));
        if taken + 2 + width::of(remark) > self.look.columns {
            self.lines.push(StyledLine::default());
        }
        if let Some(mut line) = self.lines.pop() {
            self.push_dim(&mut line, remark);
            self.lines.push(line);
        }
    }

    fn add_opened(&mut self, text: &str, meta: &ResultMeta) {
        let body = tone_of_text(meta);
        match split_json(text) {
            (None, None) => self.add_wrapped(&clean_text(text), body, MAX_LINES, "  "),
            (None | Some(_), _) => self.add_tree(&Tree::of_text(text)),
        }
    }

    fn add_tree(&mut self, tree: &Tree) {
        let columns = self.look.columns.saturating_sub(2);
        let lines = tree
            .visible_nodes()
            .flat_map(|place| tree.lines_of(place, columns));
        for (count, line) in lines.enumerate() {
            if count == MAX_LINES {
                let more = "  … more; Enter looks inside";
                return self.lines.push(StyledLine::of(more, Tone::Dim));
            }
            let mut moved = StyledLine::of("  ", Tone::Text);
            moved.spans.extend(line.spans);
            self.lines.push(moved);
        }
    }
}

fn tone_of_text(meta: &ResultMeta) -> Tone {
    match meta.is_error() {
        true => Tone::Fault,
        false => Tone::Text,
    }
}

/// The sign of a call's end, a word where the sign alone is unclear, and the tone.
fn status_sign(status: CallStatus) -> (&'static str, &'static str, Tone) {
    match status {
        CallStatus::Done => ("✓", "", Tone::Success),
        CallStatus::Failed => ("✗", "failed", Tone::Fault),
        CallStatus::Unknown => ("?", "outcome unknown", Tone::Warning),
        CallStatus::NotExecuted => ("–", "not executed", Tone::Warning),
        CallStatus::Recorded | CallStatus::Sent => ("…", "open", Tone::Dim),
    }
}
