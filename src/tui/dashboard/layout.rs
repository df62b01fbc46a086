//! The layout: the areas of the screen. Views draw into them, and the mouse is interpreted by them.

use super::Dashboard;
use super::appearance::Panel;
use super::overlay::Overlay;
use super::text::width;
use actors::domain::clean::one_line;
use ratatui::layout::{Constraint, Layout, Rect};

/// The smallest usable terminal, in columns and rows.
pub const LEAST: (u16, u16) = (80, 20);

/// From this height on, optional areas are shown.
const TALL_SCREEN_ROWS: u16 = 30;
/// The least lines of the detail pane.
const MIN_DETAIL_ROWS: u16 = 5;
/// The columns before the text of the mission.
const MISSION_LABEL_COLUMNS: usize = 9;
/// The most lines of the composer.
const MAX_COMPOSER_ROWS: u16 = 8;

/// The area without its first columns.
#[must_use]
pub fn without_left(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect {
        x: area.x + columns,
        width: area.width - columns,
        ..area
    }
}

/// One row of an area.
#[must_use]
pub fn row_of(area: Rect, row: u16) -> Rect {
    Rect {
        y: area.y.saturating_add(row),
        height: 1,
        ..area
    }
}

/// The areas of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenLayout {
    /// What is told where the swarm runs and nothing happens.
    pub banner: Rect,
    /// Facts about the whole swarm.
    pub header: Rect,
    /// The titles of the columns, or the name of the Mysis in focus.
    pub title: Rect,
    /// The table, or the conversation.
    pub body: Rect,
    /// The game, beside the conversation.
    pub panel: Rect,
    /// The selected Mysis and the newest messages, below a short table.
    pub glance: Rect,
    /// The Myses that need the operator, below the table.
    pub needs: Rect,
    /// The composer.
    pub writing: Rect,
    /// Errors and receipts.
    pub message: Rect,
    /// The hints for keys.
    pub hints: Rect,
}

impl ScreenLayout {
    /// The whole area of the view, panels included.
    #[must_use]
    pub fn page(&self) -> Rect {
        Rect {
            width: self.title.width,
            height: self.body.height + self.glance.height + self.needs.height,
            ..self.body
        }
    }
}

impl Dashboard {
    /// Whether the screen is too small for the dashboard.
    #[must_use]
    pub fn is_too_small(&self) -> bool {
        self.size.0 < LEAST.0 || self.size.1 < LEAST.1
    }

    /// The whole screen.
    #[must_use]
    pub fn screen(&self) -> Rect {
        let (width, height) = self.size;
        Rect::new(0, 0, width, height)
    }

    /// Divides the screen into areas.
    #[must_use]
    pub fn layout(&self) -> ScreenLayout {
        let [banner, header, title, rest, needs, writing, message, hints] = Layout::vertical([
            Constraint::Length(self.banner_rows()),
            Constraint::Length(2 + self.lines_of_mission()),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(self.lines_of_needs()),
            Constraint::Length(self.composer_rows()),
            Constraint::Length(1),
            Constraint::Length(1),
        ])
        .areas(self.screen());
        let detail_pane = Constraint::Length(self.detail_pane_rows(rest.height));
        let [body, glance] = Layout::vertical([Constraint::Min(0), detail_pane]).areas(rest);
        let panel = Constraint::Length(self.columns_of_panel());
        let [body, panel] = Layout::horizontal([Constraint::Min(0), panel]).areas(body);
        ScreenLayout {
            banner,
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

    /// The rows of the banner: its whole text, at most a third of the screen.
    #[must_use]
    pub fn banner_rows(&self) -> u16 {
        let (width, height) = self.size;
        let columns = usize::from(width).saturating_sub(2);
        let text = one_line(&self.banner_text());
        let lines = width::wrap(&text, columns).filter(|line| !line.is_empty());
        u16::try_from(lines.count())
            .unwrap_or(height)
            .min(height / 3)
    }

    /// A long mission gets a second line if the screen is tall enough.
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

    /// The rows for needs, title included. The key for needs leads to those that do not fit.
    fn lines_of_needs(&self) -> u16 {
        let (_, height) = self.size;
        if self.focus.is_some() || self.needs.is_empty() {
            return 0;
        }
        let most = usize::from(height / 6);
        1 + u16::try_from(self.need_groups.len().min(most)).unwrap_or(0)
    }

    /// The rows that a short table leaves free, minus one line between the two.
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

    /// The rows of the composer, title included: at most a third of the screen.
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
