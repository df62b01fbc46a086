//! The conversation of one Mysis.

use actors::domain::dashboard::Dashboard;
use actors::domain::dashboard::cells;
use actors::domain::dashboard::clean::one_line;
use actors::domain::dashboard::layout::{Area, Layout};
use actors::domain::dashboard::tone::{Line, Tone};
use actors::domain::dashboard::transcript::{Shown, Transcript};
use actors::domain::event::Standing;

use crate::tui::brush::{Brush, Side, middle};
use crate::tui::theme::Ground;

pub(super) fn paint(
    dashboard: &Dashboard,
    transcript: &Transcript,
    layout: &Layout,
    brush: &mut Brush<'_>,
) {
    brush.on(Ground::Base);
    if let Some(member) = dashboard.roster().get(transcript.mysis) {
        paint_title(dashboard, &member.standing, transcript, layout.title, brush);
    }
    if transcript.pages().rows().is_empty() {
        let words = if transcript.pages().is_loading() {
            "reading the conversation …"
        } else {
            "nothing has been said yet; m writes to it"
        };
        let area = middle(layout.body, layout.body.width, 1);
        brush.text_at(area, 0, Side::Middle, words, Tone::Dim);
    }
    for (row, shown) in (0..).zip(transcript.shown()) {
        paint_line(transcript, shown, layout.body, row, brush);
    }
    paint_place(transcript, layout.body, brush);
}

fn paint_title(
    dashboard: &Dashboard,
    standing: &Standing,
    transcript: &Transcript,
    area: Area,
    brush: &mut Brush<'_>,
) {
    brush.fill(area, Ground::Panel);
    let (state, tone) = cells::state(standing.state);
    let (doing, doing_tone) = cells::doing(standing, dashboard.now());
    let mut line = Line::of(format!(" {}", one_line(&standing.name)), Tone::Mysis)
        .with(format!("  {state}"), tone)
        .with(format!("  {doing}"), doing_tone);
    let account = standing.account.as_deref().unwrap_or("no account");
    line.push(format!("  {}", one_line(account)), Tone::Dim);
    let model = format!(
        "  {} {}",
        one_line(&standing.provider),
        one_line(&standing.model)
    );
    line.push(model, Tone::Dim);
    brush.line(area, 0, &line);
    let place = if transcript.is_following() {
        Line::of(" following ", Tone::Accent)
    } else {
        Line::of(" G follows ", Tone::Warning)
    };
    brush.line_at_right(area, 0, &place);
    brush.on(Ground::Base);
}

fn paint_line(transcript: &Transcript, shown: &Shown, body: Area, row: u16, brush: &mut Brush<'_>) {
    let Some(line) = shown.line else {
        return;
    };
    let whole = Area {
        y: body.y + row,
        height: 1,
        ..body
    };
    let is_selected = transcript.selected() == Some(shown.entry.seq);
    if is_selected {
        brush.fill(whole, Ground::Selected);
    } else {
        brush.on(Ground::Base);
    }
    let gutter = Transcript::gutter(body.width);
    if line == 0 && gutter > 8 {
        brush.text(whole, 0, &shown.entry.clock, Tone::Faint);
    }
    brush.write(whole, 0, gutter.saturating_sub(2), "▌", shown.entry.speaker);
    let text = Area {
        x: whole.x + gutter.min(whole.width),
        width: whole.width.saturating_sub(gutter),
        ..whole
    };
    if let Some(line) = shown.entry.lines.get(line) {
        brush.line(text, 0, line);
    }
    brush.on(Ground::Base);
}

/// A mark at the right edge says how far down this is.
fn paint_place(transcript: &Transcript, body: Area, brush: &mut Brush<'_>) {
    if transcript.is_following() || body.height == 0 {
        return;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a row of the screen times a number from 0 to 1"
    )]
    let row = (f64::from(body.height - 1) * transcript.depth()) as u16;
    brush.text_at(body, row, Side::Right, "┃", Tone::Accent);
}
