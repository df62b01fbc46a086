//! The layout: the areas of the screen. Views draw into them, and the mouse is interpreted by them.

use super::Dashboard;
use super::appearance::{Letters, Panel};
use super::servers::ServerLight;
use super::text::width;
use ratatui::layout::{Constraint, Layout, Rect};
use zoea_text::clean::one_line;

/// The most columns and rows that are drawn: more than the largest screens have, and few enough to be
/// drawn in a fraction of a second.
const MOST: (u16, u16) = (1000, 300);

/// The columns and rows that are drawn on a terminal of this size. A terminal may report any number,
/// and a picture of all of it would take gigabytes.
#[must_use]
pub fn bounded_size((columns, rows): (u16, u16)) -> (u16, u16) {
    (columns.min(MOST.0), rows.min(MOST.1))
}

/// The smallest usable terminal, in columns and rows.
pub const LEAST: (u16, u16) = (40, 10);

/// From this height on, optional areas are shown.
const TALL_SCREEN_ROWS: u16 = 30;
/// From this height on, the header has a row for the servers in any case.
const MIN_ROWS_FOR_SERVERS: u16 = 18;
/// From this size on, the rate of the swarm is drawn large.
const LARGE_RATE_SIZE: (u16, u16) = (100, 36);
/// The rows that it takes more than the figures alone.
pub(super) const LARGE_ROWS: u16 = 2;
/// From this height on, needs and the newest events are always there.
const ROWS_FOR_ALL: u16 = 50;
/// The rows of needs in such a screen, without their title.
const LEAST_NEEDS_ROWS: u16 = 3;
/// From this size on, the conversation of the selected Mysis is beside the table.
const PREVIEW_SIZE: (u16, u16) = (160, 20);
/// More columns are of no use for it.
const MAX_PREVIEW_COLUMNS: u16 = 110;
/// The least lines of the detail pane.
const MIN_DETAIL_ROWS: u16 = 5;
const MISSION_LABEL_COLUMNS: usize = 9;
const MAX_COMPOSER_ROWS: u16 = 8;
const TIMELINE_ROWS: u16 = 2;
/// The rows that a conversation has to have to spare for a timeline.
const MIN_ROWS_FOR_TIMELINE: u16 = 8;
/// The rows that are always there: counts, figures, title, message and hints.
const FIXED_ROWS: u16 = 5;
/// The rows of the table, or of the conversation, that nothing takes away.
const LEAST_LIST_ROWS: u16 = 2;
/// Up to this height the banner has one row.
const LOW_SCREEN_ROWS: u16 = 13;

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

#[must_use]
pub fn row_of(area: Rect, row: u16) -> Rect {
    Rect {
        y: area.y.saturating_add(row),
        height: 1,
        ..area
    }
}

/// The rows that a text of the banner takes at this width of the screen.
fn rows_of(text: &str, width: u16) -> u16 {
    let columns = usize::from(width).saturating_sub(2);
    let text = one_line(text);
    let lines = width::wrap(&text, columns).filter(|line| !line.is_empty());
    u16::try_from(lines.count()).unwrap_or(u16::MAX)
}

/// The areas of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenLayout {
    pub screen: Rect,
    /// What is told where the swarm runs and nothing happens.
    pub banner: Rect,
    /// Facts about the whole swarm.
    pub header: Rect,
    /// The rows of the header that the rate of the swarm takes beside the one of its figures.
    pub large_rows: u16,
    /// The last rows of the header, for the servers.
    pub server_rows: u16,
    /// The titles of the columns, or the name of the Mysis in focus.
    pub title: Rect,
    /// The table, or the conversation.
    pub body: Rect,
    /// The game, beside the conversation; or the conversation of the selected Mysis, beside the table.
    pub panel: Rect,
    /// The selected Mysis and the newest messages, below a short table.
    pub glance: Rect,
    /// How many Myses repeat a paying loop, below the table.
    pub loops: Rect,
    /// The Myses that need the operator, below the table.
    pub needs: Rect,
    /// The timeline, below the conversation.
    pub timeline: Rect,
    /// The composer.
    pub writing: Rect,
    /// Errors and receipts.
    pub message: Rect,
    /// The hints for keys.
    pub hints: Rect,
}

/// The rows of the parts around the list that give way to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SharedRows {
    pub(super) banner: u16,
    pub(super) mission: u16,
    pub(super) large: u16,
    pub(super) servers: u16,
    pub(super) loops: u16,
    pub(super) needs: u16,
    pub(super) timeline: u16,
    pub(super) writing: u16,
}

impl ScreenLayout {
    /// All of the screen but the banner: what is told at the top is not covered.
    #[must_use]
    pub fn below_banner(&self) -> Rect {
        Rect {
            y: self.banner.height,
            height: self.screen.height - self.banner.height,
            ..self.screen
        }
    }

    /// The whole area of the view, panels included.
    #[must_use]
    pub fn page(&self) -> Rect {
        Rect {
            width: self.title.width,
            height: self.body.height
                + self.glance.height
                + self.loops.height
                + self.needs.height
                + self.timeline.height,
            ..self.body
        }
    }
}

impl Dashboard {
    #[must_use]
    pub fn is_too_small(&self) -> bool {
        self.size.0 < LEAST.0 || self.size.1 < LEAST.1
    }

    #[must_use]
    pub fn screen(&self) -> Rect {
        let (width, height) = self.size;
        Rect::new(0, 0, width, height)
    }

    /// Divides the screen into areas.
    #[must_use]
    pub fn layout(&self) -> ScreenLayout {
        let rows = self.share_rows();
        let rows = match self.rows_to_hold() {
            Some(before) => rows.held_at(before),
            None => rows,
        };
        let [
            banner,
            header,
            title,
            rest,
            loops,
            needs,
            timeline,
            writing,
            message,
            hints,
        ] = Layout::vertical([
            Constraint::Length(rows.banner),
            Constraint::Length(2 + rows.large + rows.mission + rows.servers),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(rows.loops),
            Constraint::Length(rows.needs),
            Constraint::Length(rows.timeline),
            Constraint::Length(rows.writing),
            Constraint::Length(1),
            Constraint::Length(1),
        ])
        .areas(self.screen());
        let panel = Constraint::Length(self.columns_of_panel());
        let [rest, panel] = Layout::horizontal([Constraint::Min(0), panel]).areas(rest);
        let detail_pane = Constraint::Length(self.detail_pane_rows(rest.height));
        let [body, glance] = Layout::vertical([Constraint::Min(0), detail_pane]).areas(rest);
        ScreenLayout {
            screen: self.screen(),
            banner,
            header,
            large_rows: rows.large,
            server_rows: rows.servers,
            title,
            body,
            panel,
            glance,
            loops,
            needs,
            timeline,
            writing,
            message,
            hints,
        }
    }

    /// Shares the rows out that the list can spare, by importance: what the operator writes, the banner, the mission,
    /// servers that do not answer, and who needs him. So the selected line is on every screen that is not too small.
    pub(super) fn share_rows(&self) -> SharedRows {
        let (_, height) = self.size;
        let (banner, writing) = (self.banner_rows(), self.composer_rows());
        if self.is_too_small() {
            return SharedRows {
                banner,
                ..SharedRows::default()
            };
        }
        let mut room = height.saturating_sub(FIXED_ROWS + LEAST_LIST_ROWS);
        let mut take = |wanted: u16| {
            let taken = wanted.min(room);
            room -= taken;
            taken
        };
        let mut rows = SharedRows {
            writing: take(writing.min(2)),
            banner: take(self.urgent_rows().max(banner.min(1))),
            mission: take(1),
            servers: take(u16::from(self.wants_servers())),
            large: 0,
            loops: 0,
            needs: 0,
            timeline: 0,
        };
        rows.writing += take(writing - rows.writing);
        rows.banner += take(banner - rows.banner);
        rows.needs = take(self.lines_of_needs());
        rows.loops = take(self.lines_of_loops());
        rows.mission += take(self.lines_of_mission() - rows.mission);
        if self.wants_large_rate() {
            rows.large = take(LARGE_ROWS) / LARGE_ROWS * LARGE_ROWS;
        }
        // A title without a line below says nothing.
        rows.needs *= u16::from(rows.needs > 1);
        if self.focus.is_some() && room >= MIN_ROWS_FOR_TIMELINE {
            rows.timeline = TIMELINE_ROWS;
        }
        rows
    }

    /// The rows that the banner wants: its whole text, at most a third of the screen, but all of what is urgent.
    fn banner_rows(&self) -> u16 {
        let (width, height) = self.size;
        let most = match height {
            0..3 => 0,
            3..=LOW_SCREEN_ROWS => 1,
            _ => height / 3,
        };
        let wanted = rows_of(&self.banner_text(), width).min(most);
        wanted.max(self.urgent_rows())
    }

    /// The rows for what is wrong with the store and its disk, which is shown whole. The list keeps its own.
    fn urgent_rows(&self) -> u16 {
        let (width, height) = self.size;
        let most = match self.is_too_small() {
            true => height,
            false => height - FIXED_ROWS - LEAST_LIST_ROWS,
        };
        rows_of(&self.lasting_text(), width).min(most)
    }

    /// Whether the header shall have a row for the servers. In a low terminal they have one only while one of them does not
    /// answer.
    fn wants_servers(&self) -> bool {
        let (_, height) = self.size;
        let is_answered = |light: &ServerLight| light.state.answers();
        if self.store_trouble().is_some() {
            return true;
        }
        height >= MIN_ROWS_FOR_SERVERS || !self.servers.iter().all(is_answered)
    }

    /// Whether the rate of the swarm is drawn large: where there is room, and a swarm.
    fn wants_large_rate(&self) -> bool {
        let (width, height) = self.size;
        let has_blocks = self.appearance.letters == Letters::Unicode;
        let has_room = width >= LARGE_RATE_SIZE.0 && height >= LARGE_RATE_SIZE.1;
        has_room && has_blocks && !self.roster.members().is_empty()
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
        let wanted = self.panel_needs().count() + self.standing_need_lines().len();
        let is_tall = height >= ROWS_FOR_ALL;
        if self.focus.is_some() || (wanted == 0 && !is_tall) {
            return 0;
        }
        let most = usize::from(height / 6);
        // In a tall screen the list does not come and go.
        let least = if is_tall { LEAST_NEEDS_ROWS } else { 0 };
        1 + u16::try_from(wanted.min(most)).unwrap_or(0).max(least)
    }

    /// The row for the loops that can be taken.
    fn lines_of_loops(&self) -> u16 {
        u16::from(self.focus.is_none() && self.counts.looping > 0)
    }

    /// The rows that a short table leaves free, minus one line between the two. In a tall screen the newest events have some
    /// in any case.
    fn detail_pane_rows(&self, rows: u16) -> u16 {
        let listed = u16::try_from(self.table.lines().len()).unwrap_or(u16::MAX);
        let free = rows.saturating_sub(listed.saturating_add(1));
        if self.focus.is_some() || listed == 0 {
            return 0;
        }
        let (_, height) = self.size;
        let least = if height >= ROWS_FOR_ALL { rows / 4 } else { 0 };
        match free {
            MIN_DETAIL_ROWS.. => free.max(least),
            _ => least,
        }
    }

    fn columns_of_panel(&self) -> u16 {
        let (width, height) = self.size;
        if self.focus.is_none() {
            let has_room = width >= PREVIEW_SIZE.0 && height >= PREVIEW_SIZE.1;
            let has_rows = has_room && !self.table.order().is_empty();
            return u16::from(has_rows) * (width * 2 / 5).min(MAX_PREVIEW_COLUMNS);
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
    pub(super) fn composer_rows(&self) -> u16 {
        let Some(composer) = self.open_composer() else {
            return 0;
        };
        let columns = usize::from(self.size.0.saturating_sub(4));
        let lines = composer.field.lay_out(columns).lines.len();
        let most = MAX_COMPOSER_ROWS.min(self.size.1 / 3).max(1);
        1 + u16::try_from(lines).unwrap_or(most).clamp(1, most)
    }
}
