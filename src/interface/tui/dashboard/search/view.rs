//! Draws the places of a text in all conversations.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};
use zoea_text::clean::one_line;

use super::{SEARCH_KEYS, SearchAction, SearchHit, SearchView};
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::columns::{ListColumn, paint_list};
use crate::dashboard::toolkit::page::{begin_page, say_all};
use crate::painter::Painter;

/// The rows of the selected place as a whole, its heading included.
const DETAIL_ROWS: u16 = 5;
/// From this height on the selected place is shown as a whole.
const MIN_ROWS_WITH_DETAIL: u16 = 12;
/// From this width on, the kind of each row is told.
const MIN_COLUMNS_WITH_KIND: u16 = 70;
/// From this width on, the day is told, and names have more room.
const MIN_COLUMNS_WITH_DAY: u16 = 100;

/// The areas of the list and of the selected place as a whole.
pub(super) fn areas(page: Rect) -> [Rect; 2] {
    let rows = match page.height >= MIN_ROWS_WITH_DETAIL {
        true => DETAIL_ROWS,
        false => 0,
    };
    let rows = [Constraint::Min(0), Constraint::Length(rows)];
    Layout::vertical(rows).areas(page)
}

pub(crate) fn paint(
    facts: &Facts,
    view: &SearchView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let page = begin_page(layout, &title(view), painter);
    if view.found.hits.is_empty() {
        return paint_nothing(facts, view, page, painter);
    }
    let [list, detail] = areas(page);
    let columns = columns(facts, view, list.width);
    paint_list(&columns, &view.found.hits, &view.selection, list, painter);
    if let Some(hit) = view.selected() {
        paint_detail(facts, view, hit, detail, painter);
    }
}

fn title(view: &SearchView) -> StyledLine {
    let text = one_line(view.text_search().text());
    let line = StyledLine::of(" SEARCH  ", Tone::Brand).with(text, Tone::Found);
    if let Some(why) = &view.complaint {
        return line.with(format!("  cannot be searched: {why}"), Tone::Fault);
    }
    let count = view.found.hits.len();
    if view.is_searching() {
        return line.with("  searching …", Tone::Accent);
    }
    let words = match (count, view.found.may_have_more, view.has_more_to_read()) {
        (0, _, _) => String::new(),
        (1, false, _) => "1 match".to_string(),
        (_, false, _) => format!("{count} matches, newest first"),
        (_, true, true) => format!("newest {count} matches; ↓ on the last reads older ones"),
        (_, true, false) => format!("newest {count} matches; a longer text finds fewer"),
    };
    line.with(format!("  {words}"), Tone::Dim)
}

/// Says that nothing was found, and what was searched.
fn paint_nothing(facts: &Facts, view: &SearchView, page: Rect, painter: &mut Painter<'_>) {
    let dim = |words: String| (words, Tone::Dim);
    let mut lines: Vec<(String, Tone)> = Vec::new();
    if let Some(why) = &view.complaint {
        lines.push((why.to_string(), Tone::Fault));
        let key = facts.keymap.key_of(SEARCH_KEYS, SearchAction::Again);
        lines.push(dim(format!("{key} searches again")));
    } else if view.is_searching() {
        lines.push(dim("searching all conversations …".to_string()));
    } else {
        let myses = facts.counts.all;
        let case = match view.text_search().is_case_sensitive() {
            true => "upper and lower case had to match",
            false => "lower case matches upper case too",
        };
        lines.push(("No matches.".to_string(), Tone::Strong));
        let searched = format!("messages and reasoning of {myses} Myses were searched");
        lines.extend([dim(searched), dim(case.to_string())]);
        if let Some(before) = view.found.removed_before {
            let day = facts.appearance.offset.day(before);
            lines.push(dim(format!("messages older than {day} are not all kept")));
        }
    }
    say_all(page, &lines, painter);
}

/// The selected place with all that is kept around it.
fn paint_detail(
    facts: &Facts,
    view: &SearchView,
    hit: &SearchHit,
    area: Rect,
    painter: &mut Painter<'_>,
) {
    if area.is_empty() {
        return;
    }
    let paint = painter.paint();
    let offset = facts.appearance.offset;
    let when = format!("  {} {} ", offset.day(hit.at), offset.clock(hit.at));
    let head = StyledLine::of(format!(" {}", owner(facts, hit)), Tone::Strong)
        .with(format!(" #{} {}", hit.key.1.0, hit.kind), Tone::Text)
        .with(when, Tone::Dim);
    let block = Block::new()
        .borders(Borders::TOP)
        .border_style(paint.text(Tone::Faint))
        .title(paint.line(&head));
    let mut text = StyledLine::default();
    if let Some(words) = view.words_of(hit) {
        text.push(format!("{words}  "), Tone::Strong);
    }
    let text = text
        .with(&*hit.excerpt.before, Tone::Text)
        .with(&*hit.excerpt.found, Tone::Found)
        .with(&*hit.excerpt.after, Tone::Text);
    let text = Paragraph::new(paint.line(&text)).wrap(Wrap { trim: true });
    painter.render(text.block(block), area);
}

fn owner(facts: &Facts, hit: &SearchHit) -> String {
    let member = facts.roster.get(hit.key.0);
    let name = member.map(|member| one_line(&member.status.name));
    name.unwrap_or("(deleted)".to_string())
}

/// What is told of a hit. Who and when give way to the place itself.
fn columns<'a>(
    facts: &'a Facts,
    view: &'a SearchView,
    room: u16,
) -> [ListColumn<'a, SearchHit>; 4] {
    let (time, name) = match room {
        MIN_COLUMNS_WITH_DAY.. => (14, 16),
        60..MIN_COLUMNS_WITH_DAY => (8, 12),
        _ => (5, 9),
    };
    let kind = if room >= MIN_COLUMNS_WITH_KIND { 7 } else { 0 };
    [
        ListColumn::text("WHEN", 2, (time, time), |hit: &SearchHit, columns| {
            StyledLine::of(time_of(facts, hit, columns), Tone::Dim)
        }),
        ListColumn::text("MYSIS", 3, (name, name), |hit: &SearchHit, _| {
            StyledLine::of(owner(facts, hit), Tone::Mysis)
        }),
        ListColumn::text("ROW", 1, (kind, kind), |hit: &SearchHit, _| {
            StyledLine::of(&*hit.kind, Tone::Dim)
        }),
        ListColumn::text("TEXT", 4, (10, u16::MAX), |hit: &SearchHit, columns| {
            place_in_row(view, hit, columns)
        }),
    ]
}

/// The local time: with the day where there is room, and where it is not today.
fn time_of(facts: &Facts, hit: &SearchHit, columns: usize) -> String {
    let offset = facts.appearance.offset;
    let (day, clock) = (offset.day(hit.at), offset.clock(hit.at));
    let short_day = day.get(5..).unwrap_or_default();
    let is_today = day == offset.day(facts.now);
    match (columns, is_today) {
        (14.., _) => format!("{short_day} {clock}"),
        (8.., true) => clock,
        (_, true) => offset.short_clock(hit.at),
        (_, false) => short_day.to_string(),
    }
}

/// The place with what stands around it, so that what was found is in sight.
fn place_in_row(view: &SearchView, hit: &SearchHit, columns: usize) -> StyledLine {
    let excerpt = &hit.excerpt;
    let mut line = StyledLine::default();
    // What was found may stand in a part that the words leave out.
    if let Some(words) = view.words_of(hit) {
        line.push(words, Tone::Text);
        if !view.text_search().is_within(words) {
            let rest = columns.saturating_sub(width::of(words) + 2);
            line.push("  ", Tone::Text);
            line.push(width::end(&excerpt.before, rest / 3), Tone::Dim);
            line.push(&*excerpt.found, Tone::Found);
            line.push(&*excerpt.after, Tone::Dim);
        }
    } else {
        let found = width::of(&excerpt.found);
        // If all of it fits, nothing is cut; else what comes before has at most a third.
        let after = width::of(&excerpt.after);
        let room = columns.saturating_sub(found + after).max(columns / 3);
        let before = match width::of(&excerpt.before) {
            wide if wide <= room => excerpt.before.to_string(),
            _ => format!("…{}", width::end(&excerpt.before, room.saturating_sub(1))),
        };
        line.push(before, Tone::Text);
        line.push(&*excerpt.found, Tone::Found);
        line.push(&*excerpt.after, Tone::Text);
    }
    view.text_search().mark(std::slice::from_mut(&mut line));
    line
}
