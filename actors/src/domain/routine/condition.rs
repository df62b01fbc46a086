//! Conditions: comparisons of what is known of the game with numbers, as data.

use std::sync::Arc;

use serde::Serialize;
use strum::{EnumCount, VariantArray};

use crate::samples::GameFacts;

use super::prices::SeenPrices;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownValues {
    pub facts: GameFacts,
    pub prices: Arc<SeenPrices>,
    /// The ticks since the run began, if the game tells them.
    pub ticks: Option<i64>,
    /// The minutes since the run began.
    pub minutes: i64,
    /// The credits earned in an hour at the rate of the run; `None` in the first minute.
    pub earned_an_hour: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, VariantArray)]
pub(super) enum Value {
    Fuel,
    FuelPercent,
    Cargo,
    CargoFree,
    Hull,
    HullPercent,
    Credits,
    Place,
    Docked,
    Price,
    Cost,
    Ticks,
    Minutes,
    EarnedAnHour,
}

zoea_records::read_by_word!(pub(super) Value);
zoea_records::stored_by_word!(Value);

impl Value {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Value::Fuel => "fuel",
            Value::FuelPercent => "fuel_percent",
            Value::Cargo => "cargo",
            Value::CargoFree => "cargo_free",
            Value::Hull => "hull",
            Value::HullPercent => "hull_percent",
            Value::Credits => "credits",
            Value::Place => "place",
            Value::Docked => "docked",
            Value::Price => "price",
            Value::Cost => "cost",
            Value::Ticks => "ticks",
            Value::Minutes => "minutes",
            Value::EarnedAnHour => "gain_an_hour",
        }
    }

    pub(super) fn is_price(self) -> bool {
        matches!(self, Value::Price | Value::Cost)
    }

    /// The value as a number; `None` if it is not known, is no number, or is that of an item.
    pub(super) fn number(self, known: &KnownValues) -> Option<i64> {
        let facts = &known.facts;
        let gauge = |gauge: crate::samples::Gauge| gauge.now.map(i64::from);
        let percent = |gauge: crate::samples::Gauge| {
            let most = i64::from(gauge.most.filter(|most| *most > 0)?);
            Some(i64::from(gauge.now?) * 100 / most)
        };
        match self {
            Value::Fuel => gauge(facts.fuel),
            Value::FuelPercent => percent(facts.fuel),
            Value::Cargo => gauge(facts.cargo),
            Value::CargoFree => Some(i64::from(facts.cargo.most?) - i64::from(facts.cargo.now?)),
            Value::Hull => gauge(facts.hull),
            Value::HullPercent => percent(facts.hull),
            Value::Credits => facts.credits,
            Value::Place | Value::Price | Value::Cost => None,
            Value::Docked => facts.docked.map(i64::from),
            Value::Ticks => known.ticks,
            Value::Minutes => Some(known.minutes),
            Value::EarnedAnHour => known.earned_an_hour,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, VariantArray)]
pub(super) enum Op {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Other,
}

zoea_records::read_by_word!(pub(super) Op);
zoea_records::stored_by_word!(Op);

impl Op {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::More => ">",
            Op::AtLeast => ">=",
            Op::Equal => "=",
            Op::Other => "!=",
        }
    }

    fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Op::Less => left < right,
            Op::AtMost => left <= right,
            Op::More => left > right,
            Op::AtLeast => left >= right,
            Op::Equal => left == right,
            Op::Other => left != right,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub(super) value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<Arc<str>>,
    pub(super) op: Op,
    #[serde(flatten)]
    pub(super) against: Against,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Against {
    Number(i64),
    /// The id of a place: a point of interest or a system.
    Text(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    All(Vec<Comparison>),
    Any(Vec<Comparison>),
    #[serde(untagged)]
    One(Comparison),
}

impl Comparison {
    /// Whether it holds; `None` if its value is not known.
    fn holds(&self, known: &KnownValues) -> Option<bool> {
        match &self.against {
            Against::Number(number) => {
                let value = self.number(known)?;
                Some(self.op.holds(value, *number))
            }
            Against::Text(text) => {
                let facts = &known.facts;
                let is_known = facts.poi.is_some() || facts.system.is_some();
                let is_here = [&facts.poi, &facts.system]
                    .into_iter()
                    .flatten()
                    .any(|place| place == text);
                is_known.then_some(is_here == (self.op != Op::Other))
            }
        }
    }

    /// The value as a number; `None` if it is not known, or is no number.
    fn number(&self, known: &KnownValues) -> Option<i64> {
        match (self.value, &self.item) {
            (Value::Price, Some(item)) => known.prices.brings(item),
            (Value::Cost, Some(item)) => known.prices.costs(item),
            (value, _) => value.number(known),
        }
    }

    fn subject(&self) -> String {
        match &self.item {
            Some(item) => format!("{} of {item}", self.value.as_str()),
            None => self.value.as_str().to_string(),
        }
    }

    fn describe(&self) -> String {
        let (value, op) = (self.subject(), self.op.as_str());
        match &self.against {
            Against::Number(number) => format!("{value} {op} {number}"),
            Against::Text(text) => format!("{value} {op} {text}"),
        }
    }
}

impl Condition {
    fn comparisons(&self) -> &[Comparison] {
        match self {
            Condition::One(one) => std::slice::from_ref(one),
            Condition::All(all) => all,
            Condition::Any(any) => any,
        }
    }

    /// Whether it holds; `None` if that depends on what is not known.
    pub fn holds(&self, known: &KnownValues) -> Option<bool> {
        let mut judged = self.comparisons().iter().map(|one| one.holds(known));
        // One comparison with this result decides.
        let decisive = matches!(self, Condition::Any(_));
        if judged.clone().any(|holds| holds == Some(decisive)) {
            return Some(decisive);
        }
        let is_other = judged.all(|holds| holds == Some(!decisive));
        is_other.then_some(!decisive)
    }

    /// Why a guard does not hold; `None` if it does. What is not known holds no guard.
    pub fn objection(&self, known: &KnownValues) -> Option<String> {
        let now = || {
            let of = self.comparisons().iter().map(|one| {
                let value = one.subject();
                match (&one.against, one.number(known)) {
                    (Against::Number(_), Some(number)) => format!("{value} is {number}"),
                    (Against::Number(_), None) => format!("{value} is not known"),
                    (Against::Text(_), _) => {
                        let facts = &known.facts;
                        let place = facts.poi.as_ref().or(facts.system.as_ref());
                        match place {
                            Some(place) => format!("{value} is {place}"),
                            None => format!("{value} is not known"),
                        }
                    }
                }
            });
            of.collect::<Vec<_>>().join(", ")
        };
        match self.holds(known) {
            Some(true) => None,
            Some(false) | None => Some(format!("{} does not hold: {}", self.describe(), now())),
        }
    }

    pub fn describe(&self) -> String {
        let word = match self {
            Condition::One(_) | Condition::All(_) => " and ",
            Condition::Any(_) => " or ",
        };
        let parts: Vec<String> = self
            .comparisons()
            .iter()
            .map(Comparison::describe)
            .collect();
        parts.join(word)
    }
}
