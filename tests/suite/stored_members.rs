//! The words of all members and variants that serde reads or writes: a rename in the code that would change one is
//! seen here, also where no other golden form holds it. A line is a type; how the code names the type is left out.

use std::collections::BTreeSet;

use super::tidy::{production, sources};

/// What stands behind an opening bracket: the parts between its commas, and what follows the closing one.
fn bracketed(text: &str) -> (Vec<&str>, &str) {
    let (mut depth, mut is_quoted, mut before, mut begin) = (0, false, ' ', 0);
    let mut parts = Vec::new();
    for (at, letter) in text.char_indices() {
        let is_arrow = letter == '>' && matches!(before, '-' | '=');
        match letter {
            '"' if before != '\\' => is_quoted = !is_quoted,
            _ if is_quoted || is_arrow => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' if depth > 0 => depth -= 1,
            ')' | ']' | '}' | '>' => {
                parts.push(text[begin..at].trim());
                parts.retain(|part| !part.is_empty());
                return (parts, &text[at + 1..]);
            }
            ',' if depth == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
        before = letter;
    }
    panic!("no end: {text}");
}

/// The serde attributes in front of a declaration, as `(key, value)`, and the declaration.
fn attributes(text: &str) -> (Vec<(&str, &str)>, &str) {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some(inside) = rest.strip_prefix("#[") {
        let (_, after) = bracketed(inside);
        if let Some(inside) = inside.strip_prefix("serde(") {
            let (parts, _) = bracketed(inside);
            found.extend(parts.into_iter().map(|part| {
                let (key, value) = part.split_once('=').unwrap_or((part, ""));
                (key.trim(), value.trim().trim_matches('"'))
            }));
        }
        rest = after.trim_start();
    }
    (found, rest)
}

fn value<'a>(attributes: &[(&'a str, &'a str)], key: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|(name, _)| *name == key);
    found.map(|(_, value)| *value)
}

/// A name as serde writes it with `rename_all`.
fn in_case(name: &str, case: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if letter.is_lowercase() || letter.is_numeric() => word.push(letter),
            _ if letter == '_' => words.push(String::new()),
            Some(word) if word.is_empty() => word.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    match case {
        "" => name.to_string(),
        "lowercase" => name.to_lowercase(),
        "snake_case" => words.join("_").to_lowercase(),
        "camelCase" => {
            let upper = |word: &String| word[..1].to_uppercase() + &word[1..];
            let rest: String = words[1..].iter().map(upper).collect();
            words[0].to_lowercase() + &rest
        }
        other => panic!("no rule for rename_all = {other}"),
    }
}

/// The members between brackets, or the variants, as serde writes them.
fn members(parts: &[&str], case: &str) -> String {
    let words = parts.iter().filter_map(|part| {
        let (attributes, rest) = attributes(part);
        if value(&attributes, "skip").is_some() {
            return None;
        }
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut name = rest.strip_prefix("pub").unwrap_or(rest).trim_start();
        if let Some(inside) = name.strip_prefix('(') {
            name = bracketed(inside).1.trim_start();
        }
        let (name, after) = name.split_at(name.find(|it| !is_name(it)).unwrap_or(name.len()));
        let renamed = value(&attributes, "rename").map(str::to_string);
        let mut word = renamed.unwrap_or_else(|| in_case(name, case));
        if value(&attributes, "flatten").is_some() {
            word = "(flat)".to_string();
        }
        if let Some(inside) = after.strip_prefix('(') {
            word += &format!("({})", bracketed(inside).0.len());
        } else if let Some(inside) = after.trim_start().strip_prefix('{') {
            let case = value(&attributes, "rename_all").unwrap_or_default();
            word += &format!(" {{{}}}", members(&bracketed(inside).0, case));
        }
        Some(word)
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The types of a file that derive serde, a line each.
fn forms(code: &str) -> Vec<String> {
    let derives = code.split("#[derive(").skip(1);
    let of_serde = derives.filter_map(|text| {
        let (derived, rest) = bracketed(text);
        let is_serde = |name: &&str| matches!(*name, "Serialize" | "Deserialize");
        derived.iter().find(|name| is_serde(name))?;
        let (attributes, declared) = attributes(rest.strip_prefix(']').unwrap_or(rest));
        let kinds = ["struct ", "enum "].into_iter();
        let (at, kind) = kinds
            .filter_map(|kind| Some((declared.find(kind)?, kind)))
            .min()?;
        let body = &declared[at + kind.len()..];
        let shape = ["tag", "content", "untagged", "transparent"];
        let shape = shape.into_iter().filter_map(|key| {
            value(&attributes, key).map(|value| format!("{key} {value} ").replace("  ", " "))
        });
        let case = value(&attributes, "rename_all").unwrap_or_default();
        let end = body.find(['{', '(', ';']).expect("a body");
        let (parts, _) = match &body[end..=end] {
            ";" => (Vec::new(), ""),
            _ => bracketed(&body[end + 1..]),
        };
        let members = match &body[end..=end] {
            "(" => format!("({})", parts.len()),
            _ => members(&parts, case),
        };
        Some(format!("{kind}{}{members}", shape.collect::<String>()))
    });
    of_serde.collect()
}

#[test]
fn every_member_that_serde_writes_keeps_its_word() {
    let mut all = BTreeSet::new();
    for (path, text) in ["src", "actors/src"].into_iter().flat_map(sources) {
        if path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let code = production(&text).lines().filter_map(|line| {
            let line = line.split(" // ").next().unwrap_or_default();
            (!line.trim_start().starts_with("//")).then_some(line)
        });
        all.extend(forms(&code.collect::<Vec<_>>().join("\n")));
    }
    let all: Vec<String> = all.into_iter().collect();
    zoea_golden::hold("members.txt", &all.join("\n"));
}

#[test]
fn a_member_is_listed_as_serde_names_it() {
    let code = r##"
        #[derive(Clone, Deserialize, Serialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum Odd<'a> { LogIn, #[serde(rename = "x")] Y(u8, Map<A, B>), Z { #[serde(skip)] a: u8, pub(super) b_c: u8 } }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire { #[serde(flatten)] all: One, start_time: fn(u8) -> u8, #[serde(default, rename = "told")] r: u8 }
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Id(i64);
        #[derive(Debug)]
        struct Other { a: u8 }
        #[derive(Deserialize)]
        enum Name { Known, Other(String) }
        struct Reader;
    "##;
    assert_eq!(
        forms(code),
        [
            "enum tag kind log_in, x(2), z {b_c}",
            "struct (flat), startTime, told",
            "struct transparent (1)",
            "enum Known, Other(1)",
        ]
    );
}
