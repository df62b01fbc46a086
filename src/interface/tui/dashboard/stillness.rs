//! Stillness: for some seconds after a key nothing changes its place by itself, so that no row slips away from under the
//! key. The header tells what is new at once; the rows for it come later.

use std::time::Duration;

use actors::domain::ids::Moment;

use super::layout::{Frame, LARGE_ROWS, SharedRows};

const STILL_AFTER_KEY: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stillness {
    pressed_at: Option<Moment>,
    /// The rows around the table in the last picture before that, and what they were made for.
    rows: Option<(SharedRows, Frame)>,
}

impl Stillness {
    pub(super) fn note_key(&mut self, now: Moment) {
        self.pressed_at = Some(now);
    }

    /// Whether nothing may change its place.
    pub(super) fn is_still(&self, now: Moment) -> bool {
        let pressed = self.pressed_at;
        pressed.is_some_and(|at| now.since(at) < STILL_AFTER_KEY)
    }

    /// Whether a key was pressed after this moment.
    pub(super) fn has_key_since(&self, moment: Moment) -> bool {
        self.pressed_at.is_some_and(|at| at > moment)
    }

    /// The rows that stay where they are; `None` where they may change.
    pub(super) fn rows_to_hold(&self, now: Moment, frame: Frame) -> Option<SharedRows> {
        let (rows, held) = self.rows?;
        (self.is_still(now) && frame == held).then_some(rows)
    }

    /// Keeps the rows of this picture, unless others are held.
    pub(super) fn keep(&mut self, rows: SharedRows, now: Moment, frame: Frame) {
        if self.rows_to_hold(now, frame).is_none() {
            self.rows = Some((rows, frame));
        }
    }
}

impl SharedRows {
    fn above_list(self) -> u16 {
        self.banner + self.mission + self.large + self.servers
    }

    /// These rows with the list where it was: what is new at the top takes the rows of the mission, of the servers and of
    /// the large figure, and what is gone leaves its own. Only what does not fit moves the list.
    pub(super) fn held_at(self, before: SharedRows) -> SharedRows {
        let mut left = before.above_list().saturating_sub(self.banner);
        let mut take = |wanted: u16| {
            let taken = wanted.min(left);
            left -= taken;
            taken
        };
        let large = take(self.large);
        let (servers, mission) = (take(self.servers), take(self.mission));
        let rows = SharedRows {
            // It is drawn whole or not at all.
            large: large / LARGE_ROWS * LARGE_ROWS,
            servers,
            mission,
            loops: before.loops,
            needs: before.needs,
            ..self
        };
        let spare = before.above_list().saturating_sub(rows.above_list());
        SharedRows {
            mission: rows.mission + spare,
            ..rows
        }
    }
}
