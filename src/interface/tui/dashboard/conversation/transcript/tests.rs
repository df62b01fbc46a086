//! Transcripts, as an operator scrolls through them.

use std::sync::Arc;

use proptest::prelude::*;

use crate::dashboard::text::figures::UtcOffset;
use crate::dashboard::text::width;
use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ReplyMeta, ResultMeta, Row, RowBody, Severity, Utterance,
};
use actors::domain::reading::{PageFrom, PageQuery};

use super::Transcript;
use super::pages::Load;
use super::text_search::{Direction, TextSearch};
use actors::domain::screen::{ReadId, StoreQuery};

fn row(seq: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(seq * 1000),
        turn: TurnNumber(1),
        body,
    })
}

fn said(seq: i64, text: &str) -> Arc<Row> {
    let text = text.into();
    row(seq, RowBody::Prompt { text })
}

/// A store of so many rows, and the transcript that reads from it.
struct Reader {
    stored: Vec<Arc<Row>>,
    transcript: Transcript,
    stamps: u64,
    loads: usize,
}

impl Reader {
    fn of(count: i64) -> Reader {
        let rows = (1..=count).map(|seq| said(seq, &format!("row {seq}")));
        Reader::holding(rows.collect())
    }

    fn holding(stored: Vec<Arc<Row>>) -> Reader {
        let transcript = Transcript::of(MysisId(1), "alpha".into(), UtcOffset::default());
        Reader::with(transcript, stored)
    }

    fn with(mut transcript: Transcript, stored: Vec<Arc<Row>>) -> Reader {
        transcript.resize(80, 12);
        let mut reader = Reader {
            stored,
            transcript,
            stamps: 0,
            loads: 0,
        };
        reader.prepare_frame();
        reader
    }

    fn prepare_frame(&mut self) {
        while let Some(load) = self.transcript.prepare_frame() {
            self.load(load);
        }
    }

    fn load(&mut self, load: Load) {
        self.stamps += 1;
        self.loads += 1;
        (self.transcript.pages).expect(ReadId(self.stamps), load);
        let query = self.transcript.pages.query(load, MysisId(1));
        let StoreQuery::Page(PageQuery { from, limit, .. }) = query else {
            panic!("a page is asked for: {query:?}");
        };
        let page: Vec<Arc<Row>> = match from {
            PageFrom::Newest => self
                .stored
                .iter()
                .rev()
                .take(limit)
                .rev()
                .cloned()
                .collect(),
            PageFrom::Before(seq) => {
                let end = self.stored.partition_point(|row| row.seq < seq);
                self.stored[end.saturating_sub(limit)..end].to_vec()
            }
            PageFrom::After(seq) => {
                let after = self.stored.iter().filter(|row| row.seq > seq);
                after.take(limit).cloned().collect()
            }
        };
        self.transcript.take(ReadId(self.stamps), page);
    }

    fn scroll(&mut self, lines: usize, way: Direction) {
        self.transcript.scroll(lines, way);
        self.prepare_frame();
    }

    fn push(&mut self, row: Arc<Row>) {
        self.transcript.on_row_stored(&row);
        self.stored.push(row);
        self.prepare_frame();
    }

    fn lines(&self) -> Vec<String> {
        self.transcript
            .visible_lines()
            .iter()
            .map(|shown| match shown.line {
                Some(line) => shown.entry.lines[line].text(),
                None => String::new(),
            })
            .collect()
    }

    fn first_and_last(&self) -> (i64, i64) {
        let shown = self.transcript.visible_lines();
        (
            shown.first().map_or(0, |line| line.entry.seq.0),
            shown.last().map_or(0, |line| line.entry.seq.0),
        )
    }
}

#[test]
fn a_window_that_does_not_scroll_reads_what_it_shows_and_follows_the_end() {
    let rows = (1..=900).map(|seq| said(seq, "words")).collect();
    let transcript =
        Transcript::of(MysisId(1), "alpha".into(), UtcOffset::default()).reading_few(12);
    let mut reader = Reader::with(transcript, rows);
    assert_eq!(reader.transcript.pages().rows().len(), 12);
    assert_eq!((reader.loads, reader.first_and_last().1), (1, 900));
    assert_eq!(reader.lines().len(), 12);
    reader.push(said(901, "more"));
    assert_eq!((reader.loads, reader.first_and_last().1), (1, 901));
}

#[test]
fn a_place_is_revealed_also_in_a_row_that_hides_it() {
    let mut rows: Vec<Arc<Row>> = (1..=900).map(|seq| said(seq, "words")).collect();
    let numbers = (0..300).map(|number| format!("line {number}"));
    let long = numbers.collect::<Vec<_>>().join("\n");
    rows[249] = said(250, &long);
    let mut reader = Reader::holding(rows);
    for (wanted, is_unfolded) in [("line 7", false), ("line 287", true)] {
        reader.transcript.find(Some(TextSearch::of(wanted)));
        reader.transcript.go_to_place(Seq(250));
        reader.prepare_frame();
        assert_eq!(reader.transcript.selected(), Some(Seq(250)));
        let lines = reader.lines();
        let place = lines.iter().position(|line| line == wanted);
        assert_eq!(place, Some(4), "{lines:?}");
        let folds = lines.iter().any(|line| line.contains("more"));
        assert_eq!(is_unfolded, !folds && lines[0] == "line 283", "{lines:?}");
    }
    reader.transcript.find(Some(TextSearch::of("words")));
    // A row that has just been stored does not scroll away.
    reader.transcript.go_to_place(Seq(900));
    reader.prepare_frame();
    for seq in 901..=950 {
        reader.push(said(seq, "words"));
    }
    let shown = reader.transcript.visible_lines();
    assert!(shown.iter().any(|line| line.entry.seq == Seq(900)));
    assert!(!reader.transcript.is_following());
    reader.transcript.go_to_place(Seq(500));
    reader.prepare_frame();
    let shown = reader.transcript.visible_lines();
    let first = shown.iter().position(|line| line.entry.seq == Seq(500));
    assert!(first.is_some_and(|line| (1..=4).contains(&line)));
}

#[test]
fn it_opens_at_the_end_and_stays_there() {
    let mut reader = Reader::of(1000);
    assert_eq!(reader.first_and_last(), (997, 1000));
    assert_eq!(reader.loads, 1);
    reader.push(said(1001, "news"));
    assert_eq!(reader.lines().last().unwrap(), "news");
    assert!(reader.transcript.is_following());
}

#[test]
fn scrolled_up_it_does_not_follow_until_it_is_at_the_end_again() {
    let mut reader = Reader::of(1000);
    reader.scroll(1, Direction::Back);
    let before = reader.lines();
    reader.push(said(1001, "news"));
    assert_eq!(reader.lines(), before);
    assert!(!reader.transcript.is_following());
    reader.scroll(1, Direction::Forth);
    assert!(!reader.transcript.is_following());
    reader.scroll(100, Direction::Forth);
    assert!(reader.transcript.is_following());
    assert_eq!(reader.lines().last().unwrap(), "news");
}

#[test]
fn it_scrolls_back_to_the_first_row_without_a_jump() {
    let mut reader = Reader::of(1000);
    let mut line = 0;
    for _ in 0..500 {
        let before = reader.lines();
        reader.scroll(11, Direction::Back);
        let after = reader.lines();
        if reader.first_and_last().0 == 1 {
            break;
        }
        assert_eq!(after[11], before[0], "after {line} lines");
        line += 11;
    }
    reader.scroll(11, Direction::Back);
    assert_eq!(reader.first_and_last().0, 1);
    reader.scroll(5, Direction::Back);
    assert_eq!(reader.lines()[0], "");
    assert_eq!(reader.lines()[1], "YOU");
}

#[test]
fn the_ends_of_a_million_rows_are_one_page_away() {
    let mut reader = Reader::of(100_000);
    reader.transcript.go_to_top();
    reader.prepare_frame();
    assert_eq!(reader.first_and_last().0, 1);
    reader.transcript.go_to_bottom();
    reader.prepare_frame();
    assert_eq!(reader.first_and_last().1, 100_000);
    assert_eq!(reader.loads, 3);
    reader.transcript.go_to(Seq(50_000));
    reader.prepare_frame();
    assert_eq!(reader.transcript.selected(), Some(Seq(50_000)));
    assert_eq!(reader.first_and_last().0, 50_000);
}

#[test]
fn selecting_brings_into_sight() {
    let mut reader = Reader::of(100);
    for _ in 0..10 {
        reader.transcript.select_next(Direction::Back);
        reader.prepare_frame();
    }
    assert_eq!(reader.transcript.selected(), Some(Seq(91)));
    assert_eq!(reader.first_and_last().0, 91);
    for _ in 0..20 {
        reader.transcript.select_next(Direction::Forth);
        reader.prepare_frame();
    }
    assert_eq!(reader.transcript.selected(), Some(Seq(100)));
    assert_eq!(reader.first_and_last().1, 100);
}

#[test]
fn a_store_that_cannot_be_read_is_not_asked_without_end() {
    let mut transcript = Transcript::of(MysisId(1), "alpha".into(), UtcOffset::default());
    transcript.resize(80, 10);
    let load = transcript.prepare_frame().unwrap();
    transcript.pages.expect(ReadId(1), load);
    assert!(transcript.fail_request(ReadId(1)));
    assert_eq!(transcript.prepare_frame(), None);
    transcript.scroll(1, Direction::Back);
    assert!(transcript.prepare_frame().is_some());
}

fn utterance(text: &str, reasoning: Option<&str>) -> Utterance {
    Utterance {
        text: text.into(),
        reasoning: reasoning.map(Into::into),
        seen_up_to: Seq(0),
        meta: ReplyMeta {
            ms: Some(1240),
            model: "qwen3:8b".into(),
            ..ReplyMeta::default()
        }
        .into(),
    }
}

fn called(seq: i64, name: &str, arguments: &str) -> Arc<Row> {
    let call = CallRecord {
        id: "1".into(),
        name: name.into(),
        arguments: arguments.into(),
        status: CallStatus::Recorded,
        read_only: false,
        routine: None,
    };
    let utterance = utterance("", None);
    row(
        seq,
        RowBody::Call {
            utterance,
            calls: vec![call],
        },
    )
}

fn returned(seq: i64, text: &str, status: CallStatus) -> Arc<Row> {
    let meta = ResultMeta {
        call_id: "1".into(),
        tool: "mine".into(),
        status,
        ms: Some(9800),
        tick: Some(42),
        bytes: text.len() as u64,
        game: actors::domain::game::GameRef::SpaceMolt,
        kept: None,
    };
    let call = CallKey {
        seq: Seq(seq - 1),
        position: 0,
    };
    let text = text.into();
    row(seq, RowBody::Result { call, text, meta })
}

#[test]
fn a_tool_loop_reads_as_call_and_outcome() {
    let json = r#"{"quantity":3,"resource_name":"Iron Ore","xp_gained":{"mining":3}}"#;
    let mut reader = Reader::holding(vec![
        called(1, "mine", r#"{"target":"belt","deep":true}"#),
        returned(2, json, CallStatus::Done),
        called(3, "mine", "{not json"),
        returned(4, "the hold is full", CallStatus::Failed),
    ]);
    assert_eq!(
        reader.lines(),
        [
            "⚙ mine deep=yes target=belt  qwen3:8b · 1.2s",
            "✓ mined 3 iron ore  mine · 9.8s · tick 42",
            "⚙ mine  qwen3:8b · 1.2s",
            "  arguments are not a JSON object:",
            "  {not json",
            "✗ refused: the hold is full  mine · failed · 9.8s · tick 42",
        ]
    );
    reader.transcript.turn_results();
    reader.prepare_frame();
    assert_eq!(reader.lines()[1], "✓ mine  9.8s · 66 B · tick 42");
    assert_eq!(reader.lines()[2], format!("  {json}"));
    assert_eq!(reader.lines().last().unwrap(), "  the hold is full");
    reader.transcript.turn_results();
    reader.transcript.toggle_entry(Seq(2));
    reader.prepare_frame();
    assert_eq!(
        reader.lines()[2..6],
        [
            "  quantity 3",
            "  resource_name Iron Ore",
            "  ▾ xp_gained {1}",
            "    mining 3"
        ]
    );
}

#[test]
fn reasoning_is_folded_to_its_ends_until_it_is_opened() {
    let thought: Vec<String> = (1..=9).map(|line| format!("thought {line}")).collect();
    let words = utterance("Off to the belt.", Some(&thought.join("\n")));
    let mut reader = Reader::holding(vec![row(1, RowBody::Reply(words))]);
    assert_eq!(
        reader.lines(),
        [
            "",
            "alpha  qwen3:8b · 1.2s",
            "┊ thought 1",
            "┊ … 6 more lines of thought",
            "┊ thought 8",
            "┊ thought 9",
            "Off to the belt.",
        ]
    );
    reader.transcript.turn_reasoning();
    reader.prepare_frame();
    assert_eq!(reader.lines()[3], "┊ thought 2");
}

#[test]
fn what_is_looked_for_is_found_in_what_is_held() {
    let mut reader = Reader::of(300);
    reader.transcript.find(Some(TextSearch::of("row 15")));
    let text_search = reader.transcript.text_search.as_ref().unwrap();
    assert_eq!(text_search.places().first(), Some(&Seq(150)));
    assert_eq!(text_search.places().len(), 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_line_is_wider_than_its_window(
        texts in proptest::collection::vec("(\\PC|\n|[a-z ]{1,9}){0,60}", 1..6),
        columns in 1_u16..90,
        height in 0_u16..20,
        moves in proptest::collection::vec((0_usize..30, any::<bool>()), 0..8),
    ) {
        let rows = (1..).zip(texts).map(|(seq, text)| {
            let arguments = serde_json::json!({ "text": text }).to_string();
            match seq % 5 {
                0 => said(seq, &text),
                1 => called(seq, &text, &arguments),
                2 => returned(seq, &arguments, CallStatus::Done),
                3 => row(seq, RowBody::Reply(utterance(&text, Some(&text)))),
                _ => row(seq, RowBody::Host {
                    text: text.as_str().into(),
                    meta: HostMeta { severity: Severity::Warn, code: "x".into(), attempt: None, bill: None },
                }),
            }
        });
        let mut reader = Reader::holding(rows.collect());
        reader.transcript.find(Some(TextSearch::of("a")));
        reader.transcript.resize(columns, height);
        reader.prepare_frame();
        let room = usize::from(columns - Transcript::gutter(columns).min(columns)).max(8);
        for (lines, is_back) in moves {
            reader.scroll(lines, if is_back { Direction::Back } else { Direction::Forth });
            if lines % 5 == 0 {
                reader.transcript.turn_results();
            }
            if lines % 7 == 0 {
                reader.transcript.turn_all();
                reader.transcript.select_next(Direction::Back);
                reader.prepare_frame();
            }
            for line in reader.lines() {
                prop_assert!(width::of(&line) <= room, "{room}: {line:?}");
            }
            prop_assert!(reader.transcript.visible_lines().len() <= usize::from(height));
        }
    }
}
