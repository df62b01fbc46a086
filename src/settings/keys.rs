//! API keys: read from the places that the configuration names, and never shown.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Deserialize;

use zoea_system::files;

use super::Settings;
use super::environment::Environment;
use super::findings::dotted;
use super::mistake::{Mistake, MistakePlace};
use super::provider::{KeySource, ProviderSettings};
use super::secret::Secret;

/// The largest credentials file in bytes.
const MAX_CREDENTIALS_BYTES: u64 = 1 << 20;

/// The content of `credentials.json`.
#[derive(Debug, Default, Deserialize)]
struct CredentialsFile {
    #[serde(default)]
    providers: BTreeMap<String, Credentials>,
    #[serde(default)]
    games: BTreeMap<String, GameCredentials>,
    /// Tokens and values of headers.
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
        let of_file = entries.as_ref().map(|entries| &entries.secrets);
        fetch_headers(provider, (&section, environment, of_file), remarks);
    }
    settings.mcp.registration_code = match (&settings.mcp.registration_code_source, &entries) {
        (KeySource::Variable(name), _) => {
            let found = environment.get(name).and_then(|value| value.to_str());
            code_of(found, &format!("_env: {}", shown_variable(name)), remarks)
        }
        (KeySource::Credentials(name), Some(entries)) => {
            let found = entries.games.get(name);
            let found = found.map(|game| game.registration_code.expose());
            code_of(found, &format!("_name: {}", credentials.display()), remarks)
        }
        (KeySource::Credentials(_), None) | (KeySource::None, _) => None,
    };
    let files = (environment, credentials, entries.as_ref());
    let mcp = &mut settings.mcp;
    let without = "requests go out without it";
    mcp.token = secret_of(&mcp.token_source, files, ("mcp.token", without), remarks);
    for header in &mut mcp.headers {
        let place = format!("mcp.headers.{}", header.name);
        let told = (place.as_str(), without);
        header.value = secret_of(&header.source, files, told, remarks);
    }
    settings.traces.complete(environment, remarks);
    let alerts = &mut settings.alerts;
    if let Some(name) = alerts.token_env.as_deref() {
        let value = environment.get(name).and_then(|value| value.to_str());
        alerts.token = value.and_then(usable_key);
        if alerts.token.is_none() {
            remarks.warnings.push(format!(
                "alerts.token_env: {} holds no token, so the webhook is called without one",
                shown_variable(name)
            ));
        }
    }
}

/// Whether any secret comes from the credentials file.
fn wants_credentials(settings: &Settings, environment: &Environment) -> bool {
    let mcp = &settings.mcp;
    let mut sources = settings
        .providers
        .values()
        .map(|of| &of.key_source)
        .chain([&mcp.registration_code_source, &mcp.token_source])
        .chain(mcp.headers.iter().map(|header| &header.source));
    let headers = settings.providers.values();
    let mut headers = headers.flat_map(|of| &of.header_sources);
    let is_set = |name: &str| {
        let value = environment.get(name);
        value.is_some_and(|value| !value.is_empty())
    };
    sources.any(|source| matches!(source, KeySource::Credentials(_)))
        || headers.any(|(_, source)| !is_set(source))
}

/// The token or the value of a header from this source, if it can be one. `told` names its setting,
/// and what follows if there is none.
fn secret_of(
    source: &KeySource,
    (environment, file, entries): (&Environment, &Path, Option<&CredentialsFile>),
    (setting, follows): (&str, &str),
    remarks: &mut KeyRemarks,
) -> Option<Secret> {
    let (found, place) = match source {
        KeySource::None => return None,
        KeySource::Variable(name) => {
            let found = environment.get(name).and_then(|value| value.to_str());
            (found, shown_variable(name).to_owned())
        }
        KeySource::Credentials(name) => {
            let found = entries.and_then(|entries| entries.secrets.get(name));
            let place = format!("{} (under \"secrets\")", file.display());
            (found.map(Secret::expose), place)
        }
    };
    let value = found.and_then(usable_key);
    if value.is_none() {
        let text = format!("{setting}: {place} holds no usable value, so {follows}");
        remarks.warnings.push(text);
    }
    value
}

/// Fills in the values of a provider's headers.
fn fetch_headers(
    provider: &mut ProviderSettings,
    (section, environment, entries): (&str, &Environment, Option<&BTreeMap<String, Secret>>),
    remarks: &mut KeyRemarks,
) {
    for (header, source) in &provider.header_sources {
        match header_value(source, environment, entries) {
            Some(value) => provider.headers.push((header.clone(), value)),
            None => remarks.warnings.push(missing_header(section, header)),
        }
    }
}

fn missing_header(section: &str, header: &str) -> String {
    format!(
        "{section}.headers: there is no usable value for {header}, neither in the variable nor in the \
         entry named there, so requests go out without it"
    )
}

/// The value of a header: of the variable, else of the entry, of this name.
fn header_value(
    source: &str,
    environment: &Environment,
    entries: Option<&BTreeMap<String, Secret>>,
) -> Option<Secret> {
    let of_variable = environment.get(source).and_then(|value| value.to_str());
    let of_variable = of_variable.filter(|value| !value.is_empty());
    let of_entry = || Some(entries?.get(source)?.expose());
    let value = of_variable.or_else(of_entry)?.trim();
    let is_usable = |c: char| c.is_ascii_graphic() || c == ' ';
    (!value.is_empty() && value.chars().all(is_usable)).then(|| Secret::new(value))
}

/// The registration code from this source, if it can be one.
fn code_of(found: Option<&str>, place: &str, remarks: &mut KeyRemarks) -> Option<Secret> {
    let code = found.and_then(usable_key);
    if code.is_none() {
        remarks.warnings.push(format!(
            "mcp.registration_code{place} holds no code, so `register` goes without one"
        ));
    }
    code
}

fn from_variable(
    variable: &str,
    environment: &Environment,
    section: &str,
    remarks: &mut KeyRemarks,
) -> Option<Secret> {
    let shown = shown_variable(variable);
    let Some(key) = environment.get(variable).filter(|value| !value.is_empty()) else {
        remarks.warnings.push(format!(
            "{section}.api_key_env: {shown} is not set, so requests go out without a key"
        ));
        return None;
    };
    let key = key.to_str().and_then(usable_key);
    if key.is_none() {
        remarks.mistakes.push(Mistake {
            place: MistakePlace::Environment,
            text: format!("{shown} ({section}.api_key_env) is no key; allowed: {KEY_FORM}"),
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
    if key.is_empty() {
        let file = file.display();
        remarks.warnings.push(format!(
            "{section}.api_key_name: {file} has no key of that name, so requests go out without one"
        ));
        return None;
    }
    let key = usable_key(key);
    if key.is_none() {
        remarks.mistakes.push(Mistake {
            place: MistakePlace::File(file.to_owned()),
            text: format!(
                "the api_key that {section}.api_key_name names is no key; allowed: {KEY_FORM}"
            ),
        });
    }
    key
}

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
             if they can have read it, replace the keys in it"
        ),
        Err(error) => format!(
            "{name} is open to other users (mode {mode:04o}) and could not be closed to them: \
             {error}; run chmod 600 on it"
        ),
    });
}
