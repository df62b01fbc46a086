//! Commands of the palette for what the screen shows, and for files.

use std::str::FromStr;

use actors::domain::order::Order;
use actors::domain::screen::{ExportFormat, FileOrder, UiEffect};

use super::Run::{Line, Look, Myses, Once, Order as Give};
use super::naming::{CommandArgs, Complaint, Done};
use super::{AUTOMATIC, CommandContext, PaletteCommand, command};
use crate::dashboard::action::TerminalAction;
use crate::dashboard::orders::ordering;
use crate::dashboard::outbox::Request;
use crate::dashboard::overlay::palette::takes::{ALL_STATES, NO_GROUPING, Takes};
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
    command("group", &[Takes::Grouping], Line(group), "group the table, with sums"),
    command("columns", &[Takes::Columns], Line(choose_columns), "show these columns, in this order; `auto`: those that fit"),
    command("mark", &[Takes::Myses], Myses(|it, ids| it.table.mark_only(ids)), "mark for an order to several"),
    command("unmark", &[], Once(|it| it.table.mark_only([])), "mark none"),
    command("find", &[Takes::Text], Line(find), "search the conversation"),
    command("export", &[FORMATS], Line(export), "write the conversation to a file"),
    command("report", &[Takes::Text], Line(report), "write a report: of today, or since 10h, 22:00, looked"),
    command("backup", &[], Once(|it| it.outbox.effects.push(UiEffect::Write(FileOrder::Backup))), "write a copy of the database"),
    command("undo", &[], Once(|it| it.outbox.request(Request::Undo)), "undo the last order"),
    command("search", &[Takes::Text], Line(search_all), "search everything"),
    command("help", &[], Once(|it| it.outbox.request(Request::ShowHelp)), "show the keys"),
    command("theme", &[Takes::Word(&["dark", "light", "contrast", "terminal", "none"])], Look(|look, word| put(&mut look.theme, word)), "other colours"),
    command("letters", &[Takes::Word(&["unicode", "ascii"])], Look(|look, word| put(&mut look.letters, word)), "ASCII letters or Unicode"),
    command("motion", &[Takes::Word(&["full", "reduced"])], Look(|look, word| put(&mut look.motion, word)), "animation on or reduced"),
    command("mouse", &[Takes::Word(&["on", "off"])], Look(|look, word| put(&mut look.mouse, word)), "off: the terminal selects text"),
    command("notify", &[Takes::Word(&["off", "bell", "message"])], Look(|look, word| put(&mut look.notify, word)), "how to notify you when a Mysis needs you"),
    command("dump", &[], Once(|it| it.outbox.actions.push(TerminalAction::Dump)), "write the screen to files, as text and as a picture"),
    command("dismiss", &[], Once(|it| it.outbox.request(Request::DismissErrors)), "dismiss all errors"),
    command("redraw", &[], Once(|it| it.outbox.actions.push(TerminalAction::Redraw)), "redraw the screen"),
    command("suspend", &[], Once(|it| ordering::suspend(it.facts, it.outbox)), "suspend to the shell"),
    command("reload", &[], Give("reload", &Order::Reload), "read the configuration again"),
    command("quit", &[], Once(|it| ordering::quit(it.facts, it.outbox)), "close the program"),
];

const FORMATS: Takes = Takes::Word(&["md", "jsonl"]);

fn open(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(context)?;
    words.end()?;
    if let Some(id) = ids.first() {
        context.outbox.request(Request::Open(*id, None));
    }
    Ok(())
}

fn filter(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let text = words.rest();
    context.table.change_filter(|filter| filter.set_text(text));
    Ok(())
}

fn filter_state(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let word = words.last()?;
    let state = match SeenState::parse(word) {
        None if word != ALL_STATES => return Err(refuse(context, Takes::State, word)),
        state => state,
    };
    context.table.change_filter(|filter| filter.state = state);
    Ok(())
}

fn refuse(context: &CommandContext<'_>, takes: Takes, word: &str) -> Complaint {
    takes.refuse(word, context.facts.roster.may_tell_facts())
}

fn parse_column(context: &CommandContext<'_>, word: &str) -> Result<Column, Complaint> {
    Column::parse(word).ok_or_else(|| refuse(context, Takes::Column, word))
}

fn sort(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let column = parse_column(context, words.last()?)?;
    context
        .table
        .sort(context.table.sorting().with_column(column));
    Ok(())
}

fn group(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let word = words.last()?;
    let grouping = match Grouping::parse(word) {
        None if word != NO_GROUPING => return Err(refuse(context, Takes::Grouping, word)),
        grouping => grouping,
    };
    context.table.group_by(grouping);
    Ok(())
}

fn choose_columns(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let is_between = |letter: char| letter == ',' || letter.is_whitespace();
    let named = words.rest().split(is_between);
    let named = named.filter(|word| !word.is_empty());
    if named.clone().eq([AUTOMATIC]) {
        context.table.choose_columns(None);
        return Ok(());
    }
    let chosen: Result<Vec<Column>, Complaint> =
        named.map(|word| parse_column(context, word)).collect();
    let chosen = distinct(chosen?.into_iter());
    if chosen.is_empty() {
        let takes = Takes::Columns.placeholder(context.facts.roster.may_tell_facts());
        return Err(format!("columns what? {takes}"));
    }
    context.table.choose_columns(Some(chosen.clone()));
    let placed: Vec<Column> = context.table.columns().iter().map(|it| it.column).collect();
    let missing: Vec<&str> = chosen
        .iter()
        .filter(|column| !placed.contains(column))
        .map(|column| column.word())
        .collect();
    if !missing.is_empty() {
        context
            .outbox
            .say(&format!("too narrow for {}", missing.join(", ")));
    }
    Ok(())
}

fn find(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let text = words.rest_of_line()?.to_string();
    context.outbox.request(Request::Find(text));
    Ok(())
}

fn search_all(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let text = words.rest_of_line()?.to_string();
    context.outbox.request(Request::SearchSwarm(text));
    Ok(())
}

fn export(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let format = match words.optional().unwrap_or("md") {
        "md" => ExportFormat::Markdown,
        "jsonl" => ExportFormat::JsonLines,
        other => return Err(refuse(context, FORMATS, other)),
    };
    words.end()?;
    let mysis = context.targets.selected.ok_or("no Mysis is selected")?;
    let name = context.facts.name_of(mysis);
    context
        .outbox
        .effects
        .push(UiEffect::Write(FileOrder::Conversation {
            mysis,
            name,
            format,
        }));
    Ok(())
}

/// Writes a report of today, or since a time.
fn report(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let since = match words.rest().trim() {
        "" => None,
        "looked" => {
            let left = context.facts.looked.rule();
            let left = left.ok_or("you have not been away since you looked at the log")?;
            Some(left.to_string().into())
        }
        since => Some(since.into()),
    };
    context
        .outbox
        .effects
        .push(UiEffect::Write(FileOrder::Report(since)));
    Ok(())
}

/// Takes a word for a value. Returns whether it is one.
fn put<T: FromStr>(place: &mut T, word: &str) -> bool {
    word.parse().map(|value| *place = value).is_ok()
}
