//! The tables of the contract that are made from the code: commands with their options, settings, control tools.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

const PAGE: &str = "docs/CONTRACT.md";
const END: &str = "<!-- made from the code: end -->\n";

/// Compares a table with its part of the contract. `ZOEA_GOLDEN=write` writes the part anew.
///
/// # Panics
/// The contract has no such part, or another text in it.
pub(super) fn hold(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the contract");
    let begin = format!("<!-- made from the code: {name} -->\n");
    let (before, rest) = page.split_once(&*begin).expect("the part's begin");
    let (kept, after) = rest.split_once(END).expect("the part's end");
    if zoea_golden::is_writing() {
        let text = format!("{before}{begin}{made}{END}{after}");
        return std::fs::write(path, text).expect("the contract can be written");
    }
    let differs = kept.lines().zip(made.lines()).find(|(old, new)| old != new);
    assert!(
        kept == made,
        "{PAGE}, {name}: the code differs from the page, first {differs:?}. ZOEA_GOLDEN=write before this test writes \
         the page"
    );
}

/// The parts of a help text: what the command does, then each option with its text.
struct HelpPage {
    about: String,
    arguments: String,
    options: Vec<String>,
}

fn read_help(help: &str) -> HelpPage {
    let about = help.split("\n\n").next().unwrap_or_default();
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    let arguments = usage.unwrap_or_default().split_whitespace().skip(1);
    let arguments: Vec<&str> = arguments
        .skip_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter(|word| !matches!(*word, "[OPTIONS]" | "[COMMAND]" | "<COMMAND>"))
        .collect();
    let own = help.split("\nOptions:\n").nth(1).unwrap_or_default();
    // Long help has empty lines between the options.
    let own = own
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with(' '));
    let options = own.filter_map(|line| {
        let line = line.trim_start();
        let at = line.starts_with('-').then(|| line.find("--"))??;
        let (option, _) = line[at..].split_once("  ").unwrap_or((&line[at..], ""));
        Some(option.to_string())
    });
    HelpPage {
        about: about.split_whitespace().collect::<Vec<_>>().join(" "),
        arguments: arguments.join(" "),
        options: options
            .filter(|option| !matches!(&**option, "--help" | "--version"))
            .collect(),
    }
}

/// A row for each command, from its help.
pub(super) fn commands(pages: &[(String, String)]) -> String {
    let mut table = "| command | does | options |\n|---|---|---|\n".to_string();
    for (command, help) in pages {
        let page = read_help(help);
        let called = format!("{command} {}", page.arguments);
        let options: Vec<String> = page.options.iter().map(|option| code(option)).collect();
        let row = [code(called.trim()), cell(&page.about), options.join(" ")].join(" | ");
        writeln!(table, "| {row} |").expect("a text");
    }
    table
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The settings that `zoea init` writes: each with its default or an example, and what it is.
pub(super) fn settings(template: &str) -> String {
    let mut made = "```toml\n".to_string();
    let (mut help, mut section, mut seen) = (Vec::new(), String::new(), Vec::new());
    let mut lines = template.lines();
    while let Some(line) = lines.next() {
        let Some(setting) = line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')) else {
            match line.strip_prefix("# ") {
                Some(text) if !text.starts_with("----") => help.push(text),
                Some(_) | None => help.clear(),
            }
            continue;
        };
        if setting.starts_with('[') && !setting.contains(" = ") {
            section = setting.to_string();
            let family = family_of(&section).to_string();
            if !seen.contains(&family) {
                writeln!(made, "\n{section}").expect("a text");
                seen.push(family);
            }
            help.clear();
        } else if let Some((key, value)) = setting.split_once(" = ") {
            let name = format!("{} {key}", family_of(&section));
            let value = match value {
                "[" => list(&mut lines),
                value => value.to_string(),
            };
            if !seen.contains(&name) {
                made += &setting_line(key, &value, &help);
                seen.push(name);
            }
            help.clear();
        }
    }
    made + "```\n"
}

/// A section, or those of which it is one: further providers and roles are examples of the first.
fn family_of(section: &str) -> &str {
    let families = ["[providers.", "[roles."];
    let family = families
        .into_iter()
        .find(|family| section.starts_with(family));
    family.unwrap_or(section)
}

fn list<'a>(lines: &mut impl Iterator<Item = &'a str>) -> String {
    let items: Vec<&str> = lines
        .map(|line| line.trim_start_matches('#'))
        .take_while(|line| *line != "]")
        .map(|line| line.trim_end_matches(','))
        .collect();
    format!("[{}]", items.join(", "))
}

/// A setting, and the first sentence of its help.
fn setting_line(key: &str, value: &str, help: &[&str]) -> String {
    let setting = format!("{key} = {value}");
    let (setting, own) = match setting.split_once("  # ") {
        Some((setting, own)) => (setting.trim_end().to_string(), own.to_string()),
        None => (setting, help.join(" ")),
    };
    let end = own.find(". ").map_or(own.len(), |at| at + 1);
    match &own[..end] {
        "" => format!("{setting}\n"),
        text => format!("{setting:<29} # {text}\n"),
    }
}

/// A row for each tool of the control interface.
pub(super) fn tools(tools: &[Value]) -> String {
    let mut table = "| tool | does |\n|---|---|\n".to_string();
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        if name.ends_with("_terminal") {
            continue;
        }
        let schema = &tool["inputSchema"];
        let required = schema["required"].as_array();
        let is_required =
            |name: &str| required.is_some_and(|all| all.iter().any(|required| required == name));
        let properties = schema["properties"].as_object();
        let parameters = properties.into_iter().flat_map(|all| all.keys());
        let parameters: Vec<String> = parameters
            .map(|name| format!("{name}{}", if is_required(name) { "" } else { "?" }))
            .collect();
        let described = tool["description"].as_str().unwrap_or_default();
        let described: Vec<&str> = described.split_whitespace().collect();
        let called = code(&format!("{name} {{{}}}", parameters.join(", ")));
        writeln!(table, "| {called} | {} |", cell(&described.join(" "))).expect("a text");
    }
    table
}
