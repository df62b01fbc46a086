//! Exports conversations to files, as JSON lines that can be imported again or as Markdown for
//! reading.

mod lines;
mod markdown;

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::record::MysisRecord;
use actors::domain::screen::ExportFormat;
use actors::ports::{Archive, ArchiveFault, Clock, PageFrom, PageQuery};
use actors::secrets::Secrets;
use serde_json::Value;
use thiserror::Error;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};
use zoea_text::clean;
use zoea_text::redact::Redactor;

use crate::SqlLedger;
use crate::tables::{LineKind, exported_kinds};
use zoea_system::clock::MachineClock;
use zoea_system::files::create_private;

/// The rows of one query. A single one may have a megabyte.
const PIECE_ROWS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportOrder {
    /// The Mysis whose conversation to export; `None` for all Myses and all missions.
    pub mysis: Option<MysisId>,
    pub format: ExportFormat,
    /// Whether the name of its game account is in it, which only a copy of what is deleted needs.
    pub names_account: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    pub myses: usize,
    pub rows: usize,
}

#[derive(Debug, Error)]
pub enum ExportFault {
    /// The database cannot be read.
    #[error("read the conversations: {0}")]
    Unreadable(#[from] ArchiveFault),
    /// The Mysis was deleted while it was read, here or by another process.
    #[error(
        "a mysis was deleted before all of its conversation was written, so the export was not made: \
         export again"
    )]
    Deleted,
    /// The file cannot be written.
    #[error("write {}: {cause}", file.display())]
    Unwritable {
        file: PathBuf,
        cause: std::io::Error,
    },
}

/// Exports conversations to a new file that only its owner can read.
///
/// # Errors
/// The file exists or cannot be written, or the database cannot be read.
pub async fn export_to_file(
    ledger: &SqlLedger,
    order: ExportOrder,
    file: &Path,
    secrets: &Secrets,
) -> Result<ExportSummary, ExportFault> {
    let unwritable = |cause| ExportFault::Unwritable {
        file: file.to_path_buf(),
        cause,
    };
    let created = create_private(file).map_err(unwritable)?;
    let mut out = ExportWriter {
        format: order.format,
        known: secrets.redactor(),
        file: BufWriter::new(File::from_std(created)),
        path: file,
    };
    let written = write_conversations(ledger, order, &mut out).await;
    if written.is_err() {
        // An incomplete export is of no use.
        let _ = std::fs::remove_file(file);
    }
    written
}

async fn write_conversations(
    ledger: &SqlLedger,
    order: ExportOrder,
    out: &mut ExportWriter<'_>,
) -> Result<ExportSummary, ExportFault> {
    let mut written = ExportSummary::default();
    match order.format {
        ExportFormat::JsonLines => write_missions(ledger, order.mysis, out).await?,
        ExportFormat::Markdown => {}
    }
    let mut myses = ledger.all_myses().await?;
    myses.retain(|mysis| order.mysis.is_none_or(|wanted| wanted == mysis.id));
    if order.mysis.is_some() && myses.is_empty() {
        return Err(ExportFault::Deleted);
    }
    for mysis in &myses {
        written.myses += 1;
        written.rows += write_one(ledger, mysis, order, out).await?;
        if !ledger.has_mysis(mysis.id).await? {
            return Err(ExportFault::Deleted);
        }
    }
    out.close().await?;
    Ok(written)
}

async fn write_missions(
    ledger: &SqlLedger,
    of: Option<MysisId>,
    out: &mut ExportWriter<'_>,
) -> Result<(), ExportFault> {
    let mut behind = 0;
    loop {
        let missions = ledger.missions(of, behind).await?;
        if missions.is_empty() {
            return Ok(());
        }
        behind += missions.len();
        for mission in &missions {
            out.write_line(lines::mission_line(mission).to_string())
                .await?;
        }
    }
}

async fn write_one(
    ledger: &SqlLedger,
    mysis: &MysisRecord,
    order: ExportOrder,
    out: &mut ExportWriter<'_>,
) -> Result<usize, ExportFault> {
    if order.format == ExportFormat::Markdown {
        out.write_line(markdown::head(mysis)).await?;
        return write_rows(ledger, mysis, out).await;
    }
    let (id, mut rows) = (mysis.id, 0);
    for kind in exported_kinds() {
        let written: Vec<Value> = match kind {
            // They are of the swarm, and at the beginning.
            LineKind::Mission => Vec::new(),
            LineKind::Mysis => {
                let mut line = lines::mysis_line(mysis, ledger.notes_after(id).await?);
                if order.names_account {
                    line["account"] = mysis.account.as_deref().into();
                }
                vec![line]
            }
            LineKind::Row => {
                rows = write_rows(ledger, mysis, out).await?;
                Vec::new()
            }
            LineKind::Samples => {
                let hours = ledger.all_samples(id).await?.into_iter();
                hours.map(|hour| lines::samples_line(id, &hour)).collect()
            }
            LineKind::Memo => {
                let memos = ledger.exported_memos(id).await?.into_iter();
                let line = |(kind, memo): (_, Arc<str>)| lines::memo_line(id, kind, &memo);
                memos.map(line).collect()
            }
            LineKind::Sighting => {
                let all = ledger.all_snapshots(id).await?.into_iter();
                let line =
                    |(account, seen): (Arc<str>, _)| lines::snapshot_line(id, &account, &seen);
                all.map(line).collect()
            }
        };
        for line in written {
            out.write_line(line.to_string()).await?;
        }
    }
    Ok(rows)
}

async fn write_rows(
    ledger: &SqlLedger,
    mysis: &MysisRecord,
    out: &mut ExportWriter<'_>,
) -> Result<usize, ExportFault> {
    let (mut after, mut count) = (Seq(0), 0);
    loop {
        let page = PageQuery {
            mysis: mysis.id,
            from: PageFrom::After(after),
            limit: PIECE_ROWS,
            kinds: Vec::new(),
        };
        let rows = ledger.page(page).await?;
        let Some(last) = rows.last() else {
            return Ok(count);
        };
        (after, count) = (last.seq, count + rows.len());
        for row in &rows {
            out.write_line(match out.format {
                ExportFormat::JsonLines => lines::row_line(mysis.id, row).to_string(),
                ExportFormat::Markdown => markdown::row_section(&mysis.profile.name, row),
            })
            .await?;
        }
    }
}

struct ExportWriter<'a> {
    format: ExportFormat,
    /// Known secrets. A row may have been stored before a secret in it was known.
    known: Arc<Redactor>,
    file: BufWriter<File>,
    path: &'a Path,
}

impl ExportWriter<'_> {
    /// Writes a line. It is cleaned, because the file may be printed to a terminal.
    async fn write_line(&mut self, line: String) -> Result<(), ExportFault> {
        let line = self.known.clean_own(line);
        let mut line = match self.format {
            ExportFormat::JsonLines => clean::clean_json(&line).into_owned(),
            ExportFormat::Markdown => clean::clean_text(&line).into_owned(),
        };
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).await;
        self.map_fault(written)
    }

    async fn close(&mut self) -> Result<(), ExportFault> {
        let flushed = self.file.flush().await;
        self.map_fault(flushed)?;
        let synced = self.file.get_ref().sync_all().await;
        self.map_fault(synced)
    }

    fn map_fault(&self, result: std::io::Result<()>) -> Result<(), ExportFault> {
        result.map_err(|cause| ExportFault::Unwritable {
            file: self.path.to_path_buf(),
            cause,
        })
    }
}

/// Exports conversations to a folder of the home, for orders from the terminal.
#[derive(Clone)]
pub struct FileExporter {
    ledger: SqlLedger,
    directory: PathBuf,
    secrets: Secrets,
}

impl FileExporter {
    /// Exports to this folder. It is created when it is needed.
    pub fn new(ledger: SqlLedger, directory: PathBuf, secrets: Secrets) -> FileExporter {
        FileExporter {
            ledger,
            directory,
            secrets,
        }
    }

    /// Exports a conversation. Returns a message for the operator.
    pub async fn export(
        &self,
        mysis: MysisId,
        name: &str,
        format: ExportFormat,
    ) -> Result<String, String> {
        let directory = &self.directory;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| format!("create {}: {error}", directory.display()))?;
        let ending = match format {
            ExportFormat::Markdown => "md",
            ExportFormat::JsonLines => "jsonl",
        };
        let moment = MachineClock.now().to_string().replace(':', "-");
        let file = directory.join(format!("{name}-{moment}.{ending}"));
        let order = ExportOrder {
            mysis: Some(mysis),
            format,
            names_account: false,
        };
        let written = export_to_file(&self.ledger, order, &file, &self.secrets).await;
        let written = written.map_err(|fault| fault.to_string())?;
        Ok(format!("{} rows are in {}", written.rows, file.display()))
    }
}
