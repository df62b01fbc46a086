//! Pages and texts: what a newcomer reads is short, and what an operator reads is plain.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::module_tree::texts_and_help;

/// The most words that a newcomer is asked to read.
const MOST_TO_READ: usize = 15_000;
/// The most words of a page of the design.
const MOST_OF_A_PAGE: usize = 1_500;
/// The most words of a sentence.
const LONGEST_SENTENCE: usize = 45;

/// The words of the predecessor and of the seeds, and texts of others: the simulated game and model.
const OTHERS: [&str; 2] = ["src/simulators/galaxy", "src/simulators/pilot"];
/// Where comments become help that an operator reads.
const HELP: [&str; 3] = [
    "src/interface/cli",
    "src/interface/control",
    "src/host/settings",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below a folder with this ending, but for folders of tests.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default();
            if path.is_dir() && !matches!(name, "tests" | "target") {
                open.push(path);
            } else if path.is_file() && name.ends_with(ending) && name != "tests.rs" {
                let shown = path.strip_prefix(root()).expect("below the root");
                let text = std::fs::read_to_string(&path).expect("text");
                found.push((shown.to_str().expect("a path").to_string(), text));
            }
        }
    }
    found.sort();
    found
}

/// The links of a page, from the root on.
fn links(page: &str, text: &str) -> Vec<String> {
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let targets = text.split("](").skip(1);
    let targets = targets.map(|rest| rest.split([')', '#']).next().unwrap_or_default());
    targets
        .filter(|target| target.ends_with(".md"))
        .map(|target| folder.join(target).to_str().expect("a path").to_string())
        .collect()
}

/// The pages that a newcomer is asked to read: CONTRIBUTING and what its list names.
fn reading_list() -> Vec<String> {
    let page = read("CONTRIBUTING.md");
    let (_, listed) = page.split_once("## Read first\n").expect("the list");
    let listed = listed.lines().skip_while(|line| line.is_empty());
    let listed: Vec<&str> = listed.take_while(|line| !line.is_empty()).collect();
    let mut pages = links("CONTRIBUTING.md", &listed.join("\n"));
    pages.push("CONTRIBUTING.md".to_string());
    pages
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The pages that somebody reads. Decisions tell how a rule came about, in the words of their day.
fn pages() -> Vec<(String, String)> {
    let mut pages = files("docs", ".md");
    pages.retain(|(path, _)| !path.starts_with("docs/decisions/0"));
    for page in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        pages.push((page.to_string(), read(page)));
    }
    pages
}

/// The sentences of a page: code and the targets of links are left out, a cell of a table is a text of its own.
fn sentences(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_code = false;
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        let begins = line
            .split_once(". ")
            .is_some_and(|(head, _)| head.parse::<u32>().is_ok());
        if is_fence || is_code || line.is_empty() || line.starts_with('#') {
            blocks.push(String::new());
            continue;
        }
        if line.starts_with('|') {
            let cells = line.replace("\\|", "/");
            blocks.extend(cells.split('|').map(str::to_string));
            blocks.push(String::new());
            continue;
        }
        if begins || line.starts_with("- ") {
            blocks.push(String::new());
        }
        let block = blocks.last_mut().expect("a block");
        *block += line;
        *block += " ";
    }
    let mut found = Vec::new();
    for block in blocks {
        let mut sentence = String::new();
        for word in block.split_whitespace() {
            sentence += word;
            sentence += " ";
            // A colon or a semicolon ends no sentence: what follows is read together with what stands before it.
            let word = word.trim_end_matches([')', '`', '*', '"', '\'']);
            if word.ends_with(['.', '?', '!']) {
                found.push(std::mem::take(&mut sentence));
            }
        }
        found.push(sentence);
    }
    found
}

#[test]
fn no_page_has_a_sentence_that_is_too_long() {
    let mut long = Vec::new();
    for (page, text) in pages() {
        let sentences = sentences(&text).into_iter();
        long.extend(
            sentences
                .filter(|sentence| words(sentence) > LONGEST_SENTENCE)
                .map(|sentence| format!("{page}: {} words: {sentence}", words(&sentence))),
        );
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn a_cell_and_what_a_colon_joins_are_one_sentence_and_code_is_none() {
    let text = "One: two; three.\nFour (five.) six\n\n```\nno no no\n```\n| a cell \\| of it | another. More |\n";
    let found = sentences(text).into_iter();
    let found: Vec<String> = found
        .map(|sentence| sentence.trim().to_string())
        .filter(|sentence| !sentence.is_empty())
        .collect();
    let wanted = [
        "One: two; three.",
        "Four (five.)",
        "six",
        "a cell / of it",
        "another.",
        "More",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_newcomer_is_asked_to_read_little() {
    let pages = reading_list();
    assert!(pages.len() > 12, "{pages:?}");
    let all: usize = pages.iter().map(|page| words(&read(page))).sum();
    assert!(all <= MOST_TO_READ, "{all} words are to be read");
}

#[test]
fn the_pages_of_the_design_are_eight_short_ones_that_it_links() {
    let design = links("docs/DESIGN.md", &read("docs/DESIGN.md"));
    let pages = files("docs/design", ".md");
    assert_eq!(pages.len(), 8);
    for (page, text) in pages {
        assert!(design.contains(&page), "DESIGN.md does not link {page}");
        assert!(
            words(&text) <= MOST_OF_A_PAGE,
            "{page}: {} words",
            words(&text)
        );
        for part in ["\n## Why\n", "\n## Refused\n"] {
            assert!(text.contains(part), "{page}: {part}");
        }
    }
}

/// The phrases, in lower case.
fn phrases() -> Vec<String> {
    let text = read("tests/house/phrases.txt");
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_lowercase)
        .collect()
}

/// A phrase in a text, as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, found)| {
        !is_word(text[..at].chars().next_back())
            && !is_word(text[at + found.len()..].chars().next())
    })
}

/// The texts that an operator reads, each with where it stands: texts of the program, help, pages.
fn operator_texts() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["src", "actors", "migration"] {
        for (path, text) in files(folder, ".rs") {
            if OTHERS.iter().any(|others| path.starts_with(others)) {
                continue;
            }
            let (texts, help) = texts_and_help(&text);
            found.extend(texts.into_iter().map(|text| (path.clone(), text)));
            if HELP.iter().any(|folder| path.starts_with(folder)) {
                found.extend(help.into_iter().map(|text| (path.clone(), text)));
            }
        }
    }
    // The changelog quotes the words of before.
    found.extend(
        pages()
            .into_iter()
            .filter(|(page, _)| page != "CHANGELOG.md"),
    );
    found
}

#[test]
fn no_text_for_operators_has_a_phrase_that_is_hard_to_read() {
    let phrases = phrases();
    assert!(phrases.len() > 30, "{}", phrases.len());
    let texts = operator_texts();
    assert!(texts.len() > 5_000, "{}", texts.len());
    let mut found = BTreeSet::new();
    for (path, text) in texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ").to_lowercase();
        for phrase in phrases.iter().filter(|phrase| has_phrase(&text, phrase)) {
            let shown: String = text.chars().take(120).collect();
            found.insert(format!("{path}: \"{phrase}\" in {shown}"));
        }
    }
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn texts_and_help_are_found_in_code_and_tests_are_not_read() {
    let code = "//! A head.\n/// First line\n/// and second.\nfn of() -> &'static str { \"it is\\\n   one\" }\n\
                // \"a comment\"\n/// Another.\nconst RAW: &str = r#\"raw \"text\"\"#;\n#[cfg(test)]\nmod tests {\nfn of() { \"not this\"; } }\n";
    let (texts, help) = texts_and_help(code);
    assert_eq!(texts, ["\"it is    one\"", "r#\"raw \"text\"\"#"]);
    assert_eq!(help, [" First line and second.", " Another."]);
}
