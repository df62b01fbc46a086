//! The selected Mysis' conversation beside the table, where the screen is wide.

use actors::domain::event::MysisStatus;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::screen::{ReadId, StoreAnswer};
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use super::transcript::Transcript;
use super::view::paint_lines;
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::without_left;
use crate::dashboard::outbox::Outbox;
use crate::dashboard::table::keys::{TABLE_KEYS, TableAction};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::page::say;
use crate::painter::Painter;
use crate::theme::Ground;

/// The columns at its left: a gap to the table, a line, and a gap.
const FRAME_COLUMNS: u16 = 3;

#[derive(Clone, Debug)]
pub struct Preview {
    transcript: Transcript,
    /// The last activity up to which it is known, while another process runs the Mysis.
    known_to: Timestamp,
}

impl Preview {
    pub(crate) fn mysis(&self) -> MysisId {
        self.transcript.mysis
    }

    pub(crate) fn transcript(&mut self) -> &mut Transcript {
        &mut self.transcript
    }

    /// Waits no longer for an answer that may be lost, and reads the end anew.
    pub(crate) fn forget_read(&mut self) {
        self.transcript.invalidate_end();
    }

    /// Brings the preview of the selected Mysis up to date. One read is under way at a time, so that a key that is held
    /// down does not ask for every Mysis that it passes.
    pub(crate) fn poll(
        kept: Option<Preview>,
        status: &MysisStatus,
        facts: &Facts,
        area: Rect,
        outbox: &mut Outbox,
    ) -> Preview {
        let is_reading = |it: &Preview| it.transcript.pages().is_loading();
        let is_reading = kept.as_ref().is_some_and(is_reading);
        let mut preview = match kept {
            Some(kept) if kept.mysis() == status.id || is_reading => kept,
            Some(_) | None => Preview {
                transcript: Transcript::of(status.id, status.name.clone(), facts.appearance.offset)
                    .reading_few(usize::from(area.height)),
                known_to: status.last_activity_at,
            },
        };
        // No event tells the rows that another process stores.
        let is_followed = preview.mysis() == status.id && status.elsewhere.is_some();
        let is_news = preview.known_to != status.last_activity_at;
        if is_followed && is_news && !is_reading {
            preview.known_to = status.last_activity_at;
            preview.transcript.invalidate_end();
        }
        preview.transcript.resize(
            area.width.saturating_sub(FRAME_COLUMNS),
            area.height.saturating_sub(1),
        );
        preview.transcript.update(outbox);
        preview
    }

    pub(crate) fn awaits(&self, id: ReadId) -> bool {
        self.transcript.pages().awaits(id)
    }

    pub(crate) fn take(&mut self, id: ReadId, read: Result<StoreAnswer, String>) {
        match read.map(StoreAnswer::try_as_page) {
            Ok(Some(page)) => self.transcript.take(id, page),
            Ok(None) | Err(_) => {
                self.transcript.fail_request(id);
            }
        }
    }

    pub(crate) fn paint(&self, facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
        if area.is_empty() {
            return;
        }
        painter.fill(area, Ground::Base);
        for row in 0..area.height {
            painter.write(area, row, 1, "│", Tone::Faint);
        }
        let inside = without_left(area, FRAME_COLUMNS);
        let key = facts.keymap.key_of(TABLE_KEYS, TableAction::Open);
        let name = one_line(&facts.name_of(self.mysis()));
        let title =
            StyledLine::of(name, Tone::Brand).with(format!("   {key} opens it"), Tone::Hint);
        painter.line(inside, 0, &title);
        let body = Rect {
            y: inside.y + 1,
            height: inside.height - 1,
            ..inside
        };
        let pages = self.transcript.pages();
        if pages.rows().is_empty() {
            let words = match (pages.is_loading(), pages.may_load()) {
                (true, _) => "reading the conversation …",
                (false, true) => "nothing has been said yet",
                (false, false) => "the conversation cannot be read",
            };
            return say(body, words, Tone::Dim, painter);
        }
        paint_lines(&self.transcript, body, painter);
    }
}
