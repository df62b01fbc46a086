//! Entries: one row of a conversation as lines of the screen.

use std::sync::Arc;

use crate::dashboard::text::figures::{self, UtcOffset};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::tree::Fold;
use crate::dashboard::text::width;
use actors::domain::ids::Seq;
use actors::domain::message::{HostMeta, Row, RowBody, Severity, Utterance};
use zoea_text::clean::{clean_text, one_line};

use super::text_search::TextSearch;

mod tools;

/// The most lines of a folded failure, of a folded text, and of anything expanded.
const PREVIEW_OF_A_FAILURE: usize = 6;
const PREVIEW_OF_WORDS: usize = 40;
const MAX_LINES: usize = 1500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptEntry {
    pub seq: Seq,
    /// The speaker's tone. It colours the bar at the left.
    pub speaker: Tone,
    /// The local time, shown beside the first line.
    pub clock: Box<str>,
    pub lines: Vec<StyledLine>,
    pub folds: bool,
    /// Whether an empty line separates it from the entry above.
    pub is_apart: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultForm {
    #[default]
    Words,
    Raw,
}

impl ResultForm {
    #[must_use]
    pub fn opposite(self) -> ResultForm {
        match self {
            ResultForm::Words => ResultForm::Raw,
            ResultForm::Raw => ResultForm::Words,
        }
    }
}

#[derive(Clone, Debug)]
pub struct EntryOptions<'a> {
    /// The width of the text in columns.
    pub columns: usize,
    pub name: &'a str,
    pub offset: UtcOffset,
    /// Whether results and long texts are expanded.
    pub fold: Fold,
    pub reasoning: Fold,
    pub results: ResultForm,
    pub text_search: Option<&'a TextSearch>,
}

impl TranscriptEntry {
    pub fn of(row: &Row, look: &EntryOptions<'_>) -> TranscriptEntry {
        let mut draft = EntryBuilder {
            look,
            lines: Vec::new(),
            folds: false,
        };
        let speaker = draft.add_body(row);
        if draft.lines.is_empty() {
            draft.lines.push(StyledLine::default());
        }
        for line in &mut draft.lines {
            line.clip(look.columns);
        }
        if let Some(text_search) = look.text_search {
            text_search.mark(&mut draft.lines);
        }
        TranscriptEntry {
            seq: row.seq,
            speaker,
            clock: look.offset.clock(row.at).into(),
            folds: draft.folds,
            is_apart: is_apart(row),
            lines: draft.lines,
        }
    }

    /// The first line with a place of the searched text.
    pub fn line_found(&self) -> Option<usize> {
        let has_place = |line: &StyledLine| line.spans.iter().any(|span| span.tone == Tone::Found);
        self.lines.iter().position(has_place)
    }
}

/// An empty line separates messages. Tools and notices follow each other closely.
fn is_apart(row: &Row) -> bool {
    match &row.body {
        RowBody::Prompt { .. }
        | RowBody::Mission { .. }
        | RowBody::Peer { .. }
        | RowBody::Note { .. }
        | RowBody::Reply(_)
        | RowBody::Unknown { .. } => true,
        RowBody::Call { utterance, .. } => has_words(utterance),
        RowBody::Result { .. } | RowBody::Host { .. } | RowBody::Audit { .. } => false,
    }
}

fn has_words(utterance: &Utterance) -> bool {
    !utterance.text.trim().is_empty() || utterance.reasoning.is_some()
}

struct EntryBuilder<'a> {
    look: &'a EntryOptions<'a>,
    lines: Vec<StyledLine>,
    folds: bool,
}

impl EntryBuilder<'_> {
    fn add_body(&mut self, row: &Row) -> Tone {
        match &row.body {
            RowBody::Prompt { text } => self.add_order("YOU", text, Tone::You),
            RowBody::Mission { text, .. } => {
                self.add_order("YOU (BROADCAST)", text, Tone::Broadcast)
            }
            RowBody::Peer { sender, text } => {
                let title = format!("SWARM ({})", one_line(sender));
                self.add_order(&title, text, Tone::Peer)
            }
            RowBody::Note { text } => self.add_order("NOTE", text, Tone::Note),
            RowBody::Reply(utterance) => self.add_reply(utterance),
            RowBody::Call { utterance, calls } => self.add_calls(utterance, calls),
            RowBody::Result { text, meta, .. } => self.add_result(text, meta),
            RowBody::Host { text, meta } => self.add_host(text, meta),
            RowBody::Audit { text } => self.add_order("AUDIT", text, Tone::Host),
            RowBody::Unknown { kind, text } => {
                let title = format!("{} (of a later version)", one_line(kind));
                self.add_order(&title, text, Tone::Host)
            }
        }
    }

    fn add_order(&mut self, title: &str, text: &str, tone: Tone) -> Tone {
        let title = width::clip(title, self.look.columns).into_owned();
        self.lines.push(StyledLine::of(title, tone));
        self.add_words(text);
        tone
    }

    fn add_words(&mut self, text: &str) {
        let most = self.most_lines(PREVIEW_OF_WORDS);
        self.add_wrapped(clean_text(text).trim_end(), Tone::Text, most, "");
    }

    /// The most lines of a text: so many while it is folded.
    fn most_lines(&self, folded: usize) -> usize {
        match self.look.fold {
            Fold::Closed => folded,
            Fold::Open => MAX_LINES,
        }
    }

    /// Adds at most `most` lines of a text, and a line with the number of lines left out.
    fn add_wrapped(&mut self, text: &str, tone: Tone, most: usize, indent: &str) {
        let columns = self.look.columns.saturating_sub(indent.len());
        let mut wrapped = width::wrap(text, columns);
        for line in wrapped.by_ref().take(most) {
            self.lines
                .push(StyledLine::of(indent, Tone::Text).with(line, tone));
        }
        self.add_rest(wrapped.rest().len(), indent);
    }

    fn add_rest(&mut self, bytes: usize, indent: &str) {
        if bytes > 0 {
            self.folds = true;
            let rest = figures::size(bytes as u64);
            self.lines
                .push(StyledLine::of(format!("{indent}… {rest} more"), Tone::Dim));
        }
    }

    fn add_reply(&mut self, utterance: &Utterance) -> Tone {
        self.add_speaker(utterance);
        self.add_reasoning(utterance.reasoning.as_ref());
        if utterance.text.trim().is_empty() {
            self.lines.push(StyledLine::of("(no words)", Tone::Dim));
        } else {
            self.add_words(&utterance.text);
        }
        Tone::Mysis
    }

    fn add_speaker(&mut self, utterance: &Utterance) {
        let name = width::clip(self.look.name, self.look.columns).into_owned();
        let mut line = StyledLine::of(name, Tone::Mysis);
        self.push_dim(&mut line, &call_summary(utterance));
        self.lines.push(line);
    }

    fn push_dim(&self, line: &mut StyledLine, text: &str) {
        let taken = width::of(&line.text()) + 2;
        let room = self.look.columns.saturating_sub(taken);
        if room > 3 && !text.is_empty() {
            line.push("  ", Tone::Text);
            line.push(width::clip(text, room), Tone::Dim);
        }
    }

    /// Adds the reasoning: all of it, or its first line, the number of lines left out, and its last
    /// two lines.
    fn add_reasoning(&mut self, reasoning: Option<&Arc<str>>) {
        let Some(reasoning) = reasoning else {
            return;
        };
        let reasoning = clean_text(reasoning);
        let columns = self.look.columns.saturating_sub(2);
        let wrapped: Vec<&str> = width::wrap(reasoning.trim(), columns)
            .filter(|line| !line.trim().is_empty())
            .take(MAX_LINES)
            .collect();
        let is_whole = self.look.reasoning == Fold::Open || wrapped.len() <= 4;
        let mut add = |line: &str, tone| {
            let line = StyledLine::of("┊ ", Tone::Faint).with(line, tone);
            self.lines.push(line);
        };
        if is_whole {
            return wrapped.iter().for_each(|line| add(line, Tone::Reasoning));
        }
        add(wrapped[0], Tone::Reasoning);
        let hidden = format!("… {} more lines of thought", wrapped.len() - 3);
        add(&width::clip(&hidden, columns), Tone::Dim);
        let last = &wrapped[wrapped.len() - 2..];
        last.iter().for_each(|line| add(line, Tone::Reasoning));
        self.folds = true;
    }

    fn add_host(&mut self, text: &str, meta: &HostMeta) -> Tone {
        let (tone, words) = match meta.severity {
            Severity::Info => (Tone::Host, Tone::Host),
            Severity::Warn => (Tone::Warning, Tone::Host),
            Severity::Error => (Tone::Fault, Tone::Fault),
        };
        let text = format!("HOST  {}", clean_text(text).trim_end());
        let mut wrapped = width::wrap(&text, self.look.columns);
        let most = self.most_lines(PREVIEW_OF_A_FAILURE);
        for (place, line) in wrapped.by_ref().take(most).enumerate() {
            let line = match (place, line.strip_prefix("HOST")) {
                (0, Some(rest)) => StyledLine::of("HOST", tone).with(rest, words),
                _ => StyledLine::of(line, words),
            };
            self.lines.push(line);
        }
        self.add_rest(wrapped.rest().len(), "");
        tone
    }
}

/// Summarises the model call: the facts that are known.
fn call_summary(utterance: &Utterance) -> String {
    let meta = &utterance.meta;
    let used = meta.usage.map(|usage| {
        let (input, output) = (figures::amount(usage.input), figures::amount(usage.output));
        format!("{input} tokens in, {output} out")
    });
    let (model, took) = (one_line(&meta.model), figures::took(meta.ms));
    joined(&[&model, &took, &used.unwrap_or_default()])
}

/// What is known of these.
fn joined(parts: &[&str]) -> String {
    let parts = parts.iter().copied();
    let known: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    known.join(" · ")
}
