//! Arguments that several tools share: a count, and a Mysis by its name.

use actors::domain::ids::MysisId;
use zoea_settings::bounds::MAX_INTEGER;

use crate::interface::swarm::Swarm;

/// Reads a count of at most `highest`; 0 means all.
pub(super) fn read_count(
    name: &str,
    given: Option<u64>,
    usual: u64,
    highest: u64,
) -> Result<usize, String> {
    let count = match given {
        None => usual,
        Some(0) => MAX_INTEGER,
        Some(count) if count <= highest => count,
        Some(_) => return Err(format!("`{name}` is at most {highest}; 0 asks for all")),
    };
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

pub(super) async fn find_mysis(
    swarm: &Swarm,
    name: Option<String>,
) -> Result<Option<MysisId>, String> {
    let Some(name) = name else {
        return Ok(None);
    };
    swarm.id_of(&name).await.map(Some)
}
