//! What opens, feeds and steers the graphs.

use actors::domain::samples::SampleSeries;
use actors::domain::screen::{ReadId, UiEffect};
use crossterm::event::KeyEvent;

use super::keys::{GRAPH_KEYS, GraphAction};
use super::{GraphScope, GraphView};
use crate::dashboard::Dashboard;
use crate::dashboard::overlay::Overlay;

impl Dashboard {
    /// Opens the graphs: of the Mysis in focus, of the marked ones, else of the swarm. Those that are open already, behind
    /// a list, come to the front.
    pub(in crate::dashboard) fn open_graphs(&mut self) {
        let mut layers = self.overlays.iter();
        if let Some(place) = layers.position(|layer| matches!(layer, Overlay::Graphs(_))) {
            return self.overlays.truncate(place + 1);
        }
        let is_chosen = self.focus.is_some() || !self.table.marks().is_empty();
        let scope = match is_chosen {
            true => GraphScope::Each(self.targets()),
            false => GraphScope::Swarm,
        };
        let view = Box::new(GraphView::new(scope));
        self.overlays.push(Overlay::Graphs(view));
        self.refresh_graphs();
    }

    pub(in crate::dashboard) fn press_in_graphs(
        &mut self,
        mut view: Box<GraphView>,
        press: KeyEvent,
    ) {
        let Some(action) = self.keymap.find(GRAPH_KEYS, press) else {
            self.overlays.push(Overlay::Graphs(view));
            return self.press_over_layer(press);
        };
        match action {
            GraphAction::Back => return,
            GraphAction::Next => view.value = view.value.step(true),
            GraphAction::Previous => view.value = view.value.step(false),
            GraphAction::Longer | GraphAction::Shorter => {
                let span = view.span.step(action == GraphAction::Longer);
                if span != view.span {
                    view.span = span;
                    view.invalidate();
                }
            }
            GraphAction::Scope => {
                view.scope = match &view.scope {
                    GraphScope::Swarm => GraphScope::Each(self.targets()),
                    GraphScope::Each(_) => GraphScope::Swarm,
                };
                view.invalidate();
            }
        }
        self.overlays.push(Overlay::Graphs(view));
        self.refresh_graphs();
    }

    /// Reads the samples of the open graphs if it is time.
    pub(in crate::dashboard) fn refresh_graphs(&mut self) {
        let moment = self.moment;
        let is_due =
            |layer: &Overlay| matches!(layer, Overlay::Graphs(view) if view.is_due(moment));
        if !self.overlays.iter().any(is_due) {
            return;
        }
        let id = self.next_read_id();
        let all = self.roster.members().keys().copied();
        // The key that opens graphs does not open a second layer of them.
        if let Some(view) = self.overlays.iter_mut().find_map(Overlay::graphs) {
            let query = view.ask(id, all, (self.now, moment));
            self.effects.push(UiEffect::ReadSamples { id, query });
        }
    }

    /// Takes samples that were read for the graphs or the timeline, or the error of the store.
    pub fn on_samples(&mut self, id: ReadId, read: Result<Vec<SampleSeries>, String>) {
        if let Some(focus) = &mut self.focus {
            focus.timeline.take_samples(id, &read);
        }
        if let Some(view) = self.overlays.iter_mut().find_map(Overlay::graphs) {
            view.take(id, read);
        }
    }
}
