//! The status of a Mysis as one process writes it down for the others of its fleet.
//!
//! Processes of several versions run side by side during an update, so each member is read by itself:
//! one that is missing or not understood has its default.

mod parts;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::event::MysisStatus;
use crate::game::GameRef;
use crate::ids::{MysisId, Timestamp, TurnNumber};
use crate::record::MysisProfile;
use crate::reminder::Reminder;
use crate::state::{LifeState, Totals};
use crate::tier::TierPlace;

use parts::{
    activity_json, circle_json, failing_json, fault_json, figures_json, link_json, read_activity,
    read_circle, read_failing, read_fault, read_figures, read_link, read_routine, read_silence,
    read_stuck, read_tool_call, read_undelivered, routine_json, silence_json, stuck_json,
    tool_call_json, undelivered_json,
};

/// The status as text.
#[must_use]
pub fn to_text(status: &MysisStatus) -> String {
    let totals = status.totals;
    let mut memo = json!({
        "name": *status.name,
        "provider": *status.profile.provider,
        "own_model": status.profile.model.as_deref(),
        "own_temperature": status.profile.temperature,
        "role": status.profile.role.as_deref(),
        "lacks_role": status.lacks_role,
        "own_profile": profile_json(&status.own_profile),
        "model": *status.model,
        "temperature": status.temperature,
        "state": status.state.as_str(),
        "reason": status.reason.as_deref(),
        "fault": status.fault.as_ref().map(fault_json),
        "activity": activity_json(&status.activity),
        "since": status.activity_since.0,
        "until": status.activity_until.map(|until| until.0),
        "account": status.account.as_deref(),
        "link": link_json(&status.link),
        "link_since": status.link_since.0,
        "tick": status.tick,
        "nudges": status.nudges,
        "totals": [totals.turns, totals.tokens_in, totals.tokens_out, totals.cost_micros],
        "active_at": status.last_activity_at.0,
        "stuck": status.stuck.as_ref().map(stuck_json),
        "silence": status.silence.as_deref().and_then(silence_json),
        "failing": status.failing.as_deref().map(failing_json),
        "words": *status.last_words,
        "call": status.last_tool_call.as_deref().map(tool_call_json),
        "call_ms": status.last_call_ms,
        "figures": figures_json(&status.figures),
        "tier": status.tier.as_ref().map(tier_json),
        "routine": status.routine.as_deref().map(routine_json),
        "circle": status.circle.as_deref().map(circle_json),
        "reminders": status.reminders.as_deref(),
        "spared": status.spared_calls,
        "undelivered": status.undelivered.as_deref().map(undelivered_json),
    });
    if let Some(game) = status.game.and_then(GameRef::stored_key) {
        memo["game"] = game.into();
    }
    memo.to_string()
}

/// Reads a status; `None` if it is none of this Mysis.
#[must_use]
pub fn from_text(mysis: MysisId, text: &str) -> Option<MysisStatus> {
    let read: Value = serde_json::from_str(text).ok()?;
    let name = text_of(&read["name"]).filter(|name| !name.is_empty())?;
    let totals = |place: usize| read["totals"][place].as_u64().unwrap_or_default();
    let own_profile = read_profile(&name, &read["own_profile"]).map(Arc::new);
    let profile = Arc::new(MysisProfile {
        follows_role: own_profile.as_ref().is_none_or(|own| own.follows_role),
        model: text_of(&read["own_model"]),
        temperature: float_of(&read["own_temperature"]),
        role: text_of(&read["role"]),
        ..MysisProfile::of(&name, read["provider"].as_str().unwrap_or_default())
    });
    Some(MysisStatus {
        id: mysis,
        own_profile: own_profile.unwrap_or_else(|| profile.clone()),
        profile,
        lacks_role: read["lacks_role"] == true,
        name,
        model: text_of(&read["model"]).unwrap_or_default(),
        temperature: float_of(&read["temperature"]),
        state: read["state"]
            .as_str()
            .and_then(LifeState::parse)
            .unwrap_or(LifeState::Idle),
        reason: text_of(&read["reason"]),
        fault: read_fault(&read["fault"]),
        activity: read_activity(&read["activity"]),
        activity_since: time_of(&read["since"]).unwrap_or_default(),
        activity_until: time_of(&read["until"]),
        account: text_of(&read["account"]),
        game: read["game"].as_str().map(|key| GameRef::of_key(Some(key))),
        link: read_link(&read["link"]),
        link_since: time_of(&read["link_since"]).unwrap_or_default(),
        tick: read["tick"].as_i64(),
        nudges: count_of(&read["nudges"]),
        totals: Totals {
            turns: totals(0),
            tokens_in: totals(1),
            tokens_out: totals(2),
            cost_micros: totals(3),
        },
        last_activity_at: time_of(&read["active_at"]).unwrap_or_default(),
        stuck: read_stuck(&read["stuck"]),
        silence: read_silence(&read["silence"]),
        failing: read_failing(&read["failing"]),
        last_words: text_of(&read["words"]).unwrap_or_default(),
        last_tool_call: read_tool_call(&read["call"]),
        last_call_ms: read["call_ms"].as_u64(),
        figures: Arc::new(read_figures(&read["figures"])),
        tier: read_tier(&read["tier"]),
        routine: read_routine(&read["routine"]),
        circle: read_circle(&read["circle"]),
        reminders: read_reminders(&read["reminders"]),
        spared_calls: read["spared"].as_u64().unwrap_or_default(),
        undelivered: read_undelivered(&read["undelivered"]),
        elsewhere: None,
    })
}

fn read_reminders(read: &Value) -> Option<Arc<[Reminder]>> {
    let read: Vec<Reminder> = Vec::deserialize(read).ok()?;
    Some(read.into())
}

fn profile_json(profile: &MysisProfile) -> Value {
    json!({
        "provider": *profile.provider,
        "model": profile.model.as_deref(),
        "temperature": profile.temperature,
        "role": profile.role.as_deref(),
        "follows_role": profile.follows_role,
    })
}

fn read_profile(name: &str, read: &Value) -> Option<MysisProfile> {
    Some(MysisProfile {
        model: text_of(&read["model"]),
        temperature: float_of(&read["temperature"]),
        role: text_of(&read["role"]),
        follows_role: read["follows_role"].as_bool().unwrap_or(true),
        ..MysisProfile::of(name, read["provider"].as_str()?)
    })
}

fn tier_json(place: &TierPlace) -> Value {
    json!([place.tier, *place.why, place.since.0])
}

fn read_tier(read: &Value) -> Option<TierPlace> {
    Some(TierPlace {
        tier: u8::try_from(read[0].as_u64()?).ok()?,
        why: text_of(&read[1])?,
        since: TurnNumber(read[2].as_i64()?),
    })
}

fn text_of(value: &Value) -> Option<Arc<str>> {
    value.as_str().map(Into::into)
}

fn time_of(value: &Value) -> Option<Timestamp> {
    value.as_i64().map(Timestamp)
}

fn count_of(value: &Value) -> u32 {
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
    count.unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "it was an f32 before")]
fn float_of(value: &Value) -> Option<f32> {
    value.as_f64().map(|value| value as f32)
}

#[cfg(test)]
mod tests;
