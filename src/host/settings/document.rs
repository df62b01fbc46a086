//! A configuration file: from its bytes to the settings or to all mistakes in it.

use std::io::Read;
use std::path::Path;

use toml::de::DeTable;
use zoea_system::files;

use super::environment::Environment;
use super::findings::Findings;
use super::key::Key;
use super::mistake::{Mistake, MistakePlace};
use super::section::Section;
use super::{CONFIG_FILE, Settings};

/// The largest file in bytes. A larger one is no configuration.
const MAX_FILE_BYTES: u64 = 4 << 20;

pub(super) fn read_file(file: &Path) -> Result<String, Mistake> {
    let whole = |text: String| Mistake {
        place: MistakePlace::File(file.to_owned()),
        text,
    };
    let mut bytes = Vec::new();
    files::open_regular(file)
        .and_then(|opened| opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| whole(format!("the configuration cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(whole(
            "longer than any configuration; allowed: up to 4MiB".to_owned(),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let start = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
        let text = "not UTF-8 text, as TOML has to be".to_owned();
        Mistake {
            place: MistakePlace::of_offset(file, &start, good),
            text,
        }
    })
}

/// Applies `read` to the configuration in `file`, or to an empty one if there is none, and to the
/// environment. Reports every mistake.
pub(super) fn load<T>(
    file: Option<&Path>,
    environment: &Environment,
    read: impl FnOnce(Section<'_, '_>) -> T,
) -> (T, Vec<Mistake>) {
    let text = file.map_or(Ok(String::new()), read_file);
    let (text, unreadable) = match text {
        Ok(text) => (text, None),
        Err(mistake) => (String::new(), Some(mistake)),
    };
    let file = file.unwrap_or(Path::new(CONFIG_FILE));
    let (settings, mistakes) = parse(file, &text, environment, read);
    (settings, unreadable.into_iter().chain(mistakes).collect())
}

pub(super) fn known_keys() -> Vec<(String, Vec<Key>)> {
    let text = "[providers.local.price]\n[roles.miner.budget]\n[[myses]]\n";
    let environment = Environment::default();
    let table = DeTable::parse(text);
    let mut findings = Findings::new(&environment);
    if let Ok(table) = &table {
        Settings::read_root(Section::root(table.get_ref(), &mut findings));
    }
    findings.into_known()
}

/// Applies `read` to `text` from `file` and to the environment. Reports every mistake.
pub(super) fn parse<T>(
    file: &Path,
    text: &str,
    environment: &Environment,
    read: impl FnOnce(Section<'_, '_>) -> T,
) -> (T, Vec<Mistake>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut findings = Findings::new(environment);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, format!("not TOML: {}", error.message()))
    });
    let (table, malformed) = match table {
        Ok(table) => (table.into_inner(), None),
        Err(mistake) => (DeTable::new(), Some(mistake)),
    };
    let settings = read(Section::root(&table, &mut findings));
    let (mistakes, of_environment) = findings.into_mistakes();
    let mistakes = malformed.into_iter().chain(mistakes);
    let placed = mistakes.map(|(at, sentence)| Mistake {
        place: MistakePlace::of_offset(file, text, at),
        text: sentence,
    });
    let of_environment = of_environment.into_iter().map(|text| Mistake {
        place: MistakePlace::Environment,
        text,
    });
    (settings, placed.chain(of_environment).collect())
}
