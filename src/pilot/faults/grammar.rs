//! The grammar of faults: how they are written, read and explained.

use std::str::FromStr;

use zoea_grammar::fault::{FaultForm, WrittenFault, explain};

use super::{Delivery, Fault, FaultKind, Instead, Reshape, Spoil};

const FORMS: &[FaultForm] = &[
    FaultForm::new(
        "http-429",
        "[:SECONDS]",
        "429 in OpenAI's form, with Retry-After if given",
    ),
    FaultForm::new("text-429", "", "429 whose body is plain text"),
    FaultForm::new("http-500", "", "500"),
    FaultForm::new("http-503", "", "503"),
    FaultForm::new("http-401", "", "401, as if the key were wrong"),
    FaultForm::new(
        "context-length",
        ":TOKENS",
        "400 context_length_exceeded when the request is longer",
    ),
    FaultForm::new(
        "outage",
        ":AFTER,LENGTH",
        "503 to every valid request from AFTER the start on, for LENGTH",
    ),
    FaultForm::new("hang", "[:DURATION]", "no answer, for ever or for a time"),
    FaultForm::new("slow", ":DURATION", "the answer trickles in over this time"),
    FaultForm::new(
        "drop",
        "",
        "the connection is cut in the middle of the answer",
    ),
    FaultForm::new("garbage", "", "200 with a page of HTML"),
    FaultForm::new("empty-choices", "", "200 without choices"),
    FaultForm::new("error-200", "", "200 with an error object"),
    FaultForm::new("no-usage", "", "no usage"),
    FaultForm::new("null-usage", "", "usage: null"),
    FaultForm::new(
        "odd-usage",
        "",
        "usage with strings, fractions, negative or missing numbers",
    ),
    FaultForm::new(
        "reasoning-field",
        "",
        "`reasoning` in place of `reasoning_content`",
    ),
    FaultForm::new(
        "think-tags",
        "",
        "the reasoning stands in <think> tags within the content",
    ),
    FaultForm::new(
        "args-object",
        "",
        "the arguments of calls are objects, not text",
    ),
    FaultForm::new("parts-content", "", "the content is a list of parts"),
    FaultForm::new("empty-reply", "", "neither words nor calls"),
    FaultForm::new("empty-id", "", "calls without an id"),
    FaultForm::new(
        "repeated-id",
        "",
        "all calls have one and the same id, in every answer",
    ),
    FaultForm::new("unknown-tool", "", "a call of a tool that is not on offer"),
    FaultForm::new("bad-json-args", "", "arguments that are no JSON"),
    FaultForm::new(
        "cut-args",
        "",
        "arguments that end in the middle, finish_reason length",
    ),
    FaultForm::new(
        "channel-token",
        "",
        "tokens of a channel syntax within the tool's name",
    ),
];

/// The grammar of a fault, for `--help`.
#[must_use]
pub fn grammar() -> String {
    format!(
        "A fault that strikes by chance, as KIND[@PROBABILITY][:ARGUMENT]; may be repeated.\n\
         The probability is 1 unless given. Chance follows from the seed, the caller and the number of its request.\n\
         Kinds:\n{}",
        explain(FORMS)
    )
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let written = WrittenFault::read(text, FORMS)?;
        let kind = match written.form.name {
            "http-429" => FaultKind::Instead(Instead::Http429 {
                retry_after: written.number()?,
            }),
            "context-length" => FaultKind::Instead(Instead::ContextLength {
                tokens: written.number()?.unwrap_or_default(),
            }),
            "outage" => {
                let (after, length) = written.two_durations()?;
                FaultKind::Instead(Instead::Outage { after, length })
            }
            "hang" => FaultKind::Delivery(Delivery::Hang {
                pause: written.duration()?,
            }),
            "slow" => FaultKind::Delivery(Delivery::Slow {
                over: written.needed_duration()?,
            }),
            name => plain_kind(name)
                .ok_or_else(|| format!("fault `{name}` is in the list and is not read"))?,
        };
        Ok(Self {
            kind,
            probability: written.probability,
        })
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn example(form: &FaultForm) -> String {
        let argument = match form.argument {
            ":TOKENS" => ":4096",
            ":AFTER,LENGTH" => ":10s,5s",
            ":DURATION" => ":2s",
            _ => "",
        };
        format!("{}{argument}", form.name)
    }

    #[test]
    fn every_kind_of_the_grammar_is_read_and_named_alike() {
        for form in FORMS {
            let fault: Fault = example(form).parse().unwrap();
            assert_eq!(fault.kind.name(), form.name);
            assert!(grammar().contains(form.name));
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
}
