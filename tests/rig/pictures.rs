//! The pictures that the program takes of its screen, for the documents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::terminal_program::Program;
use crate::until;

/// What the program says of a picture.
const SAVED: &str = "the screen is saved in";

impl Program {
    /// Waits until everything that is read has come, and no message of a picture covers the screen.
    pub fn settle(&mut self) {
        self.watch(Duration::from_secs(2));
        self.until("an empty line", |text| !text.contains(SAVED));
    }

    /// Lets the program write its screen to one folder, and keeps the files in the other: the text in every size, the
    /// image of one.
    pub fn picture(&mut self, written: &Path, target: &Path, view: &str) {
        self.settle();
        let before = newest_image(written);
        self.press_until("P", |text| text.contains(SAVED));
        let image = until("there is a picture", || {
            newest_image(written).filter(|newest| Some(newest) != before.as_ref())
        });
        let (rows, columns) = self.screen().size();
        let text = format!("{view}-{columns}x{rows}.txt");
        copy(&image.with_extension("txt"), &target.join(text));
        if columns.get() == 120 {
            copy(&image, &target.join(format!("{view}.svg")));
        }
    }
}

fn newest_image(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "svg"))
        .max()
}

fn copy(from: &Path, to: &Path) {
    // Read and written again, as a copy would keep the program's closed permissions.
    let bytes = std::fs::read(from).expect("a picture");
    std::fs::write(to, bytes).expect("a folder for it");
}
