//! What a view is: a page over the table and the conversation. A key opens it, it reads what it shows, and it closes
//! again.
//!
//! A view keeps its own state and refers to Myses by id. What it shows beyond that are the facts, and what it wants done
//! goes to the outbox.

use std::any::Any;
use std::fmt;

use actors::domain::screen::{OrderId, ReadId, StoreAnswer};
use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Rect;

use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{Binding, KeyTable, Keymap, Movement};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::orders::AnsweredOrder;
use crate::dashboard::outbox::Outbox;
use crate::dashboard::targets::Targets;
use crate::painter::Painter;

pub struct ViewContext<'a> {
    pub facts: &'a Facts,
    pub targets: &'a Targets,
    pub layout: &'a ScreenLayout,
    pub outbox: &'a mut Outbox,
}

pub trait View: Any + fmt::Debug + Send + Sync + CloneView {
    /// What is fixed of it: from its table of keys come its hints and the first chapter of the help over it.
    fn spec(&self) -> &'static ViewSpec;

    /// The hints for its keys, the most useful first.
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        keymap.hints(&(self.spec().keys)())
    }

    /// Does what a key of its table asks for.
    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed;

    /// Moves in it, if the keys for movement work in it and the key is none of its table.
    fn go(&mut self, _context: &mut ViewContext<'_>, _movement: Movement) {}

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>);

    /// Brings it up to date before a picture, with this page to draw on, and asks for what is due.
    fn poll(&mut self, _context: &mut ViewContext<'_>, _page: Rect) {}

    /// Whether it waits for this answer of the store.
    fn awaits(&self, _id: ReadId) -> bool {
        false
    }

    fn take(
        &mut self,
        _context: &mut ViewContext<'_>,
        _id: ReadId,
        _read: Result<StoreAnswer, String>,
    ) {
    }

    /// Asks again for what it waits for, because the answer may be lost.
    fn forget_reads(&mut self) {}

    /// Takes the answer to an order that it gave. Returns whether it was one.
    fn take_answer(
        &mut self,
        _context: &mut ViewContext<'_>,
        _id: OrderId,
        _outcome: &AnsweredOrder,
    ) -> bool {
        false
    }

    /// Takes what was written into the line that it opened; `None` if that was left.
    fn take_line(&mut self, _context: &mut ViewContext<'_>, _text: Option<&str>) {}

    fn paste(&mut self, _text: &str) {}

    fn point(&mut self, _mouse: MouseEvent, _page: Rect) -> Pointed {
        Pointed::AsKeys
    }
}

/// What becomes of a view after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    Stays,
    Closes,
    /// It stays open, and the key may be one that works everywhere.
    Passes,
    /// It stays open, and the key may scroll what is behind it.
    Scrolls,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    Used,
    /// The wheel works as the keys for up and down.
    AsKeys,
}

/// Clones a view, because every picture has the views of its moment.
pub trait CloneView {
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
pub enum Opening {
    /// With what it begins with. One of its kind that is open already comes to the front instead.
    View(fn(&Facts, &Targets) -> Box<dyn View>),
    /// Its text is asked for first.
    Search,
}

#[derive(Clone, Copy, Debug)]
pub struct ViewSpec {
    /// The key that opens it from everywhere, if there is one.
    pub opening: Option<Binding<Opening>>,
    pub keys: fn() -> KeyTable,
    /// Whether the keys for movement work in it.
    pub moves: bool,
}

impl ViewSpec {
    /// Whether it shows what only a game tells.
    pub fn is_of_game(&self) -> bool {
        let opening = self.opening.as_ref();
        opening.is_some_and(|opening| opening.action.help_without_game.is_empty())
    }
}
