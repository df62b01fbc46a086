//! The legend of the signs, a chapter of the help screen.

use super::keys::{Chapter, Help};

const SIGNS: [(&str, &str); 14] = [
    ("⬢ ⬡ ■ ✖", "running, idle, stopped, errored"),
    ("‖ ◌", "paused; waits for a server that is away"),
    ("! ●", "needs you; has words that you have not read"),
    ("◆", "marked for the next order"),
    ("● ◐ ✖ ○", "server: good, in doubt, away, not used yet"),
    ("↻3/20", "a routine runs, in round 3 of 20"),
    ("~43/75", "the level may have changed since"),
    ("+?", "a part of the sum has no known price"),
    ("⚙ ✓ ✗", "tool call, its result, refused or failed"),
    ("┊", "reasoning of the model"),
    ("▾ ▸", "open, folded; on an axis: your orders"),
    ("×3", "the same three times"),
    ("▲ ▼", "a rate that rises, or falls"),
    ("+3 ~2", "of a request: message 3 is new, 2 has changed"),
];

pub(super) fn chapter() -> Chapter {
    let lines = SIGNS.iter().map(|(signs, help)| Help {
        keys: (*signs).to_string(),
        help,
    });
    Chapter {
        title: "The signs",
        lines: lines.collect(),
    }
}
