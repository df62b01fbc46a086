//! Who needs the operator, below the table.

use actors::domain::clean::one_line;
use actors::domain::dashboard::Dashboard;
use actors::domain::dashboard::figures;
use actors::domain::dashboard::layout::Area;
use actors::domain::dashboard::needs::Need;
use actors::domain::dashboard::tone::{Line, Tone};
use actors::domain::dashboard::width;

use crate::tui::brush::Brush;
use crate::tui::theme::Ground;

pub(super) fn paint(dashboard: &Dashboard, area: Area, brush: &mut Brush<'_>) {
    if area.height == 0 {
        return;
    }
    brush.fill(area, Ground::Panel);
    let troubles = dashboard.troubles();
    let rows = usize::from(area.height - 1);
    let title = Line::of(" WHO NEEDS YOU", Tone::Brand)
        .with("   ! goes to the next   = marks those alike", Tone::Hint);
    brush.line(area, 0, &title);
    if troubles.len() > rows {
        let more = Line::of(format!("{} more ", troubles.len() - rows), Tone::Hint);
        brush.line_at_right(area, 0, &more);
    }
    for (row, trouble) in (1..).zip(troubles.iter().take(rows)) {
        if let Some(need) = dashboard.needs().get(trouble.newest) {
            paint_need(dashboard, need, trouble.myses.len(), area, row, brush);
        }
    }
    brush.on(Ground::Base);
}

fn paint_need(
    dashboard: &Dashboard,
    need: &Need,
    count: usize,
    area: Area,
    row: u16,
    brush: &mut Brush<'_>,
) {
    let ago = figures::ago(dashboard.now().since(need.since));
    let name = width::fit(&one_line(&need.name), 16);
    let mut line = Line::of(format!(" {ago:>4}  "), Tone::Dim)
        .with(name, Tone::Strong)
        .with(format!(" {:<10} ", need.what), need.tone);
    if count > 1 {
        line.push(format!("×{count} "), need.tone);
    }
    let help = if need.key.is_empty() {
        Line::default()
    } else {
        Line::of(format!("  {} ", need.key), Tone::Key).with(format!("{} ", need.help), Tone::Hint)
    };
    let taken = width::of(&line.text()) + width::of(&help.text());
    let room = usize::from(area.width).saturating_sub(taken);
    line.push(width::clip(&one_line(&need.why), room), Tone::Text);
    brush.line(area, row, &line);
    brush.line_at_right(area, row, &help);
}
