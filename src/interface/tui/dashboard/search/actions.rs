//! What opens, feeds and steers a search across the swarm.

use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::keys::{SEARCH_KEYS, SearchAction};
use super::{SearchView, view};
use crate::dashboard::facts::Facts;
use crate::dashboard::input_event::letter;
use crate::dashboard::keys::{KeyTable, Movement, bind};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::outbox::Request;
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::toolkit::columns::lines_area;
use crate::dashboard::toolkit::view::{Opening, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

/// What is fixed of a search. The key that opens it asks for the text first.
pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "search_swarm",
        &[letter('S')],
        Opening::Search,
        "search",
        "search a text in all conversations",
    )),
    keys: || KeyTable::of("A search across the swarm", SEARCH_KEYS),
    moves: true,
};

impl View for SearchView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        match context.facts.keymap.find(SEARCH_KEYS, press) {
            Some(SearchAction::Back) => return Pressed::Closes,
            Some(SearchAction::Again) => {
                let text = self.text_search().text().to_string();
                (context.outbox).request(Request::WriteLine(QueryScope::Swarm, text));
            }
            Some(SearchAction::Raw) => self.form = self.form.opposite(),
            Some(SearchAction::Open) => {
                if let Some((mysis, row)) = self.selected().map(|hit| hit.key) {
                    let text = self.text_search().text().to_string();
                    (context.outbox).request(Request::OpenHit(mysis, row, text));
                }
            }
            None => return Pressed::Passes,
        }
        Pressed::Stays
    }

    fn go(&mut self, _: &mut ViewContext<'_>, movement: Movement) {
        self.move_to(movement);
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(facts, self, layout, painter);
    }

    fn poll(&mut self, context: &mut ViewContext<'_>, page: Rect) {
        let ids = [context.outbox.next_read_id(), context.outbox.next_read_id()];
        for (id, query) in self.ask(ids) {
            context.outbox.read_as(id, StoreQuery::Search(query));
        }
        let [list, _] = view::areas(page);
        let height = lines_area(list).height;
        self.selection
            .scroll_to_selection(&self.hits, usize::from(height));
    }

    fn awaits(&self, id: ReadId) -> bool {
        let awaited = self.awaited.as_ref();
        awaited.is_some_and(|awaited| awaited.missing.contains(&id))
    }

    fn take(&mut self, _: &mut ViewContext<'_>, id: ReadId, read: Result<StoreAnswer, String>) {
        let hits = read.map(|answer| answer.try_as_search().unwrap_or_default());
        self.take_hits(id, hits.as_ref().map_err(|why| &**why));
    }

    fn forget_reads(&mut self) {
        self.forget_read();
    }
}
