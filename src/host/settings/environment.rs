//! The environment variables of the process, read once, and the home directory that they name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use super::mistake::{MistakePlace, SettingsError};

/// The variables of a process at the time of reading.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the environment is read; all others take it as an argument"
    )]
    pub fn from_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
        }
    }

    pub fn new<N: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self { variables }
    }

    /// The value of the variable `name`, if it is set.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// The home directory: `chosen` on the command line, else `ZOEA_HOME`, else `~/.zoea`.
    ///
    /// # Errors
    /// Says so if nothing names a directory.
    pub fn home_directory(&self, chosen: Option<&Path>) -> Result<PathBuf, SettingsError> {
        let fault = |place, text: &str| Err(SettingsError::single(place, text));
        let directory = match (chosen, self.get("ZOEA_HOME"), self.get("HOME")) {
            (Some(chosen), _, _) if chosen.as_os_str().is_empty() => {
                return fault(
                    MistakePlace::CommandLine,
                    "--home is empty; allowed: a directory",
                );
            }
            (None, Some(home), _) if home.is_empty() => {
                return fault(
                    MistakePlace::Environment,
                    "ZOEA_HOME is empty; allowed: a directory",
                );
            }
            (Some(chosen), _, _) => chosen.to_owned(),
            (None, Some(home), _) => PathBuf::from(home),
            (None, None, Some(user)) if !user.is_empty() => Path::new(user).join(".zoea"),
            (None, None, _) => {
                let text = "HOME is not set; name a directory with --home or ZOEA_HOME";
                return fault(MistakePlace::Environment, text);
            }
        };
        std::path::absolute(&directory).or_else(|error| {
            let text = format!("{} has no place: {error}", directory.display());
            fault(MistakePlace::Environment, &text)
        })
    }
}

impl fmt::Debug for Environment {
    /// Shows names only, because a value may be a key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_set()
            .entries(self.variables.keys())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_where_the_option_then_the_variable_then_the_user_says() {
        let home = |chosen: Option<&str>, variables: &[(&str, &str)]| {
            Environment::new(variables.iter().copied())
                .home_directory(chosen.map(Path::new))
                .map_err(|error| error.to_string())
        };
        let full = [("ZOEA_HOME", "/var/zoea"), ("HOME", "/home/ada")];
        assert_eq!(home(Some("/srv/z"), &full), Ok("/srv/z".into()));
        assert_eq!(
            home(Some("/srv/z"), &[("ZOEA_HOME", "")]),
            Ok("/srv/z".into())
        );
        assert_eq!(home(None, &full), Ok("/var/zoea".into()));
        assert_eq!(home(None, &full[1..]), Ok("/home/ada/.zoea".into()));
        let refused = |text: &str| Err(text.to_owned());
        assert_eq!(
            home(None, &[]),
            refused("environment: HOME is not set; name a directory with --home or ZOEA_HOME")
        );
        assert_eq!(
            home(None, &[("ZOEA_HOME", "")]),
            refused("environment: ZOEA_HOME is empty; allowed: a directory")
        );
        assert_eq!(
            home(Some(""), &full),
            refused("command line: --home is empty; allowed: a directory")
        );
    }

    #[test]
    fn a_relative_home_becomes_absolute() {
        let home = Environment::default()
            .home_directory(Some(Path::new("here")))
            .unwrap();
        assert!(home.is_absolute() && home.ends_with("here"), "{home:?}");
    }

    #[test]
    fn printing_the_environment_shows_no_values() {
        let environment = Environment::new([("OPENAI_API_KEY", "sk-secret")]);
        assert_eq!(format!("{environment:?}"), "{\"OPENAI_API_KEY\"}");
    }
}
