//! The dashboard: what the operator sees and what the operator does to it (docs/design/screen.md).
//!
//! It is pure. It takes the swarm's events and the operator's input, and returns effects that
//! others carry out. It holds two things: facts, which come from the Myses themselves and are never
//! counted from events, and the state of the view, which refers to Myses and rows by id and never
//! by position. Views draw it and do not change it.

pub mod action;
pub mod appearance;
mod away;
pub mod books;
pub mod conversation;
pub mod earning;
pub mod first_minute;
pub mod graphs;
pub mod help;
pub mod history;
pub mod input_event;
pub mod inspector;
pub mod key_screens;
pub mod keys;
pub mod layout;
pub mod log;
pub mod loops;
pub mod map;
pub mod money;
pub mod needs;
pub mod orders;
pub mod overlay;
pub mod processes;
pub mod roster;
pub mod routine_editor;
pub mod saving;
pub mod search;
pub mod servers;
pub mod table;
pub mod text;
pub mod token_rate;
pub mod toolkit;
pub mod verdict;
pub mod view_choices;
pub mod views;

mod frame_update;
mod freezing;
mod handling;
mod listening;
mod paste;
mod returning;
mod signs;
mod stillness;
mod summary;
mod targets;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::budget::BudgetStatus;
use actors::domain::ids::{Moment, MysisId, Timestamp};
use actors::domain::needs::{ListedNeed, NeedBook};
use actors::domain::outages::ServerOutages;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::{OrderId, ReadId, TerminalKind, UiEffect};
use actors::domain::silence::SilenceNotice;
use actors::domain::standing::StandingConditions;
use zoea_text::redact::Redactor;

use action::TerminalAction;
use appearance::Appearance;
use away::Away;
use conversation::Focus;
use conversation::preview::Preview;
use first_minute::FirstMinute;
use history::InputHistory;
use keys::Keymap;
use layout::bounded_size;
use log::MessageLog;
use log::looking::LookedAt;
use money::SwarmMoney;
use orders::OrderTracker;
use orders::undo::Undo;
use overlay::Overlay;
use overlay::composer::{ComposeTarget, Drafts};
use roster::{Counts, Roster};
use servers::ServerLight;
use stillness::Stillness;
use summary::SwarmTrouble;
use table::MysisTable;
use token_rate::TokenRate;
use view_choices::ViewChoices;

pub use conversation::Weight;
pub use frame_update::StatusLine;

/// Everything that a terminal shows, and the effects that wait to be carried out.
#[derive(Clone, Debug)]
pub struct Dashboard {
    roster: Arc<Roster>,
    counts: Counts,
    money: SwarmMoney,
    servers: Arc<Vec<ServerLight>>,
    need_book: Arc<NeedBook>,
    needs: Arc<Vec<ListedNeed>>,
    /// The Myses that needed the operator in the last picture; `None` before the first picture.
    needed: Option<Arc<BTreeSet<MysisId>>>,
    flow: TokenRate,
    turns: TokenRate,
    mission: Option<Arc<str>>,
    spending: Arc<BudgetStatus>,
    outages: Arc<ServerOutages>,
    silence: Option<Arc<SilenceNotice>>,
    /// What the banner does not say, because the operator hid it.
    hidden: Option<SwarmTrouble>,
    standing: Arc<StandingConditions>,
    /// Since when the swarm is frozen.
    frozen: Option<Timestamp>,
    rules: Option<Arc<SwarmRules>>,
    redactor: Arc<Redactor>,
    log: Arc<MessageLog>,
    looked: LookedAt,
    away: Away,
    orders: Arc<OrderTracker>,
    undo: Undo,
    /// When the program began to close; `None` while it is not closing.
    closing: Option<Timestamp>,
    kind: TerminalKind,
    now: Timestamp,
    /// `now` on the monotonic clock, which times all waits.
    moment: Moment,
    size: (u16, u16),
    appearance: Appearance,
    /// Whether the terminal has the focus, as far as the terminal reports it.
    is_watched: bool,
    keymap: Keymap,
    first_minute: FirstMinute,
    table: MysisTable,
    stillness: Stillness,
    focus: Option<Focus>,
    overlays: Vec<Overlay>,
    drafts: Drafts,
    history: InputHistory,
    /// What the operator chose about the views, as the terminal was told to keep it.
    kept_choices: ViewChoices,
    /// The commands that were entered in the palette.
    commands: InputHistory,
    /// Texts whose orders are not answered yet. A refused text goes back into its composer.
    sent: BTreeMap<OrderId, (ComposeTarget, Arc<str>)>,
    /// The conversation of the selected Mysis, where it is shown beside the table.
    preview: Option<Preview>,
    /// The request that the operator asked to inspect and that is being read.
    awaited_request: Option<conversation::AwaitedRequest>,
    stamps: u64,
    effects: Vec<UiEffect>,
    actions: Vec<TerminalAction>,
}

/// What a new dashboard needs.
#[derive(Clone, Debug, Default)]
pub struct DashboardOptions {
    /// The terminal's size in columns and rows.
    pub size: (u16, u16),
    /// Theme, symbols and other looks.
    pub appearance: Appearance,
    /// The keys that the operator chose.
    pub keymap: Keymap,
    /// The orders that the operator entered in earlier runs.
    pub history: InputHistory,
    /// What the operator chose about the views in earlier runs.
    pub choices: ViewChoices,
}

impl Dashboard {
    /// A dashboard that has received no event yet.
    #[must_use]
    pub fn new(opening: DashboardOptions) -> Dashboard {
        let mut dashboard = Dashboard {
            roster: Arc::default(),
            counts: Counts::default(),
            money: SwarmMoney::default(),
            servers: Arc::default(),
            need_book: Arc::default(),
            needs: Arc::default(),
            needed: None,
            flow: TokenRate::default(),
            turns: TokenRate::default(),
            mission: None,
            spending: Arc::default(),
            outages: Arc::default(),
            silence: None,
            hidden: None,
            standing: Arc::default(),
            frozen: None,
            rules: None,
            redactor: Arc::default(),
            log: Arc::default(),
            looked: LookedAt::default(),
            away: Away::default(),
            orders: Arc::default(),
            undo: Undo::default(),
            closing: None,
            kind: TerminalKind::Own,
            now: Timestamp(0),
            moment: Moment(0),
            size: bounded_size(opening.size),
            appearance: opening.appearance,
            is_watched: true,
            keymap: opening.keymap,
            first_minute: FirstMinute::default(),
            table: MysisTable::default(),
            stillness: Stillness::default(),
            focus: None,
            overlays: Vec::new(),
            drafts: Drafts::default(),
            history: opening.history,
            kept_choices: ViewChoices::default(),
            commands: InputHistory::default(),
            sent: BTreeMap::new(),
            preview: None,
            awaited_request: None,
            stamps: 0,
            effects: Vec::new(),
            actions: Vec::new(),
        };
        dashboard.apply_choices(&opening.choices);
        dashboard
    }

    /// The same dashboard for a terminal that is attached to the program.
    #[must_use]
    pub fn into_attached(self) -> Dashboard {
        Dashboard {
            kind: TerminalKind::Attached,
            ..self
        }
    }

    /// Whether this is the program's own terminal or an attached one.
    #[must_use]
    pub fn kind(&self) -> TerminalKind {
        self.kind
    }

    /// A dashboard with the same facts, texts and looks, but with the view of a fresh start. The Ui
    /// actor uses it after repeated crashes, because the state of the view may be their cause.
    #[must_use]
    pub fn with_new_view(&self) -> Dashboard {
        Dashboard {
            table: MysisTable::default(),
            focus: None,
            overlays: Vec::new(),
            preview: None,
            awaited_request: None,
            effects: Vec::new(),
            actions: Vec::new(),
            ..self.clone()
        }
    }

    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    #[must_use]
    pub fn money(&self) -> &SwarmMoney {
        &self.money
    }

    /// The servers that the swarm depends on.
    #[must_use]
    pub fn servers(&self) -> &[ServerLight] {
        &self.servers
    }

    /// What needs the operator, by cause.
    #[must_use]
    pub fn needs(&self) -> &[ListedNeed] {
        &self.needs
    }

    #[must_use]
    pub fn token_rate(&self) -> &TokenRate {
        &self.flow
    }

    #[must_use]
    pub fn mission(&self) -> Option<&Arc<str>> {
        self.mission.as_ref()
    }

    /// The percentage of today's budget that is spent; `None` without a budget.
    #[must_use]
    pub fn budget_percent(&self) -> Option<u64> {
        self.spending.percent_at(self.now)
    }

    /// The servers that are away.
    #[must_use]
    pub fn outages(&self) -> &ServerOutages {
        &self.outages
    }

    /// The rules of the swarm; `None` until they are known.
    #[must_use]
    pub fn rules(&self) -> Option<&SwarmRules> {
        self.rules.as_deref()
    }

    /// The recent messages and events.
    #[must_use]
    pub fn log(&self) -> &MessageLog {
        &self.log
    }

    /// The orders that this terminal gave and their results.
    #[must_use]
    pub fn orders(&self) -> &OrderTracker {
        &self.orders
    }

    /// When the program began to close; `None` while it is not closing.
    #[must_use]
    pub fn closing_since(&self) -> Option<Timestamp> {
        self.closing
    }

    /// The wall-clock time that is shown.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The terminal's size in columns and rows.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Theme, symbols and other looks.
    #[must_use]
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// The keys in force.
    #[must_use]
    pub fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    #[must_use]
    pub fn table(&self) -> &MysisTable {
        &self.table
    }

    #[must_use]
    pub fn focus(&self) -> Option<&Focus> {
        self.focus.as_ref()
    }

    /// The overlays over the view, topmost last.
    #[must_use]
    pub fn overlays(&self) -> &[Overlay] {
        &self.overlays
    }

    /// The orders that the operator entered. The next run gets them back.
    #[must_use]
    pub fn history(&self) -> &InputHistory {
        &self.history
    }

    /// Whether the order of this receipt is the last one and can be undone.
    #[must_use]
    pub fn can_undo(&self, receipt: u64) -> bool {
        self.undo.is_next(receipt)
    }

    fn next_read_id(&mut self) -> ReadId {
        self.stamps += 1;
        ReadId(self.stamps)
    }
}
