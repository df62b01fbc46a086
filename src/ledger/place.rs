//! The place: looked at before each commit, because SQLite goes on writing into a file that was
//! removed or replaced, and all of that would be gone with the process.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait, DatabaseConnection};
use tokio::sync::OnceCell;

use super::plain;

/// Where the database is, and which file that was when it was opened.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    file: Option<FileId>,
    /// What became of saving the database once it was gone.
    rescue: OnceCell<String>,
}

/// Device and number: which file it is, by whatever name.
type FileId = (u64, u64);

impl Place {
    /// The database that was just opened here.
    pub(super) fn of(path: &Path) -> Place {
        Place {
            path: path.to_path_buf(),
            file: fs::metadata(path).ok().map(|file| (file.dev(), file.ino())),
            rescue: OnceCell::new(),
        }
    }

    /// Whether the open database is still the file at its place; if not, what happened, where its
    /// content was saved, and what to do.
    pub(super) async fn check(&self, writer: &DatabaseConnection) -> Result<(), String> {
        let Some(what) = self.trouble() else {
            return Ok(());
        };
        let saved = self.rescue.get_or_init(|| self.save(writer)).await;
        Err(format!(
            "the database {} {what} while the program runs; {saved}",
            self.path.display()
        ))
    }

    fn trouble(&self) -> Option<&'static str> {
        match fs::metadata(&self.path) {
            Ok(file) if Some((file.dev(), file.ino())) != self.file => {
                Some("was replaced by another file")
            }
            Ok(file) if file.len() == 0 => Some("was emptied"),
            Ok(_) => None,
            Err(error) if error.kind() == ErrorKind::NotFound => Some("was removed"),
            // What cannot be looked at may still be written.
            Err(_) => None,
        }
    }

    /// Saves what the open database holds: as long as the process lives, nothing of it is lost.
    async fn save(&self, writer: &DatabaseConnection) -> String {
        let file = self.path.with_extension("db.rescued");
        let text = file.display().to_string().replace('\'', "''");
        match writer
            .execute_unprepared(&format!("VACUUM INTO '{text}'"))
            .await
        {
            Ok(_) => format!(
                "what it held is saved in {}: stop the program, put that in its place, start again",
                file.display()
            ),
            Err(error) => format!(
                "what it held could not be saved ({}): stop the program and restore a copy",
                plain(&error)
            ),
        }
    }
}
