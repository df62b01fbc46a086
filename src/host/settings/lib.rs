//! Settings: reads and checks every value that an operator can choose.
//!
//! Each section of the configuration is a file in this folder. It contains a table of the section's
//! keys with their names, rules, defaults and help (`table.rs`). Reading reports all mistakes of a
//! configuration at once.

mod alerts;
pub mod bounds;
mod budget;
mod colours;
mod defaults;
mod document;
mod environment;
mod findings;
mod header;
mod key;
mod keymap;
mod keys;
mod listen;
mod mcp;
mod mistake;
mod nearest;
pub mod prices;
mod progress;
mod prompt;
mod provider;
mod reload;
mod reports;
mod role;
mod roster;
mod routines;
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
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use alerts::AlertSettings;
pub use environment::Environment;
pub use header::{HeaderSettings, SourcedValue, ValueSource, VariableSettings};
pub use listen::{ControlSettings, MetricsSettings};
pub use mcp::{McpSettings, SPACEMOLT, SPACEMOLT_V2};
pub use mistake::{Mistake, MistakePlace, SettingsError};
pub use prompt::check_prompt;
pub use provider::{KeySource, ProviderKind, ProviderSettings};
pub use reports::{ReportFormat, ReportSettings};
pub use role::RoleSettings;
pub use roster::DeclaredMysis;
pub use rule::BUILT_IN_GAME;
pub use secret::Secret;
pub use store::StoreSettings;
pub use swarm::SwarmSettings;
pub use template::template;
pub use traces::{TraceProtocol, TraceSettings};
pub use tui::TuiSettings;

use zoea_domain::budget::BudgetRules;
use zoea_domain::routine::RoutineRules;
use zoea_domain::rules::{ProgressRules, SupervisionRules, ValueRules};

use keys::KeyRemarks;
use reload::ReloadPart;
use section::Section;
use table::ReadSection;

/// The name of the configuration file in the working directory or in a home directory.
pub const CONFIG_FILE: &str = "zoea.toml";

/// The name of the file with the providers' keys in a home directory.
pub const CREDENTIALS_FILE: &str = "credentials.json";

/// Defines the settings by a table of their sections. One part takes effect at a reload, the other
/// at a restart. Each section has the label that a reload shows to the operator.
macro_rules! settings {
    (
        at_once {$($(#[doc = $at_once:literal])* $now:ident: $Now:ty, $now_label:literal;)*}
        after_a_restart {$($(#[doc = $after:literal])* $later:ident: $Later:ty, $later_label:literal;)*}
    ) => {
        /// Every value that an operator can choose. Comparing two instances shows what a reload
        /// changes.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            /// The chat endpoints by name, at least one.
            pub providers: BTreeMap<String, ProviderSettings>,
            pub roles: BTreeMap<String, RoleSettings>,
            $($(#[doc = $at_once])* pub $now: $Now,)*
            $($(#[doc = $after])* pub $later: $Later,)*
            /// The Myses that exist after the start, at most `swarm.max_myses`.
            pub myses: Vec<DeclaredMysis>,
            /// A sentence for each secret that is named and not there.
            pub missing_secrets: Vec<String>,
        }

        const AT_ONCE: &[ReloadPart] = &[$(settings!(@part $now, $now_label)),*];
        const AFTER_A_RESTART: &[ReloadPart] = &[$(settings!(@part $later, $later_label)),*];

        impl Settings {
            fn read_root(mut root: Section<'_, '_>) -> Self {
                let (names, providers) = provider::read_providers(&mut root);
                let settings = Self {
                    providers,
                    roles: role::read_roles(&mut root, &names),
                    $($now: settings!(@read root, names, $now, $Now),)*
                    $($later: settings!(@read root, names, $later, $Later),)*
                    myses: roster::read_roster(&mut root, &names),
                    missing_secrets: Vec::new(),
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
            copy: |old, new| new.$key.clone_from(&old.$key),
        }
    };
    (@read $root:ident, $names:ident, $key:ident, $Type:ty) => {
        $root.read_section(stringify!($key), |section| <$Type>::read_section(section, &$names))
    };
}

settings! {
    at_once {
        /// The number of Myses and the rules of their turns.
        swarm: SwarmSettings, "[swarm]";
        mcp: McpSettings, "[mcp]";
        /// The relaunch of failed Myses.
        supervision: SupervisionRules, "[supervision]";
        budget: BudgetRules, "[budget]";
        /// The detection of Myses without progress.
        progress: ProgressRules, "[progress]";
        /// The parking of Myses that cost more than they bring.
        value: ValueRules, "[value]";
        /// The routines that the runtime offers or begins.
        routines: RoutineRules, "[routines]";
    }
    after_a_restart {
        control: ControlSettings, "control.listen";
        metrics: MetricsSettings, "metrics.listen";
        traces: TraceSettings, "[traces]";
        alerts: AlertSettings, "[alerts]";
        /// The reports that the running program writes.
        reports: ReportSettings, "[reports]";
        /// The database and how long rows are kept.
        store: StoreSettings, "[store]";
        /// The terminal's looks.
        tui: TuiSettings, "[tui]";
    }
}

/// The files that may contain the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigSource {
    /// The file named by the operator. It must exist.
    pub chosen: Option<PathBuf>,
    /// If the operator named none: the candidates. The first one that exists is read.
    pub usual: Vec<PathBuf>,
    /// The file with the keys to which `api_key_name` refers.
    pub credentials: PathBuf,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LoadedSettings {
    pub settings: Settings,
    /// The file that was read; `None` if all values are defaults.
    pub file: Option<PathBuf>,
    /// Sentences for the operator about valid settings that may not do what was meant.
    pub warnings: Vec<String>,
}

impl LoadedSettings {
    /// The sentences about anything but missing secrets.
    pub fn other_warnings(&self) -> impl Iterator<Item = &String> {
        let missing = &self.settings.missing_secrets;
        let warnings = self.warnings.iter();
        warnings.filter(move |warning| !missing.contains(warning))
    }
}

impl Default for Settings {
    fn default() -> Self {
        document::load(None, &Environment::default(), Self::read_root).0
    }
}

impl Settings {
    /// Reads the configuration file, if there is one, the environment and the keys.
    pub fn load(
        source: &ConfigSource,
        environment: &Environment,
    ) -> Result<LoadedSettings, SettingsError> {
        let file = source.find_file();
        let read = document::load(file.as_deref(), environment, Self::read_root);
        let (settings, warnings) = with_keys(read, environment, &source.credentials)?;
        Ok(LoadedSettings {
            settings,
            file,
            warnings,
        })
    }

    /// Reads a configuration before it is written to a file. No keys are fetched.
    pub fn from_text(file: &Path, text: &str) -> Result<Settings, SettingsError> {
        let (settings, mistakes) = Self::read_text(file, text);
        SettingsError::check(mistakes)?;
        Ok(settings)
    }

    fn read_text(file: &Path, text: &str) -> (Settings, Vec<Mistake>) {
        document::parse(file, text, &Environment::default(), Self::read_root)
    }

    /// The same with the keys that are there already. What the environment overrides is not looked at.
    pub fn from_text_with_keys(
        file: &Path,
        text: &str,
        environment: &Environment,
        credentials: &Path,
    ) -> Result<Settings, SettingsError> {
        let read = Self::read_text(file, text);
        with_keys(read, environment, credentials).map(|(settings, _)| settings)
    }

    /// Reads only `[tui]` of the configuration file, if there is one.
    ///
    /// # Errors
    /// Lists every mistake in that section. Other sections are not checked.
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

/// What was read, with its keys, and the warnings about them.
fn with_keys(
    (mut settings, mistakes): (Settings, Vec<Mistake>),
    environment: &Environment,
    credentials: &Path,
) -> Result<(Settings, Vec<String>), SettingsError> {
    let mut remarks = KeyRemarks {
        mistakes,
        ..KeyRemarks::default()
    };
    keys::fetch_keys(&mut settings, environment, credentials, &mut remarks);
    SettingsError::check(remarks.mistakes)?;
    Ok((settings, remarks.warnings))
}

impl ConfigSource {
    /// Uses `chosen` if it is given, else `./zoea.toml`, else `zoea.toml` in the home directory
    /// `home`.
    pub fn new(chosen: Option<PathBuf>, home: &Path) -> Self {
        Self {
            chosen,
            usual: vec![Path::new(".").join(CONFIG_FILE), home.join(CONFIG_FILE)],
            credentials: home.join(CREDENTIALS_FILE),
        }
    }

    /// The same, but the configuration of another home directory comes before all candidates.
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
