//! Checks whether a request keeps the rules of docs/design/requests.md. The checks know the rows and the request,
//! and not how one becomes the other. The pilot's validator says whether a server accepts it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::compose::{RUNTIME_NOTE_LINE, TurnOwner, wire_bytes};
use actors::domain::ids::{CallKey, Seq};
use actors::domain::message::{Row, RowBody};
use actors::domain::model::{ChatMessage, ModelRequest};
use actors::domain::tool::Toolset;
use serde_json::Value;
use zoea_pilot::{Strictness, validate_with};
use zoea_provider::{WireProfile, request_body};

use super::history::{Asked, CONTINUATION, FORBIDDEN, History, SYSTEM, mark};

/// The text that every cut contains.
const CUT: &str = "[cut: ";

/// Checks a request against all rules.
///
/// # Errors
/// The first rule that is broken.
pub fn judge(history: &History, asked: &Asked) -> Result<(), String> {
    let messages = &asked.composed.messages;
    is_taken_by_strict_providers(messages)?;
    is_within_the_budget(messages, history.budget.max(8192))?;
    begins_with_the_system_prompt(messages)?;
    owner_is_there(asked)?;
    holds_nothing_forbidden(messages)?;
    let sent = Sent::of(messages);
    sent.keeps_the_order(&asked.recorded.rows)?;
    sent.tells_few_old_looks(asked)?;
    if is_roomy(history, asked) {
        sent.holds_everything_since(asked)?;
    }
    Ok(())
}

/// Checks a request as the strictest server would, in all wire forms of the adapter except the one
/// with a field that OpenAI does not have.
pub fn is_taken_by_strict_providers(messages: &[ChatMessage]) -> Result<(), String> {
    let request = ModelRequest {
        provider: "local".into(),
        model: "m".into(),
        temperature: Some(0.7),
        max_tokens: None,
        messages: messages.into(),
        tools: Arc::new(Toolset::default()),
    };
    for number in 0..32 {
        let profile = WireProfile {
            has_no_system_role: number & 1 > 0,
            wants_short_ids: number & 2 > 0,
            wants_single_calls: number & 4 > 0,
            wants_bare_calls: number & 8 > 0,
            wants_bridges: number & 16 > 0,
            ..WireProfile::default()
        };
        let body = request_body(&request, profile).map_err(|error| error.to_string())?;
        let body: Value = serde_json::from_str(&body).map_err(|error| error.to_string())?;
        let strictness = match profile.wants_bridges {
            true => Strictness::Strictest,
            false => Strictness::Strict,
        };
        validate_with(&body, strictness)
            .map_err(|refusal| format!("refused: {refusal:?}, {profile:?}"))?;
    }
    Ok(())
}

fn is_within_the_budget(messages: &[ChatMessage], budget: usize) -> Result<(), String> {
    let bytes = wire_bytes(messages);
    if bytes > budget {
        return Err(format!("{bytes} bytes, budget {budget}"));
    }
    Ok(())
}

fn begins_with_the_system_prompt(messages: &[ChatMessage]) -> Result<(), String> {
    match messages.first() {
        Some(ChatMessage::System(text)) if text.starts_with(SYSTEM) => Ok(()),
        other => Err(format!("begins with {other:?}")),
    }
}

/// Checks that the order that owns the turn is among the user's messages, whole or cut with a note.
pub fn owner_is_there(asked: &Asked) -> Result<(), String> {
    let text = match &asked.owner {
        TurnOwner::Prompt(seq) => {
            let mut rows = asked.recorded.rows.iter();
            let row = rows.find(|row| row.seq == *seq);
            row.ok_or("the owner is no row")?.text().clone()
        }
        TurnOwner::Mission { text, .. } => text.clone(),
        TurnOwner::Nudge(text) => text.clone(),
    };
    let wanted: String = text.chars().map(printable).collect();
    let is_it = |sent: &str| {
        let whole = if wanted.trim().is_empty() {
            "(empty)"
        } else {
            &wanted
        };
        sent.contains(whole) || holds_beginning(sent, &wanted)
    };
    let is_there = asked
        .composed
        .messages
        .iter()
        .any(|message| matches!(message, ChatMessage::User(text) if is_it(text)));
    if is_there {
        return Ok(());
    }
    let shown: String = wanted.chars().take(100).collect();
    Err(format!("the order is lost: {shown:?}"))
}

/// Whether the beginning of a text is in another one, cut with a note.
fn holds_beginning(sent: &str, wanted: &str) -> bool {
    let first: String = wanted.chars().take(6).collect();
    sent.match_indices(CUT).any(|(end, _)| {
        let kept = sent[..end].trim_end_matches('\n');
        let mut starts = kept.match_indices(&first);
        starts.any(|(start, _)| wanted.starts_with(&kept[start..]))
    })
}

/// A message's text without the runtime note.
pub fn without_runtime_note(text: &str) -> &str {
    let (kept, _) = text.rsplit_once(RUNTIME_NOTE_LINE).unwrap_or((text, ""));
    kept.strip_suffix("\n\n").unwrap_or(kept)
}

fn printable(c: char) -> char {
    if c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t') {
        '?'
    } else {
        c
    }
}

fn holds_nothing_forbidden(messages: &[ChatMessage]) -> Result<(), String> {
    for message in messages {
        let (text, calls) = match message {
            ChatMessage::System(text) | ChatMessage::User(text) => (text, &[][..]),
            ChatMessage::Assistant { text, calls, .. } => (text, &calls[..]),
            ChatMessage::Tool { text, .. } => (text, &[][..]),
        };
        let is_forbidden = |text: &str| text.contains(FORBIDDEN);
        if is_forbidden(text) || calls.iter().any(|call| is_forbidden(&call.arguments)) {
            return Err(format!("sent what must not be: {message:?}"));
        }
    }
    Ok(())
}

/// Whether nothing had to be cut or dropped.
fn is_roomy(history: &History, asked: &Asked) -> bool {
    let text = |row: &Arc<Row>| {
        let arguments: usize = row
            .calls()
            .iter()
            .map(|call| call.arguments.len() + 700)
            .sum();
        row.text().len() + arguments + 400
    };
    let longest = asked.recorded.rows.iter().map(text).max();
    let all: usize = asked.recorded.rows.iter().map(text).sum();
    // JSON makes at most six bytes of one.
    all * 6 + 8192 < history.budget && longest.unwrap_or(0) * 6 < history.budget / 8
}

/// The places of rows in a request, found by their marks.
struct Sent<'a> {
    messages: &'a [ChatMessage],
    /// The place of each marked text: its message, and its offset.
    places: BTreeMap<i64, (usize, usize)>,
}

impl<'a> Sent<'a> {
    fn of(messages: &'a [ChatMessage]) -> Sent<'a> {
        let mut places = BTreeMap::new();
        for (place, message) in messages.iter().enumerate() {
            let (ChatMessage::User(text)
            | ChatMessage::Assistant { text, .. }
            | ChatMessage::Tool { text, .. }) = message
            else {
                continue;
            };
            for (seq, at) in marks(without_runtime_note(text)) {
                places.insert(seq, (place, at));
            }
        }
        Sent { messages, places }
    }

    fn place(&self, seq: Seq) -> Option<(usize, usize)> {
        self.places.get(&seq.0).copied()
    }

    /// Checks the order: words and orders as they came, a result after its own call, and an order
    /// that came before a result after that result.
    fn keeps_the_order(&self, rows: &[Arc<Row>]) -> Result<(), String> {
        let orders = |row: &&Arc<Row>| row.kind().and_then(|kind| kind.role()) == Some("user");
        let mut last = (0, 0);
        for row in rows.iter().filter(orders) {
            let Some(place) = self.place(row.seq) else {
                continue;
            };
            // A mission that owns the turn is placed before the turn, wherever it was delivered.
            if matches!(row.body, RowBody::Mission { .. }) {
                continue;
            }
            if place < last {
                return Err(format!("order {} stands before an older one", row.seq));
            }
            last = place;
        }
        for row in rows {
            if let Some((call, _, _)) = row.result() {
                self.result_follows(rows, row, call)?;
            }
        }
        Ok(())
    }

    fn result_follows(&self, rows: &[Arc<Row>], row: &Row, call: CallKey) -> Result<(), String> {
        let Some(place) = self.place(row.seq) else {
            return Ok(());
        };
        let asking = (0..place.0)
            .rev()
            .find(|place| !matches!(self.messages[*place], ChatMessage::Tool { .. }));
        let Some(asking) = asking else {
            return Err(format!("result {} stands alone", row.seq));
        };
        let ChatMessage::Assistant { .. } = &self.messages[asking] else {
            return Err(format!("result {} follows no call", row.seq));
        };
        if self.place(call.seq).is_some_and(|said| said.0 != asking) {
            return Err(format!("result {} follows another call", row.seq));
        }
        let Some(caller) = rows.iter().find(|row| row.seq == call.seq) else {
            return Ok(());
        };
        let seen_up_to = caller.utterance().map(|said| said.newest_seen(caller.seq));
        for between in rows {
            let is_prompt = matches!(between.body, RowBody::Prompt { .. } | RowBody::Peer { .. });
            let is_unseen = seen_up_to.is_some_and(|seen| between.seq > seen);
            if is_prompt && is_unseen && between.seq < row.seq {
                match self.place(between.seq) {
                    Some(other) if other < place => {
                        return Err(format!(
                            "{} came before result {} and stands before it",
                            between.seq, row.seq
                        ));
                    }
                    Some(_) | None => {}
                }
            }
        }
        Ok(())
    }

    /// Checks that of what stands before the turn, or before the message that it is about, only the
    /// newest turn and the last loop tell results of snapshot tools.
    fn tells_few_old_looks(&self, asked: &Asked) -> Result<(), String> {
        let rows = &asked.recorded.rows;
        let mut telling = BTreeSet::new();
        for row in rows {
            let Some((key, _, _)) = row.result() else {
                continue;
            };
            let caller = rows.iter().find(|row| row.seq == key.seq);
            let is_old = caller.is_some_and(|caller| match asked.owner {
                TurnOwner::Prompt(owner) => place_of(caller) < owner,
                TurnOwner::Mission { .. } | TurnOwner::Nudge(_) => {
                    caller.turn < asked.recorded.turn
                }
            });
            if is_old && self.place(row.seq).is_some() && look(rows, key).is_some() {
                telling.extend(caller.map(|caller| caller.turn));
            }
        }
        if telling.len() > 2 {
            return Err(format!("old looks are told: {telling:?}"));
        }
        Ok(())
    }

    /// If everything fits: checks that all orders, replies and results since the owner are there
    /// whole, except for results that newer ones replace.
    fn holds_everything_since(&self, asked: &Asked) -> Result<(), String> {
        let TurnOwner::Prompt(owner) = asked.owner else {
            return Ok(());
        };
        let rows = &asked.recorded.rows;
        let mut answered = BTreeSet::new();
        for row in rows.iter().filter(|row| row.is_sendable()) {
            let first_result = row
                .result()
                .is_none_or(|(call, _, _)| answered.insert(call));
            let is_since = self.since(rows, row, owner);
            let is_marked = marked(row.text()).is_some();
            if !is_since || !is_marked || !first_result || is_replaceable(rows, row) {
                continue;
            }
            let wanted: String = row.text().chars().map(printable).collect();
            let place = self.place(row.seq);
            let text = place.map(|place| match &self.messages[place.0] {
                ChatMessage::User(text)
                | ChatMessage::System(text)
                | ChatMessage::Assistant { text, .. }
                | ChatMessage::Tool { text, .. } => text,
            });
            if !text.is_some_and(|text| text.contains(&wanted)) {
                return Err(format!("row {} is not whole: {text:?}", row.seq));
            }
        }
        let texts = self.messages.iter().map(|message| match message {
            ChatMessage::User(text) => text,
            ChatMessage::System(_) | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => "",
        });
        if texts
            .map(|text| text.matches(CONTINUATION).count())
            .sum::<usize>()
            > 2
        {
            return Err("more than two continuations".to_string());
        }
        Ok(())
    }

    /// Whether a row belongs to the part that is sent since the owner.
    fn since(&self, rows: &[Arc<Row>], row: &Row, owner: Seq) -> bool {
        match row.result() {
            Some((call, _, _)) => rows
                .iter()
                .find(|row| row.seq == call.seq)
                .is_some_and(|caller| place_of(caller) >= owner),
            None => place_of(row) >= owner && !matches!(row.body, RowBody::Note { .. }),
        }
    }
}

/// Where a row stands in a request: a message of the model behind what it had seen.
fn place_of(row: &Row) -> Seq {
    row.utterance()
        .map_or(row.seq, |said| said.newest_seen(row.seq))
}

/// The rows whose marks are in a text, and their offsets.
fn marks(text: &str) -> impl Iterator<Item = (i64, usize)> {
    text.match_indices("<row ").filter_map(|(at, open)| {
        let (seq, _) = text[at + open.len()..].split_once('>')?;
        let seq = seq.parse().ok()?;
        text[at..].starts_with(&mark(seq)).then_some((seq, at))
    })
}

/// The row whose mark begins a text.
fn marked(text: &str) -> Option<i64> {
    let (seq, rest) = text.strip_prefix("<row ")?.split_once('>')?;
    let seq = seq.parse().ok()?;
    (format!("{}{rest}", mark(seq)) == *text).then_some(seq)
}

/// The query of a call, if its tool is a snapshot tool (docs/GLOSSARY.md).
fn look(rows: &[Arc<Row>], key: CallKey) -> Option<(String, String)> {
    let caller = rows.iter().find(|row| row.seq == key.seq)?;
    let call = caller.calls().get(usize::from(key.position))?;
    let is_snapshot = call.name.starts_with("get_") && &*call.name != "get_notifications";
    let arguments = serde_json::from_str(&call.arguments)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    is_snapshot.then(|| (call.name.to_string(), arguments.to_string()))
}

/// Whether a row is a result that another one may replace, or words beside it.
fn is_replaceable(rows: &[Arc<Row>], row: &Row) -> bool {
    let looks = |key| look(rows, key).is_some();
    row.result().is_some_and(|(key, _, _)| looks(key))
}
