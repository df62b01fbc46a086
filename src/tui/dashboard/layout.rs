//! Layout: which part of the screen belongs to what. Views paint into it, the mouse is read by it.

use super::Dashboard;
use super::appearance::Panel;
use super::overlay::Overlay;

/// The least that is needed.
pub const LEAST: (u16, u16) = (80, 20);

/// From so many rows on there is room for more than what is needed.
const TALL_SCREEN_ROWS: u16 = 30;
/// Lines that a glance needs.
const MIN_DETAIL_ROWS: u16 = 5;
/// Columns before the text of the mission.
const MISSION_LABEL_COLUMNS: usize = 9;
/// Lines that a text being written may take.
const MAX_COMPOSER_ROWS: u16 = 8;

/// A rectangle of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Its first column.
    pub x: u16,
    /// Its first row.
    pub y: u16,
    /// Its columns.
    pub width: u16,
    /// Its rows.
    pub height: u16,
}

impl Area {
    /// Whether a place is in it.
    #[must_use]
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x.saturating_add(self.width)).contains(&x)
            && (self.y..self.y.saturating_add(self.height)).contains(&y)
    }

    /// Its upper rows, and the rest.
    #[must_use]
    pub fn split_top(self, rows: u16) -> (Area, Area) {
        let rows = rows.min(self.height);
        let top = Area {
            height: rows,
            ..self
        };
        let rest = Area {
            y: self.y + rows,
            height: self.height - rows,
            ..self
        };
        (top, rest)
    }

    /// The rest, and its right columns.
    #[must_use]
    pub fn split_right(self, columns: u16) -> (Area, Area) {
        let columns = columns.min(self.width);
        let rest = Area {
            width: self.width - columns,
            ..self
        };
        let right = Area {
            x: self.x + rest.width,
            width: columns,
            ..self
        };
        (rest, right)
    }

    /// The rest, and its lower rows.
    #[must_use]
    pub fn split_bottom(self, rows: u16) -> (Area, Area) {
        self.split_top(self.height.saturating_sub(rows))
    }
}

/// Which part of the screen belongs to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// What holds for the swarm.
    pub header: Area,
    /// The titles of the columns, or the name of the Mysis in focus.
    pub title: Area,
    /// The table, or the conversation.
    pub body: Area,
    /// Beside the conversation: the game.
    pub panel: Area,
    /// Below the table, where it leaves room: the one selected, and what flew past.
    pub glance: Area,
    /// Below the table: who needs the operator.
    pub needs: Area,
    /// The text being written.
    pub writing: Area,
    /// Errors and receipts.
    pub message: Area,
    /// What keys do.
    pub hints: Area,
}

impl Layout {
    /// The whole space of the view, panels included.
    #[must_use]
    pub fn page(&self) -> Area {
        Area {
            width: self.title.width,
            height: self.body.height + self.glance.height + self.needs.height,
            ..self.body
        }
    }
}

impl Dashboard {
    /// Whether the screen is too small to show anything useful.
    #[must_use]
    pub fn is_too_small(&self) -> bool {
        self.size.0 < LEAST.0 || self.size.1 < LEAST.1
    }

    /// Which part of the screen belongs to what.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let (width, height) = self.size;
        let all = Area {
            width,
            height,
            ..Area::default()
        };
        let (rest, hints) = all.split_bottom(1);
        let (rest, message) = rest.split_bottom(1);
        let (header, rest) = rest.split_top(2 + self.lines_of_mission());
        let (rest, writing) = rest.split_bottom(self.composer_rows());
        let (title, body) = rest.split_top(1);
        let (body, needs) = body.split_bottom(self.lines_of_needs());
        let (body, glance) = body.split_bottom(self.detail_pane_rows(body.height));
        let (body, panel) = body.split_right(self.columns_of_panel());
        Layout {
            header,
            title,
            body,
            panel,
            glance,
            needs,
            writing,
            message,
            hints,
        }
    }

    /// A long mission takes a second line where there is room for it.
    fn lines_of_mission(&self) -> u16 {
        let (width, height) = self.size;
        let columns = usize::from(width).saturating_sub(MISSION_LABEL_COLUMNS + 2);
        let is_long = self
            .mission
            .as_ref()
            .is_some_and(|mission| mission.len() > columns);
        if is_long && height >= TALL_SCREEN_ROWS {
            2
        } else {
            1
        }
    }

    /// Those who need the operator, a title included; the rest is behind a key.
    fn lines_of_needs(&self) -> u16 {
        let (_, height) = self.size;
        if self.focus.is_some() || self.needs.is_empty() {
            return 0;
        }
        let most = usize::from(height / 6);
        1 + u16::try_from(self.need_groups.len().min(most)).unwrap_or(0)
    }

    /// What a short table leaves free, but for a line between the two.
    fn detail_pane_rows(&self, rows: u16) -> u16 {
        let listed = u16::try_from(self.table.order().len()).unwrap_or(u16::MAX);
        let free = rows.saturating_sub(listed.saturating_add(1));
        if self.focus.is_some() || listed == 0 || free < MIN_DETAIL_ROWS {
            return 0;
        }
        free
    }

    fn columns_of_panel(&self) -> u16 {
        let (width, _) = self.size;
        if self.focus.is_none() {
            return 0;
        }
        let wide = match width {
            180.. => 48,
            120..180 => 38,
            _ => 32,
        };
        match self.appearance.panel {
            Panel::Hidden => 0,
            Panel::Shown => wide,
            Panel::WithRoom if width >= 120 => wide,
            Panel::WithRoom => 0,
        }
    }

    /// The text being written, its title included; it takes at most a third of the screen.
    fn composer_rows(&self) -> u16 {
        let composer = self.overlays.iter().find_map(Overlay::composer);
        let Some(composer) = composer else {
            return 0;
        };
        let columns = usize::from(self.size.0.saturating_sub(4));
        let lines = composer.field.lay_out(columns).lines.len();
        let most = MAX_COMPOSER_ROWS.min(self.size.1 / 3).max(1);
        1 + u16::try_from(lines).unwrap_or(most).clamp(1, most)
    }
}
