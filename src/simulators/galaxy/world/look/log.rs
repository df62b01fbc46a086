//! Reading the captain's log.

use serde_json::json;

use super::super::{
    CommandArguments, GameAnswer, GameRefusal, World, log::MAX_LOG_ENTRIES, player::PlayerAccount,
};

pub(crate) fn captains_log_get(
    _: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let index = read_index(arguments)?.ok_or_else(|| {
        GameRefusal::invalid_payload(
            "Must specify 'index'. 0 is the newest entry. Example: {\"index\": 0}",
        )
    })?;
    player.log.entry_json(index).ok_or_else(no_entry)
}

pub(crate) fn captains_log_list(
    _: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let index = read_index(arguments)?.unwrap_or_default();
    let total = player.log.len();
    let mut answer = json!({
        "index": index,
        "total_count": total,
        "max_entries": MAX_LOG_ENTRIES,
        "has_next": index + 1 < total,
        "has_prev": index > 0 && total > 0,
    });
    match player.log.entry_json(index) {
        Some(entry) => answer["entry"] = entry,
        // An empty log has no first entry, and asking for it is no error.
        None if index == 0 => {}
        None => return Err(no_entry()),
    }
    Ok(answer)
}

fn read_index(arguments: CommandArguments) -> Result<Option<usize>, GameRefusal> {
    let index = arguments.number("index")?;
    index
        .map(|index| {
            let index = usize::try_from(index).map_err(|_| no_entry())?;
            Some(index)
                .filter(|index| *index < MAX_LOG_ENTRIES)
                .ok_or_else(no_entry)
        })
        .transpose()
}

fn no_entry() -> GameRefusal {
    GameRefusal::new(
        "invalid_index",
        "No log entry at this index. 0 is the newest entry.",
    )
}
