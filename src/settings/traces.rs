//! `[traces]`: the collector of spans, if there is one.

use super::rule::{boolean, non_empty_text, server_url};
use super::table::section;

section! {
    /// The OpenTelemetry collector.
    pub struct TraceSettings {
        optional endpoint: Option<String> = "http://127.0.0.1:4318", server_url(),
            "Its address for OTLP over HTTP; none: no spans are made.";
        default contents: bool = false, boolean(),
            "Whether spans carry what was said: words, arguments, results.";
        /// What this swarm is called there (service.name), so that several can share a collector.
        default service: String = "zoea", non_empty_text();
    }
}
