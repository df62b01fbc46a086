//! Readings: what one result tells, in the parts that the swarm and its screen ask for.

use std::fmt::Debug;

use serde::{Deserialize, Serialize, Serializer};

use super::standing::{Deal, Gauge, Standing};
use super::systems::SystemFacts;

/// A result that was read. Each part is made when it is asked for. The defaults are true of a result of which
/// nothing is known. `command` is what the call means, `read_only` whether it changed nothing.
pub trait Reading: Debug {
    /// Whether its form is known, so that it can tell anything.
    fn is_understood(&self) -> bool {
        false
    }

    /// The player's money, place and ship. Of a result that is not understood, what may follow from its call.
    fn standing(&self, _command: &str, _read_only: bool) -> Standing {
        Standing::default()
    }

    fn reached(&self, _command: &str, _read_only: bool) -> Reached<'_> {
        Reached::default()
    }

    /// The goods in the hold; `None` if it tells nothing of them.
    fn goods(&self) -> Option<Vec<Goods>> {
        None
    }

    /// The missions; `None` if it tells nothing of them.
    fn missions(&self) -> Option<Vec<MissionFacts>> {
        None
    }

    /// What units of items bring and cost.
    fn prices(&self, _command: &str) -> Vec<UnitPrice<'_>> {
        Vec::new()
    }

    fn systems(&self, _command: &str) -> Vec<SystemFacts> {
        Vec::new()
    }

    /// What a screen names of the ship and its place.
    fn ship(&self, _command: &str) -> ShipNames {
        ShipNames::default()
    }

    /// Whether the ship is under way, so that its place is that of neither end.
    fn is_under_way(&self) -> bool {
        false
    }

    fn members(&self) -> Vec<&str> {
        Vec::new()
    }

    /// A good result, whose text this is, as one line for a person; `None`: by its form alone.
    fn words(&self, _command: &str, _result: &str) -> Option<String> {
        None
    }

    /// What the result of this text says, in so many bytes at most, on one line.
    fn digest(&self, result: &str, most: usize) -> String;
}

/// What a result tells of what a player has reached. Money and goods are in [`Standing`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached<'a> {
    pub standing: Standing,
    pub has_made: bool,
    pub has_learnt: bool,
    pub skills: Option<i64>,
    pub explored: Option<i64>,
    /// What says which ship it is: its class and its modules.
    pub ship: Option<[String; 2]>,
    /// What says how the accepted missions stand; `None` if there is none among what is told.
    pub missions: Option<Vec<String>>,
    /// The places at which the player is, the innermost last.
    pub places: Vec<&'a str>,
    /// What counts down or up by itself; `None` if the result is of an action.
    pub running: Option<Vec<String>>,
}

impl Reached<'_> {
    /// What the action earned and spent; nothing where it does not say so.
    pub fn deal(&self) -> Deal {
        self.standing.deal.unwrap_or_default()
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Goods {
    pub item: String,
    pub quantity: i64,
}

/// As a list, which reads as one, too.
impl Serialize for Goods {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (&self.item, self.quantity).serialize(to)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct MissionFacts {
    pub id: String,
    pub title: Option<String>,
    /// What it asks for; `None` if that is not told.
    pub objectives: Option<Vec<Objective>>,
    pub percent: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objective {
    /// The item; `None` where it is not about goods.
    pub item: Option<String>,
    pub quantity: Option<i64>,
    /// Where the goods are to be brought.
    pub base: Option<String>,
    pub is_done: Option<bool>,
}

impl MissionFacts {
    /// Whether its reward may be due. Where it is not told what is done, the server decides.
    pub fn may_be_done(&self) -> bool {
        match &self.objectives {
            Some(objectives) => !objectives.iter().any(|one| one.is_done == Some(false)),
            None => self.percent.is_none_or(|part| part >= 100.0),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitPrice<'a> {
    pub item: &'a str,
    /// What it brings where it is sold.
    pub brings: Option<i64>,
    /// What it costs where it is bought.
    pub costs: Option<i64>,
    pub on_offer: Option<i64>,
}

/// What a screen names of a ship and its place, as people call it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShipNames {
    pub ship: Option<String>,
    pub shield: Gauge,
    pub system: Option<String>,
    pub poi: Option<String>,
    /// The base at which it is docked; `Some(None)` if it is at none.
    pub base: Option<Option<String>>,
    pub hold: Option<Vec<(String, i64)>>,
}
