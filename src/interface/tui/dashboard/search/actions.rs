//! What opens, feeds and steers a search across the swarm.

use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery, UiEffect};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::keys::{SEARCH_KEYS, SearchAction};
use super::{HitKey, SearchView, view};
use crate::dashboard::Dashboard;
use crate::dashboard::input_event::letter;
use crate::dashboard::keys::{KeyTable, Keymap, MOVEMENT_KEYS, bind};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::toolkit::columns::lines_area;
use crate::dashboard::toolkit::view::{Opening, Pressed, View, ViewSpec};
use crate::painter::Painter;

/// What is fixed of a search. The key that opens it asks for the text first.
pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "search_swarm",
        &[letter('S')],
        Opening(ask_what_to_search),
        "search",
        "search a text in all conversations",
    )),
    keys: || KeyTable::of("A search across the swarm", SEARCH_KEYS),
    moves: true,
};

/// Asks for the text of a search. It is that of the list, if one is open.
fn ask_what_to_search(board: &mut Dashboard) {
    let open = board.view::<SearchView>();
    let text = open.map_or(String::new(), |view| view.text_search().text().to_string());
    board.open_line(QueryScope::Swarm, &text);
}

/// Searches a text in all conversations. A list that is open already gives way to it.
pub(in crate::dashboard) fn search_swarm(board: &mut Dashboard, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    board.close_view::<SearchView>();
    board.open_view(|board| SearchView::new(text, board.now));
}

/// Opens the conversation of a hit at its row. The places of the text are marked there.
fn open_hit(board: &mut Dashboard, (mysis, seq): HitKey, text: &str) {
    if board.roster.get(mysis).is_none() {
        return board.show_notice("the Mysis was deleted with its conversation");
    }
    board.open_from_list(mysis);
    board.find_text_at(text, seq);
}

impl View for SearchView {
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        keymap.hints(SEARCH_KEYS)
    }

    fn keys(&self) -> Option<KeyTable> {
        Some((SPEC.keys)())
    }

    fn press(&mut self, board: &mut Dashboard, press: KeyEvent) -> Pressed {
        match board.keymap().find(SEARCH_KEYS, press) {
            Some(SearchAction::Back) => Pressed::Closes,
            Some(SearchAction::Again) => Pressed::then(ask_what_to_search),
            Some(SearchAction::Raw) => {
                self.form = self.form.opposite();
                Pressed::Stays
            }
            Some(SearchAction::Open) => {
                let text = self.text_search().text().to_string();
                match self.selected().map(|hit| hit.key) {
                    Some(hit) => Pressed::then(move |board| open_hit(board, hit, &text)),
                    None => Pressed::Stays,
                }
            }
            None => match board.keymap().find(MOVEMENT_KEYS, press) {
                Some(movement) => {
                    self.go(movement);
                    Pressed::Stays
                }
                None => Pressed::Passes,
            },
        }
    }

    fn paint(&self, board: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(board, self, layout, painter);
    }

    fn poll(&mut self, board: &mut Dashboard, page: Rect) {
        let ids = [board.next_read_id(), board.next_read_id()];
        for (id, query) in self.ask(ids) {
            let query = StoreQuery::Search(query);
            board.effects.push(UiEffect::Read { id, query });
        }
        let hits = self.hits.clone();
        let height = lines_area(view::areas(page).list).height;
        self.selection
            .scroll_to_selection(&hits, usize::from(height));
    }

    fn awaits(&self, id: ReadId) -> bool {
        let awaited = self.awaited.as_ref();
        awaited.is_some_and(|awaited| awaited.missing.contains(&id))
    }

    fn take(&mut self, _: &mut Dashboard, id: ReadId, read: Result<StoreAnswer, String>) {
        let hits = read.map(|answer| answer.try_as_search().unwrap_or_default());
        self.take_hits(id, hits.as_ref().map_err(|why| &**why));
    }

    fn forget_reads(&mut self) {
        self.forget_read();
    }
}
