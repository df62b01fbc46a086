//! The views among the layers: which one gets a key, an answer of the store or of an order, and which one is open.

use std::any::Any;
use std::sync::Arc;

use actors::domain::screen::{OrderId, ReadId, StoreAnswer, StoreQuery, UiEffect};
use crossterm::event::{KeyEvent, MouseEvent};

use super::Overlay;
use super::query::{Query, QueryScope};
use super::question::ConfirmDialog;
use crate::dashboard::Dashboard;
use crate::dashboard::log::list::LogView;
use crate::dashboard::orders::AnsweredOrder;
use crate::dashboard::toolkit::view::{Pointed, Pressed, View};

impl Dashboard {
    /// Opens a view. One of its kind that is open already, behind others, comes to the front.
    pub(in crate::dashboard) fn open_view<V: View>(&mut self, new: impl FnOnce(&Dashboard) -> V) {
        if let Some(place) = self.place_of_view::<V>() {
            return self.overlays.truncate(place + 1);
        }
        let view = Box::new(new(self));
        self.overlays.push(Overlay::View(view));
        self.poll_views();
    }

    /// Opens a view over all others.
    pub(in crate::dashboard) fn push_view(&mut self, view: impl View) {
        self.overlays.push(Overlay::View(Box::new(view)));
    }

    /// Opens the line in which the text of a search is written.
    pub(in crate::dashboard) fn open_line(&mut self, scope: QueryScope, text: &str) {
        self.overlays.push(Overlay::Query(Query::new(scope, text)));
    }

    pub(in crate::dashboard) fn confirm(&mut self, question: ConfirmDialog) {
        self.overlays.push(Overlay::Confirm(question));
    }

    #[must_use]
    pub fn view<V: View>(&self) -> Option<&V> {
        match self.overlays.get(self.place_of_view::<V>()?)? {
            Overlay::View(view) => (&**view as &dyn Any).downcast_ref(),
            Overlay::Compose(_)
            | Overlay::Form(_)
            | Overlay::Confirm(_)
            | Overlay::Palette(_)
            | Overlay::Query(_) => None,
        }
    }

    /// The place of the view of this kind among the layers.
    pub(in crate::dashboard) fn place_of_view<V: View>(&self) -> Option<usize> {
        let is_it = |view: &dyn View| (view as &dyn Any).is::<V>();
        let mut layers = self.overlays.iter();
        layers.position(|layer| layer.view().is_some_and(is_it))
    }

    /// Closes the view of this kind and all above it.
    pub(in crate::dashboard) fn close_view<V: View>(&mut self) {
        if let Some(place) = self.place_of_view::<V>() {
            self.overlays.truncate(place);
        }
    }

    pub(in crate::dashboard) fn read(&mut self, query: StoreQuery) -> ReadId {
        let id = self.next_read_id();
        self.effects.push(UiEffect::Read { id, query });
        id
    }

    /// Lets the view at this place work on the dashboard. It is not among the layers meanwhile, and no
    /// other layer comes or goes.
    fn with_view<T>(
        &mut self,
        place: usize,
        work: impl FnOnce(&mut dyn View, &mut Dashboard) -> T,
    ) -> Option<T> {
        self.overlays.get(place)?.view()?;
        let mut layer = self.overlays.remove(place);
        let done = layer.view_mut().map(|view| work(view, self));
        self.overlays.insert(place, layer);
        done
    }

    /// Lets the topmost view, which was taken off the layers, handle a key.
    pub(in crate::dashboard) fn press_in_open_view(
        &mut self,
        mut view: Box<dyn View>,
        press: KeyEvent,
    ) {
        let pressed = view.press(self, press);
        if !matches!(pressed, Pressed::Closes) {
            self.overlays.push(Overlay::View(view));
        }
        match pressed {
            Pressed::Passes => self.press_over_layer(press),
            Pressed::Then(next) => next(self),
            Pressed::Stays | Pressed::Closes => {}
        }
        self.poll_views();
    }

    /// Brings all open views up to date.
    pub(in crate::dashboard) fn poll_views(&mut self) {
        let keeps_older = self.place_of_view::<LogView>().is_some();
        if self.log.keeps_older() != keeps_older {
            Arc::make_mut(&mut self.log).keep_older(keeps_older);
        }
        let page = self.layout().page();
        for place in 0..self.overlays.len() {
            self.with_view(place, |view, board| view.poll(board, page));
        }
    }

    /// Takes what was read from the store, or its error.
    pub fn on_read(&mut self, id: ReadId, read: Result<StoreAnswer, String>) {
        let is_asked = |view: &dyn View| view.awaits(id);
        let mut layers = self.overlays.iter();
        let asker = layers.position(|layer| layer.view().is_some_and(is_asked));
        match asker {
            Some(place) => {
                self.with_view(place, |view, board| view.take(board, id, read));
            }
            None => self.on_conversation_read(id, read),
        }
    }

    /// Lets the views take the answer to an order that one of them gave. Returns whether one did.
    pub(in crate::dashboard) fn answered_view(
        &mut self,
        id: OrderId,
        outcome: &AnsweredOrder,
    ) -> bool {
        (0..self.overlays.len()).any(|place| {
            self.with_view(place, |view, board| view.take_answer(board, id, outcome))
                .unwrap_or(false)
        })
    }

    /// Gives the topmost view what was written into the line over it.
    pub(in crate::dashboard) fn give_line(&mut self, text: Option<&str>) {
        let last = self.overlays.len().saturating_sub(1);
        self.with_view(last, |view, board| view.take_line(board, text));
        self.poll_views();
    }

    /// Lets a view take an input of the mouse.
    pub(in crate::dashboard) fn point_in_open_view(&mut self, mouse: MouseEvent, place: usize) {
        let page = self.layout().page();
        let pointed = self.with_view(place, |view, _| view.point(mouse, page));
        if pointed == Some(Pointed::AsKeys) {
            self.wheel_as_keys(mouse);
        }
    }
}
