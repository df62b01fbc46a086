//! Settings: where every value that an operator can choose is read and checked.
//!
//! Every section of the configuration is a file here, in one shape: what it holds, its defaults, how
//! it is read. All mistakes of a configuration are found in one go.

mod alerts;
pub mod bounds;
mod budget;
mod defaults;
mod document;
mod environment;
mod findings;
mod keys;
mod listen;
mod mcp;
mod mistake;
mod nearest;
mod overrides;
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
mod template;
mod traces;
mod tui;
mod unheeded;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use alerts::AlertSettings;
pub use budget::BudgetSettings;
pub use environment::Environment;
pub use listen::{ControlSettings, MetricsSettings};
pub use mcp::McpSettings;
pub use mistake::{Mistake, MistakePlace, SettingsError};
pub use progress::ProgressSettings;
pub use prompt::check_prompt;
pub use provider::{KeySource, PriceSettings, ProviderKind, ProviderSettings};
pub use reports::{DailyReport, ReportSettings};
pub use roster::DeclaredMysis;
pub use secret::Secret;
pub use store::StoreSettings;
pub use supervision::{Backoff, RelaunchSetting, SupervisionSettings};
pub use swarm::SwarmSettings;
pub use template::template;
pub use traces::TraceSettings;
pub use tui::TuiSettings;

use overrides::Overrides;
use rule::{ListRule, Time};

/// The name of the configuration file, in the current directory or in a home directory.
pub const CONFIG_FILE: &str = "zoea.toml";

/// The name of the file in a home directory that holds providers' keys.
pub const CREDENTIALS_FILE: &str = "credentials.json";

/// The waits before each further try; an empty list means a single try.
const RETRY_RULE: ListRule<Time> = ListRule {
    count: 0..=100,
    item: Time::FromZero,
};

/// Every value that an operator can choose. Two of them can be compared to see what a reload changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How many Myses there may be and how their turns run.
    pub swarm: SwarmSettings,
    /// The chat endpoints, by name; at least one.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// The upstream MCP server.
    pub mcp: McpSettings,
    /// What happens when a Mysis has failed.
    pub supervision: SupervisionSettings,
    /// What may be spent.
    pub budget: BudgetSettings,
    /// How a Mysis is watched that gets nowhere.
    pub progress: ProgressSettings,
    /// The control interface.
    pub control: ControlSettings,
    /// The metrics server.
    pub metrics: MetricsSettings,
    /// Where spans are brought.
    pub traces: TraceSettings,
    /// Who is told when somebody needs the operator.
    pub alerts: AlertSettings,
    /// Which reports are written by the running program.
    pub reports: ReportSettings,
    /// Where conversations are kept.
    pub store: StoreSettings,
    /// How the terminal looks.
    pub tui: TuiSettings,
    /// The Myses that exist after launch; at most `swarm.max_myses`.
    pub myses: Vec<DeclaredMysis>,
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
        Self {
            swarm: SwarmSettings::default(),
            providers: [(
                provider::DEFAULT_NAME.to_owned(),
                ProviderSettings::default(),
            )]
            .into(),
            mcp: McpSettings::default(),
            supervision: SupervisionSettings::default(),
            budget: BudgetSettings::default(),
            progress: ProgressSettings::default(),
            control: ControlSettings::default(),
            metrics: MetricsSettings::default(),
            traces: TraceSettings::default(),
            alerts: AlertSettings::default(),
            reports: ReportSettings::default(),
            store: StoreSettings::default(),
            tui: TuiSettings::default(),
            myses: Vec::new(),
        }
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
        let mut of_environment = Vec::new();
        let overrides = Overrides::read(environment, &mut of_environment);
        let file = source.find_file();
        let (mut settings, mut mistakes) = match &file {
            Some(file) => Self::read(file, overrides),
            None => document::parse(Path::new(CONFIG_FILE), "", overrides),
        };
        let remarks = keys::fetch_keys(&mut settings.providers, environment, &source.credentials);
        mistakes.extend(remarks.mistakes);
        let mut warnings = remarks.warnings;
        warnings.extend(keys::fetch_token(&mut settings.alerts, environment));
        mistakes.extend(of_environment);
        if mistakes.is_empty() {
            Ok(LoadedSettings {
                settings,
                file,
                warnings,
            })
        } else {
            Err(SettingsError { mistakes })
        }
    }

    /// Whether any provider has a price.
    #[must_use]
    pub fn has_price(&self) -> bool {
        self.providers.values().any(|of| of.price.is_some())
    }

    /// Reads `[tui]` alone of the configuration file, if there is one.
    ///
    /// # Errors
    /// Lists every mistake in that section; what stands in others is not looked at.
    pub fn load_tui(source: &ConfigSource) -> Result<TuiSettings, SettingsError> {
        let Some(file) = source.find_file() else {
            return Ok(TuiSettings::default());
        };
        let (tui, mistakes) = match document::read_file(&file) {
            Ok(text) => document::parse_tui(&file, &text),
            Err(mistake) => (TuiSettings::default(), vec![mistake]),
        };
        if mistakes.is_empty() {
            return Ok(tui);
        }
        Err(SettingsError { mistakes })
    }

    fn read(file: &Path, overrides: Overrides) -> (Self, Vec<Mistake>) {
        match document::read_file(file) {
            Ok(text) => document::parse(file, &text, overrides),
            Err(mistake) => (Self::default(), vec![mistake]),
        }
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
