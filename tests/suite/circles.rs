//! No two files need each other, and no function is too long to be read at once.
//!
//! A file A needs a file B when production code of A names an item (in a `use` or in a path) that is defined in B; a
//! re-export counts for the file that it leads to, a declaration `mod b;` counts for nothing. A module that names
//! what an ancestor of its own defines is no need either: such a child is a part of its parent, split off by length,
//! and the parent hands its state to it. A circle is a set of files that need each other, through others or directly.
//! The same holds for top-level modules: those right below a package's root, each with all files below it. The screen
//! (`src/interface/tui`) has no such modules: a view stands beside its model there, and what all draw with stands beside both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::module_tree::{ModuleTree, item_end, production_tokens};

/// Lines of code that a function may have, from its name to its last brace. Comments do not count, so that nobody saves
/// on them.
const MAX_FUNCTION_LINES: usize = 60;

type Needs = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(path: &Path) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}

/// Every package of the workspace, as code names it, with the file that is its root.
fn packages() -> Vec<(String, PathBuf)> {
    let manifest = text_of(Path::new("Cargo.toml")).expect("a manifest");
    let members = manifest
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    let of_members = members
        .filter(|member| !member.starts_with("tests/"))
        .map(|member| {
            let manifest = text_of(&Path::new(member).join("Cargo.toml")).expect("a manifest");
            let value = |key: &str| {
                let line = manifest
                    .lines()
                    .find_map(|line| line.strip_prefix(key)?.strip_suffix('"'));
                line.map(ToString::to_string)
            };
            let name = value("name = \"").expect("a name").replace('-', "_");
            let file = value("path = \"").unwrap_or("src/lib.rs".to_string());
            (name, Path::new(member).join(file))
        });
    let of_root = [("zoea", "src/lib.rs"), ("zoea_program", "src/main.rs")];
    let of_root = of_root.map(|(name, file)| (name.to_string(), PathBuf::from(file)));
    of_members.chain(of_root).collect()
}

fn needs(tree: &ModuleTree) -> Needs {
    let mut needs = Needs::new();
    for (id, module) in tree.modules.iter().enumerate() {
        for path in &module.paths {
            let Some(definition) = tree.definition(id, path) else {
                continue;
            };
            let mut ancestors = std::iter::successors(Some(id), |id| tree.modules[*id].parent);
            if !ancestors.any(|ancestor| ancestor == definition) {
                let of_file = needs.entry(module.file.clone()).or_default();
                let names = of_file
                    .entry(tree.modules[definition].file.clone())
                    .or_default();
                names.insert(path.join("::"));
            }
        }
    }
    needs.iter_mut().for_each(|(file, of_file)| {
        of_file.remove(file);
    });
    needs
}

/// Folders that only sort the modules of the root package by what they face.
const GROUPS: &[&str] = &["host", "interface", "storage", "telemetry"];

/// The same by top-level modules: a module right below a package's root or below one of its groups,
/// with all that is in it.
fn needs_of_top_modules(tree: &ModuleTree, needs: &Needs) -> Needs {
    let is_group = |id: usize| {
        let file = tree.modules[id].file.as_path();
        let name = file.file_stem().and_then(|name| name.to_str());
        file.parent() == Some(Path::new("src")) && name.is_some_and(|name| GROUPS.contains(&name))
    };
    let top = |id: usize| {
        let mut ancestors = std::iter::successors(Some(id), |id| tree.modules[*id].parent);
        let top = ancestors.find(|id| {
            let above = tree.modules[*id].parent;
            above.is_none_or(|above| tree.modules[above].parent.is_none() || is_group(above))
        });
        tree.modules[top.unwrap_or(id)].file.clone()
    };
    let modules = tree.modules.iter().enumerate();
    let tops: BTreeMap<&PathBuf, PathBuf> = modules
        .map(|(id, module)| (&module.file, top(id)))
        .collect();
    let mut found = Needs::new();
    for (file, of_file) in needs
        .iter()
        .filter(|(file, _)| !file.starts_with("src/interface/tui"))
    {
        for (other, names) in of_file
            .iter()
            .filter(|(other, _)| tops[file] != tops[*other])
        {
            let of_top = found.entry(tops[file].clone()).or_default();
            of_top
                .entry(tops[other].clone())
                .or_default()
                .extend(names.clone());
        }
    }
    found
}

/// Every circle, told as its files with the names that tie each to the others.
fn circles(needs: &Needs) -> Vec<String> {
    let reach = |from: &PathBuf| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for next in needs.get(file).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        needs.keys().map(|file| (file, reach(file))).collect();
    let together = |one: &PathBuf, other: &PathBuf| {
        reached[one].contains(other) && reached.get(other).is_some_and(|back| back.contains(one))
    };
    let is_tied = |one: &PathBuf| {
        needs
            .keys()
            .filter(|other| together(one, other))
            .collect::<Vec<_>>()
    };
    let sets: BTreeSet<Vec<&PathBuf>> = needs
        .keys()
        .map(is_tied)
        .filter(|set| !set.is_empty())
        .collect();
    let printed = sets.into_iter().map(|set| {
        let ties = set.iter().flat_map(|file| {
            needs[*file]
                .iter()
                .filter(|(other, _)| set.contains(other))
                .map(move |(other, names)| {
                    format!("  {} -> {}: {names:?}\n", file.display(), other.display())
                })
        });
        format!("{} files:\n{}", set.len(), ties.collect::<String>())
    });
    printed.collect()
}

/// The functions of a file that are longer than may be, with their lines.
fn long_functions(text: &str) -> Vec<(String, usize)> {
    let tokens = production_tokens(text);
    let starts = (0..tokens.len().saturating_sub(1))
        .filter(|at| tokens[*at].word == "fn" && tokens[*at + 1].word != "(");
    let lengths = starts.map(|at| {
        let end = item_end(&tokens, at);
        let lines: BTreeSet<usize> = tokens[at..end].iter().map(|token| token.line).collect();
        (tokens[at + 1].word.clone(), lines.len())
    });
    lengths
        .filter(|(_, lines)| *lines > MAX_FUNCTION_LINES)
        .collect()
}

fn workspace() -> ModuleTree {
    let mut tree = ModuleTree::default();
    for (name, file) in packages() {
        tree.add_package(&name, &file, &text_of);
    }
    tree
}

#[test]
fn no_files_need_each_other() {
    let tree = workspace();
    let files: BTreeSet<&PathBuf> = tree.modules.iter().map(|module| &module.file).collect();
    assert!(files.len() > 400, "{} files are read", files.len());
    let needs = needs(&tree);
    let known = |from: &str, to: &str| needs[Path::new(from)].contains_key(Path::new(to));
    assert!(
        known("src/interface/cli/run.rs", "src/wiring.rs"),
        "across packages and re-exports"
    );
    let circles = circles(&needs);
    assert!(
        circles.is_empty(),
        "{} circles\n{}",
        circles.len(),
        circles.join("\n")
    );
}

#[test]
fn no_top_modules_of_a_package_need_each_other() {
    let tree = workspace();
    let circles = circles(&needs_of_top_modules(&tree, &needs(&tree)));
    assert!(
        circles.is_empty(),
        "{} circles\n{}",
        circles.len(),
        circles.join("\n")
    );
}

#[test]
fn no_function_is_too_long_to_read() {
    let tree = workspace();
    let files: BTreeSet<&PathBuf> = tree.modules.iter().map(|module| &module.file).collect();
    let long: Vec<(&PathBuf, String, usize)> = files
        .into_iter()
        .flat_map(|file| {
            let of_file = long_functions(&text_of(file).unwrap_or_default());
            of_file
                .into_iter()
                .map(move |(name, lines)| (file, name, lines))
        })
        .collect();
    assert!(long.is_empty(), "over {MAX_FUNCTION_LINES} lines: {long:?}");
}

fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &Path| {
        files
            .iter()
            .find(|(name, _)| path == Path::new(name))
            .map(|(_, text)| text.to_string())
    };
    let mut tree = ModuleTree::default();
    tree.add_package("ours", Path::new("lib.rs"), &read);
    circles(&needs(&tree))
}

#[test]
fn a_circle_is_found_through_reexports_and_paths_in_code() {
    let root = ("lib.rs", "mod a; mod b; mod c; pub use c::Last;");
    let first = (
        "a.rs",
        "use crate::b::{self, Middle}; pub struct First(Middle);",
    );
    let second = ("b.rs", "pub struct Middle(crate::Last);");
    let third = (
        "c.rs",
        "pub struct Last; fn back() { super::a::First::new('\\'', \"text\") }",
    );
    let open = (
        "c.rs",
        "pub struct Last; // super::a::First\n#[cfg(test)] mod tests { use super::super::a::First; }",
    );
    let found = circles_of(&[root, first, second, third]);
    assert!(
        matches!(found.as_slice(), [circle] if circle.starts_with("3 files")),
        "{found:?}"
    );
    assert_eq!(
        circles_of(&[root, first, second, open]),
        Vec::<String>::new()
    );
}

#[test]
fn a_child_is_a_part_of_its_parent() {
    let root = ("lib.rs", "mod a; mod b;");
    let parent = ("a.rs", "mod part; mod other; pub struct Whole(part::Part);");
    let child = (
        "a/part.rs",
        "use super::Whole; pub struct Part; impl Whole {}",
    );
    assert_eq!(circles_of(&[root, parent, child]), Vec::<String>::new());
    let other = ("a/other.rs", "use super::part::*; pub struct Other(Part);");
    let tied = ("a/part.rs", "use super::other::Other; pub struct Part;");
    assert_eq!(
        circles_of(&[root, parent, child, other]),
        Vec::<String>::new()
    );
    assert_eq!(circles_of(&[root, parent, tied, other]).len(), 1);
}

#[test]
fn a_long_function_is_found_and_tests_are_not_counted() {
    let body = "    work();\n".repeat(MAX_FUNCTION_LINES - 2);
    assert_eq!(long_functions(&format!("fn fits() {{\n{body}}}\n")), []);
    let long = format!("impl Some {{ fn is_long() {{\n{body}    more();\n    // why\n}}\n}}");
    assert_eq!(
        long_functions(&long),
        [("is_long".to_string(), MAX_FUNCTION_LINES + 1)]
    );
    assert_eq!(
        long_functions(&format!("#[cfg(test)]\nmod tests {{ {long} }}")),
        []
    );
}
