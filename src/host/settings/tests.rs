//! Tests of whole configurations: their settings, and the messages about mistakes in them.

mod files;
mod keys;
mod rules;
mod together;
mod tui;
mod values;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// The settings of `text` as the content of that file, and the mistakes in it.
pub(super) fn parse_as(file: &str, text: &str) -> (Settings, Vec<Mistake>) {
    let environment = Environment::default();
    document::parse(Path::new(file), text, &environment, Settings::read_root)
}

/// The settings of `text`, or its mistakes, one on a line.
fn parse(text: &str) -> Result<Settings, String> {
    let (settings, mistakes) = parse_as("z", text);
    SettingsError::check(mistakes).map_err(|error| error.to_string())?;
    Ok(settings)
}

/// A temporary home directory.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, mode: u32, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn source(&self, chosen: Option<PathBuf>) -> ConfigSource {
        ConfigSource {
            chosen,
            usual: vec![
                self.0.path().join("first.toml"),
                self.0.path().join("second.toml"),
            ],
            credentials: self.0.path().join(CREDENTIALS_FILE),
        }
    }

    /// Loads the text as the chosen file. The directory's name is removed from errors and warnings.
    fn load(&self, text: &str, environment: &Environment) -> Result<LoadedSettings, String> {
        let file = self.write("zoea.toml", 0o600, text);
        let without_directory =
            |said: String| said.replace(&format!("{}/", self.0.path().display()), "");
        Settings::load(&self.source(Some(file)), environment)
            .map_err(|error| without_directory(error.to_string()))
            .map(|mut loaded| {
                loaded.warnings = loaded.warnings.into_iter().map(without_directory).collect();
                loaded
            })
    }
}

fn variables(variables: &[(&str, &str)]) -> Environment {
    Environment::new(variables.iter().copied())
}

#[test]
fn an_empty_text_gives_the_defaults() {
    assert_eq!(parse(""), Ok(Settings::default()));
    assert_eq!(
        parse("[swarm]\n[providers]\n[mcp]\n[store]\n"),
        Ok(Settings::default())
    );
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    let cases = [
        (
            "[swarm]\nmax_mysis = 3\n",
            "z:2:1: unknown key swarm.max_mysis; did you mean max_myses?",
        ),
        ("[swam]\n", "z:1:2: unknown key swam; did you mean swarm?"),
        (
            "[provider.local]\n",
            "z:1:2: unknown key provider; did you mean providers?",
        ),
        (
            "max_myses = 3\n",
            "z:1:1: unknown key max_myses; did you mean swarm.max_myses?",
        ),
        (
            "[mcp]\nrelaunch='always'",
            "z:2:1: unknown key mcp.relaunch; did you mean supervision.relaunch?",
        ),
        (
            "[providers.local]\napi_key = 'sk-secret'\n",
            "z:2:1: unknown key providers.local.api_key; did you mean api_key_env?",
        ),
        (
            "[providers.local.price]\ninput=1\noutput=1\nin=1",
            "z:4:1: unknown key providers.local.price.in; did you mean input?",
        ),
        (
            "[[myses]]\nname='a'\nnmae='b'",
            "z:3:1: unknown key myses[1].nmae; did you mean name?",
        ),
        (
            "[control]\ncolour='red'",
            "z:2:1: unknown key control.colour; known here: listen",
        ),
        (
            "[store]\n\"my key\"=1",
            "z:2:1: unknown key store.\"my key\"; known here: database_url, keep, keep_rows",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn all_mistakes_are_listed_in_the_order_of_the_file() {
    let text = "[mcp]\nupstream = 'x'\n[swarm]\nmax_mysis = 3\nmax_myses = 0\n[providers.local]\ntemperature = 3\n";
    let expected = "z:2:12: mcp.upstream is \"x\"; allowed: an http or https URL, \"offline\" for the built-in game, or \"\" for no server\n\
        z:4:1: unknown key swarm.max_mysis; did you mean max_myses?\n\
        z:5:13: swarm.max_myses is 0; allowed: a whole number from 1 to 10000\n\
        z:7:15: providers.local.temperature is 3; allowed: a number from 0 to 2";
    assert_eq!(parse(text), Err(expected.to_owned()));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn no_text_of_known_words_makes_the_reader_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "[swarm]", "[[myses]]", "[providers.a]", "[providers]", "name", "price", "nudges",
                "backoff", "=", "=", ".", "{", "}", "[", "]", "\"", "'x'", "\"1s\"", "1", "-1", "1.5",
                "nan", "true", "1979-05-27", ",", "\n", "\n", "#", "é", "endpoint", "'http://a@b'",
            ]),
            0..40,
        ),
    ) {
        let _ = parse(&words.concat());
        let _ = parse(&words.join(" "));
    }
}
