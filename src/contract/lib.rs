//! The JSON that scripts and other programs rely on, as CONTRACT.md has it.

use std::sync::Arc;

use actors::domain::books::{BudgetUse, CostEntry, Day};
use actors::domain::budget::BudgetStatus;
use actors::domain::event::{EventKind, MysisStatus, SwarmEvent};
use actors::domain::event_record::{EventRecord, OrderSource};
use actors::domain::ids::Timestamp;
use actors::domain::message::{ReplyMeta, Row, RowBody, RowKind};
use actors::domain::model::TokenUsage;
use actors::domain::order::{CompletedOrder, OrderRefusal};
use actors::domain::outages::{ServerLabel, ServerOutages};
use actors::domain::write::AccountRecord;
use serde_json::{Value, json};

/// A Mysis in `mysis list --json`.
#[must_use]
pub fn mysis_status_json(
    standing: &MysisStatus,
    has_price: bool,
    weather: &ServerOutages,
) -> Value {
    let away = standing
        .activity
        .awaited_lane()
        .and_then(|lane| weather.of(lane));
    let until = away.map(|away| away.next_try);
    let until = until.or(standing.activity_until);
    let activity = match away {
        Some(away) => format!("waiting for {}: {}", ServerLabel(&away.lane), away.text),
        None => standing.activity.to_string(),
    };
    let cost = has_price.then(|| dollars(standing.totals.cost_micros));
    json!({
        "id": standing.id.to_string(),
        "name": *standing.name,
        "provider": *standing.provider,
        "model": *standing.model,
        "state": standing.state.as_str(),
        "reason": standing.reason.as_deref(),
        "activity": activity,
        "activity_until": until.map(|at| at.to_string()),
        "account": standing.account.as_deref(),
        "mcp": standing.link.as_str(),
        "tick": standing.tick,
        "nudges": standing.nudges,
        "turns": standing.totals.turns,
        "tokens_in": standing.totals.tokens_in,
        "tokens_out": standing.totals.tokens_out,
        "cost": cost,
        "last_activity_at": standing.last_activity_at.to_string(),
    })
}

/// The servers that are away in `status`, each since when, why, and when it is tried next.
#[must_use]
pub fn weather_json(weather: &ServerOutages) -> Value {
    let away = weather.0.iter().map(|away| {
        json!({
            "server": ServerLabel(&away.lane).to_string(),
            "since": away.since.to_string(),
            "text": *away.text,
            "next_try": away.next_try.to_string(),
        })
    });
    away.collect()
}

/// The day so far in `status`: what was spent, and how much of the budget that is.
#[must_use]
pub fn spending_json(spending: &BudgetStatus, has_price: bool, now: Timestamp) -> Value {
    let today = Day::of(now);
    let spent = if spending.day == today {
        spending.swarm
    } else {
        BudgetUse::default()
    };
    let mut value = budget_use_json(&spent, has_price);
    value["day"] = json!(today.to_string());
    value["budget_percent"] = json!(spending.percent_at(now));
    value
}

/// A line of the books in `books --json`; a Mysis that is deleted has no name any more.
#[must_use]
pub fn books_entry_json(entry: &CostEntry, name: Option<&str>) -> Value {
    let mut value = budget_use_json(&entry.spent, true);
    value["day"] = json!(entry.day.to_string());
    value["mysis"] = json!(name);
    value["mysis_id"] = json!(entry.mysis.to_string());
    value["provider"] = json!(*entry.provider);
    value
}

fn budget_use_json(spent: &BudgetUse, has_price: bool) -> Value {
    json!({
        "calls": spent.calls,
        "tokens_in": spent.input,
        "tokens_out": spent.output,
        "tokens_cached": spent.cached,
        "cost": has_price.then(|| dollars(spent.cost_micros)),
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a cost in dollars; nobody spends 2^52 millionths"
)]
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// A row in `log --json`.
#[must_use]
pub fn row_json(row: &Row) -> Value {
    let kind = row.kind();
    let calls: Vec<Value> = row
        .calls()
        .iter()
        .map(|call| {
            json!({
                "id": *call.id,
                "name": *call.name,
                "arguments": arguments_json(&call.arguments),
                "status": call.status.as_str(),
            })
        })
        .collect();
    let reasoning = row.utterance().and_then(|said| said.reasoning.as_deref());
    json!({
        "seq": row.seq.0,
        "at": row.at.to_string(),
        "role": kind.and_then(RowKind::role),
        "source": kind.map(RowKind::source),
        "kind": row.kind_word(),
        "content": **row.text(),
        "reasoning": reasoning,
        "sender": row.sender(),
        "tool_calls": calls,
        "tool_call_id": row.result().map(|(_, _, meta)| &*meta.call_id),
        "metadata": row_metadata(row),
    })
}

/// Arguments as the JSON object that they are, or the text as it came where they are none.
fn arguments_json(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Value::Object(object),
        Ok(_) | Err(_) => Value::String(text.to_string()),
    }
}

/// A row that a search found, in `search --json`.
#[must_use]
pub fn search_hit_json(mysis: Option<&str>, row: &Row) -> Value {
    json!({
        "mysis": mysis,
        "seq": row.seq.0,
        "at": row.at.to_string(),
        "kind": row.kind_word(),
        "content": **row.text(),
        "reasoning": row.utterance().and_then(|said| said.reasoning.as_deref()),
    })
}

/// A game account in `accounts list --json`: without its password.
#[must_use]
pub fn account_json(account: &AccountRecord, owner: Option<&str>) -> Value {
    json!({
        "username": *account.account.username,
        "assigned_to": owner,
        "last_used_at": account.last_used_at.map(|at| at.to_string()),
    })
}

/// An event in `run --headless --json`; `None` for what is no event of the contract.
#[must_use]
pub fn event_json(event: &SwarmEvent) -> Option<Value> {
    let (name, mut line) = match &event.what {
        EventKind::Created => ("mysis_created", json!({})),
        EventKind::Deleted => ("mysis_deleted", json!({})),
        EventKind::StateChanged { from, to, reason } => (
            "state_changed",
            json!({"from": from.as_str(), "to": to.as_str(), "reason": reason.as_deref()}),
        ),
        EventKind::TurnStarted => ("turn_started", json!({})),
        EventKind::ModelReplied { usage, ms } => {
            let usage = usage.map(|usage| {
                json!({"input": usage.input, "output": usage.output, "cached": usage.cached})
            });
            ("model_replied", json!({"usage": usage, "ms": ms}))
        }
        EventKind::ToolCalled { tool, call_id } => {
            ("tool_called", json!({"tool": **tool, "call_id": **call_id}))
        }
        EventKind::ToolReturned {
            tool,
            call_id,
            is_error,
            ms,
        } => (
            "tool_returned",
            json!({"tool": **tool, "call_id": **call_id, "is_error": is_error, "ms": ms}),
        ),
        EventKind::Stored(row) => stored_row_event(row),
        EventKind::Mission(text) => ("mission", json!({"text": text.as_deref()})),
        EventKind::Notice {
            severity,
            code,
            text,
        } => (
            "host",
            json!({"seq": null, "severity": severity.as_str(), "code": code, "text": **text}),
        ),
        EventKind::Shutdown => ("shutdown", json!({})),
        EventKind::StatusChanged(_)
        | EventKind::BudgetChanged(_)
        | EventKind::OutagesChanged(_)
        | EventKind::Learned(_) => return None,
    };
    line["at"] = json!(event.at.to_string());
    line["event"] = json!(name);
    if let Some(who) = &event.mysis {
        line["mysis"] = json!(*who.name);
        line["mysis_id"] = json!(who.id.to_string());
    }
    Some(line)
}

/// An event in `zoea events --json`.
#[must_use]
pub fn event_record_json(record: &EventRecord) -> Value {
    json!({
        "at": record.at.to_string(),
        "kind": record.kind.as_str(),
        "mysis": record.mysis.as_ref().map(|who| &*who.name),
        "severity": record.severity.as_str(),
        "code": *record.code,
        "text": *record.text,
        "source": record.source.map(OrderSource::as_str),
    })
}

/// Every stored row is an event; a host notice tells itself.
fn stored_row_event(row: &Arc<Row>) -> (&'static str, Value) {
    let Some(meta) = row.host() else {
        return (
            "message",
            json!({"seq": row.seq.0, "kind": row.kind_word()}),
        );
    };
    (
        "host",
        json!({
            "seq": row.seq.0,
            "severity": meta.severity.as_str(),
            "code": *meta.code,
            "text": **row.text(),
        }),
    )
}

/// What came of an order, for whoever gave it through the control interface.
#[must_use]
pub fn done_json(done: &CompletedOrder) -> Value {
    match done {
        CompletedOrder::Created(id) => json!({"created": id.to_string()}),
        CompletedOrder::Started => json!({"started": true}),
        CompletedOrder::Stopped => json!({"stopped": true}),
        CompletedOrder::Deleted => json!({"deleted": true}),
        CompletedOrder::Configured => json!({"configured": true}),
        CompletedOrder::Stored(seq) => json!({"seq": seq.0}),
        CompletedOrder::Broadcast {
            mission: _,
            delivered,
            missed,
        } => json!({
            "delivered": delivered.iter().map(|name| &**name).collect::<Vec<_>>(),
            "missed": missed.iter().map(|name| &**name).collect::<Vec<_>>(),
        }),
        CompletedOrder::Reloaded(reloaded) => json!({
            "at_once": reloaded.at_once,
            "after_a_restart": reloaded.after_a_restart,
        }),
        CompletedOrder::MissionCleared(was) => json!({"cleared": was}),
        CompletedOrder::NotesCleared => json!({"cleared": true}),
        CompletedOrder::Request(sent) => json!({
            "at": sent.at.to_string(),
            "provider": sent.provider,
            "body": sent.body,
        }),
        CompletedOrder::AccountsPooled(count) => json!({"accounts": count}),
    }
}

/// Why an order was refused, in one line.
#[must_use]
pub fn refusal_text(refusal: &OrderRefusal) -> String {
    refusal.to_string()
}

/// What is known about a row besides what it says, in the shapes of DESIGN 4.
#[must_use]
pub fn row_metadata(row: &Row) -> Option<Value> {
    match &row.body {
        RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => {
            Some(reply_meta_json(&utterance.meta))
        }
        RowBody::Result { meta, .. } => Some(json!({
            "call_id": *meta.call_id,
            "tool": *meta.tool,
            "is_error": meta.is_error(),
            "status": meta.status.as_str(),
            "ms": meta.ms,
            "tick": meta.tick,
            "bytes": meta.bytes,
        })),
        RowBody::Host { meta, .. } => {
            let mut value = json!({"severity": meta.severity.as_str(), "code": *meta.code});
            if let Some(attempt) = meta.attempt {
                value["attempt"] = json!(attempt);
            }
            if let Some(bill) = &meta.bill {
                value["usage"] = usage_json(&bill.usage);
                value["provider"] = json!(*bill.provider);
                value["cost_micros"] = json!(bill.cost_micros);
            }
            Some(value)
        }
        RowBody::Prompt { .. }
        | RowBody::Mission { .. }
        | RowBody::Peer { .. }
        | RowBody::Note { .. }
        | RowBody::Audit { .. }
        | RowBody::Unknown { .. } => None,
    }
}

fn reply_meta_json(meta: &ReplyMeta) -> Value {
    let mut value = json!({
        "usage": meta.usage.as_ref().map(usage_json),
        "ms": meta.ms,
        "model": *meta.model,
        "provider": *meta.provider,
        "finish_reason": meta.finish_reason.as_deref(),
    });
    if let Some(cost) = meta.cost_micros {
        value["cost_micros"] = json!(cost);
    }
    value
}

fn usage_json(usage: &TokenUsage) -> Value {
    json!({"input": usage.input, "output": usage.output, "cached": usage.cached})
}
