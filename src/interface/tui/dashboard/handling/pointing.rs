//! Handles the mouse.

use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::input_event::key;
use crate::dashboard::keys::Movement;
use crate::dashboard::layout::ScreenLayout;
use crossterm::event::{KeyCode, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// The lines that one step of the wheel scrolls.
pub(in crate::dashboard) const WHEEL_LINES: usize = 3;

impl Dashboard {
    pub(super) fn on_mouse(&mut self, mouse: MouseEvent) {
        let layout = self.layout();
        let over = self.overlays.iter().rposition(|layer| !layer.is_thin());
        match over {
            None => self.point_in_view(mouse, &layout),
            Some(place) => self.point_in_open_view(mouse, place),
        }
    }

    fn point_in_view(&mut self, mouse: MouseEvent, layout: &ScreenLayout) {
        if layout.needs.contains(position_of(mouse)) {
            return self.click_need(mouse, layout);
        }
        if layout.timeline.contains(position_of(mouse)) && wheel_direction(mouse).is_none() {
            return self.click_timeline(mouse.column);
        }
        if self.focus.is_none() && layout.title.contains(position_of(mouse)) {
            return self.click_title(mouse);
        }
        if !layout.body.contains(position_of(mouse)) {
            return;
        }
        let row = usize::from(mouse.row - layout.body.y);
        match (wheel_direction(mouse), self.focus.is_some()) {
            (Some(way), true) => self.scroll(WHEEL_LINES, way),
            (None, true) => self.click_entry(row),
            (Some(Direction::Back), false) => self.table.go(Movement::Up),
            (Some(Direction::Forth), false) => self.table.go(Movement::Down),
            (None, false) => self.click_row(row),
        }
    }

    /// The first click selects an entry. A second one expands or folds it.
    fn click_entry(&mut self, row: usize) {
        let Some(focus) = &mut self.focus else {
            return;
        };
        let transcript = &mut focus.transcript;
        match transcript.entry_at(row).map(|entry| entry.seq) {
            Some(seq) if transcript.selected() == Some(seq) => transcript.toggle_entry(seq),
            clicked => transcript.select(clicked),
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
        let columns = self.table_columns();
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
        let place = row.checked_sub(1 + self.standing_need_lines().len());
        let need = place.and_then(|place| self.panel_needs().nth(place));
        let first = need.and_then(|need| need.myses.first());
        if let (None, Some(id)) = (wheel_direction(mouse), first.map(|mysis| mysis.id)) {
            self.show_in_table(id);
        }
    }

    pub(in crate::dashboard) fn wheel_as_keys(&mut self, mouse: MouseEvent) {
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
pub(in crate::dashboard) fn wheel_direction(mouse: MouseEvent) -> Option<Direction> {
    let turned = [
        (MouseEventKind::ScrollUp, Direction::Back),
        (MouseEventKind::ScrollDown, Direction::Forth),
    ];
    let way = turned.into_iter().find(|(kind, _)| *kind == mouse.kind);
    way.map(|(_, way)| way)
}
