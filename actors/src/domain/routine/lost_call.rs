//! Proof: what became of a call whose answer is lost, by what the game shows afterwards.
//!
//! Only steps whose aim can be seen are in doubt: a place, a berth, a full tank, goods of a hold that
//! was known exactly. A look can prove that a call was carried out, never that it was not: what shows
//! no effect may still be on its way, or have had another one. So no call is made again.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use zoea_game::Reading;
use zoea_game::reading::Goods;
use zoea_game::standing::GoodsChange;
use zoea_spacemolt::commands;

use crate::ids::CallKey;
use crate::message::CallRecord;
use crate::samples::GameFacts;

/// The looks after which the outcome stays unknown. A long flight takes some.
const MAX_LOOKS: u32 = 40;
/// The first wait between two looks, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(8);
/// How long everything stays as it was before there is no hope: three ticks of the game.
const SAME_FOR_MS: u64 = 30_000;

/// A call of unknown outcome that can be proven.
/// After a restart the looks begin anew, for time has passed.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct LostCall {
    key: CallKey,
    command: Arc<str>,
    arguments: Map<String, Json>,
    before: Place,
    was_docked: Option<bool>,
    looks: u32,
    /// Since when everything is seen as it was, by the run's time.
    #[serde(skip)]
    same_since: Option<u64>,
    /// Whether everything was as it was for so long that nothing more is to be expected.
    #[serde(skip)]
    is_over: bool,
    #[serde(skip)]
    is_waiting: bool,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
struct Place {
    system: Option<Arc<str>>,
    poi: Option<Arc<str>>,
}

zoea_records::stored_as_list!(LostCall: key, command, arguments, before, was_docked, looks);
zoea_records::stored_as_list!(Place: system, poi);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookResult {
    Done,
    Unchanged,
    /// Neither. A later look may show more.
    Unclear,
    /// That no look can tell: what it would have to name is not there, or stands for several things.
    Inconclusive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedCall {
    key: CallKey,
    command: Arc<str>,
}

impl ConfirmedCall {
    pub fn describe(&self) -> String {
        let CallKey { seq, position } = self.key;
        format!(
            "the game shows that call {}.{position} ({}) was carried out",
            seq.0, self.command
        )
    }
}

impl LostCall {
    /// The doubt about a call; `None` if no look could end it.
    pub(super) fn of(
        key: CallKey,
        call: &CallRecord,
        before: &GameFacts,
        hold: Option<&[Goods]>,
    ) -> Option<LostCall> {
        let given = serde_json::from_str(&call.arguments).ok()?;
        let (command, arguments) = commands::to_first(&call.name, given);
        let lost_call = LostCall {
            key,
            command: command.into(),
            arguments,
            before: Place {
                system: before.system.clone(),
                poi: before.poi.clone(),
            },
            was_docked: before.docked,
            looks: 0,
            same_since: None,
            is_over: false,
            is_waiting: false,
        };
        let is_elsewhere = |here: &Option<Arc<str>>, target: Option<&str>| {
            here.as_deref()
                .zip(target)
                .is_some_and(|(here, to)| here != to)
        };
        let can_be_seen = match &*lost_call.command {
            "travel" => is_elsewhere(&lost_call.before.poi, lost_call.text("target_poi")),
            "jump" => is_elsewhere(&lost_call.before.system, lost_call.text("target_system")),
            "dock" => lost_call.was_docked == Some(false),
            "undock" => lost_call.was_docked == Some(true),
            "refuel" => lost_call.arguments.is_empty(),
            command => hold.is_some() && changes_hold(command, &lost_call.arguments),
        };
        can_be_seen.then_some(lost_call)
    }

    fn text(&self, argument: &str) -> Option<&str> {
        self.arguments.get(argument)?.as_str()
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// The number of the next look, from 1, and its command.
    pub(super) fn look(&self) -> (u32, &'static str) {
        let command = match &*self.command {
            "travel" | "jump" => "get_poi",
            "dock" | "undock" | "refuel" => "get_status",
            _ => "get_cargo",
        };
        (self.looks + 1, command)
    }

    /// How long it waits before the next look; `None` if that is due.
    pub(super) fn wait(&self) -> Option<Duration> {
        let doublings = self.looks.saturating_sub(1).min(16);
        let wait = FIRST_WAIT.saturating_mul(1 << doublings);
        self.is_waiting.then(|| wait.min(LONGEST_WAIT))
    }

    pub(super) fn end_wait(&mut self) {
        self.is_waiting = false;
    }

    pub(super) fn is_hopeless(&self) -> bool {
        self.is_over || self.looks >= MAX_LOOKS
    }

    /// Takes a look, or that there was none. Returns the proof, if it is one. The game has answered
    /// it unless it `is_lost`.
    pub(super) fn take(
        &mut self,
        facts: Option<&dyn Reading>,
        is_lost: bool,
        hold: Option<&[Goods]>,
        elapsed_ms: u64,
    ) -> Option<ConfirmedCall> {
        self.looks = self.looks.saturating_add(1);
        self.is_waiting = true;
        let compare = match facts {
            Some(facts) => self.compare(facts, hold),
            None if is_lost => LookResult::Unclear,
            None => LookResult::Inconclusive,
        };
        match compare {
            LookResult::Done => Some(ConfirmedCall {
                key: self.key,
                command: self.command.clone(),
            }),
            LookResult::Inconclusive => {
                self.is_over = true;
                None
            }
            LookResult::Unclear => {
                self.same_since = None;
                None
            }
            LookResult::Unchanged => {
                let since = *self.same_since.get_or_insert(elapsed_ms);
                self.is_over = elapsed_ms.saturating_sub(since) >= SAME_FOR_MS;
                None
            }
        }
    }

    fn compare(&self, facts: &dyn Reading, hold: Option<&[Goods]>) -> LookResult {
        let seen = facts.standing(self.look().1, true);
        let is_at = |now: Option<&str>, target: Option<&str>| match now {
            _ if facts.is_under_way() => LookResult::Unclear,
            Some(now) if Some(now) == target => LookResult::Done,
            // Whatever else it is: once it stays, it does not become the target any more.
            Some(_) => LookResult::Unchanged,
            None => LookResult::Inconclusive,
        };
        match &*self.command {
            "travel" => is_at(seen.poi.as_deref(), self.text("target_poi")),
            "jump" => is_at(seen.system.as_deref(), self.text("target_system")),
            "dock" | "undock" => match seen.docked {
                Some(docked) if Some(docked) == self.was_docked => LookResult::Unchanged,
                Some(_) => LookResult::Done,
                None => LookResult::Inconclusive,
            },
            "refuel" => match (seen.fuel.now, seen.fuel.most) {
                (Some(now), Some(most)) if now >= most => LookResult::Done,
                (Some(_), Some(_)) => LookResult::Unchanged,
                (_, _) => LookResult::Inconclusive,
            },
            _ => match (facts.goods(), hold) {
                (Some(now), Some(before)) => self.compare_goods(before, &now),
                (_, _) => LookResult::Inconclusive,
            },
        }
    }

    /// Exactly one kind of goods has changed, as the call changes them, or none.
    fn compare_goods(&self, before: &[Goods], now: &[Goods]) -> LookResult {
        let quantity = |hold: &[Goods], item: &str| {
            let of_item = hold.iter().filter(|goods| goods.item == item);
            of_item.map(|goods| goods.quantity).sum::<i64>()
        };
        let mut items: Vec<&str> = before.iter().chain(now).map(|goods| &*goods.item).collect();
        items.sort_unstable();
        items.dedup();
        items.retain(|item| quantity(before, item) != quantity(now, item));
        let [item] = items[..] else {
            return match items.is_empty() {
                true => LookResult::Unchanged,
                false => LookResult::Inconclusive,
            };
        };
        let has_grown = quantity(now, item) > quantity(before, item);
        let is_its_item = self.text("item_id").is_none_or(|given| given == item);
        let grows = matches!(&*self.command, "mine" | "buy");
        match is_its_item && has_grown == grows {
            true => LookResult::Done,
            false => LookResult::Inconclusive,
        }
    }
}

/// Whether a call that was carried out shows that no earlier one of the same player is still on its way: the
/// game makes the actions of a player in their order.
pub fn settles(command: &str) -> bool {
    matches!(
        command,
        "travel" | "jump" | "dock" | "undock" | "mine" | "sell" | "buy" | "refuel" | "repair"
    )
}

/// Whether a call moves goods as the hold shows them, so that a look at the hold can prove it.
pub(super) fn changes_hold(command: &str, arguments: &Map<String, Json>) -> bool {
    match command {
        "mine" | "sell" | "jettison" | "deposit_items" => true,
        "buy" => !arguments.contains_key("deliver_to"),
        _ => false,
    }
}

/// The goods in the hold after a good result, if they are known exactly.
pub(super) fn hold_after(
    mut hold: Option<Vec<Goods>>,
    call: &CallRecord,
    facts: Option<&dyn Reading>,
    docked: Option<bool>,
) -> Option<Vec<Goods>> {
    if let Some(step_after) = facts.and_then(|facts| facts.goods()) {
        return Some(step_after);
    }
    if call.read_only {
        return hold;
    }
    let given = serde_json::from_str(&call.arguments).ok()?;
    let (command, given) = commands::to_first(&call.name, given);
    let moved = || match facts?.standing(&command, false).goods {
        GoodsChange::Moved { item, units } => Some((item, units)),
        GoodsChange::None | GoodsChange::Unknown => None,
    };
    let text = |value: Option<&Json>| Some(value?.as_str()?.to_string());
    let number = |value: Option<&Json>| value?.as_i64();
    let (item, more) = match &*command {
        "travel" | "jump" | "dock" | "undock" | "repair" => return hold,
        // At a station the tank is filled from its stores.
        "refuel" if given.is_empty() && docked == Some(true) => return hold,
        "mine" | "sell" => moved()?,
        "buy" if !given.contains_key("deliver_to") => moved()?,
        "deposit_items" | "jettison" => {
            (text(given.get("item_id"))?, -number(given.get("quantity"))?)
        }
        _ => return None,
    };
    let goods = hold.as_mut()?;
    match goods.iter_mut().find(|goods| goods.item == item) {
        Some(known) => known.quantity = known.quantity.saturating_add(more),
        None => goods.push(Goods {
            item,
            quantity: more,
        }),
    }
    goods.retain(|goods| goods.quantity != 0);
    let is_sound = goods.iter().all(|goods| goods.quantity > 0);
    hold.filter(|_| is_sound)
}
