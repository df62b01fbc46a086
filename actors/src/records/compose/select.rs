//! Selection: which rows a request contains (DESIGN 5.3), and where its continuation is (DESIGN
//! 5.7).

use std::sync::Arc;

use crate::ids::{MissionId, Seq};
use crate::message::RowBody;

use super::part::{OrderKind, RequestPart, Results, Unit, collect_units};
use super::{Composition, TurnOwner};

/// The result of the selection.
pub(super) struct Selected {
    /// The parts in order. At least one of them is an order.
    pub(super) parts: Vec<RequestPart>,
    /// Whether they contain a continuation.
    pub(super) continued: bool,
}

/// Selects the last loop before the turn, the owner, and everything since.
pub(super) fn select_parts(composition: &Composition<'_>) -> Selected {
    let rows = composition.conversation.rows();
    let selection = Selection {
        composition,
        results: Results::of(rows.clone()),
        units: collect_units(rows),
    };
    let mut selected = match composition.owner {
        TurnOwner::Prompt(seq) => selection.of_prompt(*seq),
        TurnOwner::Mission { id, text } => selection.of_turn(text, Some(*id)),
        TurnOwner::Nudge(text) => selection.of_turn(text, None),
    };
    let ends_well = matches!(
        selected.parts.last(),
        Some(RequestPart::Order(_) | RequestPart::Loop(_))
    );
    let has_order = selected
        .parts
        .iter()
        .any(|part| matches!(part, RequestPart::Order(_)));
    if !ends_well || !has_order {
        selected.parts.push(continuation_part(composition));
        selected.continued = true;
    }
    selected
}

/// The continuation.
fn continuation_part(composition: &Composition<'_>) -> RequestPart {
    let text = composition.continuation.into();
    RequestPart::from_order(text, OrderKind::Continuation, false)
}

struct Selection<'a> {
    composition: &'a Composition<'a>,
    results: Results<'a>,
    units: Vec<Unit<'a>>,
}

impl Selection<'_> {
    /// Selects everything since a direct message, and the last loop before it.
    fn of_prompt(&self, owner: Seq) -> Selected {
        let first = self.units.partition_point(|unit| unit.place < owner);
        let (before, since) = self.units.split_at(first);
        let mut parts = Vec::with_capacity(since.len() + 2);
        parts.extend(self.last_loop(before));
        let continued = self.continue_with(&mut parts, since, Some(owner));
        Selected { parts, continued }
    }

    /// Adds the units of the turn and the continuation. Returns whether there is a continuation.
    fn continue_with(
        &self,
        parts: &mut Vec<RequestPart>,
        since: &[Unit<'_>],
        owner: Option<Seq>,
    ) -> bool {
        let continued = self.continues_at(since);
        for (place, unit) in since.iter().enumerate() {
            if continued == Some(place) {
                parts.push(continuation_part(self.composition));
            }
            parts.extend(
                self.results
                    .part_of_unit(*unit, Some(unit.row.seq) == owner),
            );
        }
        continued.is_some()
    }

    /// The position of the continuation. It is where this turn follows the reply that ended an
    /// earlier one, or where a message of this turn follows a reply. It stays there for the whole
    /// turn, even if an order came while the model was thinking, because that is where it was in
    /// the earlier requests.
    fn continues_at(&self, since: &[Unit<'_>]) -> Option<usize> {
        let turn = self.composition.turn;
        let follows_reply = |place: &usize| *place > 0 && since[*place - 1].is_reply();
        let first = since.iter().position(|unit| unit.turn() >= turn);
        first.filter(follows_reply).or_else(|| {
            (0..since.len())
                .filter(|place| since[*place].turn() >= turn && !since[*place].is_order())
                .find(follows_reply)
        })
    }

    /// Selects what belongs to a turn whose owner is a mission or a nudge, the last loop before it,
    /// and the reply that ended the turn before.
    fn of_turn(&self, owner: &Arc<str>, mission: Option<MissionId>) -> Selected {
        let turn = self.composition.turn;
        let first = self
            .units
            .iter()
            .position(|unit| unit.turn() >= turn)
            .unwrap_or(self.units.len());
        let (before, since) = self.units.split_at(first);
        let (before, ending) = match before.split_last() {
            Some((last, rest)) if last.is_reply() => (rest, Some(*last)),
            Some(_) | None => (before, None),
        };
        let mut parts = Vec::with_capacity(since.len() + 3);
        parts.extend(self.last_loop(before));
        parts.extend(ending.and_then(|unit| self.results.part_of_unit(unit, false)));
        let kind = match self.composition.owner {
            TurnOwner::Mission { .. } => OrderKind::Mission,
            TurnOwner::Prompt(_) | TurnOwner::Nudge(_) => OrderKind::Nudge,
        };
        parts.push(RequestPart::from_order(owner.clone(), kind, true));
        let since = since
            .iter()
            .filter(|unit| !delivers_mission(**unit, mission));
        let since: Vec<Unit<'_>> = since.copied().collect();
        let continued = self.continue_with(&mut parts, &since, None);
        Selected { parts, continued }
    }

    /// The newest loop in which each call has a result.
    fn last_loop(&self, before: &[Unit<'_>]) -> Option<RequestPart> {
        let found = before.iter().rev();
        let found = found
            .copied()
            .find(|unit| self.results.is_complete(*unit))?;
        self.results.part_of_unit(found, false)
    }
}

/// Whether a unit is the delivery of this turn's mission.
fn delivers_mission(unit: Unit<'_>, mission: Option<MissionId>) -> bool {
    matches!(&unit.row.body, RowBody::Mission { id, .. } if Some(*id) == mission)
}
