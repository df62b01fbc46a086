//! The loss of a database while the program runs: what happened, what could be saved, and the command
//! that leads back. `zoea.db.lost` keeps it, so that the next start does not go on without what was
//! acknowledged.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::OpenError;
use super::log_file::read_log;
use super::mark::{FileState, state_of};
use super::paths::{DatabasePaths, beside, remove_if_there};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// What happened, such as `the database … was removed`.
    pub(super) what: String,
    pub(super) saved: SavedContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SavedContent {
    All(PathBuf),
    /// What was there at an earlier moment is in this file.
    Part {
        file: PathBuf,
        until: String,
    },
    Nothing(String),
}

impl SavedContent {
    pub(super) fn file(&self) -> Option<&PathBuf> {
        match self {
            SavedContent::All(file) | SavedContent::Part { file, .. } => Some(file),
            SavedContent::Nothing(_) => None,
        }
    }
}

impl Loss {
    pub(super) fn describe(&self, paths: &DatabasePaths) -> String {
        format!(
            "{} while the program runs; {}; {}, then {}",
            self.what,
            self.describe_saved(),
            self.first_step(),
            self.way_back(paths)
        )
    }

    fn first_step(&self) -> &'static str {
        match self.saved.file() {
            Some(_) => "end the program",
            None => {
                "the program tries again while it runs and its disk has room; if that does not help, end it"
            }
        }
    }

    fn describe_saved(&self) -> String {
        match &self.saved {
            SavedContent::All(file) => format!("what it held is saved in {}", file.display()),
            SavedContent::Part { file, until } => format!(
                "what it held up to {until} is saved in {}, what was acknowledged later could not be \
                 saved",
                file.display()
            ),
            SavedContent::Nothing(why) => format!("what it held could not be saved ({why})"),
        }
    }

    /// The command that leads back.
    fn way_back(&self, paths: &DatabasePaths) -> String {
        let (words, file) = match self.saved.file() {
            Some(file) => ("give", &**file),
            None => ("put a backup in its place", Path::new("BACKUP")),
        };
        format!("{words}: {}", paths.command("restore", Some(file)))
    }

    /// Writes the note. A full disk leaves the one of before, or an empty one.
    pub(super) fn keep(&self, paths: &DatabasePaths) -> io::Result<()> {
        let (until, why) = match &self.saved {
            SavedContent::All(_) => (None, None),
            SavedContent::Part { until, .. } => (Some(until), None),
            SavedContent::Nothing(why) => (None, Some(why)),
        };
        let file = self.saved.file();
        let text = json!({"what": self.what, "saved": file, "until": until, "why": why});
        let note = paths.loss_note();
        let unfinished = beside(&note, ".new");
        let written = fs::File::create(&unfinished).and_then(|mut file| {
            file.write_all(text.to_string().as_bytes())?;
            file.sync_all()
        });
        let put = written.and_then(|()| fs::rename(&unfinished, &note));
        if put.is_err() {
            // It may not even exist.
            let _ = fs::remove_file(&unfinished);
            // An empty note takes no room, and refuses the next start, too.
            let _ = fs::File::create_new(&note);
        }
        put
    }

    fn read(paths: &DatabasePaths) -> Option<Loss> {
        let text = fs::read_to_string(paths.loss_note()).ok()?;
        let kept: Value = serde_json::from_str(&text).unwrap_or_default();
        let word = |key: &str| kept[key].as_str().map(str::to_string);
        let file = word("saved").map(PathBuf::from);
        let saved = match (file, word("until")) {
            (Some(file), None) => SavedContent::All(file),
            (Some(file), Some(until)) => SavedContent::Part { file, until },
            (None, _) => SavedContent::Nothing(word("why").unwrap_or_default()),
        };
        let what = word("what");
        Some(Loss {
            what: what.unwrap_or_else(|| format!("{} was lost", paths.given.display())),
            saved,
        })
    }
}

/// Checks that a loss of before is over: what was saved stands in the database's place, or the
/// operator has taken it away.
///
/// # Errors
/// It is not over.
pub(super) fn check_over(paths: &DatabasePaths) -> Result<(), OpenError> {
    let Some(loss) = Loss::read(paths) else {
        return Ok(());
    };
    let state = |path: &Path| state_of(path).ok();
    let is_back = |file: &PathBuf| !file.exists() || state(file) == state(&paths.real);
    if loss.saved.file().is_some_and(is_back) {
        forget(paths);
        return Ok(());
    }
    Err(OpenError::Lost(format!(
        "{} while the program ran; {}, so zoea did not start without it; {}{}",
        loss.what,
        loss.describe_saved(),
        loss.way_back(paths),
        way_on(paths)
    )))
}

/// The file that leads back from a loss which is not over.
pub fn rescued_file(path: &Path) -> Option<PathBuf> {
    let paths = DatabasePaths::of(path);
    check_over(&paths).err()?;
    Loss::read(&paths)?.saved.file().cloned()
}

/// Forgets a loss: another database was put in the place on purpose.
pub(super) fn forget(paths: &DatabasePaths) {
    if let Err(error) = remove_if_there(&paths.loss_note()) {
        tracing::warn!(%error, "failed to remove the note about the lost database");
    }
}

/// The other way, as the end of a sentence: to go on with what is there, or to begin anew.
pub(super) fn way_on(paths: &DatabasePaths) -> String {
    match is_blank(&paths.given) {
        Ok(true) => format!(
            " or, to start with an empty swarm, run {}",
            paths.command("new", None)
        ),
        Ok(false) | Err(_) => format!(
            " or, to continue with what exists, run {}",
            paths.command("restore", Some(&paths.given))
        ),
    }
}

/// Whether nothing stands at the path that could be a swarm's: no file, an empty one, or one without
/// a table, and no log that belongs to it.
pub fn is_blank(path: &Path) -> io::Result<bool> {
    let paths = DatabasePaths::of(path);
    Ok(match state_of(&paths.real)? {
        FileState::None => true,
        FileState::Blank(_) => read_log(&paths.log())?.is_none(),
        FileState::Foreign | FileState::Filled(_) => false,
    })
}
