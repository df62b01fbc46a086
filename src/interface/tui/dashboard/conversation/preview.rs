//! The selected Mysis' conversation beside the table, where the screen is wide.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::reading::PageQuery;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use ratatui::layout::{Alignment, Rect};
use zoea_text::clean::one_line;

use super::transcript::Transcript;
use super::transcript::pages::{Load, PAGE};
use super::view::paint_lines;
use crate::dashboard::Dashboard;
use crate::dashboard::layout::without_left;
use crate::dashboard::table::keys::{TABLE_KEYS, TableAction};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

/// The columns at its left: a gap to the table, a line, and a gap.
const FRAME_COLUMNS: u16 = 3;

#[derive(Clone, Debug)]
pub(in crate::dashboard) struct Preview {
    transcript: Transcript,
    awaited: Option<ReadId>,
    /// The last activity up to which it is known, while another process runs the Mysis.
    known_to: Timestamp,
}

impl Preview {
    pub(in crate::dashboard) fn mysis(&self) -> MysisId {
        self.transcript.mysis
    }

    pub(in crate::dashboard) fn transcript(&mut self) -> &mut Transcript {
        &mut self.transcript
    }

    /// Waits no longer for an answer that may be lost, and reads the end anew.
    pub(in crate::dashboard) fn forget_read(&mut self) {
        self.awaited = None;
        self.transcript.invalidate_end();
    }
}

/// Brings the preview up to date: it is of the selected Mysis while no conversation is open. One read is under way at a
/// time, so that a key that is held down does not ask for every Mysis that it passes.
pub(in crate::dashboard) fn poll(board: &mut Dashboard) {
    let area = board.layout().panel;
    // Of a group it is the first one.
    let selected = board.table.selected_myses().first();
    let selected = selected.and_then(|id| board.roster.get(*id));
    let (None, Some(member), true) = (&board.focus, selected, area.width > 0) else {
        board.preview = None;
        return;
    };
    let status = member.status.clone();
    let kept = board.preview.take();
    let is_reading = kept.as_ref().is_some_and(|it| it.awaited.is_some());
    let mut preview = match kept {
        Some(kept) if kept.mysis() == status.id || is_reading => kept,
        Some(_) | None => Preview {
            transcript: Transcript::of(status.id, status.name.clone(), board.appearance.offset),
            awaited: None,
            known_to: status.last_activity_at,
        },
    };
    if preview.mysis() == status.id && status.elsewhere.is_some() && preview.awaited.is_none() {
        // Nobody tells the rows that another process stores.
        if preview.known_to != status.last_activity_at {
            preview.known_to = status.last_activity_at;
            preview.transcript.invalidate_end();
        }
    }
    preview.transcript.resize(
        area.width.saturating_sub(FRAME_COLUMNS),
        area.height.saturating_sub(1),
    );
    let wanted = preview.transcript.prepare_frame();
    if let (Some(load), None) = (wanted, preview.awaited) {
        let id = board.read(page_of(preview.mysis(), load));
        preview.transcript.expect(id, load);
        preview.awaited = Some(id);
    }
    board.preview = Some(preview);
}

fn page_of(mysis: MysisId, load: Load) -> StoreQuery {
    StoreQuery::Page(PageQuery {
        mysis,
        from: load.from,
        limit: PAGE,
        kinds: Vec::new(),
    })
}

/// Takes the page that the preview waits for, or the error of the store. Gives back what is another one's.
pub(in crate::dashboard) fn take(
    board: &mut Dashboard,
    id: ReadId,
    read: Result<StoreAnswer, String>,
) -> Option<Result<StoreAnswer, String>> {
    let preview = board.preview.as_mut();
    let Some(preview) = preview.filter(|preview| preview.awaited == Some(id)) else {
        return Some(read);
    };
    preview.awaited = None;
    match read.map(StoreAnswer::try_as_page) {
        Ok(Some(page)) => preview.transcript.take(id, page),
        Ok(None) | Err(_) => {
            preview.transcript.fail_request(id);
        }
    }
    None
}

pub(crate) fn paint(dashboard: &Dashboard, area: Rect, painter: &mut Painter<'_>) {
    let Some(preview) = dashboard.preview.as_ref().filter(|_| !area.is_empty()) else {
        return;
    };
    painter.fill(area, Ground::Base);
    for row in 0..area.height {
        painter.write(area, row, 1, "│", Tone::Faint);
    }
    let inside = without_left(area, FRAME_COLUMNS);
    let key = dashboard.keymap().key_of(TABLE_KEYS, TableAction::Open);
    let name = one_line(&dashboard.name_of(preview.mysis()));
    let title = StyledLine::of(name, Tone::Brand).with(format!("   {key} opens it"), Tone::Hint);
    painter.line(inside, 0, &title);
    let body = Rect {
        y: inside.y + 1,
        height: inside.height - 1,
        ..inside
    };
    let pages = preview.transcript.pages();
    if pages.rows().is_empty() {
        let words = match (pages.is_loading(), pages.may_load()) {
            (true, _) => "reading the conversation …",
            (false, true) => "nothing has been said yet",
            (false, false) => "the conversation cannot be read",
        };
        let middle = centre_area(body, body.width, 1);
        return painter.text_at(middle, 0, Alignment::Center, words, Tone::Dim);
    }
    paint_lines(&preview.transcript, body, painter);
}
