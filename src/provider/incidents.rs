//! Incidents: what is kept of an exchange that failed.

use actors::domain::model::ModelFault;
use zoea_grammar::incident::{Incident, IncidentKind};
use zoea_text::redact::Redactor;

use super::probe::RawAnswer;
use super::request::WireChatRequest;

/// The incident of a request that was answered, and whose answer is a fault. Secrets are removed
/// before anything is cut.
pub(super) fn incident_of(
    provider: &str,
    body: &WireChatRequest<'_>,
    raw: RawAnswer,
    fault: &ModelFault,
    secrets: &Redactor,
) -> Incident {
    let clean = |text: &str| secrets.clean(text).into_owned();
    let headers = raw.headers.into_iter();
    Incident {
        kind: IncidentKind::Model,
        at: String::new(),
        server: provider.to_string(),
        failure: clean(fault.text()),
        request: clean(&serde_json::to_string(body).unwrap_or_default()),
        status: raw.status,
        headers: headers.map(|(name, value)| (name, clean(&value))).collect(),
        body: clean(&String::from_utf8_lossy(&raw.body)),
        only_with: String::new(),
    }
}
