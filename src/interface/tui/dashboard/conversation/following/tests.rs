//! An open conversation of a Mysis that another process runs, or ran a moment ago.

use actors::domain::event::{Elsewhere, EventKind, MysisStatus, RosterChange};
use actors::domain::ids::Now;
use actors::domain::state::LifeState;

use super::*;
use crate::dashboard::conversation::timeline::MinuteUse;
use crate::dashboard::tests::{Desk, loads_of, order_of, status, words};
use actors::domain::message::{RowBody, Utterance};
use actors::domain::order::CompletedOrder;
use actors::domain::samples::Minute;
use actors::domain::screen::{StoreAnswer, UiEffect};
use crossterm::event::KeyCode;

const ALPHA: Option<(i64, &str)> = Some((1, "alpha"));

/// A screen, and the database that all processes share.
struct Shared {
    desk: Desk,
    stored: Vec<Arc<Row>>,
    now: i64,
}

impl Shared {
    /// Alpha runs in another process, and its conversation of so many rows is open.
    fn open(rows: i64) -> Shared {
        let mut shared = Shared {
            desk: Desk::with(vec![seen(1, true)]),
            stored: (1..=rows).map(|seq| words(seq, "hello")).collect(),
            now: 1_000_000,
        };
        let asked = shared.desk.key(KeyCode::Enter);
        shared.answer(&asked);
        shared
    }

    fn store(&mut self, rows: std::ops::RangeInclusive<i64>) {
        self.stored.extend(rows.map(|seq| words(seq, "hello")));
    }

    /// Answers these queries and those that follow from the answers.
    fn answer(&mut self, asked: &[UiEffect]) {
        let mut asked = loads_of(asked);
        while let Some((id, page)) = asked.pop() {
            let limit = page.limit;
            let rows = self.stored.iter();
            let is_asked = |row: &&Arc<Row>| {
                page.kinds.is_empty() || row.kind().is_some_and(|kind| page.kinds.contains(&kind))
            };
            let rows = rows.filter(is_asked).cloned();
            let newest = |rows: Vec<Arc<Row>>| rows[rows.len().saturating_sub(limit)..].to_vec();
            let rows = match page.from {
                PageFrom::Newest => newest(rows.collect()),
                PageFrom::Before(seq) => newest(rows.filter(|row| row.seq < seq).collect()),
                PageFrom::After(seq) => rows.filter(|row| row.seq > seq).take(limit).collect(),
            };
            self.desk.board.on_read(id, Ok(StoreAnswer::Page(rows)));
            self.desk.board.prepare_frame();
            asked.extend(loads_of(&self.desk.board.take_effects()));
        }
    }

    /// Lets time pass. Returns the queries of the next picture.
    fn wait(&mut self, ms: i64) -> Vec<UiEffect> {
        self.now += ms;
        let now = Now::from_timestamp(Timestamp(self.now));
        self.desk.board.tick(now);
        self.desk.board.prepare_frame();
        self.desk.board.take_effects()
    }

    /// What the other process tells changes. Returns the queries.
    fn change(&mut self) -> Vec<UiEffect> {
        let now = Now::from_timestamp(Timestamp(self.now));
        self.desk.board.tick(now);
        let text = EventKind::StatusChanged(seen(self.now, true));
        self.desk.happens(ALPHA, text);
        self.desk.board.take_effects()
    }

    fn held(&self) -> Vec<i64> {
        let focus = self.desk.board.focus().expect("a conversation");
        let rows = focus.transcript.pages().rows();
        rows.iter().map(|row| row.seq.0).collect()
    }
}

/// Alpha, as it is told at a time.
fn seen(at: i64, is_elsewhere: bool) -> Arc<MysisStatus> {
    let place = Elsewhere {
        process: "box-2".into(),
        is_gone: false,
    };
    Arc::new(MysisStatus {
        last_activity_at: Timestamp(at),
        elsewhere: is_elsewhere.then(|| Arc::new(place)),
        ..MysisStatus::clone(&status(1, "alpha", LifeState::Running))
    })
}

fn all(last: i64) -> Vec<i64> {
    (1..=last).collect()
}

#[test]
fn rows_of_another_process_are_shown_soon_after_it_tells_of_a_change() {
    let mut shared = Shared::open(5);
    assert_eq!(shared.held(), all(5));
    shared.wait(1_000);
    shared.store(6..=7);
    let asked = shared.change();
    let pages = loads_of(&asked);
    assert_eq!(pages.len(), 1, "{pages:?}");
    assert_eq!(pages[0].1.from, PageFrom::After(Seq(5)));
    shared.answer(&asked);
    assert_eq!(shared.held(), all(7));

    // A row that is committed a moment after the status that speaks of it.
    shared.store(8..=8);
    assert_eq!(loads_of(&shared.wait(999)), []);
    let asked = shared.wait(1);
    shared.answer(&asked);
    assert_eq!(shared.held(), all(8));
}

#[test]
fn what_this_screen_ordered_is_shown_as_soon_as_it_is_answered() {
    let mut shared = Shared::open(5);
    shared.wait(1_500);
    let asked = shared.desk.types("mhello");
    assert_eq!(loads_of(&asked), []);
    let (id, _) = order_of(&shared.desk.key(KeyCode::Enter));
    shared.store(6..=6);
    shared.desk.answers(id, Ok(CompletedOrder::Stored(Seq(6))));
    let asked = shared.desk.board.take_effects();
    shared.answer(&asked);
    assert_eq!(shared.held(), all(6));
}

#[test]
fn it_is_read_at_most_once_a_second_and_each_two_while_nothing_changes() {
    let mut shared = Shared::open(5);
    shared.wait(1_500);
    let first = shared.change();
    assert_eq!(loads_of(&first).len(), 1);
    // Nothing else is asked while a read is under way, however long that takes.
    shared.now += 10_000;
    assert_eq!(loads_of(&shared.change()), []);
    shared.answer(&first);
    for _ in 0..3 {
        shared.now += 300;
        assert_eq!(loads_of(&shared.change()).len(), 0);
    }
    let mut reads = 0;
    for _ in 0..300 {
        let asked = shared.wait(100);
        reads += loads_of(&asked).len();
        shared.answer(&asked);
    }
    // Two because of the change, and one each two seconds.
    assert!((15..=17).contains(&reads), "{reads}");
    let next = shared.desk.board.next_change().expect("a time");
    assert!(next.0 - shared.now <= 2_001, "{next:?}");
}

#[test]
fn a_conversation_of_a_mysis_that_runs_here_is_never_read_again() {
    let mut shared = Shared::open(5);
    shared
        .desk
        .happens(ALPHA, EventKind::StatusChanged(seen(2, false)));
    let asked = shared.desk.board.take_effects();
    shared.answer(&asked);
    for _ in 0..30 {
        assert_eq!(loads_of(&shared.wait(1_000)), []);
    }
}

#[test]
fn more_rows_than_one_read_takes_come_one_read_after_the_other() {
    let mut shared = Shared::open(5);
    shared.wait(1_000);
    shared.store(6..=500);
    let mut asked = shared.change();
    for _ in 0..3 {
        shared.answer(&asked);
        asked = shared.wait(1_000);
    }
    assert_eq!(shared.held(), all(500));
}

#[test]
fn nothing_is_lacking_and_nothing_twice_when_the_mysis_moves() {
    let mut shared = Shared::open(5);
    shared.wait(1_000);
    // The other process stored rows that nobody read yet. It moves here, and says more at once.
    shared.store(6..=7);
    shared
        .desk
        .happens(ALPHA, EventKind::Roster(RosterChange::TakenOver));
    shared
        .desk
        .happens(ALPHA, EventKind::StatusChanged(seen(2, false)));
    shared.store(8..=8);
    let text = EventKind::Stored(words(8, "hello"));
    shared.desk.happens(ALPHA, text);
    let asked = shared.desk.board.take_effects();
    shared.answer(&asked);
    assert_eq!(shared.held(), all(8));
    shared.store(9..=9);
    shared
        .desk
        .happens(ALPHA, EventKind::Stored(words(9, "hello")));
    assert_eq!(shared.held(), all(9));

    // It moves away again.
    shared
        .desk
        .happens(ALPHA, EventKind::StatusChanged(seen(3, true)));
    shared.store(10..=12);
    let asked = shared.wait(1_000);
    shared.answer(&asked);
    assert_eq!(shared.held(), all(12));
}

#[test]
fn nothing_is_lacking_after_the_machine_slept_and_others_took_the_mysis() {
    for has_spoken in [false, true] {
        let mut shared = Shared::open(5);
        shared
            .desk
            .happens(ALPHA, EventKind::StatusChanged(seen(2, false)));
        let asked = shared.desk.board.take_effects();
        shared.answer(&asked);
        if has_spoken {
            shared.store(6..=6);
            let text = EventKind::Stored(words(6, "hello"));
            shared.desk.happens(ALPHA, text);
        }
        let first = if has_spoken { 7 } else { 6 };
        shared.store(first..=500);
        let mut asked = shared.change();
        let (_, page) = &loads_of(&asked)[0];
        assert_eq!(page.from, PageFrom::After(Seq(first - 1)));
        for _ in 0..3 {
            shared.answer(&asked);
            asked = shared.wait(1_000);
        }
        assert_eq!(shared.held(), all(500));
    }
}

#[test]
fn who_reads_further_up_stays_there_and_what_came_is_marked() {
    let mut shared = Shared::open(300);
    let is_unread = |shared: &Shared| {
        let roster = &shared.desk.board.facts.roster;
        roster.get(MysisId(1)).is_some_and(|it| it.is_unread())
    };
    let asked = shared.desk.key(KeyCode::PageUp);
    shared.answer(&asked);
    let seen = |shared: &Shared| {
        let focus = shared.desk.board.focus().expect("a conversation");
        let first = focus.transcript.visible_lines().first().cloned();
        first.map(|line| (line.entry.seq, line.line))
    };
    let before = seen(&shared);
    assert!(!is_unread(&shared));
    shared.wait(1_000);
    shared.store(301..=302);
    let asked = shared.change();
    shared.answer(&asked);
    assert_eq!(seen(&shared), before);
    assert!(is_unread(&shared));
    shared.desk.key(KeyCode::End);
    assert!(!is_unread(&shared));
    assert_eq!(shared.held().last(), Some(&302));
}

#[test]
fn the_timeline_counts_what_was_read_and_then_told_once() {
    let thought = |seq: i64, ms: u64| {
        let mut utterance = Utterance::default();
        Arc::make_mut(&mut utterance.meta).ms = Some(ms);
        Arc::new(Row {
            body: RowBody::Reply(utterance),
            ..Row::clone(&words(seq, ""))
        })
    };
    let mut focus = Focus::new(MysisId(1), "alpha".into(), Default::default());
    (focus.timeline).read_rows(MysisId(1), &mut Outbox::default());
    focus.timeline.take_rows(ReadId(1), &[thought(1, 400)]);
    let once = focus.timeline.minute(Minute(0)).cloned();
    focus.on_row_stored(&thought(1, 400));
    assert_eq!(focus.timeline.minute(Minute(0)).cloned(), once);
    let main = once.and_then(|minute| minute.main_use());
    assert_eq!(main, Some(MinuteUse::Think));
}

#[test]
fn a_store_that_cannot_be_read_is_told_of_once() {
    let mut shared = Shared::open(5);
    let complaints = |shared: &Shared| {
        let own = shared.desk.board.facts.log.own_messages().iter();
        own.filter(|message| &*message.code == "unreadable").count()
    };
    for _ in 0..3 {
        let asked = loads_of(&shared.wait(5_000));
        let (id, _) = asked.first().expect("a read");
        shared.desk.board.on_read(*id, Err("away".to_string()));
        shared.desk.board.prepare_frame();
    }
    assert_eq!(complaints(&shared), 1);
    // The next read is due as ever, and brings what was lacking.
    shared.store(6..=9);
    let asked = shared.wait(5_000);
    shared.answer(&asked);
    assert_eq!(shared.held(), all(9));
}
