//! The foot: errors, receipts, and what keys do.

use actors::domain::dashboard::Dashboard;
use actors::domain::dashboard::layout::{Area, Layout};
use actors::domain::dashboard::tone::{Line, Tone};
use actors::domain::dashboard::width;

use crate::tui::brush::Brush;
use crate::tui::theme::Ground;

pub(super) fn paint(dashboard: &Dashboard, layout: &Layout, brush: &mut Brush<'_>) {
    paint_message(dashboard, layout.message, brush);
    paint_hints(dashboard, layout.hints, brush);
}

/// An error stays until it is dismissed; else the newest receipt.
fn paint_message(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    brush.on(Ground::Base);
    let standing = dashboard.log().standing();
    if let Some(message) = standing.last() {
        let rest = match standing.len() {
            1 => "  Esc dismisses".to_string(),
            count => format!("  Esc dismisses, {} more", count - 1),
        };
        let room = usize::from(area.width).saturating_sub(width::of(&rest) + 4);
        let who = if message.who.is_empty() {
            String::new()
        } else {
            format!("{}: ", message.who)
        };
        let text = format!("{who}{}", message.text);
        let line = Line::of(" ✖ ", Tone::Fault)
            .with(width::clip(&text, room), Tone::Fault)
            .with(rest, Tone::Hint);
        brush.line(area, 0, &line);
        return;
    }
    if let Some(receipt) = dashboard.receipt_in_sight() {
        let mut line = if receipt.awaited > 0 {
            Line::of(" … ", Tone::Accent)
        } else if receipt.refused.is_empty() {
            Line::of(" ✓ ", Tone::Success)
        } else {
            Line::of(" ✗ ", Tone::Warning)
        };
        line.push(format!("{} {}", receipt.what, receipt.whom), Tone::Text);
        line.push(format!("  {}", receipt.progress()), Tone::Dim);
        brush.line(area, 0, &line);
    }
}

/// As many as fit, the most useful first; how to get help stands at the right.
fn paint_hints(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    brush.fill(area, Ground::Bar);
    let mut line = Line::default();
    let mut taken = 0;
    if dashboard.layers().is_empty() {
        let help = Line::of("? ", Tone::Key).with("help ", Tone::Hint);
        brush.line_at_right(area, 0, &help);
        taken = 8;
    }
    for (keys, hint) in dashboard.hints() {
        let wide = width::of(&keys) + hint.len() + 3;
        if taken + wide > usize::from(area.width) {
            break;
        }
        taken += wide;
        line.push(format!(" {keys} "), Tone::Key);
        line.push(format!("{hint} "), Tone::Hint);
    }
    brush.line(area, 0, &line);
}
