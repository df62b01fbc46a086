//! Tables for people: aligned columns, figures to the right, a heading, and totals below a line.

use std::io;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;
use zoea_text::clean;

use super::ignore_broken_pipe;

/// What stands between two columns.
const GAP: &str = "  ";

#[derive(Clone, Copy, Debug)]
pub struct Column {
    title: &'static str,
    kind: ColumnKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnKind {
    Text,
    Figure,
    State,
}

impl Column {
    /// A column of texts, aligned to the left.
    pub const fn text(title: &'static str) -> Column {
        let kind = ColumnKind::Text;
        Column { title, kind }
    }

    /// A column of figures, aligned to the right.
    pub const fn figure(title: &'static str) -> Column {
        let kind = ColumnKind::Figure;
        Column { title, kind }
    }

    /// A column of states of Myses, in their colours on a terminal.
    pub const fn state(title: &'static str) -> Column {
        let kind = ColumnKind::State;
        Column { title, kind }
    }
}

/// A table. Rows have a cell for each column.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    totals: Option<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[Column]) -> Table {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
            totals: None,
        }
    }

    pub fn add(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Sets the row below the line.
    pub fn set_totals(&mut self, cells: Vec<String>) {
        self.totals = Some(cells);
    }

    /// Writes the table to stdout, with colours where it is a terminal that wants them (`NO_COLOR`).
    ///
    /// # Errors
    /// Stdout cannot be written; a reader that went away is no failure.
    pub fn print(&self) -> io::Result<()> {
        use std::io::Write as _;

        let text = self.render();
        // It takes the colours out where they are not wanted.
        let mut stdout = anstream::stdout().lock();
        let written = stdout.write_all(text.as_bytes());
        ignore_broken_pipe(written.and_then(|()| stdout.flush()))
    }

    fn render(&self) -> String {
        // Cleaning changes widths, so it comes before the alignment.
        let clean_row = |row: &Vec<String>| row.iter().map(|cell| clean::one_line(cell)).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(clean_row).collect();
        let totals: Option<Vec<String>> = self.totals.as_ref().map(clean_row);
        let heading: Vec<String> = self.columns.iter().map(|of| of.title.to_string()).collect();
        let all = || rows.iter().chain([&heading]).chain(&totals);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let cells = all().filter_map(|row| row.get(column));
                cells.map(|cell| cell.width()).max().unwrap_or(0)
            })
            .collect();
        let bold = Style::new().bold();
        let mut text = self.line(&heading, &widths, Some(bold));
        for row in &rows {
            text += &self.line(row, &widths, None);
        }
        if let Some(totals) = &totals {
            let gaps = widths.len().saturating_sub(1) * GAP.len();
            text += &"─".repeat(widths.iter().sum::<usize>() + gaps);
            text.push('\n');
            text += &self.line(totals, &widths, Some(bold));
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize], style: Option<Style>) -> String {
        let mut line = String::new();
        let columns = self.columns.iter().zip(widths).zip(cells);
        for (place, ((column, widest), cell)) in columns.enumerate() {
            if place > 0 {
                line.push_str(GAP);
            }
            let blanks = " ".repeat(widest.saturating_sub(cell.width()));
            let style = style.or_else(|| match column.kind {
                ColumnKind::State => style_of_state(cell),
                ColumnKind::Text | ColumnKind::Figure => None,
            });
            // An empty cell stays without commands, so that blanks at the end can be cut.
            let style = style.filter(|_| !cell.is_empty()).unwrap_or_default();
            let cell = format!("{style}{cell}{style:#}");
            line += &match column.kind {
                ColumnKind::Figure => format!("{blanks}{cell}"),
                ColumnKind::Text | ColumnKind::State => format!("{cell}{blanks}"),
            };
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

fn style_of_state(state: &str) -> Option<Style> {
    let colour = match state {
        "running" => AnsiColor::Green,
        "errored" => AnsiColor::Red,
        "stopped" => AnsiColor::Yellow,
        _ => return None,
    };
    Some(colour.on_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table) -> Vec<String> {
        let text = table.render();
        let text = anstream::adapter::strip_str(&text).to_string();
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn figures_stand_to_the_right_and_totals_below_a_line() {
        let mut table = Table::new(&[
            Column::text("NAME"),
            Column::figure("CALLS"),
            Column::state("STATE"),
        ]);
        table.add(vec!["世".into(), "1,204".into(), "running".into()]);
        table.add(vec!["b\u{1b}[2J".into(), "7".into(), "idle".into()]);
        table.set_totals(vec!["all".into(), "1,211".into(), String::new()]);
        assert_eq!(
            plain(&table),
            [
                "NAME  CALLS  STATE",
                "世    1,204  running",
                "b         7  idle",
                "────────────────────",
                "all   1,211",
            ]
        );
    }

    #[test]
    fn states_have_colours_and_nothing_else_is_a_command_to_the_terminal() {
        let mut table = Table::new(&[Column::text("NAME"), Column::state("STATE")]);
        table.add(vec!["\u{1b}[31mx".into(), "errored".into()]);
        let text = table.render();
        assert!(text.contains("\u{1b}[31merrored\u{1b}[0m"), "{text:?}");
        assert!(!text.contains("\u{1b}[31mx"), "{text:?}");
    }
}
