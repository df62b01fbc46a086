//! The conversation that is open, the game beside it, and what is looked for in it.

pub mod game;
pub mod keys;
pub mod transcript;

pub(crate) mod view;

mod actions;
mod panel;
mod requesting;

pub(super) use requesting::AwaitedRequest;
pub use requesting::Weight;

use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::{Row, RowKind, Severity};
use actors::domain::reading::{PageFrom, PageQuery, SearchIn, SearchQuery};

use super::text::figures::UtcOffset;
use actors::domain::screen::ReadId;
use game::GameSummary;
use transcript::Transcript;
use transcript::text_search::{Direction, TextSearch};

/// Results that are read for the game when a conversation is opened.
const MAX_GAME_RESULTS: usize = 300;
/// Rows that are read at once in search of an error.
const SEEK_PAGE_ROWS: usize = 500;
/// Places of a text that are asked for.
pub const PLACES: usize = 500;

/// The conversation that is open.
#[derive(Clone, Debug)]
pub struct Focus {
    /// The conversation.
    pub transcript: Transcript,
    /// The game beside it.
    pub game: GameSummary,
    /// What the newest request weighs.
    pub weight: Weight,
    /// Results that came while the older ones are still being read.
    late: Vec<Arc<Row>>,
    game_stamp: Option<ReadId>,
    /// What is being sought in what is stored.
    seeking: Option<ActiveSeek>,
    /// Questions for a text that are not answered yet.
    searches: Vec<ReadId>,
}

/// Something that is sought in what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveSeek {
    stamp: ReadId,
    /// What.
    pub what: SeekKind,
    way: Direction,
    /// How far it has been sought.
    pub reached: Seq,
}

/// What can be sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekKind {
    /// A tool or the runtime that failed.
    Error,
    /// The operator's words.
    Order,
}

impl SeekKind {
    /// What it is called.
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

/// What came of seeking so far.
#[derive(Clone, Debug, PartialEq)]
pub enum SeekResult {
    /// It stands here.
    Here(Seq),
    /// This has to be read next.
    Ask(PageQuery),
    /// There is none.
    Nowhere,
    /// Nobody asked.
    Stale,
}

impl Focus {
    /// Opens a conversation.
    #[must_use]
    pub fn new(mysis: MysisId, name: Arc<str>, offset: UtcOffset) -> Focus {
        Focus {
            transcript: Transcript::of(mysis, name, offset),
            game: GameSummary::default(),
            weight: Weight::default(),
            late: Vec::new(),
            game_stamp: None,
            seeking: None,
            searches: Vec::new(),
        }
    }

    /// Whose it is.
    #[must_use]
    pub fn mysis(&self) -> MysisId {
        self.transcript.mysis
    }

    /// What is being sought in what is stored.
    #[must_use]
    pub fn seeking(&self) -> Option<ActiveSeek> {
        self.seeking
    }

    /// Whether the store has not answered yet where a text stands.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        !self.searches.is_empty()
    }

    /// What has to be read for the game.
    pub fn ask_for_game(&mut self, stamp: ReadId) -> PageQuery {
        self.game_stamp = Some(stamp);
        PageQuery {
            mysis: self.mysis(),
            from: PageFrom::Newest,
            limit: MAX_GAME_RESULTS,
            kinds: vec![RowKind::Result],
        }
    }

    /// Takes what was read for the game; whether it was that.
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

    /// A row was stored just now.
    pub fn on_row_stored(&mut self, row: &Arc<Row>) {
        self.transcript.on_row_stored(row);
        if row.kind() != Some(RowKind::Result) {
            return;
        }
        if self.game_stamp.is_some() {
            self.late.push(row.clone());
        } else {
            self.game.read_row(row);
        }
    }

    /// Looks for the next of its kind: among what is held, then in what is stored.
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

    /// Takes what was read in search of something.
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

    /// Seeks no longer; whether it did.
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

    /// Where the operator is: at the selected entry, else at the edge of what is in sight.
    fn position(&self) -> Seq {
        let shown = self.transcript.visible_lines();
        self.transcript
            .selected()
            .or_else(|| shown.last().map(|line| line.entry.seq))
            .unwrap_or(Seq(i64::MAX))
    }

    /// Looks for a text; what has to be asked, for as many questions as there are stamps.
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

    /// Takes the places where a text stands; whether that was asked.
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

    /// The store did not answer one of these questions; whether one was waiting.
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
        self.transcript.fail_request(stamp) || was_searching || was_seeking || was_game
    }
}
