//! The text form of an injected fault: `KIND[@PROBABILITY][:ARGUMENT]`. Each simulated server has
//! its own list of kinds.

use std::time::Duration;

use crate::units::parse_duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultForm {
    pub name: &'static str,
    /// The form of the argument: empty for none, `:WORD` for a required one, `[:WORD]` for an
    /// optional one.
    pub argument: &'static str,
    pub meaning: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenFault<'a> {
    pub form: &'static FaultForm,
    /// The probability, 0 to 1; 1 where the text has none.
    pub probability: f64,
    /// The text after the colon. A kind with a required argument always has one.
    argument: Option<&'a str>,
}

impl FaultForm {
    pub const fn new(
        name: &'static str,
        argument: &'static str,
        meaning: &'static str,
    ) -> FaultForm {
        FaultForm {
            name,
            argument,
            meaning,
        }
    }

    fn usage(&self) -> String {
        format!("{}[@PROBABILITY]{}", self.name, self.argument)
    }
}

impl<'a> WrittenFault<'a> {
    /// Reads a fault by a list of kinds.
    pub fn read(text: &'a str, forms: &'static [FaultForm]) -> Result<WrittenFault<'a>, String> {
        let (head, argument) = match text.split_once(':') {
            Some((head, argument)) => (head, Some(argument)),
            None => (text, None),
        };
        let (name, probability) = match head.split_once('@') {
            Some((name, probability)) => (name, parse_probability(probability)?),
            None => (head, 1.0),
        };
        let form = forms
            .iter()
            .find(|form| form.name == name)
            .ok_or_else(|| format!("there is no fault `{name}`; there are {}", names(forms)))?;
        match argument {
            Some(argument) if form.argument.is_empty() => Err(format!(
                "fault `{name}` takes no argument, but `{argument}` was given"
            )),
            None if form.argument.starts_with(':') => Err(format!(
                "fault `{name}` needs an argument: {}",
                form.usage()
            )),
            Some(_) | None => Ok(WrittenFault {
                form,
                probability,
                argument,
            }),
        }
    }

    /// The optional argument as a duration.
    pub fn duration(&self) -> Result<Option<Duration>, String> {
        self.argument.map(parse_duration).transpose()
    }

    /// The required argument as a duration.
    pub fn needed_duration(&self) -> Result<Duration, String> {
        parse_duration(self.argument.unwrap_or_default())
    }

    /// The argument as two durations with a comma between them.
    pub fn two_durations(&self) -> Result<(Duration, Duration), String> {
        let (first, second) = self
            .argument
            .and_then(|argument| argument.split_once(','))
            .ok_or_else(|| {
                format!(
                    "fault `{}` needs two durations: {}",
                    self.form.name,
                    self.form.usage()
                )
            })?;
        Ok((parse_duration(first)?, parse_duration(second)?))
    }

    /// The optional argument as a whole number. Seconds may end in `s`.
    pub fn number(&self) -> Result<Option<u64>, String> {
        let Some(argument) = self.argument else {
            return Ok(None);
        };
        let digits = match self.form.argument.contains("SECONDS") {
            true => argument.strip_suffix('s').unwrap_or(argument),
            false => argument,
        };
        let number = digits.parse();
        number
            .map(Some)
            .map_err(|_| format!("`{argument}` is not a whole number: {}", self.form.usage()))
    }
}

/// Reads a probability.
pub fn parse_probability(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|probability| (0.0..=1.0).contains(probability))
        .ok_or_else(|| {
            format!("`{text}` is not a probability; a probability is a number from 0 to 1")
        })
}

/// The kinds of a list, one a line, for `--help`.
pub fn explain(forms: &[FaultForm]) -> String {
    forms
        .iter()
        .map(|form| {
            let written = format!("{}{}", form.name, form.argument);
            format!("  {written:<25} {}\n", form.meaning)
        })
        .collect()
}

fn names(forms: &[FaultForm]) -> String {
    let names: Vec<&str> = forms.iter().map(|form| form.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: &[FaultForm] = &[
        FaultForm::new("drop", "", "the connection is cut"),
        FaultForm::new("limit", "[:SECONDS]", "429"),
        FaultForm::new("slow", ":DURATION", "comes late"),
        FaultForm::new("away", ":AFTER,LENGTH", "nothing for a time"),
    ];

    fn read(text: &str) -> Result<WrittenFault<'_>, String> {
        WrittenFault::read(text, FORMS)
    }

    #[test]
    fn every_part_but_the_kind_may_be_left_out() {
        let full = read("limit@0.25:7").unwrap();
        assert_eq!((full.form.name, full.probability), ("limit", 0.25));
        assert_eq!(full.number(), Ok(Some(7)));
        assert_eq!(read("limit:7s").unwrap().number(), Ok(Some(7)));
        assert_eq!(read("limit").unwrap().number(), Ok(None));
        assert_eq!(read("drop").unwrap().probability, 1.0);
        let slow = read("slow@1:2s").unwrap();
        assert_eq!(slow.needed_duration(), Ok(Duration::from_secs(2)));
        let seconds = Duration::from_secs;
        let away = read("away:1m,30s").unwrap().two_durations();
        assert_eq!(away, Ok((seconds(60), seconds(30))));
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, expected) in [
            (
                "hang",
                "there is no fault `hang`; there are drop, limit, slow, away",
            ),
            ("", "there is no fault ``"),
            ("drop@2", "`2` is not a probability"),
            ("drop@NaN", "`NaN` is not a probability"),
            ("drop:7", "takes no argument"),
            (
                "slow",
                "fault `slow` needs an argument: slow[@PROBABILITY]:DURATION",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let late = read("slow:soon").unwrap().needed_duration().unwrap_err();
        assert!(late.contains("a duration looks like"), "{late}");
        let away = read("away:5s").unwrap().two_durations().unwrap_err();
        assert!(away.contains("needs two durations: away[@PROBABILITY]:AFTER,LENGTH"));
        let many = read("limit:many").unwrap().number().unwrap_err();
        assert!(many.contains("`many` is not a whole number"), "{many}");
    }

    #[test]
    fn a_list_is_explained_a_line_each() {
        let text = explain(FORMS);
        assert_eq!(text.lines().count(), FORMS.len());
        assert!(text.starts_with("  drop                      the connection is cut\n"));
    }
}
