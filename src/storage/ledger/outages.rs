//! What processes on one database tell each other about model servers that are away.
//!
//! One row for each server. It expires unless a process that knows of it renews it, so that nothing stays of
//! an outage of which nobody is left to find the end. Times are told relative to the server's clock.

use std::time::Duration;

use actors::domain::model::ServiceReturn;
use actors::domain::sharing::{OutageChange, OutageReport, SharedOutage};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde_json::json;

use super::server::on_server;
use super::writer::Tx;

/// The most bytes of a text that are told.
const MAX_TEXT_BYTES: usize = 2000;

/// Stores what this process found out, ends what is over, and renews what it agrees with.
const TELL: &str = "\
    WITH said AS (SELECT * FROM json_to_recordset(CAST($1 AS json)) AS said \
        (provider TEXT, seen BIGINT, kind TEXT, text TEXT, ends_by TEXT, since_ms BIGINT, next_ms BIGINT)), \
    ended AS (DELETE FROM outage USING said WHERE outage.provider = said.provider AND said.kind = 'over'), \
    renewed AS (UPDATE outage SET expires_at = clock_timestamp() + interval '10 seconds' FROM said \
        WHERE outage.provider = said.provider AND said.kind = 'same' AND outage.version = said.seen) \
    INSERT INTO outage (provider, version, text, ends_by, since, next_try, expires_at) \
    SELECT provider, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, text, ends_by, \
        clock_timestamp() - since_ms * interval '1 millisecond', \
        clock_timestamp() + next_ms * interval '1 millisecond', \
        clock_timestamp() + interval '10 seconds' FROM said WHERE kind = 'away' \
    ON CONFLICT (provider) DO UPDATE SET version = excluded.version, text = excluded.text, \
        ends_by = excluded.ends_by, since = excluded.since, next_try = excluded.next_try, \
        expires_at = excluded.expires_at";

const LOOK: &str = "\
    SELECT provider, version, text, ends_by, \
        (extract(epoch FROM clock_timestamp() - since) * 1000)::bigint AS since_ms, \
        (extract(epoch FROM next_try - clock_timestamp()) * 1000)::bigint AS next_ms \
    FROM outage WHERE expires_at > clock_timestamp() ORDER BY provider LIMIT 1000";

#[derive(Debug, FromQueryResult)]
struct OutageRow {
    provider: String,
    version: i64,
    text: String,
    ends_by: Option<String>,
    since_ms: i64,
    next_ms: i64,
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn duration(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

impl OutageRow {
    fn into_shared(self) -> SharedOutage {
        let ends_by = self.ends_by.and_then(|word| match &*word {
            "operator" => Some(ServiceReturn::Operator),
            "time" => Some(ServiceReturn::Time),
            _ => None,
        });
        SharedOutage {
            provider: self.provider.into(),
            version: self.version,
            text: self.text.into(),
            ends_by,
            since: duration(self.since_ms),
            next_try: duration(self.next_ms),
        }
    }
}

fn said(report: &OutageReport) -> serde_json::Value {
    let (kind, shared) = match &report.change {
        None => ("same", None),
        Some(OutageChange::Over) => ("over", None),
        Some(OutageChange::Away(shared)) => ("away", Some(shared)),
    };
    let word = |ends_by| match ends_by {
        ServiceReturn::Operator => "operator",
        ServiceReturn::Time => "time",
    };
    let text = shared.map(|shared| &shared.text[..shared.text.floor_char_boundary(MAX_TEXT_BYTES)]);
    json!({
        "provider": &*report.provider,
        "seen": report.seen,
        "kind": kind,
        "text": text.map(|text| text.replace('\0', "\u{fffd}")),
        "ends_by": shared.and_then(|shared| shared.ends_by).map(word),
        "since_ms": shared.map_or(0, |shared| millis(shared.since)),
        "next_ms": shared.map_or(0, |shared| millis(shared.next_try)),
    })
}

/// Tells what this process has to say about servers, and returns what all say now.
pub(super) async fn share(tx: &Tx, reports: &[OutageReport]) -> Result<Vec<SharedOutage>, DbErr> {
    let has_news = |report: &OutageReport| report.change.is_some() || report.seen != 0;
    let shared: Vec<_> = reports
        .iter()
        .filter(|report| has_news(report))
        .map(said)
        .collect();
    if !shared.is_empty() {
        let shared = serde_json::Value::Array(shared).to_string();
        tx.execute_raw(on_server(TELL, [shared.into()])).await?;
    }
    let rows = OutageRow::find_by_statement(on_server(LOOK, []));
    let rows = rows.all(tx).await?.into_iter();
    Ok(rows.map(OutageRow::into_shared).collect())
}
