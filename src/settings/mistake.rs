//! Mistakes: what is wrong with a configuration, where it stands and what would be right.

use std::fmt;
use std::path::{Path, PathBuf};

/// Everything that is wrong with a configuration, in the order in which it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// At least one.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where it stands.
    pub place: MistakePlace,
    /// The dotted key, what is wrong with it and what is allowed; never holds a secret.
    pub text: String,
}

/// Where a mistake stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MistakePlace {
    /// In a file as a whole.
    File(PathBuf),
    /// At one character of a file; both numbers count from 1.
    Line {
        /// The file.
        file: PathBuf,
        /// Its line.
        line: usize,
        /// The character in that line.
        column: usize,
    },
    /// In a variable of the environment, which the text names.
    Environment,
    /// In an option of the command line, which the text names.
    CommandLine,
}

impl SettingsError {
    pub(super) fn single(place: MistakePlace, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            mistakes: vec![Mistake { place, text }],
        }
    }
}

impl std::error::Error for SettingsError {}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.mistakes.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{mistake}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.text)
    }
}

impl fmt::Display for MistakePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(formatter, "{}", file.display()),
            Self::Line { file, line, column } => {
                write!(formatter, "{}:{line}:{column}", file.display())
            }
            Self::Environment => formatter.write_str("environment"),
            Self::CommandLine => formatter.write_str("command line"),
        }
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
