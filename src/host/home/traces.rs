//! Traces of an older swarm: what is left in a home whose database is gone. Such a home is never taken
//! for a new one.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use zoea_system::files::open_regular;

use super::Home;

/// The most of a log file that is searched.
const MAX_LOG_BYTES: u64 = 1 << 20;
/// What only a swarm with Myses writes into its log.
const WORDS_OF_A_SWARM: [&str; 2] = ["mysis_created", "\"mysis\":"];

/// What is left of an older swarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traces {
    /// A file that only a swarm leaves.
    pub trace: PathBuf,
    /// The newest copy of a database that the program kept.
    pub copy: Option<PathBuf>,
}

impl Home {
    /// What is left of an older swarm; `None` if this home never had one. Meant for a home without a
    /// database.
    pub fn traces(&self) -> Option<Traces> {
        let names = self.file_names();
        let is_copy = |name: &&String| {
            let kinds = ["rescued", "replaced", "version-"];
            let of_database = name.strip_prefix("zoea.db.");
            of_database.is_some_and(|kind| kinds.iter().any(|known| kind.starts_with(known)))
                && !["-wal", "-shm", "-journal"]
                    .iter()
                    .any(|log| name.ends_with(log))
        };
        // What was rescued is newer than any other copy.
        let copy = names.iter().filter(is_copy).max_by_key(|name| {
            let changed =
                fs::metadata(self.directory().join(name)).and_then(|file| file.modified());
            (name.starts_with("zoea.db.rescued"), changed.ok())
        });
        let copy = copy.map(|name| self.directory().join(name));
        let log_of_database = self.directory().join("zoea.db-wal");
        let has_log = fs::metadata(&log_of_database).is_ok_and(|log| log.len() > 0);
        let beside = names.iter().filter(|name| {
            ["home.id", "control.token", "zoea.db.lost", "zoea.db.last"].contains(&name.as_str())
        });
        let mut found = copy
            .iter()
            .cloned()
            .chain(has_log.then_some(log_of_database))
            .chain(beside.map(|name| self.directory().join(name)));
        let logs = names.iter().filter(|name| name.starts_with("zoea.log"));
        let mut logs = logs.map(|name| self.directory().join(name));
        let trace = found
            .next()
            .or_else(|| logs.find(|log| mentions_myses(log)))?;
        Some(Traces { trace, copy })
    }

    fn file_names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory()).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

fn mentions_myses(log: &Path) -> bool {
    let mut text = Vec::new();
    let read = open_regular(log).and_then(|log| log.take(MAX_LOG_BYTES).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    read.is_ok() && WORDS_OF_A_SWARM.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_swarm_leaves_is_a_trace_and_what_was_rescued_goes_before_other_copies() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let file = |name: &str| directory.path().join(name);
        let put = |name: &str, text: &str| fs::write(file(name), text).unwrap();
        for name in ["zoea.toml", "zoea.lock", "credentials.json", "zoea.db-wal"] {
            put(name, "");
        }
        put("zoea.log", "{\"message\":\"configuration\"}\n");
        assert_eq!(home.traces(), None);
        put(
            "zoea.log.1",
            "{\"message\":\"event\",\"mysis\":\"alpha\"}\n",
        );
        let trace = |name: &str, copy: Option<&str>| {
            let (trace, copy) = (file(name), copy.map(file));
            Some(Traces { trace, copy })
        };
        assert_eq!(home.traces(), trace("zoea.log.1", None));
        put("control.token", "t");
        assert_eq!(home.traces(), trace("control.token", None));
        put("zoea.db-wal", "log");
        assert_eq!(home.traces(), trace("zoea.db-wal", None));
        put("zoea.db.rescued", "");
        put("zoea.db.replaced", "");
        put("zoea.db.replaced-wal", "");
        let rescued = "zoea.db.rescued";
        assert_eq!(home.traces(), trace(rescued, Some(rescued)));
    }
}
