//! The metric of what needs the operator.

use std::collections::BTreeMap;

use actors::domain::ids::Timestamp;
use actors::domain::needs::NeedBook;

use super::text::MetricsPage;

/// Writes how many Myses need the operator, by cause, and the conditions of the whole program that last.
pub(super) fn write(book: &NeedBook, now: Timestamp, page: &mut MetricsPage) {
    let list = book.list(now);
    let help = "Myses that need the operator, by need; 1 for a need of the whole program.";
    page.write_head("zoea_needs", "gauge", help);
    let mut needs: BTreeMap<(&str, &'static str), u64> = BTreeMap::new();
    for need in &list {
        if need.myses.is_empty() {
            needs.insert(("", need.what), 1);
        }
        for mysis in &need.myses {
            let process = mysis.process.as_deref().unwrap_or_default();
            *needs.entry((process, need.what)).or_default() += 1;
        }
    }
    for ((process, cause), count) in needs {
        page.write_line(
            "zoea_needs",
            &[("cause", cause), ("process", process)],
            count,
        );
    }
}
