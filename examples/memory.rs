//! The memory of a Mysis between two turns, without session, actor and screen.
//!
//! `cargo run --release --example memory -- [MYSES] [TURNS] [RESULT_BYTES]` (1000, 50 and 2048 by
//! default). Each Mysis plays that many turns of one call with a result of that size, then rests.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::Arc;

use actors::domain::event::LinkState;
use actors::domain::ids::{MissionId, MysisId, Now, Timestamp};
use actors::domain::life::{Effect, Life, LifeInput, ReplyId, RestoreArgs, ToolOutcome};
use actors::domain::message::CallStatus;
use actors::domain::model::{ModelAnswer, OthersGet, RequestedCall};
use actors::domain::order::MysisOrder;
use actors::domain::record::{Mission, MysisProfile, MysisRecord};
use actors::domain::rules::SwarmRules;
use actors::domain::tool::{ToolSpec, Toolset};
use zoea_scenes::life::first_life;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise: usize| {
        let given = arguments.next().and_then(|given| given.parse().ok());
        given.unwrap_or(otherwise)
    };
    let (myses, turns, result) = (number(1000), number(50), number(2048));
    let tools = ["mine", "get_status"].map(|name| ToolSpec {
        name: name.into(),
        description: "".into(),
        schema: "{}".into(),
        read_only_hint: None,
    });
    let (rules, tools) = (Arc::new(rules()), Arc::new(Toolset::new(tools)));
    // The first Mysis also allocates what all of them share.
    let first = rested(0, &rules, &tools, turns, result);
    let before = resident()?;
    let lives: Vec<Life> = (1..=myses)
        .map(|id| rested(id as i64, &rules, &tools, turns, result))
        .collect();
    let after = resident()?;
    let each = after.saturating_sub(before) as f64 / 1024.0 / lives.len().max(1) as f64;
    writeln!(
        std::io::stdout(),
        "{myses} Myses after {turns} turns with results of {result} bytes: {each:.1} KiB each"
    )?;
    drop(first);
    Ok(())
}

/// The resident memory of this process in bytes, as the kernel counts it.
fn resident() -> std::io::Result<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let resident = pages.split_whitespace().nth(1);
    Ok(resident
        .and_then(|pages| pages.parse::<usize>().ok())
        .unwrap_or(0)
        * 4096)
}

/// A Mysis on a mission, between two turns.
fn rested(
    id: i64,
    rules: &Arc<SwarmRules>,
    tools: &Arc<Toolset>,
    turns: usize,
    result: usize,
) -> Life {
    let (mut life, effects) = Life::restore(past(id, rules), Now::default());
    let mut todo: VecDeque<Effect> = effects.into();
    let mut now = 0;
    let mut handle = |life: &mut Life, todo: &mut VecDeque<Effect>, input: LifeInput| {
        now += 100;
        todo.extend(life.handle(input, Now::from_timestamp(Timestamp(now))));
    };
    handle(
        &mut life,
        &mut todo,
        LifeInput::Linked {
            link: LinkState::Ok,
            tools: tools.clone(),
            account: Some("alpha".into()),
        },
    );
    let mission = Mission {
        id: MissionId(1),
        text: "Mine ore and sell it.".into(),
        at: Timestamp(0),
    };
    let order = MysisOrder::Mission(mission);
    handle(
        &mut life,
        &mut todo,
        LifeInput::Ordered {
            reply: ReplyId(1),
            order,
        },
    );
    let mut asked = 0;
    while let Some(effect) = todo.pop_front() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest goes to others")]
        let input = match effect {
            Effect::Record { write_id, .. } => LifeInput::Recorded {
                write_id,
                outcome: Ok(()),
            },
            Effect::Ask(ask) => {
                asked += 1;
                let answer = answer(asked);
                LifeInput::Replied {
                    work: ask.work,
                    provider: "".into(),
                    result: Ok(answer),
                    ms: 1,
                    others: OthersGet::Nobody,
                }
            }
            Effect::Call(call) => {
                handle(&mut life, &mut todo, LifeInput::Leaving { work: call.work });
                let outcome = ToolOutcome {
                    text: format!(r#"{{"ore":"{}"}}"#, "x".repeat(result)),
                    status: CallStatus::Done,
                    ms: Some(1),
                    tick: Some(asked),
                };
                LifeInput::Returned {
                    work: call.work,
                    outcome,
                }
            }
            Effect::Wake { alarm, .. } if asked < turns as i64 * 2 => LifeInput::Rang { alarm },
            _ => continue,
        };
        handle(&mut life, &mut todo, input);
    }
    life
}

/// Alternately a call and words, each with reasoning.
fn answer(asked: i64) -> ModelAnswer {
    let tool = if asked % 4 == 1 { "mine" } else { "get_status" };
    let call = RequestedCall {
        id: format!("call_abcdefghij{asked}"),
        name: tool.to_string(),
        arguments: "{}".to_string(),
    };
    ModelAnswer {
        doubt: None,
        text: "I mined three units of iron ore and will sell them.".repeat(2),
        reasoning: Some("The operator wants ore, so I should mine. ".repeat(40)),
        calls: if asked % 2 == 1 {
            vec![call]
        } else {
            Vec::new()
        },
        ..ModelAnswer::default()
    }
}

fn past(id: i64, rules: &Arc<SwarmRules>) -> RestoreArgs {
    let profile = MysisProfile::of(&format!("mysis-{id}"), "local");
    let record = MysisRecord {
        account: Some("alpha".into()),
        ..MysisRecord::new(MysisId(id), profile, Timestamp(0))
    };
    first_life(record, rules.clone())
}

fn rules() -> SwarmRules {
    SwarmRules {
        max_myses: 10_000,
        ..SwarmRules::default()
    }
}
