//! Our own tools, which every Mysis has in addition to the game's (CONTRACT.md).

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use crate::domain::held::{HELD_SENTENCE, HeldText, HeldTexts};
use crate::domain::ids::MysisId;
use crate::domain::message::Row;
use crate::domain::mission_end::done_tool;
use crate::domain::routine::start_tool;
use crate::domain::tool::{ToolSpec, Toolset};
use crate::domain::tool_search;
use crate::ports::{
    Archive, ArchiveFault, ArchiveRead, ResultPiece, ResultQuery, SearchHits, SearchIn, SearchQuery,
};
use zoea_text::names::listed_up_to;

/// The rows of a search if the call names no limit, and the most rows.
const DEFAULT_SEARCH_ROWS: u64 = 20;
const MAX_SEARCH_ROWS: u64 = 100;

/// The most bytes of text in the answer to a search, shared by its hits. A hit may itself be such
/// an answer. Without this limit each search would contain all earlier ones.
const MAX_FOUND_BYTES: usize = 40 << 10;
/// The least and the most bytes of each hit, around the match.
const EXCERPT_BYTES: RangeInclusive<usize> = 400..=4000;

const MAX_LISTED_NAMES: usize = 20;

/// The bytes of a result that one call returns.
const PIECE_BYTES: usize = 8 << 10;

static OWN_TOOLS: LazyLock<Arc<Toolset>> = LazyLock::new(|| {
    Arc::new(Toolset::new([
        search_spec(
            "zoea_search_messages",
            "Search past messages, calls and results for a text, literally: yours, or another Mysis'.",
        ),
        search_spec(
            "zoea_search_reasoning",
            "Search past reasoning for a text, literally: yours, or another Mysis'.",
        ),
        search_spec(
            "zoea_search_broadcasts",
            "Search the operator's past missions for a text, literally.",
        ),
        ToolSpec::own(
            "zoea_read_result",
            "Read on in a tool result that was cut: call_id is what the note at the cut names, offset the \
             byte to begin at.",
            &json!({
                "type": "object",
                "properties": {
                    "call_id": {"type": "string"},
                    "offset": {"type": "integer", "minimum": 0, "default": 0}
                },
                "required": ["call_id"]
            }),
        ),
        tool_search::spec(),
        start_tool(),
        done_tool(),
    ]))
});

/// Our own tools alone, for a Mysis without a game server.
pub fn own_tools() -> Arc<Toolset> {
    OWN_TOOLS.clone()
}

fn search_spec(name: &str, description: &str) -> ToolSpec {
    let mut properties = json!({
        "query": {"type": "string", "description": "a literal text"},
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_SEARCH_ROWS, "default": DEFAULT_SEARCH_ROWS},
        "case_sensitive": {"type": "boolean", "default": true}
    });
    if name != "zoea_search_broadcasts" {
        properties["mysis_id"] = json!({
            "type": "string",
            "description": "another Mysis' name"
        });
    }
    let schema = json!({"type": "object", "properties": properties, "required": ["query"]});
    ToolSpec::own(name, description, &schema)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OwnToolCall<'a> {
    pub(super) mysis: MysisId,
    pub(super) held: &'a HeldTexts,
    pub(super) search_others: bool,
}

/// Answers a call of one of our own tools.
///
/// # Errors
/// The call is wrong, or the store failed.
pub(super) async fn answer_own_call(
    archive: &dyn Archive,
    call: OwnToolCall<'_>,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Result<String, String> {
    let (within, what) = match tool {
        "zoea_search_messages" => (SearchIn::Messages, "messages"),
        "zoea_search_reasoning" => (SearchIn::Reasoning, "reasoning"),
        "zoea_search_broadcasts" => (SearchIn::Missions, "broadcasts"),
        "zoea_read_result" => return read_on(archive, call, arguments).await,
        _ => return Err(format!("there is no tool called {tool}")),
    };
    search_archive(archive, call, arguments, within, what).await
}

async fn search_archive(
    archive: &dyn Archive,
    call: OwnToolCall<'_>,
    arguments: &Map<String, Value>,
    within: SearchIn,
    what: &str,
) -> Result<String, String> {
    let query = arguments.get("query").and_then(Value::as_str);
    let query = query.unwrap_or_default();
    if query.is_empty() {
        return Err("query cannot be empty".to_string());
    }
    let whose = searched_mysis(archive, call, arguments).await?;
    let limit = search_limit(arguments)?;
    let case_sensitive = arguments
        .get("case_sensitive")
        .and_then(Value::as_bool)
        .unwrap_or(true);
    let found = archive
        .search(SearchQuery {
            text: query.to_string(),
            mysis: match within {
                SearchIn::Messages | SearchIn::Reasoning => Some(whose),
                SearchIn::Missions => None,
            },
            within,
            case_sensitive,
            sendable_only: true,
            until: None,
            limit,
        })
        .await
        .map_err(|fault| format!("the search failed: {fault}"))?;
    let hides = |owner: MysisId, text: &str| call.held.hides((call.mysis, owner), text);
    Ok(describe_hits(&found, query, what, hides))
}

/// The Mysis whose history is searched: the caller, or the one that is named.
async fn searched_mysis(
    archive: &dyn Archive,
    call: OwnToolCall<'_>,
    arguments: &Map<String, Value>,
) -> Result<MysisId, String> {
    let named = match arguments.get("mysis_id") {
        None | Some(Value::Null) => return Ok(call.mysis),
        Some(Value::String(named)) => named.trim(),
        Some(_) => return Err("mysis_id is the name of a Mysis".to_string()),
    };
    if named.is_empty() || named == call.mysis.to_string() {
        return Ok(call.mysis);
    }
    let names = archive.names().await;
    let names = names.map_err(|fault| format!("the search failed: {fault}"))?;
    let id = named.parse().ok();
    let mut found = names.iter().find(|(_, name)| **name == *named);
    found = found.or_else(|| names.iter().find(|(known, _)| Some(*known) == id));
    match found {
        Some((found, _)) if *found == call.mysis || call.search_others => Ok(*found),
        Some(_) => Err(
            "the operator does not allow searches of other Myses: leave mysis_id out".to_string(),
        ),
        None => Err(unknown_mysis(named, &names)),
    }
}

fn unknown_mysis(named: &str, names: &[(MysisId, Arc<str>)]) -> String {
    let known: Vec<&str> = names.iter().map(|(_, name)| &**name).collect();
    format!(
        "no Mysis is called `{named}`; leave mysis_id out for your own history, or name one of {}",
        listed_up_to(&known, MAX_LISTED_NAMES)
    )
}

fn search_limit(arguments: &Map<String, Value>) -> Result<usize, String> {
    let limit = match arguments.get("limit") {
        None | Some(Value::Null) => DEFAULT_SEARCH_ROWS,
        Some(limit) => limit
            .as_u64()
            .filter(|limit| *limit > 0)
            .ok_or_else(|| format!("limit is a number from 1 to {MAX_SEARCH_ROWS}"))?,
    };
    Ok(usize::try_from(limit.min(MAX_SEARCH_ROWS)).unwrap_or(0))
}

/// The hits as JSON, with a fixed sentence in the place of what is held back.
fn describe_hits(
    found: &SearchHits,
    query: &str,
    what: &str,
    hides: impl Fn(MysisId, &str) -> bool,
) -> String {
    if found.rows.is_empty() {
        let mut text = format!("no {what} found matching '{query}'");
        if found.ignoring_case > 0 {
            let count = found.ignoring_case;
            text.push_str(&format!(" ({count} match with case_sensitive false)"));
        }
        if let Some(before) = found.removed_before {
            text.push_str(&format!(
                " (most of what is older than {before} is no longer kept)"
            ));
        }
        return text;
    }
    let most =
        (MAX_FOUND_BYTES / found.rows.len()).clamp(*EXCERPT_BYTES.start(), *EXCERPT_BYTES.end());
    let rows = found
        .rows
        .iter()
        .map(|(owner, row)| describe_row(row, query, most, |text| hides(*owner, text)));
    let rows: Vec<Value> = rows.collect();
    Value::Array(rows).to_string()
}

fn describe_row(row: &Row, query: &str, most: usize, hides: impl Fn(&str) -> bool) -> Value {
    let kind = row.kind();
    let shown_of = |text: &str| {
        // What is held back is known by its beginning; what quotes it, by what is shown of it.
        let shown = excerpt_around(text, query, most);
        match hides(&HeldText::key(text)) || hides(&shown) {
            true => HELD_SENTENCE.to_string(),
            false => shown.into_owned(),
        }
    };
    let mut shown = json!({
        "role": kind.and_then(|kind| kind.role()),
        "source": kind.map(|kind| kind.source()),
        "content": shown_of(row.text()),
        "created_at": row.at.to_string(),
    });
    if let Some(reasoning) = row.utterance().and_then(|said| said.reasoning.as_ref()) {
        shown["reasoning"] = json!(shown_of(reasoning));
    }
    shown
}

/// The text, or the part around the first match if the text is longer than this.
fn excerpt_around<'a>(text: &'a str, query: &str, most: usize) -> Cow<'a, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let place = text.find(query).unwrap_or_else(|| {
        // The position is approximate, because lower-casing may change the length of characters.
        let place = text.to_lowercase().find(&query.to_lowercase());
        place.unwrap_or(0).min(text.len())
    });
    let from = place.saturating_sub(most / 4).min(text.len() - most);
    let from = text.floor_char_boundary(from);
    let to = text.floor_char_boundary(from + most);
    let after = text.len() - to;
    Cow::Owned(format!(
        "[{from} bytes before] {} [{after} bytes after]",
        &text[from..to]
    ))
}

async fn read_on(
    archive: &dyn Archive,
    call: OwnToolCall<'_>,
    arguments: &Map<String, Value>,
) -> Result<String, String> {
    let id = arguments.get("call_id").and_then(Value::as_str);
    let id = id.filter(|id| !id.is_empty());
    let id = id.ok_or("call_id is missing: give the id of the call whose result was cut")?;
    let offset = match arguments.get("offset") {
        None | Some(Value::Null) => 0,
        Some(offset) => offset
            .as_u64()
            .ok_or("offset is a number of bytes from 0")?,
    };
    let read = |offset| {
        archive.result_of(ResultQuery {
            mysis: call.mysis,
            call_id: id.to_string(),
            offset,
            limit: PIECE_BYTES,
        })
    };
    let failed = |fault| format!("the result could not be read: {fault}");
    let piece = read(offset).await.map_err(failed)?;
    let piece = piece.ok_or_else(|| format!("you have no result of a call with the id {id}"))?;
    let hides = |text: &str| call.held.hides((call.mysis, call.mysis), text);
    if hides(&piece.text)
        || is_held_result(call, offset, read(0))
            .await
            .map_err(failed)?
    {
        return Ok(HELD_SENTENCE.to_string());
    }
    Ok(describe_piece(piece, offset))
}

/// Whether the result that is read on is held back, which its beginning shows.
async fn is_held_result(
    call: OwnToolCall<'_>,
    offset: u64,
    beginning: ArchiveRead<Option<ResultPiece>>,
) -> Result<bool, ArchiveFault> {
    if offset == 0 || call.held.is_empty() {
        return Ok(false);
    }
    let beginning = beginning.await?;
    Ok(beginning.is_some_and(|it| call.held.hides((call.mysis, call.mysis), &it.text)))
}

fn describe_piece(piece: ResultPiece, asked: u64) -> String {
    let ResultPiece {
        text,
        offset,
        whole,
    } = piece;
    if text.is_empty() {
        return format!("[nothing follows byte {asked}: the result has {whole} bytes]");
    }
    let end = offset + text.len() as u64;
    if end < whole {
        let left = whole - end;
        return format!("{text}\n[{left} of {whole} bytes follow; read on with offset {end}]");
    }
    text
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::future::BoxFuture;

    use super::*;
    use crate::domain::held::HeldKind;
    use crate::domain::ids::{MysisId, Seq, Timestamp, TurnNumber};
    use crate::domain::message::RowBody;
    use crate::domain::record::{GameAccount, SavedSession, StoredHistory};
    use crate::ports::{MysisNames, PageQuery, SwarmRecord};

    fn found(texts: &[String]) -> SearchHits {
        let rows = texts.iter().zip(1..).map(|(text, seq)| {
            let row = Row {
                seq: Seq(seq),
                at: Timestamp(0),
                turn: TurnNumber(1),
                body: RowBody::Prompt {
                    text: text.as_str().into(),
                },
            };
            (MysisId(1), Arc::new(row))
        });
        SearchHits {
            rows: rows.collect(),
            ignoring_case: 0,
            removed_before: None,
            may_have_more: false,
        }
    }

    /// Alpha (1) and bravo (2). A search finds one row with the name of its Mysis.
    struct Two;

    fn long_result() -> String {
        format!("Rex says POISON {}", "and on ".repeat(20_000))
    }

    fn refused<T: Send + 'static>() -> BoxFuture<'static, Result<T, ArchiveFault>> {
        futures::future::ready(Err(ArchiveFault("not here".to_string()))).boxed()
    }

    impl Archive for Two {
        fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>> {
            refused()
        }

        fn names(&self) -> BoxFuture<'static, Result<MysisNames, ArchiveFault>> {
            let names = vec![(MysisId(1), "alpha".into()), (MysisId(2), "bravo".into())];
            futures::future::ready(Ok(names)).boxed()
        }

        fn search(
            &self,
            search: SearchQuery,
        ) -> BoxFuture<'static, Result<SearchHits, ArchiveFault>> {
            let whose = search.mysis.map_or(0, |mysis| mysis.0);
            let found = found(&[format!("a row of {whose}")]);
            futures::future::ready(Ok(found)).boxed()
        }

        fn load_history(
            &self,
            _: MysisId,
        ) -> BoxFuture<'static, Result<StoredHistory, ArchiveFault>> {
            refused()
        }

        fn page(&self, _: PageQuery) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>> {
            refused()
        }

        fn result_of(
            &self,
            asked: ResultQuery,
        ) -> BoxFuture<'static, Result<Option<ResultPiece>, ArchiveFault>> {
            let (whole, from) = (long_result(), asked.offset as usize);
            let piece = ResultPiece {
                text: whole[from..from + asked.limit].to_string(),
                offset: asked.offset,
                whole: whole.len() as u64,
            };
            futures::future::ready(Ok(Some(piece))).boxed()
        }

        fn saved_session(
            &self,
            _: MysisId,
        ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>> {
            refused()
        }

        fn account(
            &self,
            _: MysisId,
        ) -> BoxFuture<'static, Result<Option<GameAccount>, ArchiveFault>> {
            refused()
        }
    }

    fn searched(arguments: Value, search_others: bool) -> Result<String, String> {
        let call = OwnToolCall {
            mysis: MysisId(1),
            held: &HeldTexts::default(),
            search_others,
        };
        let Value::Object(mut arguments) = arguments else {
            panic!("arguments are an object");
        };
        arguments.insert("query".to_string(), json!("row"));
        let answer = answer_own_call(&Two, call, "zoea_search_messages", &arguments);
        futures::executor::block_on(answer)
    }

    #[test]
    fn a_mysis_finds_what_another_one_saw_by_its_name() {
        for (named, whose) in [
            (json!({}), 1),
            (json!({"mysis_id": ""}), 1),
            (json!({"mysis_id": "alpha"}), 1),
            (json!({"mysis_id": "bravo"}), 2),
            (json!({"mysis_id": MysisId(2).to_string()}), 2),
        ] {
            let text = searched(named.clone(), true).unwrap();
            assert!(
                text.contains(&format!("a row of {whose}")),
                "{named}: {text}"
            );
        }
        let text = searched(json!({"mysis_id": "zulu"}), true).unwrap_err();
        assert!(text.contains("name one of alpha, bravo"), "{text}");
    }

    #[test]
    fn the_operator_may_keep_each_to_its_own_history() {
        assert!(searched(json!({}), false).is_ok());
        assert!(searched(json!({"mysis_id": "alpha"}), false).is_ok());
        let text = searched(json!({"mysis_id": "bravo"}), false).unwrap_err();
        assert!(text.contains("the operator does not allow"), "{text}");
    }

    fn held_back(text: &str) -> HeldTexts {
        let mut held = HeldTexts::default();
        held.hold(Arc::new(HeldText {
            kind: HeldKind::Text,
            provider: "p".into(),
            model: "m".into(),
            text: HeldText::key(text),
            mysis: MysisId(7),
            seq: Seq(1),
            is_local: false,
            said: "".into(),
            proof: "".into(),
            at: Timestamp(0),
            doubted_at: Timestamp(0),
        }));
        held
    }

    #[test]
    fn a_search_shows_nothing_of_what_is_held_back() {
        let long = format!("Rex says POISON {}", "ore ".repeat(20_000));
        for text in ["Rex says POISON", &long] {
            let held = held_back(text);
            let hides = |owner, text: &str| held.hides((MysisId(1), owner), text);
            let quoted = "they told me: Rex says POISON".to_string();
            let texts = [text.to_string(), "a good row".to_string(), quoted];
            let texts = &texts[..if text.len() > 100 { 2 } else { 3 }];
            for query in ["POISON", "ore", "row"] {
                let answer = describe_hits(&found(texts), query, "messages", hides);
                let hidden = answer.matches(HELD_SENTENCE).count();
                assert_eq!(hidden, texts.len() - 1, "{query}: {answer}");
                assert!(!answer.contains("POISON") && answer.contains("a good row"));
            }
        }
    }

    #[test]
    fn a_result_that_is_held_back_is_not_read_on() {
        let held = held_back(&long_result());
        for (held, is_shown) in [(&held, false), (&HeldTexts::default(), true)] {
            let call = OwnToolCall {
                mysis: MysisId(1),
                held,
                search_others: false,
            };
            for offset in [0, 9, 20_000] {
                let arguments = json!({"call_id": "c", "offset": offset});
                let arguments = arguments.as_object().expect("an object");
                let read = answer_own_call(&Two, call, "zoea_read_result", arguments);
                let text = futures::executor::block_on(read).expect("an answer");
                assert_eq!(text != HELD_SENTENCE, is_shown, "{offset}: {text}");
            }
        }
    }

    #[test]
    fn a_long_text_is_shown_around_the_match() {
        let text = format!("{}ORE{}", "ä".repeat(5000), "ö".repeat(5000));
        let shown = excerpt_around(&text, "ORE", 400);
        assert!(shown.contains("ORE"), "{shown}");
        assert!(shown.len() < 500, "{}", shown.len());
        assert!(shown.starts_with("[99"), "{shown}");
        assert_eq!(excerpt_around(&text, "ore", 400), shown, "in any case");
        assert_eq!(excerpt_around("short", "x", 400), "short");
        assert!(excerpt_around(&text, "absent", 400).starts_with("[0 bytes before]"));
    }

    #[test]
    fn a_search_in_vain_says_how_far_back_it_reaches() {
        let mut nothing = found(&[]);
        assert_eq!(
            describe_hits(&nothing, "ore", "messages", |_, _| false),
            "no messages found matching 'ore'"
        );
        nothing.removed_before = Some(Timestamp(86_400_000));
        let text = describe_hits(&nothing, "ore", "messages", |_, _| false);
        assert!(
            text.contains("older than 1970-01-02T00:00:00.000Z"),
            "{text}"
        );
    }

    #[test]
    fn answers_that_hold_older_answers_do_not_grow_without_end() {
        let mut texts = vec!["\"quoted\" \\ ore".repeat(100)];
        for _search in 0..60 {
            let answer = describe_hits(&found(&texts), "ore", "messages", |_, _| false);
            assert!(answer.len() < 4 * MAX_FOUND_BYTES, "{} bytes", answer.len());
            texts.push(answer);
            texts.drain(..texts.len().saturating_sub(100));
        }
    }
}
