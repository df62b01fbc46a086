//! References: the targets that code and documents name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const DESIGN: &str = "docs/DESIGN.md";
const CONTRACT: &str = "docs/CONTRACT.md";
const MAP: &str = "docs/ARCHITECTURE.md";
const DECISIONS: &str = "docs/decisions";
const DECISIONS_INDEX: &str = "docs/decisions/README.md";

/// Folders whose files and folders are all on the map.
const ROOM_FOLDERS: [&str; 9] = [
    "src",
    "src/game",
    "src/host",
    "src/interface",
    "src/servers",
    "src/simulators",
    "src/storage",
    "src/telemetry",
    "actors/src",
];
/// Files and folders that no map shows: the root of a crate, what only joins files, tests beside it,
/// and proptest's cases.
const NO_ROOMS: [&str; 5] = [
    "lib.rs",
    "main.rs",
    "tests",
    "tests.rs",
    "proptest-regressions",
];
/// The folders that a path on the map or in other documents may be relative to.
const BASES: [&str; 6] = [
    "",
    "src",
    "src/storage/ledger",
    "actors/src",
    "actors/src/domain",
    "actors/src/records",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All text files of the project and their contents, by path.
fn files() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.expect("a name in UTF-8").to_string();
            // Build output and git's own files are no part of the project.
            if path.is_dir() {
                if !matches!(&*name, "target" | ".git" | "node_modules") {
                    open.push(path);
                }
                continue;
            }
            let kinds = ["rs", "md", "toml", "py", "service", "sh"];
            let ending = path.extension().and_then(|ending| ending.to_str());
            let is_text = kinds.contains(&ending.unwrap_or_default());
            if !is_text && !path.starts_with(root().join(".ci")) {
                continue;
            }
            if let Ok(text) = std::fs::read_to_string(&path) {
                found.insert(relative(&path), text);
            }
        }
    }
    found
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).expect("below the root");
    path.to_str().expect("a path in UTF-8").to_string()
}

/// The numbers after each of these words: `DESIGN 2.1 to 2.3`, `decisions 50 and 235`.
fn numbers_behind(text: &str, words: &[&str]) -> Vec<String> {
    // A comment may break the line in between.
    let text = text.replace("\n//! ", " ").replace('\n', " ");
    let text: Vec<&str> = text
        .split(' ')
        .filter(|word| !word.is_empty() && *word != "//" && *word != "///")
        .collect();
    let mut found = Vec::new();
    for (at, word) in text.iter().enumerate() {
        let bare = word.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        if !words.contains(&bare) {
            continue;
        }
        for word in &text[at + 1..] {
            if matches!(*word, "and" | "to" | "or") {
                continue;
            }
            let number: String = word
                .chars()
                .take_while(|c| c.is_ascii_digit() || *c == '.')
                .collect();
            let rest = &word[number.len()..];
            let is_last = number.ends_with('.') || !matches!(rest, "" | ",");
            let number = number.trim_end_matches('.');
            if number.is_empty() || rest.contains(|c: char| c.is_ascii_alphanumeric()) {
                break;
            }
            found.push(number.to_string());
            if is_last {
                break;
            }
        }
    }
    found
}

/// The numbers of a page: its sections (`## 5. …`), their parts (`### 7.1 …`) and their rules (`3.
/// …`).
fn numbers_of(page: &str) -> BTreeSet<String> {
    let mut numbers = BTreeSet::new();
    let mut section = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.split('.').next().unwrap_or_default().to_string();
            numbers.insert(section.clone());
        } else if let Some(heading) = line.strip_prefix("### ") {
            numbers.insert(heading.split(' ').next().unwrap_or_default().to_string());
        } else if let Some((number, _)) = line.split_once(". ")
            && number.parse::<u32>().is_ok()
        {
            numbers.insert(format!("{section}.{number}"));
        }
    }
    numbers
}

#[test]
fn every_section_that_is_cited_exists() {
    let pages = [
        ("DESIGN", numbers_of(&read(DESIGN))),
        ("CONTRACT", numbers_of(&read(CONTRACT))),
    ];
    let mut missing = Vec::new();
    let mut seen = 0;
    for (path, text) in files() {
        for (word, known) in &pages {
            for number in numbers_behind(&text, &[word]) {
                seen += 1;
                if !known.contains(&number) {
                    missing.push(format!("{path}: {word} {number}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 20, "only {seen} citations were found");
}

/// The decisions' files by number.
fn decisions() -> BTreeMap<u32, Vec<PathBuf>> {
    let mut found: BTreeMap<u32, Vec<PathBuf>> = BTreeMap::new();
    for entry in std::fs::read_dir(root().join(DECISIONS)).expect("the decisions") {
        let path = entry.expect("an entry").path();
        let name = relative(&path);
        if name == DECISIONS_INDEX {
            continue;
        }
        let name = name.rsplit('/').next().unwrap_or_default();
        let number = name.split('-').next().unwrap_or_default();
        let number = number
            .parse()
            .unwrap_or_else(|_| panic!("{name} has no number"));
        found.entry(number).or_default().push(path);
    }
    found
}

#[test]
fn every_decision_that_is_cited_exists() {
    let known = decisions();
    let mut missing = Vec::new();
    let mut seen = 0;
    for (path, text) in files() {
        let words = ["decision", "decisions", "Decision", "Decisions"];
        for number in numbers_behind(&text, &words) {
            seen += 1;
            if !number
                .parse()
                .is_ok_and(|number: u32| known.contains_key(&number))
            {
                missing.push(format!("{path}: decision {number}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 40, "only {seen} citations were found");
}

#[test]
fn decisions_have_one_form() {
    let mut odd = Vec::new();
    for (number, paths) in decisions() {
        if paths.len() > 1 {
            odd.push(format!("{number}: {paths:?}"));
        }
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("text");
            let title = format!("# {number:04}: ");
            let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
            let form = ["## Context", "## Decision", "## Refused", "## Consequences"];
            let is_dated = text
                .lines()
                .nth(2)
                .is_some_and(|line| line.starts_with("Date: 20"));
            let is_named = relative(&path).contains(&format!("/{number:04}-"));
            let has_form = headings
                .first()
                .is_some_and(|first| first.starts_with(&title))
                && headings[1..] == form;
            if !(is_dated && is_named && has_form) {
                odd.push(format!("{}: {headings:?}", relative(&path)));
            }
        }
    }
    assert!(odd.is_empty(), "{}", odd.join("\n"));
}

#[test]
fn the_index_of_decisions_has_each_one_once_under_a_page() {
    let index = read(DECISIONS_INDEX);
    let mut wrong = Vec::new();
    for (number, paths) in decisions() {
        let file = paths[0].file_name().and_then(|name| name.to_str());
        let text = std::fs::read_to_string(&paths[0]).expect("text");
        let title = text.lines().next().unwrap_or_default();
        let (_, title) = title.split_once(": ").expect("a title");
        let line = format!("- [{number}]({}): {title}", file.expect("a name"));
        if index.lines().filter(|found| **found == *line).count() != 1 {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "missing or twice:\n{}", wrong.join("\n"));
    let listed = index.lines().filter(|line| line.starts_with("- [")).count();
    assert_eq!(listed, decisions().len());
    let subjects: Vec<&str> = index.split("\n## ").skip(1).collect();
    let has_page = |subject: &&str| subject.contains("\n\nThe rules in force: [");
    assert!(subjects.len() > 5 && subjects.iter().all(has_page));
}

/// The texts between backticks, outside of code blocks. They may continue in the next line.
fn quoted(page: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut paragraph = String::new();
    let mut is_block = false;
    for line in page.lines().chain([""]) {
        let is_fence = line.trim_start().starts_with("```");
        is_block ^= is_fence;
        if is_fence || is_block || line.is_empty() {
            let spans = paragraph.split('`').skip(1).step_by(2);
            words.extend(spans.map(str::to_string));
            paragraph.clear();
        } else {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    words
}

/// Whether a word looks like a path, such as `src/http.rs` or `domain/life`.
fn looks_like_a_path(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
    word.contains('/') && !word.starts_with('/') && word.chars().all(is_plain)
}

fn exists(word: &str) -> bool {
    let word = word.trim_end_matches('/');
    BASES.iter().any(|base| {
        let path = root().join(base).join(word);
        path.exists() || path.with_extension("rs").exists()
    })
}

#[test]
fn every_path_on_the_map_exists_and_every_room_is_on_it() {
    let map = read(MAP);
    let words = quoted(&map);
    let paths: Vec<&String> = words
        .iter()
        .filter(|word| looks_like_a_path(word))
        .collect();
    let lost: Vec<&&String> = paths.iter().filter(|word| !exists(word)).collect();
    assert!(lost.is_empty(), "on the map and nowhere else: {lost:?}");

    let mut missing = Vec::new();
    for folder in ROOM_FOLDERS {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_room = path.is_dir() || path.extension().is_some_and(|ending| ending == "rs");
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if !is_room || NO_ROOMS.contains(&name) {
                continue;
            }
            let room = relative(&path.with_extension(""));
            let is_named = |word: &&String| {
                let word = word.trim_end_matches('/').trim_end_matches(".rs");
                BASES
                    .iter()
                    .any(|base| Path::new(base).join(word) == Path::new(&room))
            };
            if !paths.iter().any(is_named) {
                missing.push(room);
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "not on the map: {missing:?}");
}

/// A group's head is its module, or the page of a folder that has only packages.
#[test]
fn the_map_says_of_each_group_what_its_head_says() {
    let map = read(MAP);
    let mut groups = 0;
    for entry in std::fs::read_dir(root().join("src")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !path.is_dir() {
            continue;
        }
        let module = std::fs::read_to_string(path.with_extension("rs"));
        let head = module.or_else(|_| std::fs::read_to_string(path.join("README.md")));
        let head = head.unwrap_or_else(|_| panic!("{} has no head", path.display()));
        let mut lines = head
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let sentence = lines.next().unwrap_or_default().trim_start_matches("//! ");
        assert!(map.contains(sentence), "{}: {sentence}", path.display());
        groups += 1;
    }
    assert!((2..=9).contains(&groups), "{groups} groups");
}

#[test]
fn every_path_that_documents_name_exists() {
    let files = files();
    // The top-level folders of the code: a word that begins with one of them is meant as a path.
    let mut places = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for path in files.keys() {
        for (at, _) in path.match_indices('/') {
            let folder = &path[..at];
            folders.insert(folder.rsplit('/').next().unwrap_or(folder).to_string());
            places.insert(folder.to_string());
        }
        places.insert(path.clone());
        places.insert(path.trim_end_matches(".rs").to_string());
    }
    let mut missing = Vec::new();
    for (page, text) in files.iter().filter(|(path, _)| path.ends_with(".md")) {
        for word in quoted(text).iter().filter(|word| looks_like_a_path(word)) {
            let first = word.split('/').next().unwrap_or_default();
            let word = word.trim_end_matches('/');
            let is_there = root().join(word).exists()
                || places
                    .iter()
                    .any(|place| place == word || place.ends_with(&format!("/{word}")));
            if folders.contains(first) && !is_there {
                missing.push(format!("{page}: {word}"));
            }
        }
        let folder = root().join(page);
        let folder = folder.parent().expect("a folder");
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap_or_default();
            if !target.contains("://") && !target.is_empty() && !folder.join(target).exists() {
                missing.push(format!("{page}: {target}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_document_that_code_or_a_page_names_exists() {
    let mut missing = Vec::new();
    // The change log tells of pages that are gone.
    for (path, text) in files().iter().filter(|(path, _)| *path != "CHANGELOG.md") {
        for (at, _) in text.match_indices("docs/") {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
            let word: String = text[at..].chars().take_while(|c| is_plain(*c)).collect();
            let is_whole = !text[..at].ends_with(is_plain);
            let word = word.trim_end_matches(['.', '/']);
            if is_whole && word.contains('.') && !root().join(word).exists() {
                missing.push(format!("{path}: {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Readers of the repository cannot see papers outside of it.
#[test]
fn nothing_refers_to_papers_that_are_elsewhere() {
    let papers = [
        concat!("../", "shared"),
        concat!("HOU", "SE.md"),
        concat!("FIND", "INGS"),
    ];
    let mut found = Vec::new();
    for (path, text) in files() {
        for paper in papers.iter().filter(|paper| text.contains(**paper)) {
            found.push(format!("{path}: {paper}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A word that needs an explanation is a word that readers do not know.
#[test]
fn the_glossary_stays_short_and_the_readme_too() {
    let rows = read("docs/GLOSSARY.md");
    let rows = rows.lines().filter(|line| line.starts_with("| "));
    // The first row is the head.
    assert!(rows.count() - 1 <= 25);
    assert!(read("README.md").lines().count() <= 120);
    assert!(read("CONTRIBUTING.md").lines().count() <= 80);
}

#[test]
fn every_test_that_the_page_on_hostile_texts_names_exists() {
    let page = std::fs::read_to_string(root().join("docs/HOSTILE.md")).expect("the page");
    let rows = page.lines().filter(|line| line.contains("` in `"));
    let mut named = 0;
    for row in rows {
        let parts: Vec<&str> = row.split('`').collect();
        let place = parts.iter().position(|part| *part == " in ").expect(row);
        let (test, file) = (parts[place - 1], parts[place + 1]);
        let text = std::fs::read_to_string(root().join(file)).expect(file);
        assert!(text.contains(&format!("fn {test}()")), "{file}: {test}");
        named += 1;
    }
    assert!(named > 15, "{named}");
}
