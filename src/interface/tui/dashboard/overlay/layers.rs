//! The layers over the table and the conversation: which one is on top, which view is open, and which one gets an
//! answer.

use std::any::Any;

use actors::domain::event::MysisStatus;
use actors::domain::order::OrderResult;
use actors::domain::screen::{OrderId, ReadId, StoreAnswer};
use crossterm::event::{KeyEvent, MouseEvent};

use super::Overlay;
use super::composer::Composer;
use super::query::{Query, QueryScope};
use super::question::ActionToConfirm;
use crate::dashboard::facts::Facts;
use crate::dashboard::inspector::AwaitedRequest;
use crate::dashboard::keys::MOVEMENT_KEYS;
use crate::dashboard::orders::AnsweredOrder;
use crate::dashboard::outbox::Outbox;
use crate::dashboard::toolkit::view::{Pointed, Pressed, View, ViewContext};

/// The layers, topmost last.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    pub(crate) all: Vec<Overlay>,
    /// The request that was asked for and will open in the inspector.
    awaited: Option<AwaitedRequest>,
}

impl Layers {
    pub(crate) fn push(&mut self, layer: Overlay) {
        self.all.push(layer);
    }

    /// Asks for the last request of a Mysis. It opens in the inspector, unless another layer has opened since.
    pub(crate) fn ask_for_request(&mut self, status: &MysisStatus, outbox: &mut Outbox) {
        self.awaited = Some(AwaitedRequest::of(status, self.all.len(), outbox));
    }

    /// Takes the answer to that. Returns whether it was one.
    pub(crate) fn take_request(
        &mut self,
        id: OrderId,
        answer: &OrderResult,
        facts: &Facts,
        outbox: &mut Outbox,
    ) -> bool {
        let Some(awaited) = self.awaited.take_if(|awaited| awaited.id == id) else {
            return false;
        };
        match awaited.inspector(answer, facts) {
            Ok(Some(inspector)) if awaited.layers == self.all.len() => self.push_view(inspector),
            Ok(_) => {}
            Err(why) => outbox.say(&why),
        }
        true
    }

    /// Opens the line in which a text is written.
    pub(crate) fn write_line(&mut self, scope: QueryScope, text: &str) {
        self.push(Overlay::Query(Query::new(scope, text)));
    }

    /// Opens a view over all others.
    pub(crate) fn push_view(&mut self, view: impl View) {
        self.push(Overlay::View(Box::new(view)));
    }

    /// Opens a view. One of its kind that is open already, behind others, comes to the front instead.
    pub(crate) fn open(&mut self, view: Box<dyn View>) {
        let kind = (&*view as &dyn Any).type_id();
        let is_of_kind = |open: &dyn View| (open as &dyn Any).type_id() == kind;
        match self.place_of(is_of_kind) {
            Some(place) => self.all.truncate(place + 1),
            None => self.push(Overlay::View(view)),
        }
    }

    pub fn view<V: View>(&self) -> Option<&V> {
        let view = self
            .all
            .get(self.place_of_view::<V>()?)?
            .try_as_view_ref()?;
        (&**view as &dyn Any).downcast_ref()
    }

    /// Closes the view of this kind and all above it.
    pub(crate) fn close_view<V: View>(&mut self) {
        if let Some(place) = self.place_of_view::<V>() {
            self.all.truncate(place);
        }
    }

    /// Closes the view of this kind alone.
    pub(crate) fn remove_view<V: View>(&mut self) {
        if let Some(place) = self.place_of_view::<V>() {
            self.all.remove(place);
        }
    }

    /// Removes the lines that belong to a view of this kind: another view would take what is typed into them.
    pub(crate) fn remove_lines(&mut self, within: QueryScope) {
        self.all
            .retain(|layer| !matches!(layer, Overlay::Query(query) if query.within == within));
    }

    fn place_of_view<V: View>(&self) -> Option<usize> {
        self.place_of(|view| (view as &dyn Any).is::<V>())
    }

    fn place_of(&self, is_it: impl Fn(&dyn View) -> bool) -> Option<usize> {
        let mut layers = self.all.iter();
        layers.position(|layer| layer.try_as_view_ref().is_some_and(|view| is_it(&**view)))
    }

    /// After a thaw or a freeze the operator is asked no more about a thaw that he had in mind before.
    pub(crate) fn close_question_of_thaw(&mut self) {
        let is_about_thaw = |layer: &Overlay| matches!(layer, Overlay::Confirm(dialog) if dialog.about == ActionToConfirm::Thaw);
        self.all.retain(|layer| !is_about_thaw(layer));
    }

    /// The text that is being written.
    pub(crate) fn composer(&self) -> Option<&Composer> {
        self.all.iter().find_map(Overlay::try_as_compose_ref)
    }

    /// Lets the topmost view handle a key.
    pub(crate) fn press(
        &mut self,
        context: &mut ViewContext<'_>,
        press: KeyEvent,
    ) -> Option<Pressed> {
        let view = self.all.last_mut()?.try_as_view_mut()?;
        let pressed = view.press(context, press);
        if pressed == Pressed::Closes {
            self.all.pop();
        } else if pressed == Pressed::Passes
            && view.spec().moves
            && let Some(movement) = context.facts.keymap.find(MOVEMENT_KEYS, press)
        {
            view.go(context, movement);
            return Some(Pressed::Stays);
        }
        Some(pressed)
    }

    /// Brings all open views up to date.
    pub(crate) fn poll(&mut self, context: &mut ViewContext<'_>) {
        let page = context.layout.page();
        for view in self.all.iter_mut().filter_map(Overlay::try_as_view_mut) {
            view.poll(context, page);
        }
    }

    /// Whether a view waits for this answer of the store.
    pub(crate) fn await_read(&self, id: ReadId) -> bool {
        self.place_of(|view| view.awaits(id)).is_some()
    }

    /// Gives an answer of the store, or its error, to the view that waits for it.
    pub(crate) fn take(
        &mut self,
        context: &mut ViewContext<'_>,
        id: ReadId,
        read: Result<StoreAnswer, String>,
    ) {
        let mut views = self.all.iter_mut().filter_map(Overlay::try_as_view_mut);
        if let Some(view) = views.find(|view| view.awaits(id)) {
            view.take(context, id, read);
        }
    }

    /// Lets the views ask again for what they wait for.
    pub(crate) fn forget_reads(&mut self) {
        let views = self.all.iter_mut().filter_map(Overlay::try_as_view_mut);
        views.for_each(|view| view.forget_reads());
    }

    /// Lets the views take the answer to an order that one of them gave. Returns whether one did.
    pub(crate) fn take_answer(
        &mut self,
        context: &mut ViewContext<'_>,
        id: OrderId,
        outcome: &AnsweredOrder,
    ) -> bool {
        let mut views = self.all.iter_mut().filter_map(Overlay::try_as_view_mut);
        views.any(|view| view.take_answer(context, id, outcome))
    }

    /// Gives the topmost view what was written into the line over it.
    pub(crate) fn take_line(&mut self, context: &mut ViewContext<'_>, text: Option<&str>) {
        if let Some(view) = self.all.last_mut().and_then(Overlay::try_as_view_mut) {
            view.take_line(context, text);
        }
    }

    /// Lets the view at this place take an input of the mouse.
    pub(crate) fn point(
        &mut self,
        context: &ViewContext<'_>,
        mouse: MouseEvent,
        place: usize,
    ) -> Option<Pointed> {
        let view = self.all.get_mut(place)?.try_as_view_mut()?;
        Some(view.point(mouse, context.layout.page()))
    }
}
