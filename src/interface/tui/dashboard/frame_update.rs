//! Brings the dashboard up to date before each picture.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::Activity;
use actors::domain::ids::{Now, Timestamp};
use actors::domain::state::LifeState;

use super::Dashboard;
use super::action::TerminalAction;
use super::appearance::Notify;
use super::conversation::ActiveSeek;
use super::conversation::preview::Preview;
use super::first_minute::{awaits_servers, first_steps};
use super::help::{HelpView, signs, writing};
use super::key_screens::key_tables;
use super::keys::{Chapter, KeyTable};
use super::layout::ScreenLayout;
use super::log::message::LogMessage;
use super::orders::Receipt;
use super::overlay::Overlay;
use super::screen_parts::ScreenParts;
use super::views::VIEWS;

const RECEIPT_SHOW_TIME: Duration = Duration::from_secs(30);
const NOTICE_SHOW_TIME: Duration = Duration::from_secs(8);
/// The intervals at which a picture changes without an event: a stopwatch counts seconds, ages
/// change more slowly.
const SECOND_MS: i64 = 1_000;
const HALF_MINUTE_MS: i64 = 30_000;
/// The interval at which it is looked whether servers that fail shall be asked again.
const SERVER_CHECK_MS: i64 = 5_000;

/// The key that says of an order that no gain is expected. A note is no order.
const GAIN_KEY: &str = "Ctrl-G";

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatusLine<'a> {
    Closing,
    Seeking(ActiveSeek),
    /// The newest error that is not dismissed, and the number of others.
    Error(&'a LogMessage, usize),
    Receipt(&'a Receipt),
    Said(&'a LogMessage),
    FirstHint,
    Nothing,
}

impl Dashboard {
    pub fn tick(&mut self, now: Now) {
        let is_first = self.facts.now == Timestamp(0);
        self.facts.tick(now);
        if is_first {
            let active = self.facts.looked.active();
            (self.banner.away).ask(&self.facts, active, &mut self.outbox);
        }
    }

    pub fn prepare_frame(&mut self) {
        let newly = self.facts.sum_up();
        self.call_operator(&newly);
        self.keep_rows();
        (self.first_minute).refresh(&self.facts, &mut self.outbox);
        if let Some(focus) = &mut self.focus {
            (focus.timeline).refresh(focus.transcript.mysis, &self.facts, &mut self.outbox);
            focus.follow(&self.facts, &mut self.outbox);
        }
        self.poll_views();
        self.update_table();
        let (roster, now) = (&self.facts.roster, self.facts.now);
        self.table.sum_groups(roster, now);
        self.update_conversations();
        self.carry_out_requests();
    }

    /// Keeps the rows of this picture, unless they are held, or the screen is too small to have any.
    fn keep_rows(&mut self) {
        if !self.facts.is_too_small() {
            let parts = self.screen_parts();
            let (rows, frame) = (parts.share_rows(), parts.frame());
            self.stillness.keep(rows, self.facts.moment, frame);
        }
    }

    fn screen_parts(&self) -> ScreenParts<'_> {
        ScreenParts {
            facts: &self.facts,
            table: &self.table,
            is_open: self.focus.is_some(),
            composer: self.layers.composer(),
            banner: self.banner_text(),
        }
    }

    pub fn layout(&self) -> ScreenLayout {
        let parts = self.screen_parts();
        let held = (self.stillness).rows_to_hold(self.facts.moment, parts.frame());
        let rows = parts.share_rows();
        parts.layout(held.map_or(rows, |before| rows.held_at(before)))
    }

    pub(super) fn update_table(&mut self) {
        let height = self.resize_table();
        // The height depends on the number of shown Myses, which may have changed just now.
        if self.layout().body.height != height {
            self.resize_table();
        }
    }

    /// Gives the table the size of its area and brings its rows up to date. Returns the height.
    fn resize_table(&mut self) -> u16 {
        let body = self.layout().body;
        self.table.resize(body.width, body.height);
        let now = Now {
            wall: self.facts.now,
            moment: self.facts.moment,
        };
        let still = self.stillness.is_still(now.moment);
        let known = (&*self.facts.roster, &*self.facts.outages);
        self.table.update_order(known, now, still);
        body.height
    }

    fn call_operator(&mut self, names: &str) {
        if names.is_empty() {
            return;
        }
        match (self.facts.appearance.notify, self.facts.is_watched) {
            (Notify::Off, _) | (Notify::Message, true) => {}
            (Notify::Bell, _) => self.outbox.actions.push(TerminalAction::Bell),
            (Notify::Message, false) => {
                let text = format!("zoea: {names} needs you");
                self.outbox.actions.push(TerminalAction::Notify(text));
            }
        }
    }

    /// Brings the open conversation up to date; while none is open, that of the selected Mysis.
    fn update_conversations(&mut self) {
        let layout = self.layout();
        let kept = self.preview.take();
        if let Some(focus) = &mut self.focus {
            focus
                .transcript
                .resize(layout.body.width, layout.body.height);
            focus.transcript.update(&mut self.outbox);
            if layout.panel.width > 0 {
                focus.weigh_request(&self.facts, &mut self.outbox);
            }
            let (mysis, sees_end) = (focus.mysis(), focus.transcript.is_following());
            let member = self.facts.roster.get(mysis);
            if sees_end && member.is_some_and(|member| member.is_unread()) {
                Arc::make_mut(&mut self.facts.roster).read(mysis);
            }
            return;
        }
        // Of a group it is the first one.
        let selected = self.table.selected_myses().first();
        let selected = selected.and_then(|id| self.facts.roster.get(*id));
        if let (Some(member), 1..) = (selected, layout.panel.width) {
            let (status, area) = (&member.status, layout.panel);
            let preview = Preview::poll(kept, status, &self.facts, area, &mut self.outbox);
            self.preview = Some(preview);
        }
    }

    /// When the picture changes without an event; `None` if it never does.
    pub fn next_change(&self) -> Option<Timestamp> {
        let shows_message = self.facts.log.shows_own_error()
            || (!matches!(
                self.status_line(),
                StatusLine::Nothing | StatusLine::FirstHint
            ) && self.facts.log.open_errors().len() == 0);
        let awaits_servers = awaits_servers(&self.facts);
        let is_empty = self.facts.roster.members().is_empty() && self.facts.closing_since.is_none();
        if is_empty && !shows_message && !awaits_servers {
            return None;
        }
        let is_live = self.facts.closing_since.is_some()
            || self.facts.roster.members().values().any(|member| {
                member.status.state == LifeState::Running
                    && member.status.activity != Activity::Resting
            });
        let moves = is_live || shows_message || !self.facts.token_rate.is_flat();
        let every = match (moves, awaits_servers) {
            (true, _) => SECOND_MS,
            (false, true) => SERVER_CHECK_MS,
            (false, false) => HALF_MINUTE_MS,
        };
        let next = Timestamp((self.facts.now.0.div_euclid(every) + 1) * every);
        let focus = self.focus.as_ref();
        let follow = focus.and_then(|focus| focus.next_follow(&self.facts));
        Some(follow.map_or(next, |read| read.min(next)))
    }

    /// The content of the status line. An error comes before receipts and notices, of which the newer
    /// one is shown.
    pub fn status_line(&self) -> StatusLine<'_> {
        if self.facts.closing_since.is_some() {
            return StatusLine::Closing;
        }
        if let Some(seeking) = self.focus.as_ref().and_then(|focus| focus.seeking()) {
            return StatusLine::Seeking(seeking);
        }
        if let Some(message) = self.facts.log.open_errors().next_back() {
            return StatusLine::Error(message, self.facts.log.open_errors().len() - 1);
        }
        let said_at = self.facts.log.notice_at();
        let is_new = self.facts.moment.since(said_at) < NOTICE_SHOW_TIME;
        let said = self.facts.log.newest_notice().filter(|_| is_new);
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
    pub fn visible_receipt(&self) -> Option<&Receipt> {
        let receipt = self.facts.orders.receipts().back()?;
        let is_new = self.facts.moment.since(receipt.at) < RECEIPT_SHOW_TIME;
        (is_new || receipt.awaited > 0).then_some(&**receipt)
    }

    /// The chapters of the help screen. Those of the current view come first.
    pub fn help(&self) -> Vec<Chapter> {
        let tables = key_tables();
        let in_hand = match (self.offers_first_steps(), self.focus.is_some()) {
            (true, _) => 2,
            (false, is_open) => usize::from(is_open),
        };
        let mut pages = vec![tables.table, tables.conversation, tables.empty_swarm];
        let page = pages.remove(in_hand);
        let layers = self.layers.all.iter().rev();
        let mut open = layers.filter_map(Overlay::try_as_view_ref);
        let open = open.find(|view| !(&***view as &dyn Any).is::<HelpView>());
        let open = open.map(|view| (view.spec().keys)());
        let may_be_game = self.facts.roster.may_tell_facts();
        let views = VIEWS.iter().filter(|it| may_be_game || !it.is_of_game());
        let mut others: Vec<KeyTable> = views.map(|view| (view.keys)()).collect();
        others.retain(|table| open.as_ref().is_none_or(|open| open.title != table.title));
        let chapter = |table: KeyTable| {
            let table = table.for_tools(may_be_game);
            self.facts.keymap.chapter(&table)
        };
        let mut chapters: Vec<Chapter> = open.into_iter().chain([page]).map(chapter).collect();
        chapters.push(signs());
        chapters.extend([tables.targets, tables.global, tables.movement].map(chapter));
        chapters.extend(pages.into_iter().chain(others).map(chapter));
        chapters.push(writing());
        chapters
    }

    /// The hints for the keys that work now, the most useful first.
    pub fn hints(&self) -> Vec<(String, &'static str)> {
        let hints: &[(&str, &'static str)] = match self.layers.all.last() {
            Some(Overlay::Compose(_)) => &[
                ("Enter", "send"),
                ("Alt-Enter", "new line"),
                ("↑", "history"),
                ("Esc", "keep for later"),
                ("Ctrl-C", "throw away"),
                (GAIN_KEY, "no gain expected"),
                ("Ctrl-O", "editor"),
            ],
            Some(Overlay::Form(_)) => &[
                ("Enter", "give the order"),
                ("Tab", "next"),
                ("← →", "choose"),
                ("Esc", "leave"),
            ],
            Some(Overlay::Palette(_)) => &[
                ("Enter", "do it"),
                ("Tab", "complete"),
                ("↑ ↓", "choose"),
                ("Esc", "leave"),
            ],
            Some(Overlay::Query(query)) => query.hints(),
            Some(Overlay::Confirm(_)) => &[],
            Some(Overlay::View(view)) => return view.hints(&self.facts.keymap),
            None => return self.hints_of_view(),
        };
        let is_note = (self.layers.composer()).is_some_and(|composer| !composer.is_order());
        let hints = hints.iter().filter(|(key, _)| !is_note || *key != GAIN_KEY);
        hints
            .map(|(keys, hint)| ((*keys).to_string(), *hint))
            .collect()
    }

    fn hints_of_view(&self) -> Vec<(String, &'static str)> {
        let tables = key_tables();
        let may_be_game = self.facts.roster.may_tell_facts();
        let hints = |table: KeyTable| self.facts.keymap.hints(&table.for_tools(may_be_game));
        let mut all = match (self.offers_first_steps(), &self.focus) {
            (true, _) => {
                let steps = first_steps(&self.facts).into_iter();
                steps.map(|(key, _, hint)| (key, hint)).collect()
            }
            (false, Some(_)) => [tables.conversation, tables.movement, tables.targets]
                .map(hints)
                .concat(),
            (false, None) => [tables.table, tables.targets].map(hints).concat(),
        };
        all.extend(hints(tables.global));
        all
    }
}
