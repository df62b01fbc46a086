//! The files that setup writes. Each file is replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Map, Value, json};
use tempfile::{Builder, NamedTempFile};
use zoea_settings::Secret;

use zoea_system::files::{read_text, write_private};

/// The most bytes of a file that are read: more than any configuration or credentials have.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct ConfigurationFiles {
    pub configuration: PathBuf,
    pub credentials: PathBuf,
}

#[derive(Clone, Debug, Default)]
pub struct NewSecrets<'a> {
    pub key: Option<(&'a str, &'a Secret)>,
    /// A game's registration code, with the name of its entry.
    pub code: Option<(&'a str, &'a Secret)>,
}

impl ConfigurationFiles {
    /// Writes both files, and keeps a copy of an existing configuration, which it returns. If any step
    /// fails, all files stay as they were.
    ///
    /// # Errors
    /// A file cannot be written, or the credentials have another content than expected.
    pub fn write(&self, text: &str, secrets: &NewSecrets<'_>) -> anyhow::Result<Option<PathBuf>> {
        let present = read_if_there(&self.configuration)?;
        let credentials = match secrets.is_empty() {
            false => Some(self.add_secrets(secrets)?),
            true => None,
        };
        let new = PendingFile::prepare(&self.configuration, text.as_bytes())?;
        let keys = credentials.map(|keys| PendingFile::prepare(&self.credentials, keys.as_bytes()));
        let keys = keys.transpose()?;
        let is_changed = !present.is_empty() && present != text;
        let copy = is_changed.then(|| keep_copy(&self.configuration, &present));
        let copy = copy.transpose()?;
        if let Some(keys) = keys {
            keys.put()?;
        }
        new.put()?;
        Ok(copy)
    }

    fn add_secrets(&self, secrets: &NewSecrets<'_>) -> anyhow::Result<String> {
        let file = self.credentials.display();
        let present = read_if_there(&self.credentials)?;
        let mut root = match present.trim().is_empty() {
            true => Map::new(),
            // The parser's error text may quote a key, so it is not shown.
            false => serde_json::from_str(&present).map_err(|_| {
                anyhow::anyhow!(
                    "{file} is not a JSON object; correct it or move it away; nothing was changed"
                )
            })?,
        };
        for (section, member, new) in [
            ("providers", "api_key", secrets.key),
            ("games", "registration_code", secrets.code),
        ] {
            let Some((name, secret)) = new else {
                continue;
            };
            let entries = root.entry(section).or_insert_with(|| json!({}));
            let Value::Object(entries) = entries else {
                anyhow::bail!(
                    "`{section}` in {file} is not a JSON object; correct it; nothing was changed"
                );
            };
            entries.insert(name.to_string(), json!({member: secret.expose()}));
        }
        Ok(format!("{:#}\n", Value::Object(root)))
    }
}

impl NewSecrets<'_> {
    pub fn is_empty(&self) -> bool {
        self.key.is_none() && self.code.is_none()
    }
}

/// The new content of a file, which stands beside it until it takes its place.
struct PendingFile {
    new: NamedTempFile,
    target: PathBuf,
}

impl PendingFile {
    fn prepare(file: &Path, content: &[u8]) -> anyhow::Result<PendingFile> {
        // If the file is a symbolic link, its target is replaced.
        let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let written = || {
            // Its name tells what it is, where a kill leaves it behind.
            let name = target.file_name().unwrap_or_default();
            let mut new = Builder::new()
                .prefix(name)
                .tempfile_in(folder_of(&target))?;
            new.as_file_mut().write_all(content)?;
            new.as_file().sync_all()?;
            io::Result::Ok(new)
        };
        let new = written();
        let new = new.with_context(|| format!("write {}; nothing was changed", file.display()))?;
        Ok(PendingFile { new, target })
    }

    fn put(self) -> anyhow::Result<()> {
        let PendingFile { new, target } = self;
        let put = new.persist(&target).map_err(io::Error::from);
        let put = put.and_then(|_| File::open(folder_of(&target))?.sync_all());
        put.with_context(|| format!("replace {}", target.display()))
    }
}

fn folder_of(file: &Path) -> &Path {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Saves a copy of a configuration under the first free name.
fn keep_copy(file: &Path, text: &str) -> anyhow::Result<PathBuf> {
    let mut number = 1_u32;
    loop {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".before-setup-{number}"));
        let copy = PathBuf::from(name);
        match write_private(&copy, text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            kept => {
                kept.with_context(|| {
                    format!("keep a copy as {}; nothing was changed", copy.display())
                })?;
                return Ok(copy);
            }
        }
    }
}

fn read_if_there(file: &Path) -> anyhow::Result<String> {
    match read_text(file, MAX_BYTES) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("read {}", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn files(folder: &Path) -> ConfigurationFiles {
        ConfigurationFiles {
            configuration: folder.join("zoea.toml"),
            credentials: folder.join("credentials.json"),
        }
    }

    fn of_provider(key: &Secret) -> NewSecrets<'_> {
        NewSecrets {
            key: Some(("p", key)),
            code: None,
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn both_files_are_their_owners_alone_and_nothing_is_left_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let key = Secret::new("sk-1");
        let code = Secret::new("REG-7");
        let secrets = NewSecrets {
            code: Some(("game", &code)),
            ..of_provider(&key)
        };
        let copy = files.write("a = 1\n", &secrets).unwrap();
        assert_eq!(copy, None);
        assert_eq!(names(folder.path()), ["credentials.json", "zoea.toml"]);
        for file in [&files.configuration, &files.credentials] {
            let mode = fs::metadata(file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let text = fs::read_to_string(&files.credentials).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        let (providers, games) = (
            json!({"p": {"api_key": "sk-1"}}),
            json!({"game": {"registration_code": "REG-7"}}),
        );
        assert_eq!(read, json!({"providers": providers, "games": games}));
    }

    #[test]
    fn what_was_there_is_kept_and_other_keys_stay() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        fs::write(
            &files.credentials,
            r#"{"providers":{"old":{"api_key":"k"}},"x":1}"#,
        )
        .unwrap();
        let key = Secret::new("new");
        for (text, copies) in [("a\n", 0), ("b\n", 1), ("b\n", 1), ("c\n", 2)] {
            files.write(text, &of_provider(&key)).unwrap();
            let is_copy = |name: &&String| name.contains("before-setup");
            assert_eq!(names(folder.path()).iter().filter(is_copy).count(), copies);
        }
        let copy = folder.path().join("zoea.toml.before-setup-2");
        assert_eq!(fs::read_to_string(copy).unwrap(), "b\n");
        let read: Value =
            serde_json::from_str(&fs::read_to_string(&files.credentials).unwrap()).unwrap();
        assert_eq!(
            read,
            json!({"providers": {"old": {"api_key": "k"}, "p": {"api_key": "new"}}, "x": 1})
        );
    }

    #[test]
    fn where_something_fails_everything_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        fs::write(&files.configuration, "old\n").unwrap();
        fs::write(&files.credentials, "sesame").unwrap();
        let key = Secret::new("k");
        let refused = files.write("new\n", &of_provider(&key)).unwrap_err();
        assert!(
            refused.to_string().contains("nothing was changed"),
            "{refused}"
        );
        assert!(!refused.to_string().contains("sesame"), "{refused}");
        assert_eq!(fs::read_to_string(&files.configuration).unwrap(), "old\n");
        assert_eq!(names(folder.path()), ["credentials.json", "zoea.toml"]);
    }
}
