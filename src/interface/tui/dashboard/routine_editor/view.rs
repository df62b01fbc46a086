//! Draws the editor of a routine.

use ratatui::layout::{Constraint, Layout, Rect};
use zoea_text::clean::one_line;

use super::RoutineEditor;
use super::keys::{ROUTINE_KEYS, RoutineAction};
use super::mistakes::Mistake;
use crate::dashboard::facts::Facts;
use crate::dashboard::keys::Keymap;
use crate::dashboard::layout::{ScreenLayout, row_of, without_left};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::page::begin_page;
use crate::painter::Painter;
use crate::theme::Ground;

/// The columns of the numbers of lines, with the mark of a mistake and a gap.
const GUTTER_COLUMNS: u16 = 5;

pub(crate) fn paint(
    facts: &Facts,
    editor: &RoutineEditor,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let page = begin_page(layout, &title(facts, editor), painter);
    if editor.is_loading() {
        painter.text(page, 0, " reading the routine …", Tone::Dim);
        return;
    }
    let mut lines = foot_lines(editor, &facts.keymap);
    let most = usize::from((page.height / 3).max(1));
    if lines.len() > most {
        let more = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(StyledLine::of(format!(" and {more} more"), Tone::Dim));
    }
    let foot = u16::try_from(lines.len()).unwrap_or(1);
    let [text, foot] = Layout::vertical([Constraint::Min(0), Constraint::Length(foot)]).areas(page);
    paint_text(editor, text, painter);
    painter.fill(foot, Ground::Panel);
    painter.lines(foot, &lines);
}

fn title(facts: &Facts, editor: &RoutineEditor) -> StyledLine {
    let name = editor.name().map_or("a new one", |name| name);
    let of = one_line(&facts.name_of(editor.mysis));
    let mut title = StyledLine::of(" ROUTINE  ", Tone::Brand)
        .with(one_line(name), Tone::Strong)
        .with(format!(" of {of}"), Tone::Dim);
    let member = facts.roster.get(editor.mysis);
    let run = member.and_then(|member| member.status.routine.as_ref());
    if let Some(run) = run.filter(|run| Some(&*run.name) == editor.name()) {
        let words = format!("  runs, round {} of {}", run.round, run.rounds);
        title = title.with(words, Tone::Success);
    }
    match editor.is_changed() {
        true => title.with("  not saved", Tone::Warning),
        false => title,
    }
}

/// The text with the numbers of its lines, scrolled so that the cursor is in the middle.
fn paint_text(editor: &RoutineEditor, area: Rect, painter: &mut Painter<'_>) {
    let text = without_left(area, GUTTER_COLUMNS);
    let laid = editor.field.lay_out(usize::from(text.width));
    let rows = usize::from(area.height);
    let last = laid.lines.len().saturating_sub(rows);
    let top = laid.row.saturating_sub(rows / 2).min(last);
    let wrong: Vec<Option<usize>> = editor.all_mistakes().iter().map(|it| it.line).collect();
    let shown = laid.lines.iter().zip(&laid.paragraphs).enumerate();
    for (row, (at, (line, paragraph))) in (0..area.height).zip(shown.skip(top)) {
        let is_wrong = wrong.contains(&Some(*paragraph));
        let is_first = at == 0 || laid.paragraphs.get(at - 1) != Some(paragraph);
        if is_wrong {
            painter.fill(row_of(area, row), Ground::Selected);
        }
        let (mark, tone) = match is_wrong {
            true => ('!', Tone::Fault),
            false => (' ', Tone::Faint),
        };
        if is_first {
            painter.text(area, row, &format!("{mark}{:>3}", paragraph + 1), tone);
        }
        painter.text(text, row, line, Tone::Text);
    }
    painter.put_cursor(text, (laid.column, laid.row.saturating_sub(top)));
}

/// What is wrong, else what can be done.
fn foot_lines(editor: &RoutineEditor, keymap: &Keymap) -> Vec<StyledLine> {
    let notice = editor.notice.as_ref();
    let notice = notice.map(|words| StyledLine::of(format!(" {}", one_line(words)), Tone::Warning));
    let mistakes = editor.all_mistakes().into_iter().map(mistake_line);
    let mut lines: Vec<StyledLine> = notice.into_iter().chain(mistakes).collect();
    if lines.is_empty() {
        let key = |action| keymap.key_of(ROUTINE_KEYS, action);
        let words = match (editor.is_changed(), editor.known.is_some()) {
            (true, true) => format!(" no mistakes; {} saves it", key(RoutineAction::Save)),
            (_, false) => format!(" no mistakes; {} starts it", key(RoutineAction::Start)),
            (false, true) => " as it is stored".to_string(),
        };
        lines.push(StyledLine::of(words, Tone::Dim));
    }
    lines
}

fn mistake_line(mistake: &Mistake) -> StyledLine {
    let place = match mistake.line {
        Some(line) => format!(" line {}  ", line + 1),
        None => " ".to_string(),
    };
    let words = one_line(&mistake.text);
    StyledLine::of(place, Tone::Fault).with(width::clip(&words, 400).into_owned(), Tone::Text)
}
