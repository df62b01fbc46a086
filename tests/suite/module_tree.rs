//! Production code as modules: what each defines, imports and names, read from its text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A word or a sign, and the line where it stands. Comments, texts and numbers are left out.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) word: String,
    pub(crate) line: usize,
}

/// One module: a file, or `mod name { .. }` within one.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) file: PathBuf,
    pub(crate) parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Every path that the module names, in imports and in code.
    pub(crate) paths: Vec<Vec<String>>,
}

/// The modules of several packages.
#[derive(Debug, Default)]
pub(crate) struct ModuleTree {
    pub(crate) modules: Vec<Module>,
    packages: BTreeMap<String, usize>,
}

fn is_word(text: char) -> bool {
    text.is_alphanumeric() || text == '_'
}

/// The tokens of a file, `::` as one; items for tests only are left out.
pub(crate) fn production_tokens(text: &str) -> Vec<Token> {
    without_test_items(&tokens(text))
}

fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < letters.len() {
        let end = token_end(&letters, at);
        let word: String = letters[at..end].iter().collect();
        let is_sign = end == at + 1 && !letters[at].is_whitespace();
        if word == "::" || is_sign || (is_word(letters[at]) && !word.ends_with(['"', '#'])) {
            found.push(Token { word, line });
        }
        line += letters[at..end]
            .iter()
            .filter(|letter| **letter == '\n')
            .count();
        at = end;
    }
    found
}

/// The texts in quotes of a file's production code, and its comments that begin with `///`, as one line each. The
/// part behind `mod tests` is left out.
pub(crate) fn texts_and_help(text: &str) -> (Vec<String>, Vec<String>) {
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    let letters: Vec<char> = text.unwrap_or_default().chars().collect();
    let (mut texts, mut help): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut at, mut goes_on) = (0, false);
    while at < letters.len() {
        let end = token_end(&letters, at);
        let word: String = letters[at..end].iter().collect();
        at = end;
        if let Some(line) = word.strip_prefix("///") {
            match help.last_mut().filter(|_| goes_on) {
                Some(before) => *before += line,
                None => help.push(line.to_string()),
            }
            goes_on = true;
        } else if !word.trim().is_empty() {
            goes_on = false;
        }
        if !word.starts_with('/') && word.ends_with(['"', '#']) && word.len() > 1 {
            texts.push(word.replace("\\\n", " "));
        }
    }
    (texts, help)
}

/// Where what begins at `at` ends: a comment, a text, a letter, a word, `::` or one sign.
fn token_end(letters: &[char], at: usize) -> usize {
    let next = |ahead: usize| letters.get(at + ahead).copied().unwrap_or(' ');
    let until = |from: usize, is_end: &dyn Fn(usize) -> bool| {
        (from..letters.len())
            .find(|at| is_end(*at))
            .unwrap_or(letters.len())
    };
    match (letters[at], next(1)) {
        ('/', '/') => until(at, &|at| letters[at] == '\n'),
        ('/', '*') => until(at + 2, &|at| letters[at - 1] == '*' && letters[at] == '/') + 1,
        (':', ':') => at + 2,
        ('"', _) => text_end(letters, at),
        // A letter in quotes, and not a lifetime.
        ('\'', '\\') => until(at + 3, &|at| letters[at] == '\'') + 1,
        ('\'', _) if next(2) == '\'' => at + 3,
        (first, _) if is_word(first) => {
            let end = until(at, &|at| !is_word(letters[at]));
            let word: String = letters[at..end].iter().collect();
            let hashes = letters[end..]
                .iter()
                .take_while(|letter| **letter == '#')
                .count();
            let is_quoted = letters.get(end + hashes) == Some(&'"');
            match word.as_str() {
                "r" | "br" if is_quoted => {
                    let closing: Vec<char> =
                        std::iter::once('"').chain(vec!['#'; hashes]).collect();
                    until(end + hashes + 1, &|at| letters[at..].starts_with(&closing)) + 1 + hashes
                }
                "b" | "c" if hashes == 0 && is_quoted => text_end(letters, end),
                _ => end,
            }
        }
        _ => at + 1,
    }
}

/// Where the text ends whose first quote stands at `at`.
fn text_end(letters: &[char], mut at: usize) -> usize {
    at += 1;
    while at < letters.len() && letters[at] != '"' {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(letters.len())
}

/// Where the item ends that begins at `at`: past its `;`, or past the braces that close it.
pub(crate) fn item_end(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0;
    while at < tokens.len() {
        match tokens[at].word.as_str() {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" if depth == 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

fn without_test_items(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_attribute =
            tokens[at].word == "#" && tokens.get(at + 1).is_some_and(|next| next.word == "[");
        if !is_attribute {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let end = (at..tokens.len())
            .find(|end| tokens[*end].word == "]")
            .unwrap_or(at);
        let words: Vec<&str> = tokens[at + 2..end]
            .iter()
            .map(|token| token.word.as_str())
            .collect();
        at = match words.as_slice() {
            ["test"] => item_end(tokens, end + 1),
            ["cfg", condition @ ..] if condition.contains(&"test") => item_end(tokens, end + 1),
            _ => end + 1,
        };
    }
    kept
}

const ITEM_WORDS: [&str; 9] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "type",
    "const",
    "static",
    "union",
    "macro_rules",
];

impl ModuleTree {
    /// Adds a package: its name as code says it, and the file that is its root.
    pub(crate) fn add_package(
        &mut self,
        name: &str,
        root: &Path,
        read: &dyn Fn(&Path) -> Option<String>,
    ) {
        let module = self.add_file(
            root.to_path_buf(),
            root.parent().unwrap_or(Path::new("")),
            None,
            read,
        );
        self.packages.insert(name.to_string(), module);
    }

    /// Adds a file and, from `folder`, the files of the modules that it declares.
    fn add_file(
        &mut self,
        file: PathBuf,
        folder: &Path,
        parent: Option<usize>,
        read: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let tokens = production_tokens(&read(&file).unwrap_or_default());
        self.add_module(&tokens, file, folder, parent, read)
    }

    fn add_module(
        &mut self,
        tokens: &[Token],
        file: PathBuf,
        folder: &Path,
        parent: Option<usize>,
        read: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let id = self.modules.len();
        self.modules.push(Module {
            file: file.clone(),
            parent,
            ..Module::default()
        });
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let (mut at, mut depth) = (0, 0);
        while at < words.len() {
            let next = words.get(at + 1).copied().unwrap_or_default();
            match words[at] {
                "{" => depth += 1,
                "}" => depth -= 1,
                "mod" if words.get(at + 2) == Some(&";") => {
                    let below = folder.join(next);
                    let flat = below.with_extension("rs");
                    let path = if read(&flat).is_some() {
                        flat
                    } else {
                        below.join("mod.rs")
                    };
                    let child = self.add_file(path, &below, Some(id), read);
                    self.modules[id].children.insert(next.to_string(), child);
                    at += 2;
                }
                "mod" if words.get(at + 2) == Some(&"{") => {
                    let end = item_end(tokens, at);
                    let inside = &tokens[at + 3..end - 1];
                    let child =
                        self.add_module(inside, file.clone(), &folder.join(next), Some(id), read);
                    self.modules[id].children.insert(next.to_string(), child);
                    at = end - 1;
                }
                "use" => {
                    let end = at
                        + words[at..]
                            .iter()
                            .position(|word| *word == ";")
                            .unwrap_or(0);
                    self.modules[id].add_imports(&[], &words[at + 1..end]);
                    at = end;
                }
                word if depth == 0 && ITEM_WORDS.contains(&word) => {
                    let name = if next == "!" { words[at + 2] } else { next };
                    self.modules[id].items.insert(name.to_string());
                }
                word if word.starts_with(is_word) => {
                    let length = path_length(&words[at..]);
                    let is_rest = at > 0 && [".", "::"].contains(&words[at - 1]);
                    if !is_rest {
                        let path = words[at..at + length].iter().step_by(2);
                        self.modules[id]
                            .paths
                            .push(path.map(ToString::to_string).collect());
                    }
                    at += length - 1;
                }
                _ => {}
            }
            at += 1;
        }
        id
    }

    /// The module in which the item is defined that `path` names in module `from`.
    pub(crate) fn definition(&self, from: usize, path: &[String]) -> Option<usize> {
        match self.resolve(from, path, true, 0)? {
            Named::Item(module) => Some(module),
            Named::Module(_) => None,
        }
    }

    fn resolve(&self, from: usize, path: &[String], is_first: bool, depth: usize) -> Option<Named> {
        let (first, rest) = path.split_first()?;
        if depth > 20 {
            return None;
        }
        let module = &self.modules[from];
        let named = match first.as_str() {
            "self" => Some(Named::Module(from)),
            "super" => module.parent.map(Named::Module),
            "crate" => Some(Named::Module(self.root_of(from))),
            name => self.lookup(from, name, is_first, depth),
        }?;
        match named {
            Named::Module(module) if !rest.is_empty() => {
                self.resolve(module, rest, false, depth + 1)
            }
            Named::Module(_) | Named::Item(_) => Some(named),
        }
    }

    /// What `name` is within a module: defined there, a module below, imported, or a package.
    fn lookup(&self, from: usize, name: &str, is_first: bool, depth: usize) -> Option<Named> {
        let module = &self.modules[from];
        if module.items.contains(name) {
            return Some(Named::Item(from));
        }
        if let Some(child) = module.children.get(name) {
            return Some(Named::Module(*child));
        }
        if let Some(path) = module.imports.get(name) {
            let is_itself = path.len() == 1 && path[0] == name;
            return if is_itself {
                None
            } else {
                self.resolve(from, path, true, depth + 1)
            };
        }
        let by_glob = module.globs.iter().find_map(|glob| {
            let Named::Module(target) = self.resolve(from, glob, true, depth + 1)? else {
                return None;
            };
            if target == from {
                None
            } else {
                self.lookup(target, name, false, depth + 1)
            }
        });
        let package = || {
            self.packages
                .get(name)
                .filter(|_| is_first)
                .map(|root| Named::Module(*root))
        };
        by_glob.or_else(package)
    }

    fn root_of(&self, mut module: usize) -> usize {
        while let Some(parent) = self.modules[module].parent {
            module = parent;
        }
        module
    }
}

#[derive(Clone, Copy)]
enum Named {
    Module(usize),
    Item(usize),
}

/// How many words and signs the path has that begins here.
fn path_length(words: &[&str]) -> usize {
    let mut length = 1;
    while words.get(length) == Some(&"::")
        && words
            .get(length + 1)
            .is_some_and(|word| word.starts_with(is_word))
    {
        length += 2;
    }
    length
}

impl Module {
    /// Adds what a `use` brings: `before` is the path so far, `words` the tree that follows.
    fn add_imports(&mut self, before: &[String], words: &[&str]) {
        let mut path = before.to_vec();
        let mut at = 0;
        while at < words.len() {
            match words[at] {
                "::" => {}
                "{" => {
                    let branches = &words[at + 1..words.len() - 1];
                    for branch in split_branches(branches) {
                        self.add_imports(&path, branch);
                    }
                    return;
                }
                "*" => {
                    self.globs.push(path);
                    return;
                }
                "as" => {
                    self.paths.push(path.clone());
                    self.imports.insert(words[at + 1].to_string(), path);
                    return;
                }
                "self" if !path.is_empty() => {}
                word => path.push(word.to_string()),
            }
            at += 1;
        }
        if let Some(name) = path.last().cloned() {
            self.paths.push(path.clone());
            self.imports.insert(name, path);
        }
    }
}

/// The parts between the commas that stand in no inner braces.
fn split_branches<'a, 'b>(words: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let mut depth = 0;
    let is_comma = |word: &&str| {
        match *word {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        *word == "," && depth == 0
    };
    let branches = words.split(is_comma);
    branches.filter(|branch| !branch.is_empty()).collect()
}
