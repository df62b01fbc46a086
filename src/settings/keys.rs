//! API keys: fetched from where the configuration says they are, and never shown.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Deserialize;

use zoea_system::files;

use super::alerts::AlertSettings;
use super::environment::Environment;
use super::findings::dotted;
use super::mistake::{Mistake, MistakePlace};
use super::provider::{KeySource, ProviderSettings};
use super::secret::Secret;

/// More than any credentials.
const MAX_CREDENTIALS_BYTES: u64 = 1 << 20;

/// The form of `credentials.json`.
#[derive(Debug, Default, Deserialize)]
struct CredentialsFile {
    #[serde(default)]
    providers: BTreeMap<String, Credentials>,
}

#[derive(Debug, Deserialize)]
struct Credentials {
    api_key: Secret,
}

/// What fetching keys has to say.
#[derive(Debug, Default)]
pub(super) struct KeyRemarks {
    pub(super) mistakes: Vec<Mistake>,
    pub(super) warnings: Vec<String>,
}

/// Fills in every provider's key.
pub(super) fn fetch_keys(
    providers: &mut BTreeMap<String, ProviderSettings>,
    environment: &Environment,
    credentials: &Path,
) -> KeyRemarks {
    let mut remarks = KeyRemarks::default();
    close_to_others(credentials, &mut remarks);
    let is_wanted =
        |provider: &ProviderSettings| matches!(provider.key_source, KeySource::Credentials(_));
    let entries = if providers.values().any(is_wanted) {
        read_credentials(credentials, &mut remarks)
    } else {
        Some(BTreeMap::new())
    };
    for (name, provider) in providers {
        let section = dotted("providers", name);
        provider.api_key = match &provider.key_source {
            KeySource::None => None,
            KeySource::Variable(variable) => {
                from_variable(variable, environment, &section, &mut remarks)
            }
            KeySource::Credentials(entry) => entries.as_ref().and_then(|entries| {
                from_entry(entry, entries, credentials, &section, &mut remarks)
            }),
        };
    }
    remarks
}

/// Fills in the token of the alerts' webhook; says so where it is named and not to be had.
pub(super) fn fetch_token(alerts: &mut AlertSettings, environment: &Environment) -> Option<String> {
    let name = alerts.token_env.as_deref()?;
    let value = environment.get(name).and_then(|value| value.to_str());
    alerts.token = value.and_then(usable_key);
    alerts.token.is_none().then(|| {
        let variable = shown_variable(name);
        format!("alerts.token_env: {variable} holds no token, so the webhook is called without one")
    })
}

fn from_variable(
    variable: &str,
    environment: &Environment,
    section: &str,
    remarks: &mut KeyRemarks,
) -> Option<Secret> {
    let key = environment.get(variable).filter(|value| !value.is_empty());
    let Some(key) = key else {
        let variable = shown_variable(variable);
        remarks.warnings.push(format!(
            "{section}.api_key_env: {variable} is not set, so requests go out without a key"
        ));
        return None;
    };
    let key = key.to_str().and_then(usable_key);
    if key.is_none() {
        let variable = shown_variable(variable);
        remarks.mistakes.push(Mistake {
            place: MistakePlace::Environment,
            text: format!("{variable} ({section}.api_key_env) is no key; allowed: {KEY_FORM}"),
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
    let Some(credentials) = entries
        .get(entry)
        .filter(|found| !found.api_key.expose().is_empty())
    else {
        let file = file.display();
        remarks.warnings.push(format!(
            "{section}.api_key_name: {file} has no key of that name, so requests go out without one"
        ));
        return None;
    };
    let key = usable_key(credentials.api_key.expose());
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

/// The key as it can stand in a header, if it can.
fn usable_key(text: &str) -> Option<Secret> {
    let key = text.trim();
    let is_usable = !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
    is_usable.then(|| Secret::new(key))
}

/// A variable's name, unless it could be a key that somebody put in its place.
fn shown_variable(name: &str) -> &str {
    let is_usual = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.len() <= 64 && name.chars().all(is_usual) {
        name
    } else {
        "the variable named there"
    }
}

/// The entries of the file; none of them if there is no file, nothing if it cannot be used.
fn read_credentials(
    file: &Path,
    remarks: &mut KeyRemarks,
) -> Option<BTreeMap<String, Credentials>> {
    let mut fault = |place, text| remarks.mistakes.push(Mistake { place, text });
    let text = match files::read_text(file, MAX_CREDENTIALS_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(BTreeMap::new()),
        Err(error) => {
            fault(
                MistakePlace::File(file.to_owned()),
                format!("the credentials cannot be read: {error}"),
            );
            return None;
        }
    };
    match serde_json::from_str::<CredentialsFile>(&text) {
        Ok(file) => Some(file.providers),
        // The parser's own words may quote a key.
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            fault(
                MistakePlace::Line {
                    file: file.to_owned(),
                    line,
                    column,
                },
                r#"not of the form {"providers": {"NAME": {"api_key": "…"}}}"#.to_owned(),
            );
            None
        }
    }
}

/// Closes the file to other users, and says so.
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
