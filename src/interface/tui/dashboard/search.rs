//! The search across the swarm: the places of a text in all conversations, newest first.

mod view;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::message::Row;
use actors::domain::reading::{SearchHits, SearchIn, SearchQuery};
use actors::domain::result_words::result_in_words;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use super::conversation::transcript::entry::ResultForm;
use super::conversation::transcript::text_search::{Excerpt, TextSearch};
use super::facts::Facts;
use super::input_event::{key, letter};
use super::keys::{Binding, KeyTable, Movement, bind};
use super::layout::ScreenLayout;
use super::outbox::{Outbox, Request};
use super::overlay::query::QueryScope;
use super::toolkit::columns::lines_area;
use super::toolkit::list::{Listed, Selection};
use super::toolkit::view::{Opening, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

/// The hits that are read first. Each time the operator wants more, twice as many are read.
const FIRST_HITS: usize = 50;
pub const MAX_HITS: usize = 800;
/// The most characters that are kept on either side of a place.
const AROUND_CHARS: usize = 200;
const PLACES: [SearchIn; 2] = [SearchIn::Messages, SearchIn::Reasoning];

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchAction {
    Open,
    Again,
    Raw,
    Back,
}

#[rustfmt::skip]
pub(crate) const SEARCH_KEYS: &[Binding<SearchAction>] = &[
    bind("place_back", &[key(KeyCode::Esc), letter('q')], SearchAction::Back, "back", "back to the previous view"),
    bind("place_open", &[key(KeyCode::Enter), key(KeyCode::Right)], SearchAction::Open, "open", "open the conversation at the selected match"),
    bind("place_raw", &[letter('v')], SearchAction::Raw, "raw", "show results as the model gets them, or in words"),
    bind("place_search_again", &[letter('/'), letter('S')], SearchAction::Again, "another text", "search another text"),
];

#[derive(Clone, Debug, Default)]
pub struct SearchView {
    text_search: TextSearch,
    found: Arc<FoundHits>,
    /// The most hits that are asked for.
    limit: usize,
    /// When the search began. What is stored later is not looked for, so that the list stays as it is.
    began: Timestamp,
    /// Whether the hits are still to be asked for.
    is_due: bool,
    /// The answers that are still missing, and what came so far.
    awaited: Option<(BTreeSet<ReadId>, FoundHits)>,
    /// Why it could not be searched.
    complaint: Option<Arc<str>>,
    selection: Selection<HitKey>,
    form: ResultForm,
}

#[derive(Clone, Debug, Default)]
struct FoundHits {
    hits: Vec<SearchHit>,
    /// Whether there may be older hits than those that were read.
    may_have_more: bool,
    /// The time of the newest row that retention removed: there may have been places before.
    removed_before: Option<Timestamp>,
}

pub type HitKey = (MysisId, Seq);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    pub key: HitKey,
    pub at: Timestamp,
    /// The kind of the row in a word.
    pub kind: Box<str>,
    pub excerpt: Excerpt,
    /// The row in words, if it is the result of a tool.
    pub words: Option<Box<str>>,
}

impl SearchHit {
    fn new(mysis: MysisId, row: &Row, text_search: &TextSearch) -> SearchHit {
        let reasoning = row.utterance().and_then(|words| words.reasoning.as_ref());
        let texts = [Some(row.text()), reasoning].into_iter().flatten();
        let mut places = texts.filter_map(|text| text_search.excerpt(text, AROUND_CHARS));
        SearchHit {
            key: (mysis, row.seq),
            at: row.at,
            kind: one_line(row.kind_word()).into(),
            words: row.result().map(|(_, text, meta)| {
                let words = result_in_words(meta.game, &meta.tool, meta.status, text);
                one_line(&format!("{}: {words}", meta.tool)).into()
            }),
            // The store and the screen may differ in what letters are the same.
            excerpt: places.next().unwrap_or_else(|| {
                let start: String = row.text().chars().take(AROUND_CHARS).collect();
                Excerpt {
                    after: one_line(&start).into(),
                    ..Excerpt::default()
                }
            }),
        }
    }
}

impl SearchView {
    /// A search that is still to be made.
    pub fn new(text: &str, now: Timestamp) -> SearchView {
        SearchView {
            text_search: TextSearch::of(text),
            limit: FIRST_HITS,
            began: now,
            is_due: true,
            ..SearchView::default()
        }
    }

    pub fn text_search(&self) -> &TextSearch {
        &self.text_search
    }

    /// Asks for the hits if that is due; nothing else.
    fn ask(&mut self, outbox: &mut Outbox) {
        if !std::mem::take(&mut self.is_due) {
            return;
        }
        self.complaint = None;
        let missing = PLACES.map(|within| {
            outbox.read(StoreQuery::Search(SearchQuery {
                until: Some(self.began),
                ..self.text_search.query(within, self.limit)
            }))
        });
        self.awaited = Some((missing.into(), FoundHits::default()));
    }

    fn take_hits(&mut self, id: ReadId, found: Result<&SearchHits, &str>) -> bool {
        let Some((missing, awaited)) = &mut self.awaited else {
            return false;
        };
        if !missing.remove(&id) {
            return false;
        }
        match found {
            Err(why) => {
                self.complaint = Some(why.into());
                self.awaited = None;
            }
            Ok(found) => {
                let rows = found.rows.iter();
                let hits = rows.map(|(mysis, row)| SearchHit::new(*mysis, row, &self.text_search));
                awaited.hits.extend(hits);
                awaited.may_have_more |= found.may_have_more;
                awaited.removed_before = awaited.removed_before.max(found.removed_before);
                if missing.is_empty() {
                    self.finish();
                }
            }
        }
        true
    }

    /// Puts the answers together: as many of the newest hits as were asked for, each row once.
    fn finish(&mut self) {
        let Some((_, mut found)) = self.awaited.take() else {
            return;
        };
        let hits = &mut found.hits;
        hits.sort_by_key(|hit| (Reverse(hit.at), hit.key.0, Reverse(hit.key.1)));
        hits.dedup_by_key(|hit| hit.key);
        found.may_have_more |= hits.len() > self.limit;
        hits.truncate(self.limit);
        self.found = Arc::new(found);
    }

    /// Wants older hits as well, if there may be any and not too many were read.
    fn want_more(&mut self) {
        if self.has_more_to_read() && self.awaited.is_none() {
            self.limit = self.limit.saturating_mul(2).min(MAX_HITS);
            self.is_due = true;
        }
    }

    pub fn has_more_to_read(&self) -> bool {
        self.found.may_have_more && self.limit < MAX_HITS
    }

    pub fn is_searching(&self) -> bool {
        self.is_due || self.awaited.is_some()
    }

    pub fn selected(&self) -> Option<&SearchHit> {
        self.selection.line(&self.found.hits)
    }

    /// The words that stand for a hit, unless results are shown raw.
    fn words_of<'a>(&self, hit: &'a SearchHit) -> Option<&'a str> {
        let words = hit.words.as_deref();
        words.filter(|_| self.form == ResultForm::Words)
    }

    /// Selects another hit. Beyond the last one older ones are read.
    fn move_to(&mut self, movement: Movement) {
        use Movement::{Down, Last, PageDown};
        let is_last = self.selection.place(&self.found.hits) + 1 >= self.found.hits.len();
        if is_last && matches!(movement, Down | PageDown | Last) {
            self.want_more();
        }
        self.selection.go(movement, &self.found.hits);
    }
}

impl Listed for SearchHit {
    type Key = HitKey;

    fn key(&self) -> &HitKey {
        &self.key
    }
}

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
        self.ask(context.outbox);
        let [list, _] = view::areas(page);
        let height = lines_area(list).height;
        self.selection
            .scroll_to_selection(&self.found.hits, usize::from(height));
    }

    fn awaits(&self, id: ReadId) -> bool {
        let awaited = self.awaited.as_ref();
        awaited.is_some_and(|(missing, _)| missing.contains(&id))
    }

    fn take(&mut self, _: &mut ViewContext<'_>, id: ReadId, read: Result<StoreAnswer, String>) {
        let hits = read.map(|answer| answer.try_as_search().unwrap_or_default());
        self.take_hits(id, hits.as_ref().map_err(|why| &**why));
    }

    fn forget_reads(&mut self) {
        self.is_due |= self.awaited.take().is_some();
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::ids::TurnNumber;
    use actors::domain::message::{RowBody, Utterance};
    use actors::domain::screen::UiEffect;

    use super::*;

    fn row(seq: i64, text: &str, reasoning: Option<&str>) -> Arc<Row> {
        Arc::new(Row {
            seq: Seq(seq),
            at: Timestamp(seq * 1000),
            turn: TurnNumber(1),
            body: RowBody::Reply(Utterance {
                text: text.into(),
                reasoning: reasoning.map(Into::into),
                ..Utterance::default()
            }),
        })
    }

    fn found(rows: Vec<(i64, Arc<Row>)>, may_have_more: bool) -> SearchHits {
        SearchHits {
            rows: rows
                .into_iter()
                .map(|(mysis, row)| (MysisId(mysis), row))
                .collect(),
            may_have_more,
            ..SearchHits::default()
        }
    }

    /// What the search asks the store, with ids from 1 on.
    fn asked(view: &mut SearchView) -> Vec<SearchQuery> {
        let mut outbox = Outbox::default();
        view.ask(&mut outbox);
        let mut queries = Vec::new();
        for effect in outbox.effects {
            if let UiEffect::Read {
                query: StoreQuery::Search(query),
                ..
            } = effect
            {
                queries.push(query);
            }
        }
        queries
    }

    fn answer(view: &mut SearchView, messages: &SearchHits, reasoning: &SearchHits) {
        let ids = [ReadId(1), ReadId(2)];
        assert_eq!(asked(view).len(), 2);
        assert!(view.take_hits(ids[0], Ok(messages)));
        assert!(view.is_searching());
        assert!(view.take_hits(ids[1], Ok(reasoning)));
        assert!(!view.is_searching());
        let found = view.found.clone();
        view.selection.scroll_to_selection(&found.hits, 5);
    }

    fn keys(view: &SearchView) -> Vec<(i64, i64)> {
        let hits = view.found.hits.iter();
        hits.map(|hit| (hit.key.0.0, hit.key.1.0)).collect()
    }

    #[test]
    fn hits_come_newest_first_and_each_row_once() {
        let mut view = SearchView::new("gold", Timestamp(9_000));
        assert!(view.is_searching());
        let both = row(7, "the gold is sold", Some("sell the gold"));
        let messages = found(vec![(1, row(3, "Gold!", None)), (2, both.clone())], false);
        let reasoning = found(vec![(2, both), (1, row(9, "ok", Some("more gold")))], false);
        answer(&mut view, &messages, &reasoning);
        assert_eq!(keys(&view), [(1, 9), (2, 7), (1, 3)]);
        let excerpts = view.found.hits.iter().map(|hit| &*hit.excerpt.found);
        assert_eq!(excerpts.collect::<Vec<_>>(), ["gold", "gold", "Gold"]);
        assert_eq!(&*view.found.hits[0].excerpt.before, "more ");
        assert!(!view.has_more_to_read());
    }

    #[test]
    fn more_are_read_at_the_end_up_to_a_bound_and_the_selected_one_stays() {
        let mut view = SearchView::new("x", Timestamp(9_000));
        let rows = |count: i64| {
            let rows = (0..count).map(|seq| (1, row(10_000 - seq, "x", None)));
            found(rows.collect(), true)
        };
        let nothing = SearchHits::default();
        answer(&mut view, &rows(50), &nothing);
        view.move_to(Movement::Down);
        assert!(!view.is_searching());
        let mut wanted = Vec::new();
        for _ in 0..9 {
            view.move_to(Movement::Last);
            let selected = view.selected().map(|hit| hit.key);
            view.move_to(Movement::Down);
            assert_eq!(view.selected().map(|hit| hit.key), selected);
            let ids = [ReadId(1), ReadId(2)];
            let queries = asked(&mut view);
            let Some(query) = queries.first() else {
                break;
            };
            wanted.push(query.limit);
            view.move_to(Movement::Down);
            assert!(asked(&mut view).is_empty(), "one read at a time");
            let limit = i64::try_from(query.limit).unwrap();
            assert!(view.take_hits(ids[0], Ok(&rows(limit))));
            assert!(view.take_hits(ids[1], Ok(&nothing)));
            let found = view.found.clone();
            view.selection.scroll_to_selection(&found.hits, 5);
            assert_eq!(view.selected().map(|hit| hit.key), selected);
        }
        assert_eq!(wanted, [100, 200, 400, 800]);
        assert_eq!(view.found.hits.len(), MAX_HITS);
        assert!(view.found.may_have_more && !view.has_more_to_read());
    }

    #[test]
    fn an_error_is_told_and_an_answer_to_an_older_question_is_dropped() {
        let mut view = SearchView::new("x", Timestamp(9_000));
        drop(asked(&mut view));
        assert!(!view.take_hits(ReadId(7), Ok(&SearchHits::default())));
        assert!(view.take_hits(ReadId(2), Err("the store does not answer")));
        assert!(!view.take_hits(ReadId(1), Ok(&SearchHits::default())));
        let why = view.complaint.as_deref();
        assert_eq!(why, Some("the store does not answer"));
        assert!(!view.is_searching());
        view.forget_reads();
        assert!(!view.is_searching(), "what was answered is not asked again");
        let mut lost = SearchView::new("x", Timestamp(9_000));
        drop(asked(&mut lost));
        lost.forget_reads();
        assert_eq!(asked(&mut lost).len(), 2);
    }

    #[test]
    fn capitals_are_looked_for_as_they_are() {
        let mut view = SearchView::new("Gold", Timestamp(9_000));
        assert!(asked(&mut view)[0].case_sensitive);
        let mut view = SearchView::new("gold", Timestamp(9_000));
        let queries = asked(&mut view);
        assert!(queries.iter().all(|query| !query.case_sensitive));
        assert_eq!(queries[0].mysis, None);
        assert_eq!(queries[0].until, Some(Timestamp(9_000)));
        assert_eq!(queries[1].within, SearchIn::Reasoning);
    }
}
