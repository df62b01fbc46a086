//! Examples in the help of each command.

use std::collections::BTreeSet;

use clap::Command;

/// Each command, and lines that work.
const EXAMPLES: &str = include_str!("examples.txt");

/// The examples by command: what is typed after `zoea`, and what it does.
fn examples() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let mut commands: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for line in EXAMPLES.lines().filter(|line| !line.starts_with('#')) {
        match line.trim().split_once(" # ") {
            Some(example) => commands
                .last_mut()
                .into_iter()
                .for_each(|(_, examples)| examples.push(example)),
            None if line.is_empty() => {}
            None => commands.push((line, Vec::new())),
        }
    }
    commands
}

pub(super) fn add_examples(command: Command) -> Command {
    // A program without the simulators has not all of the commands.
    let known: BTreeSet<String> = command
        .get_subcommands()
        .map(|of| of.get_name().to_string())
        .collect();
    let examples = examples().into_iter().filter(|(name, _)| {
        let first = name.split(' ').next().unwrap_or_default();
        first.is_empty() || known.contains(first)
    });
    examples.fold(command, |command, (name, examples)| {
        let mut lines = "Examples:".to_string();
        let typed = examples
            .iter()
            .map(|(line, _)| line.len())
            .max()
            .unwrap_or(0);
        for (line, does) in examples {
            // A long line would push what the others do out of sight.
            let width = typed.min(48);
            lines += &format!("\n  zoea {line:<width$}  {does}");
        }
        let names: Vec<&str> = name.split(' ').collect();
        add_to(command, &names, lines)
    })
}

fn add_to(command: Command, names: &[&str], text: String) -> Command {
    match names {
        [] => command.after_help(text),
        [first, rest @ ..] => command.mut_subcommand(first, |of| add_to(of, rest, text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::cli::command_line;

    /// The commands that do something, each by its names.
    fn leaves(command: &Command, before: &str) -> Vec<String> {
        let parts = command.get_subcommands().filter(|part| !part.is_hide_set());
        let parts = parts.filter(|part| part.get_name() != "help");
        let mut found = Vec::new();
        for part in parts {
            let name = format!("{before} {}", part.get_name()).trim().to_string();
            found.extend(leaves(part, &name));
            if !part.is_subcommand_required_set() {
                found.push(name);
            }
        }
        found
    }

    #[test]
    fn every_command_has_examples_and_each_of_them_is_understood() {
        let mut named: Vec<&str> = examples().into_iter().map(|(name, _)| name).collect();
        let mut commands = leaves(&command_line(), "");
        named.sort_unstable();
        commands.sort_unstable();
        assert_eq!(named, commands);
        for (name, examples) in examples() {
            for (line, _) in examples {
                assert!(line.starts_with(name), "{line}");
                let line = line.split(" > ").next().unwrap();
                let mut words = vec!["zoea".to_string()];
                let mut is_quoted = false;
                for part in line.split('\'') {
                    match is_quoted {
                        true => words.push(part.to_string()),
                        false => words.extend(part.split_whitespace().map(str::to_string)),
                    }
                    is_quoted = !is_quoted;
                }
                let read = command_line().try_get_matches_from(&words);
                assert!(read.is_ok(), "{line}: {:?}", read.err());
            }
        }
    }
}
