//! Commands of the palette for what the screen shows, and for files.

use std::sync::Arc;

use actors::domain::order::Order;
use actors::domain::screen::{ExportFormat, FileOrder, UiEffect};

use super::Run::{Line, Look, Myses, Once};
use super::naming::{CommandArgs, Complaint};
use super::{AUTOMATIC, PaletteCommand, command};
use crate::dashboard::Dashboard;
use crate::dashboard::appearance::{Appearance, Letters, Motion, MouseUse, Notify, Theme};
use crate::dashboard::help::HelpView;
use crate::dashboard::overlay::palette::takes::{ALL_STATES, Takes};
use crate::dashboard::search::search_swarm;
use crate::dashboard::table::columns::{Column, distinct};
use crate::dashboard::table::filter::FILTER_COMMAND_HELP;
use crate::dashboard::table::groups::Grouping;
use crate::dashboard::table::seen_state::SeenState;

#[rustfmt::skip]
pub(super) const SCREEN: &[PaletteCommand] = &[
    command("open", &[Takes::Mysis], Line(open), "open a conversation"),
    command("filter", &[Takes::Text], Line(filter), FILTER_COMMAND_HELP),
    command("state", &[Takes::State], Line(filter_state), "show only one state"),
    command("sort", &[Takes::Column], Line(sort), "sort the table; again reverses it"),
    command("group", &[GROUPINGS], Line(group), "group the table, with sums"),
    command("columns", &[Takes::Columns], Line(choose_columns), "show these columns, in this order; `auto`: those that fit"),
    command("mark", &[Takes::Myses], Myses(|board, ids| board.table.mark_only(ids)), "mark for an order to several"),
    command("unmark", &[], Once(|board| board.table.mark_only([])), "mark none"),
    command("find", &[Takes::Text], Line(find), "search the conversation"),
    command("export", &[FORMATS], Line(export), "write the conversation to a file"),
    command("report", &[Takes::Text], Line(report), "write a report: of today, or since 10h, 22:00, looked"),
    command("backup", &[], Once(|board| board.effects.push(UiEffect::Write(FileOrder::Backup))), "write a copy of the database"),
    command("undo", &[], Once(Dashboard::undo_last), "undo the last order"),
    command("search", &[Takes::Text], Line(search_all), "search everything"),
    command("help", &[], Once(|board| board.open_view(|_| HelpView::default())), "show the keys"),
    command("theme", &[Takes::Word(&["dark", "light", "contrast", "terminal", "none"])], Look(|look, word| put(&mut look.theme, Theme::parse(word))), "other colours"),
    command("letters", &[Takes::Word(&["unicode", "ascii"])], Look(set_letters), "ASCII letters or Unicode"),
    command("motion", &[Takes::Word(&["full", "reduced"])], Look(set_motion), "animation on or reduced"),
    command("mouse", &[Takes::Word(&["on", "off"])], Look(set_mouse), "off: the terminal selects text"),
    command("notify", &[Takes::Word(&["off", "bell", "message"])], Look(set_notify), "how to notify you when a Mysis needs you"),
    command("dump", &[], Once(Dashboard::dump), "write the screen to files, as text and as a picture"),
    command("dismiss", &[], Once(|board| Arc::make_mut(&mut board.log).dismiss_all()), "dismiss all errors"),
    command("redraw", &[], Once(Dashboard::redraw), "redraw the screen"),
    command("suspend", &[], Once(Dashboard::suspend), "suspend to the shell"),
    command("reload", &[], Once(|board| { board.order_once("reload", "the configuration", Order::Reload); }), "read the configuration again"),
    command("quit", &[], Once(Dashboard::quit), "close the program"),
];

const GROUPINGS: Takes = Takes::Word(&["place", "role", "model", "state", "off"]);
const FORMATS: Takes = Takes::Word(&["md", "jsonl"]);

type Done = Result<(), Complaint>;

fn open(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    if let Some(id) = words.myses(board)?.first() {
        board.open(*id);
    }
    Ok(())
}

fn filter(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    board.filter_by(words.rest());
    Ok(())
}

fn filter_state(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let word = words.next()?;
    let state = match SeenState::parse(word) {
        None if word != ALL_STATES => return Err(Takes::State.refuse(word)),
        state => state,
    };
    board.table.change_filter(|filter| filter.state = state);
    Ok(())
}

fn parse_column(word: &str) -> Result<Column, Complaint> {
    Column::parse(word).ok_or_else(|| Takes::Column.refuse(word))
}

fn sort(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let column = parse_column(words.next()?)?;
    board.table.sort(board.table.sorting().with_column(column));
    Ok(())
}

fn group(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let word = words.next()?;
    let grouping = match Grouping::parse(word) {
        None if word != "off" => return Err(GROUPINGS.refuse(word)),
        grouping => grouping,
    };
    board.table.group_by(grouping);
    Ok(())
}

fn choose_columns(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    let is_between = |letter: char| letter == ',' || letter.is_whitespace();
    let named = words.rest().split(is_between);
    let named = named.filter(|word| !word.is_empty());
    if named.clone().eq([AUTOMATIC]) {
        board.table.choose_columns(None);
        return Ok(());
    }
    let chosen: Result<Vec<Column>, Complaint> = named.map(parse_column).collect();
    let chosen = distinct(chosen?.into_iter());
    if chosen.is_empty() {
        let takes = Takes::Columns.placeholder();
        return Err(format!("columns what? {takes}"));
    }
    board.table.choose_columns(Some(chosen.clone()));
    let placed: Vec<Column> = board.table_columns().iter().map(|it| it.column).collect();
    let missing: Vec<&str> = chosen
        .iter()
        .filter(|column| !placed.contains(column))
        .map(|column| column.word())
        .collect();
    if !missing.is_empty() {
        board.show_notice(&format!("too narrow for {}", missing.join(", ")));
    }
    Ok(())
}

fn find(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    board.find_text(words.rest_of_line()?);
    Ok(())
}

fn search_all(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    search_swarm(board, words.rest_of_line()?);
    Ok(())
}

fn export(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let format = match words.optional().unwrap_or("md") {
        "md" => ExportFormat::Markdown,
        "jsonl" => ExportFormat::JsonLines,
        other => return Err(FORMATS.refuse(other)),
    };
    let status = board.target().ok_or("no Mysis is selected")?;
    let (mysis, name) = (status.id, status.name.clone());
    board.effects.push(UiEffect::Write(FileOrder::Conversation {
        mysis,
        name,
        format,
    }));
    Ok(())
}

/// Writes a report of today, or since a time.
fn report(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    let since = match words.rest().trim() {
        "" => None,
        "looked" => {
            let left = board.looked.rule();
            let left = left.ok_or("you have not been away since you looked at the log")?;
            Some(left.to_string().into())
        }
        since => Some(since.into()),
    };
    board
        .effects
        .push(UiEffect::Write(FileOrder::Report(since)));
    Ok(())
}

fn set_letters(look: &mut Appearance, word: &str) -> bool {
    put(
        &mut look.letters,
        choose(
            word,
            [("unicode", Letters::Unicode), ("ascii", Letters::Ascii)],
        ),
    )
}

fn set_motion(look: &mut Appearance, word: &str) -> bool {
    put(
        &mut look.motion,
        choose(word, [("full", Motion::Full), ("reduced", Motion::Reduced)]),
    )
}

fn set_mouse(look: &mut Appearance, word: &str) -> bool {
    put(
        &mut look.mouse,
        choose(word, [("on", MouseUse::Ours), ("off", MouseUse::Terminals)]),
    )
}

fn set_notify(look: &mut Appearance, word: &str) -> bool {
    put(
        &mut look.notify,
        choose(
            word,
            [
                ("off", Notify::Off),
                ("bell", Notify::Bell),
                ("message", Notify::Message),
            ],
        ),
    )
}

fn choose<T: Copy, const N: usize>(word: &str, values: [(&str, T); N]) -> Option<T> {
    let mut values = values.into_iter();
    values.find_map(|(name, value)| (name == word).then_some(value))
}

fn put<T>(place: &mut T, value: Option<T>) -> bool {
    value.map(|value| *place = value).is_some()
}
