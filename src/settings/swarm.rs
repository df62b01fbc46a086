//! `[swarm]`: how many Myses there may be and how their turns run.

use std::time::Duration;

use actors::domain::rules::DEFAULT_NUDGES;

use super::rule::{BooleanRule, ByteSize, ListRule, NonEmptyText, ProviderName, Time, WholeNumber};
use super::section::Section;

/// How many Myses there may be and how their turns run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwarmSettings {
    /// The most Myses of this home, 1 to 10000. `ZOEA_MAX_MYSES` overrides it.
    pub max_myses: u32,
    /// The provider of Myses that name none; always one of `providers`.
    pub default_provider: String,
    /// The pause between two turns of a Mysis.
    pub turn_pause: Duration,
    /// Model calls in one turn, 1 to 100; reaching it ends the turn.
    pub max_tool_iterations: u32,
    /// Sendable rows scanned for a direct message, 1 to 1000.
    pub context_window: u32,
    /// Bytes of one request's messages as compact JSON, 8 KiB to 16 MiB; tools are not counted.
    pub context_budget: u64,
    /// What a Mysis without orders is told, in this order, before it goes idle; 1 to 20 texts.
    pub nudges: Vec<String>,
    /// Turns without progress after which a Mysis and the operator are told, 1 to 1000.
    pub no_progress_turns: u32,
    /// Whether a Mysis may search the histories of others.
    pub search_others: bool,
    /// Whether `run` starts those that were running when the program ended.
    pub resume: bool,
}

/// The rule of `max_myses`, which the environment can override.
pub(super) const MAX_MYSES: WholeNumber<u32> = WholeNumber::between(1, 10_000);

impl Default for SwarmSettings {
    fn default() -> Self {
        Self {
            max_myses: 16,
            default_provider: super::provider::DEFAULT_NAME.to_owned(),
            turn_pause: Duration::from_secs(2),
            max_tool_iterations: 10,
            context_window: 20,
            context_budget: 64 << 10,
            nudges: DEFAULT_NUDGES.map(Into::into).to_vec(),
            no_progress_turns: 5,
            search_others: true,
            resume: false,
        }
    }
}

impl SwarmSettings {
    /// `providers` are the names that may be the default.
    pub(super) fn read(section: &mut Section<'_, '_>, providers: &[String]) -> Self {
        const BUDGET: ByteSize = ByteSize::between((8 << 10, "8KiB"), (16 << 20, "16MiB"));
        let default = Self::default();
        let whole = |highest| WholeNumber::between(1, highest);
        Self {
            max_myses: section
                .read("max_myses", &MAX_MYSES)
                .unwrap_or(default.max_myses),
            default_provider: read_default_provider(section, providers),
            turn_pause: section
                .read("turn_pause", &Time::FromZero)
                .unwrap_or(default.turn_pause),
            max_tool_iterations: section
                .read("max_tool_iterations", &whole(100))
                .unwrap_or(default.max_tool_iterations),
            context_window: section
                .read("context_window", &whole(1000))
                .unwrap_or(default.context_window),
            context_budget: section
                .read("context_budget", &BUDGET)
                .unwrap_or(default.context_budget),
            nudges: section
                .read(
                    "nudges",
                    &ListRule {
                        count: 1..=20,
                        item: NonEmptyText,
                    },
                )
                .unwrap_or(default.nudges),
            no_progress_turns: section
                .read("no_progress_turns", &whole(1000))
                .unwrap_or(default.no_progress_turns),
            search_others: section
                .read("search_others", &BooleanRule)
                .unwrap_or(default.search_others),
            resume: section
                .read("resume", &BooleanRule)
                .unwrap_or(default.resume),
        }
    }
}

/// The one that is named; else the only one, or the one that is called `local`.
fn read_default_provider(section: &mut Section<'_, '_>, providers: &[String]) -> String {
    const KEY: &str = "default_provider";
    let known = providers.iter().map(String::as_str).collect();
    let rule = ProviderName {
        known,
        noun: "provider",
    };
    let local = super::provider::DEFAULT_NAME;
    match providers {
        [only] => section.read(KEY, &rule).unwrap_or_else(|| only.clone()),
        several if several.iter().any(|name| name == local) => {
            section.read(KEY, &rule).unwrap_or_else(|| local.to_owned())
        }
        _ => section.require(KEY, &rule).unwrap_or_default(),
    }
}
