//! What a view is: a page over the table and the conversation. A key opens it, it reads what it shows, and it closes
//! again.
//!
//! A view keeps its own state and refers to Myses by id. What it shows beyond that are the facts of the dashboard.

use std::any::Any;
use std::fmt;

use actors::domain::screen::{OrderId, ReadId, StoreAnswer};
use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Rect;

use crate::dashboard::Dashboard;
use crate::dashboard::keys::{Binding, KeyTable, Keymap};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::orders::AnsweredOrder;
use crate::painter::Painter;

/// A page over the table or the conversation.
pub trait View: Any + fmt::Debug + Send + Sync + CloneView {
    /// The hints for its keys, the most useful first.
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)>;

    /// Its keys, with which the help begins over it.
    fn keys(&self) -> Option<KeyTable> {
        None
    }

    /// Takes a key. The view is not among the layers while this runs; what opens others is told by the
    /// answer.
    fn press(&mut self, board: &mut Dashboard, press: KeyEvent) -> Pressed;

    /// Draws it.
    fn paint(&self, board: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>);

    /// Brings it up to date before a picture, with this page to draw on, and asks for what is due.
    fn poll(&mut self, _board: &mut Dashboard, _page: Rect) {}

    /// Whether it waits for this answer of the store.
    fn awaits(&self, _id: ReadId) -> bool {
        false
    }

    /// Takes the answer that it waits for, or the error of the store.
    fn take(&mut self, _board: &mut Dashboard, _id: ReadId, _read: Result<StoreAnswer, String>) {}

    /// Asks again for what it waits for, because the answer may be lost.
    fn forget_reads(&mut self) {}

    /// Takes the answer to an order that it gave. Returns whether it was one.
    fn take_answer(
        &mut self,
        _board: &mut Dashboard,
        _id: OrderId,
        _outcome: &AnsweredOrder,
    ) -> bool {
        false
    }

    /// Takes what was written into the line that it opened; `None` if that was left.
    fn take_line(&mut self, _board: &mut Dashboard, _text: Option<&str>) {}

    fn paste(&mut self, _text: &str) {}

    /// Takes an input of the mouse on its page.
    fn point(&mut self, _mouse: MouseEvent, _page: Rect) -> Pointed {
        Pointed::AsKeys
    }
}

/// What becomes of a view after a key.
pub enum Pressed {
    Stays,
    Closes,
    /// It stays open, and the key may be one that works everywhere.
    Passes,
    /// It stays open, and then this happens.
    Then(Box<dyn FnOnce(&mut Dashboard)>),
}

impl Pressed {
    /// It stays open, and then this happens.
    pub fn then(next: impl FnOnce(&mut Dashboard) + 'static) -> Pressed {
        Pressed::Then(Box::new(next))
    }
}

/// What becomes of an input of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    Used,
    /// The wheel works as the keys for up and down.
    AsKeys,
}

/// Clones a view, because every picture has the views of its moment.
pub trait CloneView {
    /// A copy.
    fn clone_view(&self) -> Box<dyn View>;
}

impl<V: View + Clone> CloneView for V {
    fn clone_view(&self) -> Box<dyn View> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn View> {
    fn clone(&self) -> Self {
        (**self).clone_view()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Opening(pub fn(&mut Dashboard));

/// What is fixed of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewSpec {
    /// The key that opens it from everywhere, if there is one.
    pub opening: Option<Binding<Opening>>,
    pub keys: fn() -> KeyTable,
    /// Whether the keys for movement work in it.
    pub moves: bool,
}
