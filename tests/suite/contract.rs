//! The contract: `docs/CONTRACT.md` names every existing command, option, setting and control tool.

use std::collections::BTreeSet;

use serde_json::Value;

use zoea_rig::{Home, Server, http, until, zoea};

const CONTRACT: &str = include_str!("../../docs/CONTRACT.md");

/// Commands of which the contract names only the main options.
const SERVERS: [&str; 2] = ["galaxy", "pilot"];

/// A section of the contract from its heading on.
fn section(number: u32) -> &'static str {
    let heading = format!("\n## {number}. ");
    let (_, rest) = CONTRACT.split_once(&*heading).expect("the section");
    rest.split("\n## ").next().unwrap_or_default()
}

fn help(command: &[&str]) -> String {
    let said = zoea().args(command).arg("--help").output();
    String::from_utf8(said.expect("help").stdout).expect("text")
}

/// The entries of a help text below a heading: the first word of each.
fn entries(help: &str, heading: &str) -> Vec<String> {
    let Some((_, listed)) = help.split_once(heading) else {
        return Vec::new();
    };
    let listed = listed.lines().skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| *word != "help")
        .map(str::to_string)
        .collect()
}

/// The long options of a command: `--home <DIR>`, `-h, --help`.
fn options(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start);
    let listed = lines.filter(|line| line.starts_with('-'));
    listed
        .flat_map(|line| line.split([' ', ',']).take(3))
        .filter(|word| word.starts_with("--"))
        .collect()
}

fn is_named(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "-_".contains(c));
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

#[test]
fn it_names_every_command_and_option() {
    let table = section(1);
    let mut missing = Vec::new();
    let mut seen = 0;
    let commands = entries(&help(&[]), "Commands:");
    assert!(commands.len() > 15, "{commands:?}");
    for command in &commands {
        let own = help(&[command]);
        let mut pages = vec![(command.clone(), own.clone())];
        for inner in entries(&own, "Commands:") {
            pages.push((inner.clone(), help(&[command, &inner])));
        }
        for (name, page) in pages {
            if !is_named(table, &name) {
                missing.push(format!("{command}: {name}"));
            }
            if SERVERS.contains(&&**command) {
                continue;
            }
            let options = options(&page);
            seen += options.len();
            let unnamed = options
                .into_iter()
                .filter(|option| !is_named(table, option));
            missing.extend(unnamed.map(|option| format!("{command} {name}: {option}")));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(seen > 100, "only {seen} options were found");
}

#[test]
fn it_names_every_setting() {
    let known = section(2);
    let mut missing = Vec::new();
    let mut seen = 0;
    for line in zoea_settings::template().lines() {
        let Some(setting) = line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')) else {
            continue;
        };
        let is_provider = setting.starts_with("[providers.");
        let word = match setting.split_once(" = ") {
            Some((key, _)) => format!("\n{key} = "),
            None if setting.starts_with('[') && !is_provider => format!("\n{setting}"),
            None => continue,
        };
        seen += 1;
        // It stands for api_key_env.
        if !known.contains(&word) && setting.split(' ').next() != Some("api_key_name") {
            missing.push(setting.to_string());
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(seen > 50, "only {seen} settings were found");
}

#[test]
fn it_names_every_control_tool_and_its_parameters() {
    let table = section(4);
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let _swarm = home.fly(&[]);
    let run = std::fs::read_to_string(home.file("run.json")).expect("run.json");
    let run: Value = serde_json::from_str(&run).expect("JSON");
    let token = std::fs::read_to_string(home.file("control.token")).expect("a token");
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let headers = [
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        &bearer,
    ];
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let url = run["control"].as_str().expect("an address");
    let (status, answer) = http("POST", url, &headers, body);
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let tools = answer["result"]["tools"].as_array().expect("tools");
    assert!(tools.len() > 20, "{}", tools.len());
    let mut missing = Vec::new();
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let is_terminals = name.ends_with("_terminal");
        let required = tool["inputSchema"]["required"].as_array();
        let is_required = |parameter: &str| {
            required.is_some_and(|required| required.iter().any(|name| name == parameter))
        };
        let properties = tool["inputSchema"]["properties"].as_object();
        let written = format!("`{name} {{");
        let named = table
            .split_once(&*written)
            .and_then(|(_, rest)| rest.split_once('}'));
        let mut named: Vec<&str> = named.map_or(Vec::new(), |(named, _)| {
            named
                .split(", ")
                .filter(|parameter| !parameter.is_empty())
                .collect()
        });
        let mut wanted: Vec<String> = properties
            .into_iter()
            .flat_map(|properties| properties.keys())
            .map(|parameter| match is_required(parameter) {
                true => parameter.clone(),
                false => format!("{parameter}?"),
            })
            .collect();
        named.sort_unstable();
        wanted.sort_unstable();
        let has_row = is_terminals && is_named(table, name) || table.contains(&written);
        if !has_row || !is_terminals && named != wanted {
            missing.push(format!("{name}: {wanted:?}, and in the contract {named:?}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The members of the object that the contract shows for this command.
fn shown_members(command: &str) -> BTreeSet<String> {
    let shown = section(5).split_once(command);
    let (_, shown) = shown.unwrap_or_else(|| panic!("the contract does not show {command}"));
    let (_, object) = shown.split_once('{').expect("an object");
    let (mut depth, mut members, mut is_value) = (0, BTreeSet::new(), false);
    let mut words = object.split('"');
    // Every second part is between quotes.
    while let Some(between) = words.next() {
        for letter in between.chars() {
            match letter {
                '{' | '[' => depth += 1,
                '}' | ']' => depth -= 1,
                ':' => is_value = true,
                ',' => is_value = false,
                _ => {}
            }
            if depth < 0 {
                return members;
            }
        }
        match words.next() {
            Some(word) if depth == 0 && !is_value => members.insert(word.to_string()),
            _ => false,
        };
    }
    members
}

/// The members of a printed object, or of the first one of a printed list.
fn printed_members(printed: &str) -> Option<BTreeSet<String>> {
    let first = serde_json::Deserializer::from_str(printed).into_iter::<Value>();
    let value = first.into_iter().next()?.expect("JSON");
    let object = value.as_array().map_or(Some(&value), |list| list.first())?;
    Some(object.as_object()?.keys().cloned().collect())
}

#[test]
fn it_shows_every_member_of_the_json_that_commands_print() {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&[]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let _swarm = home.fly(&[]);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "mine ore"]);
    let commands: [(&str, &[&str]); 7] = [
        ("`mysis list --json`", &["mysis", "list", "--json"]),
        ("`log --json`", &["log", "alpha", "--json"]),
        ("`search --json`", &["search", "ore", "--json"]),
        ("`events --json`", &["events", "--json"]),
        ("`books --json`", &["books", "--json"]),
        ("`samples --json`", &["samples", "--json"]),
        ("`accounts list --json`", &["accounts", "list", "--json"]),
    ];
    for (command, words) in commands {
        let printed = until(command, || printed_members(&home.ok(words)));
        assert_eq!(printed, shown_members(command), "{command}");
    }
    let checked = home.ok(&["db", "check", "--json"]);
    let shown = shown_members("`doctor --json` and `db check --json`");
    assert_eq!(printed_members(&checked), Some(shown));
}
