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

pub(super) use actions::FocusOutcome;

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::last_request::RequestByteCounts;
use actors::domain::message::{HostMeta, Row, RowBody, RowKind, Severity};
use actors::domain::order::{CompletedOrder, Order, OrderResult};
use actors::domain::screen::{OrderId, ReadId};

use super::facts::Facts;
use super::outbox::Outbox;
use super::overlay::layers::Layers;
use super::text::figures::UtcOffset;
use following::Following;
use game::GameSummary;
use timeline::Timeline;
use transcript::Transcript;
use transcript::text_search::Direction;

const SEEK_PAGE_ROWS: usize = 500;

#[derive(Clone, Debug, Default)]
pub struct Focus {
    pub transcript: Transcript,
    pub game: GameSummary,
    /// What took most of each minute.
    pub timeline: Timeline,
    /// The size of the newest request, part by part.
    pub weight: Weight,
    /// How far it is known, while another process runs the Mysis.
    pub(super) following: Following,
    /// The read of results for the game panel, and those that were stored meanwhile. They are applied afterwards.
    game_read: Option<(ReadId, Vec<Arc<Row>>)>,
    /// The running search for an error or an order in the store.
    seeking: Option<ActiveSeek>,
    /// Text searches in the store that are not answered yet.
    searches: BTreeSet<ReadId>,
    /// The list from which it was opened, if it was. Going back leads there.
    pub(super) behind: Option<Box<ListBehind>>,
}

/// The size of a Mysis' newest request, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// The size of each part; `None` until the answer came.
    pub parts: Option<RequestByteCounts>,
    asked: Option<OrderId>,
    /// The Mysis' token count when the size was asked for. When it grows, there is a newer request.
    tokens: Option<u64>,
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
                let is_error = |meta: &HostMeta| meta.severity == Severity::Error;
                failed || matches!(&row.body, RowBody::Host { meta, .. } if is_error(meta))
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

impl Focus {
    pub fn new(mysis: MysisId, name: Arc<str>, offset: UtcOffset) -> Focus {
        Focus {
            transcript: Transcript::of(mysis, name, offset),
            ..Focus::default()
        }
    }

    pub fn mysis(&self) -> MysisId {
        self.transcript.mysis
    }

    /// The running search for an error or an order in the store.
    pub fn seeking(&self) -> Option<ActiveSeek> {
        self.seeking
    }

    /// Whether a text search in the store is not answered yet.
    pub fn is_searching(&self) -> bool {
        !self.searches.is_empty()
    }

    /// Takes the page for the game panel. Returns whether the page was requested for it.
    pub fn take_game(&mut self, stamp: ReadId, page: &[Arc<Row>]) -> bool {
        let Some((_, late)) = self.game_read.take_if(|(other, _)| *other == stamp) else {
            return false;
        };
        self.game = GameSummary::default();
        for row in page.iter().chain(&late) {
            self.game.read_row(row);
        }
        true
    }

    pub fn on_row_stored(&mut self, row: &Arc<Row>) {
        self.following.note_row(row.seq);
        self.transcript.on_row_stored(row);
        self.timeline.on_row_stored(row);
        if row.kind() != Some(RowKind::Result) {
            return;
        }
        match &mut self.game_read {
            Some((_, late)) => late.push(row.clone()),
            None => self.game.read_row(row),
        }
    }

    /// Asks for the size of the newest request, if it may have changed.
    pub(crate) fn weigh_request(&mut self, facts: &Facts, outbox: &mut Outbox) {
        let Some(member) = facts.roster.get(self.mysis()) else {
            return;
        };
        let tokens = Some(member.status.totals.tokens_in);
        if self.weight.asked.is_none() && self.weight.tokens != tokens {
            let name = member.status.name.to_string();
            self.weight.asked = Some(outbox.ask(Order::ShowRequest { name }));
            self.weight.tokens = tokens;
        }
    }

    /// Takes the answer to that. Returns whether it was one.
    pub(crate) fn take_weight(&mut self, id: OrderId, answer: &OrderResult) -> bool {
        if self.weight.asked != Some(id) {
            return false;
        }
        self.weight.asked = None;
        self.weight.parts = match answer {
            Ok(CompletedOrder::Request(sent)) => Some(sent.parts),
            Ok(_) | Err(_) => None,
        };
        true
    }

    /// Ends the search in the store. Returns whether one was running.
    pub fn stop_seeking(&mut self) -> bool {
        self.seeking.take().is_some()
    }

    /// The row that keys act upon: the selected entry, or the last visible one.
    fn position(&self) -> Seq {
        let shown = self.transcript.visible_lines();
        self.transcript
            .selected()
            .or_else(|| shown.last().map(|line| line.entry.seq))
            .unwrap_or(Seq(i64::MAX))
    }

    /// Handles a failed read of the store. Returns whether it belonged to the conversation and has to be told.
    pub fn fail_request(&mut self, stamp: ReadId) -> bool {
        let is_sought = |seeking: &mut ActiveSeek| seeking.stamp == stamp;
        let were_its = [
            self.following.fail_request(stamp),
            self.searches.remove(&stamp),
            self.seeking.take_if(is_sought).is_some(),
            self.game_read
                .take_if(|(other, _)| *other == stamp)
                .is_some(),
            self.timeline.fail_request(stamp),
            self.transcript.fail_request(stamp),
        ];
        were_its.contains(&true)
    }
}
