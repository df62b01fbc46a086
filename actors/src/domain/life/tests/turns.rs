//! Turns: prompt, calls, results and the final text, and what comes in between.

use super::*;
use crate::bounds::MAX_CALLS;
use crate::event::Activity;

#[test]
fn a_turn_is_prompt_calls_results_and_a_closing_word() {
    let mut scene = Scene::new();
    scene.prompt("mine some ore");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back("3 iron ore");
    assert_eq!(scene.asks().len(), 2);
    scene.say("done");
    let expected = [
        RowKind::Prompt,
        RowKind::Call,
        RowKind::Result,
        RowKind::Reply,
    ];
    assert_eq!(scene.kinds(), expected);
    assert_eq!(scene.wait(), Duration::from_secs(2));
    let status = scene.life.status();
    assert_eq!(status.totals.turns, 1);
    assert_eq!(status.totals.tokens_in, 100);
    assert_eq!(status.totals.cost_micros, 120);
    assert_eq!(status.tick, Some(42));
    assert_eq!(&*status.last_words, "done");
}

#[test]
fn nothing_leaves_before_the_store_has_it() {
    let mut scene = Scene::new();
    // A frozen swarm marks a call only when it leaves.
    scene.life.set_frozen(true);
    scene.prompt("mine");
    scene.store_works = false;
    scene.want(&[("mine", "{}")]);
    let called = |scene: &Scene| scene.effects.iter().any(|e| matches!(e, Effect::Call(_)));
    assert!(!called(&scene), "the call is recorded first");
    scene.record_all();
    assert!(called(&scene));
    scene.leave();
    let released = |scene: &Scene| {
        scene
            .effects
            .iter()
            .any(|e| matches!(e, Effect::Release { .. }))
    };
    assert!(!released(&scene), "the call is marked as sent first");
    scene.record_all();
    assert!(released(&scene));
}

#[test]
fn calls_are_made_one_after_the_other() {
    let mut scene = Scene::new();
    scene.prompt("go");
    scene.want(&[("mine", "{}"), ("get_status", "{}")]);
    let calls = |scene: &Scene| {
        scene
            .effects
            .iter()
            .filter(|e| matches!(e, Effect::Call(_)))
            .count()
    };
    assert_eq!(calls(&scene), 1);
    scene.leave();
    scene.give_back("ore");
    assert_eq!(calls(&scene), 2);
    assert!(scene.call().read_only);
    assert_eq!(scene.asks().len(), 1);
    scene.leave();
    scene.give_back("status");
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn a_message_in_a_turn_is_seen_at_the_next_model_call() {
    let mut scene = Scene::new();
    scene.prompt("mine");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.prompt("and hurry");
    assert_eq!(scene.asks().len(), 1, "it starts no turn of its own");
    scene.give_back("ore");
    assert_eq!(scene.last_message(), user("and hurry"));
}

#[test]
fn a_message_that_comes_while_the_model_speaks_is_answered_next() {
    let mut scene = Scene::new();
    scene.prompt("first");
    scene.prompt("second");
    scene.say("answer to the first");
    assert_eq!(scene.asks().len(), 2, "the turn goes on");
    let expected = [
        ChatMessage::System("you are alpha".into()),
        user("first"),
        ChatMessage::Assistant {
            text: "answer to the first".into(),
            calls: vec![],
            echo: None,
        },
        user("second"),
    ];
    assert_eq!(*scene.asked().messages, expected);
    scene.say("answer to the second");
    assert_eq!(scene.life.status().totals.turns, 1);
    assert_eq!(scene.asks().len(), 2);
}

#[test]
fn a_mission_that_comes_while_the_model_speaks_is_taken_up_at_once() {
    let mut scene = Scene::new();
    scene.prompt("first");
    scene.order(MysisOrder::Mission(mission("mine")));
    scene.say("done");
    assert_eq!(scene.asks().len(), 2, "without a pause");
    assert_eq!(scene.last_message(), user("mine"));
}

#[test]
fn a_message_ends_the_pause() {
    let mut scene = Scene::new();
    scene.prompt("one");
    scene.say("done");
    scene.prompt("two");
    assert_eq!(scene.asks().len(), 2);
    let stale = scene.alarm();
    scene.say("done again");
    assert_ne!(scene.alarm(), stale);
    let asks = scene.asks().len();
    scene.handle(LifeInput::Rang { alarm: stale });
    assert_eq!(
        scene.asks().len(),
        asks,
        "an alarm of an older pause is dropped"
    );
}

#[test]
fn the_limit_ends_the_turn_and_the_order_stays_pinned() {
    let mut scene = Scene::new();
    scene.prompt("mine for ever");
    for _ in 0..3 {
        scene.want(&[("mine", "{}")]);
        scene.leave();
        scene.give_back("ore");
    }
    assert_eq!(scene.asks().len(), 3);
    assert_eq!(scene.host_codes(), ["turn_limit"]);
    assert_eq!(scene.life.status().totals.turns, 1);
    scene.ring();
    assert_eq!(scene.asks().len(), 4);
    assert!(scene.asked().messages.contains(&user("mine for ever")));
}

#[test]
fn late_and_foreign_answers_are_dropped() {
    let mut scene = Scene::new();
    scene.prompt("go");
    let stale = TaskId(999);
    scene.handle(LifeInput::Replied {
        work: stale,
        provider: "local".into(),
        result: Ok(ModelAnswer::default()),
        ms: 1,
        others: OthersGet::Nobody,
    });
    scene.handle(LifeInput::Returned {
        work: stale,
        outcome: outcome("late", CallStatus::Done),
    });
    scene.handle(LifeInput::Leaving { work: stale });
    scene.handle(LifeInput::Rang {
        alarm: AlarmId(999),
    });
    scene.handle(LifeInput::Recorded {
        write_id: WriteId(999),
        outcome: Ok(()),
    });
    assert_eq!(scene.kinds(), [RowKind::Prompt]);
    assert_eq!(scene.asks().len(), 1);
}

#[test]
fn of_ten_thousand_calls_the_first_are_made_and_the_model_and_the_operator_hear_of_the_rest() {
    let mut scene = Scene::new();
    scene.prompt("mine");
    let call = RequestedCall {
        name: "mine".to_string(),
        ..RequestedCall::default()
    };
    scene.reply(ModelAnswer {
        calls: vec![call; 10_000],
        usage: Some(TokenUsage {
            input: 100,
            ..TokenUsage::default()
        }),
        ..ModelAnswer::default()
    });
    for _ in 0..MAX_CALLS {
        scene.leave();
        scene.give_back("ore");
    }
    let results = scene.result_status();
    assert_eq!(
        results.len(),
        MAX_CALLS + 1,
        "every recorded call has its result"
    );
    let done = results.iter().filter(|status| **status == CallStatus::Done);
    assert_eq!(done.count(), MAX_CALLS);
    assert_eq!(results.last(), Some(&CallStatus::NotExecuted));
    let ChatMessage::Tool { text, .. } = scene.last_message() else {
        panic!("the model is told");
    };
    assert!(
        text.contains("too_many_calls") && text.contains("first 64"),
        "{text}"
    );
    assert_eq!(scene.host_codes(), ["too_many_calls"]);
    assert_eq!(scene.asks().len(), 2, "the turn goes on");
    assert_eq!(
        scene.life.status().totals.tokens_in,
        100,
        "and its cost counts"
    );
}

#[test]
fn a_figure_that_is_not_believed_is_told_and_sums_come_to_an_end() {
    let mut scene = Scene::new();
    for _ in 0..3 {
        scene.prompt("mine");
        scene.reply(ModelAnswer {
            text: "done".to_string(),
            usage: Some(TokenUsage {
                input: u64::MAX,
                output: u64::MAX,
                cached: u64::MAX,
            }),
            doubt: Some("odd figures".into()),
            ..ModelAnswer::default()
        });
    }
    let totals = scene.life.status().totals;
    assert_eq!((totals.tokens_in, totals.tokens_out), (0, 0));
    assert!(scene.host_codes().contains(&"answer_doubted".to_string()));
}

#[test]
fn an_order_that_comes_with_the_last_question_of_a_turn_begins_the_next_one() {
    let mut scene = Scene::new();
    scene.prompt("mine");
    for _ in 0..2 {
        scene.want(&[("mine", "{}")]);
        scene.leave();
        scene.give_back("ore");
    }
    scene.prompt("and sell it");
    let asked = scene.asks().len();
    // The third model call is the last one that a turn may have.
    scene.say("mined");
    assert!(!scene.host_codes().contains(&"turn_limit".to_string()));
    assert_eq!(scene.asks().len(), asked + 1);
    assert_eq!(scene.life.status().totals.turns, 1);
    assert_eq!(scene.life.turn, TurnNumber(2));
    assert_eq!(scene.last_message(), user("and sell it"));
}

#[test]
fn what_a_mysis_does_is_shown_while_its_call_is_out() {
    for (tool, activity) in [
        ("travel", Activity::Travelling),
        ("jump", Activity::Travelling),
        ("mine", Activity::Mining),
        ("attack", Activity::Fighting),
        ("battle", Activity::Fighting),
        ("reload", Activity::Fighting),
        ("get_status", Activity::CallingTool("get_status".into())),
    ] {
        let mut scene = Scene::new();
        let tools = [tool, "dock", "undock"].map(bare_tool);
        scene.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
        scene.prompt("go");
        scene.want(&[(tool, "{}")]);
        assert_eq!(scene.life.status().activity, activity, "{tool}");
    }
}

#[test]
fn of_a_tool_that_is_no_games_nothing_is_shown_and_read_but_its_name_and_its_answer() {
    let mut scene = Scene::new();
    let tools = ["travel", "get_status", "sell", "read_file"].map(|name| ToolSpec {
        name: name.into(),
        description: "".into(),
        schema: "{}".into(),
        read_only_hint: Some(true),
    });
    scene.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
    scene.prompt("go");
    scene.want(&[("travel", "{}"), ("get_status", "{}")]);
    let status = scene.life.status();
    assert_eq!(status.activity, Activity::CallingTool("travel".into()));
    let notices = r#"{"player":{"credits":7,"current_system":"sol"},"current_tick":5}"#;
    scene.leave();
    scene.give_back(notices);
    scene.leave();
    scene.give_back(notices);
    let status = scene.life.status();
    assert_eq!(status.figures.facts, crate::samples::GameFacts::default());
    assert_eq!(
        status.last_tool_call.as_ref().map(|it| it.gist.to_string()),
        Some("player.credits 7, player.current_system sol, current_tick 5".to_string())
    );
    assert!(scene.life.game.is_empty(), "no result stands for another");
    let calls = scene.life.conversation.rows().flat_map(|row| row.calls());
    let kinds: Vec<bool> = calls.map(|call| call.read_only).collect();
    assert_eq!(kinds, [false, false], "what the server says is no proof");
}

#[test]
fn a_life_knows_who_it_is() {
    let life = Scene::new().life;
    let who = (life.id(), life.incarnation(), &**life.name());
    assert_eq!(who, (MysisId(7), Incarnation(1), "alpha"));
}

#[test]
fn what_was_used_is_stored_with_the_row_that_tells_of_it() {
    let mut scene = Scene::new();
    scene.prompt("mine");
    scene.reply(ModelAnswer {
        calls: vec![RequestedCall {
            id: "a".into(),
            name: "mine".into(),
            arguments: "{}".into(),
        }],
        usage: Some(TokenUsage {
            input: 70,
            output: 7,
            cached: 0,
        }),
        ..ModelAnswer::default()
    });
    scene.leave();
    scene.give_back("ore");
    scene.say("done");
    let stored = |effect: &Effect| {
        let Effect::Record { writes, .. } = effect else {
            return None;
        };
        let kind = writes.iter().find_map(|write| match write {
            Write::Append { row, .. } => row.kind(),
            _ => None,
        });
        writes.iter().find_map(|write| match write {
            Write::Totals { totals, .. } => Some((kind, totals.tokens_in, totals.turns)),
            _ => None,
        })
    };
    let stored: Vec<_> = scene.effects.iter().filter_map(stored).collect();
    assert_eq!(
        stored,
        [(Some(RowKind::Call), 70, 0), (Some(RowKind::Reply), 170, 1)]
    );
}
