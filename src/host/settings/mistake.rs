//! Mistakes in a configuration, their places and what is allowed there.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// All mistakes in a configuration, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.to_lines())]
pub struct SettingsError {
    pub mistakes: Vec<Mistake>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {text}")]
pub struct Mistake {
    pub place: MistakePlace,
    /// The dotted key, what is wrong and what is allowed. It never contains a secret.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MistakePlace {
    #[error("{}", .0.display())]
    File(PathBuf),
    /// A character of a file. Both numbers count from 1.
    #[error("{}:{line}:{column}", .file.display())]
    Line {
        file: PathBuf,
        line: usize,
        column: usize,
    },
    #[error("environment")]
    Environment,
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

    /// Fails if there is any mistake.
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
    /// The place of the byte `offset` in `text`, the content of `file`.
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
