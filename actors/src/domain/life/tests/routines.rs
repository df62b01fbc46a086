//! A routine in a life: its calls, the model's view, orders, stops and restarts.

use crate::routine::{ROUTINE_START, RoutineMemo};

use super::*;

const MINE: &str = r#"{"name":"ore","steps":[{"tool":"mine"},{"tool":"travel","arguments":{"target_poi":"base"}}],"rounds":2}"#;

impl Scene {
    /// A life whose model has started a routine.
    fn in_routine(arguments: &str) -> Scene {
        let mut scene = Scene::new();
        scene.link_with_routines();
        scene.prompt("mine ore");
        scene.want(&[(ROUTINE_START, arguments)]);
        scene
    }

    fn link_with_routines(&mut self) {
        let names = ["mine", "travel", "get_status", "get_poi", ROUTINE_START];
        let tools = names.map(|name| ToolSpec {
            name: name.into(),
            description: "".into(),
            schema: "{}".into(),
            read_only_hint: (name == ROUTINE_START).then_some(true),
        });
        self.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
    }

    /// The present call leaves and comes back.
    fn step(&mut self, tool: &str, text: &str) {
        assert_eq!(&*self.call().tool, tool);
        self.leave();
        self.give_back(text);
    }

    fn memo(&self) -> Arc<str> {
        self.memo_of(MemoKind::Routines).expect("a checkpoint")
    }

    /// The result of the call that started the routine, as the model sees it.
    fn report(&self) -> String {
        let mut tools = self
            .asked()
            .messages
            .iter()
            .filter_map(|message| match message {
                ChatMessage::Tool { text, .. } => Some(text.to_string()),
                _ => None,
            });
        tools.next_back().expect("a report")
    }

    /// What is stored, as the store holds it after a crash. With `at` rows only.
    fn stored(&self) -> RestoreArgs {
        let mut rows = self.rows();
        for row in &mut rows {
            let seq = row.seq;
            let body = &mut Arc::make_mut(row).body;
            let RowBody::Call { calls, .. } = body else {
                continue;
            };
            for call in calls {
                let key = CallKey { seq, position: 0 };
                if self.marked().contains(&key) {
                    call.status = CallStatus::Sent;
                }
            }
        }
        assert!(self.memo_of(MemoKind::Routines).is_some(), "a checkpoint");
        RestoreArgs {
            recollection: StoredHistory {
                rows,
                ..self.history_with(MemoKind::Routines)
            },
            ..past()
        }
    }

    fn marked(&self) -> Vec<CallKey> {
        let writes = self.writes().into_iter();
        writes
            .filter_map(|write| match write {
                Write::CallSent { call, .. } => Some(call),
                _ => None,
            })
            .collect()
    }

    fn restarted(&self) -> Scene {
        let mut scene = Scene::of(self.stored());
        scene.link_with_routines();
        scene.order(MysisOrder::Start);
        scene
    }
}

/// The newest memo, as another process reads it.
fn restored(scene: &Scene) -> RoutineMemo {
    RoutineMemo::restore(&scene.memo()).expect("it is understood")
}

#[test]
fn a_checkpoint_is_stored_with_each_result_and_where_the_cursor_moved_without_one() {
    let steps = r#"[{"tool":"mine","most":3},{"tool":"travel","arguments":{"target_poi":"base"}}]"#;
    let mut scene = Scene::in_routine(&format!(r#"{{"name":"ore","steps":{steps},"rounds":2}}"#));
    let count = |scene: &Scene| {
        let writes = scene.writes().into_iter();
        writes
            .filter(|write| {
                matches!(
                    write,
                    Write::Memo {
                        kind: MemoKind::Routines,
                        ..
                    }
                )
            })
            .count()
    };
    let mut before = count(&scene);
    let mut stored = Vec::new();
    for tool in ["mine", "mine", "mine", "travel", "mine"] {
        scene.step(tool, "{}");
        stored.push(count(&scene) - before);
        before = count(&scene);
    }
    // With the third and the fourth result the next call belongs to another step.
    assert_eq!(stored, [1, 1, 2, 2, 1]);
    // A restart while a call of an unmoved cursor is with the game knows which step it was.
    scene.leave();
    let restarted = scene.restarted();
    let notice = |row: &Arc<Row>| {
        row.host()
            .is_some_and(|meta| &*meta.code == "routine_ended")
    };
    let ended = restarted.rows().into_iter().find(notice);
    let ended = ended.expect("its outcome is unknown");
    assert!(ended.text().contains("step 1 (mine)"), "{}", ended.text());
}

#[test]
fn a_routine_makes_its_calls_and_the_model_sees_only_its_report() {
    let mut scene = Scene::in_routine(MINE);
    let status = scene.life.status().routine.expect("a routine runs");
    assert_eq!((&*status.name, status.round, status.rounds), ("ore", 1, 2));
    for _ in 0..2 {
        scene.step("mine", r#"{"quantity":2}"#);
        scene.step("travel", r#"{"poi_id":"base"}"#);
    }
    assert_eq!(scene.asks().len(), 2, "the model was not asked in between");
    let report = scene.report();
    assert!(
        report.contains("made 2 of 2 rounds with 4 calls"),
        "{report}"
    );
    assert!(report.contains("its rounds are over"), "{report}");
    let calls = scene.asked().messages.iter().filter(
        |message| matches!(message, ChatMessage::Assistant { calls, .. } if !calls.is_empty()),
    );
    assert_eq!(calls.count(), 1, "only the call that started it");
    assert!(scene.life.status().routine.is_none());
    // By its name it starts again.
    scene.want(&[(ROUTINE_START, r#"{"name":"ore"}"#)]);
    assert_eq!(&*scene.call().tool, "mine");
}

#[test]
fn a_bad_routine_is_refused_with_every_mistake() {
    let scene = Scene::in_routine(
        r#"{"name":"x","steps":[{"tool":"mine"},{"tool":"fly"}],"guards":[{"value":"fuel","op":">","number":5}]}"#,
    );
    let notices = scene.report();
    assert!(
        notices.contains("steps 2: there is no tool fly"),
        "{notices}"
    );
    assert!(notices.contains("fuel is not known"), "{notices}");
    assert!(scene.life.status().routine.is_none());
}

#[test]
fn a_direct_message_ends_it_within_one_step() {
    let mut scene = Scene::in_routine(MINE);
    scene.leave();
    scene.prompt("come home");
    assert_eq!(scene.asks().len(), 1, "the call that left is heard out");
    scene.give_back(r#"{"quantity":2}"#);
    assert_eq!(scene.asks().len(), 2);
    let messages = &scene.asked().messages;
    assert!(messages.contains(&user("come home")), "{messages:?}");
    assert!(scene.report().contains("an order came"));
}

#[test]
fn after_a_message_it_goes_on_where_it_stopped_unless_something_was_done_in_between() {
    for acts in [false, true] {
        let mut scene = Scene::in_routine(MINE);
        scene.leave();
        scene.prompt("where are you?");
        scene.give_back(r#"{"quantity":2}"#);
        let report = scene.report();
        let place = "It goes on where it stopped, in round 1, with {\"name\":\"ore\"}";
        assert!(report.contains(place), "{report}");
        let tool = if acts { "travel" } else { "get_status" };
        scene.want(&[(tool, "{}")]);
        scene.step(tool, "{}");
        // A crash in between changes nothing.
        assert_eq!(restored(&scene).paused.is_none(), acts);
        scene.want(&[(ROUTINE_START, r#"{"name":"ore"}"#)]);
        let next = if acts { "mine" } else { "travel" };
        assert_eq!(&*scene.call().tool, next);
        assert!(restored(&scene).paused.is_none());
    }
}

#[test]
fn who_gives_the_steps_anew_begins_with_the_first() {
    let mut scene = Scene::in_routine(MINE);
    scene.leave();
    scene.prompt("where are you?");
    scene.give_back(r#"{"quantity":2}"#);
    scene.want(&[(ROUTINE_START, MINE)]);
    assert_eq!(&*scene.call().tool, "mine");
}

#[test]
fn a_stop_ends_it_with_honest_results() {
    let mut scene = Scene::in_routine(MINE);
    scene.leave();
    scene.order(MysisOrder::Stop);
    assert_eq!(
        scene.result_status(),
        [CallStatus::Unknown, CallStatus::Done],
        "the step may have been made; the call that started it has the report"
    );
    assert!(scene.life.status().routine.is_none());
}

#[test]
fn after_a_crash_before_a_step_left_that_step_is_made() {
    let mut scene = Scene::in_routine(MINE);
    scene.step("mine", r#"{"quantity":2}"#);
    assert_eq!(&*scene.call().tool, "travel");
    let mut again = scene.restarted();
    assert_eq!(again.asks().len(), 0);
    assert_eq!(
        again.result_status(),
        [CallStatus::NotExecuted],
        "the call that was not sent"
    );
    again.step("travel", r#"{"poi_id":"base"}"#);
    again.step("mine", r#"{"quantity":2}"#);
    again.step("travel", r#"{"poi_id":"base"}"#);
    assert_eq!(again.asks().len(), 1);
    assert!(
        again.report().contains("with 4 calls"),
        "{}",
        again.report()
    );
}

#[test]
fn after_a_crash_while_a_step_was_away_the_model_decides() {
    let mut scene = Scene::in_routine(MINE);
    scene.leave();
    let again = scene.restarted();
    assert_eq!(
        again.result_status(),
        [CallStatus::Unknown, CallStatus::Done]
    );
    assert_eq!(again.asks().len(), 1);
    assert!(
        again.report().contains("outcome unknown"),
        "{}",
        again.report()
    );
}

#[test]
fn a_step_of_a_routine_is_neither_kept_in_memory_nor_counted_as_a_model_call() {
    let many = r#"{"name":"ore","steps":[{"tool":"mine","most":90}],"rounds":3}"#;
    let mut scene = Scene::in_routine(many);
    let before = scene.life.conversation.rows().count();
    for _ in 0..200 {
        scene.step("mine", r#"{"quantity":2}"#);
    }
    let now = scene.life.conversation.rows().count();
    assert!(now <= before + 1, "{now} rows");
    let mut again = scene.restarted();
    assert_eq!(again.asks().len(), 0);
    again.step("mine", r#"{"quantity":2}"#);
    assert_eq!(&*again.call().tool, "mine");
}

const HOP: &str = r#"{"name":"hop","steps":[{"tool":"travel","arguments":{"target_poi":"belt"}},{"tool":"travel","arguments":{"target_poi":"base"}}],"rounds":1}"#;

#[test]
fn after_a_crash_the_game_shows_what_became_of_a_step_that_was_away() {
    let mut scene = Scene::in_routine(HOP);
    scene.step("travel", r#"{"poi_id":"belt"}"#);
    assert_eq!(&*scene.call().tool, "travel");
    scene.leave();
    // The session is not open yet: the look opens it.
    let mut again = Scene::of(scene.stored());
    again.link(LinkState::None, Arc::default());
    again.order(MysisOrder::Start);
    assert_eq!(again.result_status(), [CallStatus::Unknown]);
    assert_eq!(again.asks().len(), 0, "the game is asked, not the model");
    assert_eq!(&*again.call().tool, "get_poi");
    again.link_with_routines();
    again.step("get_poi", r#"{"in_transit":true}"#);
    again.ring();
    again.step("get_poi", r#"{"poi":{"id":"base"}}"#);
    assert_eq!(again.asks().len(), 1);
    let report = again.report();
    assert!(report.contains("1 of 1 rounds with 2 calls"), "{report}");
    assert!(again.host_codes().contains(&"outcome_proven".to_string()));
}

#[test]
fn a_retry_leaves_a_routine_that_waits_for_a_look_alone() {
    let mut scene = Scene::in_routine(HOP);
    scene.step("travel", r#"{"poi_id":"belt"}"#);
    scene.leave();
    let mut again = scene.restarted();
    again.step("get_poi", r#"{"in_transit":true}"#);
    again.order(MysisOrder::Retry);
    assert_eq!(again.asks().len(), 0);
}

#[test]
fn a_lost_call_may_be_on_its_way_until_an_action_is_answered_well() {
    let is_unsettled = |scene: &Scene| restored(scene).is_unsettled;
    let mut scene = Scene::in_routine(MINE);
    assert!(!is_unsettled(&scene));
    scene.leave();
    scene.order(MysisOrder::Stop);
    assert!(is_unsettled(&scene), "nobody knows what became of the pull");
    scene.order(MysisOrder::Start);
    scene.want(&[(ROUTINE_START, MINE)]);
    assert!(is_unsettled(&scene));
    scene.step("mine", r#"{"quantity":2}"#);
    assert!(!is_unsettled(&scene), "the game has come to this one");
}

#[test]
fn the_operator_changes_the_routine_that_runs_from_its_next_step_on() {
    let mut scene = Scene::in_routine(MINE);
    scene.leave();
    let changes = r#"{"steps":[{"tool":"mine"},{"tool":"mine"}],"rounds":1}"#;
    scene.order(MysisOrder::EditRoutine(changes.into()));
    assert!(scene.host_codes().contains(&"routine_edited".to_string()));
    let mut again = scene.restarted();
    assert_eq!(again.result_status()[0], CallStatus::Unknown);
    scene.give_back(r#"{"quantity":2}"#);
    scene.step("mine", r#"{"quantity":2}"#);
    assert!(
        scene.report().contains("made 1 of 1 rounds"),
        "{}",
        scene.report()
    );
    // It is known so from now on, and it says so when it is asked.
    let known = restored(&scene);
    assert_eq!(known.find("ore").expect("known").rounds, 1);
    let answer = again.order(MysisOrder::EditRoutine(r#"{"name":"gas"}"#.into()));
    let refused = OrderRefusal::BadEdit(vec!["it knows no routine gas; it knows ore".to_string()]);
    assert_eq!(answer, Some(Err(refused)));
}

#[test]
fn a_routine_whose_stored_form_is_not_understood_does_not_go_on_and_that_is_told() {
    let mut scene = Scene::in_routine(MINE);
    scene.step("mine", "{}");
    let mut stored = scene.stored();
    let memos = &mut stored.recollection.memos;
    memos.insert(MemoKind::Routines, r#"{"run":{"earned":"much"}}"#.into());
    let mut again = Scene::of(stored);
    again.link_with_routines();
    again.order(MysisOrder::Start);
    assert!(again.host_codes().contains(&"routines_unknown".to_string()));
    assert!(again.life.routines.run.is_none());
    assert!(again.life.routines.is_unsettled, "a call may be on its way");
    assert_eq!(again.life.status().saved_calls, None);
    assert_eq!(again.asks().len(), 1, "the model goes on");
    assert!(again.report().contains("its routine was lost"));
}
