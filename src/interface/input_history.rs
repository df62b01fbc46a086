//! The file of what the operator entered before. All terminals of a home use it, also those that the program draws for
//! others.

use std::path::Path;

use zoea_tui::dashboard::history::{InputHistory, MAX_FILE_BYTES};

use crate::host::home::Home;

/// Reads the input history. A file that cannot be read counts as empty.
pub(super) fn read_history(file: &Path) -> InputHistory {
    match zoea_system::files::read_text(file, MAX_FILE_BYTES) {
        Ok(lines) => InputHistory::from_lines(&lines),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => InputHistory::default(),
        Err(error) => {
            tracing::warn!(%error, file = %file.display(), "failed to read the input history");
            InputHistory::default()
        }
    }
}

/// Adds the newest text to the history file. Other terminals of the home add theirs to the same
/// file.
pub(super) fn keep_history(home: &Home, history: &InputHistory) {
    let Some(newest) = history.newest() else {
        return;
    };
    let mut kept = read_history(&home.history());
    kept.add(newest);
    if let Err(error) = home.keep_history(&kept.to_lines()) {
        tracing::warn!(%error, "failed to keep the input history");
    }
}

/// Adds what was written and not sent when a screen ended.
pub(super) fn keep_unsent(home: &Home, texts: &[String]) {
    for text in texts {
        let mut history = InputHistory::default();
        history.add(text);
        keep_history(home, &history);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_there_again_in_the_next_run() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path().join("home")).unwrap();
        assert_eq!(read_history(&home.history()), InputHistory::default());
        let mut history = InputHistory::default();
        history.add("mine\nand \"sell\"");
        keep_history(&home, &history);
        assert_eq!(read_history(&home.history()), history);
        history.add("again");
        keep_history(&home, &history);
        assert_eq!(read_history(&home.history()), history);
    }
}
