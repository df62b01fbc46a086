//! The line of a process' last words that tells what went wrong. It is rarely the last one: a trace,
//! a version or a hint follows it.

use std::collections::VecDeque;

const MAX_LINES: usize = 40;
/// What stands in a line that tells of a failure, in small letters.
const MARKS: [&str; 9] = [
    "error:",
    "error ",
    "err!",
    "exception:",
    "panicked at",
    "fatal",
    "cannot ",
    "not found",
    "failed",
];

#[derive(Default)]
pub(super) struct LastWords(VecDeque<String>);

impl LastWords {
    pub(super) fn push(&mut self, line: String) {
        if self.0.len() == MAX_LINES {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }

    /// The line with the error, with the next one if it only announces it; or else the last line.
    pub(super) fn that_tell(&self) -> Option<String> {
        let rank = |line: &str| {
            let line = line.to_lowercase();
            // The frames of a trace and the source lines in it quote errors.
            let is_frame = line.starts_with("at ") || line.starts_with("file \"");
            MARKS
                .iter()
                .position(|mark| line.contains(mark))
                .filter(|_| !is_frame)
        };
        let is_npm = |line: &str| line.starts_with("npm ");
        let marked = || {
            self.0
                .iter()
                .enumerate()
                .filter(|(_, line)| rank(line).is_some())
        };
        let last = marked().rfind(|(_, line)| !is_npm(line));
        let first = || marked().find(|(_, line)| !is_npm_detail(line));
        let Some((at, line)) = last.or_else(first) else {
            return self.0.back().cloned();
        };
        match (line.ends_with(':'), self.0.get(at + 1)) {
            (true, Some(next)) => Some(format!("{line} {next}")),
            (true, None) | (false, _) => Some(line.clone()),
        }
    }
}

/// Whether a line of npm is about its error's code, not about the error.
fn is_npm_detail(line: &str) -> bool {
    let about = line.split_whitespace().nth(2);
    matches!(
        about,
        Some("code" | "errno" | "syscall" | "path" | "command")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(lines: &str) -> String {
        let mut words = LastWords::default();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            words.push(line.to_string());
        }
        words.that_tell().unwrap_or_default()
    }

    #[test]
    fn the_line_with_the_error_tells_whatever_follows_it() {
        let node = "node:internal/modules/cjs/loader:1080\n  throw err;\n  ^\n\nError: Cannot find module '/srv/game.js'\n    at Module._resolveFilename (node:internal:1)\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.11.1";
        assert_eq!(output(node), "Error: Cannot find module '/srv/game.js'");
        let python = "Traceback (most recent call last):\n  File \"/srv/game.py\", line 3, in <module>\n    key = os.environ[\"GAME_KEY\"]\nKeyError: 'GAME_KEY'";
        assert_eq!(output(python), "KeyError: 'GAME_KEY'");
        let rust =
            "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1`";
        assert_eq!(
            output(rust),
            "thread 'main' panicked at src/main.rs:2:5: no key"
        );
        let npm = "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/game\nnpm error 404\nnpm error A complete log of this run can be found in: /root/.npm/_logs";
        assert_eq!(
            output(npm),
            "npm error 404 Not Found - GET https://registry.npmjs.org/game"
        );
        let docker =
            "docker: Error response from daemon: pull access denied.\nSee 'docker run --help'.";
        assert_eq!(output(docker), docker.lines().next().unwrap());
        assert_eq!(
            output("sh: 1: game: not found\nbye"),
            "sh: 1: game: not found"
        );
    }

    #[test]
    fn without_an_error_the_last_line_tells_and_old_lines_are_forgotten() {
        assert_eq!(output("out of ore\ngoodbye"), "goodbye");
        assert_eq!(output(""), "");
        let old = format!("Error: old\n{}", "a line\n".repeat(MAX_LINES));
        assert_eq!(output(&old), "a line");
    }
}
