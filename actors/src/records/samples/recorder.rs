//! The recorder: makes the samples of one Mysis from its rows, and says when they are to be stored.
//!
//! Samples are stored as whole hours, and an hour replaces the one before: storing it twice
//! changes nothing. It names the newest row that is counted, so that a restart counts exactly the
//! rows after it.

mod levels;
mod restoring;

use std::sync::Arc;
use std::time::Duration;

use zoea_game::standing::Standing;

use crate::books::Day;
use crate::bounds;
use crate::game::GameReading;
use crate::ids::{Moment, Now, Seq, Timestamp};
use crate::message::{CallRecord, CallStatus, ResultMeta, Row};
use crate::number::NamedNumber;
use crate::tool::is_own;

use super::figures::NumberFigures;
use super::packed::Packer;
use super::wallet::Wallet;
use super::{CurrentFigures, Flow, GameFacts, MINUTE_MS, Minute, PackedHour, Sample};
use levels::UnitSizes;

/// The time after which a write to the store takes new samples with it. It costs a page of the
/// database.
const SAVE_AFTER: Duration = Duration::from_secs(10);
/// The rows after which it does so at once. A restart recalls more rows than that.
const SAVE_AFTER_ROWS: u32 = 48;
/// The longest wait that is counted at once. It is counted each minute, so a longer one is a pause of
/// the whole program.
const MAX_WAIT_MS: u64 = 86_400_000;
/// The most hours that wait for a write to the store.
const MAX_UNSAVED_HOURS: usize = 48;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredSamples {
    /// The hours that were written last, the last one first: two of them contain the last hour. After
    /// the clock was set back, the last one is not the latest.
    pub hours: Vec<PackedHour>,
    /// The newest day of the books, and its cost in millionths of a US dollar.
    pub cost: (Day, u64),
}

impl StoredSamples {
    /// The hours from which a Mysis continues.
    pub const HOURS: usize = 2;

    /// Takes an hour in place of what it has of it. Only the newest hours stay.
    pub fn keep(&mut self, hour: &PackedHour) {
        self.hours.retain(|kept| kept.hour != hour.hour);
        self.hours.push(hour.clone());
        let last_first = |kept: &PackedHour| std::cmp::Reverse((kept.upto, kept.hour));
        self.hours.sort_by_key(last_first);
        self.hours.truncate(StoredSamples::HOURS);
    }
}

#[derive(Debug, Default)]
pub struct SampleRecorder {
    wallet: Wallet,
    sizes: UnitSizes,
    figures: Arc<CurrentFigures>,
    minute: Minute,
    flow: Flow,
    /// The minutes of the hour that are over.
    hour: Packer,
    /// Earlier hours that are not stored yet.
    unsaved_hours: Vec<PackedHour>,
    /// The newest row that is counted.
    upto: Seq,
    /// The rows that are counted and not stored yet.
    unsaved_rows: u32,
    /// Whether the running minute has changed since it was stored.
    has_news: bool,
    /// Whether a minute is over that is not stored yet.
    has_unsaved_minute: bool,
    /// `None` if it was never stored, so that the next write takes it with it.
    saved_at: Option<Moment>,
    waited_upto: Moment,
    /// How long the swarm has been frozen in all, as it was told last, in milliseconds.
    frozen_ms: Option<u64>,
    /// How much of that was after `waited_upto`.
    newly_frozen_ms: u64,
}

impl SampleRecorder {
    /// Continues from the stored samples, and counts the rows that came after them. Of rows before
    /// the first sample only the facts are used.
    pub fn restore(stored: &StoredSamples, rows: &[Arc<Row>], now: Now) -> SampleRecorder {
        let mut recorder = SampleRecorder {
            figures: Arc::new(CurrentFigures {
                cost: stored.cost,
                ..CurrentFigures::default()
            }),
            minute: Minute::of(now.wall),
            saved_at: (!stored.hours.is_empty()).then_some(now.moment),
            waited_upto: now.moment,
            ..SampleRecorder::default()
        };
        recorder.continue_from(&stored.hours);
        recorder.count_again(rows, stored.hours.is_empty());
        recorder.go_to(now.wall);
        recorder
    }

    /// Takes how long the swarm has been frozen in all: that is no waiting.
    pub fn set_frozen_ms(&mut self, frozen_ms: u64) {
        let before = self.frozen_ms.replace(frozen_ms).unwrap_or(frozen_ms);
        let more = frozen_ms.saturating_sub(before);
        self.newly_frozen_ms = self.newly_frozen_ms.saturating_add(more);
    }

    /// Goes on to the present time. `is_waiting`: whether it waited since the last time.
    pub fn advance(&mut self, now: Now, is_waiting: bool) {
        let since = std::mem::replace(&mut self.waited_upto, now.moment);
        let frozen = std::mem::take(&mut self.newly_frozen_ms);
        let waited = now.moment.millis_since(since).saturating_sub(frozen);
        if is_waiting && waited > 0 {
            self.add_wait(now.wall, waited);
        }
        self.go_to(now.wall);
    }

    /// Adds a wait that ends now, to each minute its part. No minute gets more than it lasts, even if
    /// the clock was set back.
    fn add_wait(&mut self, end: Timestamp, waited: u64) {
        let waited = i64::try_from(waited.min(MAX_WAIT_MS)).unwrap_or_default();
        let mut at = end.0.saturating_sub(waited);
        while at < end.0 {
            self.go_to(Timestamp(at));
            let minute_end = Minute::of(Timestamp(at)).0.saturating_add(1);
            let until = minute_end.saturating_mul(MINUTE_MS).min(end.0);
            let part = u64::try_from(until - at).unwrap_or_default();
            let sum = bounds::bounded_sum(self.flow.waited_ms, part);
            self.flow.waited_ms = sum.min(MINUTE_MS.unsigned_abs());
            self.has_news = true;
            at = until;
        }
    }

    /// Begins the minute of a time, unless it runs already. A clock that is set back by a few
    /// minutes changes nothing until it has caught up.
    fn go_to(&mut self, at: Timestamp) {
        const MAX_BACK_MINUTES: i64 = 5;
        let minute = Minute::of(at);
        let back = self.minute.0.saturating_sub(minute.0);
        if (0..=MAX_BACK_MINUTES).contains(&back) {
            return;
        }
        if self.flow != Flow::default() {
            let sample = self.running_sample();
            self.hour.push(&sample);
            self.flow = Flow::default();
            self.has_unsaved_minute |= std::mem::take(&mut self.has_news);
        }
        let hour = self.minute.hour();
        if minute.hour() != hour {
            let over = std::mem::take(&mut self.hour);
            if self.has_unsaved_minute && self.unsaved_hours.len() < MAX_UNSAVED_HOURS {
                self.unsaved_hours.push(over.packed(hour, self.upto.0));
            }
        }
        self.minute = minute;
    }

    fn running_sample(&self) -> Sample {
        Sample {
            minute: self.minute,
            facts: self.figures.facts.clone(),
            flow: self.flow,
        }
    }

    pub fn count(&mut self, row: &Row, call: Option<(&CallRecord, &GameReading<'_>)>) {
        self.count_row(row, call);
        if let Some(charge) = row.charge() {
            let micros = bounds::cost_of_a_call(charge.cost_micros.unwrap_or(0));
            Arc::make_mut(&mut self.figures).add_cost(row.at, micros);
        }
    }

    fn count_row(&mut self, row: &Row, call: Option<(&CallRecord, &GameReading<'_>)>) {
        self.upto = self.upto.max(row.seq);
        let mut more = Flow::default();
        if let Some(charge) = row.charge() {
            let usage = bounds::usage_of_a_call(charge.usage);
            more.tokens_in = usage.input;
            more.tokens_cached = usage.cached;
            more.tokens_out = usage.output;
            match charge.cost_micros {
                Some(cost) => more.cost_micros = bounds::cost_of_a_call(cost),
                None => more.tokens_unpriced = bounds::bounded_sum(usage.input, usage.output),
            }
        }
        let is_said = row.utterance().is_some() && row.routine().is_none();
        more.model_calls = u64::from(is_said || row.charge().is_some());
        if let Some((_, _, meta)) = row.result() {
            more.tool_calls = 1;
            more.failures = u64::from(meta.status != CallStatus::Done);
            let call = call.filter(|_| is_about_game(meta));
            more.earned = call
                .and_then(|(call, reading)| self.take_result((call, reading), meta.status, row.at));
        }
        if more != Flow::default() {
            self.add_flow(&more);
            self.unsaved_rows = self.unsaved_rows.saturating_add(1);
        }
    }

    fn add_flow(&mut self, more: &Flow) {
        let figures = Arc::make_mut(&mut self.figures);
        if let Some(earned) = more.earned {
            figures.trend.add(self.minute, earned);
        }
        figures.value.add(more);
        self.flow.add(more);
        self.has_news = true;
    }

    /// Takes what the answer to a login tells: all of the player and the ship, as a look does.
    pub fn take_login(&mut self, reading: &GameReading<'_>, at: Timestamp) {
        let Some(facts) = reading.facts() else {
            return;
        };
        let shown = facts.standing("login", true);
        let more = Flow {
            earned: self.wallet.take(&shown, None, at),
            ..Flow::default()
        };
        self.take_facts(shown);
        self.add_flow(&more);
    }

    /// Takes what a row tells of the number that the operator named, where it is a good result of a tool of no game.
    pub fn take_number(&mut self, row: &Row, named: Option<&NamedNumber>) {
        let result = row.result();
        let (Some(named), Some((_, text, meta))) = (named, result) else {
            return;
        };
        let may_have_number = meta.status == CallStatus::Done && !meta.game.tells_facts();
        if let Some(level) = named.read(&meta.tool, text).filter(|_| may_have_number) {
            let figures = Arc::make_mut(&mut self.figures);
            NumberFigures::take(&mut figures.number, (named.name(), level), row.at);
            figures.facts.number = Some(level);
            figures.facts.number_name = Some(named.name().clone());
            self.has_news = true;
        }
    }

    /// Counts a model call without an answer.
    pub fn count_failed_model_call(&mut self) {
        self.flow.failures = self.flow.failures.saturating_add(1);
        self.has_news = true;
    }

    /// Takes what a result tells of the game. Returns what was earned.
    fn take_result(
        &mut self,
        (call, reading): (&CallRecord, &GameReading<'_>),
        status: CallStatus,
        at: Timestamp,
    ) -> Option<i64> {
        let command = call.command();
        let game = reading.game();
        let transfer = game.transfer(&command, &call.name, &call.arguments);
        if !status.may_have_acted() {
            return None;
        }
        if status == CallStatus::Unknown {
            if let Some(transfer) = transfer {
                self.wallet.blur(transfer, at);
            }
            self.take_facts(game.unread(&command, call.read_only));
            return None;
        }
        let shown = standing_of(call, &command, reading);
        let earned = self.wallet.take(&shown, transfer, at);
        self.take_facts(shown);
        earned
    }

    /// Takes what a result tells of the ship, and the credits of the wallet.
    fn take_facts(&mut self, shown: Standing) {
        let credits = self.wallet.credits();
        if shown != Standing::default() || self.figures.facts.credits != credits {
            let facts = &mut Arc::make_mut(&mut self.figures).facts;
            facts.credits = credits;
            facts.take(shown, &mut self.sizes);
        }
    }

    /// Forgets the facts, because another game account plays.
    pub fn forget_game(&mut self) {
        self.wallet = Wallet::default();
        Arc::make_mut(&mut self.figures).facts = GameFacts::default();
    }

    pub fn figures(&self) -> &Arc<CurrentFigures> {
        &self.figures
    }

    /// Whether a minute is over that is not stored yet.
    pub fn has_unsaved_minute(&self) -> bool {
        self.has_unsaved_minute
    }

    /// The hours that the present write to the store takes with it. `is_last`: whether no other
    /// write follows soon.
    pub fn take_unsaved(&mut self, now: Moment, is_last: bool) -> Vec<PackedHour> {
        let is_due = self.unsaved_rows >= SAVE_AFTER_ROWS
            || self.unsaved_rows > 0 && self.saved_at.is_none_or(|at| now.since(at) >= SAVE_AFTER)
            || is_last && self.has_news;
        if !is_due && !self.has_unsaved_minute {
            return Vec::new();
        }
        let mut hours = std::mem::take(&mut self.unsaved_hours);
        let mut hour = self.hour.clone();
        if self.flow != Flow::default() {
            hour.push(&self.running_sample());
        }
        if !hour.is_empty() {
            hours.push(hour.packed(self.minute.hour(), self.upto.0));
        }
        self.unsaved_rows = 0;
        self.has_news = false;
        self.has_unsaved_minute = false;
        self.saved_at = Some(now);
        hours
    }
}

/// Whether a result may tell of the game: not if strangers wrote parts of it.
fn is_about_game(meta: &ResultMeta) -> bool {
    let (game, command) = (meta.game, &*meta.tool);
    game.tells_facts() && !is_own(command) && !game.has_words_of_others(command)
}

fn standing_of(call: &CallRecord, command: &str, reading: &GameReading<'_>) -> Standing {
    match reading.facts() {
        Some(facts) => facts.standing(command, call.read_only),
        None => reading.game().unread(command, call.read_only),
    }
}
