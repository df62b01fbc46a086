//! Conversations and events over the control interface. An answer has at most a few megabytes,
//! however much is stored or requested (decision 140).

use std::path::Path;

use actors::domain::event_record::EventRecord;
use actors::domain::ids::Seq;
use actors::domain::message::RowKind;
use actors::domain::screen::ExportFormat;
use actors::ports::{PageFrom, PageQuery, SearchIn, SearchQuery};
use serde_json::Value;
use tokio::time::Instant;
use zoea_contract::{EventRecordJson, ExportedJson, RowJson, SearchHitJson, to_value};
use zoea_ledger::{EventPage, export};
use zoea_settings::bounds::MAX_ROWS;

use crate::interface::swarm::Swarm;

use super::ProgramInfo;
use super::parameters::{ExportConversations, ReadEvents, ReadLog, SearchRows, read_count};
use super::short::{self, ControlAnswer, SHORT_ANSWER_BYTES};
use super::waiting;

/// The most bytes of rows in an answer for which a limit was named. A single row is returned even if
/// it is larger.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// The rows of one read from the store. A single row may have a megabyte.
const PIECE_ROWS: usize = 16;
/// The most events of one read from the store after a number.
const EVENTS_AT_ONCE: usize = 1000;
/// The rows of a log if the call names no limit.
const DEFAULT_LOG_ROWS: u64 = 50;
/// The hits of a search if the call names no limit, and the most hits.
const DEFAULT_HITS: u64 = 20;
pub(crate) const MAX_HITS: usize = 1000;

/// The rows of an answer, up to so many bytes.
struct BoundedRows {
    /// In the order in which they were added.
    rows: Vec<Value>,
    end: PageEnd,
    bytes: usize,
    most_bytes: usize,
    cuts: bool,
    is_cut: bool,
    is_full: bool,
}

/// The end of the answer where rows are added.
#[derive(Clone, Copy)]
enum PageEnd {
    Front,
    Back,
}

impl BoundedRows {
    /// Whole rows where a limit was named, else short ones.
    fn for_limit(limit: Option<u64>, end: PageEnd) -> BoundedRows {
        BoundedRows {
            rows: Vec::new(),
            end,
            bytes: 0,
            most_bytes: limit.map_or(SHORT_ANSWER_BYTES, |_| MAX_ANSWER_BYTES),
            cuts: limit.is_none(),
            is_cut: false,
            is_full: false,
        }
    }

    /// Adds as many rows as fit. They come oldest first. Returns whether all of them fit.
    fn add_all(&mut self, mut rows: impl DoubleEndedIterator<Item = Value>) -> bool {
        match self.end {
            PageEnd::Front => rows.rev().all(|row| self.add(row)),
            PageEnd::Back => rows.all(|row| self.add(row)),
        }
    }

    fn add(&mut self, mut row: Value) -> bool {
        let is_cut = self.cuts && short::cut_row(&mut row);
        self.bytes += row.to_string().len() + 1;
        if self.bytes > self.most_bytes && !self.rows.is_empty() {
            self.is_full = true;
            return false;
        }
        self.is_cut |= is_cut;
        self.rows.push(row);
        true
    }

    /// The number in this member of the row that was added last; 0 if there is none.
    fn last(&self, member: &str) -> i64 {
        let last = self.rows.last().and_then(|row| row[member].as_i64());
        last.unwrap_or_default()
    }

    /// The answer. `more` says how what does not fit is got.
    fn into_answer(mut self, more: &str) -> ControlAnswer {
        match self.end {
            PageEnd::Front => self.rows.reverse(),
            PageEnd::Back => {}
        }
        let cut = "long texts are cut; `limit` asks for whole rows";
        let rest = match (self.cuts && self.is_full, self.is_cut) {
            (true, true) => Some(format!("{more}; {cut}")),
            (true, false) => Some(more.to_string()),
            (false, true) => Some(cut.to_string()),
            (false, false) => None,
        };
        ControlAnswer {
            value: Value::Array(self.rows),
            rest,
        }
    }
}

pub(super) async fn read_log(swarm: &Swarm, asked: ReadLog) -> Result<ControlAnswer, String> {
    let mysis = swarm.id_of(&asked.name).await?;
    let kinds = asked.kind.as_deref().map(parse_kind).transpose()?;
    let seq = |seq: u64| Seq(i64::try_from(seq).unwrap_or(i64::MAX));
    let (from, end) = match (asked.after_seq, asked.before_seq) {
        (None, None) => (PageFrom::Newest, PageEnd::Front),
        (None, Some(before)) => (PageFrom::Before(seq(before)), PageEnd::Front),
        (Some(after), None) => (PageFrom::After(seq(after)), PageEnd::Back),
        (Some(_), Some(_)) => {
            return Err("a log is read after a row or before one, not both".to_string());
        }
    };
    let limit = read_count("limit", asked.limit, DEFAULT_LOG_ROWS, MAX_ROWS)?;
    let page = PageQuery {
        mysis,
        from,
        limit: 0,
        kinds: kinds.into_iter().collect(),
    };
    let fitting = BoundedRows::for_limit(asked.limit, end);
    read_pieces(swarm, page, limit, fitting).await
}

async fn read_pieces(
    swarm: &Swarm,
    mut page: PageQuery,
    limit: usize,
    mut fitting: BoundedRows,
) -> Result<ControlAnswer, String> {
    loop {
        page.limit = PIECE_ROWS.min(limit - fitting.rows.len());
        let rows = swarm.archive().page(page.clone()).await;
        let rows = rows.map_err(|fault| format!("the log cannot be read: {fault}"))?;
        let is_last = rows.len() < page.limit;
        let values = rows.iter().map(|row| to_value(&RowJson::from(&**row)));
        let has_room = fitting.add_all(values);
        let reached = match fitting.end {
            PageEnd::Front => rows.first().map(|row| PageFrom::Before(row.seq)),
            PageEnd::Back => rows.last().map(|row| PageFrom::After(row.seq)),
        };
        match reached {
            Some(from) if has_room && !is_last && fitting.rows.len() < limit => page.from = from,
            Some(_) | None => {
                let (which, way) = match fitting.end {
                    PageEnd::Front => ("older", "before_seq"),
                    PageEnd::Back => ("newer", "after_seq"),
                };
                let last = fitting.last("seq");
                let more = format!("{which} rows did not fit: `{way}` {last} reads on");
                return Ok(fitting.into_answer(&more));
            }
        }
    }
}

/// The newest events, or the next ones after one; those may be waited for.
pub(super) async fn read_events(swarm: &Swarm, asked: ReadEvents) -> Result<ControlAnswer, String> {
    let limit = read_count("limit", asked.limit, DEFAULT_LOG_ROWS, MAX_ROWS)?;
    let Some(from) = asked.from else {
        let page = event_page(swarm, None, limit).await?;
        let mut fitting = BoundedRows::for_limit(asked.limit, PageEnd::Front);
        fitting.add_all(page.events.iter().map(event_value));
        return Ok(fitting.into_answer("older events did not fit; `limit` asks for more"));
    };
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let end = waiting::end_of(asked.wait.or(Some(0.0)));
    loop {
        let page = event_page(swarm, Some(from), limit.min(EVENTS_AT_ONCE)).await?;
        check_bounds(from, page.bounds)?;
        if !page.events.is_empty() || Instant::now() >= end {
            let mut fitting = BoundedRows::for_limit(asked.limit, PageEnd::Back);
            fitting.add_all(page.events.iter().map(event_value));
            let last = fitting.last("number");
            let more = format!("newer events did not fit: `from` {last} reads on");
            return Ok(fitting.into_answer(&more));
        }
        waiting::until_newer_event(swarm, from, end).await?;
    }
}

async fn event_page(swarm: &Swarm, after: Option<i64>, limit: usize) -> Result<EventPage, String> {
    let page = swarm.ledger().event_page(after, limit).await;
    page.map_err(|fault| format!("the events cannot be read: {fault}"))
}

fn event_value((number, record): &(i64, EventRecord)) -> Value {
    to_value(&EventRecordJson::new(*number, record))
}

/// Refuses to go on after an event that the database does not have yet.
fn check_bounds(from: i64, bounds: Option<(i64, i64)>) -> Result<(), String> {
    let newest = bounds.map_or(0, |(_, newest)| newest);
    if from > newest {
        return Err(format!(
            "the events of this database end with {newest}, so none is after {from}: the database is another \
             one, or it was restored; begin again from 0"
        ));
    }
    Ok(())
}

pub(crate) fn parse_kind(word: &str) -> Result<RowKind, String> {
    RowKind::parse(word).ok_or_else(|| {
        let known: Vec<&str> = RowKind::ALL.into_iter().map(RowKind::as_str).collect();
        format!(
            "`{word}` is not a kind of row; there are {}",
            known.join(", ")
        )
    })
}

pub(super) async fn search_rows(swarm: &Swarm, asked: SearchRows) -> Result<ControlAnswer, String> {
    let mysis = swarm.find(asked.mysis.as_deref()).await?;
    let text = asked.query;
    if text.is_empty() {
        return Err("query cannot be empty".to_string());
    }
    let places = asked.r#in.as_deref().unwrap_or("messages");
    let places = places.split(',').map(|place| parse_search_in(place.trim()));
    let limit = read_count("limit", asked.limit, DEFAULT_HITS, MAX_ROWS)?.min(MAX_HITS);
    let places = places.collect::<Result<Vec<SearchIn>, String>>()?;
    let mut hits = Vec::new();
    for &within in &places {
        let search = SearchQuery {
            text: text.clone(),
            mysis,
            within,
            case_sensitive: !asked.ignore_case,
            sendable_only: false,
            until: None,
            limit,
        };
        let found = swarm.archive().search(search).await;
        let found = found.map_err(|fault| format!("the search failed: {fault}"))?;
        hits.extend(found.rows);
    }
    if places.len() > 1 {
        hits.sort_by_key(|(mysis, row)| (row.at, *mysis, row.seq));
        // A row that was found in two places is one hit.
        hits.dedup_by_key(|(mysis, row)| (row.at, *mysis, row.seq));
    }
    let names = swarm.names().await?;
    let older = hits.len().saturating_sub(limit);
    let hits = hits.iter().skip(older).map(|(mysis, row)| {
        let name = names.get(mysis).map(|name| &**name);
        to_value(&SearchHitJson::new(name, row))
    });
    let mut fitting = BoundedRows::for_limit(asked.limit, PageEnd::Front);
    fitting.add_all(hits);
    Ok(fitting.into_answer("older matches did not fit; `limit` asks for more"))
}

/// Whether older matches may not have fitted beside these. The answer to a search with a limit does not say it.
pub(crate) fn may_lack_older(hits: &[Value]) -> bool {
    let bytes: usize = hits.iter().map(|hit| hit.to_string().len()).sum();
    // A row has at most a megabyte or so: where half of the answer is free, none was left out.
    hits.len() >= MAX_HITS || bytes > MAX_ANSWER_BYTES / 2
}

fn parse_search_in(place: &str) -> Result<SearchIn, String> {
    match place {
        "messages" => Ok(SearchIn::Messages),
        "reasoning" => Ok(SearchIn::Reasoning),
        "missions" => Ok(SearchIn::Missions),
        other => Err(format!(
            "`{other}` cannot be searched; there are messages, reasoning and missions"
        )),
    }
}

pub(super) async fn export_conversations(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: ExportConversations,
) -> Result<Value, String> {
    let mysis = swarm.find(asked.mysis.as_deref()).await?;
    let format = match asked.format.as_deref().unwrap_or("jsonl") {
        "jsonl" => ExportFormat::JsonLines,
        "md" => ExportFormat::Markdown,
        other => return Err(format!("`{other}` is not a format; there are jsonl and md")),
    };
    let order = export::ExportOrder {
        mysis,
        format,
        names_account: false,
    };
    let file = Path::new(&asked.file);
    let written = export::export_to_file(swarm.ledger(), order, file, &about.secrets).await;
    let written = written.map_err(|fault| fault.to_string())?;
    Ok(to_value(&ExportedJson {
        myses: written.myses,
        rows: written.rows,
    }))
}
