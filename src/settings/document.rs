//! The document: one configuration file, from its bytes to settings or to all of its mistakes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use toml::de::DeTable;

use super::alerts::AlertSettings;
use zoea_system::files;

use super::budget::BudgetSettings;
use super::findings::{Findings, LocatedMistake};
use super::listen::{ControlSettings, MetricsSettings};
use super::mcp::McpSettings;
use super::mistake::{Mistake, MistakePlace};
use super::overrides::Overrides;
use super::progress::ProgressSettings;
use super::provider::{DEFAULT_NAME, ProviderSettings};
use super::reports::ReportSettings;
use super::section::Section;
use super::store::StoreSettings;
use super::supervision::SupervisionSettings;
use super::swarm::SwarmSettings;
use super::traces::TraceSettings;
use super::tui::TuiSettings;
use super::{Settings, roster};

/// More than any configuration; what is longer is something else.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The text of the file.
pub(super) fn read_file(file: &Path) -> Result<String, Mistake> {
    let whole = |text: String| Mistake {
        place: MistakePlace::File(file.to_owned()),
        text,
    };
    let mut bytes = Vec::new();
    files::open_regular(file)
        .and_then(|opened| opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| whole(format!("the configuration cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(whole(
            "longer than any configuration; allowed: up to 4MiB".to_owned(),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let start = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
        let text = "not UTF-8 text, as TOML has to be".to_owned();
        Mistake {
            place: MistakePlace::of_offset(file, &start, good),
            text,
        }
    })
}

/// The settings that `text`, which `file` holds, and the overrides make; and every mistake in it.
pub(super) fn parse(file: &Path, text: &str, overrides: Overrides) -> (Settings, Vec<Mistake>) {
    visit_root(file, text, |mut root| {
        let settings = read_settings(&mut root, overrides);
        root.finish();
        settings
    })
}

/// What `text`, which `file` holds, says of the terminal, and every mistake in that. The other
/// sections are not looked at.
pub(super) fn parse_tui(file: &Path, text: &str) -> (TuiSettings, Vec<Mistake>) {
    visit_root(file, text, |mut root| {
        root.section("tui", TuiSettings::read)
    })
}

fn visit_root<T: Default>(
    file: &Path,
    text: &str,
    read: impl FnOnce(Section<'_, '_>) -> T,
) -> (T, Vec<Mistake>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut findings = Findings::default();
    let settings = match DeTable::parse(text) {
        Ok(table) => read(Section::root(table.get_ref(), &mut findings)),
        Err(error) => {
            let at = error.span().map(|span| span.start);
            findings.note(at, format!("not TOML: {}", error.message()));
            T::default()
        }
    };
    let placed = |LocatedMistake { at, text: sentence }| Mistake {
        place: at.map_or_else(
            || MistakePlace::File(file.to_owned()),
            |at| MistakePlace::of_offset(file, text, at),
        ),
        text: sentence,
    };
    (
        settings,
        findings.into_mistakes().into_iter().map(placed).collect(),
    )
}

/// The settings of a table; no table at all gives the defaults.
fn read_settings(root: &mut Section<'_, '_>, overrides: Overrides) -> Settings {
    let (names, providers) = read_providers(root);
    let mut settings = Settings {
        providers,
        swarm: root.section("swarm", |section| SwarmSettings::read(section, &names)),
        mcp: root.section("mcp", McpSettings::read),
        supervision: root.section("supervision", SupervisionSettings::read),
        budget: root.section("budget", BudgetSettings::read),
        progress: root.section("progress", |section| {
            ProgressSettings::read(section, &names)
        }),
        control: root.section("control", ControlSettings::read),
        metrics: root.section("metrics", MetricsSettings::read),
        traces: root.section("traces", TraceSettings::read),
        alerts: root.section("alerts", AlertSettings::read),
        reports: root.section("reports", ReportSettings::read),
        store: root.section("store", StoreSettings::read),
        tui: root.section("tui", TuiSettings::read),
        myses: roster::read(root, &names),
    };
    overrides.apply(&mut settings);
    check_roster_fits(root, &settings);
    settings
}

/// The names of all providers, and those that could be read; `local` alone if the text names none.
fn read_providers(root: &mut Section<'_, '_>) -> (Vec<String>, BTreeMap<String, ProviderSettings>) {
    let mut names = root.names_in("providers");
    let providers = root.each_named("providers", |name, section| {
        (
            name.to_owned(),
            ProviderSettings::read(section, name, &names),
        )
    });
    let mut providers = BTreeMap::from_iter(providers);
    if names.is_empty() {
        names.push(DEFAULT_NAME.to_owned());
        providers.insert(DEFAULT_NAME.to_owned(), ProviderSettings::default());
    }
    (names, providers)
}

/// Judged only where everything else is right, for a wrong limit would make a second mistake of one.
fn check_roster_fits(root: &mut Section<'_, '_>, settings: &Settings) {
    let (count, most) = (settings.myses.len(), settings.swarm.max_myses);
    if count > most as usize && root.is_clean() {
        let allowed = format!("up to {most}, the limit that swarm.max_myses sets");
        root.reject("myses", &format!("a list of {count}"), &allowed);
    }
}
