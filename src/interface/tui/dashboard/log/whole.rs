//! An event that is shown whole: when, who, what, what came of it, and the chain of causes.

use std::sync::Arc;

use actors::domain::event_record::EventRecordKind;
use actors::domain::ids::{MysisId, Seq};

use super::message::LogMessage;
use crate::dashboard::keys::Movement;
use crate::dashboard::text::figures::UtcOffset;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;

/// The columns of the words before a text.
const LABEL_COLUMNS: usize = 9;

#[derive(Clone, Debug)]
pub(crate) struct WholeEvent {
    events: Vec<Arc<LogMessage>>,
    /// The first line in sight.
    pub(crate) top: usize,
}

impl WholeEvent {
    pub(super) fn of(events: &[Arc<LogMessage>]) -> WholeEvent {
        WholeEvent {
            events: events.to_vec(),
            top: 0,
        }
    }

    pub(super) fn place(&self) -> Option<(MysisId, Option<Seq>)> {
        let first = self.events.first()?;
        Some((first.mysis?, first.row))
    }

    pub(super) fn text(&self) -> &str {
        self.events.first().map_or("", |first| &first.text)
    }

    pub(super) fn scroll(&mut self, movement: Movement, lines: usize, page: usize) {
        // The next page begins behind this one.
        self.top = movement.lead_from(self.top, lines.saturating_sub(page), page + 1);
    }

    pub(crate) fn lines(&self, offset: UtcOffset, columns: usize) -> Vec<StyledLine> {
        let Some(first) = self.events.first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        let when =
            |event: &LogMessage| format!("{} {}", offset.day(event.at), offset.clock(event.at));
        let mut add = |label: &str, text: &str, tone| {
            add_labelled(label, text, tone, columns, &mut lines);
        };
        add("when", &when(first), Tone::Text);
        if let [_] = self.events[..] {
            add("who", &first.who, Tone::Strong);
        }
        let what = format!("{} {}", first.kind_text(), first.source_text());
        add("what", what.trim_end(), Tone::Dim);
        add("outcome", first.receipt(), Tone::Success);
        add("text", &first.text, first.tone);
        for (depth, cause) in causes(first).into_iter().enumerate() {
            let indented = format!("{}└ {cause}", "  ".repeat(depth.min(6)));
            let label = if depth == 0 { "causes" } else { " " };
            add(label, &indented, Tone::Text);
        }
        if self.events.len() > 1 {
            lines.push(StyledLine::default());
            let count = format!(" the same ×{}", self.events.len());
            lines.push(StyledLine::of(count, Tone::Brand));
            lines.extend(self.events.iter().map(|event| {
                StyledLine::of(format!(" {}  ", when(event)), Tone::Dim)
                    .with(width::fit(&event.who, 20), Tone::Strong)
                    .with(event.receipt(), Tone::Dim)
            }));
        }
        lines
    }
}

/// The chain of causes at the end of an error, outermost first.
fn causes(message: &LogMessage) -> Vec<&str> {
    let is_order = message.kind == Some(EventRecordKind::Order);
    match message.is_trouble() && !is_order {
        true => message.text.split(": ").skip(1).collect(),
        false => Vec::new(),
    }
}

fn add_labelled(label: &str, text: &str, tone: Tone, columns: usize, lines: &mut Vec<StyledLine>) {
    if text.is_empty() {
        return;
    }
    let room = columns.saturating_sub(LABEL_COLUMNS + 2);
    let mut label = label;
    for line in width::wrap(text, room) {
        let before = format!(" {}", width::fit(label, LABEL_COLUMNS));
        lines.push(StyledLine::of(before, Tone::Dim).with(line, tone));
        label = "";
    }
}
