//! API keys: read from the places that the configuration names, and never shown.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Deserialize;

use zoea_system::files;

use super::Settings;
use super::environment::Environment;
use super::findings::dotted;
use super::header::{SourcedValue, ValueSource};
use super::mcp::McpSettings;
use super::mistake::{Mistake, MistakePlace};
use super::provider::KeySource;
use super::secret::Secret;

/// The largest credentials file in bytes.
const MAX_CREDENTIALS_BYTES: u64 = 1 << 20;

/// The variables that the process of a server, or the command of alerts, gets without being named:
/// those that a program needs to find its way on the machine.
const INHERITED: [&str; 10] = [
    "HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
];

/// Those that the command of alerts gets beside them: the ones that lead to the operator's desktop.
const OF_THE_DESKTOP: [&str; 5] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
];

/// The content of `credentials.json`.
#[derive(Debug, Default, Deserialize)]
struct CredentialsFile {
    #[serde(default)]
    providers: BTreeMap<String, Credentials>,
    #[serde(default)]
    games: BTreeMap<String, GameCredentials>,
    #[serde(default)]
    secrets: BTreeMap<String, Secret>,
}

#[derive(Debug, Deserialize)]
struct Credentials {
    api_key: Secret,
}

#[derive(Debug, Deserialize)]
struct GameCredentials {
    registration_code: Secret,
}

/// The mistakes and warnings about a configuration's keys.
#[derive(Debug, Default)]
pub(super) struct KeyRemarks {
    pub(super) mistakes: Vec<Mistake>,
    pub(super) warnings: Vec<String>,
    /// The warnings about secrets that are named and not there.
    pub(super) missing: Vec<String>,
}

impl KeyRemarks {
    /// A secret that is named is not there.
    pub(super) fn miss(&mut self, text: String) {
        self.missing.push(text.clone());
        self.warnings.push(text);
    }

    /// The same value. Where there is none, it is noted what its setting does not hold, and what follows.
    fn note_missing(
        &mut self,
        value: Option<Secret>,
        setting: &str,
        without: &str,
    ) -> Option<Secret> {
        self.note_quotes(value.as_ref(), setting);
        if value.is_none() {
            self.miss(format!("{setting} holds no {without}"));
        }
        value
    }

    /// Warns of a secret in quotes, which `docker --env-file` keeps and no server knows.
    fn note_quotes(&mut self, secret: Option<&Secret>, setting: &str) {
        let text = secret.map_or("", Secret::expose);
        let begins = text.len() > 1 && text.starts_with(['"', '\'']);
        if begins && text.chars().next() == text.chars().next_back() {
            self.warnings.push(format!(
                "{setting} is sent with the quotes in which it stands; remove them if they are not part of it \
                 (docker --env-file keeps quotes)"
            ));
        }
    }
}

/// Fills in the key of every provider, what the game's server wants, the token of the alerts' webhook,
/// and what is left to the environment about the collector of spans.
pub(super) fn fetch_keys(
    settings: &mut Settings,
    environment: &Environment,
    credentials: &Path,
    remarks: &mut KeyRemarks,
) {
    close_to_others(credentials, remarks);
    let entries = wants_credentials(settings, environment)
        .then(|| read_credentials(credentials, remarks))
        .flatten();
    for (name, provider) in &mut settings.providers {
        let section = dotted("providers", name);
        provider.api_key = match (&provider.key_source, &entries) {
            (KeySource::Variable(variable), _) => {
                from_variable(variable, environment, &section, remarks)
            }
            (KeySource::Credentials(entry), Some(entries)) => {
                from_entry(entry, &entries.providers, credentials, &section, remarks)
            }
            (KeySource::Credentials(_), None) | (KeySource::None, _) => None,
        };
        let files = (environment, credentials, entries.as_ref());
        let what = (format!("{section}.headers"), WITHOUT);
        fetch_values(&mut provider.headers, files, what, usable_header, remarks);
    }
    settings.mcp.registration_code = match (&settings.mcp.registration_code_source, &entries) {
        (KeySource::Variable(name), _) => {
            let found = set_variable(name, environment).and_then(usable_key);
            let setting = format!("mcp.registration_code_env: {}", shown_variable(name));
            remarks.note_missing(found, &setting, WITHOUT_CODE)
        }
        (KeySource::Credentials(name), Some(entries)) => {
            let game = entries.games.get(name);
            let found = game.and_then(|game| usable_key(game.registration_code.expose()));
            let setting = format!("mcp.registration_code_name: {}", credentials.display());
            remarks.note_missing(found, &setting, WITHOUT_CODE)
        }
        (KeySource::Credentials(_), None) | (KeySource::None, _) => None,
    };
    let files = (environment, credentials, entries.as_ref());
    fetch_game_values(&mut settings.mcp, files, remarks);
    settings.traces.complete(environment, remarks);
    let alerts = &mut settings.alerts;
    let desktop = inherited_variables(environment, &OF_THE_DESKTOP);
    alerts.inherited = inherited_variables(environment, &INHERITED);
    alerts.inherited.extend(desktop);
    if let Some(name) = alerts.token_env.as_deref() {
        let found = set_variable(name, environment).and_then(usable_key);
        let setting = format!("alerts.token_env: {}", shown_variable(name));
        let without = "token, so the webhook is called without one";
        alerts.token = remarks.note_missing(found, &setting, without);
    }
    settings.missing_secrets.clone_from(&remarks.missing);
}

/// Fills in what the game's server wants with each request, or in the environment of its process.
fn fetch_game_values(mcp: &mut McpSettings, files: Places<'_>, remarks: &mut KeyRemarks) {
    let token = match &mcp.token_source {
        KeySource::None => None,
        KeySource::Variable(name) => Some(ValueSource::Variable(name.clone())),
        KeySource::Credentials(name) => Some(ValueSource::Entry(name.clone())),
    };
    let what = ("mcp.token", WITHOUT);
    mcp.token = token.and_then(|source| value_of(&source, files, what, usable_key, remarks));
    let what = ("mcp.headers".to_owned(), WITHOUT);
    fetch_values(&mut mcp.headers, files, what, usable_header, remarks);
    let what = ("mcp.env".to_owned(), "the server's process runs without it");
    fetch_values(&mut mcp.variables, files, what, usable_variable, remarks);
    if !mcp.command.is_empty() {
        mcp.inherited = inherited_variables(files.0, &INHERITED);
    }
}

/// What the process of a server, or the command of alerts, gets of our variables. All others may be
/// secrets.
fn inherited_variables(environment: &Environment, names: &[&str]) -> Vec<(String, String)> {
    let inherited = names.iter().filter_map(|name| {
        let value = environment.get(name)?.to_str()?;
        Some(((*name).to_owned(), value.to_owned()))
    });
    inherited.collect()
}

/// Whether any secret comes from the credentials file.
fn wants_credentials(settings: &Settings, environment: &Environment) -> bool {
    let mcp = &settings.mcp;
    let mut sources = settings
        .providers
        .values()
        .map(|of| &of.key_source)
        .chain([&mcp.registration_code_source, &mcp.token_source]);
    let headers = settings.providers.values().flat_map(|of| &of.headers);
    let headers = headers.chain(&mcp.headers).map(|header| &header.source);
    let mut values = headers.chain(mcp.variables.iter().map(|variable| &variable.source));
    sources.any(|source| matches!(source, KeySource::Credentials(_)))
        || values.any(|source| match source {
            ValueSource::Variable(_) | ValueSource::Plain(_) => false,
            ValueSource::Entry(_) => true,
            ValueSource::Either(name) => set_variable(name, environment).is_none(),
        })
}

/// What follows where a header or a token has no value.
const WITHOUT: &str = "requests are sent without it";

type Places<'a> = (&'a Environment, &'a Path, Option<&'a CredentialsFile>);

/// Fills in values that can be what they are for. `told` names their table, and what follows where
/// there is none.
fn fetch_values<N: fmt::Display>(
    values: &mut [SourcedValue<N>],
    places: Places<'_>,
    (table, follows): (String, &str),
    accept: fn(&str) -> Option<Secret>,
    remarks: &mut KeyRemarks,
) {
    for value in values {
        let setting = format!("{table}.{}", value.name);
        value.value = value_of(&value.source, places, (&setting, follows), accept, remarks);
    }
}

fn value_of(
    source: &ValueSource,
    (environment, file, entries): Places<'_>,
    (setting, follows): (&str, &str),
    accept: fn(&str) -> Option<Secret>,
    remarks: &mut KeyRemarks,
) -> Option<Secret> {
    let of_variable = |name: &str| set_variable(name, environment);
    let of_entry = |name: &str| Some(entries?.secrets.get(name)?.expose());
    let under = format!("{} (under \"secrets\")", file.display());
    let (found, place) = match source {
        ValueSource::Variable(name) => (of_variable(name), shown_variable(name).to_owned()),
        ValueSource::Entry(name) => (of_entry(name), under),
        ValueSource::Either(name) => {
            let found = of_variable(name).or_else(|| of_entry(name));
            (found, format!("{}, like {under},", shown_variable(name)))
        }
        // An empty value is one, too.
        ValueSource::Plain(text) if text.is_empty() => return Some(Secret::new("")),
        ValueSource::Plain(text) => (Some(text.as_str()), "the configuration".to_owned()),
    };
    let without = format!("usable value, so {follows}");
    let setting = format!("{setting}: {place}");
    remarks.note_missing(found.and_then(accept), &setting, &without)
}

fn set_variable<'a>(name: &str, environment: &'a Environment) -> Option<&'a str> {
    let value = environment.get(name)?.to_str()?;
    (!value.is_empty()).then_some(value)
}

fn usable_header(text: &str) -> Option<Secret> {
    let value = text.trim();
    let is_usable = |c: char| c.is_ascii_graphic() || c == ' ';
    (!value.is_empty() && value.chars().all(is_usable)).then(|| Secret::new(value))
}

fn usable_variable(text: &str) -> Option<Secret> {
    (!text.is_empty() && !text.contains('\0')).then(|| Secret::new(text))
}

fn from_variable(
    variable: &str,
    environment: &Environment,
    section: &str,
    remarks: &mut KeyRemarks,
) -> Option<Secret> {
    let shown = shown_variable(variable);
    let is_empty = |value: &OsStr| value.to_str().is_some_and(|text| text.trim().is_empty());
    let Some(key) = environment.get(variable).filter(|value| !is_empty(value)) else {
        remarks.miss(format!(
            "{section}.api_key_env: {shown} is not set, so requests are sent without a key"
        ));
        return None;
    };
    let key = key.to_str().and_then(usable_key);
    remarks.note_quotes(key.as_ref(), &format!("{section}.api_key_env: {shown}"));
    if key.is_none() {
        remarks.mistakes.push(Mistake {
            place: MistakePlace::Environment,
            text: format!("{shown} ({section}.api_key_env) is not a key; allowed: {KEY_FORM}"),
        });
    }
    key
}

fn from_entry(
    entry: &str,
    entries: &BTreeMap<String, Credentials>,
    file: &Path,
    section: &str,
    remarks: &mut KeyRemarks,
) -> Option<Secret> {
    let key = entries
        .get(entry)
        .map_or("", |found| found.api_key.expose());
    if key.trim().is_empty() {
        let file = file.display();
        remarks.miss(format!(
            "{section}.api_key_name: {file} has no key of that name, so requests are sent without one"
        ));
        return None;
    }
    let key = usable_key(key);
    let setting = format!("{section}.api_key_name: {}", file.display());
    remarks.note_quotes(key.as_ref(), &setting);
    if key.is_none() {
        remarks.mistakes.push(Mistake {
            place: MistakePlace::File(file.to_owned()),
            text: format!(
                "the api_key that {section}.api_key_name names is not a key; allowed: {KEY_FORM}"
            ),
        });
    }
    key
}

const WITHOUT_CODE: &str = "code, so `register` is sent without one";

const KEY_FORM: &str = "visible ASCII characters on one line";

/// A key, if it can be part of an HTTP header.
fn usable_key(text: &str) -> Option<Secret> {
    let key = text.trim();
    let is_usable = !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
    is_usable.then(|| Secret::new(key))
}

/// The name of a variable for messages. If it may be a key that was put there by mistake, it is not
/// shown.
pub(super) fn shown_variable(name: &str) -> &str {
    let is_usual = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.len() <= 64 && name.chars().all(is_usual) {
        name
    } else {
        "the variable named there"
    }
}

/// The contents of the file; empty if there is no file, `None` if the file cannot be used.
fn read_credentials(file: &Path, remarks: &mut KeyRemarks) -> Option<CredentialsFile> {
    let text = match files::read_text(file, MAX_CREDENTIALS_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Some(CredentialsFile::default());
        }
        Err(error) => {
            remarks.mistakes.push(Mistake {
                place: MistakePlace::File(file.to_owned()),
                text: format!("the credentials cannot be read: {error}"),
            });
            return None;
        }
    };
    let read = serde_json::from_str::<CredentialsFile>(&text);
    // The parser's own message may quote a key.
    let noted = read.map_err(|error| {
        remarks.mistakes.push(Mistake {
            place: MistakePlace::Line {
                file: file.to_owned(),
                line: error.line(),
                column: error.column(),
            },
            text: r#"not of the form {"providers": {"NAME": {"api_key": "…"}}}"#.to_owned(),
        });
    });
    noted.ok()
}

/// Removes other users' access to the file and reports that.
fn close_to_others(file: &Path, remarks: &mut KeyRemarks) {
    let Ok(metadata) = fs::metadata(file) else {
        return;
    };
    let mode = metadata.permissions().mode() & 0o7777;
    if !metadata.is_file() || mode & 0o077 == 0 {
        return;
    }
    let name = file.display();
    let outcome = fs::set_permissions(file, fs::Permissions::from_mode(0o600));
    remarks.warnings.push(match outcome {
        Ok(()) => format!(
            "{name} was open to other users (mode {mode:04o}) and is now closed to them (0600); \
             if they may have read it, replace the keys in it"
        ),
        Err(error) => format!(
            "{name} is open to other users (mode {mode:04o}) and could not be closed to them: \
             {error}; run chmod 600 on it"
        ),
    });
}
