//! The window: what of a conversation stays in memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, LazyLock};

use crate::bounds::MAX_REASONING_SENT;
use crate::ids::{CallKey, Seq, TurnNumber};
use crate::message::{ReplyMeta, Row, RowKind, Utterance};
use crate::snapshot_query::{SnapshotQuery, is_superseded};

use super::{Conversation, answered_by, answered_call};

/// The most orders that stay although they are not answered. Of more, the oldest and the newest
/// stay.
const MAX_KEPT_ORDERS: usize = 100;
/// The bytes that are kept of an old result of a snapshot tool, which earlier turns do not show.
const SNAPSHOT_BYTES: usize = 192;

impl Conversation {
    /// Limits the bytes that are kept of each result from now on.
    pub fn limit_results(&mut self, bytes: usize) {
        self.hold = bytes;
    }

    /// Begins the conversation at a row. Earlier rows are no longer sent, except for orders that
    /// may own a turn: unanswered ones, the newest one among the newest `window` sendable rows, and
    /// the newest mission.
    pub fn begin_afresh(&mut self, at: Seq, window: usize) {
        if self.rows.front().is_none_or(|row| row.seq >= at) {
            return;
        }
        let mut kept: BTreeSet<Seq> = self.unanswered_prompts().map(|row| row.seq).collect();
        kept.extend(self.newest_prompt_within(window).map(|row| row.seq));
        kept.extend(self.newest_seq(RowKind::Mission));
        let of_before = self.rows.iter().rev().filter(|row| row.seq < at);
        let answered = of_before.filter_map(|row| answered_by(row)).next();
        self.answered = self.answered.max(answered.unwrap_or_default());
        self.rows
            .retain(|row| row.seq >= at || kept.contains(&row.seq));
        self.complete_from = self.complete_from.max(at);
    }

    /// Drops rows that no request of the next turn needs. An order is searched in the newest
    /// `window` sendable rows. With `open`, that turn is still in progress. With `earlier`, the
    /// rows from there on stay, because earlier turns may stand before the next one; of their results,
    /// what `shorten` leaves.
    pub fn trim_window(
        &mut self,
        window: usize,
        open: Option<TurnNumber>,
        earlier: Option<Seq>,
        shorten: impl Fn(&Arc<Row>) -> Arc<Row>,
    ) {
        let needed = self.first_needed(window, open);
        let floor = earlier.map_or(needed, |first| first.min(needed));
        let mission = self.newest_seq(RowKind::Mission);
        self.rows
            .retain(|row| row.seq >= floor || Some(row.seq) == mission);
        self.complete_from = self.complete_from.max(earlier.unwrap_or(self.last.next()));
        if earlier.is_some() {
            self.shorten_earlier_results(window, open, shorten);
        }
        self.drop_middle_orders();
        self.rows.shrink_to_fit();
        let oldest = self.rows.front().map(|row| row.seq);
        self.reasoning
            .retain(|seq, _| oldest.is_some_and(|oldest| *seq >= oldest));
    }

    /// Keeps of old results no more than earlier turns show of them. Those of the newest turn, of the
    /// last loop, since an order that may own the next turn, and of the turn before that order may be
    /// sent whole.
    fn shorten_earlier_results(
        &mut self,
        window: usize,
        open: Option<TurnNumber>,
        shorten: impl Fn(&Arc<Row>) -> Arc<Row>,
    ) {
        let is_before = |row: &&Arc<Row>| open.is_none_or(|turn| row.turn < turn);
        let since = |turn: TurnNumber| {
            let rows = self.rows.iter().filter(move |row| row.turn >= turn);
            rows.map(|row| row.seq).min()
        };
        let mut said = self.rows.iter().rev().filter(is_before);
        let newest = said.find(|row| row.utterance().is_some());
        let orders = [
            self.unanswered_prompts().next(),
            self.newest_prompt_within(window),
        ];
        let order = orders.into_iter().flatten().map(|row| row.seq).min();
        let mut before = self.rows.iter().rev();
        let before_order = before.find(|row| Some(row.seq) < order && row.result().is_none());
        let turns = [newest, before_order].into_iter().flatten();
        let whole = turns.filter_map(|row| since(row.turn)).chain(order).min();
        let whole = whole.unwrap_or(self.last.next());
        let whole = self.last_loop_before(whole).unwrap_or(whole);
        let looks = snapshot_queries(&self.rows);
        for row in self.rows.iter_mut().take_while(|row| row.seq < whole) {
            let is_look = answered_call(row).is_some_and(|call| looks.contains_key(&call));
            *row = match is_look {
                true => lighten_row(row, SNAPSHOT_BYTES),
                false => shorten(row),
            };
        }
    }

    /// The oldest row that a request may need.
    fn first_needed(&self, window: usize, open: Option<TurnNumber>) -> Seq {
        let prompt = self.newest_prompt_within(window).map(|row| row.seq);
        let unanswered = self.unanswered_prompts().next().map(|row| row.seq);
        let is_before = |row: &Row| open.is_none_or(|turn| row.turn < turn);
        let mut said = self.rows.iter().rev();
        let said = said
            .find(|row| row.is_sendable() && row.utterance().is_some() && is_before(row))
            .map(|row| row.seq);
        let mut of_open_turn = self.rows.iter();
        let of_open_turn = of_open_turn.find(|row| !is_before(row)).map(|row| row.seq);
        let floor = [prompt, unanswered, said, of_open_turn]
            .into_iter()
            .flatten()
            .min();
        match floor {
            Some(floor) => self.last_loop_before(floor).unwrap_or(floor),
            None => Seq::default(),
        }
    }

    /// The newest call row before a row in which each call has a result. In requests a call stands
    /// after the newest row that it had seen, so that row is compared.
    fn last_loop_before(&self, floor: Seq) -> Option<Seq> {
        let answered = self.answered_calls();
        self.rows
            .iter()
            .rev()
            .filter(|row| row.seq < floor && row.kind() == Some(RowKind::Call))
            .find(|row| row.keyed_calls().all(|(key, _)| answered.contains(&key)))
            .map(|row| row.seq)
    }

    fn newest_seq(&self, kind: RowKind) -> Option<Seq> {
        let mut found = self.rows.iter().rev();
        let found = found.find(|row| row.kind() == Some(kind));
        found.map(|row| row.seq)
    }

    /// Reduces the text of all rows to a limit of bytes: empties results for which there are newer
    /// ones, then drops the oldest replies and results. Orders and the newest loop stay.
    pub fn reduce_to(&mut self, bytes: usize) {
        self.drop_old_reasoning();
        if self.held_bytes() <= bytes {
            return;
        }
        self.empty_superseded();
        let mut held = self.held_bytes();
        let newest_call = self.newest_seq(RowKind::Call).unwrap_or_default();
        let mut dropped = None;
        self.rows.retain(|row| {
            let drop = held > bytes && row.seq < newest_call && !is_order(row);
            if drop {
                held -= row_bytes(row, self.hold);
                dropped = Some(row.turn);
            }
            !drop
        });
        if let Some(turn) = dropped {
            let mut later = self.rows.iter().filter(|row| row.turn > turn);
            let complete = later.next().map_or(self.last.next(), |row| row.seq);
            self.complete_from = self.complete_from.max(complete);
        }
    }

    /// Keeps of the reasoning that may go back as much as one request holds, the newest.
    fn drop_old_reasoning(&mut self) {
        let mut held = 0;
        for row in self.rows.iter_mut().rev() {
            let echo = row.utterance().and_then(|said| said.meta.echo.as_ref());
            let bytes = echo.map_or(0, |echo| echo.reasoning.len());
            held += bytes;
            if bytes > 0 && held > MAX_REASONING_SENT {
                *row = without_echoed_reasoning(row);
            }
        }
    }

    /// The bytes of text in memory, for metrics.
    pub fn held_bytes(&self) -> usize {
        self.rows.iter().map(|row| row_bytes(row, self.hold)).sum()
    }

    /// Empties results for which there are newer ones. Their rows stay.
    fn empty_superseded(&mut self) {
        let looks = snapshot_queries(&self.rows);
        let mut seen = BTreeSet::new();
        for row in self.rows.iter_mut().rev() {
            let Some((call, text, meta)) = row.result() else {
                continue;
            };
            let Some(look) = looks.get(&call) else {
                continue;
            };
            if is_superseded(&mut seen, look.clone(), meta.is_error()) && !text.is_empty() {
                *row = row.with_result("".into(), None);
            }
        }
    }

    fn drop_middle_orders(&mut self) {
        let orders = self.rows.iter().filter(|row| is_order(row)).count();
        let mut place = 0;
        self.rows.retain(|row| {
            if !is_order(row) {
                return true;
            }
            place += 1;
            place == 1 || place + MAX_KEPT_ORDERS > orders
        });
    }
}

fn is_order(row: &Row) -> bool {
    row.kind().and_then(RowKind::role) == Some("user")
}

fn snapshot_queries(rows: &VecDeque<Arc<Row>>) -> BTreeMap<CallKey, SnapshotQuery> {
    let mut calls = BTreeMap::new();
    let mut looks = BTreeMap::new();
    for row in rows {
        calls.extend(row.keyed_calls());
        if let Some((key, _, meta)) = row.result()
            && let Some(call) = calls.remove(&key)
            && let Some(look) = SnapshotQuery::of(meta.game, &call.name, &call.arguments)
        {
            looks.insert(key, look);
        }
    }
    looks
}

/// The bytes of a row that a request can contain. No text is sent longer than the limit for
/// results. Reasoning has a limit of its own.
fn row_bytes(row: &Row, hold: usize) -> usize {
    let arguments = row
        .calls()
        .iter()
        .map(|call| call.arguments.len().min(hold));
    let echo = row.utterance().and_then(|said| said.meta.echo.as_ref());
    let echo = echo.map_or(0, |echo| echo.bytes());
    row.text().len().min(hold) + arguments.sum::<usize>() + echo
}

/// A row with only what a request can contain: the model's words without reasoning and without figures,
/// and the beginning of a long result.
pub(super) fn lighten_row(row: &Arc<Row>, hold: usize) -> Arc<Row> {
    let Some(said) = row.utterance() else {
        return row.with_beginning(hold);
    };
    let said = lighten_words(said);
    let mut lighter = Row::clone(row);
    if let Some(words) = lighter.utterance_mut() {
        *words = said;
    }
    Arc::new(lighter)
}

fn lighten_words(said: &Utterance) -> Utterance {
    static NOTHING: LazyLock<Arc<ReplyMeta>> = LazyLock::new(Arc::default);
    let sent = ReplyMeta {
        echo: said.meta.echo.clone(),
        is_from_text: said.meta.is_from_text,
        ..ReplyMeta::default()
    };
    Utterance {
        text: said.text.clone(),
        reasoning: None,
        seen_up_to: said.seen_up_to,
        meta: match sent == **NOTHING {
            true => NOTHING.clone(),
            false => sent.into(),
        },
    }
}

/// A row whose reasoning does not go back any more.
fn without_echoed_reasoning(row: &Arc<Row>) -> Arc<Row> {
    let mut lighter = Row::clone(row);
    if let Some(said) = lighter.utterance_mut()
        && let Some(echo) = &mut Arc::make_mut(&mut said.meta).echo
    {
        Arc::make_mut(echo).reasoning = "".into();
    }
    Arc::new(lighter)
}
