//! Handles the mouse.

use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::input_event::key;
use crate::dashboard::keys::Movement;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::needs::standing_need_lines;
use crate::dashboard::toolkit::view::Pointed;
use crossterm::event::{KeyCode, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

pub(crate) const WHEEL_LINES: usize = 3;

impl Dashboard {
    pub(super) fn on_mouse(&mut self, mouse: MouseEvent) {
        let layout = self.layout();
        let over = self.layers.all.iter().rposition(|layer| !layer.is_thin());
        let Some(place) = over else {
            return self.point_in_view(mouse, &layout);
        };
        let pointed = self.with_views(|layers, context| layers.point(context, mouse, place));
        if pointed == Some(Pointed::AsKeys) {
            self.wheel_as_keys(mouse);
        }
    }

    fn point_in_view(&mut self, mouse: MouseEvent, layout: &ScreenLayout) {
        if layout.needs.contains(position_of(mouse)) {
            return self.click_need(mouse, layout);
        }
        if layout.timeline.contains(position_of(mouse)) && wheel_direction(mouse).is_none() {
            if let Some(focus) = &mut self.focus {
                focus.click_timeline(self.facts.now, layout.timeline, mouse.column);
            }
            return;
        }
        if self.focus.is_none() && layout.title.contains(position_of(mouse)) {
            return self.click_title(mouse);
        }
        if !layout.body.contains(position_of(mouse)) {
            return;
        }
        let row = usize::from(mouse.row - layout.body.y);
        match (wheel_direction(mouse), &mut self.focus) {
            (Some(way), Some(focus)) => focus.transcript.scroll(WHEEL_LINES, way),
            (None, Some(focus)) => focus.click(row),
            (Some(Direction::Back), None) => self.table.go(Movement::Up),
            (Some(Direction::Forth), None) => self.table.go(Movement::Down),
            (None, None) => self.click_row(row),
        }
    }

    /// The first click selects a line. A second one opens the conversation, or folds the group.
    fn click_row(&mut self, row: usize) {
        let (above, visible) = self.table.visible();
        match visible.get(row) {
            Some(line) if self.table.is_selected(line) => self.open_selected(),
            Some(_) => self.table.go_to(above + row),
            None => {}
        }
    }

    /// A click on a column's title sorts by the column.
    fn click_title(&mut self, mouse: MouseEvent) {
        if wheel_direction(mouse).is_some() {
            return;
        }
        let columns = self.table.columns();
        let clicked = columns
            .into_iter()
            .find(|placed| (placed.x..placed.x + placed.width + 1).contains(&mouse.column));
        if let Some(placed) = clicked {
            self.table
                .sort(self.table.sorting().with_column(placed.column));
        }
    }

    fn click_need(&mut self, mouse: MouseEvent, layout: &ScreenLayout) {
        let row = usize::from(mouse.row - layout.needs.y);
        let place = row.checked_sub(1 + standing_need_lines(&self.facts).len());
        let need = place.and_then(|place| self.facts.panel_needs().nth(place));
        let first = need.and_then(|need| need.myses.first());
        if let (None, Some(id)) = (wheel_direction(mouse), first.map(|mysis| mysis.id)) {
            self.show_in_table(id);
        }
    }

    fn wheel_as_keys(&mut self, mouse: MouseEvent) {
        let code = match wheel_direction(mouse) {
            Some(Direction::Back) => KeyCode::Up,
            Some(Direction::Forth) => KeyCode::Down,
            None => return,
        };
        for _ in 0..WHEEL_LINES {
            self.on_press(key(code));
        }
    }
}

fn position_of(mouse: MouseEvent) -> Position {
    Position::new(mouse.column, mouse.row)
}

/// The direction of the wheel; `None` for a click.
pub(crate) fn wheel_direction(mouse: MouseEvent) -> Option<Direction> {
    let turned = [
        (MouseEventKind::ScrollUp, Direction::Back),
        (MouseEventKind::ScrollDown, Direction::Forth),
    ];
    let way = turned.into_iter().find(|(kind, _)| *kind == mouse.kind);
    way.map(|(_, way)| way)
}
