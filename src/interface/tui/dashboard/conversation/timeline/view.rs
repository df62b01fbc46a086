//! Draws the timeline: a row of flags for orders, and a row with one cell a minute, up to now.
//!
//! Each cell has its own sign and colour, which no widget of ratatui takes, so the painter writes them.

use actors::domain::ids::Timestamp;
use actors::domain::samples::Minute;
use ratatui::layout::Rect;

use super::MinuteUse;
use crate::dashboard::conversation::Focus;
use crate::dashboard::conversation::keys::{FOCUS_KEYS, FocusAction};
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::Keymap;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::painter::Painter;
use crate::theme::Ground;

/// The columns of the time of the first minute.
const LABEL_COLUMNS: u16 = 7;
const ORDER_SIGN: &str = "▾";
/// The sign of a minute in which nothing is known to have happened.
const NOTHING_SIGN: &str = "·";

/// The sign, its tone, and the word of the legend.
fn look_of(kind: MinuteUse) -> (&'static str, Tone, &'static str) {
    match kind {
        MinuteUse::Think => ("▄", Tone::Mysis, "think"),
        MinuteUse::Act => ("█", Tone::Accent, "act"),
        MinuteUse::Travel => ("▸", Tone::You, "travel"),
        MinuteUse::Wait => ("▁", Tone::Warning, "wait"),
        MinuteUse::Fail => ("✖", Tone::Fault, "fail"),
    }
}

/// The minute in a column of the screen; `None` before the first one.
pub(crate) fn minute_at(now: Timestamp, area: Rect, column: u16) -> Option<Minute> {
    let place = column.checked_sub(area.x)?.checked_sub(LABEL_COLUMNS)?;
    (place < cells(area)).then(|| Minute(first_minute(now, area).0 + i64::from(place)))
}

fn cells(area: Rect) -> u16 {
    area.width.saturating_sub(LABEL_COLUMNS + 1)
}

fn first_minute(now: Timestamp, area: Rect) -> Minute {
    Minute(Minute::of(now).0.saturating_sub(i64::from(cells(area)) - 1))
}

pub(crate) fn paint(facts: &Facts, focus: &Focus, area: Rect, painter: &mut Painter<'_>) {
    if area.height < 2 {
        return;
    }
    painter.fill(area, Ground::Panel);
    let first = first_minute(facts.now, area);
    let offset = facts.appearance.offset;
    let clock = |minute: Minute| offset.short_clock(minute.start_time());
    let begin = clock(first);
    painter.text(area, 1, &format!(" {begin}"), Tone::Dim);
    let timeline = &focus.timeline;
    let is_gone_to =
        |minute| timeline.cursor == Some(minute) && focus.transcript.selected().is_some();
    let mut flags_end = 0;
    for place in 0..cells(area) {
        let minute = Minute(first.0 + i64::from(place));
        let record = timeline.minute(minute);
        let column = LABEL_COLUMNS + place;
        let main = record.and_then(super::MinuteRecord::main_use);
        let (sign, tone, _) = main.map_or((NOTHING_SIGN, Tone::Faint, ""), look_of);
        let is_cursor = is_gone_to(minute);
        let tone = if is_cursor { Tone::Found } else { tone };
        painter.write(area, 1, column, sign, tone);
        if record.is_some_and(|record| record.has_order) {
            painter.write(area, 0, column, ORDER_SIGN, Tone::You);
            flags_end = if flags_end == 0 { column } else { flags_end };
        }
    }
    let member = facts.roster.get(focus.mysis());
    let travels = member.is_none_or(|member| member.status.may_tell_facts());
    let cursor = timeline.cursor.filter(|minute| is_gone_to(*minute));
    let legend = legend(travels, cursor.map(clock), &facts.keymap);
    let columns = width::of(&legend.text());
    // The legend gives way to the flags.
    if flags_end == 0 || columns < usize::from(flags_end) {
        painter.line(area, 0, &legend);
    }
}

/// What the signs mean, and the minute that the operator went to.
fn legend(travels: bool, cursor: Option<String>, keymap: &Keymap) -> StyledLine {
    let mut line = StyledLine::of(" ", Tone::Dim);
    match cursor {
        Some(clock) => line.push(format!("{clock} "), Tone::Strong),
        None => {
            let key = |action| keymap.key_of(FOCUS_KEYS, action);
            let (before, next) = (key(FocusAction::MinuteBefore), key(FocusAction::NextMinute));
            line.push(format!("{before} {next} go "), Tone::Dim);
        }
    }
    let has = |kind: &MinuteUse| travels || *kind != MinuteUse::Travel;
    for kind in MinuteUse::ALL.into_iter().filter(has) {
        let (sign, tone, word) = look_of(kind);
        line.push(format!(" {sign}"), tone);
        line.push(format!(" {word}"), Tone::Dim);
    }
    line.push(format!("  {ORDER_SIGN}"), Tone::You);
    line.with(" your orders", Tone::Dim)
}
