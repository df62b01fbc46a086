//! What the areas of the screen are made of: the rows that each part wants, and what gives way to what.

use ratatui::layout::{Constraint, Layout};
use zoea_text::clean::one_line;

use super::appearance::{Letters, Panel};
use super::facts::Facts;
use super::layout::{Frame, LARGE_ROWS, ScreenLayout, SharedRows};
use super::needs::standing_need_lines;
use super::overlay::composer::Composer;
use super::servers::ServerLight;
use super::table::MysisTable;
use super::text::width;

/// From this height on, optional areas are shown.
const TALL_SCREEN_ROWS: u16 = 30;
/// From this height on, the header has a row for the servers in any case.
const MIN_ROWS_FOR_SERVERS: u16 = 18;
/// From this size on, the rate of the swarm is drawn large.
const LARGE_RATE_SIZE: (u16, u16) = (100, 36);
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

pub(super) struct ScreenParts<'a> {
    pub(super) facts: &'a Facts,
    pub(super) table: &'a MysisTable,
    pub(super) is_open: bool,
    pub(super) composer: Option<&'a Composer>,
    pub(super) banner: String,
}

impl ScreenParts<'_> {
    pub(super) fn frame(&self) -> Frame {
        (self.facts.size, self.is_open, self.composer_rows())
    }

    pub(super) fn layout(&self, rows: SharedRows) -> ScreenLayout {
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
        .areas(self.facts.screen());
        let panel = Constraint::Length(self.columns_of_panel());
        let [rest, panel] = Layout::horizontal([Constraint::Min(0), panel]).areas(rest);
        let detail_pane = Constraint::Length(self.detail_pane_rows(rest.height));
        let [body, detail] = Layout::vertical([Constraint::Min(0), detail_pane]).areas(rest);
        ScreenLayout {
            screen: self.facts.screen(),
            banner,
            header,
            large_rows: rows.large,
            server_rows: rows.servers,
            title,
            body,
            panel,
            detail,
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
        let (_, height) = self.facts.size;
        let (banner, writing) = (self.banner_rows(), self.composer_rows());
        if self.facts.is_too_small() {
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
            ..SharedRows::default()
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
        if self.is_open && room >= MIN_ROWS_FOR_TIMELINE {
            rows.timeline = TIMELINE_ROWS;
        }
        rows
    }

    /// The rows that the banner wants: its whole text, at most a third of the screen, but all of what is urgent.
    fn banner_rows(&self) -> u16 {
        let (width, height) = self.facts.size;
        let most = match height {
            0..3 => 0,
            3..=LOW_SCREEN_ROWS => 1,
            _ => height / 3,
        };
        let wanted = rows_of(&self.banner, width).min(most);
        wanted.max(self.urgent_rows())
    }

    /// The rows for what is wrong with the store and its disk, which is shown whole. The list keeps its own.
    fn urgent_rows(&self) -> u16 {
        let (width, height) = self.facts.size;
        let most = match self.facts.is_too_small() {
            true => height,
            false => height - FIXED_ROWS - LEAST_LIST_ROWS,
        };
        rows_of(&self.facts.lasting_text(), width).min(most)
    }

    /// Whether the header shall have a row for the servers. In a low terminal they have one only while one of them does not
    /// answer.
    fn wants_servers(&self) -> bool {
        let (_, height) = self.facts.size;
        let is_answered = |light: &ServerLight| light.state.answers();
        if self.facts.store_trouble().is_some() {
            return true;
        }
        height >= MIN_ROWS_FOR_SERVERS || !self.facts.servers.iter().all(is_answered)
    }

    /// Whether the rate of the swarm is drawn large: where there is room, and a swarm.
    fn wants_large_rate(&self) -> bool {
        let (width, height) = self.facts.size;
        let has_blocks = self.facts.appearance.letters == Letters::Unicode;
        let has_room = width >= LARGE_RATE_SIZE.0 && height >= LARGE_RATE_SIZE.1;
        has_room && has_blocks && !self.facts.roster.members().is_empty()
    }

    /// A long mission gets a second line if the screen is tall enough.
    fn lines_of_mission(&self) -> u16 {
        let (width, height) = self.facts.size;
        let columns = usize::from(width).saturating_sub(MISSION_LABEL_COLUMNS + 2);
        let is_long = self
            .facts
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
        let (_, height) = self.facts.size;
        let wanted = self.facts.panel_needs().count() + standing_need_lines(self.facts).len();
        let is_tall = height >= ROWS_FOR_ALL;
        if self.is_open || (wanted == 0 && !is_tall) {
            return 0;
        }
        let most = usize::from(height / 6);
        // In a tall screen the list does not come and go.
        let least = if is_tall { LEAST_NEEDS_ROWS } else { 0 };
        1 + u16::try_from(wanted.min(most)).unwrap_or(0).max(least)
    }

    fn lines_of_loops(&self) -> u16 {
        u16::from(!self.is_open && self.facts.counts.looping > 0)
    }

    /// The rows that a short table leaves free, minus one line between the two. In a tall screen the newest events have some
    /// in any case.
    fn detail_pane_rows(&self, rows: u16) -> u16 {
        let listed = u16::try_from(self.table.lines().len()).unwrap_or(u16::MAX);
        let free = rows.saturating_sub(listed.saturating_add(1));
        if self.is_open || listed == 0 {
            return 0;
        }
        let (_, height) = self.facts.size;
        let least = if height >= ROWS_FOR_ALL { rows / 4 } else { 0 };
        match free {
            MIN_DETAIL_ROWS.. => free.max(least),
            _ => least,
        }
    }

    fn columns_of_panel(&self) -> u16 {
        let (width, height) = self.facts.size;
        if !self.is_open {
            let has_room = width >= PREVIEW_SIZE.0 && height >= PREVIEW_SIZE.1;
            let has_rows = has_room && !self.table.order().is_empty();
            return u16::from(has_rows) * (width * 2 / 5).min(MAX_PREVIEW_COLUMNS);
        }
        let wide = match width {
            180.. => 48,
            120..180 => 38,
            _ => 32,
        };
        match self.facts.appearance.panel {
            Panel::Hidden => 0,
            Panel::Shown => wide,
            Panel::WithRoom if width >= 120 => wide,
            Panel::WithRoom => 0,
        }
    }

    /// The rows of the composer, title included: at most a third of the screen.
    fn composer_rows(&self) -> u16 {
        let Some(composer) = self.composer else {
            return 0;
        };
        let columns = usize::from(self.facts.size.0.saturating_sub(4));
        let lines = composer.field.lay_out(columns).lines.len();
        let most = MAX_COMPOSER_ROWS.min(self.facts.size.1 / 3).max(1);
        1 + u16::try_from(lines).unwrap_or(most).clamp(1, most)
    }
}

fn rows_of(text: &str, width: u16) -> u16 {
    let columns = usize::from(width).saturating_sub(2);
    let text = one_line(text);
    let lines = width::wrap(&text, columns).filter(|line| !line.is_empty());
    u16::try_from(lines.count()).unwrap_or(u16::MAX)
}
