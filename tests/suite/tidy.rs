//! The shape of the code: properties of every file that a reader can rely on.

use std::path::{Path, PathBuf};

/// The largest number of production lines in a file, tests not counted.
const LONGEST: usize = 400;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(super) fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                found.push((
                    path.strip_prefix(root())
                        .expect("below the root")
                        .to_path_buf(),
                    text,
                ));
            }
        }
    }
    found
}

fn all() -> Vec<(PathBuf, String)> {
    ["src", "actors/src", "migration/src", "tests", "benches"]
        .into_iter()
        .filter(|folder| root().join(folder).is_dir())
        .flat_map(sources)
        .collect()
}

/// The part of a file that is not its tests.
pub(super) fn production(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text)
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let silent: Vec<PathBuf> = all()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(path, _)| path)
        .collect();
    assert!(
        silent.is_empty(),
        "without a first line of `//!`: {silent:?}"
    );
}

#[test]
fn no_file_is_too_long_to_live_in() {
    let is_tests = |path: &Path| {
        path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
    };
    let long: Vec<(PathBuf, usize)> = all()
        .into_iter()
        .filter(|(path, _)| !is_tests(path))
        .map(|(path, text)| (path, production(&text).lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .collect();
    assert!(long.is_empty(), "over {LONGEST} lines: {long:?}");
}

#[test]
fn the_domain_is_pure() {
    let foreign = [
        "tokio",
        "ractor",
        "tracing",
        "async fn",
        "SystemTime",
        "Instant",
        "std::env",
        "std::fs",
    ];
    let mut found = Vec::new();
    let rules = sources("actors/src/domain").into_iter();
    for (path, text) in rules.chain(sources("actors/src/records")) {
        for word in foreign {
            let is_used = production(&text)
                .lines()
                .any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
            if is_used {
                found.push((path.clone(), word));
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

/// A transaction that begins elsewhere may be a savepoint on a connection whose last commit failed,
/// and its commit then commits nothing (decision 100).
#[test]
fn only_the_writer_begins_transactions() {
    let begins = [
        "TransactionTrait",
        "BEGIN",
        "SAVEPOINT",
        "begin_with_config",
    ];
    // All but the first only read, on connections of their own.
    let may = [
        "src/storage/ledger/writer.rs",
        "src/storage/ledger/check.rs",
        "src/storage/ledger/readers.rs",
        "src/storage/ledger/server.rs",
    ];
    let mut found = Vec::new();
    for (path, text) in sources("src/storage/ledger") {
        let is_tests = path.starts_with("src/storage/ledger/tests") || path.ends_with("tests.rs");
        if is_tests || may.iter().any(|may| path == Path::new(may)) {
            continue;
        }
        let lines = production(&text).lines();
        let code = lines.filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            if begins.iter().any(|word| line.contains(word)) {
                found.push((path.clone(), line.to_string()));
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
    let writer = std::fs::read_to_string(root().join(may[0])).expect("the writer");
    assert!(writer.contains("BEGIN IMMEDIATE"), "it begins them by name");
}

#[test]
fn the_inside_knows_no_outside_crate() {
    let manifest = std::fs::read_to_string(root().join("actors/Cargo.toml")).expect("a manifest");
    for outside in [
        "reqwest",
        "async-openai",
        "rmcp",
        "axum",
        "sea-orm",
        "ratatui",
        "crossterm",
    ] {
        assert!(!manifest.contains(outside), "{outside}");
    }
}

/// Files beside the writers of text: those that draw the screen with commands of their own, and
/// those that only ask whether there is a terminal.
const TERMINAL_USERS: [&str; 7] = [
    "src/host/system/out.rs",
    // Its tables and its progress are parts of it.
    "src/host/system/out/progress.rs",
    "src/host/system/out/table.rs",
    "src/host/system/terminal.rs",
    "src/interface/tui/drawing.rs",
    "src/interface/tui/modes.rs",
    "src/interface/cli/screen.rs",
];

#[test]
fn texts_reach_a_terminal_through_one_file() {
    let ways = [
        concat!("print", "ln!"),
        concat!("eprint", "!"),
        concat!("dbg", "!"),
        concat!("print", "!("),
        concat!("stdout", "()"),
        concat!("stderr", "()"),
    ];
    let mut found = Vec::new();
    for (path, text) in sources("src").into_iter().chain(sources("actors/src")) {
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        if is_test || TERMINAL_USERS.iter().any(|user| path.ends_with(user)) {
            continue;
        }
        for line in production(&text).lines() {
            let is_used = ways.iter().any(|way| line.contains(way));
            if is_used && !line.contains("use_stderr()") {
                found.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "use zoea_system::out:\n{}",
        found.join("\n")
    );
}

#[test]
fn one_file_builds_http_clients() {
    let ways = [
        concat!("reqwest::Client", "::"),
        concat!("Client", "Builder::new"),
        concat!("reqwest", "::get"),
        concat!("default", "_http_client"),
        concat!("HttpClientTransport", "::"),
    ];
    let mut found = Vec::new();
    for (path, text) in sources("src").into_iter().chain(sources("actors/src")) {
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        if is_test || path.ends_with("src/servers/http/lib.rs") {
            continue;
        }
        for line in production(&text).lines() {
            if ways.iter().any(|way| line.contains(way)) {
                found.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "use zoea_http, which heeds proxies as this program does:\n{}",
        found.join("\n")
    );
}

/// Tests in comments are switched off in every manifest, since a build of its own for each package costs a minute
/// of every gate: code in a comment would look tested and would not be.
#[test]
fn no_comment_holds_code() {
    let fence = ["`", "`", "`"].concat();
    let with_code: Vec<PathBuf> = all()
        .into_iter()
        .filter(|(_, text)| {
            let mut fences = text.lines().filter_map(|line| {
                let comment = line.trim_start();
                let comment = comment
                    .strip_prefix("///")
                    .or_else(|| comment.strip_prefix("//!"))?;
                comment.trim().strip_prefix(fence.as_str())
            });
            let mut opens = false;
            fences.any(|kind| {
                opens = !opens;
                opens && kind != "text"
            })
        })
        .map(|(path, _)| path)
        .collect();
    assert!(with_code.is_empty(), "code in a comment: {with_code:?}");
}

/// The codes of notices are stored with rows and events, and scripts ask for them. Where a notice is made,
/// its code stands behind its severity, as the first text of the call.
#[test]
fn every_code_of_a_notice_is_pinned_down() {
    let mut codes = std::collections::BTreeSet::new();
    for (path, text) in ["src", "actors/src"].into_iter().flat_map(sources) {
        if path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        for made in production(&text).split("HostMeta {").skip(1) {
            let members = made.split('}').next().unwrap_or(made);
            let code = members.split("code: \"").nth(1);
            codes.extend(
                code.and_then(|code| code.split('"').next())
                    .map(str::to_owned),
            );
        }
        for made in production(&text).split("notice(").skip(1) {
            let mut arguments = made.split(';').next().unwrap_or(made).split('"');
            let severity = arguments.next().unwrap_or_default();
            let Some(code) = arguments.next() else {
                continue;
            };
            if severity.to_lowercase().contains("severity") && !code.contains(' ') {
                codes.insert(code.to_owned());
            }
        }
    }
    let codes: Vec<String> = codes.into_iter().collect();
    zoea_golden::hold("notices.txt", &codes.join("\n"));
}

/// Files that add to the screen's `Dashboard`, and files below it that name it. These numbers only shrink: the
/// dashboard composes the facts and the views, which know the facts and the outbox.
const DASHBOARD: (usize, usize) = (8, 8);

#[test]
fn the_dashboard_is_no_hub() {
    let files = sources("src/interface/tui/dashboard");
    let count = |word: &str| {
        let named = files
            .iter()
            .filter(|(_, text)| production(text).contains(word));
        named.count()
    };
    let found = (count("\nimpl Dashboard {"), count("::Dashboard;"));
    assert_eq!(found, DASHBOARD);
}
