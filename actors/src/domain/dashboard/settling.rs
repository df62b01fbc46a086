//! Settling: making the dashboard fit to be painted, once for each picture.

use std::sync::Arc;

use crate::domain::event::{Activity, State};
use crate::domain::ids::Timestamp;

use super::keys::{self, ANYWHERE, Chapter, IN_FOCUS, IN_HAND, IN_TABLE};
use super::orders::Receipt;
use super::{Dashboard, Layer};

/// How long a receipt is shown.
const RECEIPT_MS: u64 = 30_000;

impl Dashboard {
    /// Time goes on.
    pub fn tick(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Makes it fit to be painted.
    pub fn settle(&mut self) {
        self.counts = self.roster.counts();
        self.settle_table();
        let body = self.layout().body;
        let Some(transcript) = &mut self.focus else {
            return;
        };
        transcript.resize(body.width, body.height);
        let load = transcript.settle();
        let sees_end = transcript.is_following();
        let mysis = transcript.mysis;
        self.load(load);
        let is_unread = self
            .roster
            .get(mysis)
            .is_some_and(|member| member.is_unread());
        if sees_end && is_unread {
            Arc::make_mut(&mut self.roster).read(mysis);
        }
    }

    pub(super) fn settle_table(&mut self) {
        let rows = usize::from(self.layout().body.height);
        self.table.resize(rows);
        self.table.settle(&self.roster);
    }

    /// When it looks different by nothing but time; `None`: never.
    #[must_use]
    pub fn next_change(&self) -> Option<Timestamp> {
        let is_live = self.closing.is_some()
            || self.roster.members().values().any(|member| {
                member.standing.state == State::Running
                    && member.standing.activity != Activity::Resting
            });
        let has_receipt = self.receipt_in_sight().is_some();
        let every = if is_live || has_receipt { 1000 } else { 30_000 };
        let next = (self.now.0 / every + 1) * every;
        (!self.roster.members().is_empty()).then_some(Timestamp(next))
    }

    /// The newest receipt, while it is of interest.
    #[must_use]
    pub fn receipt_in_sight(&self) -> Option<&Receipt> {
        let receipt = self.orders.receipts().back()?;
        let is_new = self.now.since(receipt.at) < RECEIPT_MS;
        (is_new || receipt.awaited > 0).then_some(&**receipt)
    }

    /// The chapters of the help screen: those of the view in hand first.
    #[must_use]
    pub fn help(&self) -> Vec<Chapter> {
        let table = keys::chapter("The table of Myses", IN_TABLE);
        let focus = keys::chapter("A conversation", IN_FOCUS);
        let (first, second) = if self.focus.is_some() {
            (focus, table)
        } else {
            (table, focus)
        };
        vec![
            first,
            keys::chapter("The Mysis in hand", IN_HAND),
            keys::chapter("Everywhere", ANYWHERE),
            second,
        ]
    }

    /// How many lines the help screen has.
    #[must_use]
    pub fn help_lines(&self) -> usize {
        let chapters = self.help();
        chapters.iter().map(|chapter| chapter.lines.len() + 2).sum()
    }

    /// What keys do now, the most useful first.
    #[must_use]
    pub fn hints(&self) -> Vec<(String, &'static str)> {
        let fixed = |hints: &[(&str, &'static str)]| {
            hints
                .iter()
                .map(|(keys, hint)| ((*keys).to_string(), *hint))
                .collect()
        };
        match self.layers.last() {
            Some(Layer::Compose(_)) => fixed(&[
                ("Enter", "send"),
                ("Alt-Enter", "new line"),
                ("↑", "history"),
                ("Esc", "keep for later"),
            ]),
            Some(Layer::Form(_)) => fixed(&[
                ("Enter", "give the order"),
                ("Tab", "next"),
                ("← →", "choose"),
                ("Esc", "leave"),
            ]),
            Some(Layer::Question(_)) => Vec::new(),
            Some(Layer::Help(_)) => fixed(&[("↑ ↓", "scroll"), ("Esc", "close")]),
            None => {
                let view: Vec<_> = if self.focus.is_some() {
                    keys::hints(IN_FOCUS).collect()
                } else {
                    keys::hints(IN_TABLE).collect()
                };
                let shared = keys::hints(IN_HAND).chain(keys::hints(ANYWHERE));
                view.into_iter().chain(shared).collect()
            }
        }
    }
}
