//! Imports a Zoea-Nova database of version 12: its Myses, memories and accounts.

mod convert;
pub(crate) mod moment;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use actors::domain::fault::{MysisFault, MysisFaultKind};
use actors::domain::game::{GameReading, GameRef};
use actors::domain::game_state::GameState;
use actors::domain::ids::{CallKey, MissionId, MysisId, Now, Seq, Timestamp};
use actors::domain::record::{GameAccount, Mission, MysisProfile, NewMysis, PoolAccount};
use actors::domain::snapshot_query::SnapshotQuery;
use actors::domain::state::LifeState;
use actors::domain::write::Write;
use zoea_text::redact::Redactor;

use crate::{BulkImport, SqlLedger, StoredMission};

use super::{ImportFault, ImportReport, KnownMyses, redact_row};
use convert::{ConversationConverter, Names};
use source::{NovaDatabase, SourceAccount, SourceMysis};

/// The fault of a Mysis that was errored. The database does not contain the reason.
const ERRORED_REASON: &str = "it was errored when it was imported";

/// The call of an imported snapshot. The database does not name it, so this key matches no call.
const NO_CALL: CallKey = CallKey {
    seq: Seq(0),
    position: 0,
};

/// Imports a Zoea-Nova database.
///
/// # Errors
/// It is not such a database, has another version or cannot be read, or the ledger refuses it.
pub(super) async fn import_database(
    ledger: &SqlLedger,
    file: &Path,
    scratch: &Path,
    secrets: Vec<Arc<str>>,
) -> Result<ImportReport, ImportFault> {
    let source = NovaDatabase::open(file, scratch).await?;
    let taken = NovaImport::begin(ledger, &source, secrets).await;
    let report = match taken {
        Ok(takeover) => takeover.run().await,
        Err(fault) => Err(fault),
    };
    source.close().await;
    report
}

struct NovaImport<'a> {
    source: &'a NovaDatabase,
    bulk_import: BulkImport,
    residents: KnownMyses,
    names: Names,
    redactor: Redactor,
    myses: Vec<SourceMysis>,
    accounts: Vec<SourceAccount>,
    /// The source's ids of the Myses that are new here.
    new: BTreeSet<String>,
    report: ImportReport,
}

impl<'a> NovaImport<'a> {
    async fn begin(
        ledger: &SqlLedger,
        source: &'a NovaDatabase,
        mut secrets: Vec<Arc<str>>,
    ) -> Result<NovaImport<'a>, ImportFault> {
        let myses = source.myses().await?;
        let accounts = source.accounts().await?;
        secrets.extend(accounts.iter().map(|account| account.password.clone()));
        secrets.extend(source.secrets().await?);
        let bulk_import = ledger.bulk_import().await?;
        Ok(NovaImport {
            source,
            residents: KnownMyses::read(&bulk_import).await?,
            bulk_import,
            names: myses
                .iter()
                .map(|mysis| (mysis.id.clone(), mysis.name.as_str().into()))
                .collect(),
            redactor: Redactor::new(secrets),
            myses,
            accounts,
            new: BTreeSet::new(),
            report: ImportReport::default(),
        })
    }

    async fn run(mut self) -> Result<ImportReport, ImportFault> {
        self.import_missions().await?;
        for mysis in std::mem::take(&mut self.myses) {
            self.import_mysis(&mysis).await?;
        }
        self.import_accounts().await?;
        self.import_snapshots().await?;
        self.bulk_import.commit().await?;
        Ok(self.report)
    }

    /// Imports the broadcasts. All copies of one become a single mission; the text that was given
    /// last is the newest.
    async fn import_missions(&mut self) -> Result<(), ImportFault> {
        let missions: Vec<StoredMission> = self
            .source
            .missions(&self.names)
            .await?
            .into_iter()
            .map(|(text, at)| StoredMission {
                mission: Mission {
                    id: mission_id(&text),
                    text: self.redactor.clean(&text).as_ref().into(),
                    at: at.unwrap_or_default(),
                },
                cleared_at: None,
            })
            .collect();
        self.report.missions = self.bulk_import.missions(&missions).await?;
        Ok(())
    }

    async fn import_mysis(&mut self, mysis: &SourceMysis) -> Result<(), ImportFault> {
        let id = mysis_id(&mysis.id);
        let admitted = self.residents.admit(id, &mysis.name, &mut self.report);
        let Some(name) = admitted else {
            return Ok(());
        };
        self.new.insert(mysis.id.clone());
        let at = mysis.created_at.unwrap_or_default();
        self.bulk_import
            .write(&Write::Create(Box::new(NewMysis {
                id,
                profile: MysisProfile {
                    model: mysis.model.as_deref().map(Into::into),
                    temperature: mysis.temperature,
                    ..MysisProfile::of(&name, &mysis.provider)
                },
                at,
            })))
            .await?;
        self.bulk_import
            .write(&state_write(id, &mysis.state, at))
            .await?;
        self.import_conversation(id, mysis, at).await
    }

    async fn import_conversation(
        &mut self,
        id: MysisId,
        mysis: &SourceMysis,
        at: Timestamp,
    ) -> Result<(), ImportFault> {
        let mut converter = ConversationConverter::new(&self.names, at);
        let mut after = 0;
        loop {
            let memories = self.source.memories(&mysis.id, after).await?;
            let Some((last, _)) = memories.last() else {
                break;
            };
            after = *last;
            for (_, memory) in memories {
                let mission = mission_id(&memory.content);
                let row = converter.convert(memory, mission, &mut self.report);
                append_row(&self.bulk_import, &self.redactor, id, row).await?;
                self.report.rows += 1;
            }
        }
        for row in converter.end(&mut self.report) {
            append_row(&self.bulk_import, &self.redactor, id, row).await?;
            self.report.rows += 1;
        }
        Ok(())
    }

    async fn import_accounts(&mut self) -> Result<(), ImportFault> {
        for account in &self.accounts {
            let owner = account.assigned_to.as_deref();
            let owner = owner.filter(|owner| self.names.contains_key(*owner));
            let pooled = PoolAccount {
                account: GameAccount {
                    username: account.username.as_str().into(),
                    password: account.password.clone(),
                },
                owner: owner.map(mysis_id),
            };
            let at = account.created_at.unwrap_or_default();
            if self.bulk_import.account(&pooled, at).await? {
                self.report.accounts += 1;
            } else {
                self.report.known_accounts += 1;
            }
        }
        Ok(())
    }

    /// Imports the snapshots of each Mysis' account. Snapshots of other accounts and those without
    /// a time are skipped.
    async fn import_snapshots(&mut self) -> Result<(), ImportFault> {
        let accounts = self.accounts.iter();
        let owners =
            accounts.filter_map(|account| Some((&account.username, account.assigned_to.as_ref()?)));
        let owners: BTreeMap<&String, &String> = owners.collect();
        let mut known: BTreeMap<String, GameState> = BTreeMap::new();
        for snapshot in self.source.snapshots().await? {
            let owner = owners.get(&snapshot.username).copied();
            let owner = owner.filter(|owner| self.new.contains(*owner));
            let look = SnapshotQuery::of(
                GameRef::SpaceMolt,
                &snapshot.tool.as_str().into(),
                &"{}".into(),
            );
            let (Some(owner), Some(look), Some(at)) = (owner, look, snapshot.at) else {
                self.report.skipped_snapshots += 1;
                continue;
            };
            let text = self.redactor.clean(&snapshot.content);
            let game = known.entry(owner.clone()).or_default();
            let reading = GameReading::of(GameRef::SpaceMolt, &text);
            let at = Now::from_timestamp(at);
            let seen = game.record_snapshot(look, NO_CALL, &reading, snapshot.tick, at);
            let write = Write::SaveSnapshot {
                mysis: mysis_id(owner),
                account: snapshot.username.into(),
                snapshot: Box::new(seen.clone()),
            };
            self.bulk_import.write(&write).await?;
            self.report.imported_snapshots += 1;
        }
        Ok(())
    }
}

async fn append_row(
    bulk_import: &BulkImport,
    redactor: &Redactor,
    mysis: MysisId,
    row: actors::domain::message::Row,
) -> Result<(), ImportFault> {
    let row = Arc::new(redact_row(redactor, row));
    Ok(bulk_import.write(&Write::Append { mysis, row }).await?)
}

/// The imported state. No Mysis runs before it is started here.
fn state_write(mysis: MysisId, word: &str, at: Timestamp) -> Write {
    let state = LifeState::parse(word)
        .unwrap_or(LifeState::Stopped)
        .at_rest();
    let is_errored = state == LifeState::Errored;
    Write::State {
        mysis,
        state,
        reason: is_errored.then(|| ERRORED_REASON.into()),
        fault: is_errored.then(|| MysisFault {
            kind: MysisFaultKind::Crash,
            text: ERRORED_REASON.into(),
            at,
        }),
        at,
    }
}

fn mysis_id(id: &str) -> MysisId {
    MysisId(stable_hash(&["mysis", id]))
}

fn mission_id(text: &str) -> MissionId {
    MissionId(stable_hash(&["mission", text]))
}

/// A positive number derived from these words by FNV-1a.
fn stable_hash(words: &[&str]) -> i64 {
    let bytes = words
        .iter()
        .flat_map(|word| word.bytes().chain(std::iter::once(0)));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::try_from(hash >> 1).unwrap_or(1).max(1)
}
