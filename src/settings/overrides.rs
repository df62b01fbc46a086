//! Overrides: the keys that a variable of the environment outranks.

use super::Settings;
use super::environment::Environment;
use super::mcp::upstream_or_none;
use super::mistake::{Mistake, MistakePlace};
use super::rule::{ValueRule, WebUrl, quote_text};
use super::swarm::MAX_MYSES;

/// What the environment says in place of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Overrides {
    /// `ZOEA_MAX_MYSES`, for `swarm.max_myses`.
    pub(super) max_myses: Option<u32>,
    /// `ZOEA_MCP_ENDPOINT`, for `mcp.upstream`; the empty text means none, as it does there.
    pub(super) upstream: Option<String>,
}

impl Overrides {
    pub(super) fn read(environment: &Environment, mistakes: &mut Vec<Mistake>) -> Self {
        let max_myses = |text: &str| {
            let number = text.trim().parse().ok();
            number
                .and_then(|number| MAX_MYSES.in_range(number))
                .ok_or_else(|| quote_text(text))
        };
        let upstream = |text: &str| WebUrl::UpstreamOrNone.check(text);
        let mut note = |name: &str, found: String, allowed: String| {
            let text = format!("{name} is {found}; allowed: {allowed}");
            mistakes.push(Mistake {
                place: MistakePlace::Environment,
                text,
            });
        };
        let upstream = read_one(environment, "ZOEA_MCP_ENDPOINT", upstream)
            .map_err(|found| note("ZOEA_MCP_ENDPOINT", found, WebUrl::UpstreamOrNone.allowed()));
        let max_myses = read_one(environment, "ZOEA_MAX_MYSES", max_myses)
            .map_err(|found| note("ZOEA_MAX_MYSES", found, MAX_MYSES.allowed()));
        Self {
            max_myses: max_myses.unwrap_or_default(),
            upstream: upstream.unwrap_or_default(),
        }
    }

    pub(super) fn apply(self, settings: &mut Settings) {
        if let Some(max_myses) = self.max_myses {
            settings.swarm.max_myses = max_myses;
        }
        if let Some(upstream) = self.upstream {
            settings.mcp.upstream = upstream_or_none(upstream);
        }
    }
}

fn read_one<T>(
    environment: &Environment,
    name: &str,
    accept: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let Some(value) = environment.get(name) else {
        return Ok(None);
    };
    let text = value.to_str().ok_or("no text (not UTF-8)")?;
    accept(text).map(Some)
}
