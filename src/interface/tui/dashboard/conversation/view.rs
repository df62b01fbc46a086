//! Draws the conversation of one Mysis.

use super::Focus;
use super::keys::{FOCUS_KEYS, FocusAction};
use super::transcript::entry::ResultForm;
use super::transcript::{Transcript, VisibleLine};
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{Keymap, MOVEMENT_KEYS, Movement, TARGET_KEYS, TargetAction};
use crate::dashboard::layout::{ScreenLayout, row_of, without_left};
use crate::dashboard::table::cells::doing_text;
use crate::dashboard::table::seen_state::SeenState;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use actors::domain::event::MysisStatus;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use zoea_text::clean::one_line;

use super::{panel, timeline};
use crate::dashboard::toolkit::page::say;
use crate::painter::Painter;
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
        let pages = transcript.pages();
        let words = match (pages.is_loading(), pages.may_load()) {
            (true, _) => "reading the conversation …".to_string(),
            (false, true) => {
                let key = facts.keymap.key_of(TARGET_KEYS, TargetAction::Message);
                format!("nothing has been said yet; {key} writes to it")
            }
            (false, false) => {
                let key = facts.keymap.key_of(MOVEMENT_KEYS, Movement::Down);
                format!("the conversation cannot be read; {key} reads it again")
            }
        };
        say(layout.body, &words, Tone::Dim, painter);
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
    let (provider, model) = (&status.profile.provider, &status.model);
    let model = format!("  {}/{}", one_line(provider), one_line(model));
    line.push(model, Tone::Dim);
    let place = position_line(transcript, &facts.keymap);
    // The scroll position is shown at every width. The model's name may be cut.
    let wide = u16::try_from(width::of(&place.text())).unwrap_or(area.width);
    let columns = [Constraint::Min(0), Constraint::Length(wide)];
    let [left, right] = Layout::horizontal(columns).areas(area);
    painter.line(left, 0, &line);
    painter.line(right, 0, &place);
}

fn position_line(transcript: &Transcript, keymap: &Keymap) -> StyledLine {
    let mut line = StyledLine::default();
    if let Some(text_search) = &transcript.text_search {
        let place = text_search
            .current
            .and_then(|current| text_search.places().binary_search(&current).ok());
        let place = place.map_or("–".to_string(), |place| (place + 1).to_string());
        let (text, count) = (text_search.text(), text_search.places().len());
        line.push(format!(" /{text} {place} of {count}"), Tone::Warning);
    }
    if transcript.results() == ResultForm::Raw {
        let key = keymap.key_of(FOCUS_KEYS, FocusAction::Results);
        line.push(format!(" raw results, {key} words "), Tone::Warning);
    }
    if transcript.is_following() {
        line.push(" following ", Tone::Accent);
    } else {
        let key = keymap.key_of(MOVEMENT_KEYS, Movement::Last);
        line.push(format!(" {key} follows "), Tone::Warning);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crossterm::event::KeyCode;

    use super::*;
    use crate::dashboard::input_event::key;
    use crate::dashboard::tests::{Desk, loads_of};
    use crate::dump::render_text;
    use crate::theme::Depth;

    fn text(desk: &Desk) -> String {
        render_text(&crate::view::paint(&desk.board, Depth::True).buffer)
    }

    #[test]
    fn keys_are_named_as_they_were_chosen() {
        let mut desk = Desk::new();
        let chosen = [("bottom", 6), ("raw", 7), ("next_minute", 8)];
        let chosen = chosen.map(|(name, f)| (name.to_string(), vec![key(KeyCode::F(f))]));
        desk.board.facts.keymap = Keymap::new(BTreeMap::from(chosen));
        desk.key(KeyCode::Enter);
        desk.key(KeyCode::F(7));
        let focus = desk.board.focus.as_mut().expect("a conversation");
        focus.transcript.go_to_top();
        assert!(!focus.transcript.is_following());
        let text = text(&desk);
        for words in ["F6 follows", "raw results, F7 words", "[ F8 go"] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn a_conversation_that_cannot_be_read_is_not_said_to_be_empty() {
        let mut desk = Desk::new();
        let unread = "the conversation cannot be read; ↓ reads it again";
        for (id, _) in loads_of(&desk.key(KeyCode::Enter)) {
            desk.board.on_read(id, Err("no disk".to_string()));
        }
        desk.board.prepare_frame();
        assert!(text(&desk).contains(unread));
        assert!(!loads_of(&desk.key(KeyCode::Down)).is_empty());
        assert!(!text(&desk).contains(unread));
    }
}
