//! Settings: where every value that an operator can choose is read and checked.
//!
//! Every section of the configuration is a file here with a table of its keys (`table.rs`): what a key is
//! called, what it may be, its default and its help. All mistakes of a configuration are found in one go.

mod alerts;
pub mod bounds;
mod budget;
mod defaults;
mod document;
mod environment;
mod findings;
mod key;
mod keys;
mod listen;
mod mcp;
mod mistake;
mod nearest;
mod progress;
mod prompt;
mod provider;
mod reload;
mod reports;
mod roster;
mod rule;
mod secret;
mod section;
mod store;
mod supervision;
mod swarm;
mod table;
mod template;
mod traces;
mod tui;
mod unheeded;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use alerts::AlertSettings;
pub use environment::Environment;
pub use listen::{ControlSettings, MetricsSettings};
pub use mcp::McpSettings;
pub use mistake::{Mistake, MistakePlace, SettingsError};
pub use prompt::check_prompt;
pub use provider::{KeySource, ProviderKind, ProviderSettings};
pub use reports::{DailyReport, ReportSettings};
pub use roster::DeclaredMysis;
pub use secret::Secret;
pub use store::StoreSettings;
pub use swarm::SwarmSettings;
pub use template::template;
pub use traces::TraceSettings;
pub use tui::TuiSettings;

use actors::domain::budget::BudgetRules;
use actors::domain::rules::{ProgressRules, SupervisionRules};

use keys::KeyRemarks;
use reload::ReloadPart;
use section::Section;
use table::ReadSection;

/// The name of the configuration file, in the current directory or in a home directory.
pub const CONFIG_FILE: &str = "zoea.toml";

/// The name of the file in a home directory that holds providers' keys.
pub const CREDENTIALS_FILE: &str = "credentials.json";

/// Defines the settings by a table of their sections: those that a reload changes, and those that only a
/// restart changes, each with the name that the operator is told then.
macro_rules! settings {
    (
        at_once {$($(#[doc = $at_once:literal])* $now:ident: $Now:ty, $now_label:literal;)*}
        after_a_restart {$($(#[doc = $after:literal])* $later:ident: $Later:ty, $later_label:literal;)*}
    ) => {
        /// Every value that an operator can choose. Two of them can be compared to see what a reload
        /// changes.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            /// The chat endpoints, by name; at least one.
            pub providers: BTreeMap<String, ProviderSettings>,
            $($(#[doc = $at_once])* pub $now: $Now,)*
            $($(#[doc = $after])* pub $later: $Later,)*
            /// The Myses that exist after launch; at most `swarm.max_myses`.
            pub myses: Vec<DeclaredMysis>,
        }

        const AT_ONCE: &[ReloadPart] = &[$(settings!(@part $now, $now_label)),*];
        const AFTER_A_RESTART: &[ReloadPart] = &[$(settings!(@part $later, $later_label)),*];

        impl Settings {
            fn read_root(mut root: Section<'_, '_>) -> Self {
                let (names, providers) = provider::read_providers(&mut root);
                let settings = Self {
                    providers,
                    $($now: settings!(@read root, names, $now, $Now),)*
                    $($later: settings!(@read root, names, $later, $Later),)*
                    myses: roster::read_roster(&mut root, &names),
                };
                roster::check_fits(&mut root, &settings);
                root.finish();
                settings
            }
        }
    };
    (@part $key:ident, $label:literal) => {
        ReloadPart {
            label: $label,
            differs: |old, new| old.$key != new.$key,
            copy: |old, new| new.$key.clone_from(&old.$key),
        }
    };
    (@read $root:ident, $names:ident, $key:ident, $Type:ty) => {
        $root.read_section(stringify!($key), |section| <$Type>::read_section(section, &$names))
    };
}

settings! {
    at_once {
        /// How many Myses there may be and how their turns run.
        swarm: SwarmSettings, "[swarm]";
        /// The upstream MCP server.
        mcp: McpSettings, "[mcp]";
        /// What happens when a Mysis has failed.
        supervision: SupervisionRules, "[supervision]";
        /// What may be spent.
        budget: BudgetRules, "[budget]";
        /// How a Mysis is watched that gets nowhere.
        progress: ProgressRules, "[progress]";
    }
    after_a_restart {
        /// The control interface.
        control: ControlSettings, "control.listen";
        /// The metrics server.
        metrics: MetricsSettings, "metrics.listen";
        /// Where spans are brought.
        traces: TraceSettings, "[traces]";
        /// Who is told when somebody needs the operator.
        alerts: AlertSettings, "[alerts]";
        /// Which reports are written by the running program.
        reports: ReportSettings, "[reports]";
        /// Where conversations are kept.
        store: StoreSettings, "[store]";
        /// How the terminal looks.
        tui: TuiSettings, "[tui]";
    }
}

/// Where a configuration is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigSource {
    /// The file that has to be there.
    pub chosen: Option<PathBuf>,
    /// Where none is chosen: the first of these that is there, if any.
    pub usual: Vec<PathBuf>,
    /// The file with the keys that `api_key_name` names.
    pub credentials: PathBuf,
}

/// Settings, and what there is to say about their reading.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedSettings {
    /// The settings.
    pub settings: Settings,
    /// The file they come from; none: they are the defaults.
    pub file: Option<PathBuf>,
    /// Sentences for the operator: what works, but perhaps not as meant.
    pub warnings: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        document::load(None, &Environment::default(), Self::read_root).0
    }
}

impl Settings {
    /// Reads the configuration file if there is one, the environment and the keys.
    ///
    /// # Errors
    /// Lists every mistake in them.
    pub fn load(
        source: &ConfigSource,
        environment: &Environment,
    ) -> Result<LoadedSettings, SettingsError> {
        let file = source.find_file();
        let (mut settings, mistakes) =
            document::load(file.as_deref(), environment, Self::read_root);
        let mut remarks = KeyRemarks {
            mistakes,
            warnings: Vec::new(),
        };
        keys::fetch_keys(
            &mut settings,
            environment,
            &source.credentials,
            &mut remarks,
        );
        SettingsError::check(remarks.mistakes)?;
        Ok(LoadedSettings {
            settings,
            file,
            warnings: remarks.warnings,
        })
    }

    /// Whether any provider has a price.
    #[must_use]
    pub fn has_price(&self) -> bool {
        self.providers.values().any(|of| of.rules.price.is_some())
    }

    /// Reads `[tui]` alone of the configuration file, if there is one.
    ///
    /// # Errors
    /// Lists every mistake in that section; what stands in others is not looked at.
    pub fn load_tui(source: &ConfigSource) -> Result<TuiSettings, SettingsError> {
        let file = source.find_file();
        let (tui, mistakes) =
            document::load(file.as_deref(), &Environment::default(), |mut root| {
                root.read_section("tui", |section| TuiSettings::read_section(section, &[]))
            });
        SettingsError::check(mistakes)?;
        Ok(tui)
    }
}

impl ConfigSource {
    /// `chosen` if given, else `./zoea.toml`, else `zoea.toml` in the home directory `home`.
    #[must_use]
    pub fn new(chosen: Option<PathBuf>, home: &Path) -> Self {
        Self {
            chosen,
            usual: vec![Path::new(".").join(CONFIG_FILE), home.join(CONFIG_FILE)],
            credentials: home.join(CREDENTIALS_FILE),
        }
    }

    /// The same, with the configuration of another home directory before all others but the chosen
    /// one.
    #[must_use]
    pub fn with_inner(mut self, home: &Path) -> Self {
        self.usual.insert(0, home.join(CONFIG_FILE));
        self
    }

    fn find_file(&self) -> Option<PathBuf> {
        let is_there = |file: &&PathBuf| file.try_exists().unwrap_or(true);
        self.chosen
            .clone()
            .or_else(|| self.usual.iter().find(is_there).cloned())
    }
}

#[cfg(test)]
mod tests;
