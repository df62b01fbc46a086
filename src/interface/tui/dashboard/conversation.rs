//! The open conversation, the facts of the game beside it, and searches in it.

pub mod game;
pub mod keys;
pub mod timeline;
pub mod transcript;

pub(crate) mod preview;
pub(crate) mod view;

mod actions;
mod following;
mod panel;
mod requesting;

pub(super) use actions::FocusOutcome;
pub(super) use following::FollowFault;
pub use requesting::Weight;

use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::{Row, RowKind, Severity};
use actors::domain::reading::{PageFrom, PageQuery, SearchIn, SearchQuery};

use super::overlay::layers::Layers;
use super::text::figures::UtcOffset;
use actors::domain::screen::ReadId;
use following::Following;
use game::GameSummary;
use timeline::Timeline;
use transcript::Transcript;
use transcript::text_search::{Direction, TextSearch};

/// The most tool results that are read for the game panel when a conversation is opened.
const MAX_GAME_RESULTS: usize = 300;
const SEEK_PAGE_ROWS: usize = 500;
/// The most search hits that are requested.
pub const PLACES: usize = 500;

#[derive(Clone, Debug)]
pub struct Focus {
    pub transcript: Transcript,
    pub game: GameSummary,
    /// What took most of each minute.
    pub timeline: Timeline,
    /// The size of the newest request, part by part.
    pub weight: Weight,
    /// How far it is known, while another process runs the Mysis.
    pub(super) following: Following,
    /// Results that were stored while the older ones were still being read. They are applied
    /// afterwards.
    late: Vec<Arc<Row>>,
    game_stamp: Option<ReadId>,
    /// The running search for an error or an order in the store.
    seeking: Option<ActiveSeek>,
    /// Text searches in the store that are not answered yet.
    searches: Vec<ReadId>,
    /// The list from which it was opened, if it was. Going back leads there.
    pub(super) behind: Option<Box<ListBehind>>,
}

#[derive(Clone, Debug)]
pub(super) struct ListBehind {
    pub(super) layers: Layers,
    pub(super) focus: Option<MysisId>,
}

/// A running search for an error or an order in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveSeek {
    stamp: ReadId,
    pub what: SeekKind,
    way: Direction,
    /// The row up to which the search has come.
    pub reached: Seq,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekKind {
    /// A failed tool call or an error of the runtime.
    Error,
    Order,
}

impl SeekKind {
    /// The word that the screen shows.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SeekKind::Error => "error",
            SeekKind::Order => "order",
        }
    }

    fn is(self, row: &Row) -> bool {
        match self {
            SeekKind::Order => matches!(row.kind(), Some(RowKind::Prompt | RowKind::Mission)),
            SeekKind::Error => {
                let failed = row.result().is_some_and(|(_, _, meta)| meta.is_error());
                failed || is_error_of_host(row)
            }
        }
    }

    fn kinds(self) -> Vec<RowKind> {
        match self {
            SeekKind::Error => vec![RowKind::Result, RowKind::Host],
            SeekKind::Order => vec![RowKind::Prompt, RowKind::Mission],
        }
    }

    fn limit(self) -> usize {
        match self {
            SeekKind::Error => SEEK_PAGE_ROWS,
            SeekKind::Order => 1,
        }
    }
}

fn is_error_of_host(row: &Row) -> bool {
    let actors::domain::message::RowBody::Host { meta, .. } = &row.body else {
        return false;
    };
    meta.severity == Severity::Error
}

#[derive(Clone, Debug, PartialEq)]
pub enum SeekResult {
    Here(Seq),
    Ask(PageQuery),
    Nowhere,
    /// The page belongs to an older search or to none.
    Stale,
}

impl Focus {
    #[must_use]
    pub fn new(mysis: MysisId, name: Arc<str>, offset: UtcOffset) -> Focus {
        Focus {
            transcript: Transcript::of(mysis, name, offset),
            game: GameSummary::default(),
            timeline: Timeline::default(),
            weight: Weight::default(),
            following: Following::default(),
            late: Vec::new(),
            game_stamp: None,
            seeking: None,
            searches: Vec::new(),
            behind: None,
        }
    }

    #[must_use]
    pub fn mysis(&self) -> MysisId {
        self.transcript.mysis
    }

    /// The running search for an error or an order in the store.
    #[must_use]
    pub fn seeking(&self) -> Option<ActiveSeek> {
        self.seeking
    }

    /// Whether a text search in the store is not answered yet.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        !self.searches.is_empty()
    }

    /// Returns the query for the results that the game panel needs.
    pub fn ask_for_game(&mut self, stamp: ReadId) -> PageQuery {
        self.game_stamp = Some(stamp);
        PageQuery {
            mysis: self.mysis(),
            from: PageFrom::Newest,
            limit: MAX_GAME_RESULTS,
            kinds: vec![RowKind::Result],
        }
    }

    /// Takes the page for the game panel. Returns whether the page was requested for it.
    pub fn take_game(&mut self, stamp: ReadId, page: &[Arc<Row>]) -> bool {
        if self.game_stamp != Some(stamp) {
            return false;
        }
        self.game_stamp = None;
        self.game = GameSummary::default();
        self.game.read_all(page);
        let late = std::mem::take(&mut self.late);
        self.game.read_all(&late);
        true
    }

    pub fn on_row_stored(&mut self, row: &Arc<Row>) {
        self.following.note_row(row.seq);
        self.transcript.on_row_stored(row);
        self.timeline.on_row_stored(row);
        if row.kind() != Some(RowKind::Result) {
            return;
        }
        if self.game_stamp.is_some() {
            self.late.push(row.clone());
        } else {
            self.game.read_row(row);
        }
    }

    /// Searches the next row of a kind: first in the rows in memory, then in the store.
    pub fn seek(&mut self, what: SeekKind, way: Direction, stamp: ReadId) -> SeekResult {
        let from = self.position();
        let held = self.transcript.pages().rows();
        let place = self.transcript.pages().index_of(from);
        let found = match way {
            Direction::Back => held.iter().take(place).rev().find(|row| what.is(row)),
            Direction::Forth => held
                .iter()
                .skip(place)
                .find(|row| row.seq > from && what.is(row)),
        };
        if let Some(found) = found {
            return SeekResult::Here(found.seq);
        }
        let reached = match way {
            Direction::Back => held.front().map_or(from, |row| row.seq),
            Direction::Forth => held.back().map_or(from, |row| row.seq),
        };
        self.ask_further(ActiveSeek {
            stamp,
            what,
            way,
            reached,
        })
    }

    pub fn take_sought(&mut self, stamp: ReadId, page: &[Arc<Row>], next: ReadId) -> SeekResult {
        let Some(seeking) = self.seeking.filter(|seeking| seeking.stamp == stamp) else {
            return SeekResult::Stale;
        };
        self.seeking = None;
        let found = match seeking.way {
            Direction::Back => page.iter().rev().find(|row| seeking.what.is(row)),
            Direction::Forth => page.iter().find(|row| seeking.what.is(row)),
        };
        if let Some(found) = found {
            return SeekResult::Here(found.seq);
        }
        let end = match seeking.way {
            Direction::Back => page.first(),
            Direction::Forth => page.last(),
        };
        match end {
            Some(end) if page.len() >= seeking.what.limit() => self.ask_further(ActiveSeek {
                stamp: next,
                reached: end.seq,
                ..seeking
            }),
            Some(_) | None => SeekResult::Nowhere,
        }
    }

    /// Ends the search in the store. Returns whether one was running.
    pub fn stop_seeking(&mut self) -> bool {
        self.seeking.take().is_some()
    }

    fn ask_further(&mut self, seeking: ActiveSeek) -> SeekResult {
        self.seeking = Some(seeking);
        SeekResult::Ask(PageQuery {
            mysis: self.mysis(),
            from: match seeking.way {
                Direction::Back => PageFrom::Before(seeking.reached),
                Direction::Forth => PageFrom::After(seeking.reached),
            },
            limit: seeking.what.limit(),
            kinds: seeking.what.kinds(),
        })
    }

    /// The row where a search starts: the selected entry, or the first or last visible one.
    fn position(&self) -> Seq {
        let shown = self.transcript.visible_lines();
        self.transcript
            .selected()
            .or_else(|| shown.last().map(|line| line.entry.seq))
            .unwrap_or(Seq(i64::MAX))
    }

    /// Starts a text search. Returns the store queries for it, at most one for each stamp.
    pub fn start_search(&mut self, text: &str, stamps: [ReadId; 2]) -> Vec<(ReadId, SearchQuery)> {
        self.searches.clear();
        if text.trim().is_empty() {
            self.transcript.find(None);
            return Vec::new();
        }
        let text_search = TextSearch::of(text);
        let search = |within| SearchQuery {
            text: text_search.text().to_string(),
            mysis: Some(self.mysis()),
            within,
            case_sensitive: text_search.is_case_sensitive(),
            sendable_only: false,
            until: None,
            limit: PLACES,
        };
        let questions = vec![
            (stamps[0], search(SearchIn::Messages)),
            (stamps[1], search(SearchIn::Reasoning)),
        ];
        self.searches.extend(stamps);
        self.transcript.find(Some(text_search));
        questions
    }

    /// Takes the hits of a text search. Returns whether this search was waited for.
    pub fn take_places(&mut self, stamp: ReadId, rows: &[(MysisId, Arc<Row>)]) -> bool {
        let Some(place) = self.searches.iter().position(|other| *other == stamp) else {
            return false;
        };
        self.searches.remove(place);
        let mysis = self.mysis();
        let own = rows.iter().filter(|(owner, _)| *owner == mysis);
        let is_over = self.searches.is_empty();
        if let Some(text_search) = &mut self.transcript.text_search {
            own.for_each(|(_, row)| text_search.check_row(row));
            text_search.is_complete = is_over;
        }
        true
    }

    /// Handles a failed read of the store. Returns whether it belonged to a text search.
    pub fn fail_request(&mut self, stamp: ReadId) -> bool {
        let was_searching = self.searches.contains(&stamp);
        self.searches.retain(|other| *other != stamp);
        let was_seeking = self.seeking.is_some_and(|seeking| seeking.stamp == stamp);
        if was_seeking {
            self.seeking = None;
        }
        let was_game = self.game_stamp == Some(stamp);
        if was_game {
            self.game_stamp = None;
        }
        let was_timeline = self.timeline.fail_request(stamp);
        self.transcript.fail_request(stamp)
            || was_timeline
            || was_searching
            || was_seeking
            || was_game
    }
}
