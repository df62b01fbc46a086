//! Pointing: what the mouse does.

use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::input_event::{Did, Key, Mouse, Press};
use crate::dashboard::inspector::Inspector;
use crate::dashboard::layout::Layout;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::table::columns::{Column, columns};

/// Lines that the wheel moves.
const WHEEL_LINES: usize = 3;

impl Dashboard {
    pub(super) fn on_mouse(&mut self, mouse: Mouse) {
        let layout = self.layout();
        let over = self
            .overlays
            .iter_mut()
            .rev()
            .find(|layer| !layer.is_thin());
        match over {
            None => self.point_in_view(mouse, &layout),
            Some(Overlay::Inspect(inspector)) => point_in_entry(inspector, mouse, &layout),
            Some(Overlay::Log(_) | Overlay::Help(_)) => self.wheel_as_keys(mouse),
            Some(
                Overlay::Compose(_)
                | Overlay::Form(_)
                | Overlay::Confirm(_)
                | Overlay::Palette(_)
                | Overlay::Query(_),
            ) => {}
        }
    }

    fn point_in_view(&mut self, mouse: Mouse, layout: &Layout) {
        if layout.needs.contains(mouse.x, mouse.y) {
            return self.click_need(mouse, layout);
        }
        if self.focus.is_none() && layout.title.contains(mouse.x, mouse.y) {
            return self.click_title(mouse);
        }
        if !layout.body.contains(mouse.x, mouse.y) {
            return;
        }
        let row = usize::from(mouse.y - layout.body.y);
        match (mouse.did, self.focus.is_some()) {
            (Did::WheelUp, true) => self.scroll(WHEEL_LINES, Direction::Back),
            (Did::WheelDown, true) => self.scroll(WHEEL_LINES, Direction::Forth),
            (Did::Click, true) => self.click_entry(row),
            (Did::WheelUp, false) => self.table.step(-1),
            (Did::WheelDown, false) => self.table.step(1),
            (Did::Click, false) => self.click_row(row),
        }
    }

    /// A first click selects, a second one unfolds.
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

    /// A first click selects, a second one opens.
    fn click_row(&mut self, row: usize) {
        let (_, in_sight) = self.table.visible_rows();
        let Some(id) = in_sight.get(row).copied() else {
            return;
        };
        if self.table.selected() == Some(id) {
            self.open(id);
        } else {
            self.table.select(id);
        }
    }

    /// A click on a title sorts by it.
    fn click_title(&mut self, mouse: Mouse) {
        if mouse.did != Did::Click {
            return;
        }
        let clicked = columns(self.layout().title.width)
            .into_iter()
            .find(|placed| (placed.x..placed.x + placed.width + 1).contains(&mouse.x));
        if let Some(placed) = clicked
            && placed.column != Column::Mark
        {
            self.table
                .sort(self.table.sorting().with_column(placed.column));
        }
    }

    fn click_need(&mut self, mouse: Mouse, layout: &Layout) {
        let row = usize::from(mouse.y - layout.needs.y);
        let place = row.checked_sub(1);
        let group = place.and_then(|place| self.need_groups.get(place));
        let newest = group.and_then(|group| group.myses.first());
        if let (Did::Click, Some(id)) = (mouse.did, newest.copied()) {
            self.show_in_table(id);
        }
    }

    fn wheel_as_keys(&mut self, mouse: Mouse) {
        let key = match mouse.did {
            Did::WheelUp => Key::Up,
            Did::WheelDown => Key::Down,
            Did::Click => return,
        };
        for _ in 0..WHEEL_LINES {
            self.on_press(Press::of(key));
        }
    }
}

fn point_in_entry(inspector: &mut Inspector, mouse: Mouse, layout: &Layout) {
    match mouse.did {
        Did::WheelUp => inspector.scroll(WHEEL_LINES, Direction::Back),
        Did::WheelDown => inspector.scroll(WHEEL_LINES, Direction::Forth),
        Did::Click => {
            let page = layout.page();
            if page.contains(mouse.x, mouse.y) {
                inspector.click(usize::from(mouse.y - page.y));
            }
        }
    }
}
