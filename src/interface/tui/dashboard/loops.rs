//! Paying loops: how many Myses repeat one, and the keys that take it.

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::order::MysisOrder;
use actors::domain::routine::{CircleOffer, DEFAULT_ROUNDS};
use serde_json::json;

use super::facts::Facts;
use super::keys::{GLOBAL_KEYS, GlobalAction, TARGET_KEYS, TargetAction};
use super::money;
use super::outbox::Outbox;
use super::overlay::question::{ActionToConfirm, ConfirmDialog};
use super::saving::{Saving, loop_of, saving};
use super::text::tone::{StyledLine, Tone};
use super::text::width;
use super::views::OPENING_KEYS;

pub(super) fn all_loops(facts: &Facts) -> Vec<MysisId> {
    let members = facts.roster.members().iter();
    let repeat = members.filter(|(_, member)| loop_of(&member.status).is_some());
    repeat.map(|(id, _)| *id).collect()
}

/// Those of these Myses that repeat a paying loop.
fn offers<'a>(
    facts: &'a Facts,
    ids: &'a [MysisId],
) -> impl Iterator<Item = (&'a MysisStatus, &'a CircleOffer)> {
    ids.iter().filter_map(|id| {
        let status = &facts.roster.get(*id)?.status;
        Some((&**status, loop_of(status)?))
    })
}

/// What the loops of these Myses earned in their last rounds, and what the rounds of their routines save.
fn sum_of_loops(facts: &Facts, ids: &[MysisId]) -> (i64, Saving) {
    let mut sum = (0_i64, Saving::default());
    for (status, offer) in offers(facts, ids) {
        let rounds = u64::from(DEFAULT_ROUNDS);
        let calls = u64::from(offer.calls) * rounds / u64::from(offer.rounds.max(1));
        sum.0 = sum.0.saturating_add(offer.earned);
        sum.1 = sum.1.add(saving(&facts.spending, status, calls));
    }
    sum
}

/// How many repeat a paying loop, the keys that take it, and what that saves.
pub fn loops_line(facts: &Facts, selected: Option<MysisId>) -> StyledLine {
    let ids = all_loops(facts);
    let (looping, all) = (ids.len(), facts.roster.members().len());
    let repeat = if looping == 1 { "repeats" } else { "repeat" };
    let has_selected = selected.is_some_and(|id| ids.contains(&id));
    let take = facts.keymap.key_of(TARGET_KEYS, TargetAction::Routine);
    let take_all = facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::TakeLoops);
    let (keys, short) = match has_selected {
        true => (
            format!("{take} takes it for this one, {take_all} for all"),
            format!("{take} takes it, {take_all} all"),
        ),
        false => (
            format!("{take_all} takes it for all"),
            format!("{take_all} takes all"),
        ),
    };
    let saved = format!(
        "   {DEFAULT_ROUNDS} rounds save {}",
        sum_of_loops(facts, &ids).1.text()
    );
    let (screen, _) = facts.size;
    let room = usize::from(screen).saturating_sub(2);
    let count = format!(" {looping} of {all} {repeat} a paying loop");
    let keys = match width::of(&count) + width::of(&keys) + 2 <= room {
        true => keys,
        false => short,
    };
    let mut line = StyledLine::of(count, Tone::Success).with(format!("; {keys}"), Tone::Hint);
    if width::of(&line.text()) + width::of(&saved) <= room {
        line.push(saved, Tone::Text);
    }
    line
}

/// Asks before the loops of these Myses are taken, with what they earned and what it saves.
///
/// # Errors
/// That none of them repeats one.
pub(super) fn question_to_take(facts: &Facts, ids: &[MysisId]) -> Result<ConfirmDialog, String> {
    let looping = all_loops(facts);
    let ids: Vec<MysisId> = looping.into_iter().filter(|id| ids.contains(id)).collect();
    let count = ids.len();
    if count == 0 {
        let processes = facts.keymap.key_named(&OPENING_KEYS, "processes");
        let text = format!("no Mysis repeats a paying loop ({processes} lists the processes)");
        return Err(text);
    }
    let (earned, saved) = sum_of_loops(facts, &ids);
    let whose = match count {
        1 => format!("{} repeat its loop", facts.name_of(ids[0])),
        _ => format!("{count} Myses repeat their loops"),
    };
    let lines = vec![
        format!("Let {whose} without the model, {DEFAULT_ROUNDS} rounds each?"),
        format!(
            "The last three rounds earned {} credits.",
            money::credits(earned, usize::MAX)
        ),
        format!("Saves {}.", saved.text()),
        "Each stops when its fuel or hull is low, when it earns less than".to_string(),
        "half, and when you send it something.".to_string(),
    ];
    Ok(ConfirmDialog::new(ActionToConfirm::TakeLoops(ids), lines))
}

pub(super) fn take_loops(facts: &Facts, outbox: &mut Outbox, ids: &[MysisId]) {
    let mut by_text: Vec<(String, Vec<MysisId>)> = Vec::new();
    for (status, offer) in offers(facts, ids) {
        let text = json!({ "name": *offer.name }).to_string();
        match by_text.iter_mut().find(|(known, _)| *known == text) {
            Some((_, ids)) => ids.push(status.id),
            None => by_text.push((text, vec![status.id])),
        }
    }
    if by_text.is_empty() {
        return outbox.say("the Mysis has left the loop meanwhile; nothing was started");
    }
    for (text, ids) in by_text {
        let order = MysisOrder::StartRoutine(text.into());
        outbox.order_myses(facts, "start the routine", &ids, &order);
    }
}
