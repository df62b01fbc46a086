//! Draws the Myses that need the operator, below the table.

use super::key_of;
use super::standing_need_lines;
use crate::dashboard::facts::Facts;
use crate::dashboard::table::keys::{TABLE_KEYS, TableAction};
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use actors::domain::message::Severity;
use actors::domain::needs::{ListedNeed, NeedRemedy, shown_need};
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::Ground;

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
