//! Entries: one row of a conversation as lines of a screen.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::dashboard::clean::{clean, one_line};
use crate::domain::dashboard::figures::{self, UtcOffset};
use crate::domain::dashboard::tone::{Line, Tone};
use crate::domain::dashboard::tree::{Fold, Tree, in_short, split_json};
use crate::domain::dashboard::width;
use crate::domain::ids::Seq;
use crate::domain::message::{
    Body, Call, CallStatus, HostMeta, ResultMeta, Row, Severity, Utterance,
};

use super::finding::Finding;

/// Lines of a folded result, of a folded text, and of anything open.
const PREVIEW: usize = 2;
const PREVIEW_OF_A_FAILURE: usize = 6;
const PREVIEW_OF_WORDS: usize = 40;
const MOST: usize = 1500;
/// Members of a value within a value that a preview names.
const MEMBERS: usize = 6;
/// A result longer than this is not taken apart for its preview.
const LARGE: usize = 64 * 1024;

/// A row as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The row's place.
    pub seq: Seq,
    /// Who speaks; the colour of the bar at the left.
    pub speaker: Tone,
    /// When, as the operator's clock shows it; stands beside the first line.
    pub clock: Box<str>,
    /// The lines; never none.
    pub lines: Vec<Line>,
    /// Whether there is more to see than is shown.
    pub folds: bool,
    /// Whether an empty line stands above it.
    pub is_apart: bool,
}

/// How a row is to be shown.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// The columns of its text.
    pub columns: usize,
    /// The name of the Mysis.
    pub name: &'a str,
    /// The operator's time.
    pub offset: UtcOffset,
    /// Whether results and long texts are shown whole.
    pub fold: Fold,
    /// Whether reasoning is shown whole.
    pub reasoning: Fold,
    /// What is being looked for.
    pub finding: Option<&'a Finding>,
}

impl Entry {
    /// Lays a row out.
    #[must_use]
    pub fn of(row: &Row, look: &Look<'_>) -> Entry {
        let mut draft = Draft {
            look,
            lines: Vec::new(),
            folds: false,
        };
        let speaker = draft.add_body(row);
        if draft.lines.is_empty() {
            draft.lines.push(Line::default());
        }
        for line in &mut draft.lines {
            line.clip(look.columns);
        }
        if let Some(finding) = look.finding {
            finding.mark(&mut draft.lines);
        }
        Entry {
            seq: row.seq,
            speaker,
            clock: look.offset.clock(row.at).into(),
            folds: draft.folds,
            is_apart: is_apart(row),
            lines: draft.lines,
        }
    }
}

/// Words stand apart, tools and notices close together.
fn is_apart(row: &Row) -> bool {
    match &row.body {
        Body::Prompt { .. }
        | Body::Mission { .. }
        | Body::Peer { .. }
        | Body::Note { .. }
        | Body::Reply(_)
        | Body::Unknown { .. } => true,
        Body::Call { utterance, .. } => has_words(utterance),
        Body::Result { .. } | Body::Host { .. } | Body::Audit { .. } => false,
    }
}

fn has_words(utterance: &Utterance) -> bool {
    !utterance.text.trim().is_empty() || utterance.reasoning.is_some()
}

struct Draft<'a> {
    look: &'a Look<'a>,
    lines: Vec<Line>,
    folds: bool,
}

impl Draft<'_> {
    fn add_body(&mut self, row: &Row) -> Tone {
        match &row.body {
            Body::Prompt { text } => self.add_order("YOU", text, Tone::You),
            Body::Mission { text, .. } => self.add_order("YOU (BROADCAST)", text, Tone::Broadcast),
            Body::Peer { sender, text } => {
                let title = format!("SWARM ({})", one_line(sender));
                self.add_order(&title, text, Tone::Peer)
            }
            Body::Note { text } => self.add_order("NOTE", text, Tone::Note),
            Body::Reply(utterance) => self.add_reply(utterance),
            Body::Call { utterance, calls } => self.add_calls(utterance, calls),
            Body::Result { text, meta, .. } => self.add_result(text, meta),
            Body::Host { text, meta } => self.add_host(text, meta),
            Body::Audit { text } => self.add_order("AUDIT", text, Tone::Host),
            Body::Unknown { kind, text } => {
                let title = format!("{} (of a later version)", one_line(kind));
                self.add_order(&title, text, Tone::Host)
            }
        }
    }

    fn add_order(&mut self, title: &str, text: &str, tone: Tone) -> Tone {
        let title = width::clip(title, self.look.columns).into_owned();
        self.lines.push(Line::of(title, tone));
        self.add_words(text, Tone::Text);
        tone
    }

    fn add_words(&mut self, text: &str, tone: Tone) {
        let most = match self.look.fold {
            Fold::Closed => PREVIEW_OF_WORDS,
            Fold::Open => MOST,
        };
        self.add_wrapped(clean(text).trim_end(), tone, most, "");
    }

    /// Adds at most so many lines of a text and says how much is left out.
    fn add_wrapped(&mut self, text: &str, tone: Tone, most: usize, indent: &str) {
        let columns = self.look.columns.saturating_sub(indent.len());
        let mut wrapped = width::wrap(text, columns);
        for line in wrapped.by_ref().take(most) {
            self.lines
                .push(Line::of(indent, Tone::Text).with(line, tone));
        }
        self.add_rest(wrapped.rest().len(), indent);
    }

    fn add_rest(&mut self, bytes: usize, indent: &str) {
        if bytes > 0 {
            self.folds = true;
            let rest = figures::size(bytes as u64);
            self.lines
                .push(Line::of(format!("{indent}… {rest} more"), Tone::Faint));
        }
    }

    fn add_reply(&mut self, utterance: &Utterance) -> Tone {
        self.add_speaker(utterance);
        self.add_reasoning(utterance.reasoning.as_ref());
        if utterance.text.trim().is_empty() {
            self.lines.push(Line::of("(no words)", Tone::Dim));
        } else {
            self.add_words(&utterance.text, Tone::Text);
        }
        Tone::Mysis
    }

    fn add_speaker(&mut self, utterance: &Utterance) {
        let name = width::clip(self.look.name, self.look.columns).into_owned();
        let mut line = Line::of(name, Tone::Mysis);
        self.push_dim(&mut line, &about(utterance));
        self.lines.push(line);
    }

    fn push_dim(&self, line: &mut Line, text: &str) {
        let room = self
            .look
            .columns
            .saturating_sub(width::of(&line.text()) + 2);
        if room > 3 && !text.is_empty() {
            line.push("  ", Tone::Text);
            line.push(width::clip(text, room), Tone::Dim);
        }
    }

    /// Reasoning: whole, or its first line, how much lies between, and its last two lines.
    fn add_reasoning(&mut self, reasoning: Option<&Arc<str>>) {
        let Some(reasoning) = reasoning else {
            return;
        };
        let reasoning = clean(reasoning);
        let columns = self.look.columns.saturating_sub(2);
        let wrapped: Vec<&str> = width::wrap(reasoning.trim(), columns)
            .filter(|line| !line.trim().is_empty())
            .take(MOST)
            .collect();
        let is_whole = self.look.reasoning == Fold::Open || wrapped.len() <= 4;
        let mut add = |line: &str| {
            self.lines
                .push(Line::of("┊ ", Tone::Faint).with(line, Tone::Reasoning));
        };
        if is_whole {
            wrapped.iter().for_each(|line| add(line));
            return;
        }
        add(wrapped[0]);
        let hidden = format!("… {} more lines of thought", wrapped.len() - 3);
        self.lines
            .push(Line::of("┊ ", Tone::Faint).with(width::clip(&hidden, columns), Tone::Faint));
        for line in &wrapped[wrapped.len() - 2..] {
            self.lines
                .push(Line::of("┊ ", Tone::Faint).with(*line, Tone::Reasoning));
        }
        self.folds = true;
    }

    fn add_calls(&mut self, utterance: &Utterance, calls: &[Call]) -> Tone {
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
                self.push_dim(&mut line, &about(utterance));
                self.lines[0] = line;
            }
        }
        if speaks { Tone::Mysis } else { Tone::Tool }
    }

    fn add_call(&mut self, call: &Call) {
        let name = one_line(&call.name);
        let mut line = Line::of("⚙ ", Tone::Tool);
        let room = self.look.columns.saturating_sub(2);
        line.push(width::clip(&name, room), Tone::Tool);
        let arguments: Option<Value> = serde_json::from_str(&call.arguments).ok();
        let Some(Value::Object(members)) = arguments else {
            self.lines.push(line);
            self.lines
                .push(Line::of("  arguments are no JSON object:", Tone::Fault));
            return self.add_wrapped(&clean(&call.arguments), Tone::Fault, 3, "  ");
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
    fn push_pairs(&mut self, line: &mut Line, members: &serde_json::Map<String, Value>) {
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

    fn add_result(&mut self, text: &Arc<str>, meta: &ResultMeta) -> Tone {
        let (sign, word, tone) = outcome(meta.status);
        let mut line = Line::of(format!("{sign} "), tone);
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
            (None, None) => self.add_wrapped(&clean(text), body, MOST, "  "),
            (None | Some(_), _) => self.add_tree(&Tree::of_text(text)),
        }
    }

    fn add_tree(&mut self, tree: &Tree) {
        let columns = self.look.columns.saturating_sub(2);
        let lines = tree
            .visible()
            .flat_map(|place| tree.lines_of(place, columns));
        for (count, line) in lines.enumerate() {
            if count == MOST {
                let more = "  … more; Enter looks inside";
                return self.lines.push(Line::of(more, Tone::Faint));
            }
            let mut moved = Line::of("  ", Tone::Text);
            moved.spans.extend(line.spans);
            self.lines.push(moved);
        }
    }

    fn add_preview(&mut self, text: &str, meta: &ResultMeta) {
        if meta.is_error() {
            return self.add_wrapped(
                clean(text).trim_end(),
                Tone::Fault,
                PREVIEW_OF_A_FAILURE,
                "  ",
            );
        }
        let value = (text.len() <= LARGE).then(|| split_json(text).1).flatten();
        let brief = match value {
            Some(value) => {
                self.folds = true;
                brief(&value)
            }
            None => one_line(&text[..text.floor_char_boundary(2000)]),
        };
        let columns = self.look.columns.saturating_sub(2);
        let mut wrapped = width::wrap(&brief, columns);
        for line in wrapped.by_ref().take(PREVIEW) {
            self.lines
                .push(Line::of("  ", Tone::Text).with(line, Tone::Dim));
        }
        if !wrapped.rest().is_empty() {
            self.folds = true;
            if let Some(Line { spans }) = self.lines.last_mut()
                && let Some(span) = spans.last_mut()
            {
                let kept = width::start(&span.text, columns.saturating_sub(2));
                span.text = format!("{kept} …").into();
            }
        }
    }

    fn add_host(&mut self, text: &str, meta: &HostMeta) -> Tone {
        let (tone, words) = match meta.severity {
            Severity::Info => (Tone::Host, Tone::Host),
            Severity::Warn => (Tone::Warning, Tone::Host),
            Severity::Error => (Tone::Fault, Tone::Fault),
        };
        let text = format!("HOST  {}", clean(text).trim_end());
        let mut wrapped = width::wrap(&text, self.look.columns);
        let most = match self.look.fold {
            Fold::Closed => PREVIEW_OF_A_FAILURE,
            Fold::Open => MOST,
        };
        for (place, line) in wrapped.by_ref().take(most).enumerate() {
            let line = match (place, line.strip_prefix("HOST")) {
                (0, Some(rest)) => Line::of("HOST", tone).with(rest, words),
                _ => Line::of(line, words),
            };
            self.lines.push(line);
        }
        self.add_rest(wrapped.rest().len(), "");
        tone
    }
}

/// How a call ended: its sign, its word where the sign does not say it all, its tone.
fn outcome(status: CallStatus) -> (&'static str, &'static str, Tone) {
    match status {
        CallStatus::Done => ("✓", "", Tone::Success),
        CallStatus::Failed => ("✗", "failed", Tone::Fault),
        CallStatus::Unknown => ("?", "outcome unknown", Tone::Warning),
        CallStatus::NotExecuted => ("–", "not executed", Tone::Warning),
        CallStatus::Recorded | CallStatus::Sent => ("…", "open", Tone::Dim),
    }
}

/// What is known of a model call, in short.
fn about(utterance: &Utterance) -> String {
    let meta = &utterance.meta;
    let mut parts = Vec::new();
    if !meta.model.is_empty() {
        parts.push(one_line(&meta.model));
    }
    if meta.ms > 0 {
        parts.push(figures::span(meta.ms));
    }
    if let Some(usage) = meta.usage {
        let (input, output) = (figures::amount(usage.input), figures::amount(usage.output));
        parts.push(format!("{input} → {output} tokens"));
    }
    parts.join(" · ")
}

/// The members of a value that say something on their own, on one line.
fn brief(value: &Value) -> String {
    let mut parts = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                parts.push(format!("{name}: {}", inside_in_short(value)));
            }
        }
        Value::Array(items) => parts.extend(items.iter().take(20).map(inside_in_short)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            parts.push(in_short(value).0);
        }
    }
    one_line(&parts.join(" · "))
}

/// A value in the middle of a line: of one with members, those that say something on their own.
fn inside_in_short(value: &Value) -> String {
    let Value::Object(members) = value else {
        return in_short(value).0;
    };
    let scalars = members
        .iter()
        .filter(|(_, value)| !matches!(value, Value::Array(_) | Value::Object(_)))
        .map(|(name, value)| format!("{name} {}", in_short(value).0));
    let shown: Vec<String> = scalars.take(MEMBERS).collect();
    match shown.len() {
        0 => in_short(value).0,
        _ => shown.join(", "),
    }
}
