//! Samples in an export.

use std::collections::{BTreeMap, BTreeSet};

use actors::domain::ids::MysisId;
use actors::domain::samples::{Hour, PackedHour};
use actors::ports::LedgerFault;
use serde_json::Value;

use crate::BulkImport;
use crate::samples::StoredHour;

use super::members::{required_place, required_text, required_time};

/// Reads the samples of an hour.
pub(super) fn read_hour(line: &Value) -> Result<StoredHour, String> {
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

#[derive(Default)]
pub(super) struct SamplesImport {
    /// The Myses that are imported, and their hours that were here before: samples of a deleted
    /// Mysis stay.
    known: BTreeMap<MysisId, BTreeSet<i64>>,
}

impl SamplesImport {
    pub(super) async fn begin(
        &mut self,
        import: &BulkImport,
        mysis: MysisId,
    ) -> Result<(), LedgerFault> {
        let known = import.sampled_hours(mysis).await?;
        self.known.insert(mysis, known);
        Ok(())
    }

    /// Imports an hour, unless it was here before.
    pub(super) async fn put(
        &self,
        import: &BulkImport,
        mysis: MysisId,
        hour: &StoredHour,
    ) -> Result<(), LedgerFault> {
        let known = self.known.get(&mysis);
        if known.is_some_and(|known| known.contains(&hour.packed.hour.0)) {
            return Ok(());
        }
        import.samples(mysis, hour).await
    }

    /// Ends the import. Rows that are not here are not counted: the Mysis writes others under their
    /// numbers.
    pub(super) async fn end(&self, import: &BulkImport) -> Result<(), LedgerFault> {
        for mysis in self.known.keys() {
            import.uncount_missing_rows(*mysis).await?;
        }
        Ok(())
    }
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
