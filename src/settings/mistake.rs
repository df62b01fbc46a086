//! Mistakes: what is wrong with a configuration, where it stands and what would be right.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Everything that is wrong with a configuration, in the order in which it stands there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.to_lines())]
pub struct SettingsError {
    /// At least one.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {text}")]
pub struct Mistake {
    /// Where it stands.
    pub place: MistakePlace,
    /// The dotted key, what is wrong with it and what is allowed; never holds a secret.
    pub text: String,
}

/// Where a mistake stands.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MistakePlace {
    /// In a file as a whole.
    #[error("{}", .0.display())]
    File(PathBuf),
    /// At one character of a file; both numbers count from 1.
    #[error("{}:{line}:{column}", .file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// Its line.
        line: usize,
        /// The character in that line.
        column: usize,
    },
    /// In a variable of the environment, which the text names.
    #[error("environment")]
    Environment,
    /// In an option of the command line, which the text names.
    #[error("command line")]
    CommandLine,
}

impl SettingsError {
    pub(super) fn single(place: MistakePlace, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            mistakes: vec![Mistake { place, text }],
        }
    }

    /// An error if there is any mistake.
    pub(super) fn check(mistakes: Vec<Mistake>) -> Result<(), Self> {
        match mistakes.is_empty() {
            true => Ok(()),
            false => Err(Self { mistakes }),
        }
    }

    fn to_lines(&self) -> String {
        let lines: Vec<String> = self.mistakes.iter().map(Mistake::to_string).collect();
        lines.join("\n")
    }
}

impl MistakePlace {
    /// The place of the byte `offset` of `text`, which `file` holds.
    pub(super) fn of_offset(file: &Path, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::Line {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_becomes_a_line_and_a_column_counted_from_one() {
        let place =
            |offset| MistakePlace::of_offset(Path::new("z"), "ä = 1\nbé = 2\n", offset).to_string();
        assert_eq!(place(0), "z:1:1");
        assert_eq!(place(2), "z:1:2");
        assert_eq!(place(7), "z:2:1");
        assert_eq!(place(10), "z:2:3");
        assert_eq!(place(999), "z:3:1");
    }
}
