//! Circles: rounds of calls that a Mysis' model repeated, and that earned each time. They are
//! recognised from its calls alone, and each of them is a routine that nobody had to write.

mod candidate;
mod finding;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use zoea_game::reading::Goods;
use zoea_spacemolt::commands;

use crate::game::GameRef;
use crate::ids::Seq;
use crate::message::{CallRecord, CallStatus};
use crate::tool::is_own;

use super::arguments::EachOne;
use super::{Each, EndedCall, Routine, shown};
use finding::find_circle;

use candidate::{Candidate, GOODS_COMMANDS, REWARD_COMMAND};

/// The rounds in a row after which steps that repeat are a circle.
const CIRCLE_ROUNDS: usize = 3;
const MAX_LEGS_OF_A_ROUND: usize = 10;
/// The legs that are remembered. A round has some more than steps: what it needs now and then.
const MAX_CANDIDATES: usize = CIRCLE_ROUNDS * (MAX_LEGS_OF_A_ROUND + 4);
/// Calls with longer arguments belong to no circle.
const MAX_ARGUMENTS_BYTES: usize = 400;

#[derive(Clone, Debug, PartialEq)]
pub struct Circle {
    /// Its routine. It begins with the step that comes next now.
    pub routine: Arc<Routine>,
    pub offer: Arc<CircleOffer>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct CircleOffer {
    pub name: Arc<str>,
    /// The credits that it earned in so many rounds.
    #[serde(default)]
    pub earned: i64,
    #[serde(default)]
    pub rounds: u32,
    /// The calls of the model that these rounds took.
    #[serde(default)]
    pub calls: u32,
    #[serde(default)]
    pub steps: Arc<str>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct CircleWatch {
    /// Its newest acting calls, equal neighbours as one. Where one is not understood, they begin anew.
    #[serde(rename = "legs", deserialize_with = "shown")]
    candidates: Vec<Candidate>,
    #[serde(rename = "told")]
    reported: Option<Arc<str>>,
    /// The newest result that was taken.
    upto: Seq,
    /// The goods in the hold, as the last look told them and sales changed them since.
    #[serde(skip)]
    hold: Vec<Goods>,
    #[serde(skip)]
    circle: Option<Circle>,
}

impl CircleWatch {
    /// Finds the circle of stored legs again.
    pub(super) fn find_again(&mut self) {
        self.candidates.truncate(MAX_CANDIDATES);
        self.circle = find_circle(&self.candidates);
    }

    /// The circle that goes on now, if there is one.
    pub fn circle(&self) -> Option<&Circle> {
        self.circle.as_ref()
    }

    pub fn upto(&self) -> Seq {
        self.upto
    }

    /// Forgets what was repeated, because something else is wanted now. Returns whether there was
    /// anything.
    pub fn forget(&mut self) -> bool {
        let had_any = !self.candidates.is_empty();
        self.candidates.clear();
        self.hold.clear();
        self.circle = None;
        had_any
    }

    /// The circle that the operator was not told of yet.
    pub fn take_news(&mut self) -> Option<Arc<CircleOffer>> {
        let offer = &self.circle.as_ref()?.offer;
        if self.reported.as_ref() == Some(&offer.name) {
            return None;
        }
        self.reported = Some(offer.name.clone());
        Some(offer.clone())
    }

    /// Takes a call of the model. Returns whether it is worth storing what is known now.
    pub fn take(&mut self, ended: &EndedCall<'_>) -> bool {
        self.upto = self.upto.max(ended.seq);
        let command = ended.call.command();
        if is_own(&command) {
            return false;
        }
        if !acts_in_game(&command) || ended.call.read_only {
            self.take_look(ended);
        } else {
            match ended.status {
                CallStatus::Done | CallStatus::Failed => self.take_deed(ended, &command),
                // Nobody knows where it stands in its round.
                CallStatus::Unknown => {
                    self.forget();
                }
                CallStatus::NotExecuted | CallStatus::Recorded | CallStatus::Sent => {}
            }
        }
        if let Some(candidate) = self.candidates.last_mut() {
            candidate.see(ended);
        }
        if ended.now.cargo.now == Some(0) {
            self.hold.clear();
        }
        self.circle = find_circle(&self.candidates);
        ended.earned != 0
    }

    fn take_look(&mut self, ended: &EndedCall<'_>) {
        if let Some(goods) = ended.facts().and_then(|facts| facts.goods()) {
            self.hold = goods;
        }
    }

    fn take_deed(&mut self, ended: &EndedCall<'_>, command: &str) {
        let Some(arguments) = arguments_of(ended.call) else {
            self.forget();
            return;
        };
        let one = match command {
            REWARD_COMMAND => mission_given(&ended.call.name, &arguments).map(EachOne::Mission),
            _ if GOODS_COMMANDS.contains(&command) => {
                goods_given(&ended.call.name, &arguments).map(EachOne::Goods)
            }
            _ => None,
        };
        let candidate = Candidate::of(ended, command, arguments, one.as_ref());
        let is_good = ended.status == CallStatus::Done;
        let is_of_leg = |last: &Candidate| last.is_like(&candidate);
        if !self.candidates.last().is_some_and(is_of_leg) {
            self.end_leg();
        }
        if let Some(EachOne::Goods(refused)) = one.as_ref().filter(|_| !is_good) {
            // The model wanted to hand them over, and so would the routine.
            self.hold.retain(|held| held.item != refused.item);
        }
        let is_all = match one.filter(|_| is_good) {
            Some(EachOne::Goods(sold)) => self.take_from_hold(&sold),
            Some(EachOne::Mission(_)) | None => true,
        };
        match self
            .candidates
            .last_mut()
            .filter(|last| last.is_like(&candidate))
        {
            Some(last) => last.add(&candidate),
            None => self.candidates.push(candidate),
        }
        if let Some(last) = self.candidates.last_mut() {
            last.outcome.is_all &= is_all;
        }
        if self.candidates.len() > MAX_CANDIDATES {
            self.candidates.remove(0);
        }
    }

    /// Ends a leg that hands goods over. What stays in the hold is what the model keeps, and the routine
    /// would hand it over, too.
    fn end_leg(&mut self) {
        let keeps_goods = !self.hold.is_empty();
        if let Some(last) = self.candidates.last_mut() {
            last.outcome.is_all &= last.each != Some(Each::Cargo) || !keeps_goods;
        }
    }

    /// Takes goods out of the known hold. Returns whether they were all of their kind.
    fn take_from_hold(&mut self, sold: &Goods) -> bool {
        let place = self.hold.iter().position(|held| held.item == sold.item);
        place.is_some_and(|place| self.hold.remove(place).quantity == sold.quantity)
    }
}

/// Whether a command that is no look does something for a round. What is only said changes nothing in
/// the game.
pub fn acts_in_game(command: &str) -> bool {
    const SAID: [&str; 6] = [
        "chat",
        "captains_log_add",
        "create_note",
        "write_note",
        "set_status",
        "get_notifications",
    ];
    const SESSION: [&str; 4] = ["login", "login_token", "logout", "register"];
    !GameRef::SpaceMolt.has_words_of_others(command)
        && !SAID.contains(&command)
        && !SESSION.contains(&command)
}

fn arguments_of(call: &CallRecord) -> Option<Map<String, Json>> {
    let text = Some(&call.arguments).filter(|text| text.len() <= MAX_ARGUMENTS_BYTES)?;
    serde_json::from_str(text).ok()
}

/// The goods that a call hands over, by the arguments' names of the first interface.
fn goods_given(tool: &str, arguments: &Map<String, Json>) -> Option<Goods> {
    let (_, given) = commands::to_first(tool, arguments.clone());
    Some(Goods {
        item: given.get("item_id")?.as_str()?.to_string(),
        quantity: given.get("quantity")?.as_i64()?,
    })
}

/// The mission of which a call asks the reward.
fn mission_given(tool: &str, arguments: &Map<String, Json>) -> Option<String> {
    let (_, given) = commands::to_first(tool, arguments.clone());
    Some(given.get("mission_id")?.as_str()?.to_string())
}
