//! `zoea init`: writes the commented configuration and never overwrites a file.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, bail};
use zoea_settings::template;
use zoea_system::files::write_private;

use super::global::GlobalArgs;
use crate::interface::cli::out;

pub(super) fn run(global: &GlobalArgs) -> anyhow::Result<()> {
    let file = match &global.config {
        Some(file) => file.clone(),
        None => global.open_home()?.config_file(),
    };
    write_template(&file)?;
    Ok(out::line(&format!(
        "wrote {}; every line is a comment until you change it",
        file.display()
    ))?)
}

fn write_template(file: &Path) -> anyhow::Result<()> {
    match write_private(file, template().as_bytes()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!(
            "{} exists and is not overwritten; move it away, or name another file with --config",
            file.display()
        ),
        Err(error) => Err(error).with_context(|| format!("write {}", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use zoea_settings::{Settings, SettingsError};

    fn global(home: &Path, config: Option<PathBuf>) -> GlobalArgs {
        GlobalArgs {
            home: Some(home.to_owned()),
            config,
            ..GlobalArgs::default()
        }
    }

    #[test]
    fn a_new_home_gets_a_configuration_that_reads_as_the_defaults() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        let global = global(&home, Some(home.join("zoea.toml")));
        let without_config = GlobalArgs {
            config: None,
            home: Some(home.clone()),
            ..global
        };
        run(&without_config).unwrap();
        let mode = fs::metadata(home.join("zoea.toml"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);

        let opened = without_config.open_home().unwrap();
        let with_config = GlobalArgs {
            config: Some(home.join("zoea.toml")),
            ..without_config
        };
        let loaded = with_config.load_settings(&opened).unwrap();
        assert_eq!(loaded.settings, Settings::default());
        assert_eq!(loaded.file, Some(home.join("zoea.toml")));
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("mine.toml");
        fs::write(&file, "mine").unwrap();
        let global = global(directory.path(), Some(file.clone()));
        let error = run(&global).unwrap_err();
        let expected = format!(
            "{} exists and is not overwritten; move it away, or name another file with --config",
            file.display()
        );
        assert_eq!(error.to_string(), expected);
        assert!(error.downcast_ref::<SettingsError>().is_none());
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }

    #[test]
    fn a_chosen_file_needs_no_home() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("mine.toml");
        let global = global(&directory.path().join("home"), Some(file.clone()));
        run(&global).unwrap();
        assert!(file.exists());
        assert!(!directory.path().join("home").exists());
    }
}
