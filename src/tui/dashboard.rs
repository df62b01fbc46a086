//! The dashboard: what the operator sees and what the operator does to it (DESIGN 8).
//!
//! Pure: it hears what happens in the swarm and on the keyboard, and says what it wants done. It
//! holds facts, which come from the Myses themselves and are never counted from events, and the
//! state of the view, which hangs on ids and not on places. Views paint it and change nothing.

pub mod action;
pub mod appearance;
pub mod conversation;
pub mod history;
pub mod input_event;
pub mod inspector;
pub mod keys;
pub mod layout;
pub mod log;
pub mod needs;
pub mod orders;
pub mod overlay;
pub mod roster;
pub mod table;
pub mod text;
pub mod token_rate;

mod frame_update;
mod handling;
mod listening;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::budget::BudgetStatus;
use actors::domain::event::MysisStatus;
use actors::domain::ids::{Moment, MysisId, Timestamp};
use actors::domain::needs::Need;
use actors::domain::outages::ServerOutages;
use actors::domain::redact::Redactor;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::{OrderId, ReadId, TerminalKind, UiEffect};

use action::TerminalAction;
use appearance::Appearance;
use conversation::Focus;
use history::InputHistory;
use log::MessageLog;
use needs::NeedGroup;
use orders::OrderTracker;
use orders::undo::Undo;
use overlay::Overlay;
use overlay::composer::{ComposeTarget, Drafts};
use roster::{Counts, Roster};
use table::MysisTable;
use token_rate::TokenRate;

pub use conversation::Weight;
pub use frame_update::StatusLine;

/// What the operator sees.
#[derive(Clone, Debug)]
pub struct Dashboard {
    roster: Arc<Roster>,
    counts: Counts,
    needs: Arc<Vec<Need>>,
    need_groups: Arc<Vec<NeedGroup>>,
    /// Those who needed the operator in the last picture; `None` before there was one.
    needed: Option<Arc<BTreeSet<MysisId>>>,
    flow: TokenRate,
    mission: Option<Arc<str>>,
    spending: Arc<BudgetStatus>,
    weather: Arc<ServerOutages>,
    rules: Option<Arc<SwarmRules>>,
    redactor: Arc<Redactor>,
    log: Arc<MessageLog>,
    orders: Arc<OrderTracker>,
    undo: Undo,
    /// Since when the program is closing.
    closing: Option<Timestamp>,
    kind: TerminalKind,
    now: Timestamp,
    /// The same by the clock that waits go by.
    moment: Moment,
    size: (u16, u16),
    appearance: Appearance,
    /// Whether the operator looks, as far as the terminal tells.
    is_watched: bool,
    table: MysisTable,
    focus: Option<Focus>,
    overlays: Vec<Overlay>,
    drafts: Drafts,
    history: InputHistory,
    /// What was written in the palette.
    commands: InputHistory,
    /// Texts on their way, so that a refused one is not lost.
    sent: BTreeMap<OrderId, (ComposeTarget, Arc<str>)>,
    /// The request that the operator wants to look into.
    awaited_request: Option<conversation::AwaitedRequest>,
    stamps: u64,
    effects: Vec<UiEffect>,
    actions: Vec<TerminalAction>,
}

/// What a dashboard begins with.
#[derive(Clone, Debug, Default)]
pub struct DashboardOptions {
    /// The terminal's columns and rows.
    pub size: (u16, u16),
    /// How things look.
    pub appearance: Appearance,
    /// What the operator wrote in earlier runs.
    pub history: InputHistory,
}

impl Dashboard {
    /// A dashboard that has heard of nothing yet.
    #[must_use]
    pub fn new(opening: DashboardOptions) -> Dashboard {
        Dashboard {
            roster: Arc::default(),
            counts: Counts::default(),
            needs: Arc::default(),
            need_groups: Arc::default(),
            needed: None,
            flow: TokenRate::default(),
            mission: None,
            spending: Arc::default(),
            weather: Arc::default(),
            rules: None,
            redactor: Arc::default(),
            log: Arc::default(),
            orders: Arc::default(),
            undo: Undo::default(),
            closing: None,
            kind: TerminalKind::Own,
            now: Timestamp(0),
            moment: Moment(0),
            size: opening.size,
            appearance: opening.appearance,
            is_watched: true,
            table: MysisTable::default(),
            focus: None,
            overlays: Vec::new(),
            drafts: Drafts::default(),
            history: opening.history,
            commands: InputHistory::default(),
            sent: BTreeMap::new(),
            awaited_request: None,
            stamps: 0,
            effects: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// The same in a terminal that is attached to the program.
    #[must_use]
    pub fn into_attached(self) -> Dashboard {
        Dashboard {
            kind: TerminalKind::Attached,
            ..self
        }
    }

    /// Whose terminal it is shown in.
    #[must_use]
    pub fn kind(&self) -> TerminalKind {
        self.kind
    }

    /// The same facts, texts and looks in a view as it is at the beginning: for when the view
    /// itself may be what brings the terminal down.
    #[must_use]
    pub fn with_new_view(&self) -> Dashboard {
        Dashboard {
            table: MysisTable::default(),
            focus: None,
            overlays: Vec::new(),
            awaited_request: None,
            effects: Vec::new(),
            actions: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether it wants anything done, by others or by its terminal.
    #[must_use]
    pub fn has_effects(&self) -> bool {
        !(self.effects.is_empty() && self.actions.is_empty())
    }

    /// What it wants done, once.
    pub fn take_effects(&mut self) -> Vec<UiEffect> {
        std::mem::take(&mut self.effects)
    }

    /// What it wants its terminal to do, once.
    pub fn take_actions(&mut self) -> Vec<TerminalAction> {
        std::mem::take(&mut self.actions)
    }

    /// All Myses.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// How many are in which state.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Who needs the operator, the newest first.
    #[must_use]
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// Those with the same need together; the newest first.
    #[must_use]
    pub fn need_groups(&self) -> &[NeedGroup] {
        &self.need_groups
    }

    /// Tokens used, over time.
    #[must_use]
    pub fn token_rate(&self) -> &TokenRate {
        &self.flow
    }

    /// The mission in force.
    #[must_use]
    pub fn mission(&self) -> Option<&Arc<str>> {
        self.mission.as_ref()
    }

    /// How much of today's budget is spent, in percent, where there is a budget.
    #[must_use]
    pub fn budget_percent(&self) -> Option<u64> {
        self.spending.percent_at(self.now)
    }

    /// Which servers are away.
    #[must_use]
    pub fn weather(&self) -> &ServerOutages {
        &self.weather
    }

    /// The rules of the swarm, once they are known.
    #[must_use]
    pub fn rules(&self) -> Option<&SwarmRules> {
        self.rules.as_deref()
    }

    /// What flew past.
    #[must_use]
    pub fn log(&self) -> &MessageLog {
        &self.log
    }

    /// The orders given.
    #[must_use]
    pub fn orders(&self) -> &OrderTracker {
        &self.orders
    }

    /// Since when the program is closing.
    #[must_use]
    pub fn closing_since(&self) -> Option<Timestamp> {
        self.closing
    }

    /// The moment that is shown.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The terminal's columns and rows.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// How things look.
    #[must_use]
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// The table of Myses.
    #[must_use]
    pub fn table(&self) -> &MysisTable {
        &self.table
    }

    /// The conversation that is open.
    #[must_use]
    pub fn focus(&self) -> Option<&Focus> {
        self.focus.as_ref()
    }

    /// What lies over the view, the topmost last.
    #[must_use]
    pub fn overlays(&self) -> &[Overlay] {
        &self.overlays
    }

    /// What the operator wrote, for keeping across runs.
    #[must_use]
    pub fn history(&self) -> &InputHistory {
        &self.history
    }

    /// The Mysis that keys act upon: the one in focus, else the one selected.
    #[must_use]
    pub fn target(&self) -> Option<&Arc<MysisStatus>> {
        let id = match &self.focus {
            Some(focus) => Some(focus.mysis()),
            None => self.table.selected(),
        };
        Some(&self.roster.get(id?)?.standing)
    }

    /// The Myses that orders go to: the one in focus, else those marked, else the one selected.
    #[must_use]
    pub fn targets(&self) -> Vec<MysisId> {
        if self.focus.is_none() && !self.table.marks().is_empty() {
            return self.table.marks().iter().copied().collect();
        }
        self.target()
            .map(|standing| standing.id)
            .into_iter()
            .collect()
    }

    /// Whether the last order can be taken back.
    #[must_use]
    pub fn can_undo(&self, receipt: u64) -> bool {
        self.undo.is_next(receipt)
    }

    /// What the terminal's title says.
    #[must_use]
    pub fn title(&self) -> String {
        let counts = self.counts;
        match self.needs.len() {
            0 => format!("zoea: {} of {} running", counts.running, counts.all),
            needs => format!("zoea: {needs} need you, {} running", counts.running),
        }
    }

    fn next_read_id(&mut self) -> ReadId {
        self.stamps += 1;
        ReadId(self.stamps)
    }

    fn name_of(&self, id: MysisId) -> Arc<str> {
        self.roster
            .get(id)
            .map_or_else(|| "?".into(), |member| member.standing.name.clone())
    }
}
