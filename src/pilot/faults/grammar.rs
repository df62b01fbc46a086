//! The grammar of faults: how they are written, read and explained.

use std::str::FromStr;

use super::{Delivery, Fault, FaultKind, Instead, Reshape, Spoil};
use crate::settings::units::parse_duration;

/// One line of the grammar.
struct Known {
    name: &'static str,
    argument: &'static str,
    meaning: &'static str,
}

const fn known(name: &'static str, argument: &'static str, meaning: &'static str) -> Known {
    Known {
        name,
        argument,
        meaning,
    }
}

const KNOWN: [Known; 27] = [
    known(
        "http-429",
        "[:SECONDS]",
        "429 in OpenAI's form, with Retry-After if given",
    ),
    known("text-429", "", "429 whose body is plain text"),
    known("http-500", "", "500"),
    known("http-503", "", "503"),
    known("http-401", "", "401, as if the key were wrong"),
    known(
        "context-length",
        ":TOKENS",
        "400 context_length_exceeded when the request is longer",
    ),
    known(
        "outage",
        ":AFTER,LENGTH",
        "503 to every valid request from AFTER the start on, for LENGTH",
    ),
    known("hang", "[:DURATION]", "no answer, for ever or for a time"),
    known("slow", ":DURATION", "the answer trickles in over this time"),
    known(
        "drop",
        "",
        "the connection is cut in the middle of the answer",
    ),
    known("garbage", "", "200 with a page of HTML"),
    known("empty-choices", "", "200 without choices"),
    known("error-200", "", "200 with an error object"),
    known("no-usage", "", "no usage"),
    known("null-usage", "", "usage: null"),
    known(
        "odd-usage",
        "",
        "usage with strings, fractions, negative or missing numbers",
    ),
    known(
        "reasoning-field",
        "",
        "`reasoning` in place of `reasoning_content`",
    ),
    known(
        "think-tags",
        "",
        "the reasoning stands in <think> tags within the content",
    ),
    known(
        "args-object",
        "",
        "the arguments of calls are objects, not text",
    ),
    known("parts-content", "", "the content is a list of parts"),
    known("empty-reply", "", "neither words nor calls"),
    known("empty-id", "", "calls without an id"),
    known(
        "repeated-id",
        "",
        "all calls have one and the same id, in every answer",
    ),
    known("unknown-tool", "", "a call of a tool that is not on offer"),
    known("bad-json-args", "", "arguments that are no JSON"),
    known(
        "cut-args",
        "",
        "arguments that end in the middle, finish_reason length",
    ),
    known(
        "channel-token",
        "",
        "tokens of a channel syntax within the tool's name",
    ),
];

/// The grammar of a fault, for `--help`.
#[must_use]
pub fn grammar() -> String {
    let mut text = String::from(
        "A fault that strikes by chance, as KIND[@PROBABILITY][:ARGUMENT]; may be repeated.\n\
         The probability is 1 unless given. Chance follows from the seed, the caller and the number of its request.\n\
         Kinds:\n",
    );
    for Known {
        name,
        argument,
        meaning,
    } in &KNOWN
    {
        let form = format!("{name}{argument}");
        text.push_str(&format!("  {form:<22} {meaning}\n"));
    }
    text
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (head, argument) = match text.split_once(':') {
            Some((head, argument)) => (head, Some(argument)),
            None => (text, None),
        };
        let (name, probability) = match head.split_once('@') {
            Some((name, chance)) => (name, probability(chance)?),
            None => (head, 1.0),
        };
        let kind = kind(name, argument)?;
        Ok(Self { kind, probability })
    }
}

/// Reads a probability.
///
/// # Errors
/// Says what a probability looks like.
pub fn probability(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|chance| (0.0..=1.0).contains(chance))
        .ok_or_else(|| format!("`{text}` is no probability; a probability is a number from 0 to 1"))
}

fn kind(name: &str, argument: Option<&str>) -> Result<FaultKind, String> {
    if let Some(plain) = plain_kind(name) {
        return match argument {
            None => Ok(plain),
            Some(argument) => Err(format!(
                "fault `{name}` takes no argument, but `{argument}` was given"
            )),
        };
    }
    let needed =
        || argument.ok_or_else(|| format!("fault `{name}` needs an argument: {}", form(name)));
    match name {
        "http-429" => {
            let retry_after = match argument {
                None => None,
                Some(text) => Some(number(text, name)?),
            };
            Ok(FaultKind::Instead(Instead::Http429 { retry_after }))
        }
        "context-length" => Ok(FaultKind::Instead(Instead::ContextLength {
            tokens: number(needed()?, name)?,
        })),
        "outage" => outage(needed()?, name),
        "hang" => {
            let pause = argument.map(parse_duration).transpose()?;
            Ok(FaultKind::Delivery(Delivery::Hang { pause }))
        }
        "slow" => Ok(FaultKind::Delivery(Delivery::Slow {
            over: parse_duration(needed()?)?,
        })),
        _ => {
            let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
            Err(format!(
                "there is no fault `{name}`; there are {}",
                names.join(", ")
            ))
        }
    }
}

/// The kinds that take no argument.
fn plain_kind(name: &str) -> Option<FaultKind> {
    use FaultKind as Kind;
    Some(match name {
        "text-429" => Kind::Instead(Instead::Text429),
        "http-500" => Kind::Instead(Instead::Http500),
        "http-503" => Kind::Instead(Instead::Http503),
        "http-401" => Kind::Instead(Instead::Http401),
        "drop" => Kind::Delivery(Delivery::Drop),
        "garbage" => Kind::Delivery(Delivery::Garbage),
        "empty-choices" => Kind::Reshape(Reshape::EmptyChoices),
        "error-200" => Kind::Reshape(Reshape::Error200),
        "no-usage" => Kind::Reshape(Reshape::NoUsage),
        "null-usage" => Kind::Reshape(Reshape::NullUsage),
        "odd-usage" => Kind::Reshape(Reshape::OddUsage),
        "reasoning-field" => Kind::Reshape(Reshape::ReasoningField),
        "think-tags" => Kind::Reshape(Reshape::ThinkTags),
        "args-object" => Kind::Reshape(Reshape::ArgsObject),
        "parts-content" => Kind::Reshape(Reshape::PartsContent),
        "empty-reply" => Kind::Spoil(Spoil::EmptyReply),
        "empty-id" => Kind::Spoil(Spoil::EmptyId),
        "repeated-id" => Kind::Spoil(Spoil::RepeatedId),
        "unknown-tool" => Kind::Spoil(Spoil::UnknownTool),
        "bad-json-args" => Kind::Spoil(Spoil::BadJsonArgs),
        "cut-args" => Kind::Spoil(Spoil::CutArgs),
        "channel-token" => Kind::Spoil(Spoil::ChannelToken),
        _ => return None,
    })
}

fn outage(argument: &str, name: &str) -> Result<FaultKind, String> {
    let (after, length) = argument
        .split_once(',')
        .ok_or_else(|| format!("fault `{name}` needs two durations: {}", form(name)))?;
    Ok(FaultKind::Instead(Instead::Outage {
        after: parse_duration(after)?,
        length: parse_duration(length)?,
    }))
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is no whole number: {}", form(name)))
}

fn form(name: &str) -> String {
    let known = KNOWN.iter().find(|known| known.name == name);
    known.map_or_else(String::new, |known| {
        format!("{name}[@PROBABILITY]{}", known.argument)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn example(known: &Known) -> String {
        let argument = match known.argument {
            ":TOKENS" => ":4096",
            ":AFTER,LENGTH" => ":10s,5s",
            ":DURATION" => ":2s",
            _ => "",
        };
        format!("{}{argument}", known.name)
    }

    #[test]
    fn every_kind_of_the_grammar_is_read_and_named_alike() {
        for known in &KNOWN {
            let fault: Fault = example(known).parse().unwrap();
            assert_eq!(fault.kind.name(), known.name);
            assert!(grammar().contains(known.name));
        }
    }

    #[test]
    fn probability_and_argument_are_read() {
        assert_eq!(
            "http-429@0.25:7".parse(),
            Ok(Fault {
                kind: FaultKind::Instead(Instead::Http429 {
                    retry_after: Some(7)
                }),
                probability: 0.25
            })
        );
        assert_eq!(
            "outage:1m,30s".parse::<Fault>().unwrap().kind,
            FaultKind::Instead(Instead::Outage {
                after: Duration::from_secs(60),
                length: Duration::from_secs(30)
            })
        );
        assert_eq!(
            "hang@1".parse::<Fault>().unwrap().kind,
            FaultKind::Delivery(Delivery::Hang { pause: None })
        );
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, expected) in [
            (
                "http-418",
                "there is no fault `http-418`; there are http-429, text-429, http-500",
            ),
            ("http-500@2", "`2` is no probability"),
            ("http-500@NaN", "`NaN` is no probability"),
            ("http-500:7", "takes no argument"),
            (
                "slow",
                "fault `slow` needs an argument: slow[@PROBABILITY]:DURATION",
            ),
            ("slow:soon", "a duration looks like"),
            ("outage:5s", "needs two durations"),
            ("context-length:many", "`many` is no whole number"),
            ("", "there is no fault ``"),
        ] {
            let error = text.parse::<Fault>().unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
