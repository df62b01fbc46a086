//! The columns of the books: which of them fit, and how figures are written in them.

use ratatui::layout::{Alignment, Constraint};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Row};
use strum::VariantArray;
use zoea_text::figures::group_digits;

use super::BooksView;
use super::lines::{BooksColumn, BooksGrouping, CostSum, LineFigures};
use crate::dashboard::money;
use crate::dashboard::table::cells::tone_of_gain;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::theme::Paint;

/// The most columns of a name, and those of one that makes room for figures.
const MAX_NAME_COLUMNS: usize = 28;
const SHORT_NAME_COLUMNS: usize = 16;
/// The columns between two others.
pub(super) const GAP_COLUMNS: u16 = 2;
/// The columns of the mark before a line, and of the scrollbar.
const EDGE_COLUMNS: u16 = 1;
pub(super) const TOTAL_NAME: &str = "the swarm";
/// The columns that give way in a narrow terminal, the first one first.
const GIVES_WAY: [BooksColumn; 7] = [
    BooksColumn::TokensCached,
    BooksColumn::Saved,
    BooksColumn::Calls,
    BooksColumn::TokensOut,
    BooksColumn::TokensIn,
    BooksColumn::CreditsPerDollar,
    BooksColumn::Earned,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FigureForm {
    /// With commas between thousands.
    Whole,
    /// As `12.4k`.
    Short,
}

impl FigureForm {
    fn name_columns(self) -> usize {
        match self {
            FigureForm::Whole => MAX_NAME_COLUMNS,
            FigureForm::Short => SHORT_NAME_COLUMNS,
        }
    }
}

/// The columns that fit, and how they are written.
#[derive(Clone, Debug)]
pub(super) struct ColumnPlan {
    form: FigureForm,
    columns: Vec<(BooksColumn, u16)>,
}

impl ColumnPlan {
    /// As many columns as fit, the whole figures if they do. The column that sorts stays.
    pub(super) fn new(view: &BooksView, room: u16) -> ColumnPlan {
        let mut columns = BooksColumn::VARIANTS.to_vec();
        let table = &view.table;
        if table.total.saved.is_none() {
            columns.retain(|column| *column != BooksColumn::Saved);
        }
        // Nothing told of credits.
        if table.total.earned.is_none() {
            let of_credits = [BooksColumn::Earned, BooksColumn::CreditsPerDollar];
            let is_sorted = |column: &BooksColumn| *column == view.sorting.by;
            columns.retain(|column| !of_credits.contains(column) || is_sorted(column));
        }
        let whole = ColumnPlan::with(view, &columns, FigureForm::Whole);
        if whole.columns_taken() <= room {
            return whole;
        }
        let gives_way = GIVES_WAY.into_iter();
        let mut gives_way = gives_way.filter(|column| *column != view.sorting.by);
        loop {
            let mut plan = ColumnPlan::with(view, &columns, FigureForm::Short);
            if plan.columns_taken() <= room {
                return plan;
            }
            let Some(next) = gives_way.next() else {
                plan.shorten_names(room);
                return plan;
            };
            columns.retain(|column| *column != next);
        }
    }

    fn with(view: &BooksView, columns: &[BooksColumn], form: FigureForm) -> ColumnPlan {
        let (_, visible) = view.visible_lines();
        let columns = columns.iter().map(|column| {
            let wide = |name: &str, figures: &LineFigures| match *column == BooksColumn::Name {
                true => width::of(name).min(form.name_columns()),
                false => width::of(&figure(*column, figures, form)),
            };
            let lines = visible.iter().map(|line| wide(&line.name, &line.figures));
            let title = width::of(&heading_text(view, *column, form));
            let total = wide(TOTAL_NAME, &view.table.total);
            let widest = lines.chain([title, total]).max().unwrap_or(0);
            (*column, u16::try_from(widest).unwrap_or(u16::MAX))
        });
        ColumnPlan {
            form,
            columns: columns.collect(),
        }
    }

    fn columns_taken(&self) -> u16 {
        let widths = self.columns.iter().map(|(_, wide)| wide + GAP_COLUMNS);
        widths.sum::<u16>() + 2 * EDGE_COLUMNS
    }

    /// Takes from the names what is missing, so that the figures are there as a whole.
    fn shorten_names(&mut self, room: u16) {
        let missing = self.columns_taken().saturating_sub(room);
        if let Some((_, wide)) = self.columns.first_mut() {
            *wide = wide.saturating_sub(missing).max(4);
        }
    }

    pub(super) fn name_columns(&self) -> u16 {
        self.columns.first().map_or(0, |(_, wide)| *wide)
    }

    pub(super) fn widths(&self) -> Vec<Constraint> {
        // The mark and the name have no gap between them.
        let columns = self.columns.iter().map(|(column, wide)| {
            let mark = u16::from(*column == BooksColumn::Name) * EDGE_COLUMNS;
            Constraint::Length(wide + mark)
        });
        columns.collect()
    }

    pub(super) fn heading(&self, view: &BooksView, paint: Paint) -> Row<'static> {
        let cells = self.columns.iter().map(|(column, _)| {
            let is_sorted = view.sorting.by == *column;
            let tone = if is_sorted { Tone::Accent } else { Tone::Dim };
            let text = heading_text(view, *column, self.form);
            let line = match *column == BooksColumn::Name {
                true => Line::from(format!(" {text}")),
                false => Line::from(text).alignment(Alignment::Right),
            };
            Cell::from(Text::from(line)).style(paint.text(tone))
        });
        Row::new(cells.collect::<Vec<_>>())
    }

    pub(super) fn row(
        &self,
        mark: &str,
        name: &str,
        figures: &LineFigures,
        paint: Paint,
    ) -> Row<'static> {
        let cells = self.columns.iter().map(|(column, _)| {
            if *column == BooksColumn::Name {
                let mark = format!("{mark:<1}");
                let spans = StyledLine::of(mark, Tone::Accent).with(name, Tone::Strong);
                return Cell::from(Text::from(paint.line(&spans)));
            }
            let text = figure(*column, figures, self.form);
            let tone = tone_of(*column, figures);
            let line = Line::from(text).alignment(Alignment::Right);
            Cell::from(Text::from(line)).style(paint.text(tone))
        });
        Row::new(cells.collect::<Vec<_>>())
    }
}

fn heading_text(view: &BooksView, column: BooksColumn, form: FigureForm) -> String {
    let title = match column {
        BooksColumn::Name => match view.grouping {
            BooksGrouping::Mysis => "MYSIS",
            BooksGrouping::Provider => "PROVIDER",
            BooksGrouping::Day => "DAY (UTC)",
        },
        BooksColumn::Calls => "CALLS",
        BooksColumn::Saved => "CALLS SAVED",
        BooksColumn::TokensIn if form == FigureForm::Whole => "TOKENS IN",
        BooksColumn::TokensIn => "IN",
        BooksColumn::TokensCached => "CACHED",
        BooksColumn::TokensOut => "OUT",
        BooksColumn::Cost => "COST",
        BooksColumn::Earned => "EARNED",
        BooksColumn::CreditsPerDollar => "CREDITS/$",
    };
    let sign = match (view.sorting.by == column, view.sorting.is_reversed) {
        (true, false) => "▾",
        (true, true) => "▴",
        (false, _) => "",
    };
    format!("{title}{sign}")
}

fn figure(column: BooksColumn, figures: &LineFigures, form: FigureForm) -> String {
    let count = |count: u64| match form {
        FigureForm::Whole => group_digits(count),
        FigureForm::Short => figures::amount(count),
    };
    let credits = |credits: Option<i64>| match (credits, form) {
        (None, _) => "–".to_string(),
        (Some(credits), FigureForm::Whole) => money::credits(credits, usize::MAX),
        (Some(credits), FigureForm::Short) => money::credits(credits, 7),
    };
    match column {
        BooksColumn::Name => String::new(),
        BooksColumn::Calls => count(figures.spent.calls),
        BooksColumn::Saved => figures.saved.map_or_else(|| "–".to_string(), count),
        BooksColumn::TokensIn => count(figures.spent.input),
        BooksColumn::TokensCached => count(figures.spent.cached),
        BooksColumn::TokensOut => count(figures.spent.output),
        BooksColumn::Cost => cost_text(&figures.cost),
        BooksColumn::Earned => credits(figures.earned),
        BooksColumn::CreditsPerDollar => credits(figures.credits_per_dollar()),
    }
}

fn cost_text(cost: &CostSum) -> String {
    match (cost.whole(), cost.known_part()) {
        (Some(whole), _) => figures::dollars(whole),
        (None, Some(part)) => format!("{}+?", figures::dollars(part)),
        (None, None) if cost.is_empty() => "–".to_string(),
        (None, None) => "unknown".to_string(),
    }
}

fn tone_of(column: BooksColumn, figures: &LineFigures) -> Tone {
    let gain = |credits: Option<i64>| credits.map_or(Tone::Dim, tone_of_gain);
    match column {
        BooksColumn::Cost if figures.cost.whole().is_some() => Tone::Text,
        BooksColumn::Cost if figures.cost.is_empty() => Tone::Dim,
        BooksColumn::Cost => Tone::Warning,
        BooksColumn::Earned => gain(figures.earned),
        BooksColumn::CreditsPerDollar => gain(figures.credits_per_dollar()),
        BooksColumn::Saved if figures.saved.is_none() => Tone::Dim,
        BooksColumn::Name
        | BooksColumn::Calls
        | BooksColumn::Saved
        | BooksColumn::TokensIn
        | BooksColumn::TokensCached
        | BooksColumn::TokensOut => Tone::Text,
    }
}
