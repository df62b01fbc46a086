//! Incidents: what is kept of an exchange that failed.

use actors::domain::model::ModelFault;
use zoea_grammar::incident::{Incident, IncidentKind};
use zoea_http::kept::RawAnswer;
use zoea_text::redact::Redactor;

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
    let request = serde_json::to_string(body).unwrap_or_default();
    let clean = |text: &str| secrets.clean(text).into_owned();
    let received = raw.clean_body(clean);
    let answer = (raw.status, raw.headers, received.as_bytes());
    let kind = IncidentKind::Model;
    Incident::of_exchange(kind, provider, fault.text(), &request, answer, clean)
}
