//! The books: what the swarm spent and earned, by Mysis, provider or day, and what its budgets leave.

pub mod lines;

mod budgets;
mod columns;
mod view;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::books::Day;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use actors::domain::swarm_books::{BooksQuery, SwarmBooks};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;

use super::facts::Facts;
use super::input_event::{key, letter};
use super::keys::{Binding, KeyTable, Movement, bind};
use super::layout::ScreenLayout;
use super::outbox::Request;
use super::toolkit::list::{Listed, Selection};
use super::toolkit::polled::Polled;
use super::toolkit::view::{Opening, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;
use lines::{BooksGrouping, BooksLine, BooksSorting, BooksTable, LineKey, SwarmNames};

/// How often open books of a day are read again.
const REFRESH: Duration = Duration::from_secs(5);
/// How often open books of several days are read again: that reads many samples.
const SLOW_REFRESH: Duration = Duration::from_secs(30);

pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(
        bind(
            "books",
            &[letter('$')],
            Opening::View(|_, _| Box::new(BooksView::default())),
            "books",
            "show the books: costs, gains, budgets",
        )
        .without_game("show the books: costs, budgets"),
    ),
    keys: || KeyTable::of("The books", BOOKS_KEYS),
    moves: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooksAction {
    Back,
    Open,
    Grouping,
    GroupingBefore,
    MoreDays,
    FewerDays,
    Sort,
    Turn,
}

#[rustfmt::skip]
pub const BOOKS_KEYS: &[Binding<BooksAction>] = &[
    bind("books_back", &[key(KeyCode::Esc), letter('q'), letter('$')], BooksAction::Back, "back", "back to the previous view"),
    bind("books_grouping", &[key(KeyCode::Tab), letter(' ')], BooksAction::Grouping, "group", "add up by Mysis, by provider or by day"),
    bind("books_previous_grouping", &[key(KeyCode::BackTab)], BooksAction::GroupingBefore, "", "the same in reverse order"),
    bind("books_more_days", &[key(KeyCode::Left), letter('['), letter('h')], BooksAction::MoreDays, "more days", "go further back: more days"),
    bind("books_fewer_days", &[key(KeyCode::Right), letter(']'), letter('l')], BooksAction::FewerDays, "fewer", "fewer days"),
    bind("books_sort", &[letter('o')], BooksAction::Sort, "sort", "sort by the next column"),
    bind("books_reverse", &[letter('O')], BooksAction::Turn, "", "reverse the order"),
    bind("books_open", &[key(KeyCode::Enter)], BooksAction::Open, "open", "open the conversation of the selected Mysis"),
];

#[derive(Clone, Debug, Default)]
pub struct BooksView {
    pub grouping: BooksGrouping,
    pub span: BooksSpan,
    pub sorting: BooksSorting,
    books: Polled<SwarmBooks>,
    table: Arc<BooksTable>,
    /// Whether the lines are still those of before.
    has_old_lines: bool,
    selection: Selection<LineKey>,
}

impl Listed for BooksLine {
    type Key = LineKey;

    fn key(&self) -> &LineKey {
        &self.key
    }
}

/// Numbers of days of which the books may be, today included.
const SPANS: [i64; 6] = [1, 2, 3, 7, 14, 30];

/// One of `SPANS`, by its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BooksSpan(usize);

impl BooksSpan {
    #[must_use]
    pub fn days(self) -> i64 {
        SPANS[self.0]
    }

    #[must_use]
    pub fn first_day(self, today: Day) -> Day {
        Day(today.0.saturating_sub(self.days() - 1))
    }

    /// A longer or shorter one, if there is one.
    #[must_use]
    pub fn step(self, longer: bool) -> BooksSpan {
        let place = match longer {
            true => self.0 + 1,
            false => self.0.saturating_sub(1),
        };
        BooksSpan(place.min(SPANS.len() - 1))
    }
}

impl BooksView {
    fn change_span(&mut self, span: BooksSpan) {
        if span != self.span {
            self.span = span;
            self.books.invalidate();
            self.has_old_lines = true;
        }
    }

    /// Adds up by something else.
    fn change_grouping(&mut self, grouping: BooksGrouping) {
        self.grouping = grouping;
        self.selection.select(None);
        self.has_old_lines = true;
    }

    fn sort(&mut self, sorting: BooksSorting) {
        self.sorting = sorting;
        self.has_old_lines = true;
    }

    /// How often what is shown is read again.
    fn refresh_interval(&self) -> Duration {
        match self.span.days() {
            ..=1 => REFRESH,
            2.. => SLOW_REFRESH,
        }
    }

    /// Brings the lines up to date, and scrolls so that the selected one of them is in sight.
    fn scroll_to_selection(&mut self, height: usize, names: impl FnOnce() -> SwarmNames) {
        if std::mem::take(&mut self.has_old_lines) {
            self.table = match self.books.value() {
                Some(books) => Arc::new(BooksTable::new(
                    books,
                    self.grouping,
                    self.sorting,
                    &names(),
                )),
                None => Arc::default(),
            };
        }
        self.selection
            .scroll_to_selection(&self.table.lines, height);
    }

    /// The number of lines above those in sight, and these.
    #[must_use]
    pub fn visible_lines(&self) -> (usize, &[BooksLine]) {
        self.selection.visible(&self.table.lines)
    }

    pub fn selected(&self) -> Option<&BooksLine> {
        self.selection.line(&self.table.lines)
    }
}

impl View for BooksView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        let Some(action) = context.facts.keymap.find(BOOKS_KEYS, press) else {
            return Pressed::Passes;
        };
        match action {
            BooksAction::Back => return Pressed::Closes,
            BooksAction::Open => {
                if let Some(line) = self.selected() {
                    open_line(context, &line.key);
                }
            }
            BooksAction::Grouping => self.change_grouping(self.grouping.step(true)),
            BooksAction::GroupingBefore => self.change_grouping(self.grouping.step(false)),
            BooksAction::MoreDays => self.change_span(self.span.step(true)),
            BooksAction::FewerDays => self.change_span(self.span.step(false)),
            BooksAction::Sort => self.sort(BooksSorting {
                by: self.sorting.by.next(),
                is_reversed: false,
            }),
            BooksAction::Turn => self.sort(BooksSorting {
                is_reversed: !self.sorting.is_reversed,
                ..self.sorting
            }),
        }
        Pressed::Stays
    }

    fn go(&mut self, _: &mut ViewContext<'_>, movement: Movement) {
        self.selection.go(movement, &self.table.lines);
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(facts, self, layout, painter);
    }

    fn poll(&mut self, context: &mut ViewContext<'_>, page: Rect) {
        if self
            .books
            .is_due(context.facts.moment, self.refresh_interval())
        {
            let today = Day::of(context.facts.now);
            let id = context.outbox.read(StoreQuery::Books(BooksQuery {
                first: self.span.first_day(today),
                last: today,
                myses: context.facts.roster.members().keys().copied().collect(),
            }));
            self.books.ask(id, context.facts.moment);
        }
        let [_, _, lines, ..] = view::areas(context.facts, self, page);
        self.scroll_to_selection(usize::from(lines.height), || swarm_names(context.facts));
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.books.awaits(id)
    }

    fn take(&mut self, _: &mut ViewContext<'_>, id: ReadId, read: Result<StoreAnswer, String>) {
        self.has_old_lines |= self.books.take(id, read, StoreAnswer::try_as_books);
    }

    fn forget_reads(&mut self) {
        self.books.forget_read();
    }
}

fn open_line(context: &mut ViewContext<'_>, key: &LineKey) {
    match key {
        LineKey::Mysis(id) if context.facts.roster.get(*id).is_some() => {
            context.outbox.request(Request::Open(*id, None));
        }
        LineKey::Mysis(_) => (context.outbox).say("the Mysis was deleted with its conversation"),
        LineKey::Provider(_) | LineKey::Day(_) => {
            let words = "only a Mysis has a conversation; Tab adds up by Mysis";
            context.outbox.say(words);
        }
    }
}

fn swarm_names(facts: &Facts) -> SwarmNames {
    let members = facts.roster.members().iter();
    SwarmNames {
        myses: members
            .map(|(id, member)| (*id, member.status.name.clone()))
            .collect(),
        free: facts
            .rules
            .as_ref()
            .map(|rules| rules.free_providers())
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::books::{BudgetUse, CostEntry};
    use actors::domain::ids::{Moment, MysisId};

    use super::*;
    use crate::dashboard::keys::Movement;

    fn books(myses: i64) -> SwarmBooks {
        let costs = (1..=myses).map(|mysis| CostEntry {
            day: Day(100),
            mysis: MysisId(mysis),
            provider: "p".into(),
            spent: BudgetUse {
                calls: 1,
                cost_micros: 1_000 * mysis.unsigned_abs(),
                ..BudgetUse::default()
            },
        });
        SwarmBooks {
            costs: costs.collect(),
            earned: Vec::new(),
            saved: Vec::new(),
        }
    }

    fn read(view: &mut BooksView, answer: Result<SwarmBooks, String>) {
        view.books.ask(ReadId(1), Moment(0));
        let answer = answer.map(StoreAnswer::Books);
        view.has_old_lines |= view
            .books
            .take(ReadId(1), answer, StoreAnswer::try_as_books);
        view.scroll_to_selection(4, SwarmNames::default);
    }

    #[test]
    fn the_days_end_today_and_have_their_bounds() {
        let all = [0, 1, 2, 3, 4, 5].map(BooksSpan);
        let firsts = all.map(|span| span.first_day(Day(100)).0);
        assert_eq!(firsts, [100, 99, 98, 94, 87, 71]);
        assert_eq!(all[5].step(true), all[5]);
        assert_eq!(all[0].step(false), all[0]);
    }

    #[test]
    fn other_days_are_read_at_once_and_long_ones_less_often() {
        let mut view = BooksView::default();
        read(&mut view, Ok(books(2)));
        let is_due = |view: &BooksView, ms| view.books.is_due(Moment(ms), view.refresh_interval());
        assert!(!is_due(&view, 4_900) && is_due(&view, 5_000));
        view.change_span(BooksSpan(3));
        assert!(is_due(&view, 0) && view.books.value().is_none());
        read(&mut view, Ok(books(2)));
        assert!(!is_due(&view, 29_000) && is_due(&view, 30_000));
    }

    #[test]
    fn the_selected_line_stays_in_sight_and_selected_when_the_order_changes() {
        let mut view = BooksView::default();
        read(&mut view, Ok(books(9)));
        let names = |view: &BooksView| {
            let (above, lines) = view.visible_lines();
            let names = lines
                .iter()
                .map(|line| line.name.clone())
                .collect::<Vec<_>>();
            (above, names.join(" "))
        };
        assert_eq!(names(&view).0, 0);
        let last = view.table.lines.last().map(|line| line.key.clone());
        let lines = view.table.clone();
        view.selection.go(Movement::Last, &lines.lines);
        view.scroll_to_selection(4, SwarmNames::default);
        assert_eq!(names(&view).0, 5);
        view.sort(BooksSorting {
            is_reversed: true,
            ..BooksSorting::default()
        });
        view.scroll_to_selection(4, SwarmNames::default);
        assert_eq!(view.selected().map(|line| line.key.clone()), last);
        assert_eq!(names(&view).0, 0);
        let lines = view.table.clone();
        view.selection.go(Movement::Down, &lines.lines);
        view.selection.go(Movement::PageDown, &lines.lines);
        view.scroll_to_selection(1, SwarmNames::default);
        assert_eq!(names(&view).0, 4);
    }

    #[test]
    fn after_an_error_the_lines_stay_and_the_error_is_told() {
        let mut view = BooksView::default();
        read(&mut view, Ok(books(2)));
        read(&mut view, Err("the store does not answer".into()));
        assert_eq!(view.table.lines.len(), 2);
        let why = view.books.complaint().map(|why| &**why);
        assert_eq!(why, Some("the store does not answer"));
        read(&mut view, Ok(books(3)));
        assert_eq!(view.books.complaint(), None);
        assert_eq!(view.table.lines.len(), 3);
    }
}
