//! Examples in the help of each command.

use std::collections::BTreeSet;

use clap::Command;

/// Each command, and lines that work: what is typed after `zoea`, and what it does.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "run",
        &[
            (
                "run --offline",
                "play the built-in game: no key, no network",
            ),
            (
                "run --resume",
                "start those that were running when the program ended",
            ),
            (
                "run --headless --start-swarm --for 8h",
                "a night without a terminal",
            ),
        ],
    ),
    (
        "incident last",
        &[(
            "incident last > failed.json",
            "the newest call that failed, for `pilot --replay`",
        )],
    ),
    (
        "incident list",
        &[("incident list", "the calls that failed and are kept")],
    ),
    (
        "attach",
        &[("attach", "open a terminal of the program that runs")],
    ),
    (
        "status",
        &[
            ("status", "a page to read"),
            ("status --json", "the same for programs"),
        ],
    ),
    (
        "setup",
        &[
            ("setup", "asks for what it needs"),
            (
                "setup --provider ollama --game offline --cap 20Mtokens --yes",
                "without a terminal",
            ),
        ],
    ),
    ("init", &[("init", "write a configuration to edit by hand")]),
    (
        "doctor",
        &[
            ("doctor", "check everything that the swarm needs"),
            ("doctor --prove", "whether the model can play"),
        ],
    ),
    (
        "mysis list",
        &[
            ("mysis list", "everybody and what they do"),
            ("mysis list --where system=krynn", "those who are there"),
        ],
    ),
    (
        "mysis create",
        &[("mysis create scout-1 --model qwen3:8b", "an idle Mysis")],
    ),
    (
        "mysis start",
        &[
            ("mysis start scout-1 scout-2", "these two"),
            (
                "mysis start --where state=errored,provider=local",
                "those that fit",
            ),
        ],
    ),
    (
        "mysis retry",
        &[("mysis retry --all", "whoever waits tries again at once")],
    ),
    (
        "mysis undelete",
        &[("mysis undelete scout-1", "bring it back within a day")],
    ),
    (
        "mysis stop",
        &[
            ("mysis stop --all", "everybody"),
            (
                "mysis stop --where 'name=scout-*' --dry-run",
                "whom it would stop",
            ),
        ],
    ),
    (
        "mysis delete",
        &[
            ("mysis delete scout-1", "asks first"),
            (
                "mysis delete --where state=idle --dry-run",
                "whom it would delete",
            ),
        ],
    ),
    (
        "mysis configure",
        &[(
            "mysis configure scout-1 --provider local",
            "another model server",
        )],
    ),
    (
        "send",
        &[("send scout-1 'sell the ore at home'", "a direct message")],
    ),
    (
        "broadcast",
        &[
            (
                "broadcast 'earn credits: mine and sell'",
                "the mission of all",
            ),
            ("broadcast 'meet at home' --dry-run", "whom it would reach"),
        ],
    ),
    ("mission show", &[("mission show", "the mission in force")]),
    ("mission clear", &[("mission clear", "no mission any more")]),
    (
        "note",
        &[
            (
                "note scout-1 'never sell your fuel'",
                "stands in each of its requests",
            ),
            ("note scout-1 --clear", "forget its notes"),
        ],
    ),
    (
        "answer",
        &[
            (
                "answer scout-1 ore=iron count=3",
                "the values that its server asks for",
            ),
            ("answer scout-1 --decline", "no"),
        ],
    ),
    (
        "routine list",
        &[("routine list", "what runs, and the files at hand")],
    ),
    (
        "routine start",
        &[
            (
                "routine start scout-1 iron",
                "HOME/routines/iron.json, or one that it has run before",
            ),
            ("routine start scout-1 ./gas.json", "a file of your own"),
        ],
    ),
    (
        "routine show",
        &[("routine show scout-1", "the one that runs, as JSON")],
    ),
    (
        "routine edit",
        &[
            (
                "routine edit scout-1 '{\"rounds\": 50}'",
                "more rounds for the one that runs, from its next step on",
            ),
            (
                "routine edit scout-1 ./gas.json",
                "all that the file has, for the routine of its name",
            ),
        ],
    ),
    (
        "routine stop",
        &[(
            "routine stop scout-1",
            "after the step that is under way; the model is asked",
        )],
    ),
    (
        "log",
        &[
            (
                "log scout-1 --follow",
                "the newest rows, and those that come",
            ),
            ("log scout-1 --limit 0 --kind result", "all results"),
        ],
    ),
    (
        "search",
        &[("search 'out of fuel' --limit 5", "the newest five places")],
    ),
    (
        "held forget",
        &[
            ("held forget 1a2b3c4d", "the next request holds that text"),
            ("held forget all", "all are tried again"),
        ],
    ),
    (
        "processes drain",
        &[(
            "processes drain box-2",
            "before that machine is switched off",
        )],
    ),
    (
        "processes undrain",
        &[("processes undrain box-2", "it takes Myses again")],
    ),
    ("freeze", &[("freeze", "nothing leaves any more")]),
    ("thaw", &[("thaw", "everything goes on")]),
    (
        "events",
        &[
            ("events --limit 200", "what happened lately"),
            (
                "events --follow --from 1234 --json",
                "what comes after the event of that number, over restarts",
            ),
        ],
    ),
    (
        "wait",
        &[
            (
                "wait scout-1 --until answered --timeout 10m",
                "until it answered your message",
            ),
            (
                "wait --all --any --until 'credits>5000'",
                "until one of them has so many credits",
            ),
        ],
    ),
    (
        "prompt show",
        &[("prompt show scout-1", "what its model is told first")],
    ),
    (
        "prompt default",
        &[("prompt default", "the built-in prompt, to start from")],
    ),
    (
        "prompt check",
        &[("prompt check", "whether its placeholders are known")],
    ),
    (
        "books",
        &[("books --days 7", "the tokens and dollars of a week")],
    ),
    (
        "budget",
        &[
            ("budget 20", "up to 20 US dollars today"),
            ("budget '30M tokens'", "where tokens are capped"),
        ],
    ),
    (
        "samples",
        &[
            ("samples --since 1d", "what a day came to, for each Mysis"),
            (
                "samples --sum --since 7d --resolution hour",
                "the swarm, hour by hour",
            ),
        ],
    ),
    (
        "report",
        &[(
            "report --day yesterday --format html --out day.html",
            "a page with charts",
        )],
    ),
    ("db check", &[("db check", "whether the database is sound")]),
    (
        "db backup",
        &[("db backup monday.db", "a copy, also while the swarm runs")],
    ),
    (
        "db restore",
        &[("db restore monday.db", "put the copy in its place")],
    ),
    (
        "db new",
        &[("db new", "begin anew; what was there is kept beside it")],
    ),
    ("db compact", &[("db compact", "give free space back")]),
    ("accounts list", &[("accounts list", "without passwords")]),
    (
        "accounts import",
        &[(
            "accounts import accounts.json",
            "game accounts for the pool",
        )],
    ),
    (
        "accounts export",
        &[(
            "accounts export accounts.json",
            "with passwords, for you only",
        )],
    ),
    ("import", &[("import old.db", "a Zoea-Nova v12 database")]),
    (
        "export",
        &[(
            "export --mysis scout-1 --format md --out scout-1.md",
            "to read",
        )],
    ),
    (
        "galaxy",
        &[(
            "galaxy --addr 127.0.0.1:4000 --tick 2s",
            "a game for experiments",
        )],
    ),
    (
        "pilot",
        &[("pilot --addr 127.0.0.1:4001", "a model for experiments")],
    ),
    (
        "simulate",
        &[(
            "simulate --seeds 20 --days 0.5",
            "twenty half days with faults",
        )],
    ),
    (
        "completions",
        &[(
            "completions bash > ~/.local/share/bash-completion/completions/zoea",
            "for bash",
        )],
    ),
    (
        "man",
        &[
            ("man mysis create", "one page"),
            ("man --dir ~/.local/share/man/man1", "all pages"),
        ],
    ),
];

/// Adds the examples to the help of each command.
pub(super) fn add_examples(command: Command) -> Command {
    // A program without the simulators has not all of the commands.
    let known: BTreeSet<String> = command
        .get_subcommands()
        .map(|of| of.get_name().to_string())
        .collect();
    let examples = EXAMPLES.iter().filter(|(name, _)| {
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
        for (line, does) in *examples {
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
            match part.has_subcommands() {
                true => found.extend(leaves(part, &name)),
                false => found.push(name),
            }
        }
        found
    }

    #[test]
    fn every_command_has_examples_and_each_of_them_is_understood() {
        let mut named: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        let mut commands = leaves(&command_line(), "");
        named.sort_unstable();
        commands.sort_unstable();
        assert_eq!(named, commands);
        for (name, examples) in EXAMPLES {
            for (line, _) in *examples {
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
