//! The global options, and the home and configuration that they select.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use tracing::level_filters::LevelFilter;
use zoea_settings::{
    ConfigSource, Environment, LoadedSettings, Settings, SettingsError, TuiSettings,
};

use crate::host::home::{Home, RunFile};
use crate::interface::cli::out;

/// What stands above them in the help.
const HEADING: &str = "Options of every command";

/// The options of every command.
#[derive(Clone, Debug, Default, Args)]
pub struct GlobalArgs {
    /// Keep everything in this directory [env: ZOEA_HOME] [default: ~/.zoea]
    #[arg(long, global = true, value_name = "DIR", help_heading = HEADING)]
    pub home: Option<PathBuf>,
    /// Read this configuration [default: ./zoea.toml if present, else HOME/zoea.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = HEADING)]
    pub config: Option<PathBuf>,
    /// Log in more detail
    #[arg(long, global = true, help_heading = HEADING)]
    pub debug: bool,
    /// Show times in UTC [default: in the time of this machine]; JSON has UTC always
    #[arg(long, global = true, help_heading = HEADING)]
    pub utc: bool,
    /// What the options are read beside.
    #[arg(skip)]
    pub environment: Environment,
}

impl GlobalArgs {
    /// Opens the selected home directory and creates it if necessary.
    pub fn open_home(&self) -> anyhow::Result<Home> {
        Ok(Home::open(self.home_directory()?)?)
    }

    /// The directory of the selected home.
    pub fn home_directory(&self) -> Result<PathBuf, SettingsError> {
        self.environment.home_directory(self.home.as_deref())
    }

    /// Opens the home of the swarm that a command is about: the selected one, or that of the offline play that
    /// runs inside it, where it keeps no swarm of its own.
    pub fn open_swarm_home(&self) -> anyhow::Result<Home> {
        let home = self.open_home()?;
        let Some(offline) = home.running_offline() else {
            return Ok(home);
        };
        let loaded = self.load_settings(&home);
        let is_elsewhere = loaded.is_ok_and(|loaded| loaded.settings.store.database_url.is_some());
        if RunFile::read(&home).is_some() || home.database().exists() || is_elsewhere {
            return Ok(home);
        }
        out::note(&format!(
            "this is about the offline swarm that runs in {}",
            offline.directory().display()
        ));
        Ok(offline)
    }

    /// Reads the selected configuration.
    ///
    /// # Errors
    /// Lists every mistake in it.
    pub fn load_settings(&self, home: &Home) -> Result<LoadedSettings, SettingsError> {
        let source = ConfigSource::new(self.config.clone(), home.directory());
        Settings::load(&source, &self.environment)
    }

    /// Reads the terminal's settings for offline play. The configuration in the offline home takes
    /// precedence over the selected one.
    ///
    /// # Errors
    /// Lists every mistake in that section.
    pub fn load_tui(&self, outer: &Home, offline: &Home) -> Result<TuiSettings, SettingsError> {
        let source = ConfigSource::new(self.config.clone(), outer.directory());
        Settings::load_tui(&source.with_inner(offline.directory()))
    }

    /// A command as the operator types it for the home in use: with `--home` where it was given, or
    /// where another home is meant.
    pub fn command(&self, words: &str, other: Option<&Home>) -> String {
        let home = other.map(Home::directory).or(self.home.as_deref());
        match home.map(|home| home.display().to_string()) {
            Some(home)
                if home.contains(|letter: char| letter.is_whitespace() || letter == '\'') =>
            {
                format!("zoea {words} --home '{}'", home.replace('\'', "'\\''"))
            }
            Some(home) => format!("zoea {words} --home {home}"),
            None => format!("zoea {words}"),
        }
    }

    /// The options as they are written on a command line.
    pub fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        if self.debug {
            words.push("--debug".into());
        }
        for (option, path) in [("--home", &self.home), ("--config", &self.config)] {
            if let Some(path) = path {
                words.push(option.into());
                words.push(path.into());
            }
        }
        words
    }

    /// The log level.
    pub fn log_level(&self) -> LevelFilter {
        if self.debug {
            LevelFilter::DEBUG
        } else {
            LevelFilter::INFO
        }
    }
}
