//! Checks around each commit that the database file and its log are still in place. SQLite goes on
//! writing to files that were removed, replaced or cut, and everything written there is lost when the
//! process ends.

use parking_lot::Mutex;
use std::fs::{self, File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use sea_orm::DbErr;
use sea_orm::sqlx::SqlitePool;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use zoea_system::disk;
use zoea_system::files::open_regular;

use super::file;
use super::file_length::FileLength;
use super::last_commit::LastCommit;
use super::log_file::{FRAME_HEADER_BYTES, LOG_HEADER_BYTES, SALTS};
use super::loss::{Loss, SavedContent};
use super::mark::Mark;
use super::paths::{DatabasePaths, FileId, entry_at, id_of, remove_if_there};
use super::rescue;

/// The length of one of the two equal heads of the log's index.
const INDEX_HEAD_BYTES: usize = 48;

/// How long after a try that saved nothing the next one is made. Each copies what it can read.
pub(super) const RETRY_PAUSE: Duration = Duration::from_secs(60);

/// The open database: its paths, and the identity of the files that were opened there.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    paths: DatabasePaths,
    file: Option<FileId>,
    log: Option<FileId>,
    /// The log that was opened, to read from.
    log_file: Option<File>,
    /// Keeps the log and its index the same files, and reads what they hold when they are gone.
    anchor: SqlitePool,
    /// The index of the log. It is closed after all connections: closing it ends their locks.
    index: Option<File>,
    length: Mutex<FileLength>,
    /// The mark of the last commit, if it is known.
    mark: Mutex<Option<Mark>>,
    last_commit: LastCommit,
    /// What was found first. From then on nothing is written.
    trouble: OnceLock<String>,
    /// What was saved after that, once something was.
    loss: OnceCell<Loss>,
    /// The last try that saved nothing, and when it ended.
    unsaved: Mutex<Option<(Loss, Instant)>>,
}

impl DatabaseFile {
    pub(super) async fn open(paths: DatabasePaths) -> Result<DatabaseFile, DbErr> {
        let anchor = file::open_anchor(&paths.real).await?;
        Ok(DatabaseFile {
            file: entry_at(&paths.real),
            log: entry_at(&paths.log()),
            log_file: open_regular(&paths.log()).ok(),
            anchor,
            index: open_regular(&paths.log_index()).ok(),
            length: Mutex::default(),
            mark: Mutex::new(None),
            last_commit: LastCommit::of(&paths),
            trouble: OnceLock::new(),
            loss: OnceCell::new(),
            unsaved: Mutex::new(None),
            paths,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.paths.given
    }

    /// Checks whether the open database is still the file at its path, with its log. If not, saves
    /// its content to another file. The error says what happened, where the content is, and what to
    /// do.
    pub(super) async fn check_in_place(&self) -> Result<(), String> {
        if self.trouble().is_none() {
            return Ok(());
        }
        match self.directory_moved_to() {
            None => Err(self.loss().await.describe(&self.paths)),
            Some(now) => Err(format!(
                "the directory of the database {} was moved to {} while the program runs; everything is \
                 there: stop the program, and start it with --home {}, or move the directory back",
                self.paths.given.display(),
                now.display(),
                now.display()
            )),
        }
    }

    /// What has happened to the files, if anything has. It stays: what was written since is not
    /// looked for anywhere.
    pub(super) fn trouble(&self) -> Option<&str> {
        if self.trouble.get().is_none()
            && let Some(found) = self.find_trouble()
        {
            // Another thread may have found something at the same moment.
            let _ = self.trouble.set(found);
        }
        self.trouble.get().map(String::as_str)
    }

    pub(super) fn known_loss(&self) -> Option<String> {
        let saved = self.loss.get().cloned();
        let unsaved = || self.unsaved.lock().as_ref().map(|(loss, _)| loss.clone());
        let loss = saved.or_else(unsaved);
        loss.map(|loss| loss.describe(&self.paths))
    }

    /// What was lost, and what of it is saved. Where nothing could be saved, as on a full disk, a later
    /// call tries it again once there is room: the open connection may still have everything.
    async fn loss(&self) -> Loss {
        let unsaved = self.unsaved.lock().clone();
        let is_early = |tried: Instant| tried.elapsed() < RETRY_PAUSE || !self.has_room();
        if let Some((unsaved, _)) = unsaved.filter(|(_, tried)| is_early(*tried)) {
            return unsaved;
        }
        let saving = async {
            let what = self.trouble.get().cloned().unwrap_or_default();
            let is_in_place = self.find_file_trouble().is_none();
            let saved = rescue::save(&self.paths, &self.anchor, is_in_place).await;
            let loss = Loss { what, saved };
            if let Err(error) = loss.keep(&self.paths) {
                tracing::error!(%error, "failed to keep a note about the lost database");
            }
            match loss.saved.file() {
                Some(_) => Ok(loss),
                None => Err(loss),
            }
        };
        match self.loss.get_or_try_init(|| saving).await {
            Ok(loss) => loss.clone(),
            Err(loss) => {
                *self.unsaved.lock() = Some((loss.clone(), Instant::now()));
                loss
            }
        }
    }

    /// Lets the last call of a process try at once: after it, nothing has the content any more.
    pub(super) fn end_pause(&self) {
        if self.has_room() {
            self.unsaved.lock().take();
        }
    }

    /// Whether there may be room for a copy. Each try without it would fill the disk for a while.
    fn has_room(&self) -> bool {
        let content = self.length.lock().longest();
        let free = self.paths.real.parent().map(disk::free_bytes);
        free.and_then(Result::ok).is_none_or(|free| free >= content)
    }

    fn find_trouble(&self) -> Option<String> {
        let of_file = self
            .find_file_trouble()
            .map(|what| format!("the database {} {what}", self.paths.given.display()));
        of_file.or_else(|| {
            let what = self.find_log_trouble()?;
            Some(format!(
                "{}, the log of the database, {what}",
                self.paths.log().display()
            ))
        })
    }

    fn find_file_trouble(&self) -> Option<&'static str> {
        let file = match self.look_at(&self.paths.real, self.file) {
            Ok(file) => file?,
            Err(what) => return Some(what),
        };
        if file.len() == 0 {
            return Some("was emptied");
        }
        // Under the lock, so that a length of before is not seen after a later one.
        let mut length = self.length.lock();
        let now = fs::symlink_metadata(&self.paths.real);
        let is_cut = length.see(now.map_or(file.len(), |now| now.len()));
        is_cut.then_some("was cut short")
    }

    fn find_log_trouble(&self) -> Option<&'static str> {
        let path = self.paths.log();
        // Another program may empty the log as SQLite allows, between our looks at it and its index.
        let mut found = None;
        for _ in 0..2 {
            let log = match self.look_at(&path, self.log) {
                Ok(log) => log?,
                Err(what) => return Some(what),
            };
            found = self.compare_with_index(&log);
            found?;
        }
        found
    }

    /// The file at a path, unless it cannot be inspected, which may not hinder SQLite.
    fn look_at(
        &self,
        path: &Path,
        known: Option<FileId>,
    ) -> Result<Option<Metadata>, &'static str> {
        match fs::symlink_metadata(path) {
            Ok(found) if known.is_none_or(|known| known == id_of(&found)) => Ok(Some(found)),
            Ok(found) if found.is_symlink() => Err("was replaced by a link"),
            Ok(_) => Err("was replaced by another file"),
            Err(error) if error.kind() == ErrorKind::NotFound && known.is_some() => {
                Err("was removed")
            }
            Err(_) => Ok(None),
        }
    }

    /// Compares the log with its index, which has the number of frames up to the last commit.
    fn compare_with_index(&self, log: &Metadata) -> Option<&'static str> {
        let mut heads = [0; 2 * INDEX_HEAD_BYTES];
        self.index.as_ref()?.read_exact_at(&mut heads, 0).ok()?;
        let (head, second) = heads.split_at(INDEX_HEAD_BYTES);
        let page_bytes = u16::from_ne_bytes([head[14], head[15]]);
        // 1 stands for 65,536.
        let page_bytes = match page_bytes {
            1 => 65_536,
            bytes => usize::from(bytes),
        };
        let frames = u32::from_ne_bytes([head[16], head[17], head[18], head[19]]);
        if head != second || frames == 0 {
            return None;
        }
        let frame_bytes = (FRAME_HEADER_BYTES + page_bytes) as u64;
        if log.len() < LOG_HEADER_BYTES as u64 + u64::from(frames) * frame_bytes {
            return Some("was cut short");
        }
        let mut header = [0; LOG_HEADER_BYTES];
        let file = self.log_file.as_ref()?;
        file.read_exact_at(&mut header, 0).ok()?;
        (header[SALTS] != head[32..40]).then_some("was overwritten")
    }

    /// The mark of the last commit, if it is known. It is unknown then until the next is noted.
    pub(super) fn take_mark(&self) -> Option<Mark> {
        self.mark.lock().take()
    }

    pub(super) fn note_commit(&self, mark: Mark) {
        *self.mark.lock() = Some(mark);
        self.last_commit.note(mark);
    }

    /// Where the directory of the database is now, if it is gone from its path and the open file is
    /// elsewhere under its name. Where the system does not tell, that is nowhere.
    fn directory_moved_to(&self) -> Option<PathBuf> {
        let path = &self.paths.real;
        if path.parent()?.exists() {
            return None;
        }
        let is_it = |now: &PathBuf| {
            let is_named_so = now.file_name() == path.file_name();
            is_named_so && self.file.is_some() && entry_at(now) == self.file
        };
        let open = fs::read_dir("/proc/self/fd").ok()?.flatten();
        let mut paths = open.filter_map(|file| fs::read_link(file.path()).ok());
        Some(paths.find(is_it)?.parent()?.to_path_buf())
    }

    /// Allows the file to become shorter.
    pub(super) fn begin_compaction(&self) {
        self.length.lock().begin_compaction();
    }

    /// Ends a compaction after which the pages take this many bytes, if that is known.
    pub(super) fn end_compaction(&self, content: Option<u64>) {
        let mut length = self.length.lock();
        let file = fs::symlink_metadata(&self.paths.real);
        length.end_compaction(file.map_or(0, |file| file.len()), content);
    }

    /// Closes the connection that keeps the log in place. The connections that are closed later
    /// carry it into the file and remove it.
    pub(super) async fn close(&self) {
        self.anchor.close().await;
    }

    /// Forgets the last commit: all connections are closed, and the file has everything.
    pub(super) fn closed(&self) {
        if fs::symlink_metadata(self.paths.log()).is_err() {
            self.last_commit.remove();
        }
    }

    /// Removes the log after a loss, which could be laid over the file that takes its place. A log
    /// that may hold more than what was saved stays.
    pub(super) fn remove_lost_log(&self) {
        let is_saved = |loss: &Loss| matches!(loss.saved, SavedContent::All(_));
        if !self.loss.get().is_some_and(is_saved) {
            return;
        }
        for file in [self.paths.log(), self.paths.log_index()] {
            if let Err(error) = remove_if_there(&file) {
                tracing::warn!(%error, file = %file.display(), "failed to remove the lost log");
            }
        }
        self.last_commit.remove();
    }
}
