//! The lines of an export about missions, Myses, samples and snapshots of the game.

use std::sync::Arc;

use actors::domain::bounds::MAX_SUM;
use actors::domain::fault::{MysisFault, MysisFaultKind};
use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::Seq;
use actors::domain::record::{Mission, MysisProfile, NewMysis};
use actors::domain::samples::{Hour, PackedHour};
use actors::domain::snapshot_query::SnapshotQuery;
use actors::domain::state::{LifeState, Totals};
use serde_json::Value;

use crate::StoredMission;
use crate::samples::StoredHour;

use super::members::{
    call_key, mission_id, required_count, required_place, required_text, required_time,
};

pub(super) struct MysisLine {
    pub(super) new: NewMysis,
    pub(super) state: LifeState,
    pub(super) reason: Option<Arc<str>>,
    pub(super) fault: Option<MysisFault>,
    pub(super) totals: Totals,
    pub(super) notes_after: Seq,
    pub(super) account: Option<Arc<str>>,
}

pub(super) fn parse_mission(line: &Value) -> Result<StoredMission, String> {
    Ok(StoredMission {
        mission: Mission {
            id: mission_id(line, "id")?,
            text: required_text(line, "content")?.into(),
            at: required_time(line, "at")?,
        },
        cleared_at: if line["cleared_at"].is_null() {
            None
        } else {
            Some(required_time(line, "cleared_at")?)
        },
    })
}

pub(super) fn parse_mysis(line: &Value) -> Result<MysisLine, String> {
    let state = required_text(line, "state")?;
    let fault = &line["fault"];
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it was an f32 when it was exported"
    )]
    let temperature = line["temperature"].as_f64().map(|value| value as f32);
    let temperature = temperature.filter(|value| (0.0..=2.0).contains(value));
    Ok(MysisLine {
        new: NewMysis {
            id: required_text(line, "id")?.parse()?,
            profile: MysisProfile {
                name: required_text(line, "name")?.into(),
                provider: required_text(line, "provider")?.into(),
                model: line["model"].as_str().map(Into::into),
                temperature,
                role: line["role"].as_str().map(Into::into),
                follows_role: line["follows_role"].as_bool().unwrap_or(true),
            },
            at: required_time(line, "created_at")?,
        },
        state: LifeState::parse(state).ok_or_else(|| format!("`{state}` is not a state"))?,
        reason: line["reason"].as_str().map(Into::into),
        fault: if fault.is_null() {
            None
        } else {
            Some(MysisFault {
                kind: parse_fault_kind(required_text(fault, "kind")?)?,
                text: required_text(fault, "text")?.into(),
                at: required_time(fault, "at")?,
            })
        },
        totals: Totals {
            turns: parse_total(line, "turns")?,
            tokens_in: parse_total(line, "tokens_in")?,
            tokens_out: parse_total(line, "tokens_out")?,
            cost_micros: parse_total(line, "cost_micros")?,
        },
        notes_after: Seq(required_place(line, "notes_after", 0)?),
        account: line["account"].as_str().map(Into::into),
    })
}

pub(super) fn parse_samples(line: &Value) -> Result<StoredHour, String> {
    let hour = PackedHour {
        hour: Hour::of(required_time(line, "at")?),
        upto: required_place(line, "upto", 0)?,
        bytes: read_digits(required_text(line, "packed")?)?.into(),
    };
    hour.samples()
        .map_err(|fault| format!("`packed` is {fault}"))?;
    // Older exports do not say it. What counts no rows can be kept with the thinned hours.
    let is_thinned = line["thinned"].as_bool().unwrap_or(hour.upto == 0);
    Ok(StoredHour {
        packed: hour,
        is_thinned,
    })
}

pub(super) fn parse_snapshot(line: &Value) -> Result<SnapshotResult, String> {
    Ok(SnapshotResult {
        look: SnapshotQuery {
            tool: required_text(line, "tool")?.into(),
            arguments: required_text(line, "arguments")?.into(),
        },
        call: call_key(&line["call"], 0)?,
        digest: required_text(line, "content")?.into(),
        tick: line["tick"].as_i64(),
        at: required_time(line, "at")?,
        stale_by: line["stale_by"].as_str().map(Into::into),
    })
}

fn parse_fault_kind(word: &str) -> Result<MysisFaultKind, String> {
    MysisFaultKind::parse(word).ok_or_else(|| format!("`{word}` is not a kind of fault"))
}

/// Reads a total. A figure that a provider must have invented counts as nothing, as in the books.
fn parse_total(line: &Value, key: &str) -> Result<u64, String> {
    let sum = required_count(line, key)?;
    Ok(if sum > MAX_SUM { 0 } else { sum })
}

fn read_digits(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || "`packed` is not a text of hexadecimal digits".to_string();
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let digits = str::from_utf8(pair).map_err(|_| wrong())?;
            let is_pair = digits.len() == 2 && !digits.starts_with('+');
            let byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
            is_pair.then_some(byte).ok_or_else(wrong)
        })
        .collect()
}
