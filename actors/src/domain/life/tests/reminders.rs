//! Reminders in a life: when they are delivered, once, and what becomes of them at its end.

use crate::memo::reminder::Reminders;

use super::*;

fn remind(at: i64, text: &str) -> MysisOrder {
    MysisOrder::Remind {
        at: Timestamp(at),
        reminder: text.into(),
    }
}

impl Scene {
    /// The direct messages in the conversation.
    fn messages(&self) -> Vec<String> {
        let rows = self.rows().into_iter();
        rows.filter(|row| row.kind() == Some(RowKind::Prompt))
            .map(|row| row.text().to_string())
            .collect()
    }

    fn waiting(&self) -> Vec<String> {
        let status = self.life.status();
        let waiting = status.memos.reminders.as_deref().unwrap_or_default();
        waiting.iter().map(|one| one.text.to_string()).collect()
    }

    /// The newest timer of what is due, and its wait.
    fn due_alarm(&self) -> Option<(AlarmId, Duration)> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Wake { alarm, after, .. } if self.life.reminders.alarm() == Some(*alarm) => {
                Some((*alarm, *after))
            }
            _ => None,
        })
    }

    /// The time passes and the timer of what is due runs out.
    fn is_due_at(&mut self, now: i64) {
        let (alarm, _) = self.due_alarm().expect("a timer is set");
        self.now = now;
        self.handle(LifeInput::Rang { alarm });
    }

    /// A next life of the same Mysis, from what was stored, at a time of the wall clock.
    fn next_life(&self, wall: i64, mode: Mode) -> Scene {
        let again = RestoreArgs {
            recollection: self.history_with(MemoKind::Reminders),
            mode,
            ..past()
        };
        let (life, effects) = Life::restore(again, even(wall));
        let mut scene = Scene::new();
        (scene.life, scene.effects, scene.now) = (life, Vec::new(), wall);
        scene.take(effects);
        scene
    }
}

#[test]
fn a_reminder_comes_as_a_direct_message_when_it_is_due_and_once() {
    let mut scene = Scene::new();
    let taken = scene.order(remind(61_000, "sell the ore"));
    let Some(Ok(CompletedOrder::Reminded { id, at })) = taken else {
        panic!("{taken:?}");
    };
    assert_eq!((&*id, at), ("alpha:1", Timestamp(61_000)));
    assert_eq!(scene.waiting(), ["sell the ore"]);
    assert_eq!(scene.messages(), [""; 0]);
    let (_, after) = scene.due_alarm().expect("a timer is set");
    assert!(after > Duration::from_secs(59) && after < Duration::from_secs(61));
    scene.is_due_at(61_000);
    assert_eq!(scene.messages(), ["sell the ore"]);
    assert_eq!(scene.waiting(), [""; 0]);
    assert_eq!(scene.life.state(), LifeState::Running, "it begins a turn");
    scene.now += 100_000;
    scene.handle(LifeInput::StillWaiting);
    assert_eq!(scene.messages(), ["sell the ore"]);
    let memo = scene.memo_of(MemoKind::Reminders);
    let stored = Reminders::from_memo(memo.as_deref()).expect("it is understood");
    assert_eq!(stored.waiting(), []);
}

#[test]
fn the_message_and_the_missing_reminder_are_one_write() {
    let mut scene = Scene::new();
    scene.order(remind(5_000, "go"));
    scene.is_due_at(6_000);
    let together = scene.effects.iter().any(|effect| match effect {
        Effect::Record { writes, .. } => {
            let has = |of: &dyn Fn(&Write) -> bool| writes.iter().any(of);
            has(&|write| matches!(write, Write::Append { row, .. } if **row.text() == *"go"))
                && has(&|write| {
                    matches!(
                        write,
                        Write::Memo {
                            kind: MemoKind::Reminders,
                            ..
                        }
                    )
                })
        }
        _ => false,
    });
    assert!(together);
}

#[test]
fn in_a_turn_the_next_request_contains_it() {
    let mut scene = Scene::running();
    scene.order(remind(5_000, "look around"));
    scene.is_due_at(5_000);
    let asked = scene.asks().len();
    scene.say("well");
    assert_eq!(scene.asks().len(), asked + 1);
    let is_in =
        scene.asked().messages.iter().any(
            |message| matches!(message, ChatMessage::User(text) if text.contains("look around")),
        );
    assert!(is_in);
}

#[test]
fn the_first_one_due_is_waited_for_and_the_timer_of_the_turn_stays() {
    let mut scene = Scene::running();
    scene.order(remind(500_000, "later"));
    scene.say("well");
    let turn = scene.alarm();
    scene.order(remind(50_000, "sooner"));
    let (sooner, _) = scene.due_alarm().expect("a timer is set");
    assert!(scene.life.awaited_alarms().eq([turn, sooner]));
    let (_, after) = scene.due_alarm().expect("a timer is set");
    assert!(after < Duration::from_secs(50), "{after:?}");
    let asked = scene.asks().len();
    scene.handle(LifeInput::Rang { alarm: turn });
    assert_eq!(scene.asks().len(), asked + 1, "the next turn begins");
    scene.is_due_at(50_000);
    assert_eq!(scene.messages(), ["sooner"]);
    scene.is_due_at(500_000);
    assert_eq!(scene.messages(), ["sooner", "later"]);
}

#[test]
fn what_came_due_meanwhile_is_delivered_after_a_restart_and_nothing_else() {
    let mut scene = Scene::new();
    scene.order(remind(5_000, "one"));
    scene.order(remind(6_000, "two"));
    scene.order(remind(90_000, "three"));
    let mut next = scene.next_life(7_000, Mode::Live);
    assert_eq!(next.messages(), [""; 0], "its timer is to run out first");
    next.is_due_at(7_000);
    assert_eq!(next.messages(), ["one", "two"]);
    assert_eq!(next.waiting(), ["three"]);
    let (_, after) = next.due_alarm().expect("a timer is set");
    assert_eq!(after, Duration::from_secs(60), "it looks each minute");
    let third = next.next_life(8_000, Mode::Live);
    assert_eq!(third.waiting(), ["three"]);
}

#[test]
fn a_machine_that_slept_delivers_with_the_next_look_and_once() {
    let mut scene = Scene::new();
    scene.order(remind(8 * 3_600_000, "sell"));
    let (_, after) = scene.due_alarm().expect("a timer is set");
    assert_eq!(after, Duration::from_secs(60), "it looks each minute");
    scene.is_due_at(60_000);
    assert_eq!(scene.messages(), [""; 0]);
    // The monotonic clock stood still meanwhile.
    scene.ahead = 9 * 3_600_000;
    scene.is_due_at(120_000);
    assert_eq!(scene.messages(), ["sell"]);
    scene.ahead = 0;
    scene.now = 8 * 3_600_000;
    scene.handle(LifeInput::StillWaiting);
    assert_eq!(scene.messages(), ["sell"]);
}

#[test]
fn a_clock_that_is_set_back_delays_no_reminder_of_this_life() {
    let mut scene = Scene::new();
    scene.order(remind(61_000, "sell"));
    scene.ahead = -10_000_000;
    scene.is_due_at(60_000);
    assert_eq!(scene.messages(), [""; 0]);
    scene.is_due_at(61_000);
    assert_eq!(scene.messages(), ["sell"]);
}

#[test]
fn one_that_takes_no_messages_gets_it_when_it_does_again() {
    let mut scene = Scene::running();
    scene.order(remind(5_000, "go"));
    scene.order(MysisOrder::Stop);
    scene.is_due_at(9_000);
    assert_eq!(scene.messages(), [""; 0]);
    assert_eq!(scene.waiting(), ["go"]);
    scene.order(MysisOrder::Start);
    assert_eq!(scene.messages(), ["go"]);
    assert_eq!(scene.waiting(), [""; 0]);
}

#[test]
fn a_process_that_only_queues_orders_or_ends_or_hands_over_delivers_nothing() {
    let mut scene = Scene::new();
    scene.order(remind(5_000, "go"));
    let mut queueing = scene.next_life(9_000, Mode::QueueOnly);
    queueing.handle(LifeInput::StillWaiting);
    assert_eq!(queueing.messages(), [""; 0]);
    assert!(queueing.due_alarm().is_none());
    assert!(
        queueing
            .order(remind(8_000, "late"))
            .is_some_and(|it| it.is_ok())
    );
    assert_eq!(queueing.waiting(), ["go", "late"]);
    for input in [LifeInput::WindDown, LifeInput::HandOver] {
        let mut scene = Scene::running();
        scene.order(remind(5_000, "go"));
        scene.handle(input);
        scene.is_due_at(9_000);
        assert_eq!(scene.messages(), [""; 0]);
    }
}

#[test]
fn a_cancelled_one_is_not_delivered_and_its_number_is_not_used_again() {
    let mut scene = Scene::new();
    scene.order(remind(5_000, "go"));
    let done = scene.order(MysisOrder::CancelReminder(1));
    let cancelled = CompletedOrder::Done(CompletedAction::ReminderCancelled);
    assert_eq!(done, Some(Ok(cancelled)));
    let again = scene.order(MysisOrder::CancelReminder(1));
    let Some(Err(why)) = again else {
        panic!("{again:?}");
    };
    assert!(
        why.to_string().contains("no reminder alpha:1 waits"),
        "{why}"
    );
    scene.is_due_at(9_000);
    assert_eq!(scene.messages(), [""; 0]);
    let mut next = scene.next_life(10_000, Mode::Live);
    let taken = next.order(remind(20_000, "again"));
    let Some(Ok(CompletedOrder::Reminded { id, .. })) = taken else {
        panic!("{taken:?}");
    };
    assert_eq!(&*id, "alpha:2");
}

#[test]
fn what_the_store_refuses_is_not_known_until_the_next_life() {
    let mut scene = Scene::new();
    scene.order(remind(5_000, "go"));
    let stored = scene.memo_of(MemoKind::Reminders);
    scene.store_works = false;
    scene.is_due_at(9_000);
    scene.refuse_all("no");
    scene.store_works = true;
    let refused = scene.order(remind(90_000, "later"));
    assert!(matches!(refused, Some(Err(_))), "{refused:?}");
    // The store has the one that it had, for the next life.
    let again = RestoreArgs {
        recollection: StoredHistory {
            memos: stored
                .map(|memo| (MemoKind::Reminders, memo))
                .into_iter()
                .collect(),
            ..StoredHistory::default()
        },
        ..past()
    };
    let mut next = Scene::of(again);
    next.is_due_at(9_000);
    assert_eq!(next.messages(), ["go"]);
}

#[test]
fn reminders_that_are_not_understood_are_told_and_not_overwritten() {
    let memo: Arc<str> = r#"{"later":"version"}"#.into();
    let mut scene = Scene::of(RestoreArgs {
        recollection: StoredHistory {
            memos: [(MemoKind::Reminders, memo)].into_iter().collect(),
            ..StoredHistory::default()
        },
        ..past()
    });
    assert!(
        scene
            .host_codes()
            .iter()
            .any(|code| code == "reminders_unknown")
    );
    let refused = scene.order(remind(9_000, "go"));
    assert!(
        matches!(refused, Some(Err(OrderRefusal::Because(_)))),
        "{refused:?}"
    );
    assert_eq!(scene.memo_of(MemoKind::Reminders), None);
}

#[test]
fn secrets_are_neither_stored_nor_shown() {
    let mut scene = Scene::of(RestoreArgs {
        redactor: Arc::new(Redactor::new(["hunter-two-hunter".into()])),
        ..past()
    });
    scene.order(remind(5_000, "say hunter-two-hunter"));
    let memo = scene.memo_of(MemoKind::Reminders).expect("it is stored");
    assert!(!memo.contains("hunter-two"), "{memo}");
    assert!(!scene.waiting()[0].contains("hunter-two"));
}
