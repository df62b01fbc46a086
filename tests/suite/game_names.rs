//! Which files outside `src/game` still name the game. The list only gets shorter (decision 600).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files, one a line.
const KNOWN: &str = include_str!("game_names.txt");

/// The files of the product in a folder, without tests and without what is the game's own.
fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_other = matches!(&*name, "tests" | "tests.rs");
        let is_of_the_game = path.ends_with("src/game") || path.ends_with("src/simulators");
        if is_other || is_of_the_game {
            continue;
        }
        if path.is_dir() {
            files_in(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// The files outside `src/game` that read a result as JSON by the game's fields.
fn files_with_readers_of_their_own(root: &Path) -> BTreeSet<String> {
    let mut files = Vec::new();
    for folder in ["actors", "src"] {
        files_in(&root.join(folder), &mut files);
    }
    files_in(&root.join("src/simulators/pilot/situation"), &mut files);
    let reads = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file");
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let keys = [
            "\"current_system\"",
            "\"cargo_capacity\"",
            "\"total_earned\"",
        ];
        product.contains("results::read_facts") || keys.iter().any(|key| product.contains(key))
    };
    let named = files.iter().filter(|path| reads(path));
    named
        .map(|path| {
            path.strip_prefix(root)
                .expect("inside")
                .display()
                .to_string()
        })
        .collect()
}

/// Everything else takes what `Game::read` tells, so that one hand reads each fact (decision 600).
#[test]
fn a_result_of_the_game_is_read_by_the_game_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = [
        // Announcements are the server's, and are read before a Mysis gets the answer.
        "src/servers/toolbox/request_saver/server_clock.rs",
    ];
    let known: BTreeSet<String> = known.map(str::to_string).into();
    assert_eq!(files_with_readers_of_their_own(root), known);
}

#[test]
fn no_further_file_outside_the_game_names_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["actors", "src"] {
        files_in(&root.join(folder), &mut files);
    }
    let names_it = |path: &&PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file");
        // Tests beside the code take the game as their example.
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        product.to_lowercase().contains("spacemolt")
    };
    let named: BTreeSet<String> = files
        .iter()
        .filter(names_it)
        .map(|path| {
            path.strip_prefix(root)
                .expect("inside")
                .display()
                .to_string()
        })
        .collect();
    let known: BTreeSet<String> = KNOWN.lines().map(str::to_string).collect();
    let new: Vec<&String> = named.difference(&known).collect();
    assert!(
        new.is_empty(),
        "what only the game means belongs behind `Game` in src/game: {new:?}"
    );
    let gone: Vec<&String> = known.difference(&named).collect();
    assert!(
        gone.is_empty(),
        "take out of tests/suite/game_names.txt: {gone:?}"
    );
}
