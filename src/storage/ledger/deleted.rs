//! Copies of Myses that are deleted: exports in a directory of the home, kept for a day.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use actors::domain::ids::{Moment, MysisId};
use actors::domain::record::MysisRecord;
use actors::domain::screen::ExportFormat;
use actors::ports::{Clock, DeletedMyses};
use actors::secrets::Secrets;
use futures::FutureExt;
use futures::future::BoxFuture;
use zoea_system::clock::MachineClock;
use zoea_system::files::open_regular;

use super::SqlLedger;
use super::export::{ExportOrder, export_to_file};
use super::import::lines::import_copy;

const KEPT: Duration = Duration::from_secs(24 * 3600);
/// How often old copies are looked for.
const SWEEP: Duration = Duration::from_secs(600);
/// Stands between the name of a Mysis, which cannot contain it, and the time of its deletion.
const SIGN: char = '@';
const ENDING: &str = ".jsonl";
/// The ending of a copy that is not whole.
const PART: &str = ".part";

#[derive(Clone)]
pub struct DeletedCopies {
    ledger: SqlLedger,
    directory: PathBuf,
    secrets: Secrets,
    /// When this process saw each copy first.
    seen: Arc<Mutex<BTreeMap<PathBuf, Moment>>>,
}

impl DeletedCopies {
    /// The copies in this directory, which is made when it is needed.
    pub fn new(ledger: SqlLedger, directory: PathBuf, secrets: Secrets) -> DeletedCopies {
        DeletedCopies {
            ledger,
            directory,
            secrets,
            seen: Arc::default(),
        }
    }

    /// Removes copies whose day is over, again and again.
    pub async fn sweep(self) {
        loop {
            let copies = self.clone();
            // Where this fails, the next time comes.
            let _ = on_disk(move || copies.remove_old(MachineClock.moment())).await;
            tokio::time::sleep(SWEEP).await;
        }
    }

    /// Removes copies that programs have seen for a day, and what was left unfinished. The wall clock is
    /// not asked: it may have been set ahead since (decision 90). How long a copy was seen is kept as its
    /// time of change, counted from 1970, for the next program.
    pub(super) fn remove_old(&self, now: Moment) {
        let mut seen = self.seen.lock();
        let before = std::mem::take(&mut *seen);
        for copy in copies_in(&self.directory) {
            let known = before.get(&copy).copied();
            let since = known.unwrap_or_else(|| now.minus(stored_age(&copy)));
            if now.since(since) > KEPT {
                match fs::remove_file(&copy) {
                    Ok(()) => continue,
                    Err(error) => {
                        tracing::warn!(%error, "failed to remove an old copy of a deleted Mysis");
                    }
                }
            }
            store_age(&copy, now.since(since).min(KEPT));
            seen.insert(copy, since);
        }
    }

    async fn keep_copy(self, mysis: MysisId) -> Result<(), String> {
        let copies = self.clone();
        on_disk(move || copies.make_directory()).await??;
        let records = self.ledger.records([mysis].into()).await;
        let records = records.map_err(|fault| fault.to_string())?;
        let record = records.first().ok_or("it is not stored")?;
        let moment = MachineClock.now().to_string().replace(':', "-");
        let name = format!("{}{SIGN}{moment}{ENDING}", record.profile.name);
        let (part, whole) = (
            self.directory.join(format!("{name}{PART}")),
            self.directory.join(name),
        );
        let order = ExportOrder {
            mysis: Some(mysis),
            format: ExportFormat::JsonLines,
            names_account: true,
        };
        let written = export_to_file(&self.ledger, order, &part, &self.secrets).await;
        written.map_err(|fault| fault.to_string())?;
        on_disk(move || self.put_in_place(&part, &whole)).await?
    }

    fn make_directory(&self) -> Result<(), String> {
        self.remove_old(MachineClock.moment());
        let mut directory = fs::DirBuilder::new();
        let directory = directory.recursive(true).mode(0o700);
        let made = directory.create(&self.directory);
        made.map_err(|error| self.refused(&error))
    }

    fn put_in_place(&self, part: &Path, whole: &Path) -> Result<(), String> {
        store_age(part, Duration::ZERO);
        let put =
            fs::rename(part, whole).and_then(|()| fs::File::open(&self.directory)?.sync_all());
        put.map_err(|error| self.refused(&error))
    }

    fn unreadable(&self, error: &io::Error) -> String {
        let refused = self.refused(error);
        if error.kind() != io::ErrorKind::PermissionDenied {
            return refused;
        }
        format!(
            "{refused}: the copies belong to another user, as after a deletion with sudo; give them back with \
             chown -R"
        )
    }

    fn refused(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.directory.display())
    }

    async fn bring_copy_back(self, name: String) -> Result<MysisRecord, String> {
        let (copies, wanted) = (self.clone(), name.clone());
        let newest = on_disk(move || {
            copies.remove_old(MachineClock.moment());
            let newest = newest_copy(&copies.directory, &wanted);
            newest.map_err(|error| copies.unreadable(&error))
        });
        let copy = newest.await??.ok_or_else(|| {
            format!(
                "no copy of `{name}` is in {}: it was not deleted here, it was deleted with --now, or more than \
                 a day ago",
                self.directory.display()
            )
        })?;
        let known = self.secrets.redactor();
        let brought = import_copy(&self.ledger, &copy, &known).await;
        let record = brought.map_err(|fault| format!("{}: {fault}", copy.display()))?;
        let mut record = record.ok_or_else(|| format!("`{name}` exists: it was not deleted"))?;
        // What is back is not kept twice. If it stays, it says that the Mysis is there.
        let _ = fs::remove_file(&copy);
        // Its next life comes after those of before it was deleted.
        let newest = self.ledger.inner.fences().get(&record.id).copied();
        record.incarnation = record.incarnation.max(newest.unwrap_or_default());
        Ok(record)
    }
}

/// Does something on the disk, which may be slow, without holding up anything else.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| error.to_string())
}

/// The copies in a directory, also those that are not whole. What else is there belongs to others.
fn copies_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| {
        let file = path.file_name().and_then(|file| file.to_str());
        let whole = file.map(|file| file.strip_suffix(PART).unwrap_or(file));
        whole.is_some_and(|whole| whole.ends_with(ENDING) && whole.contains(SIGN))
    })
}

/// How long earlier programs saw a copy. Where none has stored it, the file has the date of its making.
fn stored_age(copy: &Path) -> Duration {
    let changed = fs::symlink_metadata(copy).and_then(|found| found.modified());
    let age = changed
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    age.filter(|age| *age <= KEPT).unwrap_or_default()
}

fn store_age(copy: &Path, age: Duration) {
    // Where this fails, the next program sees the copy for the first time.
    let _ = open_regular(copy).and_then(|file| file.set_modified(UNIX_EPOCH + age));
}

/// The newest whole copy under this name. Times in file names sort by their letters.
///
/// # Errors
/// The directory is there, but cannot be read.
fn newest_copy(directory: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    if let Err(error) = fs::read_dir(directory)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let copies = copies_in(directory).filter(|path| {
        let file = path.file_name().and_then(|file| file.to_str());
        let file = file.and_then(|file| file.strip_suffix(ENDING));
        file.and_then(|file| file.rsplit_once(SIGN))
            .is_some_and(|(whose, _)| whose == name)
    });
    Ok(copies.max())
}

impl DeletedMyses for DeletedCopies {
    fn keep(&self, mysis: MysisId) -> BoxFuture<'static, Result<(), String>> {
        self.clone().keep_copy(mysis).boxed()
    }

    fn bring_back(&self, name: &str) -> BoxFuture<'static, Result<MysisRecord, String>> {
        self.clone().bring_copy_back(name.to_string()).boxed()
    }
}
