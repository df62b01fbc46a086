//! Draws the books.

use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table};
use zoea_spacemolt::figures::group_digits;

use actors::domain::books::Day;

use super::budgets::budget_texts;
use super::lines::{BooksColumn, BooksGrouping, CostSum, LineFigures};
use super::{BooksSpan, BooksView};
use crate::dashboard::Dashboard;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::money;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::painter::{Painter, centre_area};
use crate::theme::{Ground, Paint};

/// The most lines for budgets.
const MAX_BUDGET_ROWS: usize = 4;
/// The rows that the lines, their heading and the totals have before budgets are told.
const ROWS_BEFORE_BUDGETS: u16 = 6;
/// The most columns of a name, and those of one that makes room for figures.
const MAX_NAME_COLUMNS: usize = 28;
const SHORT_NAME_COLUMNS: usize = 16;
/// The columns between two others.
const GAP_COLUMNS: u16 = 2;
/// The columns of the mark before a line, and of the scrollbar.
const EDGE_COLUMNS: u16 = 1;
/// What the totals are called.
const TOTAL_NAME: &str = "the swarm";
/// The columns that give way in a narrow terminal, the first one first.
const GIVES_WAY: [BooksColumn; 6] = [
    BooksColumn::TokensCached,
    BooksColumn::Calls,
    BooksColumn::TokensOut,
    BooksColumn::TokensIn,
    BooksColumn::CreditsPerDollar,
    BooksColumn::Earned,
];

/// The areas of the books.
#[derive(Clone, Copy, Debug)]
pub(super) struct BooksAreas {
    budgets: Rect,
    heading: Rect,
    /// The lines.
    pub(super) lines: Rect,
    rule: Rect,
    total: Rect,
}

/// Divides the page. In a low terminal budgets give way first, then the totals and the headings: a line is there always.
pub(super) fn areas(dashboard: &Dashboard, view: &BooksView, page: Rect) -> BooksAreas {
    let wanted = budget_rows(dashboard, view, page.width).len();
    let wanted = u16::try_from(wanted).unwrap_or(0);
    let budgets = wanted.min(page.height.saturating_sub(ROWS_BEFORE_BUDGETS));
    let has = |rows: u16| Constraint::Length(u16::from(page.height >= rows));
    let [budgets, heading, lines, rule, total] = Layout::vertical([
        Constraint::Length(budgets),
        has(2),
        Constraint::Min(0),
        has(5),
        has(3),
    ])
    .areas(page);
    BooksAreas {
        budgets,
        heading,
        lines,
        rule,
        total,
    }
}

pub(crate) fn paint(
    dashboard: &Dashboard,
    view: &BooksView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let page = layout.page();
    painter.fill(page, Ground::Base);
    painter.fill(layout.title, Ground::Panel);
    painter.line(layout.title, 0, &title(dashboard, view));
    let areas = areas(dashboard, view, page);
    let budgets = budget_rows(dashboard, view, page.width);
    let budgets: Vec<Line<'_>> = budgets
        .iter()
        .map(|line| painter.paint().line(line))
        .collect();
    painter.render(Paragraph::new(budgets), areas.budgets);
    if view.table().lines.is_empty() {
        let (words, tone) = match (view.complaint(), view.is_loading()) {
            (Some(why), _) => (format!("the books cannot be read: {why}"), Tone::Fault),
            (None, true) => ("reading the books …".to_string(), Tone::Dim),
            (None, false) => (
                "nothing was spent or earned in this time".to_string(),
                Tone::Dim,
            ),
        };
        let middle = centre_area(areas.lines, areas.lines.width, 1);
        return painter.text_at(middle, 0, Alignment::Center, &words, tone);
    }
    let plan = ColumnPlan::new(view, areas.lines.width);
    paint_lines(view, &plan, &areas, painter);
    paint_totals(view, &plan, &areas, painter);
}

fn title(dashboard: &Dashboard, view: &BooksView) -> StyledLine {
    let today = Day::of(dashboard.now());
    let days = match view.span {
        BooksSpan::Today => format!("today, {today} UTC"),
        BooksSpan::TwoDays
        | BooksSpan::ThreeDays
        | BooksSpan::Week
        | BooksSpan::TwoWeeks
        | BooksSpan::Month => {
            let first = view.span.first_day(today);
            format!("{} days since {first} UTC", view.span.days())
        }
    };
    StyledLine::of(" BOOKS  ", Tone::Brand)
        .with(view.grouping.as_str(), Tone::Strong)
        .with(format!("  {days}"), Tone::Accent)
}

/// The budgets, wrapped into so many columns.
fn budget_rows(dashboard: &Dashboard, view: &BooksView, columns: u16) -> Vec<StyledLine> {
    let columns = usize::from(columns).saturating_sub(2);
    let mut rows: Vec<StyledLine> = Vec::new();
    for part in budget_texts(dashboard, view) {
        for piece in width::wrap(&part.text, columns) {
            // What follows stands in the same row if there is room.
            if let Some(row) = rows.last_mut()
                && width::of(&row.text()) + width::of(piece) + 2 <= columns
            {
                row.push(format!("  {piece}"), part.tone);
                continue;
            }
            rows.push(StyledLine::of(format!(" {piece}"), part.tone));
        }
    }
    rows.truncate(MAX_BUDGET_ROWS);
    rows
}

fn paint_lines(view: &BooksView, plan: &ColumnPlan, areas: &BooksAreas, painter: &mut Painter<'_>) {
    let paint = painter.paint();
    let (above, in_sight) = view.visible_lines();
    let selected = view.selected().map(|line| &line.key);
    let rows = in_sight.iter().map(|line| {
        let is_selected = selected == Some(&line.key);
        let ground = if is_selected {
            Ground::Selected
        } else {
            Ground::Base
        };
        let mark = if is_selected { "▌" } else { "" };
        let name = width::clip(&line.name, usize::from(plan.name_columns()));
        let row = plan.row(mark, &name, &line.figures, paint);
        row.style(paint.ground(ground))
    });
    let table = Table::new(rows, plan.widths()).column_spacing(GAP_COLUMNS);
    painter.render(table, areas.lines);
    let heading = Table::new([plan.heading(view, paint)], plan.widths());
    painter.render(heading.column_spacing(GAP_COLUMNS), areas.heading);
    let all = view.table().lines.len();
    painter.scrollbar(areas.lines, above, in_sight.len(), all);
}

fn paint_totals(
    view: &BooksView,
    plan: &ColumnPlan,
    areas: &BooksAreas,
    painter: &mut Painter<'_>,
) {
    let paint = painter.paint();
    let total = view.table().total;
    let (words, tone) = match view.complaint() {
        Some(why) => (format!(" not up to date: {why} "), Tone::Fault),
        None if total.cost.known_part().is_some() => {
            (" +?: a part has no known price ".to_string(), Tone::Dim)
        }
        None => (String::new(), Tone::Dim),
    };
    let words = Line::styled(words, paint.text(tone)).alignment(Alignment::Right);
    let rule = Block::new()
        .borders(Borders::TOP)
        .border_style(paint.text(Tone::Faint))
        .title(words);
    painter.render(rule, areas.rule);
    let row = plan.row("", TOTAL_NAME, &total, paint);
    let table = Table::new([row], plan.widths())
        .column_spacing(GAP_COLUMNS)
        .style(Style::new().patch(paint.text(Tone::Strong)));
    painter.render(table, areas.total);
}

/// How figures are written.
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
struct ColumnPlan {
    form: FigureForm,
    columns: Vec<(BooksColumn, u16)>,
}

impl ColumnPlan {
    /// As many columns as fit, the whole figures if they do. The column that sorts stays.
    fn new(view: &BooksView, room: u16) -> ColumnPlan {
        let whole = ColumnPlan::with(view, &BooksColumn::ALL, FigureForm::Whole);
        if whole.columns_taken() <= room {
            return whole;
        }
        let mut columns = BooksColumn::ALL.to_vec();
        let gives_way = GIVES_WAY
            .into_iter()
            .filter(|column| *column != view.sorting.by);
        let mut gives_way = gives_way;
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
        let (_, in_sight) = view.visible_lines();
        let columns = columns.iter().map(|column| {
            let figures = in_sight.iter().map(|line| {
                let is_name = *column == BooksColumn::Name;
                let (name, figures) = (&line.name, &line.figures);
                match is_name {
                    true => width::of(name).min(form.name_columns()),
                    false => width::of(&figure(*column, figures, form)),
                }
            });
            let title = width::of(heading_text(view, *column, form).as_str());
            let total = match column {
                BooksColumn::Name => TOTAL_NAME.len(),
                BooksColumn::Calls
                | BooksColumn::TokensIn
                | BooksColumn::TokensCached
                | BooksColumn::TokensOut
                | BooksColumn::Cost
                | BooksColumn::Earned
                | BooksColumn::CreditsPerDollar => {
                    width::of(&figure(*column, &view.table().total, form))
                }
            };
            let wide = figures.max().unwrap_or(0).max(title).max(total);
            (*column, u16::try_from(wide).unwrap_or(u16::MAX))
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

    fn name_columns(&self) -> u16 {
        self.columns.first().map_or(0, |(_, wide)| *wide)
    }

    fn widths(&self) -> Vec<Constraint> {
        // The mark and the name have no gap between them.
        let columns = self.columns.iter().map(|(column, wide)| match column {
            BooksColumn::Name => Constraint::Length(wide + EDGE_COLUMNS),
            BooksColumn::Calls
            | BooksColumn::TokensIn
            | BooksColumn::TokensCached
            | BooksColumn::TokensOut
            | BooksColumn::Cost
            | BooksColumn::Earned
            | BooksColumn::CreditsPerDollar => Constraint::Length(*wide),
        });
        columns.collect()
    }

    fn heading(&self, view: &BooksView, paint: Paint) -> Row<'static> {
        let cells = self.columns.iter().map(|(column, _)| {
            let is_sorted = view.sorting.by == *column;
            let tone = if is_sorted { Tone::Accent } else { Tone::Dim };
            let text = heading_text(view, *column, self.form);
            let line = match column {
                BooksColumn::Name => Line::from(format!(" {text}")),
                BooksColumn::Calls
                | BooksColumn::TokensIn
                | BooksColumn::TokensCached
                | BooksColumn::TokensOut
                | BooksColumn::Cost
                | BooksColumn::Earned
                | BooksColumn::CreditsPerDollar => Line::from(text).alignment(Alignment::Right),
            };
            Cell::from(Text::from(line)).style(paint.text(tone))
        });
        Row::new(cells.collect::<Vec<_>>())
    }

    fn row(&self, mark: &str, name: &str, figures: &LineFigures, paint: Paint) -> Row<'static> {
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
    let gain = |credits: Option<i64>| match credits {
        Some(1..) => Tone::Success,
        Some(..0) => Tone::Fault,
        Some(0) | None => Tone::Dim,
    };
    match column {
        BooksColumn::Cost if figures.cost.whole().is_some() => Tone::Text,
        BooksColumn::Cost if figures.cost.is_empty() => Tone::Dim,
        BooksColumn::Cost => Tone::Warning,
        BooksColumn::Earned => gain(figures.earned),
        BooksColumn::CreditsPerDollar => gain(figures.credits_per_dollar()),
        BooksColumn::Name
        | BooksColumn::Calls
        | BooksColumn::TokensIn
        | BooksColumn::TokensCached
        | BooksColumn::TokensOut => Tone::Text,
    }
}
