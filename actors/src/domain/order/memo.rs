//! Orders for one Mysis, and their answers, as one process of a fleet writes them down for another.

use serde_json::{Map, Value, json};
use zoea_text::redact::Redactor;

use super::{CompletedOrder, MysisOrder, Order, OrderRefusal, OrderResult};

const ORDER: &str = "order";
/// The member with what belongs to it, where that is one text.
const CONTENT: &str = "text";

/// The order as text, without secrets; `None` if it cannot be given to a Mysis of another process.
pub fn order_to_text(order: &Order, known: &Redactor) -> Option<String> {
    let order = match order {
        Order::ForMysis { order, .. } => order,
        Order::Delete { now, .. } => {
            return Some(json!({ORDER: "delete", "now": now}).to_string());
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
    // An order that is not passed on has no such form.
    let Ok(Value::Object(mut written)) = serde_json::to_value(&order) else {
        return None;
    };
    // Several members stand beside the name of the order.
    if let Some(Value::Object(members)) = written.get(CONTENT).cloned()
        && !members.is_empty()
    {
        written.remove(CONTENT);
        written.extend(members);
    }
    Some(Value::Object(written).to_string())
}

/// Reads an order for the Mysis with this name; `None` if this version does not know it.
pub fn order_from_text(name: &str, text: &str) -> Option<Order> {
    let mut read: Map<String, Value> = serde_json::from_str(text).ok()?;
    let word = read.remove(ORDER)?;
    if word == "delete" {
        return Some(Order::Delete {
            name: name.to_string(),
            now: read.get("now")?.as_bool()?,
        });
    }
    let mut written = json!({ ORDER: word });
    if let Some(text) = read.remove(CONTENT) {
        written[CONTENT] = text;
    } else if !read.is_empty() {
        written[CONTENT] = Value::Object(read);
    }
    let order: MysisOrder = serde_json::from_value(written).ok()?;
    Some(order.for_mysis(name))
}

/// The answer to such an order as text. One that no order which is passed on has is empty.
pub fn answer_to_text(answer: &OrderResult) -> String {
    let written = match answer {
        Ok(done) => serde_json::to_value(done).unwrap_or_else(|_| json!({})),
        Err(refusal) => json!({"refused": refusal.to_string()}),
    };
    written.to_string()
}

/// Reads the answer to such an order; `None` if this version does not know it.
#[must_use]
pub fn answer_from_text(text: &str) -> Option<OrderResult> {
    let read: Value = serde_json::from_str(text).ok()?;
    if let Some(why) = read["refused"].as_str() {
        return Some(Err(OrderRefusal::Because(why.to_string())));
    }
    let done: CompletedOrder = serde_json::from_value(read).ok()?;
    Some(Ok(done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seq;
    use crate::order::CompletedAction;
    use crate::record::{CONFIGURED_ROLE, ProfileChange};

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
            Remind => [MysisOrder::Remind {
                at: crate::ids::Timestamp(70),
                reminder: "go \"home\"".into(),
            }],
            CancelReminder => [MysisOrder::CancelReminder(3)],
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
        let answers: [OrderResult; 5] = [
            Ok(CompletedOrder::Done(CompletedAction::RoutineStopped)),
            Ok(CompletedOrder::Stored(Seq(7))),
            Ok(CompletedOrder::Routine("{}".into())),
            Ok(CompletedOrder::Reminded {
                id: "alpha:3".into(),
                at: crate::ids::Timestamp(70),
            }),
            Err(OrderRefusal::Because("mysis already running".to_string())),
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
