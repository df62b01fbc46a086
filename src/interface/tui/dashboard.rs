//! The dashboard: what the operator sees and what the operator does to it (docs/design/screen.md).
//!
//! It is pure. It takes the swarm's events and the operator's input, and returns effects that
//! others carry out. It composes the facts, which come from the Myses themselves and are never
//! counted from events; the views, which keep their own state and refer to Myses and rows by id and
//! never by position; and the outbox, into which views put what they want done.

pub mod action;
pub mod appearance;
mod away;
pub mod books;
pub mod conversation;
pub mod earning;
pub mod facts;
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
pub mod outbox;
pub mod overlay;
pub mod processes;
pub mod roster;
pub mod routine_editor;
pub mod saving;
pub mod search;
pub mod servers;
pub mod table;
pub mod targets;
pub mod text;
pub mod token_rate;
pub mod toolkit;
pub mod verdict;
pub mod view_choices;
pub mod views;

mod choosing;
mod frame_update;
mod handling;
mod listening;
mod opening;
mod paste;
mod screen_parts;
mod stillness;
mod summary;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::ids::Timestamp;
use actors::domain::screen::{AwaySummary, TerminalKind};
use actors::domain::swarm_setup::SwarmSetup;

use appearance::Appearance;
use choosing::{apply_choices, choices_of};
use conversation::Focus;
use conversation::preview::Preview;
use facts::Facts;
use first_minute::{FirstMinute, take_setup};
use history::InputHistory;
use keys::Keymap;
use layout::bounded_size;
use outbox::Outbox;
use overlay::Overlay;
use overlay::layers::Layers;
use overlay::writing::Writing;
use stillness::Stillness;
use summary::{Banner, back_key, terminal_title};
use table::MysisTable;
use targets::Targets;
use text::tone::Tone;
use toolkit::view::View;
use view_choices::ViewChoices;

pub use conversation::Weight;
pub use frame_update::StatusLine;

/// Everything that a terminal shows: the facts, the views with their state, and what waits to be carried out.
#[derive(Clone, Debug, Default)]
pub struct Dashboard {
    facts: Facts,
    banner: Banner,
    first_minute: FirstMinute,
    table: MysisTable,
    stillness: Stillness,
    focus: Option<Focus>,
    /// The conversation of the selected Mysis, where it is shown beside the table.
    preview: Option<Preview>,
    layers: Layers,
    writing: Writing,
    outbox: Outbox,
}

#[derive(Clone, Debug, Default)]
pub struct DashboardOptions {
    /// The terminal's size in columns and rows.
    pub size: (u16, u16),
    pub appearance: Appearance,
    pub keymap: Keymap,
    /// The orders that the operator entered in earlier runs.
    pub history: InputHistory,
    /// What the operator chose about the views in earlier runs.
    pub choices: ViewChoices,
}

impl Dashboard {
    /// A dashboard that has received no event yet.
    pub fn new(opening: DashboardOptions) -> Dashboard {
        let mut dashboard = Dashboard {
            facts: Facts {
                kind: TerminalKind::Own,
                size: bounded_size(opening.size),
                appearance: opening.appearance,
                is_watched: true,
                keymap: opening.keymap,
                ..Facts::default()
            },
            ..Dashboard::default()
        };
        dashboard.writing.history = opening.history;
        apply_choices(&opening.choices, &mut dashboard.table, &mut dashboard.facts);
        dashboard.outbox.kept = choices_of(&dashboard.table, &dashboard.facts);
        dashboard
    }

    /// The same dashboard for a terminal that is attached to the program.
    #[must_use]
    pub fn into_attached(mut self) -> Dashboard {
        self.facts.kind = TerminalKind::Attached;
        self
    }

    /// A dashboard with the same facts, texts and looks, but with the view of a fresh start. The Ui
    /// actor uses it after repeated crashes, because the state of the view may be their cause.
    pub fn with_new_view(&self) -> Dashboard {
        let mut fresh = Dashboard {
            table: MysisTable::default(),
            focus: None,
            layers: Layers::default(),
            preview: None,
            ..self.clone()
        };
        fresh.outbox.forget();
        fresh
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    pub fn table(&self) -> &MysisTable {
        &self.table
    }

    pub fn focus(&self) -> Option<&Focus> {
        self.focus.as_ref()
    }

    /// What was written and not sent, as the history may hold it.
    pub fn unsent(&self) -> Vec<String> {
        self.writing.unsent(&self.facts)
    }

    /// The overlays over the view, topmost last.
    pub fn overlays(&self) -> &[Overlay] {
        &self.layers.all
    }

    pub fn view<V: View>(&self) -> Option<&V> {
        self.layers.view()
    }

    /// The conversation of the selected Mysis, where it is shown beside the table.
    pub fn preview(&self) -> Option<&Preview> {
        self.preview.as_ref()
    }

    /// The Mysis that keys act upon: the one in focus, else the selected one.
    pub fn target(&self) -> Option<&Arc<MysisStatus>> {
        let id = match &self.focus {
            Some(focus) => Some(focus.mysis()),
            None => self.table.selected(),
        };
        Some(&self.facts.roster.get(id?)?.status)
    }

    pub fn targets(&self) -> Targets {
        let marked = self.table.marks().clone();
        let in_hand = match (&self.focus, marked.is_empty()) {
            (Some(_), _) => self.target().map(|status| status.id).into_iter().collect(),
            (None, true) => self.table.selected_myses().to_vec(),
            (None, false) => marked.iter().copied().collect(),
        };
        let hidden = match (&self.focus, marked.is_empty()) {
            (Some(_), _) | (None, true) => 0,
            (None, false) => self.table.hidden_among(&in_hand),
        };
        Targets {
            in_hand,
            hidden,
            are_chosen: self.focus.is_some() || !marked.is_empty(),
            marked,
            selected: self.target().map(|status| status.id),
        }
    }

    pub fn banner_text(&self) -> String {
        self.banner.text(&self.facts, self.focus.is_some())
    }

    pub fn banner_tone(&self) -> Tone {
        self.banner.tone(&self.facts, self.focus.is_some())
    }

    pub fn title(&self) -> String {
        terminal_title(&self.facts)
    }

    /// The key that dismisses an error and leaves the view.
    pub fn back_key(&self) -> String {
        back_key(&self.facts.keymap, self.focus.is_some())
    }

    /// Whether the table offers the steps to a first Mysis.
    pub fn offers_first_steps(&self) -> bool {
        self.facts.offers_first_steps() && self.focus.is_none()
    }

    /// Whether the line that tells a new operator where to begin is shown: until the first key.
    pub fn shows_first_hint(&self) -> bool {
        self.facts.is_first_minute() && !self.first_minute.has_key && self.layers.all.is_empty()
    }

    /// Takes what the swarm uses.
    pub fn on_setup(&mut self, setup: SwarmSetup) {
        take_setup(&mut self.facts, setup);
    }

    /// Takes what happened since a time.
    pub fn on_summed_up(&mut self, since: Timestamp, summary: AwaySummary) {
        self.banner.away.take(since, summary, self.facts.now);
    }
}
