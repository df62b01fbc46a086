//! The questions before an order that stops, deletes or costs much.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use zoea_text::figures::group_digits;

use crate::dashboard::facts::Facts;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::overlay::composer::note_tokens;
use crate::dashboard::overlay::question::{ActionToConfirm, ConfirmDialog, NumberToType};

/// The most tokens that a note adds to every request without a question.
const MAX_QUIET_NOTE_TOKENS: u64 = 1_000;
const MOST_DELETED_BY_KEY: usize = 3;

/// The question before a note that makes every request much longer; `None` if it does not.
pub(crate) fn about_note(ids: &[MysisId], text: &Arc<str>) -> Option<ConfirmDialog> {
    if note_tokens(text) <= MAX_QUIET_NOTE_TOKENS {
        return None;
    }
    let (tokens, count) = (group_digits(note_tokens(text)), ids.len());
    let lines = vec![
        format!("Add about {tokens} tokens to every request?"),
        match count {
            1 => "The note stays until it is cleared.".to_string(),
            _ => format!("The note stays with {count} Myses until it is cleared."),
        },
    ];
    let about = ActionToConfirm::Note(ids.to_vec(), text.clone());
    Some(ConfirmDialog::new(about, lines))
}

/// Whether these Myses shall be deleted; `None` if there are none. More than three, or one that runs, are confirmed by typing
/// their number.
pub(crate) fn about_deletion(facts: &Facts, ids: Vec<MysisId>) -> Option<ConfirmDialog> {
    let running = facts.roster.running_among(&ids);
    let names = facts.names_of(&ids);
    let mut lines = Vec::new();
    match (ids.len(), running) {
        (0, _) => return None,
        (1, 0) => lines.push(format!("Delete {names}?")),
        (1, _) => lines.push(format!("Delete the running {names}?")),
        (count, running) => {
            let run = match running {
                0 => "none of them runs".to_string(),
                1 => "1 of them runs".to_string(),
                running => format!("{running} of them run"),
            };
            lines.push(format!("Delete {count} Myses? {run}."));
            lines.push(names);
        }
    }
    let key = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Undo);
    lines.push(format!(
        "The conversation goes with it. {key} brings it back for a day."
    ));
    lines.push("A game account returns to the pool.".to_string());
    let is_heavy = running > 0 || ids.len() > MOST_DELETED_BY_KEY;
    Some(ConfirmDialog {
        number: is_heavy.then(|| NumberToType::new(ids.len())),
        ..ConfirmDialog::new(ActionToConfirm::Delete(ids), lines)
    })
}

/// Whether these Myses shall be stopped, of which the filter hides so many.
pub(crate) fn about_stop(facts: &Facts, ids: Vec<MysisId>, hidden: usize) -> ConfirmDialog {
    let mut lines = lines_about(facts, "Stop", &ids, hidden);
    lines.push("Each is stopped at once, in the middle of its turn.".to_string());
    ConfirmDialog::new(ActionToConfirm::Stop(ids), lines)
}

/// Whether these Myses shall be started, of which the filter hides so many.
pub(crate) fn about_start(facts: &Facts, ids: Vec<MysisId>, hidden: usize) -> ConfirmDialog {
    let lines = lines_about(facts, "Start", &ids, hidden);
    ConfirmDialog::new(ActionToConfirm::Start(ids), lines)
}

/// Whether the servers that these Myses wait for shall be tried at once.
pub(crate) fn about_trying_now(facts: &Facts, ids: Vec<MysisId>, hidden: usize) -> ConfirmDialog {
    let lines = lines_about(facts, "Try now the servers of", &ids, hidden);
    ConfirmDialog::new(ActionToConfirm::TryNow(ids), lines)
}

/// What shall be done with whom, and how many of them the filter hides.
fn lines_about(facts: &Facts, verb: &str, ids: &[MysisId], hidden: usize) -> Vec<String> {
    let names = facts.names_of(ids);
    let mut lines = match ids.len() {
        1 => vec![format!("{verb} {names}?")],
        count => vec![format!("{verb} {count} Myses?"), names],
    };
    match (hidden, ids.len()) {
        (0, _) => {}
        (1, 1) => lines.push("It is marked, and the filter hides it.".to_string()),
        (hidden, all) if hidden == all => {
            lines.push("They are marked, and the filter hides them.".to_string())
        }
        (hidden, _) => lines.push(format!("The filter hides {hidden} of them.")),
    }
    lines
}

pub(crate) fn about_thaw(facts: &Facts) -> ConfirmDialog {
    let who = match facts.roster.running_here() {
        1 => "1 Mysis runs and continues where it paused.".to_string(),
        running => format!("{running} Myses run and continue where they paused."),
    };
    let lines = vec!["Thaw the swarm?".to_string(), who];
    ConfirmDialog::new(ActionToConfirm::Thaw, lines)
}

/// The question before quitting; `None` if no Mysis runs here.
pub(crate) fn about_quitting(facts: &Facts) -> Option<ConfirmDialog> {
    let all = facts.roster.counts().running;
    let running = facts.roster.running_here();
    let who = match (running, all == running) {
        (0, _) => return None,
        (1, true) => "1 Mysis runs, and stops with the program.".to_string(),
        (running, true) => format!("{running} Myses run, and stop with the program."),
        (running, false) => format!(
            "{running} of {all} Myses run here. They stop, or another process takes them up."
        ),
    };
    let lines = vec![
        format!("Quit? {who}"),
        "Requests already sent are awaited; nothing is lost.".to_string(),
        "h: they continue without a terminal; `zoea attach` shows them.".to_string(),
    ];
    Some(ConfirmDialog::new(ActionToConfirm::Quit, lines))
}

/// The question before the process is suspended to the shell; `None` if no Mysis runs here, which would stand still.
pub(crate) fn about_suspending(facts: &Facts) -> Option<ConfirmDialog> {
    let who = match facts.roster.running_here() {
        0 => return None,
        1 => "the one Mysis that runs here".to_string(),
        running => format!("all {running} Myses that run here"),
    };
    let key = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Suspend);
    let lines = vec![
        format!("Suspend? This stops {who} until `fg`."),
        "Calls in flight may end with an unknown outcome meanwhile.".to_string(),
        "h: close this terminal and keep them running; `zoea attach` opens another.".to_string(),
        format!("{key} again: stop."),
    ];
    Some(ConfirmDialog::new(ActionToConfirm::Suspend, lines))
}
