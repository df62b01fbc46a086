//! The grammar of faults: it writes, reads and explains their text form.

use std::str::FromStr;

use zoea_grammar::fault::{FaultForm, WrittenFault, explain};

use super::{DeliveryFault, PilotFault, PilotFaultKind, ReplacementFault};

const FAULT_FORMS: &[FaultForm] = &[
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
        "no-system",
        "",
        "400 to a request with a system message, as some templates",
    ),
    FaultForm::new(
        "no-tool-role",
        "",
        "400 to a request with results of tools, as some templates",
    ),
    FaultForm::new(
        "no-tools",
        "",
        "400 to a request that offers tools, as Ollama for some models",
    ),
    FaultForm::new(
        "cut-prompt",
        ":TOKENS",
        "the oldest messages of a longer request are left unread, without a word about it",
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
        "the reasoning is in <think> tags within the content",
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
    FaultForm::new("bad-json-args", "", "arguments that are not JSON"),
    FaultForm::new(
        "cut-args",
        "",
        "arguments that end in the middle, finish_reason length",
    ),
    FaultForm::new(
        "text-calls",
        "",
        "calls are written into the content and not made",
    ),
    FaultForm::new(
        "prose-calls",
        "",
        "calls are written into a sentence and not made",
    ),
    FaultForm::new(
        "channel-token",
        "",
        "tokens of a channel syntax within the tool's name",
    ),
];

/// The grammar of a fault, for `--help`.
pub fn fault_grammar() -> String {
    format!(
        "A fault that occurs by chance, as KIND[@PROBABILITY][:ARGUMENT]; may be repeated.\n\
         The probability is 1 unless given. Chance follows from the seed, the caller and the number of its request.\n\
         Kinds:\n{}",
        explain(FAULT_FORMS)
    )
}

impl FromStr for PilotFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let written = WrittenFault::read(text, FAULT_FORMS)?;
        let kind = match written.form.name {
            "http-429" => PilotFaultKind::Instead(ReplacementFault::Http429 {
                retry_after: written.number()?,
            }),
            "context-length" => PilotFaultKind::Instead(ReplacementFault::ContextLength {
                tokens: written.number()?.unwrap_or_default(),
            }),
            "cut-prompt" => PilotFaultKind::CutPrompt {
                tokens: written.number()?.unwrap_or_default(),
            },
            "outage" => {
                let (after, length) = written.two_durations()?;
                PilotFaultKind::Instead(ReplacementFault::Outage { after, length })
            }
            "hang" => PilotFaultKind::Delivery(DeliveryFault::Hang {
                pause: written.duration()?,
            }),
            "slow" => PilotFaultKind::Delivery(DeliveryFault::Slow {
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
fn plain_kind(name: &str) -> Option<PilotFaultKind> {
    let kind = name.parse().map(PilotFaultKind::Instead);
    let kind = kind.or_else(|_| name.parse().map(PilotFaultKind::Delivery));
    let kind = kind.or_else(|_| name.parse().map(PilotFaultKind::Reshape));
    let kind = kind.or_else(|_| name.parse().map(PilotFaultKind::Spoil));
    kind.ok()
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
        for form in FAULT_FORMS {
            let fault: PilotFault = example(form).parse().unwrap();
            assert_eq!(fault.kind.name(), form.name);
            assert!(fault_grammar().contains(form.name));
        }
    }

    #[test]
    fn probability_and_argument_are_read() {
        assert_eq!(
            "http-429@0.25:7".parse(),
            Ok(PilotFault {
                kind: PilotFaultKind::Instead(ReplacementFault::Http429 {
                    retry_after: Some(7)
                }),
                probability: 0.25
            })
        );
        assert_eq!(
            "outage:1m,30s".parse::<PilotFault>().unwrap().kind,
            PilotFaultKind::Instead(ReplacementFault::Outage {
                after: Duration::from_secs(60),
                length: Duration::from_secs(30)
            })
        );
        assert_eq!(
            "hang@1".parse::<PilotFault>().unwrap().kind,
            PilotFaultKind::Delivery(DeliveryFault::Hang { pause: None })
        );
    }
}
