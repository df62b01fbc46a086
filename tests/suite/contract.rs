//! The contract: the tables of `docs/CONTRACT.md` are those that the code makes, and it shows every member of the JSON.

mod tables;

use std::collections::BTreeSet;

use serde_json::Value;

use zoea_rig::{Home, Server, http, until, zoea};

const CONTRACT: &str = include_str!("../../docs/CONTRACT.md");

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

#[test]
fn its_commands_and_options_are_those_of_the_help() {
    let commands = entries(&help(&[]), "Commands:");
    assert!(commands.len() > 15, "{commands:?}");
    let mut pages = Vec::new();
    for command in &commands {
        let own = help(&[command]);
        let inner = entries(&own, "Commands:");
        if inner.is_empty() {
            pages.push((command.clone(), own));
            continue;
        }
        // A command of commands may do something by itself.
        let usage = own.lines().find(|line| line.starts_with("Usage: "));
        if usage.is_some_and(|usage| !usage.contains("<COMMAND>")) {
            pages.push((command.clone(), own));
        }
        for inner in inner {
            let page = help(&[command, &inner]);
            pages.push((format!("{command} {inner}"), page));
        }
    }
    tables::hold("commands", &tables::commands(&pages));
}

#[test]
fn its_settings_are_those_that_init_writes() {
    let made = tables::settings(&zoea_settings::template());
    assert!(made.matches(" = ").count() > 150, "{made}");
    tables::hold("settings", &made);
}

#[test]
fn its_control_tools_are_those_that_the_program_has() {
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
    tables::hold("tools", &tables::tools(tools));
    // What a tool answers is written by hand.
    let answers = section(4);
    let is_described = |name: &str| {
        answers.matches(&format!("`{name}")).count() > 1 || name.ends_with("_terminal")
    };
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"));
    let undescribed: Vec<&str> = names.filter(|name| !is_described(name)).collect();
    assert!(
        undescribed.is_empty(),
        "no answer is told of {undescribed:?}"
    );
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
