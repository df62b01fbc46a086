//! What opens, feeds and steers a search across the swarm.

use actors::domain::reading::SearchHits;
use actors::domain::screen::{ReadId, UiEffect};
use crossterm::event::KeyEvent;

use super::keys::{SEARCH_KEYS, SearchAction};
use super::{HitKey, SearchView, view};
use crate::dashboard::Dashboard;
use crate::dashboard::keys::MOVEMENT_KEYS;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::query::{Query, QueryScope};

impl Dashboard {
    /// Asks for the text of a search. It is that of the list, if one is on top.
    pub(in crate::dashboard) fn ask_what_to_search(&mut self) {
        let text = match self.overlays.last() {
            Some(Overlay::Search(view)) => view.text_search().text().to_string(),
            Some(_) | None => String::new(),
        };
        let query = Query::new(QueryScope::Swarm, &text);
        self.overlays.push(Overlay::Query(query));
    }

    /// Searches a text in all conversations. A list that is open already, behind others, comes to the front.
    pub(in crate::dashboard) fn search_swarm(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(place) = self.place_of_search() {
            self.overlays.truncate(place);
        }
        let view = Box::new(SearchView::new(text, self.now));
        self.overlays.push(Overlay::Search(view));
        self.refresh_search();
    }

    pub(in crate::dashboard) fn press_in_search(
        &mut self,
        mut view: Box<SearchView>,
        press: KeyEvent,
    ) {
        let action = self.keymap.find(SEARCH_KEYS, press);
        let going = self.keymap.find(MOVEMENT_KEYS, press);
        let hit = view.selected().map(|hit| hit.key);
        let text = view.text_search().text().to_string();
        if let (None, Some(going)) = (action, going) {
            view.go(going);
        }
        if action == Some(SearchAction::Back) {
            return;
        }
        self.overlays.push(Overlay::Search(view));
        match (action, hit) {
            (Some(SearchAction::Open), Some(hit)) => self.open_hit(hit, &text),
            (Some(SearchAction::Again), _) => self.ask_what_to_search(),
            (Some(SearchAction::Open | SearchAction::Back), _) => {}
            (None, _) => self.press_over_layer(press),
        }
        self.refresh_search();
    }

    /// Opens the conversation of a hit at its row. The places of the text are marked there.
    fn open_hit(&mut self, (mysis, seq): HitKey, text: &str) {
        if self.roster.get(mysis).is_none() {
            return self.show_notice("it was deleted with its conversation");
        }
        self.open_from_list(mysis);
        self.find_text_at(text, seq);
    }

    /// Asks for the hits of the open search if that is due, and scrolls to the selected one.
    pub(in crate::dashboard) fn refresh_search(&mut self) {
        let height = view::areas(self.layout().page()).list.height;
        let ids = [self.next_read_id(), self.next_read_id()];
        if let Some(Overlay::Search(view)) = self.search_layer() {
            let queries = view.ask(ids);
            view.settle(usize::from(height));
            let reads = queries
                .into_iter()
                .map(|(id, search)| UiEffect::Search { id, search });
            self.effects.extend(reads);
        }
    }

    /// Takes the result of a search across the swarm. Returns whether it was one.
    pub(in crate::dashboard) fn take_hits(
        &mut self,
        id: ReadId,
        found: Result<&SearchHits, &str>,
    ) -> bool {
        match self.search_layer() {
            Some(Overlay::Search(view)) => view.take(id, found),
            Some(_) | None => false,
        }
    }

    fn place_of_search(&self) -> Option<usize> {
        let mut layers = self.overlays.iter();
        layers.position(|layer| matches!(layer, Overlay::Search(_)))
    }

    fn search_layer(&mut self) -> Option<&mut Overlay> {
        let place = self.place_of_search()?;
        self.overlays.get_mut(place)
    }
}
