//! Orders for one Mysis, and their answers, as one process of a fleet writes them down for another.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use strum::VariantArray;
use zoea_text::redact::Redactor;

use super::{CompletedAction, CompletedOrder, MysisOrder, Order, OrderRefusal, OrderResult};
use crate::ids::Seq;
use crate::record::ProfileChange;

/// The order as text, without secrets; `None` if it cannot be given to a Mysis of another process.
#[must_use]
pub fn order_to_text(order: &Order, known: &Redactor) -> Option<String> {
    let order = match order {
        Order::ForMysis { order, .. } => order,
        Order::Delete { now, .. } => {
            return Some(json!({"order": "delete", "now": now}).to_string());
        }
        Order::Create { .. }
        | Order::Undelete { .. }
        | Order::ShowRequest { .. }
        | Order::Broadcast { .. }
        | Order::ClearMission
        | Order::PoolAccounts(_)
        | Order::Reload
        | Order::RaiseBudget(_)
        | Order::Freeze
        | Order::ForgetHeld { .. }
        | Order::Drain { .. }
        | Order::Thaw => return None,
    };
    let mut order = order.clone();
    order.remove_secrets(known);
    let written = match &order {
        MysisOrder::Start => json!({"order": "start"}),
        MysisOrder::Retry => json!({"order": "retry"}),
        MysisOrder::Stop => json!({"order": "stop"}),
        MysisOrder::Prompt(text) => json!({"order": "message", "text": **text}),
        MysisOrder::Note(text) => json!({"order": "note", "text": **text}),
        MysisOrder::ClearNotes => json!({"order": "clear_notes"}),
        MysisOrder::Configure(change) => change_json(change),
        MysisOrder::StartRoutine(text) => json!({"order": "start_routine", "text": **text}),
        MysisOrder::EditRoutine(text) => json!({"order": "edit_routine", "text": **text}),
        MysisOrder::StopRoutine => json!({"order": "stop_routine"}),
        // A mission reaches every process by itself, and the values of an answer are stored nowhere.
        MysisOrder::Mission(_) | MysisOrder::Answer(_) => return None,
    };
    Some(written.to_string())
}

/// What is absent stays.
fn change_json(change: &ProfileChange) -> Value {
    let mut written = Map::from_iter([("order".to_string(), json!("configure"))]);
    if let Some(provider) = &change.provider {
        written.insert("provider".to_string(), json!(**provider));
    }
    if let Some(model) = &change.model {
        written.insert("model".to_string(), json!(model.as_deref()));
    }
    if let Some(temperature) = change.temperature {
        written.insert("temperature".to_string(), json!(temperature));
    }
    if let Some(role) = &change.role {
        written.insert("role".to_string(), json!(role.as_deref()));
    }
    if let Some(follows) = change.follows_role {
        written.insert("follows_role".to_string(), json!(follows));
    }
    Value::Object(written)
}

/// Reads an order for the Mysis with this name; `None` if this version does not know it.
#[must_use]
pub fn order_from_text(name: &str, text: &str) -> Option<Order> {
    let read: Value = serde_json::from_str(text).ok()?;
    let text = || read["text"].as_str().map(Arc::<str>::from);
    let order = match read["order"].as_str()? {
        "start" => MysisOrder::Start,
        "retry" => MysisOrder::Retry,
        "stop" => MysisOrder::Stop,
        "message" => MysisOrder::Prompt(text()?),
        "note" => MysisOrder::Note(text()?),
        "clear_notes" => MysisOrder::ClearNotes,
        "configure" => MysisOrder::Configure(read_change(&read)),
        "start_routine" => MysisOrder::StartRoutine(text()?),
        "edit_routine" => MysisOrder::EditRoutine(text()?),
        "stop_routine" => MysisOrder::StopRoutine,
        "delete" => {
            let (name, now) = (name.to_string(), read["now"] == true);
            return Some(Order::Delete { name, now });
        }
        _ => return None,
    };
    Some(order.for_mysis(name))
}

#[expect(clippy::cast_possible_truncation, reason = "it was an f32 before")]
fn read_change(read: &Value) -> ProfileChange {
    let named = |member: &str| Some(read.get(member)?.as_str().map(Into::into));
    ProfileChange {
        provider: read["provider"].as_str().map(Into::into),
        model: named("model"),
        temperature: read["temperature"].as_f64().map(|value| value as f32),
        role: named("role"),
        follows_role: read["follows_role"].as_bool(),
    }
}

/// The answer to such an order as text.
#[must_use]
pub fn answer_to_text(answer: &OrderResult) -> String {
    let written = match answer {
        Ok(CompletedOrder::Done(action)) => json!({"done": action.as_str()}),
        Ok(CompletedOrder::Stored(seq)) => json!({"stored": seq.0}),
        Ok(CompletedOrder::Routine(text)) => json!({"routine": **text}),
        // No order that is passed on has another answer.
        Ok(_) => json!({}),
        Err(refusal) => json!({"refused": refusal.to_string()}),
    };
    written.to_string()
}

/// Reads the answer to such an order; `None` if this version does not know it.
#[must_use]
pub fn answer_from_text(text: &str) -> Option<OrderResult> {
    let read: Value = serde_json::from_str(text).ok()?;
    if let Some(why) = read["refused"].as_str() {
        return Some(Err(OrderRefusal::Told(why.to_string())));
    }
    if let Some(seq) = read["stored"].as_i64() {
        return Some(Ok(CompletedOrder::Stored(Seq(seq))));
    }
    if let Some(text) = read["routine"].as_str() {
        return Some(Ok(CompletedOrder::Routine(text.into())));
    }
    let word = read["done"].as_str()?;
    let mut actions = CompletedAction::VARIANTS.iter();
    let action = actions.find(|action| action.as_str() == word)?;
    Some(Ok(CompletedOrder::Done(*action)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::CONFIGURED_ROLE;

    #[test]
    fn every_order_that_is_passed_on_reads_back() {
        let change = ProfileChange::of(Some("local".into()), None, Some(0.5));
        let all = zoea_golden::every!(MysisOrder:
            Start => [MysisOrder::Start],
            Retry => [MysisOrder::Retry],
            Stop => [MysisOrder::Stop],
            Prompt => [MysisOrder::Prompt("go \"home\"\u{0}\n".into())],
            Note => [MysisOrder::Note("a note".into())],
            ClearNotes => [MysisOrder::ClearNotes],
            Configure => [
                MysisOrder::Configure(change),
                MysisOrder::Configure(ProfileChange::of(None, Some("qwen".into()), None)),
                MysisOrder::Configure(ProfileChange::default().with_role(Some("miner".into()))),
                MysisOrder::Configure(ProfileChange::default().with_role(Some(CONFIGURED_ROLE.into()))),
            ],
            StartRoutine => [MysisOrder::StartRoutine("{\"name\":\"mining\"}".into())],
            EditRoutine => [MysisOrder::EditRoutine("{\"rounds\":9}".into())],
            StopRoutine => [MysisOrder::StopRoutine],
            // Neither is passed on.
            Mission => [],
            Answer => [],
        );
        let mut all: Vec<Order> = all.map(|order| order.for_mysis("alpha")).into();
        all.extend([false, true].map(|now| Order::Delete {
            name: "alpha".to_string(),
            now,
        }));
        let texts = all
            .iter()
            .filter_map(|order| order_to_text(order, &Redactor::default()));
        zoea_golden::hold_texts("orders.json", texts);
        for order in all {
            let text = order_to_text(&order, &Redactor::default()).expect("it is passed on");
            assert_eq!(order_from_text("alpha", &text), Some(order));
        }
        assert_eq!(order_to_text(&Order::Freeze, &Redactor::default()), None);
        for unknown in ["", "{}", "{\"order\":\"dance\"}", "{\"order\":\"note\"}"] {
            assert_eq!(order_from_text("alpha", unknown), None, "{unknown}");
        }
    }

    #[test]
    fn answers_read_back_in_the_same_words() {
        let answers: [OrderResult; 4] = [
            Ok(CompletedOrder::Done(CompletedAction::RoutineStopped)),
            Ok(CompletedOrder::Stored(Seq(7))),
            Ok(CompletedOrder::Routine("{}".into())),
            Err(OrderRefusal::Told("mysis already running".to_string())),
        ];
        zoea_golden::hold_texts("answers.json", answers.iter().map(answer_to_text));
        for answer in answers {
            assert_eq!(answer_from_text(&answer_to_text(&answer)), Some(answer));
        }
        let refused = Err(OrderRefusal::AlreadyRunning);
        let read = answer_from_text(&answer_to_text(&refused)).expect("an answer");
        let words = |answer: OrderResult| answer.unwrap_err().to_string();
        assert_eq!(words(read), words(refused));
        assert_eq!(answer_from_text("{}"), None);
    }
}
