//! The journal: the files of a data directory, from which a killed galaxy is rebuilt as it was.
//!
//! A directory has one `snapshot.json` and the numbered segments of a journal that continue it.
//! Every change is appended, and handed to the operating system, before its answer leaves. A
//! snapshot is written beside the old one and renamed over it. Then a new segment begins, and older
//! ones are removed.

mod line;
mod replay;
mod tail;

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::line::JournalLine;
pub(super) use self::{line::write_lines, tail::Tail};
use super::world::{JournalRecord, NotThisWorld, World, WorldRules};

/// The seed of a galaxy when neither the options nor the directory give one.
const DEFAULT_SEED: u64 = 1;

/// The number of lines after which a snapshot is due.
const LINES_PER_SNAPSHOT: u64 = 50_000;

#[derive(Debug)]
pub(super) struct Journal {
    dir: PathBuf,
    segment: u64,
    file: Tail,
    lines: u64,
    /// The newest tick that the journal says has passed.
    marked: u64,
    /// The lock that keeps a second process from writing here. Dropping it unlocks.
    _lock: File,
}

/// The head of a snapshot; the world is read on its own.
#[derive(Deserialize)]
struct Snapshot<'a> {
    format: u32,
    seed: u64,
    segment: u64,
    #[serde(borrow)]
    world: &'a RawValue,
}

const FORMAT: u32 = 1;

impl Journal {
    /// Opens or creates a data directory, and rebuilds the world that it holds. Without a seed in
    /// the options, the directory's own seed counts.
    pub(super) fn open(
        dir: &Path,
        seed: Option<u64>,
        rules: impl FnOnce(u64) -> WorldRules,
    ) -> anyhow::Result<(World, Self)> {
        let lock = lock_dir(dir)?;
        let path = dir.join("snapshot.json");
        let (mut world, first) = match fs::read_to_string(&path) {
            Ok(text) => restore_world(dir, &text, seed, rules)
                .with_context(|| format!("read {}", path.display()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (World::new(rules(seed.unwrap_or(DEFAULT_SEED))), 1)
            }
            Err(error) => return Err(error).with_context(|| format!("read {}", path.display())),
        };
        let last = replay::replay_segments(dir, first, &mut world)?;
        let mut journal = Self {
            dir: dir.to_owned(),
            segment: last,
            file: open_segment(dir, last)?,
            lines: 0,
            marked: world.now(),
            _lock: lock,
        };
        // The sessions ended with the process that held them, so nobody is logged in.
        world.everybody_leaves();
        journal.take_snapshot(&world)?;
        Ok((world, journal))
    }

    /// Appends these records, and that the world has reached this tick.
    pub(super) fn append(&mut self, tick: u64, records: &[JournalRecord]) -> io::Result<()> {
        let mark = (tick > self.marked).then_some(tick);
        if mark.is_none() && records.is_empty() {
            return Ok(());
        }
        // The mark goes last: all records before it belong to ticks up to this one.
        let mut lines = write_lines(records);
        if let Some(tick) = mark {
            lines.extend(JournalLine::of_tick(tick).to_bytes());
        }
        self.file.append(&lines)?;
        self.lines += records.len() as u64 + u64::from(mark.is_some());
        self.marked = self.marked.max(tick);
        Ok(())
    }

    /// Whether enough lines have been appended for a new snapshot.
    pub(super) fn is_snapshot_due(&self) -> bool {
        self.lines >= LINES_PER_SNAPSHOT
    }

    /// Writes the whole world into a snapshot and begins a new segment.
    pub(super) fn take_snapshot(&mut self, world: &World) -> anyhow::Result<()> {
        let next = self.segment + 1;
        let written = self.write_snapshot(world, next);
        let file = match written {
            Ok(file) => file,
            Err(error) => {
                // The old segment goes on and has to stay the last one. The new file may not exist.
                let _ = fs::remove_file(replay::segment_path(&self.dir, next));
                // Half of the lines have to come before the next attempt, so it does not follow at
                // once.
                self.lines = LINES_PER_SNAPSHOT / 2;
                return Err(error);
            }
        };
        self.file = file;
        self.segment = next;
        self.lines = 0;
        self.marked = world.now();
        // A segment that cannot be removed now is removed after the next snapshot.
        for old in replay::segment_numbers(&self.dir)?
            .into_iter()
            .filter(|number| *number < next)
        {
            let path = replay::segment_path(&self.dir, old);
            fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
        }
        Ok(())
    }

    /// Replaces the snapshot. Returns the segment that continues the new one.
    fn write_snapshot(&self, world: &World, next: u64) -> anyhow::Result<Tail> {
        let file = open_segment(&self.dir, next)?;
        let path = self.dir.join("snapshot.json");
        let draft = self.dir.join("snapshot.json.new");
        let text = format!(
            "{{\"format\":{FORMAT},\"seed\":{},\"segment\":{next},\"world\":{}}}\n",
            world.seed(),
            world.save()
        );
        create_private(&draft)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&draft, &path))
            .with_context(|| format!("write {}", path.display()))?;
        Ok(file)
    }
}

fn lock_dir(dir: &Path) -> anyhow::Result<File> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(|| format!("create {}", dir.display()))?;
    let path = dir.join("galaxy.lock");
    let lock = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("open {}", path.display()))?;
    if lock.try_lock().is_err() {
        bail!(
            "another galaxy uses {}; stop it, or name another directory",
            dir.display()
        );
    }
    Ok(lock)
}

/// Reads the world of a snapshot. Returns it with the number of the segment that continues it.
fn restore_world(
    dir: &Path,
    text: &str,
    seed: Option<u64>,
    rules: impl FnOnce(u64) -> WorldRules,
) -> anyhow::Result<(World, u64)> {
    let damaged = || {
        format!(
            "the snapshot is damaged; put a copy of {0} back, or move {0} away to begin a new galaxy",
            dir.display()
        )
    };
    let snapshot: Snapshot = serde_json::from_str(text).with_context(damaged)?;
    if snapshot.format != FORMAT {
        bail!(
            "it has format {}, this program reads {FORMAT}; use the version that wrote it",
            snapshot.format
        );
    }
    if let Some(seed) = seed.filter(|seed| *seed != snapshot.seed) {
        bail!(
            "it holds a galaxy made with seed {}, not with seed {seed}; give that seed, or name \
             another directory",
            snapshot.seed
        );
    }
    match World::load(rules(snapshot.seed), snapshot.world.get()) {
        Ok(world) => Ok((world, snapshot.segment)),
        Err(error @ NotThisWorld::Unreadable(_)) => Err(error).with_context(damaged),
        Err(error @ (NotThisWorld::Layout | NotThisWorld::Seed { .. })) => {
            Err(error).with_context(|| {
                format!(
                    "use the version that wrote it, or move {} away to begin a new galaxy",
                    dir.display()
                )
            })
        }
    }
}

fn open_segment(dir: &Path, number: u64) -> anyhow::Result<Tail> {
    let path = replay::segment_path(dir, number);
    Tail::open(&path).with_context(|| format!("open {}", path.display()))
}

/// Creates a file that only its owner can read: passwords follow from the seed inside.
fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests;
