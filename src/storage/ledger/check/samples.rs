//! The check of the samples.

use actors::domain::ids::MysisId;
use actors::domain::samples::{Hour, PackedHour};
use sea_orm::DbErr;

use super::{CheckFinding, CheckTransaction, finding_of};

/// The hours of one query.
const PIECE_HOURS: usize = 512;

impl CheckTransaction {
    /// Checks that all samples can be read, and that none counts rows that are not there.
    pub(super) async fn check_samples(&self) -> Result<CheckFinding, DbErr> {
        let (mut mistakes, mut hours) = (Vec::new(), 0);
        for table in ["sample", "sample_hour"] {
            hours += self.read_samples(table, &mut mistakes).await?;
        }
        let ahead: Vec<(i64, i64)> = self
            .query_rows(
                "SELECT sample.mysis_id, max(sample.upto) FROM sample \
                 JOIN mysis ON mysis.id = sample.mysis_id GROUP BY sample.mysis_id \
                 HAVING max(sample.upto) > coalesce((SELECT max(seq) FROM message \
                 WHERE message.mysis_id = sample.mysis_id), 0)",
            )
            .await?;
        mistakes.extend(ahead.into_iter().map(|(mysis, upto)| {
            format!(
                "the samples of mysis {} count rows up to {upto}, which are not there",
                MysisId(mysis)
            )
        }));
        Ok(finding_of(
            mistakes.into_iter(),
            &format!("the samples of {hours} hours can be read"),
        ))
    }

    /// Reads all samples of a table, some hours at a time. Returns the number of hours.
    async fn read_samples(&self, table: &str, mistakes: &mut Vec<String>) -> Result<usize, DbErr> {
        let (mut count, mut after) = (0, (i64::MIN, i64::MIN));
        loop {
            let (mysis, hour) = after;
            let stored: Vec<(i64, i64, Vec<u8>)> = self
                .query_rows(&format!(
                    "SELECT mysis_id, hour, packed FROM {table} \
                     WHERE (mysis_id, hour) > ({mysis}, {hour}) \
                     ORDER BY mysis_id, hour LIMIT {PIECE_HOURS}"
                ))
                .await?;
            let Some((mysis, hour, _)) = stored.last() else {
                return Ok(count);
            };
            (count, after) = (count + stored.len(), (*mysis, *hour));
            mistakes.extend(stored.into_iter().filter_map(mistake_of));
        }
    }
}

/// What is wrong with the samples of an hour, if anything is.
fn mistake_of((mysis, hour, packed): (i64, i64, Vec<u8>)) -> Option<String> {
    let packed = PackedHour {
        hour: Hour(hour),
        upto: 0,
        bytes: packed.into(),
    };
    let fault = packed.samples().err()?;
    let at = Hour(hour).first_minute().start_time();
    let mysis = MysisId(mysis);
    Some(format!(
        "the samples of mysis {mysis} from {at} on: {fault}"
    ))
}
