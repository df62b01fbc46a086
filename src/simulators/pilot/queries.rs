//! The tools that only look.

pub(super) const ROUTINE_TOOL: &str = "zoea_routine_start";

/// Whether the tool leaves the world as it is.
pub(super) fn is_query(tool: &str) -> bool {
    const QUERIES: [&str; 9] = [
        "get_",
        "view_",
        "captains_log",
        "zoea_",
        "find_",
        "search_",
        "estimate",
        "help",
        "catalog",
    ];
    tool != ROUTINE_TOOL && QUERIES.iter().any(|start| tool.starts_with(start))
}
