//! The labels of lines about Myses: the name, and the process where it is another one.

use actors::domain::event::MysisStatus;

use super::text::MetricLabel;

/// The other process that runs a Mysis; `None` if this one does.
pub(super) fn process_of(status: &MysisStatus) -> Option<&str> {
    status.elsewhere.as_ref().map(|place| &*place.process)
}

/// A label, and the process if it is another one. Lines without it are those of the process that is
/// asked, so that sums of these over all processes count each Mysis once.
pub(super) fn with_process<'a>(
    label: MetricLabel<'a>,
    process: Option<&'a str>,
) -> Vec<MetricLabel<'a>> {
    let process = process.map(|process| ("process", process));
    std::iter::once(label).chain(process).collect()
}

pub(super) fn name_labels(status: &MysisStatus) -> Vec<MetricLabel<'_>> {
    with_process(("mysis", &*status.name), process_of(status))
}
