//! The labels of lines about Myses: the name, and the process where it is another one.

use actors::domain::event::MysisStatus;

use super::text::MetricLabel;

/// The other process that runs a Mysis; empty if this one does.
pub(super) fn process_of(status: &MysisStatus) -> &str {
    let place = status.elsewhere.as_ref();
    place.map_or("", |place| &place.process)
}

/// The name, and the process if it is another one. Lines without it are those of the process that is
/// asked, so that sums of these over all processes count each Mysis once.
pub(super) fn name_labels(status: &MysisStatus) -> [MetricLabel<'_>; 2] {
    [("mysis", &status.name), ("process", process_of(status))]
}
