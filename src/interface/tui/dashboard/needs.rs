//! The needs in the order of the screen, and the key that helps with each.

use actors::domain::message::Severity;
use actors::domain::needs::{ListedNeed, NeedRemedy, shown_need};
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use super::facts::Facts;
use super::keys::{GLOBAL_KEYS, GlobalAction, Keymap, TARGET_KEYS, TargetAction};
use super::table::keys::{TABLE_KEYS, TableAction};
use super::text::figures;
use super::text::tone::{StyledLine, Tone};
use super::text::width;
use crate::painter::Painter;
use crate::theme::Ground;

/// The key of a remedy; empty if there is none.
pub fn key_of(remedy: NeedRemedy, keymap: &Keymap) -> String {
    match remedy {
        NeedRemedy::Relaunch => keymap.key_of(TARGET_KEYS, TargetAction::Start),
        NeedRemedy::ResumeAll => keymap.key_of(GLOBAL_KEYS, GlobalAction::Resume),
        NeedRemedy::Message => keymap.key_of(TARGET_KEYS, TargetAction::Message),
        NeedRemedy::Stop => keymap.key_of(TARGET_KEYS, TargetAction::Stop),
        NeedRemedy::Answer => keymap.key_of(TARGET_KEYS, TargetAction::Answer),
        NeedRemedy::TryNow => keymap.key_of(TABLE_KEYS, TableAction::TryNow),
        NeedRemedy::Raise => keymap.key_of(TABLE_KEYS, TableAction::RaiseBudget),
        NeedRemedy::Nothing => String::new(),
    }
}

/// The most lines that a condition of the whole program takes among the needs.
const MAX_STANDING_LINES: usize = 2;
const AGE_COLUMNS: usize = 7;

/// The lines of those conditions of the whole program that are not in the banner.
pub fn standing_need_lines(facts: &Facts) -> Vec<StyledLine> {
    let (width, _) = facts.size;
    let room = usize::from(width).saturating_sub(AGE_COLUMNS + 1);
    let lasting = facts.standing.iter();
    let lasting = lasting.filter(|(kind, _)| !kind.is_in_band());
    let mut all = Vec::new();
    for (_, condition) in lasting {
        let ago = figures::ago(facts.now.since(condition.since));
        let mut before = format!(" {ago:>4}  ");
        let text = format!("zoea: {}", one_line(&condition.text));
        for line in width::wrap(&text, room).at_most(MAX_STANDING_LINES) {
            let line = width::clip(line, room);
            all.push(StyledLine::of(before, Tone::Dim).with(line, Tone::Warning));
            before = " ".repeat(AGE_COLUMNS);
        }
    }
    all
}

/// Draws the Myses that need the operator, below the table.
pub(crate) fn paint(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    painter.fill(area, Ground::Panel);
    let rows = usize::from(area.height - 1);
    let key = |action| facts.keymap.key_of(TABLE_KEYS, action);
    let (next, alike) = (key(TableAction::NextNeed), key(TableAction::MarkAlike));
    let title = StyledLine::of(" WHO NEEDS YOU", Tone::Brand).with(
        format!("   {next} goes to the next   {alike} marks similar ones"),
        Tone::Hint,
    );
    painter.line(area, 0, &title);
    let standing = standing_need_lines(facts);
    let all = standing.len() + facts.panel_needs().count();
    if all > rows {
        let more = StyledLine::of(format!("{} more ", all - rows), Tone::Hint);
        painter.line_at_right(area, 0, &more);
    }
    if all == 0 {
        painter.text(area, 1, " no Mysis needs attention", Tone::Dim);
    }
    let mut row = 0;
    for line in standing.iter().take(rows) {
        row += 1;
        painter.line(area, row, line);
    }
    let left = rows - usize::from(row);
    for (row, need) in (row + 1..).zip(facts.panel_needs().take(left)) {
        paint_need(facts, need, area, row, painter);
    }
}

fn paint_need(facts: &Facts, need: &ListedNeed, area: Rect, row: u16, painter: &mut Painter<'_>) {
    let tone = match need.severity {
        Severity::Error => Tone::Errored,
        Severity::Warn | Severity::Info => Tone::Warning,
    };
    let ago = figures::ago(facts.now.since(need.since));
    let name = width::fit(&one_line(&need.whose()), 16);
    let mut line = StyledLine::of(format!(" {ago:>4}  "), Tone::Dim)
        .with(name, Tone::Strong)
        .with(format!(" {:<15} ", shown_need(need.what)), tone);
    let mut help = StyledLine::default();
    if need.remedy != NeedRemedy::Nothing {
        let key = key_of(need.remedy, &facts.keymap);
        help.push(format!("  {key} "), Tone::Key);
        help.push(format!("{} ", need.remedy.text()), Tone::Hint);
    }
    let taken = width::of(&line.text()) + width::of(&help.text());
    let room = usize::from(area.width).saturating_sub(taken);
    line.push(width::clip(&one_line(&need.why), room), Tone::Text);
    painter.line(area, row, &line);
    painter.line_at_right(area, row, &help);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::event::{Elsewhere, LinkState, MysisStatus};
    use actors::domain::ids::{Now, Timestamp};
    use actors::domain::state::LifeState;

    use crate::dashboard::action::TerminalAction;
    use crate::dashboard::tests::{Desk, status};
    use crossterm::event::KeyCode;

    #[test]
    fn the_bell_rings_for_a_mysis_of_any_process_and_once() {
        let mut desk = Desk::new();
        desk.types(":notify bell");
        desk.key(KeyCode::Enter);
        desk.board.take_actions();
        let bells = |desk: &mut Desk| {
            let actions = desk.board.take_actions().into_iter();
            actions
                .filter(|action| *action == TerminalAction::Bell)
                .count()
        };
        let with_link = |link, is_gone| {
            let place = Elsewhere {
                process: "box-2".into(),
                is_gone,
            };
            Arc::new(MysisStatus {
                link,
                link_since: Timestamp(1_000_000),
                elsewhere: Some(Arc::new(place)),
                ..MysisStatus::clone(&status(4, "drift", LifeState::Running))
            })
        };
        desk.reports(with_link(LinkState::Ok, false));
        assert_eq!(bells(&mut desk), 0);
        desk.reports(with_link(LinkState::Down, false));
        assert_eq!(bells(&mut desk), 0, "it may be back in seconds");
        desk.board.tick(Now::from_timestamp(Timestamp(1_061_000)));
        desk.board.prepare_frame();
        assert_eq!(bells(&mut desk), 1);
        // Its process is gone, or another one runs it: the need is the same.
        desk.reports(with_link(LinkState::Down, true));
        desk.reports(with_link(LinkState::Down, false));
        assert_eq!(bells(&mut desk), 0);
    }
}
