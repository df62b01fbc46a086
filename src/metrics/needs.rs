//! The metric of what needs the operator.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::needs::operator_need;
use actors::domain::standing::StandingConditions;

use super::labels::{process_of, with_process};
use super::text::MetricsPage;

/// Writes how many Myses need the operator, by cause, and the conditions of the whole program that last.
pub(super) fn write<'a>(
    statuses: impl Iterator<Item = &'a Arc<MysisStatus>>,
    standing: &StandingConditions,
    page: &mut MetricsPage,
) {
    let help = "Myses that need the operator, by what is the matter; 1 for the whole program.";
    page.write_head("zoea_needs", "gauge", help);
    let mut needs: BTreeMap<(Option<&str>, &'static str), u64> = BTreeMap::new();
    for (kind, _) in standing.iter() {
        needs.insert((None, kind.code()), 1);
    }
    for of in statuses {
        if let Some(need) = operator_need(of) {
            *needs.entry((process_of(of), need.what)).or_default() += 1;
        }
    }
    for ((process, cause), count) in needs {
        let labels = with_process(("cause", cause), process);
        page.write_line("zoea_needs", &labels, count);
    }
}
