//! Lines: an export of our own, read back without loss.

mod members;
mod order;
mod said;
mod seen;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use actors::domain::bounds::MAX_SUM;
use actors::domain::event::{State, Totals};
use actors::domain::fault::{Fault, FaultKind};
use actors::domain::ids::{MysisId, Seq, TurnNumber};
use actors::domain::message::{Body, Call, CallStatus, HostMeta, Kind, ResultMeta, Row, Severity};
use actors::domain::redact::Redactor;
use actors::domain::write::{Mission, NewMysis, Profile, Write};
use serde_json::Value;

use crate::export::lines::RECORD;
use crate::{BulkImport, SqlLedger, StoredMission};
use zoea_system::files;

use super::{ImportFault, Report, Residents, cleaned};
use members::{at, call_key, count, mission_id, place, text, word_of};
use order::Places;
use said::{bill, utterance};
use seen::SightingLine;

/// Calls of one row: no version ever stored as many.
const MAX_CALLS: usize = 10_000;

/// Takes an export over.
///
/// # Errors
/// It is none, or the ledger does not take it.
pub(super) async fn take_over(
    ledger: &SqlLedger,
    file: &Path,
    redactor: &Redactor,
) -> Result<Report, ImportFault> {
    let unreadable = |cause| ImportFault::Unreadable {
        file: file.to_path_buf(),
        cause,
    };
    let source = BufReader::new(files::open(file).map_err(unreadable)?);
    let intake = ledger.intake().await?;
    let mut reading = Reading {
        residents: Residents::read(&intake).await?,
        intake,
        redactor,
        missions: Vec::new(),
        is_new: BTreeMap::new(),
        places: BTreeMap::new(),
        report: Report::default(),
    };
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| ImportFault::Line { number, why };
        let line: Value =
            serde_json::from_str(&line).map_err(|error| wrong(format!("no JSON: {error}")))?;
        let record = Record::read(&line).map_err(wrong)?;
        reading.take(record, number).await?;
    }
    reading.end().await
}

struct Reading<'a> {
    residents: Residents,
    intake: BulkImport,
    redactor: &'a Redactor,
    /// Missions that are not written yet: they stand at the beginning.
    missions: Vec<StoredMission>,
    /// The Myses of this export: whether they are taken over or were here.
    is_new: BTreeMap<MysisId, bool>,
    /// What was read of their conversations.
    places: BTreeMap<MysisId, Places>,
    report: Report,
}

/// What a line holds.
enum Record {
    Mission(StoredMission),
    Mysis(Box<MysisLine>),
    Row(MysisId, Box<Row>),
    Sighting(MysisId, Box<SightingLine>),
}

struct MysisLine {
    new: NewMysis,
    state: State,
    reason: Option<Arc<str>>,
    fault: Option<Fault>,
    totals: Totals,
    notes_after: Seq,
}

impl Reading<'_> {
    async fn take(&mut self, record: Record, number: usize) -> Result<(), ImportFault> {
        match record {
            Record::Mission(mission) => {
                self.missions.push(mission);
                Ok(())
            }
            Record::Mysis(line) => {
                self.put_missions().await?;
                self.mysis(*line).await
            }
            Record::Row(mysis, row) => match self.is_taken(mysis, number)? {
                false => Ok(()),
                true => {
                    let places = self.places.entry(mysis).or_default();
                    let taken = places.take(&row);
                    taken.map_err(|why| ImportFault::Line { number, why })?;
                    self.row(mysis, *row).await
                }
            },
            Record::Sighting(mysis, line) => match self.is_taken(mysis, number)? {
                false => Ok(()),
                true => {
                    self.report.sightings += 1;
                    let write = line.write(mysis, self.redactor);
                    Ok(self.intake.write(&write).await?)
                }
            },
        }
    }

    /// Whether what this line tells of a Mysis is taken over: it was not here.
    fn is_taken(&self, mysis: MysisId, number: usize) -> Result<bool, ImportFault> {
        let is_new = self.is_new.get(&mysis).copied();
        is_new.ok_or_else(|| ImportFault::Line {
            number,
            why: format!("something of a mysis ({mysis}) that no line before it tells of"),
        })
    }

    async fn put_missions(&mut self) -> Result<(), ImportFault> {
        let mut missions = std::mem::take(&mut self.missions);
        for stored in &mut missions {
            stored.mission.text = self.redactor.clean_shared(stored.mission.text.clone());
        }
        self.report.missions += self.intake.missions(&missions).await?;
        Ok(())
    }

    async fn mysis(&mut self, line: MysisLine) -> Result<(), ImportFault> {
        let id = line.new.id;
        if self.residents.ids.contains(&id) {
            self.report.known_myses += 1;
            self.is_new.insert(id, false);
            return Ok(());
        }
        let mut new = line.new;
        let name = self.residents.settle(id, &new.profile.name);
        if name != *new.profile.name {
            let old = new.profile.name.to_string();
            self.report.renamed.push((old, name.clone()));
            new.profile.name = name.into();
        }
        let at = new.at;
        self.is_new.insert(id, true);
        self.report.myses += 1;
        for write in [
            Write::Create(Box::new(new)),
            Write::State {
                mysis: id,
                state: line.state,
                reason: line.reason,
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
            self.intake.write(&write).await?;
        }
        Ok(())
    }

    async fn row(&mut self, mysis: MysisId, row: Row) -> Result<(), ImportFault> {
        self.report.rows += 1;
        self.report.calls += row.calls().len();
        let row = Arc::new(cleaned(self.redactor, row));
        Ok(self.intake.write(&Write::Append { mysis, row }).await?)
    }

    async fn end(mut self) -> Result<Report, ImportFault> {
        self.put_missions().await?;
        self.intake.commit().await?;
        Ok(self.report)
    }
}

impl Record {
    fn read(line: &Value) -> Result<Record, String> {
        match text(line, RECORD)? {
            "mission" => Ok(Record::Mission(mission(line)?)),
            "mysis" => Ok(Record::Mysis(Box::new(mysis(line)?))),
            "row" => {
                let mysis = text(line, "mysis_id")?.parse()?;
                Ok(Record::Row(mysis, Box::new(row(line)?)))
            }
            "sighting" => {
                let mysis = text(line, "mysis_id")?.parse()?;
                Ok(Record::Sighting(mysis, Box::new(SightingLine::read(line)?)))
            }
            other => Err(format!("`{other}` is no record")),
        }
    }
}

fn mission(line: &Value) -> Result<StoredMission, String> {
    Ok(StoredMission {
        mission: Mission {
            id: mission_id(line, "id")?,
            text: text(line, "content")?.into(),
            at: at(line, "at")?,
        },
        cleared_at: if line["cleared_at"].is_null() {
            None
        } else {
            Some(at(line, "cleared_at")?)
        },
    })
}

fn mysis(line: &Value) -> Result<MysisLine, String> {
    let state = text(line, "state")?;
    let fault = &line["fault"];
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it was an f32 when it was exported"
    )]
    let temperature = line["temperature"].as_f64().map(|value| value as f32);
    let temperature = temperature.filter(|value| (0.0..=2.0).contains(value));
    Ok(MysisLine {
        new: NewMysis {
            id: text(line, "id")?.parse()?,
            profile: Profile {
                name: text(line, "name")?.into(),
                provider: text(line, "provider")?.into(),
                model: line["model"].as_str().map(Into::into),
                temperature,
            },
            at: at(line, "created_at")?,
        },
        state: State::parse(state).ok_or_else(|| format!("`{state}` is no state"))?,
        reason: line["reason"].as_str().map(Into::into),
        fault: if fault.is_null() {
            None
        } else {
            Some(Fault {
                kind: FaultKind::parse(text(fault, "kind")?).unwrap_or(FaultKind::Crash),
                text: text(fault, "text")?.to_string(),
                at: at(fault, "at")?,
            })
        },
        totals: Totals {
            turns: sum(line, "turns"),
            tokens_in: sum(line, "tokens_in"),
            tokens_out: sum(line, "tokens_out"),
            cost_micros: sum(line, "cost_micros"),
        },
        notes_after: Seq(place(line, "notes_after", 0)?),
    })
}

/// A total; nothing where none can be so large.
fn sum(line: &Value, key: &str) -> u64 {
    let sum = count(line, key);
    if sum > MAX_SUM { 0 } else { sum }
}

fn row(line: &Value) -> Result<Row, String> {
    Ok(Row {
        seq: Seq(place(line, "seq", 1)?),
        at: at(line, "at")?,
        turn: TurnNumber(place(line, "turn", 0)?),
        body: body(line)?,
    })
}

fn body(line: &Value) -> Result<Body, String> {
    let (word, meta) = (text(line, "kind")?, &line["metadata"]);
    let text: Arc<str> = text(line, "content")?.into();
    Ok(match Kind::parse(word) {
        None => Body::Unknown {
            kind: word.into(),
            text,
        },
        // A row that could not be read when it was exported cannot be read now.
        Some(Kind::Call) if !has_calls(line) => unknown(word, text),
        Some(Kind::Result) if line["answers"].is_null() => unknown(word, text),
        Some(Kind::Mission) if line["mission_id"].is_null() => unknown(word, text),
        Some(Kind::Prompt) => Body::Prompt { text },
        Some(Kind::Note) => Body::Note { text },
        Some(Kind::Audit) => Body::Audit { text },
        Some(Kind::Peer) => Body::Peer {
            sender: line["sender"].as_str().unwrap_or_default().into(),
            text,
        },
        Some(Kind::Mission) => Body::Mission {
            id: mission_id(line, "mission_id")?,
            text,
        },
        Some(Kind::Reply) => Body::Reply(utterance(line, text)),
        Some(Kind::Call) => Body::Call {
            utterance: utterance(line, text),
            calls: calls(line)?,
        },
        Some(Kind::Result) => result(line, text)?,
        Some(Kind::Host) => Body::Host {
            text,
            meta: HostMeta {
                severity: Severity::parse(word_of(meta, "severity")),
                code: word_of(meta, "code").into(),
                attempt: meta["attempt"]
                    .as_u64()
                    .and_then(|attempt| u32::try_from(attempt).ok()),
                bill: bill(meta),
            },
        },
    })
}

fn unknown(kind: &str, text: Arc<str>) -> Body {
    Body::Unknown {
        kind: kind.into(),
        text,
    }
}

fn has_calls(line: &Value) -> bool {
    line["tool_calls"]
        .as_array()
        .is_some_and(|calls| !calls.is_empty())
}

fn calls(line: &Value) -> Result<Vec<Call>, String> {
    let calls = line["tool_calls"].as_array();
    let count = calls.map_or(0, Vec::len);
    if count > MAX_CALLS {
        return Err(format!(
            "`tool_calls` holds {count}; allowed: up to {MAX_CALLS}"
        ));
    }
    calls
        .into_iter()
        .flatten()
        .map(|call| {
            let status = text(call, "status")?;
            Ok(Call {
                id: text(call, "id")?.into(),
                name: text(call, "name")?.into(),
                arguments: text(call, "arguments")?.into(),
                status: CallStatus::parse(status)
                    .ok_or_else(|| format!("`{status}` is no status of a call"))?,
                read_only: call["read_only"].as_bool().unwrap_or(false),
            })
        })
        .collect()
}

fn result(line: &Value, text: Arc<str>) -> Result<Body, String> {
    let (meta, answers) = (&line["metadata"], &line["answers"]);
    let status = CallStatus::parse(word_of(meta, "status")).filter(|status| !status.is_open());
    Ok(Body::Result {
        call: call_key(answers)?,
        meta: ResultMeta {
            call_id: word_of(meta, "call_id").into(),
            tool: word_of(meta, "tool").into(),
            status: status.ok_or("a result has no status")?,
            ms: count(meta, "ms"),
            tick: meta["tick"].as_i64(),
            bytes: meta["bytes"].as_u64().unwrap_or(text.len() as u64),
        },
        text,
    })
}
