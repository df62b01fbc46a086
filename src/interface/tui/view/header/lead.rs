//! What the header says first: how it goes, and who needs the operator.

use actors::domain::needs::{ListedNeed, shown_need};
use actors::domain::standing::StandingKind;
use zoea_text::clean::one_line;

use super::GAP;
use crate::dashboard::facts::Facts;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::verdict::verdict;

/// The most columns of the name of who needs the operator.
const MAX_NAME_COLUMNS: usize = 24;

/// How it goes, and who needs the operator, in so many columns: names and reasons give way to figures.
pub(super) fn lead(facts: &Facts, room: usize) -> [Option<StyledLine>; 2] {
    let verdict = verdict(facts);
    let forms = [
        (verdict.line(), needs_text(facts)),
        (verdict.line(), need_count_text(facts)),
        (verdict.short_line(), need_count_text(facts)),
    ];
    let fits = |(line, needs): &(StyledLine, Option<StyledLine>)| {
        let needs = needs
            .as_ref()
            .map_or(0, |it| width::of(&it.text()) + GAP.len());
        width::of(&line.text()) + needs <= room
    };
    let [_, _, shortest] = forms.clone();
    let (line, needs) = forms.into_iter().find(fits).unwrap_or(shortest);
    [Some(line), needs]
}

fn need_count_text(facts: &Facts) -> Option<StyledLine> {
    let needs = facts.need_count();
    let line = StyledLine::of(format!("! {needs}"), Tone::Warning);
    (needs > 0).then(|| line.with(" need you", Tone::Dim))
}

pub(super) fn needs_text(facts: &Facts) -> Option<StyledLine> {
    let count = need_count_text(facts)?;
    let needs = facts.need_count();
    let first = facts.needs.first()?;
    // Of one need that all have, what it is tells more than how many they are.
    let first = match first.count() == needs && needs > 1 {
        true => word_of(first).to_string(),
        false => format!("{} {}", first.whose(), word_of(first)),
    };
    let first = width::clip(&one_line(&first), MAX_NAME_COLUMNS).into_owned();
    Some(count.with(": ", Tone::Dim).with(first, Tone::Warning))
}

/// What a need is: in the word of its line, and in one of its own where the line is a sentence of the program.
fn word_of(need: &ListedNeed) -> &str {
    match need.standing {
        None => shown_need(need.what),
        Some(StandingKind::StoreTrouble) => "no writes",
        Some(StandingKind::NothingMoves) => "nothing moves",
        Some(StandingKind::LittleRoom) => "disk almost full",
        Some(StandingKind::SecretMissing) => "secret missing",
    }
}
