//! The lines of the books: costs and earnings added up by Mysis, provider or day, and sorted.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::books::{BudgetUse, CostEntry, Day};
use actors::domain::ids::MysisId;
use actors::domain::swarm_books::SwarmBooks;
use strum::VariantArray;
use zoea_text::natural::compare_natural;

use crate::dashboard::toolkit::list::step_in;

/// In the order of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum BooksGrouping {
    #[default]
    Mysis,
    Provider,
    Day,
}

impl BooksGrouping {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            BooksGrouping::Mysis => "by Mysis",
            BooksGrouping::Provider => "by provider",
            BooksGrouping::Day => "by day",
        }
    }

    /// The next or the previous one, in a circle.
    #[must_use]
    pub fn step(self, forth: bool) -> BooksGrouping {
        step_in(Self::VARIANTS, self, forth)
    }
}

/// In the order of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum BooksColumn {
    Name,
    Calls,
    /// Calls that routines made in the model's place.
    Saved,
    TokensIn,
    TokensCached,
    TokensOut,
    #[default]
    Cost,
    Earned,
    /// Credits earned for a dollar.
    CreditsPerDollar,
}

impl BooksColumn {
    #[must_use]
    pub fn next(self) -> BooksColumn {
        step_in(Self::VARIANTS, self, true)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BooksSorting {
    pub by: BooksColumn,
    /// Whether it is turned round: figures begin with the largest one, names with `a` and days with the newest one.
    pub is_reversed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKey {
    /// This Mysis. It may be deleted by now.
    Mysis(MysisId),
    Provider(Arc<str>),
    Day(Day),
}

/// A sum of costs of which some may not be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostSum {
    /// The known part, in millionths of a US dollar.
    pub micros: u64,
    has_known: bool,
    has_unknown: bool,
}

impl CostSum {
    fn add(&mut self, entry: &CostEntry, is_free: bool) {
        let spent = &entry.spent;
        // A cost of 0 is one only if all tokens had a price.
        let is_known = is_free || spent.cost_micros > 0 || spent.tokens() == 0;
        self.has_known |= is_known;
        self.has_unknown |= !is_known;
        self.micros = self.micros.saturating_add(spent.cost_micros);
    }

    /// The whole cost; `None` if a part of it is not known, or if nothing stands in the books.
    pub fn whole(&self) -> Option<u64> {
        (self.has_known && !self.has_unknown).then_some(self.micros)
    }

    /// The known part of a cost that is not known as a whole; `None` if there is no such part.
    pub fn known_part(&self) -> Option<u64> {
        (self.has_known && self.has_unknown).then_some(self.micros)
    }

    /// Whether nothing stands in the books.
    pub fn is_empty(&self) -> bool {
        !self.has_known && !self.has_unknown
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineFigures {
    /// Calls and tokens.
    pub spent: BudgetUse,
    pub cost: CostSum,
    /// Credits earned; `None` if no result told of any, or if it is not known for whom they were earned.
    pub earned: Option<i64>,
    /// The calls that routines made in the model's place; `None` if there are none. No provider has any.
    pub saved: Option<u64>,
}

impl LineFigures {
    /// The credits for a dollar; `None` if either is not known or nothing was spent.
    pub fn credits_per_dollar(&self) -> Option<i64> {
        let micros = self.cost.whole().filter(|micros| *micros > 0)?;
        let credits = i128::from(self.earned?) * 1_000_000 / i128::from(micros);
        i64::try_from(credits).ok()
    }

    fn earn(&mut self, credits: i64) {
        self.earned = Some(self.earned.unwrap_or(0).saturating_add(credits));
    }

    fn add_saved(&mut self, calls: u64) {
        self.saved = Some(self.saved.unwrap_or(0).saturating_add(calls));
    }

    fn figure(&self, column: BooksColumn) -> Option<i128> {
        match column {
            BooksColumn::Name => None,
            BooksColumn::Calls => Some(self.spent.calls.into()),
            BooksColumn::Saved => self.saved.map(i128::from),
            BooksColumn::TokensIn => Some(self.spent.input.into()),
            BooksColumn::TokensCached => Some(self.spent.cached.into()),
            BooksColumn::TokensOut => Some(self.spent.output.into()),
            BooksColumn::Cost => {
                let known = self.cost.whole().or(self.cost.known_part());
                known.map(i128::from)
            }
            BooksColumn::Earned => self.earned.map(i128::from),
            BooksColumn::CreditsPerDollar => self.credits_per_dollar().map(i128::from),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooksLine {
    pub key: LineKey,
    pub name: String,
    pub figures: LineFigures,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BooksTable {
    pub lines: Vec<BooksLine>,
    pub total: LineFigures,
}

/// What the books need to know of the swarm: the names of the Myses that exist, and the providers that are free of
/// charge.
#[derive(Clone, Debug, Default)]
pub struct SwarmNames {
    pub myses: BTreeMap<MysisId, Arc<str>>,
    pub free: BTreeSet<Arc<str>>,
}

impl BooksTable {
    pub fn new(
        books: &SwarmBooks,
        grouping: BooksGrouping,
        sorting: BooksSorting,
        names: &SwarmNames,
    ) -> BooksTable {
        let mut total = LineFigures::default();
        let mut sums: BTreeMap<LineKey, LineFigures> = BTreeMap::new();
        for entry in &books.costs {
            let key = match grouping {
                BooksGrouping::Mysis => LineKey::Mysis(entry.mysis),
                BooksGrouping::Provider => LineKey::Provider(entry.provider.clone()),
                BooksGrouping::Day => LineKey::Day(entry.day),
            };
            let is_free = names.free.contains(&entry.provider);
            for sum in [&mut total, sums.entry(key).or_default()] {
                sum.spent.add(&entry.spent);
                sum.cost.add(entry, is_free);
            }
        }
        let key_without_provider = |mysis, day| match grouping {
            BooksGrouping::Mysis => Some(LineKey::Mysis(mysis)),
            BooksGrouping::Day => Some(LineKey::Day(day)),
            BooksGrouping::Provider => None,
        };
        for entry in &books.earned {
            total.earn(entry.credits);
            if let Some(key) = key_without_provider(entry.mysis, entry.day) {
                sums.entry(key).or_default().earn(entry.credits);
            }
        }
        if grouping == BooksGrouping::Provider {
            add_earned_by_provider(&mut sums, books);
        }
        for entry in &books.saved {
            total.add_saved(entry.calls);
            if let Some(key) = key_without_provider(entry.mysis, entry.day) {
                sums.entry(key).or_default().add_saved(entry.calls);
            }
        }
        let lines = sums.into_iter().map(|(key, figures)| BooksLine {
            name: name_of(&key, names),
            key,
            figures,
        });
        let mut lines: Vec<BooksLine> = lines.collect();
        lines.sort_by(|a, b| compare(a, b, sorting));
        BooksTable { lines, total }
    }
}

/// What was earned with a provider is known only if all who used it used no other one.
fn add_earned_by_provider(sums: &mut BTreeMap<LineKey, LineFigures>, books: &SwarmBooks) {
    let mut used: BTreeMap<MysisId, BTreeSet<&Arc<str>>> = BTreeMap::new();
    for entry in &books.costs {
        used.entry(entry.mysis).or_default().insert(&entry.provider);
    }
    let shared: BTreeSet<&Arc<str>> = used
        .values()
        .filter(|providers| providers.len() > 1)
        .flatten()
        .copied()
        .collect();
    for entry in &books.earned {
        let provider = used.get(&entry.mysis).and_then(|of| of.first().copied());
        let Some(provider) = provider.filter(|provider| !shared.contains(provider)) else {
            continue;
        };
        if let Some(line) = sums.get_mut(&LineKey::Provider(provider.clone())) {
            line.earn(entry.credits);
        }
    }
}

fn name_of(key: &LineKey, names: &SwarmNames) -> String {
    match key {
        LineKey::Mysis(id) => names.myses.get(id).map_or_else(
            || format!("(deleted) {id}"),
            |name| zoea_text::clean::one_line(name),
        ),
        LineKey::Provider(name) => zoea_text::clean::one_line(name),
        LineKey::Day(day) => day.to_string(),
    }
}

/// Figures: the largest one first, what is not known last.
fn compare(a: &BooksLine, b: &BooksLine, sorting: BooksSorting) -> Ordering {
    let turned = |order: Ordering| match sorting.is_reversed {
        true => order.reverse(),
        false => order,
    };
    let by_key = compare_keys(a, b);
    if sorting.by == BooksColumn::Name {
        return turned(by_key);
    }
    let [one, other] = [a, b].map(|line| line.figures.figure(sorting.by));
    let known = other.is_some().cmp(&one.is_some());
    let figures = known.then_with(|| turned(other.cmp(&one)));
    // Where the figure is the same or not known, tokens tell more than names.
    let tokens = || b.figures.spent.tokens().cmp(&a.figures.spent.tokens());
    figures.then_with(tokens).then(by_key)
}

fn compare_keys(a: &BooksLine, b: &BooksLine) -> Ordering {
    match (&a.key, &b.key) {
        (LineKey::Day(one), LineKey::Day(other)) => other.cmp(one),
        _ => {
            let is_deleted = |line: &BooksLine| line.name.starts_with('(');
            let order = is_deleted(a).cmp(&is_deleted(b));
            order.then_with(|| compare_natural(&a.name, &b.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::books::SavedCalls;
    use actors::domain::swarm_books::EarnedEntry;

    use super::*;

    fn cost(mysis: i64, provider: &str, day: i64, cost_micros: u64) -> CostEntry {
        CostEntry {
            day: Day(day),
            mysis: MysisId(mysis),
            provider: provider.into(),
            spent: BudgetUse {
                calls: 1,
                input: 100,
                output: 10,
                cached: 40,
                cost_micros,
            },
        }
    }

    fn earned(mysis: i64, day: i64, credits: i64) -> EarnedEntry {
        EarnedEntry {
            day: Day(day),
            mysis: MysisId(mysis),
            credits,
        }
    }

    fn saved(mysis: i64, day: i64, calls: u64) -> SavedCalls {
        SavedCalls {
            day: Day(day),
            mysis: MysisId(mysis),
            calls,
        }
    }

    fn books() -> SwarmBooks {
        SwarmBooks {
            costs: vec![
                cost(1, "paid", 1, 500_000),
                cost(1, "paid", 2, 1_500_000),
                cost(2, "own", 2, 0),
                cost(9, "free", 2, 0),
            ],
            earned: vec![earned(1, 1, 100), earned(1, 2, 300), earned(2, 2, -50)],
            saved: vec![saved(1, 1, 30), saved(1, 2, 12), saved(2, 2, 5)],
        }
    }

    fn table(books: &SwarmBooks, grouping: BooksGrouping, by: BooksColumn) -> BooksTable {
        let names = SwarmNames {
            myses: [(1, "alpha"), (2, "bravo")]
                .map(|(id, name)| (MysisId(id), name.into()))
                .into(),
            free: ["free".into()].into(),
        };
        let sorting = BooksSorting {
            by,
            is_reversed: false,
        };
        BooksTable::new(books, grouping, sorting, &names)
    }

    type Line<'a> = (&'a str, Option<u64>, Option<i64>, Option<i64>);

    fn listed(table: &BooksTable) -> Vec<Line<'_>> {
        let lines = table.lines.iter();
        lines
            .map(|line| {
                let figures = &line.figures;
                let rate = figures.credits_per_dollar();
                (&*line.name, figures.cost.whole(), figures.earned, rate)
            })
            .collect()
    }

    #[test]
    fn myses_are_sorted_by_cost_and_what_is_unknown_comes_last_and_is_not_0() {
        let table = table(&books(), BooksGrouping::Mysis, BooksColumn::Cost);
        assert_eq!(
            listed(&table),
            [
                ("alpha", Some(2_000_000), Some(400), Some(200)),
                ("(deleted) 0000000000000009", Some(0), None, None),
                ("bravo", None, Some(-50), None),
            ]
        );
        assert_eq!(table.total.cost.whole(), None);
        assert_eq!(table.total.cost.known_part(), Some(2_000_000));
        assert_eq!(table.total.earned, Some(350));
        assert_eq!(
            (table.total.spent.calls, table.total.spent.cached),
            (4, 160)
        );
    }

    #[test]
    fn days_come_newest_first_by_name_and_all_add_up_to_the_same() {
        let by_day = table(&books(), BooksGrouping::Day, BooksColumn::Name);
        assert_eq!(
            listed(&by_day),
            [
                ("1970-01-03", None, Some(250), None),
                ("1970-01-02", Some(500_000), Some(100), Some(200)),
            ]
        );
        for grouping in BooksGrouping::VARIANTS.iter().copied() {
            let other = table(&books(), grouping, BooksColumn::Cost);
            assert_eq!(other.total, by_day.total);
        }
    }

    #[test]
    fn spared_calls_have_their_day_and_their_mysis_and_no_provider() {
        let saved_by = |grouping: BooksGrouping| {
            let table = table(&books(), grouping, BooksColumn::Saved);
            let lines = table.lines.iter();
            let saved: Vec<_> = lines.map(|line| line.figures.saved).collect();
            (saved, table.total.saved)
        };
        let (days, all) = saved_by(BooksGrouping::Day);
        assert_eq!((days, all), (vec![Some(30), Some(17)], Some(47)));
        let (myses, all) = saved_by(BooksGrouping::Mysis);
        assert_eq!((myses, all), (vec![Some(42), Some(5), None], Some(47)));
        let (providers, all) = saved_by(BooksGrouping::Provider);
        assert_eq!((providers, all), (vec![None, None, None], Some(47)));
    }

    #[test]
    fn a_provider_earned_what_those_earned_who_used_no_other_one() {
        let mut books = books();
        let alone = table(&books, BooksGrouping::Provider, BooksColumn::Earned);
        assert_eq!(
            listed(&alone),
            [
                ("paid", Some(2_000_000), Some(400), Some(200)),
                ("own", None, Some(-50), None),
                ("free", Some(0), None, None),
            ]
        );
        books.costs.push(cost(1, "own", 2, 0));
        let shared = table(&books, BooksGrouping::Provider, BooksColumn::Earned);
        assert!(
            shared
                .lines
                .iter()
                .all(|line| line.figures.earned.is_none())
        );
        assert_eq!(shared.total.earned, Some(350));
    }

    #[test]
    fn a_mysis_that_only_earned_has_no_cost_rather_than_0() {
        let books = SwarmBooks {
            costs: Vec::new(),
            earned: vec![earned(1, 1, 5)],
            saved: Vec::new(),
        };
        let table = table(&books, BooksGrouping::Mysis, BooksColumn::Cost);
        assert_eq!(listed(&table), [("alpha", None, Some(5), None)]);
        assert!(table.lines[0].figures.cost.is_empty());
    }
}
