//! The books: what the swarm spent and earned, by Mysis, provider or day, and what its budgets leave.

pub mod keys;
pub mod lines;
pub(crate) mod view;

mod actions;
mod budgets;
mod columns;

use std::sync::Arc;

use actors::domain::books::Day;
use actors::domain::ids::{Moment, MysisId};
use actors::domain::screen::ReadId;
use actors::domain::swarm_books::{BooksQuery, SwarmBooks};
use strum::{EnumCount, VariantArray};

use lines::{BooksGrouping, BooksLine, BooksSorting, BooksTable, LineKey, SwarmNames};

use super::keys::Movement;

/// How often open books of a day are read again, in milliseconds.
const REFRESH_MS: u64 = 5_000;
/// How often open books of several days are read again: that reads many samples.
const SLOW_REFRESH_MS: u64 = 30_000;

/// The open books.
#[derive(Clone, Debug, Default)]
pub struct BooksView {
    /// What a line stands for.
    pub grouping: BooksGrouping,
    /// The days that are shown.
    pub span: BooksSpan,
    /// The order of the lines.
    pub sorting: BooksSorting,
    books: Option<Arc<SwarmBooks>>,
    complaint: Option<Arc<str>>,
    table: Arc<BooksTable>,
    /// Whether the lines are still those of before.
    has_old_lines: bool,
    /// The selected line; `None` for the first one.
    selected: Option<LineKey>,
    /// The first line in sight, and how many fit.
    top: usize,
    height: usize,
    /// The read that is under way. There is one at a time.
    awaited: Option<ReadId>,
    /// Whether something else is shown now than what was read, or is being read.
    is_current: bool,
    asked_at: Option<Moment>,
}

/// The days that the books show, up to today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount, VariantArray)]
pub enum BooksSpan {
    #[default]
    Today,
    TwoDays,
    ThreeDays,
    Week,
    TwoWeeks,
    Month,
}

impl BooksSpan {
    /// All, the shortest first.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// The number of days, today included.
    #[must_use]
    pub fn days(self) -> i64 {
        match self {
            BooksSpan::Today => 1,
            BooksSpan::TwoDays => 2,
            BooksSpan::ThreeDays => 3,
            BooksSpan::Week => 7,
            BooksSpan::TwoWeeks => 14,
            BooksSpan::Month => 30,
        }
    }

    /// The first day.
    #[must_use]
    pub fn first_day(self, today: Day) -> Day {
        Day(today.0.saturating_sub(self.days() - 1))
    }

    /// A longer or shorter one, if there is one.
    #[must_use]
    pub fn step(self, longer: bool) -> BooksSpan {
        let place = Self::ALL.iter().position(|span| *span == self).unwrap_or(0);
        let place = if longer {
            place + 1
        } else {
            place.saturating_sub(1)
        };
        Self::ALL.get(place).copied().unwrap_or(self)
    }
}

impl BooksView {
    /// Shows other days. What was read stays until they are read. A read that is under way is waited for, so that
    /// impatient keys do not ask for more and more.
    pub fn change_span(&mut self, span: BooksSpan) {
        if span != self.span {
            self.span = span;
            self.is_current = false;
            self.books = None;
            self.has_old_lines = true;
        }
    }

    /// Adds up by something else.
    pub fn change_grouping(&mut self, grouping: BooksGrouping) {
        self.grouping = grouping;
        self.selected = None;
        self.has_old_lines = true;
    }

    /// Sorts otherwise.
    pub fn sort(&mut self, sorting: BooksSorting) {
        self.sorting = sorting;
        self.has_old_lines = true;
    }

    /// Waits no longer for a read whose answer may be lost.
    pub fn forget_read(&mut self) {
        self.awaited = None;
        self.is_current = false;
    }

    /// Whether it is time to read.
    #[must_use]
    pub fn is_due(&self, now: Moment) -> bool {
        let every = match self.span {
            BooksSpan::Today => REFRESH_MS,
            BooksSpan::TwoDays
            | BooksSpan::ThreeDays
            | BooksSpan::Week
            | BooksSpan::TwoWeeks
            | BooksSpan::Month => SLOW_REFRESH_MS,
        };
        let is_old = |at: Moment| now.since(at).as_millis() >= u128::from(every);
        self.awaited.is_none() && (!self.is_current || self.asked_at.is_none_or(is_old))
    }

    /// The read of what is shown. `myses` are those of the swarm.
    pub fn ask(
        &mut self,
        id: ReadId,
        myses: Vec<MysisId>,
        (today, moment): (Day, Moment),
    ) -> BooksQuery {
        self.asked_at = Some(moment);
        self.awaited = Some(id);
        self.is_current = true;
        BooksQuery {
            first: self.span.first_day(today),
            last: today,
            myses,
        }
    }

    /// Takes what was read, unless something else is shown now. After an error the lines stay.
    pub fn take(&mut self, id: ReadId, read: Result<SwarmBooks, String>) {
        let is_ours = self.awaited.take_if(|awaited| *awaited == id).is_some();
        if !is_ours || !self.is_current {
            return;
        }
        match read {
            Ok(books) => {
                self.books = Some(Arc::new(books));
                self.complaint = None;
                self.has_old_lines = true;
            }
            Err(why) => self.complaint = Some(why.into()),
        }
    }

    /// Brings the lines up to date, and scrolls so that the selected one of them is in sight.
    pub fn settle(&mut self, height: usize, names: impl FnOnce() -> SwarmNames) {
        self.height = height;
        if std::mem::take(&mut self.has_old_lines) {
            self.table = match &self.books {
                Some(books) => Arc::new(BooksTable::new(
                    books,
                    self.grouping,
                    self.sorting,
                    &names(),
                )),
                None => Arc::default(),
            };
        }
        let place = self.place();
        let last = self.table.lines.len().saturating_sub(height);
        self.top = self
            .top
            .clamp((place + 1).saturating_sub(height.max(1)), place)
            .min(last);
    }

    /// Why the books could not be read.
    #[must_use]
    pub fn complaint(&self) -> Option<&Arc<str>> {
        self.complaint.as_ref()
    }

    /// Whether nothing was read yet.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        self.books.is_none()
    }

    /// What was read.
    #[must_use]
    pub fn books(&self) -> Option<&SwarmBooks> {
        self.books.as_deref()
    }

    /// All lines, and what they come to.
    #[must_use]
    pub fn table(&self) -> &BooksTable {
        &self.table
    }

    /// The number of lines above those in sight, and these.
    #[must_use]
    pub fn visible_lines(&self) -> (usize, &[BooksLine]) {
        let lines = &self.table.lines;
        let end = self.top.saturating_add(self.height).min(lines.len());
        (self.top, lines.get(self.top..end).unwrap_or_default())
    }

    /// The selected line.
    #[must_use]
    pub fn selected(&self) -> Option<&BooksLine> {
        self.table.lines.get(self.place())
    }

    fn place(&self) -> usize {
        let place = self.selected.as_ref().and_then(|key| self.table.place(key));
        place.unwrap_or(0)
    }

    /// Selects another line.
    pub fn go(&mut self, going: Movement) {
        let last = self.table.lines.len().saturating_sub(1);
        let place = going.lead_from(self.place(), last, self.height);
        let line = self.table.lines.get(place);
        self.selected = line.map(|line| line.key.clone());
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::books::{BudgetUse, CostEntry};

    use super::*;

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
            spared: Vec::new(),
        }
    }

    fn read(view: &mut BooksView, answer: Result<SwarmBooks, String>) {
        drop(view.ask(ReadId(1), Vec::new(), (Day(100), Moment(0))));
        view.take(ReadId(1), answer);
        view.settle(4, SwarmNames::default);
    }

    #[test]
    fn the_days_end_today_and_have_their_bounds() {
        let mut view = BooksView::default();
        let asked = view.ask(ReadId(1), vec![MysisId(3)], (Day(100), Moment(0)));
        assert_eq!((asked.first, asked.last), (Day(100), Day(100)));
        let all = BooksSpan::ALL;
        let firsts = all.map(|span| span.first_day(Day(100)).0);
        assert_eq!(firsts, [100, 99, 98, 94, 87, 71]);
        assert_eq!(BooksSpan::Month.step(true), BooksSpan::Month);
        assert_eq!(BooksSpan::Today.step(false), BooksSpan::Today);
    }

    #[test]
    fn one_read_is_under_way_and_what_comes_too_late_is_left_alone() {
        let mut view = BooksView::default();
        assert!(view.is_due(Moment(0)) && view.is_loading());
        drop(view.ask(ReadId(1), Vec::new(), (Day(100), Moment(0))));
        view.change_span(BooksSpan::Week);
        assert!(!view.is_due(Moment(90_000)), "one at a time");
        view.take(ReadId(1), Ok(books(2)));
        assert!(view.is_loading() && view.is_due(Moment(0)));
        read(&mut view, Ok(books(2)));
        assert!(!view.is_loading());
        assert!(!view.is_due(Moment(29_000)) && view.is_due(Moment(30_000)));
        view.change_span(BooksSpan::Today);
        read(&mut view, Ok(books(2)));
        assert!(!view.is_due(Moment(4_900)) && view.is_due(Moment(5_000)));
        drop(view.ask(ReadId(3), Vec::new(), (Day(100), Moment(0))));
        view.forget_read();
        assert!(view.is_due(Moment(0)), "a lost answer is not waited for");
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
        let last = view.table().lines.last().map(|line| line.key.clone());
        view.go(Movement::Last);
        view.settle(4, SwarmNames::default);
        assert_eq!(names(&view).0, 5);
        view.sort(BooksSorting {
            is_reversed: true,
            ..BooksSorting::default()
        });
        view.settle(4, SwarmNames::default);
        assert_eq!(view.selected().map(|line| line.key.clone()), last);
        assert_eq!(names(&view).0, 0);
        view.go(Movement::Down);
        view.go(Movement::PageDown);
        view.settle(1, SwarmNames::default);
        assert_eq!(names(&view).0, 4);
    }

    #[test]
    fn after_an_error_the_lines_stay_and_the_error_is_told() {
        let mut view = BooksView::default();
        read(&mut view, Ok(books(2)));
        read(&mut view, Err("the store does not answer".into()));
        assert_eq!(view.table().lines.len(), 2);
        let why = view.complaint().map(|why| &**why);
        assert_eq!(why, Some("the store does not answer"));
        read(&mut view, Ok(books(3)));
        assert_eq!(view.complaint(), None);
        assert_eq!(view.table().lines.len(), 3);
    }
}
