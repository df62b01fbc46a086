//! `[traces]`: where spans are brought, if anywhere.

use super::rule::{BooleanRule, WebUrl};
use super::section::Section;

/// The OpenTelemetry collector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceSettings {
    /// Its address for OTLP over HTTP; none: no spans are made.
    pub endpoint: Option<String>,
    /// Whether spans carry what was said: words, arguments, results.
    pub contents: bool,
}

impl TraceSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            endpoint: section.read("endpoint", &WebUrl::Address),
            contents: section.read("contents", &BooleanRule).unwrap_or_default(),
        }
    }
}
