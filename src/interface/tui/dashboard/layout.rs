//! The layout: the areas of the screen. Views draw into them, and the mouse is interpreted by them.

use ratatui::layout::Rect;

/// The most columns and rows that are drawn: more than the largest screens have, and few enough to be
/// drawn in a fraction of a second.
const MOST: (u16, u16) = (1000, 300);

/// The columns and rows that are drawn on a terminal of this size. A terminal may report any number,
/// and a picture of all of it would take gigabytes.
pub fn bounded_size((columns, rows): (u16, u16)) -> (u16, u16) {
    (columns.min(MOST.0), rows.min(MOST.1))
}

/// The rows that it takes more than the figures alone.
pub(super) const LARGE_ROWS: u16 = 2;

/// The area without its first columns.
pub fn without_left(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect {
        x: area.x + columns,
        width: area.width - columns,
        ..area
    }
}

pub fn row_of(area: Rect, row: u16) -> Rect {
    Rect {
        y: area.y.saturating_add(row),
        height: 1,
        ..area
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenLayout {
    pub screen: Rect,
    /// What is told where the swarm runs and nothing happens.
    pub banner: Rect,
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
    pub detail: Rect,
    /// How many Myses repeat a paying loop, below the table.
    pub loops: Rect,
    pub needs: Rect,
    pub timeline: Rect,
    /// The composer.
    pub writing: Rect,
    pub message: Rect,
    pub hints: Rect,
}

/// The size of the screen, whether a conversation is open, and the rows of a text that is written. What the operator
/// changes there changes its place at once.
pub(super) type Frame = ((u16, u16), bool, u16);

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
    pub fn below_banner(&self) -> Rect {
        Rect {
            y: self.banner.height,
            height: self.screen.height - self.banner.height,
            ..self.screen
        }
    }

    /// The whole area of the view, panels included.
    pub fn page(&self) -> Rect {
        Rect {
            width: self.title.width,
            height: self.body.height
                + self.detail.height
                + self.loops.height
                + self.needs.height
                + self.timeline.height,
            ..self.body
        }
    }
}
