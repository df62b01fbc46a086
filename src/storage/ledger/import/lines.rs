//! Imports an export of our own without loss.

mod calls;
mod heads;
mod members;
mod order;
mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::{MysisId, Seq, TurnNumber};
use actors::domain::memo::MemoKind;
use actors::domain::message::{Row, RowBody, RowKind};
use actors::domain::record::MysisRecord;
use actors::domain::state::LifeState;
use actors::domain::write::Write;
use serde_json::Value;
use zoea_text::redact::Redactor;

use crate::codec::RECORD_KEY;
use crate::metadata;
use crate::samples::StoredHour;
use crate::tables::LineKind;
use crate::{BulkImport, SqlLedger, StoredMission};
use zoea_system::files;

use super::{ImportFault, ImportReport, KnownMyses, redact_row};
use calls::{has_calls, parse_calls, parse_result, parse_utterance};
use heads::{MysisLine, parse_mission, parse_mysis, parse_samples, parse_snapshot};
use members::{mission_id, required_place, required_text, required_time};
use order::RowOrderCheck;
use reading::{ReadLine, read_line, too_large};

/// Imports an export.
///
/// # Errors
/// The file is not an export, or the ledger refuses it.
pub(super) async fn import_lines(
    ledger: &SqlLedger,
    file: &Path,
    redactor: &Redactor,
) -> Result<ImportReport, ImportFault> {
    let reading = read_file(ledger, file, redactor, false).await?;
    reading.finish().await
}

/// Imports the copy of a deleted Mysis: it is at rest, and has its game account again if that is free.
/// Returns the Mysis as it is stored now; `None` if it exists.
pub(crate) async fn import_copy(
    ledger: &SqlLedger,
    file: &Path,
    redactor: &Redactor,
) -> Result<Option<MysisRecord>, ImportFault> {
    let reading = read_file(ledger, file, redactor, true).await?;
    let mut new = reading.is_new.iter().filter(|(_, is_new)| **is_new);
    // It is read before the commit: after that, nothing may fail any more.
    let record = match new.next() {
        Some((mysis, _)) => reading.bulk_import.record(*mysis).await?,
        None => None,
    };
    reading.finish().await?;
    Ok(record)
}

async fn read_file<'a>(
    ledger: &SqlLedger,
    file: &Path,
    redactor: &'a Redactor,
    is_copy: bool,
) -> Result<LinesImport<'a>, ImportFault> {
    let unreadable = |cause| ImportFault::Unreadable {
        file: file.to_path_buf(),
        cause,
    };
    let mut source = BufReader::new(files::open_regular(file).map_err(unreadable)?);
    let bulk_import = ledger.bulk_import().await?;
    let mut reading = LinesImport {
        residents: KnownMyses::read(&bulk_import).await?,
        bulk_import,
        redactor,
        is_copy,
        missions: Vec::new(),
        is_new: BTreeMap::new(),
        places: BTreeMap::new(),
        sampled: BTreeMap::new(),
        report: ImportReport::default(),
    };
    for number in 1.. {
        let wrong = |why: String| ImportFault::Line { number, why };
        let line = match read_line(&mut source).map_err(unreadable)? {
            ReadLine::End => break,
            ReadLine::Text(line) if line.trim_ascii().is_empty() => continue,
            ReadLine::Text(line) => line,
            ReadLine::TooLarge => return Err(wrong(too_large())),
        };
        let line: Value =
            serde_json::from_slice(&line).map_err(|error| wrong(format!("not JSON: {error}")))?;
        let record = ExportRecord::read(&line).map_err(wrong)?;
        reading.import_record(record, number).await?;
    }
    Ok(reading)
}

struct LinesImport<'a> {
    residents: KnownMyses,
    bulk_import: BulkImport,
    redactor: &'a Redactor,
    /// Whether it is the copy of a deleted Mysis that comes back.
    is_copy: bool,
    /// Missions that are not written yet. They are at the beginning of an export.
    missions: Vec<StoredMission>,
    /// The Myses of this export, and whether they are new here.
    is_new: BTreeMap<MysisId, bool>,
    places: BTreeMap<MysisId, RowOrderCheck>,
    /// The hours of the imported Myses that were here before: samples of a deleted Mysis stay.
    sampled: BTreeMap<MysisId, BTreeSet<i64>>,
    report: ImportReport,
}

enum ExportRecord {
    Mission(StoredMission),
    Mysis(Box<MysisLine>),
    Of(MysisId, MysisPart),
}

enum MysisPart {
    Row(Box<Row>),
    Sighting(Arc<str>, Box<SnapshotResult>),
    Samples(StoredHour),
    Memo(MemoKind, Arc<str>),
}

impl LinesImport<'_> {
    async fn import_record(
        &mut self,
        record: ExportRecord,
        number: usize,
    ) -> Result<(), ImportFault> {
        match record {
            ExportRecord::Mission(mission) => {
                self.missions.push(mission);
                Ok(())
            }
            ExportRecord::Mysis(line) => {
                self.put_missions().await?;
                self.import_mysis(*line).await
            }
            ExportRecord::Of(mysis, part) => match self.is_imported(mysis, number)? {
                false => Ok(()),
                true => self.import_part(mysis, part, number).await,
            },
        }
    }

    async fn import_part(
        &mut self,
        mysis: MysisId,
        part: MysisPart,
        number: usize,
    ) -> Result<(), ImportFault> {
        let write = match part {
            MysisPart::Row(row) => {
                let places = self.places.entry(mysis).or_default();
                let taken = places.check_next(&row);
                taken.map_err(|why| ImportFault::Line { number, why })?;
                self.report.rows += 1;
                self.report.calls += row.calls().len();
                let row = Arc::new(redact_row(self.redactor, *row));
                Write::Append { mysis, row }
            }
            MysisPart::Samples(hour) => {
                let known = self.sampled.get(&mysis);
                if known.is_none_or(|known| !known.contains(&hour.packed.hour.0)) {
                    self.bulk_import.samples(mysis, &hour).await?;
                }
                return Ok(());
            }
            MysisPart::Memo(kind, memo) => {
                let memo = self.redactor.clean_shared(memo);
                Write::Memo { mysis, kind, memo }
            }
            MysisPart::Sighting(account, mut snapshot) => {
                self.report.imported_snapshots += 1;
                snapshot.digest = self.redactor.clean_shared(snapshot.digest);
                Write::SaveSnapshot {
                    mysis,
                    account,
                    snapshot,
                }
            }
        };
        Ok(self.bulk_import.write(&write).await?)
    }

    /// Whether this line's Mysis is imported. One that existed is skipped.
    fn is_imported(&self, mysis: MysisId, number: usize) -> Result<bool, ImportFault> {
        let is_new = self.is_new.get(&mysis).copied();
        is_new.ok_or_else(|| ImportFault::Line {
            number,
            why: format!("a line about mysis {mysis}, which no earlier line creates"),
        })
    }

    async fn put_missions(&mut self) -> Result<(), ImportFault> {
        let mut missions = std::mem::take(&mut self.missions);
        for stored in &mut missions {
            stored.mission.text = self.redactor.clean_shared(stored.mission.text.clone());
        }
        self.report.missions += self.bulk_import.missions(&missions).await?;
        Ok(())
    }

    async fn import_mysis(&mut self, line: MysisLine) -> Result<(), ImportFault> {
        let id = line.new.id;
        let mut new = line.new;
        let wanted = &new.profile.name;
        let admitted = self.residents.admit(id, wanted, &mut self.report);
        self.is_new.insert(id, admitted.is_some());
        let Some(name) = admitted else {
            return Ok(());
        };
        new.profile.name = name.into();
        let at = new.at;
        // What ran when it was deleted is at rest.
        let (state, reason) = match line.state == LifeState::Running && self.is_copy {
            true => (LifeState::Idle, None),
            false => (line.state, line.reason),
        };
        self.bulk_import.keep_books(id).await?;
        let sampled = self.bulk_import.sampled_hours(id).await?;
        self.sampled.insert(id, sampled);
        for write in [
            Write::Create(Box::new(new)),
            Write::State {
                mysis: id,
                state,
                reason,
                fault: line.fault,
                at,
            },
            Write::Totals {
                mysis: id,
                totals: line.totals,
            },
            Write::ClearNotes {
                mysis: id,
                upto: line.notes_after,
            },
        ] {
            self.bulk_import.write(&write).await?;
        }
        if let Some(account) = line.account.filter(|_| self.is_copy) {
            self.bulk_import.give_back(&account, id).await?;
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<ImportReport, ImportFault> {
        self.put_missions().await?;
        // Rows that are not here are not counted: the Mysis writes others under their numbers.
        for mysis in self.sampled.keys() {
            self.bulk_import.uncount_missing_rows(*mysis).await?;
        }
        for (mysis, places) in &self.places {
            if let Some(removed) = places.removed(*mysis) {
                self.bulk_import.note_removal(removed).await?;
            }
        }
        self.bulk_import.commit().await?;
        Ok(self.report)
    }
}

impl ExportRecord {
    fn read(line: &Value) -> Result<ExportRecord, String> {
        let word = required_text(line, RECORD_KEY)?;
        let kind = LineKind::from_str(word).map_err(|_| format!("`{word}` is not a record"))?;
        let part = match kind {
            LineKind::Mission => return Ok(ExportRecord::Mission(parse_mission(line)?)),
            LineKind::Mysis => return Ok(ExportRecord::Mysis(Box::new(parse_mysis(line)?))),
            LineKind::Row => MysisPart::Row(Box::new(parse_row(line)?)),
            LineKind::Samples => MysisPart::Samples(parse_samples(line)?),
            LineKind::Memo => {
                let (kind, memo) = read_memo(line)?;
                MysisPart::Memo(kind, memo)
            }
            LineKind::Sighting => {
                let account = required_text(line, "account")?;
                MysisPart::Sighting(account.into(), Box::new(parse_snapshot(line)?))
            }
        };
        let mysis = required_text(line, "mysis_id")?.parse()?;
        Ok(ExportRecord::Of(mysis, part))
    }
}

fn read_memo(line: &Value) -> Result<(MemoKind, Arc<str>), String> {
    let word = required_text(line, "kind")?;
    let kind = MemoKind::parse(word).filter(|kind| kind.is_exported());
    let kind = kind.ok_or_else(|| format!("`{word}` is not a kind of memo that exports hold"))?;
    let memo = required_text(line, "memo")?;
    kind.check(memo)?;
    Ok((kind, memo.into()))
}

fn parse_row(line: &Value) -> Result<Row, String> {
    Ok(Row {
        seq: Seq(required_place(line, "seq", 1)?),
        at: required_time(line, "at")?,
        turn: TurnNumber(required_place(line, "turn", 0)?),
        body: parse_body(line)?,
    })
}

fn parse_body(line: &Value) -> Result<RowBody, String> {
    let word = required_text(line, "kind")?;
    let text: Arc<str> = required_text(line, "content")?.into();
    Ok(match RowKind::parse(word) {
        None => RowBody::Unknown {
            kind: word.into(),
            text,
        },
        // A row that could not be read at its export is imported as an unknown one again.
        Some(RowKind::Call) if !has_calls(line) => unknown_body(word, text),
        Some(RowKind::Result) if line["answers"].is_null() => unknown_body(word, text),
        Some(RowKind::Mission) if line["mission_id"].is_null() => unknown_body(word, text),
        Some(RowKind::Prompt) => RowBody::Prompt { text },
        Some(RowKind::Note) => RowBody::Note { text },
        Some(RowKind::Audit) => RowBody::Audit { text },
        Some(RowKind::Peer) => RowBody::Peer {
            sender: line["sender"].as_str().unwrap_or_default().into(),
            text,
        },
        Some(RowKind::Mission) => RowBody::Mission {
            id: mission_id(line, "mission_id")?,
            text,
        },
        Some(RowKind::Reply) => RowBody::Reply(parse_utterance(line, text)),
        Some(RowKind::Call) => RowBody::Call {
            utterance: parse_utterance(line, text),
            calls: parse_calls(line)?,
        },
        Some(RowKind::Result) => parse_result(line, text)?,
        Some(RowKind::Host) => RowBody::Host {
            text,
            meta: metadata::of_host(&line["metadata"]),
        },
    })
}

fn unknown_body(kind: &str, text: Arc<str>) -> RowBody {
    RowBody::Unknown {
        kind: kind.into(),
        text,
    }
}
