//! Reading: a routine from JSON, with every mistake at once.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::game::GameRef;
use crate::tool::is_own;

use super::arguments::{is_known_word, placeholder};
use super::condition::{Against, Comparison, Condition, Op, Value};
use super::{
    DEFAULT_REPETITIONS, DEFAULT_ROUNDS, Each, MAX_ARGUMENTS_BYTES, MAX_COMPARISONS,
    MAX_NAME_BYTES, MAX_REPETITIONS, MAX_ROUNDS, MAX_STEPS, Routine, RoutineStep,
};

const ROUTINE_KEYS: [&str; 6] = ["name", "steps", "guards", "until", "rounds", "earns"];
const STEP_KEYS: [&str; 7] = [
    "tool",
    "arguments",
    "when",
    "until",
    "most",
    "may_fail",
    "each",
];
const CONDITION_KEYS: [&str; 7] = ["value", "item", "op", "number", "text", "all", "any"];

/// Reads a routine.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read_routine(given: &Map<String, Json>) -> Result<Routine, Vec<String>> {
    let mut mistakes = Mistakes(Vec::new());
    mistakes.unknown_keys("", given, &ROUTINE_KEYS);
    let name = read_name(given, &mut mistakes);
    let steps = read_steps(given.get("steps"), &mut mistakes);
    let guards = read_guards(given.get("guards"), &mut mistakes);
    let until = mistakes.condition("until", given.get("until"));
    let rounds = mistakes.number("rounds", given.get("rounds"), DEFAULT_ROUNDS, MAX_ROUNDS);
    let earns = mistakes.earns(given.get("earns"));
    let routine = Routine {
        name: name.into(),
        steps,
        guards,
        until,
        rounds,
        earns,
    };
    let acts = routine.steps.iter().any(|step| {
        let arguments = Json::Object(step.arguments.clone()).to_string();
        is_own(&step.tool) || GameRef::SpaceMolt.only_reads(&step.tool, &arguments) != Some(true)
    });
    if !acts && mistakes.0.is_empty() {
        mistakes.add(
            "steps",
            "at least one step must act, or the runtime would only look",
        );
    }
    match mistakes.0.is_empty() {
        true => Ok(routine),
        false => Err(mistakes.0),
    }
}

/// A routine's name, in the letters that names have. Models write names of several words, which is
/// no reason to refuse a routine.
pub fn plain_name(given: &str) -> String {
    let words = given.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
}

/// Whether a text in plain letters can be a routine's name.
pub fn is_routine_name(name: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len())
}

fn read_name(given: &Map<String, Json>, mistakes: &mut Mistakes) -> String {
    let name = plain_name(given.get("name").and_then(Json::as_str).unwrap_or_default());
    if !is_routine_name(&name) {
        let expected = format!("a text of 1 to {MAX_NAME_BYTES} of a-z, 0-9, _ and -");
        mistakes.add("name", &expected);
    }
    name
}

fn read_steps(given: Option<&Json>, mistakes: &mut Mistakes) -> Vec<RoutineStep> {
    let Some(steps) = given.and_then(Json::as_array) else {
        mistakes.add("steps", "a list of steps, each with its tool and arguments");
        return Vec::new();
    };
    if steps.is_empty() || steps.len() > MAX_STEPS {
        mistakes.add("steps", &format!("1 to {MAX_STEPS} steps"));
    }
    let numbered = (1..).zip(steps).take(MAX_STEPS);
    let read = numbered.filter_map(|(number, step)| read_step(number, step, mistakes));
    read.collect()
}

fn read_step(number: usize, given: &Json, mistakes: &mut Mistakes) -> Option<RoutineStep> {
    let place = format!("steps {number}");
    let Some(step) = given.as_object() else {
        mistakes.add(&place, "an object with a tool");
        return None;
    };
    mistakes.unknown_keys(&place, step, &STEP_KEYS);
    let tool = step.get("tool").and_then(Json::as_str).unwrap_or_default();
    let arguments = match step.get("arguments") {
        None | Some(Json::Null) => Map::new(),
        Some(Json::Object(arguments)) => arguments.clone(),
        Some(_) => {
            mistakes.add(&place, "arguments is an object");
            Map::new()
        }
    };
    let given = step.get("each");
    let each = given.and_then(Json::as_str).and_then(Each::parse);
    if given.is_some() && each.is_none() {
        mistakes.add(&place, "each is \"cargo\", \"missions\" or left out");
    }
    check_call(&place, tool, &arguments, each, mistakes);
    let until = mistakes.condition(&format!("{place} until"), step.get("until"));
    let given = step.get("most");
    let most = mistakes.number(
        &format!("{place} most"),
        given,
        DEFAULT_REPETITIONS,
        MAX_REPETITIONS,
    );
    // One with an `until` is made as often as the reader allows unless a number is written.
    let most = match (&until, given) {
        (Some(_), _) => Some(most),
        (None, given) => given.and(Some(most)).filter(|most| *most > 1),
    };
    Some(RoutineStep {
        tool: tool.into(),
        arguments,
        when: mistakes.condition(&format!("{place} when"), step.get("when")),
        until,
        most,
        may_fail: step.get("may_fail") == Some(&Json::Bool(true)),
        each,
    })
}

fn check_call(
    place: &str,
    tool: &str,
    arguments: &Map<String, Json>,
    each: Option<Each>,
    mistakes: &mut Mistakes,
) {
    let text = Json::Object(arguments.clone()).to_string();
    let command = zoea_spacemolt::commands::command_of_text(tool, &text);
    if tool.is_empty() || tool.len() > 100 {
        mistakes.add(place, "tool must be the name of a tool");
    } else if is_own(tool) {
        mistakes.add(place, "a tool of the runtime is no step");
    } else if GameRef::SpaceMolt.has_words_of_others(&command) {
        mistakes.add(place, &format!("what {command} tells must be read by you"));
    } else if matches!(&*command, "login" | "login_token" | "logout" | "register") {
        mistakes.add(
            place,
            &format!("{command} is not a step: the runtime logs you in"),
        );
    }
    if text.len() > MAX_ARGUMENTS_BYTES {
        mistakes.add(
            place,
            &format!("arguments of at most {MAX_ARGUMENTS_BYTES} bytes"),
        );
    }
    for word in arguments.values().filter_map(placeholder) {
        if !is_known_word(word, each) {
            let expected = format!(
                "{{{word}}} stands for nothing: {{poi}}, {{system}} or a value of guards, in a \
                 step with each cargo {{item}} and {{quantity}}, with each missions {{mission}}"
            );
            mistakes.add(place, &expected);
        }
    }
}

fn read_guards(given: Option<&Json>, mistakes: &mut Mistakes) -> Vec<Condition> {
    let guards = match given {
        None | Some(Json::Null) => return Vec::new(),
        Some(Json::Array(guards)) => guards.as_slice(),
        // A single guard needs no list.
        Some(one) => std::slice::from_ref(one),
    };
    if guards.len() > MAX_COMPARISONS {
        mistakes.add("guards", &format!("at most {MAX_COMPARISONS} guards"));
    }
    let numbered = (1..).zip(guards).take(MAX_COMPARISONS);
    let read = numbered
        .filter_map(|(number, guard)| mistakes.condition(&format!("guards {number}"), Some(guard)));
    read.collect()
}

struct Mistakes(Vec<String>);

impl Mistakes {
    fn add(&mut self, place: &str, expected: &str) {
        self.0.push(format!("{place}: {expected}"));
    }

    fn unknown_keys(&mut self, place: &str, given: &Map<String, Json>, known: &[&str]) {
        let unknown = given.keys().filter(|key| !known.contains(&key.as_str()));
        let unknown: Vec<&str> = unknown
            .map(|key| &key[..key.floor_char_boundary(40)])
            .collect();
        if !unknown.is_empty() {
            let place = if place.is_empty() { "routine" } else { place };
            let expected = format!(
                "unknown: {}; known: {}",
                unknown.join(", "),
                known.join(", ")
            );
            self.add(place, &expected);
        }
    }

    fn number(&mut self, place: &str, given: Option<&Json>, otherwise: u32, most: u32) -> u32 {
        let number = match given {
            None | Some(Json::Null) => return otherwise,
            Some(number) => whole_number(number).and_then(|number| u32::try_from(number).ok()),
        };
        let number = number.filter(|number| (1..=most).contains(number));
        if number.is_none() {
            self.add(place, &format!("a number from 1 to {most}"));
        }
        number.unwrap_or(otherwise)
    }

    /// The item of a price; an inner `None` for other values.
    #[expect(clippy::option_option, reason = "the outer one is a mistake")]
    fn item(
        &mut self,
        place: &str,
        value: Value,
        given: Option<&Json>,
    ) -> Option<Option<Arc<str>>> {
        if !value.is_price() {
            return Some(None);
        }
        let item = given.and_then(Json::as_str);
        let item = item.filter(|item| !item.is_empty() && item.len() <= 64);
        if item.is_none() {
            let expected = format!("item is missing: whose {} it is", value.as_str());
            self.add(place, &expected);
        }
        item.map(|item| Some(item.into()))
    }

    fn earns(&mut self, given: Option<&Json>) -> Option<i64> {
        const MOST: i64 = 1_000_000_000_000;
        let given = given.filter(|given| !given.is_null())?;
        let number = whole_number(given).filter(|number| (1..=MOST).contains(number));
        if number.is_none() {
            self.add("earns", "the credits that a round earned before, 1 or more");
        }
        number
    }

    fn condition(&mut self, place: &str, given: Option<&Json>) -> Option<Condition> {
        let given = match given {
            None | Some(Json::Null) => return None,
            Some(Json::Object(given)) => given,
            Some(_) => {
                self.add(
                    place,
                    "an object such as {\"value\":\"fuel\",\"op\":\">\",\"number\":20}",
                );
                return None;
            }
        };
        self.unknown_keys(place, given, &CONDITION_KEYS);
        match (given.get("all"), given.get("any")) {
            (None, None) => self.comparison(place, given).map(Condition::One),
            (Some(all), None) => self.comparisons(place, all).map(Condition::All),
            (None, Some(any)) => self.comparisons(place, any).map(Condition::Any),
            (Some(_), Some(_)) => {
                self.add(place, "all or any, not both");
                None
            }
        }
    }

    fn comparisons(&mut self, place: &str, given: &Json) -> Option<Vec<Comparison>> {
        let given = given.as_array().map(Vec::as_slice).unwrap_or_default();
        if given.is_empty() || given.len() > MAX_COMPARISONS {
            self.add(place, &format!("1 to {MAX_COMPARISONS} comparisons"));
            return None;
        }
        let read: Vec<Option<Comparison>> = given
            .iter()
            .map(|one| match one.as_object() {
                Some(one) => self.comparison(place, one),
                None => {
                    self.add(place, "a comparison is an object with value, op and number");
                    None
                }
            })
            .collect();
        read.into_iter().collect()
    }

    fn comparison(&mut self, place: &str, given: &Map<String, Json>) -> Option<Comparison> {
        let text = |key: &str| given.get(key).and_then(Json::as_str).unwrap_or_default();
        let value = Value::parse(text("value"));
        // Models write == for =, too.
        let op = match text("op") {
            "==" => Some(Op::Equal),
            op => Op::parse(op),
        };
        if value.is_none() {
            let known: Vec<&str> = Value::ALL.into_iter().map(Value::as_str).collect();
            self.add(place, &format!("value is one of {}", known.join(", ")));
        }
        if op.is_none() {
            let known: Vec<&str> = Op::ALL.into_iter().map(Op::as_str).collect();
            self.add(place, &format!("op is one of {}", known.join(" ")));
        }
        let (value, op) = (value?, op?);
        let against = if value == Value::Place {
            Some(text("text"))
                .filter(|text| !text.is_empty() && text.len() <= 64)
                .map(|text| Against::Text(text.into()))
        } else {
            let number = match given.get("number") {
                Some(Json::Bool(docked)) if value == Value::Docked => Some(i64::from(*docked)),
                number => number.and_then(whole_number),
            };
            number.map(Against::Number)
        };
        let is_order = !matches!(op, Op::Equal | Op::Other);
        if value == Value::Place && is_order {
            self.add(place, "a place is compared by = or !=");
        }
        if against.is_none() {
            let expected = match value == Value::Place {
                true => "text is the id of a point of interest or a system".to_string(),
                false => format!(
                    "number is missing: what {} is compared with",
                    value.as_str()
                ),
            };
            self.add(place, &expected);
        }
        let item = self.item(place, value, given.get("item"))?;
        let against = against?;
        Some(Comparison {
            value,
            item,
            op,
            against,
        })
    }
}

/// A whole number. Models write 20.0 and "20", too.
fn whole_number(given: &Json) -> Option<i64> {
    if let Some(text) = given.as_str() {
        return text.trim().parse().ok();
    }
    given.as_i64().or_else(|| {
        let number = given.as_f64().filter(|number| number.fract() == 0.0)?;
        format!("{number:.0}").parse().ok()
    })
}
