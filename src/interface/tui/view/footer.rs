//! The footer: errors, receipts and key hints.

use crate::dashboard::StatusLine;
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::log::message::LogMessage;
use crate::dashboard::orders::Receipt;
use crate::dashboard::table::cells::doing_text;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::Ground;

/// The most Myses that are named. The line has no room for more.
const MAX_NAMED_MYSES: usize = 8;

/// Draws the status line. `back_key` dismisses an error.
pub(super) fn paint_message(
    facts: &Facts,
    message: &StatusLine<'_>,
    back_key: &str,
    area: Rect,
    painter: &mut Painter<'_>,
) {
    let line = match message {
        StatusLine::Nothing => return,
        StatusLine::Closing => closing_line(facts),
        StatusLine::Seeking(seeking) => {
            let (what, reached) = (seeking.what.as_str(), seeking.reached);
            StyledLine::of(" … ", Tone::Accent)
                .with(format!("looking for an {what}, at #{reached}"), Tone::Text)
                .with(format!("  {back_key} stops"), Tone::Hint)
        }
        StatusLine::Error(message, more) => {
            error_line(back_key, (message, *more), usize::from(area.width))
        }
        StatusLine::Receipt(receipt) => receipt_line(facts, receipt),
        StatusLine::FirstHint => first_hint(facts),
        StatusLine::Said(message) => {
            StyledLine::of(" · ", Tone::Accent).with(message.text.clone(), message.tone)
        }
    };
    painter.line(area, 0, &line);
}

fn first_hint(facts: &Facts) -> StyledLine {
    let key = |action| facts.keymap.key_of(GLOBAL_KEYS, action);
    let (help, palette) = (key(GlobalAction::Help), key(GlobalAction::Palette));
    StyledLine::of(" · ", Tone::Accent)
        .with(help, Tone::Key)
        .with(" lists all keys, ", Tone::Text)
        .with(palette, Tone::Key)
        .with(" finds a command by its name", Tone::Text)
}

/// Names the Myses that closing waits for and what each still does.
fn closing_line(facts: &Facts) -> StyledLine {
    let waited = facts.awaited_myses();
    if waited.is_empty() {
        return StyledLine::of(" … ", Tone::Accent)
            .with("waiting for the store to write", Tone::Text);
    }
    let named: Vec<String> = waited
        .iter()
        .take(MAX_NAMED_MYSES)
        .map(|status| {
            let (doing, _) = doing_text(facts, status);
            format!("{} ({doing})", one_line(&status.name))
        })
        .collect();
    StyledLine::of(" … ", Tone::Accent)
        .with(format!("closing {}: ", waited.len()), Tone::Warning)
        .with(named.join(", "), Tone::Text)
}

fn error_line(key: &str, (message, more): (&LogMessage, usize), columns: usize) -> StyledLine {
    let rest = match more {
        0 => format!("  {key} dismisses"),
        more => format!("  {key} dismisses, {more} more"),
    };
    let room = columns.saturating_sub(width::of(&rest) + 4);
    let text = if message.who.is_empty() {
        message.text.to_string()
    } else {
        format!("{}: {}", message.who, message.text)
    };
    StyledLine::of(" ✖ ", Tone::Fault)
        .with(width::clip(&text, room), Tone::Fault)
        .with(rest, Tone::Hint)
}

fn receipt_line(facts: &Facts, receipt: &Receipt) -> StyledLine {
    let line = if receipt.awaited > 0 {
        StyledLine::of(" … ", Tone::Accent)
    } else if receipt.refused.is_empty() {
        StyledLine::of(" ✓ ", Tone::Success)
    } else {
        StyledLine::of(" ✗ ", Tone::Warning)
    };
    let line = line
        .with(format!("{} {}", receipt.what, receipt.whom), Tone::Text)
        .with(format!("  {}", receipt.progress()), Tone::Dim);
    if facts.orders.can_undo(receipt.number) {
        let key = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Undo);
        return line.with(format!("  {key} takes it back"), Tone::Hint);
    }
    line
}

/// Draws as many hints as fit, the most useful first. The key for help, if there is one, stands at the right.
pub(super) fn paint_hints(
    hints: Vec<(String, &'static str)>,
    help_key: Option<String>,
    area: Rect,
    painter: &mut Painter<'_>,
) {
    painter.fill(area, Ground::Bar);
    let mut line = StyledLine::default();
    let mut taken = 0;
    if let Some(key) = help_key {
        let help = StyledLine::of(format!("{key} "), Tone::Key).with("help ", Tone::Hint);
        painter.line_at_right(area, 0, &help);
        taken = width::of(&key) + 7;
    }
    for (keys, hint) in hints {
        let wide = width::of(&keys) + hint.len() + 3;
        if taken + wide > usize::from(area.width) {
            break;
        }
        taken += wide;
        line.push(format!(" {keys} "), Tone::Key);
        line.push(format!("{hint} "), Tone::Hint);
    }
    painter.line(area, 0, &line);
}
