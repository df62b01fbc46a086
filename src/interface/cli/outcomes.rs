//! Orders to several Myses: what came of the order for each. A refusal by one does not keep the others
//! from getting it, and the command fails at the end.

use actors::domain::order::OrderRefusal;
use zoea_contract::{OrderAnswerJson, OrderOutcome, OrderOutcomeJson, to_value};

use crate::interface::cli::out;
use crate::interface::cli::selection::{ChosenMyses, MysisSelector, ShownOutcomes};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::client::ControlError;

pub(super) struct OrderWords<'a> {
    /// What is printed before the name of a Mysis that has it, as `stopped`.
    pub(super) done: &'a str,
    /// What is printed behind it.
    pub(super) after: &'a str,
    /// What a dry run prints before the name of a Mysis, as `would be stopped`.
    pub(super) would_be: String,
}

impl<'a> OrderWords<'a> {
    pub(super) fn participle(done: &'a str) -> OrderWords<'a> {
        OrderWords {
            done,
            after: "",
            would_be: format!("would be {done}"),
        }
    }
}

pub(super) async fn call_for_each(
    client: &SwarmClient,
    which: &MysisSelector,
    call: impl Fn(String) -> ControlCall,
    done: &str,
) -> anyhow::Result<()> {
    let chosen = which.which.resolve(client).await?;
    let words = OrderWords::participle(done);
    order_each(client, &chosen, call, &words, which.shown).await
}

/// Calls a tool for each Mysis, and prints what came of it. Where the program is gone, the others are not
/// tried.
pub(super) async fn order_each(
    client: &SwarmClient,
    chosen: &ChosenMyses,
    call: impl Fn(String) -> ControlCall,
    words: &OrderWords<'_>,
    shown: ShownOutcomes,
) -> anyhow::Result<()> {
    if chosen.names.is_empty() {
        out::note("no Mysis matches, so nothing was done");
    }
    let mut outcomes = Vec::new();
    let mut last_refusal = None;
    let mut refused = 0;
    let mut gone = None;
    for name in &chosen.names {
        let mut outcome = OrderOutcomeJson::new(name);
        if shown.dry_run {
            outcome.outcome = OrderOutcome::Selected;
        } else if let Some(why) = &gone {
            outcome.fail(OrderOutcome::Refused, format!("not tried: {why}"));
            refused += 1;
        } else {
            let asked = client.ask(call(name.clone())).await;
            if let Some(refusal) = take_answer(&mut outcome, asked, chosen.are_named) {
                gone = outcome.why.clone().filter(|_| is_out_of_reach(&refusal));
                last_refusal = Some(refusal);
                refused += 1;
            }
        }
        // The only one is told as the error.
        let is_listed = outcome.why.is_none() || chosen.names.len() > 1 || last_refusal.is_none();
        if !shown.json && is_listed {
            out::line(&line_of(&outcome, words))?;
        }
        outcomes.push(outcome);
    }
    if shown.json {
        out::json(&to_value(&outcomes))?;
    }
    match (last_refusal, outcomes.len()) {
        (None, _) => Ok(()),
        (Some(refusal), 1) => Err(refusal),
        (Some(_), all) => anyhow::bail!("{refused} of {all} Myses did not get the order"),
    }
}

/// Takes the answer to an order over. Returns the refusal, if it is one. What is already as it shall be is one
/// only where it was named: a selection asks for a final state.
fn take_answer(
    outcome: &mut OrderOutcomeJson,
    asked: anyhow::Result<OrderAnswerJson>,
    is_named: bool,
) -> Option<anyhow::Error> {
    let refusal = match asked {
        Ok(answer) => {
            outcome.take(answer);
            return None;
        }
        Err(refusal) => refusal,
    };
    let why = format!("{refusal:#}");
    if !is_named && known_words(&why).is_some() {
        outcome.fail(OrderOutcome::Unchanged, why);
        return None;
    }
    let word = match is_out_of_reach(&refusal) {
        true => OrderOutcome::Unknown,
        false => OrderOutcome::Refused,
    };
    outcome.fail(word, why);
    Some(refusal)
}

/// Whether no further order reaches the program.
fn is_out_of_reach(refusal: &anyhow::Error) -> bool {
    match refusal.downcast_ref::<ControlError>() {
        Some(ControlError::Refused(_)) | None => false,
        Some(
            ControlError::Unreachable(_) | ControlError::Waiting(_) | ControlError::Stopped(_),
        ) => true,
    }
}

fn line_of(outcome: &OrderOutcomeJson, words: &OrderWords<'_>) -> String {
    let name = &outcome.name;
    let (done, after) = (words.done, words.after);
    let why = outcome.why.as_deref().unwrap_or_default();
    match outcome.outcome {
        OrderOutcome::Done => match outcome.seq {
            Some(seq) => format!("{done} {name} as {seq}{after}"),
            None => format!("{done} {name}{after}"),
        },
        OrderOutcome::Passed => {
            let process = outcome.process.as_deref().unwrap_or_default();
            format!("{}: {name}", passed_note(process))
        }
        OrderOutcome::Unchanged => match known_words(why) {
            Some(words) => format!("{words} {name}"),
            None => format!("unchanged: {name}: {why}"),
        },
        OrderOutcome::Refused => format!("refused: {name}: {why}"),
        OrderOutcome::Unknown => format!("no answer: {name}: {why}"),
        OrderOutcome::Selected => format!("{}: {name}", words.would_be),
    }
}

/// What is said of an order that waits for the process that runs its Mysis.
pub(super) fn passed_note(process: &str) -> String {
    let process = out::clean(process);
    format!("stored; {process} carries it out as soon as it can")
}

/// The words for an order that was refused because the Mysis already is in the wanted state.
fn known_words(refusal: &str) -> Option<&'static str> {
    let known = [
        (OrderRefusal::AlreadyStopped, "already stopped"),
        (OrderRefusal::AlreadyRunning, "already running"),
        (OrderRefusal::NothingToRetry, "nothing to retry for"),
        (OrderRefusal::NoLoop, "no paying loop of"),
    ];
    let known = known
        .into_iter()
        .find(|(known, _)| known.to_string() == refusal);
    known.map(|(_, words)| words)
}
