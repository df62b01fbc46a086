//! The options that every command has, and what they lead to.

use std::path::PathBuf;

use clap::Args;
use tracing::level_filters::LevelFilter;

use crate::home::Home;
use crate::settings::{
    ConfigSource, Environment, LoadedSettings, Settings, SettingsError, TuiSettings,
};

/// What every command can be told.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Keep everything in this directory [env: ZOEA_HOME] [default: ~/.zoea]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Read this configuration [default: ./zoea.toml if present, else HOME/zoea.toml]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Log in more detail
    #[arg(long, global = true)]
    pub debug: bool,
}

impl GlobalArgs {
    /// Opens the home directory that is meant, and creates it if need be.
    ///
    /// # Errors
    /// If none is named, or it cannot be used.
    pub fn open_home(&self, environment: &Environment) -> anyhow::Result<Home> {
        Ok(Home::open(
            environment.home_directory(self.home.as_deref())?,
        )?)
    }

    /// Reads the configuration that is meant.
    ///
    /// # Errors
    /// Lists every mistake in it.
    pub fn load_settings(
        &self,
        home: &Home,
        environment: &Environment,
    ) -> Result<LoadedSettings, SettingsError> {
        Settings::load(
            &ConfigSource::new(self.config.clone(), home.directory()),
            environment,
        )
    }

    /// Reads how the terminal is to look in offline play, from the configuration that is meant; the
    /// one in the offline home goes before the others.
    ///
    /// # Errors
    /// Lists every mistake in that section.
    pub fn load_tui(&self, outer: &Home, offline: &Home) -> Result<TuiSettings, SettingsError> {
        let source = ConfigSource::new(self.config.clone(), outer.directory());
        Settings::load_tui(&source.with_inner(offline.directory()))
    }

    /// How much is logged.
    #[must_use]
    pub fn log_level(&self) -> LevelFilter {
        if self.debug {
            LevelFilter::DEBUG
        } else {
            LevelFilter::INFO
        }
    }
}
