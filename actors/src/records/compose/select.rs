//! Selection: which rows a request contains (docs/design/requests.md), and where its continuations are (docs/design/requests.md).
//!
//! Within a turn, requests grow at their end: what one contained stands at the beginning of the
//! next.

use std::sync::Arc;

use crate::ids::{MissionId, Seq, TurnNumber};
use crate::message::RowBody;

use super::budget::{self, Caps};
use super::earlier::{EarlierTurns, SentPart};
use super::part::{OrderKind, RequestPart, Results, Unit, collect_units};
use super::{Composition, Conversation, TurnOwner, render};

/// Stands between two turns of a mission, where one ended with words and the next begins with a
/// message of the model.
pub const GO_ON_TEXT: &str = "Go on with your orders.";

pub(super) struct Selected {
    /// The parts in order. At least one of them is an order.
    pub(super) parts: Vec<RequestPart>,
    /// Whether they contain a continuation of this turn.
    pub(super) continued: bool,
}

/// Selects the owner, the turn, and what stands before it: the earlier turns of a mission, as far
/// as they have room in so many bytes, else the last loop.
pub(super) fn select_parts(composition: &Composition<'_>, room: usize) -> Selected {
    let rows = composition.conversation.rows();
    let selection = Selection {
        composition,
        results: Results::of(rows.clone(), composition.names),
        units: collect_units(rows),
    };
    let mut selected = selection.select(room);
    let ends_well = selected.parts.last().is_some_and(|part| !part.is_words());
    let has_order = selected.parts.iter().any(RequestPart::is_order);
    if !ends_well || !has_order {
        selected.parts.push(selection.continuation());
        selected.continued = true;
    }
    selected
}

/// The first row that has to stay in memory for the earlier turns of a mission, where the next turn
/// is this one and earlier turns may take so many bytes.
pub fn first_row_of_earlier_turns(
    conversation: &Conversation,
    next: TurnNumber,
    share: usize,
) -> Option<Seq> {
    if share == 0 {
        return None;
    }
    let rows = conversation.rows();
    let (results, units) = (Results::of(rows.clone(), None), collect_units(rows));
    let of_turn = units.partition_point(|unit| unit.turn() < next);
    // A direct message that waits owns the next turn. What came after it is part of that turn and takes
    // nothing of the earlier ones' share, so they reach further back.
    let order = conversation.unanswered_prompts().next();
    let of_order = order.map(|order| units.partition_point(|unit| unit.place < order.seq));
    let first_row =
        |end: usize| earlier_turns(conversation, &results, &units[..end], share).first_row();
    let found = [Some(of_turn), of_order].into_iter().flatten();
    let found = found.filter_map(first_row).min();
    // Where the model has said nothing yet, rows of a turn without an answer may stand there too.
    found.or_else(|| {
        let rows = since_mission(&units).iter().map(|unit| unit.row.seq);
        rows.filter(|seq| *seq >= conversation.complete_from())
            .min()
    })
}

/// The units behind the delivery of the newest mission among them, else all.
fn since_mission<'u, 'a>(units: &'u [Unit<'a>]) -> &'u [Unit<'a>] {
    let delivery = units.iter().rposition(|unit| unit.is_mission());
    &units[delivery.map_or(0, |place| place + 1)..]
}

/// The turns since the newest mission, of the units before the turn.
fn earlier_turns<'a>(
    conversation: &Conversation,
    results: &Results<'_>,
    before: &[Unit<'a>],
    share: usize,
) -> EarlierTurns<'a> {
    let is_whole = |unit: &&Unit<'_>| unit.row.seq >= conversation.complete_from();
    let of_mission = since_mission(before).iter().filter(is_whole);
    let of_mission: Vec<Unit<'a>> = of_mission.copied().collect();
    EarlierTurns::shorten(&of_mission, results, share, render::part_bytes(&go_on()))
}

fn go_on() -> RequestPart {
    RequestPart::from_order(GO_ON_TEXT.into(), OrderKind::Continuation, false)
}

struct Selection<'a> {
    composition: &'a Composition<'a>,
    results: Results<'a>,
    units: Vec<Unit<'a>>,
}

impl<'a> Selection<'a> {
    fn select(&self, room: usize) -> Selected {
        let (before, since) = self.split();
        let since: Vec<Unit<'a>> = since
            .iter()
            .filter(|unit| !self.delivers_owner(**unit))
            .copied()
            .collect();
        let sent = self.sent_parts(&since);
        let mission = self.standing_mission(&since);
        // What others have, too, stands first.
        let mut parts = self.head(mission);
        let mut earlier = match mission {
            Some(_) => self.earlier(before, &parts, &sent, room),
            None => Vec::new(),
        };
        if earlier.is_empty() {
            let last = self.last_parts(before);
            match self.composition.owner {
                TurnOwner::Mission { .. } => earlier = last,
                TurnOwner::Prompt(_) => parts.extend(last.into_iter().map(|sent| sent.part)),
                TurnOwner::Nudge(text) => {
                    parts.extend(last.into_iter().map(|sent| sent.part));
                    let text = text.clone();
                    parts.push(RequestPart::from_order(text, OrderKind::Nudge, true));
                }
            }
        }
        earlier.extend(sent);
        let continued = self.add_parts(&mut parts, earlier);
        Selected { parts, continued }
    }

    /// The units before what is sent whole, and those since.
    fn split(&self) -> (&[Unit<'a>], &[Unit<'a>]) {
        let turn = self.composition.turn;
        let first = match self.composition.owner {
            TurnOwner::Prompt(owner) => self.units.partition_point(|unit| unit.place < *owner),
            TurnOwner::Mission { .. } | TurnOwner::Nudge(_) => self
                .units
                .iter()
                .position(|unit| unit.turn() >= turn)
                .unwrap_or(self.units.len()),
        };
        self.units.split_at(first)
    }

    /// Whether a unit is the delivery of the mission that this turn is about.
    fn delivers_owner(&self, unit: Unit<'_>) -> bool {
        match self.composition.owner {
            TurnOwner::Mission { id, .. } => delivers(unit, *id),
            TurnOwner::Prompt(_) | TurnOwner::Nudge(_) => false,
        }
    }

    fn sent_parts(&self, units: &[Unit<'a>]) -> Vec<SentPart<'a>> {
        let owner = self.owner_row();
        let sent = units.iter().filter_map(|unit| {
            let is_owner = Some(unit.row.seq) == owner;
            let part = self.results.part_of_unit(*unit, is_owner)?;
            Some(SentPart { unit: *unit, part })
        });
        sent.collect()
    }

    fn owner_row(&self) -> Option<Seq> {
        match self.composition.owner {
            TurnOwner::Prompt(seq) => Some(*seq),
            TurnOwner::Mission { .. } | TurnOwner::Nudge(_) => None,
        }
    }

    /// The mission that stands before everything else of the conversation.
    fn standing_mission(&self, since: &[Unit<'_>]) -> Option<&'a Arc<str>> {
        match self.composition.owner {
            TurnOwner::Mission { text, .. } => Some(text),
            TurnOwner::Prompt(_) => {
                let mission = self.composition.mission?;
                let is_newer = since.iter().any(|unit| delivers(*unit, mission.id));
                (!is_newer).then_some(&mission.text)
            }
            TurnOwner::Nudge(_) => None,
        }
    }

    /// The mission and the role, behind which the Mysis' own conversation begins.
    fn head(&self, mission: Option<&Arc<str>>) -> Vec<RequestPart> {
        let mission = mission.map(|text| (text.clone(), OrderKind::Mission));
        let role = Some(self.composition.role).filter(|role| !role.is_empty());
        let role = role.map(|role| (role.into(), OrderKind::Role));
        let both = mission.into_iter().chain(role);
        both.map(|(text, kind)| RequestPart::from_order(text, kind, true))
            .collect()
    }

    /// The earlier turns of a mission, as far as they have room beside the turn. The newest one and
    /// the last loop are whole.
    fn earlier(
        &self,
        before: &[Unit<'a>],
        head: &[RequestPart],
        sent: &[SentPart<'a>],
        room: usize,
    ) -> Vec<SentPart<'a>> {
        let (conversation, share) = (
            self.composition.conversation,
            self.composition.earlier_bytes,
        );
        if share == 0 {
            return Vec::new();
        }
        let mut whole = self.turn_before(before);
        let mut others = head.to_vec();
        others.push(self.continuation());
        others.extend(whole.iter().map(|sent| sent.part.clone()));
        others.extend(sent.iter().map(|sent| sent.part.clone()));
        Caps::of_request(room).shorten_parts(&mut others);
        let left = room.saturating_sub(budget::total_bytes(&others));
        let turns = earlier_turns(conversation, &self.results, before, share);
        let mut kept = turns.keep(left);
        if kept.is_empty() {
            return kept;
        }
        // Where an earlier turn of the same words stands for the last one, that is not added again.
        let of_last =
            |sent: &SentPart<'_>| Some(sent.unit.turn()) == before.last().map(|unit| unit.turn());
        if whole.iter().filter(|sent| of_last(sent)).count() == 1 {
            let stands = |seq: Seq| kept.iter().any(|sent| sent.unit.row.seq == seq);
            whole.retain(|sent| {
                !of_last(sent) || !sent.unit.is_reply() || stands(sent.unit.row.seq)
            });
        }
        for one in whole {
            let same = |sent: &&mut SentPart<'_>| sent.unit.row.seq == one.unit.row.seq;
            match kept.iter_mut().find(same) {
                Some(found) => *found = one,
                None => insert_in_order(&mut kept, one),
            }
        }
        kept
    }

    /// The last turn before this one and the last loop before it, whole.
    fn turn_before(&self, before: &[Unit<'a>]) -> Vec<SentPart<'a>> {
        let last_loop = self.last_loop(before).map(|sent| sent.unit.row.seq);
        let turn = before.last().map(|unit| unit.turn());
        let is_whole =
            |unit: &&Unit<'_>| Some(unit.turn()) == turn || Some(unit.row.seq) == last_loop;
        let whole = since_mission(before).iter().filter(is_whole);
        let whole: Vec<Unit<'a>> = whole.copied().collect();
        self.sent_parts(&whole)
    }

    /// The last loop before the turn and, where the owner is no row, the reply that ended the turn
    /// before.
    fn last_parts(&self, before: &[Unit<'a>]) -> Vec<SentPart<'a>> {
        let (before, ending) = match before.split_last() {
            Some((last, rest)) if last.is_reply() && self.owner_row().is_none() => {
                (rest, Some(*last))
            }
            Some(_) | None => (before, None),
        };
        let ending = ending.map(|unit| self.sent_parts(&[unit]));
        let last = self.last_loop(before).into_iter();
        last.chain(ending.into_iter().flatten()).collect()
    }

    fn last_loop(&self, before: &[Unit<'a>]) -> Option<SentPart<'a>> {
        let found = before.iter().rev();
        let unit = found
            .copied()
            .find(|unit| self.results.is_complete(*unit))?;
        let part = self.results.part_of_unit(unit, false)?;
        Some(SentPart { unit, part })
    }

    /// Adds parts, and a text of the runtime wherever the model's own words are followed by its
    /// next message. Returns whether this turn has one.
    fn add_parts(&self, parts: &mut Vec<RequestPart>, sent: Vec<SentPart<'a>>) -> bool {
        let continued = self.continues_at(&sent);
        let go_on: Vec<bool> = (0..sent.len())
            .map(|place| follows_words(&sent, place) && !sent[place].unit.is_order())
            .collect();
        for ((place, sent), go_on_here) in sent.into_iter().enumerate().zip(go_on) {
            if continued == Some(place) {
                parts.push(self.continuation());
            } else if go_on_here {
                parts.push(self::go_on());
            }
            parts.push(sent.part);
        }
        continued.is_some()
    }

    /// The position of this turn's continuation. It is where this turn follows the words that ended
    /// an earlier one, or where a message of this turn follows words. It stays there for the whole
    /// turn, even if an order came while the model was thinking, because that is where it was in
    /// the earlier requests.
    fn continues_at(&self, sent: &[SentPart<'_>]) -> Option<usize> {
        let (turn, owner) = (self.composition.turn, self.owner_row());
        let is_of_turn = |place: &usize| sent[*place].unit.turn() >= turn;
        let follows = |place: &usize| follows_words(sent, *place);
        let is_owner = |place: &usize| Some(sent[*place].unit.row.seq) == owner;
        let first = (0..sent.len()).find(is_of_turn);
        first
            .filter(|place| follows(place) && !is_owner(place))
            .or_else(|| {
                (0..sent.len())
                    .filter(is_of_turn)
                    .filter(|place| !sent[*place].unit.is_order())
                    .find(follows)
            })
    }

    fn continuation(&self) -> RequestPart {
        let text = match self.composition.owner {
            TurnOwner::Mission { .. } => GO_ON_TEXT,
            TurnOwner::Prompt(_) | TurnOwner::Nudge(_) => self.composition.continuation,
        };
        RequestPart::from_order(text.into(), OrderKind::Continuation, false)
    }
}

fn insert_in_order<'a>(sent: &mut Vec<SentPart<'a>>, one: SentPart<'a>) {
    let key = |sent: &SentPart<'_>| (sent.unit.place, sent.unit.row.seq);
    let place = sent.partition_point(|before| key(before) <= key(&one));
    sent.insert(place, one);
}

/// Whether a part stands right after words that ended a turn, or after a reply.
fn follows_words(sent: &[SentPart<'_>], place: usize) -> bool {
    let Some(before) = place.checked_sub(1).map(|place| &sent[place]) else {
        return false;
    };
    let is_other_turn = before.unit.turn() < sent[place].unit.turn();
    before.part.is_words() && (before.unit.is_reply() || is_other_turn)
}

fn delivers(unit: Unit<'_>, mission: MissionId) -> bool {
    matches!(&unit.row.body, RowBody::Mission { id, .. } if *id == mission)
}
