//! The parts of a status that have members of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use strum::VariantArray;

use crate::books::Day;
use crate::event::{Activity, LastToolCall, LinkState};
use crate::failing_calls::FailingCalls;
use crate::fault::{MysisFault, MysisFaultKind};
use crate::held::UndeliveredOrder;
use crate::ids::{CallKey, Lane, Seq};
use crate::model::AnswerProgress;
use crate::progress::{StallKind, Stuck};
use crate::routine::{CircleOffer, RoutineStatus, RunSource};
use crate::samples::{CurrentFigures, EarnedTrend, GameFacts, Gauge, ValueSums};
use crate::silence::Silence;

use super::{count_of, text_of, time_of};

static LINKS: [(LinkState, &str); 4] = [
    (LinkState::None, "none"),
    (LinkState::Ok, "ok"),
    (LinkState::Down, "down"),
    (LinkState::NoAccess, "no_access"),
];

/// The activities of one word.
static PLAIN: [(Activity, &str); 14] = [
    (Activity::Resting, "resting"),
    (Activity::Rebuilding, "rebuilding"),
    (Activity::Pausing, "pausing"),
    (Activity::Waiting, "waiting"),
    (Activity::Done, "done"),
    (Activity::Connecting, "connecting"),
    (Activity::CallingModel, "calling_model"),
    (Activity::Travelling, "travelling"),
    (Activity::Mining, "mining"),
    (Activity::Fighting, "fighting"),
    (Activity::InTransit, "in_transit"),
    (Activity::OnCooldown, "on_cooldown"),
    (Activity::Recording, "recording"),
    (Activity::Queueing(Lane::Logins), "queueing_logins"),
];
/// An activity that is about this.
type ActivityOf = fn(Arc<str>) -> Activity;

const QUEUEING_GAME: &str = "queueing_game";

const LOGIN_REFUSED: &str = "login_refused";

pub(super) fn link_json(link: &LinkState) -> Value {
    if let LinkState::LoginRefused(words) = link {
        return json!({ LOGIN_REFUSED: **words });
    }
    let known = LINKS.iter().find(|(known, _)| known == link);
    json!(known.map_or("none", |(_, word)| *word))
}

pub(super) fn read_link(read: &Value) -> LinkState {
    if let Some(words) = text_of(&read[LOGIN_REFUSED]) {
        return LinkState::LoginRefused(words);
    }
    let known = LINKS.iter().find(|(_, word)| read == word);
    known.map_or(LinkState::None, |(link, _)| link.clone())
}

/// An activity as its word, or as an object with its word and what it is about.
pub(super) fn activity_json(activity: &Activity) -> Value {
    match activity {
        Activity::Queueing(Lane::Provider(name)) => json!({"queueing": **name}),
        Activity::Queueing(Lane::Game) => json!(QUEUEING_GAME),
        Activity::AwaitingLogin(what) => json!({"awaiting_login": **what}),
        Activity::Answering(arrived) => json!({"answering": [arrived.words, arrived.thoughts]}),
        Activity::CoolingDown(why) => json!({"cooling_down": **why}),
        Activity::CallingTool(tool) => json!({"calling": **tool}),
        // Its values go from its own process to the server, so that it can be answered only there.
        Activity::Asked(question) => json!({"asked": question.summary()}),
        Activity::Paused(why) => json!({"paused": **why}),
        Activity::Resting
        | Activity::Rebuilding
        | Activity::Pausing
        | Activity::Waiting
        | Activity::Done
        | Activity::Queueing(Lane::Logins)
        | Activity::Connecting
        | Activity::CallingModel
        | Activity::Travelling
        | Activity::Mining
        | Activity::Fighting
        | Activity::InTransit
        | Activity::OnCooldown
        | Activity::Recording => {
            let known = PLAIN.iter().find(|(known, _)| known == activity);
            json!(known.map(|(_, word)| word))
        }
    }
}

pub(super) fn read_activity(read: &Value) -> Activity {
    if let Some(word) = read.as_str() {
        if word == QUEUEING_GAME {
            return Activity::Queueing(Lane::Game);
        }
        let known = PLAIN.iter().find(|(_, known)| *known == word);
        return known.map_or(Activity::Resting, |(activity, _)| activity.clone());
    }
    let of = |word: &str| text_of(&read[word]);
    if let Some(name) = of("queueing") {
        return Activity::Queueing(Lane::Provider(name));
    }
    if let Some(words) = read["answering"][0].as_u64() {
        let thoughts = read["answering"][1].as_u64().unwrap_or_default();
        return Activity::Answering(AnswerProgress { words, thoughts });
    }
    if let Some(summary) = of("asked") {
        let text = format!("{summary}; answer it at the process that runs it");
        return Activity::Paused(text.into());
    }
    let kinds: [(&str, ActivityOf); 4] = [
        ("awaiting_login", Activity::AwaitingLogin),
        ("cooling_down", Activity::CoolingDown),
        ("calling", Activity::CallingTool),
        ("paused", Activity::Paused),
    ];
    let known = kinds
        .iter()
        .find_map(|(word, activity)| of(word).map(activity));
    known.unwrap_or(Activity::Resting)
}

pub(super) fn fault_json(fault: &MysisFault) -> Value {
    json!({"kind": fault.kind.as_str(), "text": fault.text, "at": fault.at.0})
}

pub(super) fn read_fault(read: &Value) -> Option<MysisFault> {
    Some(MysisFault {
        kind: MysisFaultKind::parse(read["kind"].as_str()?)?,
        text: read["text"].as_str().unwrap_or_default().to_string(),
        at: time_of(&read["at"]).unwrap_or_default(),
    })
}

pub(super) fn stuck_json(stuck: &Stuck) -> Value {
    json!({
        "since": stuck.since.0,
        "turns": stuck.turns,
        "way": stuck.way.as_str(),
        "tool": stuck.tool.as_deref(),
    })
}

pub(super) fn read_stuck(read: &Value) -> Option<Stuck> {
    let word = read["way"].as_str()?;
    Some(Stuck {
        since: time_of(&read["since"]).unwrap_or_default(),
        turns: count_of(&read["turns"]),
        way: *StallKind::VARIANTS
            .iter()
            .find(|way| way.as_str() == word)?,
        tool: text_of(&read["tool"]),
    })
}

/// A silence that is told; `None` while its first turns are not over.
pub(super) fn silence_json(silence: &Silence) -> Option<Value> {
    let since = silence.since()?;
    Some(json!({"since": since.0, "finding": silence.finding()}))
}

pub(super) fn read_silence(read: &Value) -> Option<Arc<Silence>> {
    let since = time_of(&read["since"])?;
    let finding = read["finding"].as_str().map(str::to_string);
    Some(Arc::new(Silence::as_told(since, finding)))
}

pub(super) fn undelivered_json(order: &UndeliveredOrder) -> Value {
    json!({"since": order.since.0, "why": *order.why})
}

pub(super) fn read_undelivered(read: &Value) -> Option<Arc<UndeliveredOrder>> {
    Some(Arc::new(UndeliveredOrder {
        since: time_of(&read["since"])?,
        why: text_of(&read["why"])?,
    }))
}

pub(super) fn failing_json(failing: &FailingCalls) -> Value {
    let errors = failing.errors.iter();
    let errors: BTreeMap<&str, usize> = errors.map(|(error, times)| (&**error, *times)).collect();
    json!({"calls": failing.calls, "errors": errors, "since": failing.since.0})
}

pub(super) fn read_failing(read: &Value) -> Option<Arc<FailingCalls>> {
    let count = |value: &Value| usize::try_from(value.as_u64().unwrap_or_default()).unwrap_or(0);
    let errors = read["errors"].as_object()?.iter();
    let errors: BTreeMap<Arc<str>, usize> = errors
        .map(|(error, times)| (error.as_str().into(), count(times)))
        .collect();
    Some(Arc::new(FailingCalls {
        calls: count(&read["calls"]),
        failed: errors
            .values()
            .fold(0, |sum, times| sum.saturating_add(*times)),
        errors,
        since: time_of(&read["since"]).unwrap_or_default(),
    }))
}

pub(super) fn tool_call_json(call: &LastToolCall) -> Value {
    json!({"tool": *call.tool, "failed": call.is_error, "gist": *call.gist})
}

pub(super) fn read_tool_call(read: &Value) -> Option<Arc<LastToolCall>> {
    Some(Arc::new(LastToolCall {
        tool: text_of(&read["tool"])?,
        is_error: read["failed"].as_bool().unwrap_or_default(),
        gist: read["gist"].as_str().unwrap_or_default().into(),
    }))
}

pub(super) fn figures_json(figures: &CurrentFigures) -> Value {
    let facts = &figures.facts;
    let gauge = |gauge: Gauge| json!([gauge.now, gauge.most]);
    let (newest, earned, is_known) = figures.trend.parts();
    let value = figures.value;
    json!({
        "credits": facts.credits,
        "system": facts.system.as_deref(),
        "poi": facts.poi.as_deref(),
        "docked": facts.docked,
        "fuel": gauge(facts.fuel),
        "fuel_old": facts.is_fuel_old,
        "cargo": gauge(facts.cargo),
        "cargo_old": facts.is_cargo_old,
        "hull": gauge(facts.hull),
        "trend": is_known.then(|| json!({"newest": newest, "earned": earned})),
        "value": [value.earned, value.told, value.cost_micros, value.tokens_unpriced],
        "cost": [figures.cost.0.0, figures.cost.1],
    })
}

pub(super) fn read_figures(read: &Value) -> CurrentFigures {
    let gauge = |name: &str| Gauge {
        now: read[name][0]
            .as_u64()
            .map(|level| u32::try_from(level).unwrap_or(u32::MAX)),
        most: read[name][1]
            .as_u64()
            .map(|level| u32::try_from(level).unwrap_or(u32::MAX)),
    };
    let value = |place: usize| read["value"][place].as_u64().unwrap_or_default();
    let points = read["trend"]["earned"].as_array();
    let trend = points.zip(read["trend"]["newest"].as_i64());
    CurrentFigures {
        facts: GameFacts {
            credits: read["credits"].as_i64(),
            system: text_of(&read["system"]),
            poi: text_of(&read["poi"]),
            docked: read["docked"].as_bool(),
            fuel: gauge("fuel"),
            is_fuel_old: read["fuel_old"].as_bool().unwrap_or_default(),
            cargo: gauge("cargo"),
            is_cargo_old: read["cargo_old"].as_bool().unwrap_or_default(),
            hull: gauge("hull"),
        },
        trend: trend.map_or_else(EarnedTrend::default, |(points, newest)| {
            EarnedTrend::of_parts(
                newest,
                points.iter().map(|point| point.as_i64().unwrap_or(0)),
            )
        }),
        value: ValueSums {
            earned: read["value"][0].as_i64().unwrap_or_default(),
            told: value(1),
            cost_micros: value(2),
            tokens_unpriced: value(3),
        },
        cost: (
            Day(read["cost"][0].as_i64().unwrap_or_default()),
            read["cost"][1].as_u64().unwrap_or_default(),
        ),
    }
}

pub(super) fn routine_json(routine: &RoutineStatus) -> Value {
    json!({
        "name": *routine.name,
        "source": routine.source.as_str(),
        "round": routine.round,
        "rounds": routine.rounds,
        "calls": routine.calls,
        "earned": routine.earned,
        "earned_an_hour": routine.earned_an_hour,
    })
}

pub(super) fn read_routine(read: &Value) -> Option<Arc<RoutineStatus>> {
    let (seq, position) = (Seq(0), 0);
    Some(Arc::new(RoutineStatus {
        name: text_of(&read["name"])?,
        source: match read["source"].as_str() {
            Some("model") => RunSource::Model(CallKey { seq, position }),
            Some("runtime") => RunSource::Runtime,
            Some(_) | None => RunSource::Operator,
        },
        round: count_of(&read["round"]),
        rounds: count_of(&read["rounds"]),
        calls: count_of(&read["calls"]),
        earned: read["earned"].as_i64().unwrap_or_default(),
        earned_an_hour: read["earned_an_hour"].as_i64(),
    }))
}

pub(super) fn circle_json(circle: &CircleOffer) -> Value {
    json!({
        "name": *circle.name,
        "earned": circle.earned,
        "rounds": circle.rounds,
        "steps": *circle.steps,
    })
}

pub(super) fn read_circle(read: &Value) -> Option<Arc<CircleOffer>> {
    Some(Arc::new(CircleOffer {
        name: text_of(&read["name"])?,
        earned: read["earned"].as_i64().unwrap_or_default(),
        rounds: count_of(&read["rounds"]),
        steps: text_of(&read["steps"]).unwrap_or_default(),
    }))
}
