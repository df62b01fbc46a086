//! Files of game accounts (CONTRACT.md): `[{"username", "password", "assigned_to"?}]`, 0600.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use zoea_text::redact::MIN_SECRET_BYTES;

use zoea_system::files;

/// The largest accounts file in bytes. It holds hundreds of thousands of accounts.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountEntry {
    pub username: String,
    pub password: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<String>,
}

/// Why an accounts file cannot be used. The text contains names but no passwords.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FileFault {
    #[error("{0}")]
    System(String),
    #[error("{0} exists already; remove it, or name another file")]
    Exists(String),
    #[error(
        "{file} holds no list of accounts (line {line}, column {column}); it is to look like \
         [{{\"username\": \"…\", \"password\": \"…\", \"assigned_to\": \"…\"}}]"
    )]
    NoList {
        file: String,
        line: usize,
        /// The column of the error.
        column: usize,
    },
    #[error("an account in {0} has no username or no password")]
    Empty(String),
    /// A password is too short to be redacted.
    #[error(
        "the password of {name} in {file} is shorter than {MIN_SECRET_BYTES} letters: zoea could not tell it \
         from ordinary words where it has to be kept secret; give the account a longer one"
    )]
    TooShort { file: String, name: String },
    #[error("the account {name} is in {file} twice")]
    Twice { file: String, name: String },
}

/// Reads an accounts file.
///
/// # Errors
/// The file cannot be read, or has another content.
pub fn read(file: &Path) -> Result<Vec<AccountEntry>, FileFault> {
    let shown = file.display().to_string();
    let text = files::read_text(file, MAX_BYTES)
        .map_err(|error| FileFault::System(format!("read {shown}: {error}")))?;
    // The parser's own message may quote a password.
    let entries: Vec<AccountEntry> =
        serde_json::from_str(&text).map_err(|error| FileFault::NoList {
            file: shown.clone(),
            line: error.line(),
            column: error.column(),
        })?;
    let mut names = BTreeSet::new();
    for entry in &entries {
        if entry.username.is_empty() || entry.password.is_empty() {
            return Err(FileFault::Empty(shown));
        }
        if entry.password.len() < MIN_SECRET_BYTES {
            let name = entry.username.clone();
            return Err(FileFault::TooShort { file: shown, name });
        }
        if !names.insert(&entry.username) {
            let name = entry.username.clone();
            return Err(FileFault::Twice { file: shown, name });
        }
    }
    Ok(entries)
}

/// Writes a new accounts file that only its owner can read.
///
/// # Errors
/// The file exists or cannot be written.
pub fn write(file: &Path, entries: &[AccountEntry]) -> Result<(), FileFault> {
    let shown = file.display().to_string();
    let mut text = serde_json::to_string_pretty(entries)
        .map_err(|error| FileFault::System(error.to_string()))?;
    text.push('\n');
    let written = files::write_private(file, text.as_bytes());
    written.map_err(|error| match error.kind() == ErrorKind::AlreadyExists {
        true => FileFault::Exists(shown),
        false => FileFault::System(format!("write {shown}: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_back_and_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("accounts.json");
        let entry = |name: &str, owner: Option<&str>| AccountEntry {
            username: name.to_string(),
            password: "p\"w|:é".to_string(),
            assigned_to: owner.map(str::to_string),
        };
        let entries = vec![entry("Quill", None), entry("Ardent", Some("alpha"))];
        write(&file, &entries).unwrap();
        assert!(read(&file).unwrap() == entries);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(write(&file, &entries), Err(FileFault::Exists(_))));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_without_a_word_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("accounts.json");
        for text in [
            r#"[{"username": "a", "password": 123456789}]"#,
            r#"[{"username": "a", "password": "sesame-sesame", "pass": "sesame-sesame"}]"#,
            r#"[{"username": "a", "password": ""}]"#,
            r#"[{"username":"a","password":"sesame1"},{"username":"a","password":"sesame2"}]"#,
            "sesame",
            "",
        ] {
            std::fs::write(&file, text).unwrap();
            let said = read(&file).err().unwrap().to_string();
            assert!(
                !said.contains("sesame") && !said.contains("12345"),
                "{said}"
            );
        }
    }
}
