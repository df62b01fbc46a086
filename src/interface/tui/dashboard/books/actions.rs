//! What opens, feeds and steers the books.

use actors::domain::books::Day;
use actors::domain::screen::{ReadId, UiEffect};
use actors::domain::swarm_books::SwarmBooks;
use crossterm::event::KeyEvent;

use super::keys::{BOOKS_KEYS, BooksAction};
use super::lines::{BooksSorting, LineKey, SwarmNames};
use super::{BooksView, view};
use crate::dashboard::Dashboard;
use crate::dashboard::keys::MOVEMENT_KEYS;
use crate::dashboard::overlay::Overlay;

impl Dashboard {
    /// Opens the books. Those that are open already, behind a list, come to the front.
    pub(in crate::dashboard) fn open_books(&mut self) {
        let mut layers = self.overlays.iter();
        if let Some(place) = layers.position(|layer| matches!(layer, Overlay::Books(_))) {
            return self.overlays.truncate(place + 1);
        }
        self.overlays.push(Overlay::Books(Box::default()));
        self.refresh_books();
    }

    pub(in crate::dashboard) fn press_in_books(
        &mut self,
        mut view: Box<BooksView>,
        press: KeyEvent,
    ) {
        let Some(action) = self.keymap.find(BOOKS_KEYS, press) else {
            if let Some(going) = self.keymap.find(MOVEMENT_KEYS, press) {
                view.go(going);
            }
            self.overlays.push(Overlay::Books(view));
            return self.press_over_layer(press);
        };
        match action {
            BooksAction::Back => return,
            BooksAction::Open => {
                let key = view.selected().map(|line| line.key.clone());
                self.overlays.push(Overlay::Books(view));
                return self.open_line(key);
            }
            BooksAction::Grouping => view.change_grouping(view.grouping.step(true)),
            BooksAction::GroupingBefore => view.change_grouping(view.grouping.step(false)),
            BooksAction::MoreDays => view.change_span(view.span.step(true)),
            BooksAction::FewerDays => view.change_span(view.span.step(false)),
            BooksAction::Sort => view.sort(BooksSorting {
                by: view.sorting.by.next(),
                is_reversed: false,
            }),
            BooksAction::Turn => view.sort(BooksSorting {
                is_reversed: !view.sorting.is_reversed,
                ..view.sorting
            }),
        }
        self.overlays.push(Overlay::Books(view));
        self.refresh_books();
    }

    fn open_line(&mut self, key: Option<LineKey>) {
        match key {
            Some(LineKey::Mysis(id)) if self.roster.get(id).is_some() => self.open_from_list(id),
            Some(LineKey::Mysis(_)) => self.show_notice("it was deleted with its conversation"),
            Some(LineKey::Provider(_) | LineKey::Day(_)) => {
                self.show_notice("only a Mysis has a conversation; Tab adds up by Mysis");
            }
            None => {}
        }
    }

    /// Reads the open books if it is time, and brings their lines up to date.
    pub(in crate::dashboard) fn refresh_books(&mut self) {
        let Some(place) = self.place_of_books() else {
            return;
        };
        // The view is taken out, because what it shows depends on the rest of the dashboard.
        let Some(Overlay::Books(view)) = self.overlays.get_mut(place) else {
            return;
        };
        let mut open = std::mem::take(&mut **view);
        if open.is_due(self.moment) {
            let id = self.next_read_id();
            let myses = self.roster.members().keys().copied().collect();
            let query = open.ask(id, myses, (Day::of(self.now), self.moment));
            self.effects.push(UiEffect::ReadBooks { id, query });
        }
        let height = view::areas(self, &open, self.layout().page()).lines.height;
        open.settle(usize::from(height), || self.swarm_names());
        if let Some(Overlay::Books(view)) = self.overlays.get_mut(place) {
            **view = open;
        }
    }

    fn place_of_books(&self) -> Option<usize> {
        let mut layers = self.overlays.iter();
        layers.position(|layer| matches!(layer, Overlay::Books(_)))
    }

    fn swarm_names(&self) -> SwarmNames {
        let members = self.roster.members().iter();
        SwarmNames {
            myses: members
                .map(|(id, member)| (*id, member.status.name.clone()))
                .collect(),
            free: self
                .rules()
                .map(|rules| rules.free_providers())
                .unwrap_or_default(),
        }
    }

    /// Takes the books, or the error of the store.
    pub fn on_books(&mut self, id: ReadId, read: Result<SwarmBooks, String>) {
        if let Some(place) = self.place_of_books()
            && let Some(Overlay::Books(view)) = self.overlays.get_mut(place)
        {
            view.take(id, read);
        }
    }
}
