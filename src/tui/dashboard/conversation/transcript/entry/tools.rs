//! Entries of tools: calls and their results.

use std::sync::Arc;

use serde_json::Value;

use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::tree::{Fold, Tree, in_short, split_json};
use crate::dashboard::text::width;
use actors::domain::clean::{clean_text, one_line};
use actors::domain::game_state::summarize_value;
use actors::domain::message::{CallRecord, CallStatus, ResultMeta, Utterance};

use super::{EntryBuilder, MAX_LINES, PREVIEW_OF_A_FAILURE, call_summary, has_words};

/// The most lines of a folded result.
const RESULT_PREVIEW_LINES: usize = 2;
/// A longer result is not parsed for its preview.
const MAX_PREVIEW_BYTES: usize = 64 * 1024;

impl EntryBuilder<'_> {
    pub(in crate::dashboard) fn add_calls(
        &mut self,
        utterance: &Utterance,
        calls: &[CallRecord],
    ) -> Tone {
        let speaks = has_words(utterance);
        if speaks {
            self.add_speaker(utterance);
            self.add_reasoning(utterance.reasoning.as_ref());
            if !utterance.text.trim().is_empty() {
                self.add_words(&utterance.text, Tone::Text);
            }
        }
        for (place, call) in calls.iter().enumerate() {
            self.add_call(call);
            if place == 0
                && !speaks
                && let Some(line) = self.lines.first().cloned()
            {
                let mut line = line;
                self.push_dim(&mut line, &call_summary(utterance));
                self.lines[0] = line;
            }
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
                "  arguments are no JSON object:",
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
            let room = self
                .look
                .columns
                .saturating_sub(taken + width::of(&name) + 2);
            if room < 4 {
                line.push(" …", Tone::Faint);
                self.folds = true;
                return;
            }
            let text = width::clip(&text, room);
            self.folds |=
                text.ends_with('…') || matches!(value, Value::Array(_) | Value::Object(_));
            taken += width::of(&name) + width::of(&text) + 2;
            line.push(format!(" {name}="), Tone::Name);
            line.push(text, tone);
        }
    }

    pub(in crate::dashboard) fn add_result(&mut self, text: &Arc<str>, meta: &ResultMeta) -> Tone {
        let (sign, word, tone) = status_sign(meta.status);
        let mut line = StyledLine::of(format!("{sign} "), tone);
        let name = one_line(&meta.tool);
        line.push(
            width::clip(&name, self.look.columns.saturating_sub(2)),
            tone,
        );
        let mut about = vec![
            word.to_string(),
            figures::span(meta.ms),
            figures::size(meta.bytes),
        ];
        about.extend(meta.tick.map(|tick| format!("tick {tick}")));
        about.retain(|part| !part.is_empty());
        self.push_dim(&mut line, &about.join(" · "));
        self.lines.push(line);
        match self.look.fold {
            Fold::Open => self.add_opened(text, meta),
            Fold::Closed => self.add_preview(text, meta),
        }
        tone
    }

    fn add_opened(&mut self, text: &str, meta: &ResultMeta) {
        let body = if meta.is_error() {
            Tone::Fault
        } else {
            Tone::Text
        };
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
                return self.lines.push(StyledLine::of(more, Tone::Faint));
            }
            let mut moved = StyledLine::of("  ", Tone::Text);
            moved.spans.extend(line.spans);
            self.lines.push(moved);
        }
    }

    fn add_preview(&mut self, text: &str, meta: &ResultMeta) {
        if meta.is_error() {
            return self.add_wrapped(
                clean_text(text).trim_end(),
                Tone::Fault,
                PREVIEW_OF_A_FAILURE,
                "  ",
            );
        }
        let value = (text.len() <= MAX_PREVIEW_BYTES)
            .then(|| split_json(text).1)
            .flatten();
        let brief = match value {
            Some(value) => {
                self.folds = true;
                one_line(&summarize_value(&value))
            }
            None => one_line(&text[..text.floor_char_boundary(2000)]),
        };
        let columns = self.look.columns.saturating_sub(2);
        let mut wrapped = width::wrap(&brief, columns);
        for line in wrapped.by_ref().take(RESULT_PREVIEW_LINES) {
            self.lines
                .push(StyledLine::of("  ", Tone::Text).with(line, Tone::Dim));
        }
        if !wrapped.rest().is_empty() {
            self.folds = true;
            if let Some(StyledLine { spans }) = self.lines.last_mut()
                && let Some(span) = spans.last_mut()
            {
                let kept = width::start(&span.text, columns.saturating_sub(2));
                span.text = format!("{kept} …").into();
            }
        }
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
