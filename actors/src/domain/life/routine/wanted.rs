//! The routine that somebody wants to start: what it means on this server, or everything that is wrong with it.

use std::sync::Arc;

use serde_json::{Map, Value};
use zoea_spacemolt::commands;

use super::Life;
use crate::routine::{KnownValues, MAX_STEPS, Routine, is_routine_name, plain_name, read_routine};

/// The most letters of a name that nobody knows in an answer.
const MAX_TOLD_CHARS: usize = 80;

pub(super) struct WantedRoutine {
    pub(super) routine: Arc<Routine>,
    /// Whether its name was all that was given: then it may go on where it stopped.
    pub(super) by_name: bool,
}

impl WantedRoutine {
    /// A routine that is given as a whole: it begins with its first round.
    pub(super) fn whole(routine: Arc<Routine>) -> WantedRoutine {
        WantedRoutine {
            routine,
            by_name: false,
        }
    }
}

impl Life {
    /// The routine that the arguments of a call mean, or everything that is wrong with them.
    pub(super) fn wanted_routine(&self, arguments: &str) -> Result<WantedRoutine, Vec<String>> {
        let given: Map<String, Value> = serde_json::from_str(arguments)
            .map_err(|_| vec!["the arguments are not a JSON object".to_string()])?;
        let name = given.get("name").and_then(Value::as_str);
        let name = name.filter(|_| !given.contains_key("steps"));
        // Files have names of any letters, routines have plain ones.
        let offered = name.and_then(|name| self.routine_of_role(name));
        let name = name.map(plain_name);
        let name = name.as_deref();
        let offered =
            offered.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        // What goes on now is known better than what ran once.
        let circle = self.routines.circles.circle().map(|circle| &circle.routine);
        let circle = circle.filter(|circle| name == Some(&*circle.name));
        let known = circle.or_else(|| name.and_then(|name| self.routines.find(name)));
        // The operator's file goes before what once ran under its name.
        let routine = match (offered, known) {
            (Some(offered), _) => read_routine(&offered).map(Arc::new),
            (None, Some(known)) => Ok(known.clone()),
            (None, None) => match name.filter(|name| is_routine_name(name)) {
                Some(unknown) => return Err(vec![self.unknown_name(unknown)]),
                None => read_routine(&given).map(Arc::new),
            },
        };
        match routine {
            Ok(routine) => Ok(WantedRoutine {
                routine: self.fit_routine(&routine)?,
                by_name: name.is_some(),
            }),
            Err(mut mistakes) => {
                // Who mends them is to know of all.
                let steps = given.get("steps").and_then(Value::as_array);
                let numbered = (1..).zip(steps.into_iter().flatten().take(MAX_STEPS));
                mistakes.extend(numbered.filter_map(|(number, step)| {
                    let arguments = step["arguments"].as_object().cloned().unwrap_or_default();
                    let tool = step["tool"].as_str()?;
                    let fitted = self.fit_call(tool, &arguments);
                    let why = fitted.err()?;
                    Some(format!("steps {number}: {why}"))
                }));
                Err(mistakes)
            }
        }
    }

    /// Says that a name alone means no routine, and what does.
    fn unknown_name(&self, name: &str) -> String {
        let known: Vec<&str> = self.routines.known.iter().map(|one| &*one.name).collect();
        let known = match known.is_empty() {
            true => "none yet".to_string(),
            false => known.join(", "),
        };
        format!(
            "it knows no routine {name} (it knows {known}); a new one needs steps, each with its tool"
        )
    }

    /// A step's tool and arguments as this server has them, or why it cannot be called.
    pub(super) fn fit_call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(Arc<str>, Map<String, Value>), String> {
        let tools = &self.session.tools;
        // The model knows some tools by other names than the server's.
        let tool = tools.resolve_name(tool).map_or(tool, |tool| &tool.name);
        let has = |tool: &str| tools.get(tool).is_some();
        let (tool, arguments): (Arc<str>, _) = match commands::to_second(tool, arguments.clone()) {
            Some((second, arguments)) if !has(tool) => (second.into(), arguments),
            Some(_) | None => (tool.into(), arguments.clone()),
        };
        if !has(&tool) {
            let tool: String = tool.chars().take(MAX_TOLD_CHARS).collect();
            return Err(format!("there is no tool {tool}"));
        }
        let text = Value::Object(arguments.clone()).to_string();
        let command = commands::command_of_text(&tool, &text);
        match self.tool_permit().permits(&tool, &command) {
            true => Ok((tool, arguments)),
            false => Err(format!("the operator does not allow {command}")),
        }
    }

    pub(super) fn with_own_tools(&self, routine: &Routine) -> (Routine, Vec<String>) {
        let mut routine = routine.clone();
        let mut mistakes = Vec::new();
        for (number, step) in (1..).zip(&mut routine.steps) {
            match self.fit_call(&step.tool, &step.arguments) {
                Ok(fitted) => (step.tool, step.arguments) = fitted,
                Err(why) => mistakes.push(format!("steps {number}: {why}")),
            }
        }
        (routine, mistakes)
    }

    pub(super) fn fit_routine(&self, routine: &Routine) -> Result<Arc<Routine>, Vec<String>> {
        let (routine, mut mistakes) = self.with_own_tools(routine);
        let known = KnownValues {
            facts: self.samples.figures().facts.clone(),
            prices: self.routines.prices.clone(),
            ticks: Some(0),
            ..KnownValues::default()
        };
        let guards = (1..).zip(&routine.guards);
        let failing = guards.filter_map(|(number, guard)| {
            let objection = guard.objection(&known)?;
            Some(format!("guards {number}: {objection}"))
        });
        mistakes.extend(failing);
        match mistakes.is_empty() {
            true => Ok(Arc::new(routine)),
            false => Err(mistakes),
        }
    }
}
