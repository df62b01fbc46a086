//! Draws the conversation of one Mysis.

use super::Focus;
use super::transcript::entry::ResultForm;
use super::transcript::{Transcript, VisibleLine};
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{TARGET_KEYS, TargetAction};
use crate::dashboard::layout::{ScreenLayout, row_of, without_left};
use crate::dashboard::table::cells::doing_text;
use crate::dashboard::table::seen_state::SeenState;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use actors::domain::event::MysisStatus;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use zoea_text::clean::one_line;

use super::{panel, timeline};
use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

pub(crate) fn paint(
    facts: &Facts,
    focus: &Focus,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let transcript = &focus.transcript;
    if let Some(member) = facts.roster.get(focus.mysis()) {
        paint_title(facts, &member.status, transcript, layout.title, painter);
    }
    if transcript.pages().rows().is_empty() {
        let words = if transcript.pages().is_loading() {
            "reading the conversation …".to_string()
        } else {
            let key = facts.keymap.key_of(TARGET_KEYS, TargetAction::Message);
            format!("nothing has been said yet; {key} writes to it")
        };
        let area = centre_area(layout.body, layout.body.width, 1);
        painter.text_at(area, 0, Alignment::Center, &words, Tone::Dim);
    }
    paint_lines(transcript, layout.body, painter);
    paint_place(transcript, layout.body, painter);
    panel::paint(facts, focus, layout.panel, painter);
    timeline::view::paint(facts, focus, layout.timeline, painter);
}

pub(super) fn paint_lines(transcript: &Transcript, area: Rect, painter: &mut Painter<'_>) {
    for (row, shown) in (0..area.height).zip(transcript.visible_lines()) {
        paint_line(transcript, shown, area, row, painter);
    }
}

fn paint_title(
    facts: &Facts,
    status: &MysisStatus,
    transcript: &Transcript,
    area: Rect,
    painter: &mut Painter<'_>,
) {
    painter.fill(area, Ground::Panel);
    let (state, tone) = SeenState::of(status, &facts.outages).label();
    let (doing, doing_tone) = doing_text(facts, status);
    let mut line = StyledLine::of(format!(" {}", one_line(&status.name)), Tone::Mysis)
        .with(format!("  {state}"), tone)
        .with(format!("  {doing}"), doing_tone);
    let account = match &status.account {
        Some(account) => format!("  plays as {}", one_line(account)),
        None if status.may_tell_facts() => "  no account".to_string(),
        None => String::new(),
    };
    line.push(account, Tone::Dim);
    let model = format!(
        "  {}/{}",
        one_line(&status.profile.provider),
        one_line(&status.model)
    );
    line.push(model, Tone::Dim);
    let place = position_line(transcript);
    // The scroll position is shown at every width. The model's name may be cut.
    let wide = u16::try_from(width::of(&place.text())).unwrap_or(area.width);
    let columns = [Constraint::Min(0), Constraint::Length(wide)];
    let [left, right] = Layout::horizontal(columns).areas(area);
    painter.line(left, 0, &line);
    painter.line(right, 0, &place);
}

fn position_line(transcript: &Transcript) -> StyledLine {
    let mut line = StyledLine::default();
    if let Some(text_search) = &transcript.text_search {
        let place = text_search
            .current
            .and_then(|current| text_search.places().binary_search(&current).ok());
        let place = place.map_or("–".to_string(), |place| (place + 1).to_string());
        let count = text_search.places().len();
        line.push(
            format!(" /{} {place} of {count}", text_search.text()),
            Tone::Warning,
        );
    }
    if transcript.results() == ResultForm::Raw {
        line.push(" raw results, v words ", Tone::Warning);
    }
    if transcript.is_following() {
        line.push(" following ", Tone::Accent);
    } else {
        line.push(" G follows ", Tone::Warning);
    }
    line
}

fn paint_line(
    transcript: &Transcript,
    shown: &VisibleLine,
    body: Rect,
    row: u16,
    painter: &mut Painter<'_>,
) {
    let Some(line) = shown.line else {
        return;
    };
    let whole = row_of(body, row);
    let is_selected = transcript.selected() == Some(shown.entry.seq);
    if is_selected {
        painter.fill(whole, Ground::Selected);
    }
    let gutter = Transcript::gutter(body.width);
    if line == 0 && gutter > 8 {
        painter.text(whole, 0, &shown.entry.clock, Tone::Dim);
    }
    painter.write(whole, 0, gutter.saturating_sub(2), "▌", shown.entry.speaker);
    if let Some(line) = shown.entry.lines.get(line) {
        painter.line(without_left(whole, gutter), 0, line);
    }
}

/// Draws a mark at the right edge at the height of the scroll position.
fn paint_place(transcript: &Transcript, body: Rect, painter: &mut Painter<'_>) {
    if transcript.is_following() || body.height == 0 {
        return;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a row of the screen times a number from 0 to 1"
    )]
    let row = (f64::from(body.height - 1) * transcript.scroll_fraction()) as u16;
    painter.text_at(body, row, Alignment::Right, "┃", Tone::Accent);
}
