//! The facts that views show: what the swarm reported, what this terminal ordered, and what the terminal is. Only events
//! change them (`facts/update.rs`); no view does, and nothing here knows a view.

mod update;

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::books::BudgetUse;
use actors::domain::budget::BudgetStatus;
use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::{Moment, MysisId, Timestamp};
use actors::domain::needs::{ListedNeed, NeedBook};
use actors::domain::outages::ServerOutages;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::TerminalKind;
use actors::domain::silence::SilenceNotice;
use actors::domain::standing::{StandingCondition, StandingConditions, StandingKind};
use actors::domain::state::LifeState;
use actors::domain::swarm_setup::SwarmSetup;
use ratatui::layout::Rect;
use zoea_text::clean::one_line;
use zoea_text::natural::compare_natural;
use zoea_text::redact::Redactor;

use super::appearance::Appearance;
use super::keys::Keymap;
use super::log::MessageLog;
use super::log::looking::LookedAt;
use super::money::SwarmMoney;
use super::orders::OrderTracker;
use super::roster::{Counts, Roster};
use super::servers::ServerLight;
use super::text::width;
use super::token_rate::TokenRate;

/// The smallest usable terminal, in columns and rows.
pub const LEAST: (u16, u16) = (40, 10);

/// The most names that are told of several Myses.
const MOST_NAMES: usize = 12;

pub(super) const BETWEEN_TEXTS: &str = "  ·  ";

const MAX_NAME_COLUMNS: usize = 20;

#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub roster: Arc<Roster>,
    pub counts: Counts,
    pub money: SwarmMoney,
    pub servers: Arc<Vec<ServerLight>>,
    pub(super) need_book: Arc<NeedBook>,
    pub needs: Arc<Vec<ListedNeed>>,
    /// The Myses that needed the operator in the last picture; `None` before the first picture.
    pub(super) needed: Option<Arc<BTreeSet<MysisId>>>,
    pub token_rate: TokenRate,
    pub turn_rate: TokenRate,
    pub mission: Option<Arc<str>>,
    pub spending: Arc<BudgetStatus>,
    pub outages: Arc<ServerOutages>,
    pub silence: Option<Arc<SilenceNotice>>,
    pub standing: Arc<StandingConditions>,
    /// Since when the swarm is frozen.
    pub frozen_since: Option<Timestamp>,
    /// The rules of the swarm; `None` until they are known.
    pub rules: Option<Arc<SwarmRules>>,
    pub redactor: Arc<Redactor>,
    /// What the swarm uses; `None` until that is known.
    pub setup: Option<Arc<SwarmSetup>>,
    pub log: Arc<MessageLog>,
    pub looked: LookedAt,
    pub orders: Arc<OrderTracker>,
    /// When the program began to close; `None` while it is not closing.
    pub closing_since: Option<Timestamp>,
    pub kind: TerminalKind,
    pub now: Timestamp,
    /// `now` on the monotonic clock, which times all waits.
    pub moment: Moment,
    /// The terminal's size in columns and rows.
    pub size: (u16, u16),
    pub appearance: Appearance,
    /// Whether the terminal has the focus, as far as the terminal reports it.
    pub is_watched: bool,
    pub keymap: Keymap,
}

impl Facts {
    /// What the swarm spent today, and the tokens in it without a known price.
    pub fn spent_today(&self) -> (BudgetUse, u64) {
        let spending = &self.spending;
        match self.now < spending.day.end_time() {
            true => (spending.swarm, spending.unpriced_tokens),
            false => (BudgetUse::default(), 0),
        }
    }

    /// The percentage of today's budget that is spent; `None` without a budget.
    pub fn budget_percent(&self) -> Option<u64> {
        self.spending.percent_at(self.now)
    }

    /// Why the store takes no writes; `None` if it does.
    pub fn store_trouble(&self) -> Option<&StandingCondition> {
        self.standing.get(StandingKind::StoreTrouble)
    }

    pub fn name_of(&self, id: MysisId) -> Arc<str> {
        let member = self.roster.get(id);
        member.map_or_else(|| "?".into(), |member| member.status.name.clone())
    }

    /// The names of these Myses in order. Of many they are the first ones, and what is left out has a sign.
    pub fn names_of(&self, ids: &[MysisId]) -> String {
        let mut names: Vec<Arc<str>> = ids.iter().map(|id| self.name_of(*id)).collect();
        names.sort_by(|a, b| compare_natural(a, b));
        let more = if names.len() > MOST_NAMES {
            ", …"
        } else {
            ""
        };
        names.truncate(MOST_NAMES);
        format!("{}{more}", names.join(", "))
    }

    /// The tokens that a minute uses. Where nothing runs, what the last minute used says nothing of the next.
    pub fn tokens_per_minute(&self) -> Option<u64> {
        let rate = self.token_rate.per_minute()?;
        Some(if self.counts.running == 0 { 0 } else { rate })
    }

    /// Of which time the sums of the swarm are: of an hour, or of as much as is known of it.
    pub fn money_period(&self) -> String {
        match self.money.known_since(self.now) {
            Some(since) => format!("since {}", self.appearance.offset.short_clock(since)),
            None => "in 1 h".to_string(),
        }
    }

    /// What the number is called that the operator named; `None` if none is told, or credits are.
    pub fn number_name(&self) -> Option<String> {
        self.money.number?;
        let mut members = self.roster.members().values();
        let number = members.find_map(|member| member.status.figures.number.as_ref())?;
        let name = one_line(&number.name);
        Some(width::clip(&name, MAX_NAME_COLUMNS).into_owned())
    }

    /// How many need the operator: Myses, and the program.
    pub fn need_count(&self) -> usize {
        self.needs.iter().map(ListedNeed::count).sum()
    }

    /// The needs that the panel shows in one line each. Conditions of the whole program have lines of their own
    /// above.
    pub fn panel_needs(&self) -> impl Iterator<Item = &ListedNeed> {
        self.needs.iter().filter(|need| need.standing.is_none())
    }

    pub fn needing_myses(&self) -> impl Iterator<Item = MysisId> {
        let myses = self.needs.iter().flat_map(|need| &need.myses);
        myses.map(|mysis| mysis.id)
    }

    /// Whether a Mysis stands still because the swarm is frozen. A freeze is of one process.
    pub fn is_held(&self, status: &MysisStatus) -> bool {
        self.frozen_since.is_some()
            && status.state == LifeState::Running
            && status.elsewhere.is_none()
            && !status.activity.goes_on_when_frozen()
    }

    /// Whether no Mysis has had a turn yet.
    pub fn is_first_minute(&self) -> bool {
        let had_none = |status: &MysisStatus| {
            let totals = &status.totals;
            totals.turns == 0 && totals.tokens_in == 0
        };
        let mut members = self.roster.members().values();
        self.rules.is_some()
            && self.closing_since.is_none()
            && members.all(|member| had_none(&member.status))
    }

    /// Whether there is no Mysis, so that the table offers the steps to a first one.
    pub fn offers_first_steps(&self) -> bool {
        self.is_first_minute() && self.roster.members().is_empty()
    }

    /// What is wrong with the store and its disk, which is shown whole.
    pub fn lasting_text(&self) -> String {
        let lasting = self.standing.iter().filter(|(kind, _)| kind.is_in_band());
        let texts: Vec<&str> = lasting.map(|(_, condition)| &*condition.text).collect();
        texts.join(BETWEEN_TEXTS)
    }

    /// The Myses of this process that closing still waits for. The list is empty while the program is not closing.
    pub fn awaited_myses(&self) -> Vec<&MysisStatus> {
        if self.closing_since.is_none() {
            return Vec::new();
        }
        let statuses = self.roster.members().values();
        let mut waited: Vec<&MysisStatus> = statuses
            .map(|member| &*member.status)
            .filter(|status| status.elsewhere.is_none())
            .filter(|status| status.activity != Activity::Resting)
            .collect();
        waited.sort_by(|a, b| compare_natural(&a.name, &b.name));
        waited
    }

    /// The time of day at a moment of this run.
    pub fn wall_time(&self, at: Moment) -> Timestamp {
        let ago = i64::try_from(self.moment.since(at).as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.now.0.saturating_sub(ago))
    }

    pub fn is_too_small(&self) -> bool {
        self.size.0 < LEAST.0 || self.size.1 < LEAST.1
    }

    pub fn screen(&self) -> Rect {
        let (width, height) = self.size;
        Rect::new(0, 0, width, height)
    }
}
