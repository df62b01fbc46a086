//! Brings the dashboard up to date before each picture.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::{Moment, MysisId, Now, Timestamp};
use actors::domain::needs::ListedNeed;
use actors::domain::state::LifeState;

use super::Dashboard;
use super::action::TerminalAction;
use super::appearance::Notify;
use super::conversation::keys::FOCUS_KEYS;
use super::conversation::{ActiveSeek, preview};
use super::key_screens::key_tables;
use super::keys::{BEFORE_VIEWS, Chapter, GLOBAL_KEYS, KeyTable, MOVEMENT_KEYS, TARGET_KEYS};
use super::log::message::LogMessage;
use super::money;
use super::orders::Receipt;
use super::overlay::Overlay;
use super::servers;
use super::signs;
use super::table::keys::TABLE_KEYS;
use super::views::OPENING_KEYS;
use zoea_text::natural::compare_natural;

/// How long a receipt is shown.
const RECEIPT_SHOW_TIME: Duration = Duration::from_secs(30);
/// How long a notice is shown.
const NOTICE_SHOW_TIME: Duration = Duration::from_secs(8);
/// The intervals at which a picture changes without an event: a stopwatch counts seconds, ages
/// change more slowly.
const SECOND_MS: i64 = 1_000;
const HALF_MINUTE_MS: i64 = 30_000;
/// The interval at which it is looked whether servers that fail shall be asked again.
const SERVER_CHECK_MS: i64 = 5_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatusLine<'a> {
    Closing,
    /// A search in the store is running.
    Seeking(ActiveSeek),
    /// The newest error that is not dismissed, and the number of others.
    Error(&'a LogMessage, usize),
    /// The progress of an order.
    Receipt(&'a Receipt),
    /// A notice.
    Said(&'a LogMessage),
    /// Where a new operator begins.
    FirstHint,
    /// The line is empty.
    Nothing,
}

impl Dashboard {
    pub fn tick(&mut self, now: Now) {
        let is_first = self.now == Timestamp(0);
        (self.now, self.moment) = (now.wall, now.moment);
        if is_first {
            self.ask_about_absence(self.looked.active());
        }
        if self.log.has_old_error(self.moment) {
            Arc::make_mut(&mut self.log).drop_old_errors(self.moment);
        }
    }

    /// The time of day at a moment of this run.
    pub(super) fn wall_time(&self, at: Moment) -> Timestamp {
        let ago = i64::try_from(self.moment.since(at).as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.now.0.saturating_sub(ago))
    }

    /// Brings everything that is drawn up to date.
    pub fn prepare_frame(&mut self) {
        self.counts = self.roster.counts();
        self.flow.take_total(self.roster.tokens_used(), self.moment);
        self.turns.take_total(self.counts.turns, self.moment);
        self.money = money::money_of(self.roster.members().values(), self.now);
        let servers = servers::server_lights(&self.roster, &self.outages);
        if *self.servers != servers {
            self.servers = Arc::new(servers);
        }
        self.update_needs();
        self.keep_rows();
        self.refresh_first_minute();
        self.refresh_timeline();
        self.follow_conversation();
        self.poll_views();
        self.update_table();
        self.table.sum_groups(&self.roster, self.now);
        self.update_focus();
        preview::poll(self);
        self.weigh_request();
    }

    pub(super) fn update_table(&mut self) {
        let height = self.resize_table();
        // The height depends on the number of shown Myses, which may have changed just now.
        if self.layout().body.height != height {
            self.resize_table();
        }
    }

    /// Gives the table the height of its area and brings its rows up to date. Returns the height.
    fn resize_table(&mut self) -> u16 {
        let height = self.layout().body.height;
        self.table.resize(usize::from(height));
        let now = Now {
            wall: self.now,
            moment: self.moment,
        };
        let still = self.stillness.is_still(self.moment);
        self.table
            .update_order((&self.roster, &self.outages), now, still);
        height
    }

    fn update_needs(&mut self) {
        let needs = self.need_book.list(self.now);
        if *self.needs != needs {
            self.needs = Arc::new(needs);
        }
        let needed: BTreeSet<MysisId> = self.needing_myses().collect();
        if self.needed.as_deref() == Some(&needed) {
            return;
        }
        if let Some(before) = self.needed.take() {
            let is_new = |need: &&ListedNeed| {
                let mut myses = need.myses.iter();
                myses.any(|mysis| !before.contains(&mysis.id))
            };
            let newly = self.needs.iter().filter(is_new);
            let newly: Vec<String> = newly.map(ListedNeed::whose).collect();
            self.call_operator(&newly.join(", "));
        }
        // Before the first snapshot of the swarm no need is new.
        self.needed = self.rules.is_some().then(|| Arc::new(needed));
    }

    fn call_operator(&mut self, names: &str) {
        if names.is_empty() {
            return;
        }
        match (self.appearance.notify, self.is_watched) {
            (Notify::Off, _) | (Notify::Message, true) => {}
            (Notify::Bell, _) => self.actions.push(TerminalAction::Bell),
            (Notify::Message, false) => {
                let text = format!("zoea: {names} needs you");
                self.actions.push(TerminalAction::Notify(text));
            }
        }
    }

    fn update_focus(&mut self) {
        if self.focus.is_none() {
            return;
        }
        let body = self.layout().body;
        let Some(focus) = &mut self.focus else {
            return;
        };
        focus.transcript.resize(body.width, body.height);
        let load = focus.transcript.prepare_frame();
        let sees_end = focus.transcript.is_following();
        let mysis = focus.mysis();
        if load.is_some() {
            self.load(load);
        }
        let is_unread = self
            .roster
            .get(mysis)
            .is_some_and(|member| member.is_unread());
        if sees_end && is_unread {
            Arc::make_mut(&mut self.roster).read(mysis);
        }
    }

    /// When the picture changes without an event; `None` if it never does.
    #[must_use]
    pub fn next_change(&self) -> Option<Timestamp> {
        let shows_message = self.log.shows_own_error()
            || (!matches!(
                self.status_line(),
                StatusLine::Nothing | StatusLine::FirstHint
            ) && self.log.open_errors().len() == 0);
        let is_empty = self.roster.members().is_empty() && self.closing.is_none();
        if is_empty && !shows_message && !self.awaits_servers() {
            return None;
        }
        let is_live = self.closing.is_some()
            || self.roster.members().values().any(|member| {
                member.status.state == LifeState::Running
                    && member.status.activity != Activity::Resting
            });
        let moves = is_live || shows_message || !self.flow.is_flat();
        let every = match (moves, self.awaits_servers()) {
            (true, _) => SECOND_MS,
            (false, true) => SERVER_CHECK_MS,
            (false, false) => HALF_MINUTE_MS,
        };
        let next = Timestamp((self.now.0.div_euclid(every) + 1) * every);
        Some(self.next_follow().map_or(next, |read| read.min(next)))
    }

    /// The Myses that closing still waits for. The list is empty while the program is not closing.
    #[must_use]
    pub fn awaited_myses(&self) -> Vec<&MysisStatus> {
        if self.closing.is_none() {
            return Vec::new();
        }
        let statuses = self.roster.members().values();
        let mut waited: Vec<&MysisStatus> = statuses
            .map(|member| &*member.status)
            .filter(|status| status.activity != Activity::Resting)
            .collect();
        waited.sort_by(|a, b| compare_natural(&a.name, &b.name));
        waited
    }

    /// The content of the status line. An error comes before receipts and notices, of which the newer
    /// one is shown.
    #[must_use]
    pub fn status_line(&self) -> StatusLine<'_> {
        if self.closing.is_some() {
            return StatusLine::Closing;
        }
        if let Some(seeking) = self.focus.as_ref().and_then(|focus| focus.seeking()) {
            return StatusLine::Seeking(seeking);
        }
        if let Some(message) = self.log.open_errors().next_back() {
            return StatusLine::Error(message, self.log.open_errors().len() - 1);
        }
        let said_at = self.log.notice_at();
        let is_new = self.moment.since(said_at) < NOTICE_SHOW_TIME;
        let said = self.log.newest_notice().filter(|_| is_new);
        let receipt = self.visible_receipt();
        match (said, receipt) {
            (Some(_), Some(receipt)) if receipt.at > said_at => StatusLine::Receipt(receipt),
            (Some(said), _) => StatusLine::Said(said),
            (None, Some(receipt)) => StatusLine::Receipt(receipt),
            (None, None) if self.shows_first_hint() => StatusLine::FirstHint,
            (None, None) => StatusLine::Nothing,
        }
    }

    /// The newest receipt, unless it is too old to be shown.
    #[must_use]
    pub fn visible_receipt(&self) -> Option<&Receipt> {
        let receipt = self.orders.receipts().back()?;
        let is_new = self.moment.since(receipt.at) < RECEIPT_SHOW_TIME;
        (is_new || receipt.awaited > 0).then_some(&**receipt)
    }

    /// The chapters of the help screen. Those of the current view come first.
    #[must_use]
    pub fn help(&self) -> Vec<Chapter> {
        let tables = key_tables();
        let in_hand = match (self.offers_first_steps(), self.focus.is_some()) {
            (true, _) => 2,
            (false, is_open) => usize::from(is_open),
        };
        let mut pages = vec![tables.table, tables.conversation, tables.empty_swarm];
        let page = pages.remove(in_hand);
        let open = self.overlays.iter().rev().filter_map(Overlay::view);
        let open = open.into_iter().find_map(|view| view.keys());
        let mut others = tables.views;
        others.retain(|table| open.as_ref().is_none_or(|open| open.title != table.title));
        let chapter = |table: KeyTable| self.keymap.chapter(&table);
        let mut chapters: Vec<Chapter> = open.into_iter().chain([page]).map(chapter).collect();
        chapters.push(signs::chapter());
        chapters.extend([tables.targets, tables.global, tables.movement].map(chapter));
        chapters.extend(pages.into_iter().chain(others).map(chapter));
        chapters
    }

    /// The hints for the keys that work now, the most useful first.
    #[must_use]
    pub fn hints(&self) -> Vec<(String, &'static str)> {
        let fixed = |hints: &[(&str, &'static str)]| {
            hints
                .iter()
                .map(|(keys, hint)| ((*keys).to_string(), *hint))
                .collect()
        };
        match self.overlays.last() {
            Some(Overlay::Compose(composer)) => {
                let mut hints: Vec<_> = fixed(&[
                    ("Enter", "send"),
                    ("Alt-Enter", "new line"),
                    ("↑", "history"),
                    ("Esc", "keep for later"),
                    ("Ctrl-C", "throw away"),
                ]);
                if composer.is_order() {
                    hints.extend(fixed(&[("Ctrl-G", "no gain expected")]));
                }
                hints.extend(fixed(&[("Ctrl-O", "editor")]));
                hints
            }
            Some(Overlay::Form(_)) => fixed(&[
                ("Enter", "give the order"),
                ("Tab", "next"),
                ("← →", "choose"),
                ("Esc", "leave"),
            ]),
            Some(Overlay::Palette(_)) => fixed(&[
                ("Enter", "do it"),
                ("Tab", "complete"),
                ("↑ ↓", "choose"),
                ("Esc", "leave"),
            ]),
            Some(Overlay::Query(query)) => fixed(query.hints()),
            Some(Overlay::Confirm(_)) => Vec::new(),
            Some(Overlay::View(view)) => view.hints(&self.keymap),
            None => self.hints_of_view(),
        }
    }

    fn hints_of_view(&self) -> Vec<(String, &'static str)> {
        let keymap = &self.keymap;
        let mut hints = Vec::new();
        if self.offers_first_steps() {
            hints.extend(self.first_step_hints());
        } else if self.focus.is_some() {
            hints.extend(keymap.hints(FOCUS_KEYS));
            hints.extend(keymap.hints(MOVEMENT_KEYS));
        } else {
            hints.extend(keymap.hints(TABLE_KEYS));
        }
        if !self.offers_first_steps() {
            hints.extend(keymap.hints(TARGET_KEYS));
        }
        let (first, last) = GLOBAL_KEYS.split_at(BEFORE_VIEWS);
        hints.extend(keymap.hints(first));
        hints.extend(keymap.hints(&OPENING_KEYS));
        hints.extend(keymap.hints(last));
        hints
    }
}
