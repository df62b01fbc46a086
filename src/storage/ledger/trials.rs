//! Trials of refusals, of all processes on one database: a text is tried by one of them, and the limit of
//! an hour holds for all together. Times are told relative to the server's clock.

use std::time::Duration;

use actors::domain::held::{SharedTrial, TrialClaim};
use actors::domain::ids::MysisId;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde_json::json;

use super::server::on_server;
use super::writer::Tx;

/// The trials of the last hour, beside what stands for the texts that are held back. There is a row without a
/// trial where there is none.
const LOOK: &str = "\
    SELECT held.stamp, trial.provider, trial.mysis_id, trial.number, trial.texts, \
        (extract(epoch FROM clock_timestamp() - trial.began) * 1000)::bigint AS age_ms \
    FROM (SELECT coalesce(sum(hashtext(concat_ws(' ', provider, model, mysis_id, seq, is_local, \
            at, doubted_at))::bigint), 0)::bigint AS stamp FROM held_text) AS held \
    LEFT JOIN trial ON trial.began > clock_timestamp() - interval '1 hour' \
    ORDER BY trial.began LIMIT 1000";

/// Stores the trials that are admitted, and forgets what counts no more.
const STORE: &str = "\
    WITH gone AS (DELETE FROM trial WHERE began < clock_timestamp() - interval '1 hour') \
    INSERT INTO trial (mysis_id, number, provider, texts, began) \
    SELECT mysis_id, number, provider, texts, clock_timestamp() \
    FROM json_to_recordset(CAST($1 AS json)) \
        AS said (mysis_id BIGINT, number BIGINT, provider TEXT, texts TEXT) \
    ON CONFLICT (mysis_id, number) DO NOTHING";

#[derive(Debug, FromQueryResult)]
struct TrialRow {
    stamp: i64,
    provider: Option<String>,
    mysis_id: Option<i64>,
    number: Option<i64>,
    texts: Option<String>,
    age_ms: Option<i64>,
}

impl TrialRow {
    fn into_shared(self) -> Option<SharedTrial> {
        let texts = self.texts?;
        let texts = texts.split(',').filter_map(|text| text.parse().ok());
        Some(SharedTrial {
            claim: TrialClaim {
                provider: self.provider?.into(),
                by: MysisId(self.mysis_id?),
                number: self.number?,
                texts: texts.collect(),
            },
            age: Duration::from_millis(u64::try_from(self.age_ms?).unwrap_or(0)),
        })
    }
}

fn said(claim: &TrialClaim) -> serde_json::Value {
    let texts: Vec<String> = claim.texts.iter().map(i64::to_string).collect();
    json!({
        "mysis_id": claim.by.0,
        "number": claim.number,
        "provider": &*claim.provider,
        "texts": texts.join(","),
    })
}

/// Stores which of these trials may be made. Returns those of all processes, and what stands for the texts
/// that are held back.
pub(super) async fn share(
    tx: &Tx,
    claims: &[TrialClaim],
) -> Result<(Vec<SharedTrial>, i64), DbErr> {
    let rows = TrialRow::find_by_statement(on_server(LOOK, []));
    let rows = rows.all(tx).await?;
    let stamp = rows.first().map_or(0, |row| row.stamp);
    let mut shared: Vec<SharedTrial> = rows.into_iter().filter_map(TrialRow::into_shared).collect();
    let mut made = Vec::new();
    for claim in claims {
        // The answer to an earlier step may have been lost.
        let is_known = shared.iter().any(|known| known.claim == *claim);
        if !is_known && claim.is_admitted(&shared) {
            made.push(said(claim));
            shared.push(SharedTrial {
                claim: claim.clone(),
                age: Duration::ZERO,
            });
        }
    }
    if !made.is_empty() {
        let made = serde_json::Value::Array(made).to_string();
        tx.execute_raw(on_server(STORE, [made.into()])).await?;
    }
    Ok((shared, stamp))
}
